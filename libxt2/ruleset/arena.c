/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.c - many small records that are freed together
 *
 * Chunks grow from 4 KiB to 4 MiB, so that small rulesets stay small and large
 * ones waste at most a chunk.  What would not fit in a usual chunk gets one of
 * its own, after the chunk that still has room.
 */
#include "config.h"
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK_FIRST 4096u
#define CHUNK_GROWS 4
#define CHUNK_MAX   (2 * XT2_LARGE_)
#define ROUND(n)    (((n) + 7) & ~(size_t)7)

void xt2_want_large_(void *p, size_t size)
{
	uintptr_t from = ((uintptr_t)p + XT2_LARGE_ - 1) & ~(uintptr_t)(XT2_LARGE_ - 1);
	uintptr_t to = ((uintptr_t)p + size) & ~(uintptr_t)(XT2_LARGE_ - 1);

	if (p && from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE); /* else small ones will do */
}

void *xt2_alloc_large_(size_t size)
{
	void *p = malloc(size);

	xt2_want_large_(p, size);
	return p;
}

/* Linux puts a multiple of huge pages where huge pages can be. */
void *xt2_room_alloc_(size_t size)
{
	const size_t whole = XT2_LARGE_SIZE_(size);
	void *p;

	if (size < XT2_LARGE_)
		return malloc(size);
	p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, whole, MADV_HUGEPAGE);
	return p;
}

void xt2_room_free_(void *p, size_t size)
{
	if (size < XT2_LARGE_)
		free(p);
	else if (p)
		munmap(p, XT2_LARGE_SIZE_(size));
}

struct xt2_chunk_ {
	struct xt2_chunk_ *next;
	size_t size, used;
	uint64_t bytes[];
};

/* => a chunk with room for size bytes, linked into the list */
static struct xt2_chunk_ *chunk_new(struct xt2_arena_ *arena, size_t size)
{
	size_t usual = arena->next ? arena->next : CHUNK_FIRST;
	bool larger = size > usual - sizeof(struct xt2_chunk_);
	size_t bytes = larger ? sizeof(struct xt2_chunk_) + size : usual;
	struct xt2_chunk_ *c = xt2_room_alloc_(bytes);

	if (!c)
		return NULL;
	c->size = bytes - sizeof(*c);
	c->used = 0;
	if (larger && arena->chunks) {
		c->next = arena->chunks->next;
		arena->chunks->next = c;
		return c;
	}
	c->next = arena->chunks;
	arena->chunks = c;
	arena->next = usual < CHUNK_MAX ? usual * CHUNK_GROWS : CHUNK_MAX;
	return c;
}

void *xt2_arena_alloc_(struct xt2_arena_ *arena, size_t size)
{
	struct xt2_chunk_ *c = arena->chunks;
	void *record;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = ROUND(size);
	if (!c || c->size - c->used < size)
		c = chunk_new(arena, size);
	if (!c)
		return NULL;
	record = (char *)c->bytes + c->used;
	c->used += size;
	arena->live += size;
	return record;
}

int xt2_arena_grow(struct xt2_arena_ *arena, void *list, u32 used, u32 *room, size_t size)
{
	void **old = list, *more;

	if (used < *room)
		return 0;
	more = xt2_arena_alloc_(arena, (*room * 2 + 2) * size);
	if (!more)
		return -ENOMEM;
	if (used)
		memcpy(more, *old, used * size);
	*old = more;
	*room = *room * 2 + 2;
	return 0;
}

void xt2_arena_forget_(struct xt2_arena_ *arena, size_t size)
{
	arena->live -= ROUND(size);
	arena->dead += ROUND(size);
}

void xt2_arena_join_(struct xt2_arena_ *arena, struct xt2_arena_ *other)
{
	struct xt2_chunk_ **end = &other->chunks;

	while (*end)
		end = &(*end)->next;
	*end = arena->chunks;
	arena->chunks = other->chunks;
	arena->live += other->live;
	arena->dead += other->dead;
	if (arena->next < other->next)
		arena->next = other->next;
	*other = (struct xt2_arena_){ 0 };
}

void xt2_arena_free_(struct xt2_arena_ *arena)
{
	struct xt2_chunk_ *c = arena->chunks;

	while (c) {
		struct xt2_chunk_ *next = c->next;

		xt2_room_free_(c, sizeof(*c) + c->size);
		c = next;
	}
	*arena = (struct xt2_arena_){ 0 };
}
