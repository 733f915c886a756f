/* SPDX-License-Identifier: GPL-2.0-or-later */
/* old-files.h - image files that were replaced, and the generations in them: see old-files.c */
#ifndef XT2_LIBXT2_STORE_OLD_FILES_H
#define XT2_LIBXT2_STORE_OLD_FILES_H

#include <stdbool.h>
#include <xt2/change.h>

#define XT2_OLD_FILES 8 /* at most, beside an image */
#define XT2_OLD_BYTES (64ull << 20) /* of all of them */

/*
 * xt2_old_file_keep - a file was replaced: keep it beside the new one
 * @real: the image's name, after symbolic links
 * @name: the old file's, in the same folder; afterwards it has another name, or is gone
 * @number: struct xt2_edits.file of the old file
 *
 * Failures are none: then it is gone.
 */
void xt2_old_file_keep(const char *real, const char *name, __u32 number);

struct xt2_past;

/*
 * xt2_old_file_read - the bytes of an old file, which nobody has checked
 * @real: as of xt2_old_file_keep()
 * @past: a record whose generation it has; another file of that name is none
 * @raw: out: release with xt2_image_close()
 * => 0; -ENOENT: there is no such file, or it is another one
 */
int xt2_old_file_read(const char *real, const struct xt2_past *past, struct xt2_mapping *raw,
		      struct xt2_err *err);

/* Says that a generation is not there.  => -ENOENT */
int xt2_no_generation(__u64 generation, struct xt2_err *err);

/* Old files of an image go, for want of room on the disk.  => were there any? */
bool xt2_old_files_drop(const char *real);

struct xt2_history;

/*
 * xt2_file_history - who changed an image file, without reading more than that
 * @fd: out: close it when the history was read, if it is not -1
 * => one of no commits if there is no such file, or it is no image
 */
struct xt2_history xt2_file_history(const char *path, int *fd);

/*
 * xt2_generation_open - an image as it was
 * @path: of the image
 * @generation: the one that is there, or one of those that its history has
 * @map: out: a checked copy, with counters as they were then; release with xt2_image_close()
 * => 0; -ENOENT: there is no such file, or it knows no such generation, or no longer has it;
 *    -errno as of xt2_image_open()
 */
int xt2_generation_open(const char *path, __u64 generation, struct xt2_mapping *map,
			struct xt2_err *err);

#endif
