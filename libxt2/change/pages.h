/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.h - an array of an image that a transaction changes; not installed
 *
 * The array is a directory of pages (doc/format.md).  A transaction writes copies of the
 * pages in which it changes elements, and a new directory if it has any; the generation
 * before keeps its own.
 */
#ifndef XT2_LIBXT2_CHANGE_PAGES_H
#define XT2_LIBXT2_CHANGE_PAGES_H

#include "space.h"

struct xt2_pages {
	struct xt2_space *space;
	u32 count; /* elements */
	u32 size; /* bytes of one */
	u32 per_page; /* elements */
	u32 from; /* offset of the directory of the generation before; 0: it has none */
	u32 from_pages;
	u32 *dir; /* the directory as it will be; NULL: as it was */
	u32 cap; /* pages that dir[] and own[] have room for */
	u64 *own; /* a bit for each page that this transaction wrote */
};

/*
 * xt2_pages_begin - change an array
 * @dir: offset of its directory; 0: there is none yet, and count is 0
 * @size, @per_page: of its elements; size * per_page is a multiple of 8
 *
 * Nothing is allocated.  xt2_pages_free() in any case.
 */
void xt2_pages_begin(struct xt2_pages *p, struct xt2_space *space, u32 dir, u32 count, u32 size,
		     u32 per_page);

/* => an element, not to be written to; NULL: its page is not there, so all are 0 */
const void *xt2_pages_get(const struct xt2_pages *p, u32 i);

/*
 * xt2_pages_own - an element that may be written to until the transaction ends
 * @i: below count
 *
 * Other elements of the page move as well: pointers to them are stale.
 * => it; NULL: the space has no room, or there is no memory
 */
void *xt2_pages_own(struct xt2_pages *p, u32 i);

/* More elements, 0 until they are written.  => 0, -ENOMEM */
int xt2_pages_grow(struct xt2_pages *p, u32 count);

/* All elements go; then there are so many, which are 0.  => 0, -ENOMEM */
int xt2_pages_clear(struct xt2_pages *p, u32 count);

/*
 * xt2_pages_end - write the directory, if the array was changed
 * @dir: out: its offset; 0: there are no pages
 * => 0; -ENOSPC, -ENOMEM
 */
int xt2_pages_end(struct xt2_pages *p, u32 *dir);

/* Free the memory. */
void xt2_pages_free(struct xt2_pages *p);

#endif
