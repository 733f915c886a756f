/* SPDX-License-Identifier: GPL-2.0-or-later */
/* new-file.h - a file that takes the place of an old one in one step: see new-file.c */
#ifndef XT2_LIBXT2_STORE_NEW_FILE_H
#define XT2_LIBXT2_STORE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct xt2_new_file {
	int fd; /* to be written; -1: it is closed */
	int folder; /* that it is in */
	const char *failed; /* what could not be done: "cannot ..." */
	char real[PATH_MAX]; /* the name that it will have, after symbolic links */
	char name[PATH_MAX]; /* and the one that it has until then */
};

/*
 * xt2_new_file_create - an empty file beside the one that it will replace
 * @path: of that one, whether or not it is there; symbolic links are followed
 *
 * Its mode is 0600.  What is no regular file is not replaced.
 * => 0; -errno: see failed, and there is nothing to be released
 */
int xt2_new_file_create(struct xt2_new_file *f, const char *path);

/*
 * xt2_read_up_to - read by as many calls as it takes, over interruptions
 * => bytes, fewer than size only at the end of the file; -errno
 */
ssize_t xt2_read_up_to(int fd, void *to, size_t size);

struct xt2_image;

/*
 * xt2_read_header_ - an image's header as it was at one moment
 *
 * A commit stores its size and its root by one write, of which a read may see a part; it is read
 * until it is the same twice.
 * => bytes, fewer than the header's only if the file is shorter; -errno
 */
ssize_t xt2_read_header_(int fd, struct xt2_image *header);

/* Write by as many calls as it takes.  => 0, -errno */
int xt2_write_all(int fd, const void *bytes, size_t size);

/* Nothing more is written; @durable: it survives a loss of power.  => 0, -errno: see failed */
int xt2_new_file_close(struct xt2_new_file *f, bool durable);

/*
 * xt2_new_file_place - give a closed file its name, and release it
 * => 0, -errno: see failed; if only the folder could not be synced, the new file is in place
 */
int xt2_new_file_place(struct xt2_new_file *f, bool durable);

/*
 * xt2_new_file_exchange - give a closed file its name, and the old file that of the new one
 *
 * Then xt2_new_file_placed().
 * => 0; -errno: there is no old file, or this is not possible here, and nothing has changed
 */
int xt2_new_file_exchange(const struct xt2_new_file *f);

/* It has its name already: release it.  => as xt2_new_file_place() */
int xt2_new_file_placed(struct xt2_new_file *f, bool durable);

/* Remove it, and release it: the old file stays. */
void xt2_new_file_drop(struct xt2_new_file *f);

/* The name that symbolic links lead to, whether or not there is a file.  @real: [PATH_MAX].  => 0, -errno */
int xt2_resolve(const char *path, char *real);

#endif
