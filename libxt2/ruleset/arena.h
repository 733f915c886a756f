/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - many small records that are freed together; not installed
 *
 * A million rules cost their own bytes and nothing for malloc()'s bookkeeping.
 * Nothing moves; a record that its owner no longer needs is only counted.
 */
#ifndef XT2_LIBXT2_RULESET_ARENA_H
#define XT2_LIBXT2_RULESET_ARENA_H

#include <stddef.h>
#include "engine/env.h"

/*
 * malloc() for what may be many megabytes: asks for huge pages, without which
 * touching fresh memory takes longer than translating a table.  free() it.
 */
void *xt2_alloc_large_(size_t size);

/*
 * The same for callers that know the size when they free it: from XT2_LARGE_ bytes on without
 * malloc(), whose bookkeeping in front of what it gives costs a huge page, and as a mapping of
 * XT2_LARGE_SIZE_() bytes.
 */
#define XT2_LARGE_	       (1u << 21) /* a huge page, as far as we know */
#define XT2_LARGE_SIZE_(bytes) (((size_t)(bytes) + XT2_LARGE_ - 1) & ~(size_t)(XT2_LARGE_ - 1))
void *xt2_room_alloc_(size_t size);
void xt2_room_free_(void *p, size_t size);

/* Huge pages, if there can be any, for what malloc(), realloc() or mmap() has given. */
void xt2_want_large_(void *p, size_t size);

struct xt2_chunk_;

struct xt2_arena_ {
	struct xt2_chunk_ *chunks; /* the newest first; it has the free room */
	size_t next; /* usual size of the next chunk */
	size_t live, dead; /* bytes handed out and still needed, or not */
};

/* => size bytes, 8-byte aligned, not initialised; NULL: no memory */
void *xt2_arena_alloc_(struct xt2_arena_ *arena, size_t size);

/*
 * xt2_arena_grow - room for one more element of a list in the arena
 * @list: address of the pointer to used elements of size bytes; *room is how many there can be
 * => 0, -ENOMEM
 */
int xt2_arena_grow(struct xt2_arena_ *arena, void *list, u32 used, u32 *room, size_t size);

/* The owner no longer needs a record of this size. */
void xt2_arena_forget_(struct xt2_arena_ *arena, size_t size);

/* What is in the other arena is now in this one; the other is empty. */
void xt2_arena_join_(struct xt2_arena_ *arena, struct xt2_arena_ *other);

/* Free everything; the arena is empty again. */
void xt2_arena_free_(struct xt2_arena_ *arena);

#endif
