/* SPDX-License-Identifier: GPL-2.0-or-later */
/* edit-file.h - an image file that is changed where it is: see edit-file.c */
#ifndef XT2_LIBXT2_STORE_EDIT_FILE_H
#define XT2_LIBXT2_STORE_EDIT_FILE_H

#include <stdbool.h>
#include <xt2/change.h>

struct xt2_commit_check;
struct xt2_edit_file;

/*
 * xt2_edit_file_open - the ruleset of an image file, to be read or edited in place
 * @lock: of xt2_image_lock_(), to change the file; -1: it is only read
 * @file: out: closed by xt2_edit_file_close(), after rs was freed
 * @rs: empty; out: the ruleset
 * @whole: out: why the file was checked whole, or has to be; NULL: it was not, it is as the last
 *	commit has left it.  After an error it says nothing
 *
 * => 0; 1: this file is not one to be changed where it is: read and replace it; -ENOENT: there is
 *    none; -errno: it cannot be opened, or is not a valid image
 */
int xt2_edit_file_open(const char *path, int lock, struct xt2_edit_file **file,
		       struct xt2_ruleset *rs, const char **whole, struct xt2_err *err);

/*
 * xt2_edit_file_commit - append what has changed, durably
 *
 * If it is killed or fails, the file has the old ruleset or the new one, and the next commit
 * cuts off what was not finished.
 * @check: see xt2_inplace_commit()
 * @author: whose commit it is; NULL: it does not say
 * => 0; 1: the file would be mostly garbage: write and replace it; -ECANCELED: check found it wrong;
 *    -errno: nothing has changed, unless err says that it is stored; if syncing failed, the
 *    ruleset can only be freed
 */
int xt2_edit_file_commit(struct xt2_edit_file *file, struct xt2_ruleset *rs,
			 const struct xt2_commit_check *check, const struct xt2_author *author,
			 struct xt2_err *err);

/*
 * xt2_edit_file_share - the next commit is the last one
 *
 * The lock is given up when it is appended, and its sync may be one with those of others.
 */
void xt2_edit_file_share(struct xt2_edit_file *file);

/* => bytes of a change that was not finished, which the next commit cuts off */
__u64 xt2_edit_file_torn(const struct xt2_edit_file *file);

/* NULL is fine. */
void xt2_edit_file_close(struct xt2_edit_file *file);

#endif
