/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - who changed an image, as it tells itself: see history.c; not installed
 */
#ifndef XT2_LIBXT2_CHANGE_HISTORY_H
#define XT2_LIBXT2_CHANGE_HISTORY_H

#include <stdbool.h>
#include <xt2/change.h>
#include "engine/env.h"

/* Where records are read from.  Nothing is to be released. */
struct xt2_history {
	const struct xt2_image *img; /* in memory; NULL: a file */
	int fd;
	u64 size; /* of the image */
	u32 next; /* offset of the record that is read next; 0: there is none */
	u32 file; /* which file it is, by its struct xt2_edits */
	u64 before; /* the next generation is a smaller one */
};

/* A commit, as it was read. */
struct xt2_past {
	struct xt2_commit commit; /* its owner ends with NUL */
	char reason[XT2_REASON_MAX + 1];
};

/*
 * xt2_history_begin - before the newest commit of an image
 * @img: it is in memory; or NULL, and @fd: a file that is open
 * @size: bytes of it; @root: offset of the root whose history it is
 *
 * Nothing about the bytes is taken for granted.  A history that makes no sense is none.
 */
void xt2_history_begin(struct xt2_history *h, const struct xt2_image *img, int fd, u64 size,
		       u64 root);

/* => is there another commit, older than those before? */
bool xt2_history_next(struct xt2_history *h, struct xt2_past *past);

/* The record at an offset.  => false: there is none */
bool xt2_history_read(const struct xt2_history *h, u32 at, struct xt2_past *past);

/* The commit of a generation.  => false: it is not told of */
bool xt2_history_find(struct xt2_history *h, u64 generation, struct xt2_past *past);

/* => bytes of all records */
u64 xt2_history_bytes(const struct xt2_history *h);

/* A record of a commit of this process, now; previous, file, root and size are the caller's. */
void xt2_past_make(struct xt2_past *past, const struct xt2_author *author, u64 generation);

/* => bytes of the record of a commit with its reason, a multiple of 8 */
u32 xt2_past_size(const struct xt2_past *past);

/* Write it: to has as many bytes. */
void xt2_past_write(const struct xt2_past *past, void *to);

#endif
