/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.c - an array of an image that a transaction changes
 *
 * The directory is copied to the heap with the first change; a bit tells which pages
 * are the transaction's own and may be written to.
 */
#include "pages.h"

#include <stdlib.h>
#include "engine/image.h"

static u32 pages_of(const struct xt2_pages *p, u32 count)
{
	return count / p->per_page + !!(count % p->per_page);
}

static u64 page_size(const struct xt2_pages *p)
{
	return (u64)p->size * p->per_page;
}

void xt2_pages_begin(struct xt2_pages *p, struct xt2_space *space, u32 dir, u32 count, u32 size,
		     u32 per_page)
{
	*p = (struct xt2_pages){
		.space = space, .count = count, .size = size, .per_page = per_page, .from = dir
	};
	p->from_pages = dir ? pages_of(p, count) : 0;
}

/* => offset of a page; 0: it is not there */
static u32 page_at(const struct xt2_pages *p, u32 page)
{
	if (p->dir)
		return p->dir[page];
	return page < p->from_pages ? ((const u32 *)xt2_at(p->space->img, p->from))[page] : 0;
}

const void *xt2_pages_get(const struct xt2_pages *p, u32 i)
{
	const u32 page = page_at(p, i / p->per_page);

	return page ? (const u8 *)xt2_at(p->space->img, page) + (u64)(i % p->per_page) * p->size
		    : NULL;
}

/* The directory and the bits on the heap, with room for so many pages.  => 0, -ENOMEM */
static int reserve(struct xt2_pages *p, u32 pages)
{
	const u32 had = p->dir ? p->cap : p->from_pages;
	u32 cap = p->cap ? p->cap : p->from_pages + 4;
	u32 *dir;
	u64 *own;

	if (p->dir && pages <= p->cap)
		return 0;
	while (cap < pages)
		cap += cap / 2 + 1;
	dir = calloc(cap, sizeof(*dir));
	own = calloc((cap + 63) / 64, sizeof(*own));
	if (!dir || !own) {
		free(dir);
		free(own);
		return -ENOMEM;
	}
	if (had)
		memcpy(dir, p->dir ? p->dir : xt2_at(p->space->img, p->from), had * sizeof(*dir));
	if (p->own)
		memcpy(own, p->own, (p->cap + 63) / 64 * sizeof(*own));
	free(p->dir);
	free(p->own);
	p->dir = dir;
	p->own = own;
	p->cap = cap;
	return 0;
}

int xt2_pages_grow(struct xt2_pages *p, u32 count)
{
	if (count <= p->count)
		return 0;
	if (reserve(p, pages_of(p, count)))
		return -ENOMEM;
	p->count = count;
	return 0;
}

int xt2_pages_clear(struct xt2_pages *p, u32 count)
{
	const u32 pages = pages_of(p, p->count);
	u32 i;

	if (reserve(p, pages > pages_of(p, count) ? pages : pages_of(p, count)))
		return -ENOMEM;
	for (i = 0; i < pages; i++) {
		if (p->dir[i] && xt2_space_retire(p->space, p->dir[i], page_size(p)))
			return -ENOMEM;
		p->dir[i] = 0;
		p->own[i / 64] &= ~(1ull << i % 64);
	}
	p->count = count;
	return 0;
}

/* A page that may be written to.  => its offset; 0: no room, no memory */
static u32 own_page(struct xt2_pages *p, u32 page)
{
	u32 old, copy;

	if (reserve(p, pages_of(p, p->count)))
		return 0;
	old = p->dir[page];
	if (p->own[page / 64] & 1ull << page % 64)
		return old;
	copy = xt2_space_alloc(p->space, page_size(p));
	if (!copy || (old && xt2_space_retire(p->space, old, page_size(p))))
		return 0;
	if (old)
		memcpy(xt2_at(p->space->img, copy), xt2_at(p->space->img, old), page_size(p));
	else
		memset(xt2_at(p->space->img, copy), 0, page_size(p));
	p->own[page / 64] |= 1ull << page % 64;
	p->dir[page] = copy;
	return copy;
}

void *xt2_pages_own(struct xt2_pages *p, u32 i)
{
	const u32 page = own_page(p, i / p->per_page);

	return page ? (u8 *)xt2_at(p->space->img, page) + (u64)(i % p->per_page) * p->size : NULL;
}

int xt2_pages_end(struct xt2_pages *p, u32 *dir)
{
	const u32 pages = pages_of(p, p->count);
	u32 at, *list;

	if (!p->dir || !pages) {
		*dir = p->from;
		return 0;
	}
	at = xt2_space_alloc(p->space, pages * sizeof(u32));
	if (!at)
		return -ENOSPC;
	if (p->from && xt2_space_retire(p->space, p->from, p->from_pages * sizeof(u32)))
		return -ENOMEM;
	list = xt2_at(p->space->img, at);
	memcpy(list, p->dir, pages * sizeof(*list));
	if (pages % 2)
		list[pages] = 0; /* up to the next structure */
	*dir = at;
	return 0;
}

void xt2_pages_free(struct xt2_pages *p)
{
	free(p->dir);
	free(p->own);
	p->dir = NULL;
	p->own = NULL;
	p->cap = 0;
}
