/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * space.h - memory inside an image; not installed
 *
 * A transaction takes places and gives up others.  Those that it gave up are
 * still named by the generation before, so they can be taken again only when the
 * caller says that no reader of that one is left.  A transaction that is aborted
 * leaves all places as they were, and the image as large.
 *
 * Free places are listed on the heap, not in themselves: whoever else writes to
 * the image's memory can't make two places one.  A place keeps its size; it may be
 * cut if the image cannot grow, but places are not joined again.
 *
 * A transaction begins with the first call after the last commit or abort.
 */
#ifndef XT2_LIBXT2_CHANGE_SPACE_H
#define XT2_LIBXT2_CHANGE_SPACE_H

#include <xt2/format.h>
#include "engine/env.h"

#define XT2_SPACE_SIZES 216 /* 8 to 1,024 bytes, then four for each power of two */

struct xt2_space_list {
	u32 *offset; /* of free places of one size */
	u32 n, cap; /* there is always room for all that are due */
	u32 due; /* retired ones */
};

struct xt2_space_retired {
	u32 offset, size;
};

/* Places that were given up up to a generation. */
struct xt2_space_batch {
	u64 generation;
	u32 end; /* of retired[] */
};

struct xt2_space {
	struct xt2_image *img; /* its size is that of all places */
	u64 capacity; /* bytes that its memory has */
	u64 spare; /* bytes of free places */
	u64 waiting; /* bytes of retired places */
	struct xt2_space_list list[XT2_SPACE_SIZES];
	u64 some[(XT2_SPACE_SIZES + 63) / 64]; /* lists that are not empty */
	u8 *large; /* by offset / 1024: size of the place of more than 1,024 bytes that begins there */
	struct xt2_space_step *step; /* of the open transaction, to undo them */
	u32 steps, step_cap;
	struct xt2_space_retired *retired; /* oldest first */
	u32 retired_n, retired_cap;
	struct xt2_space_batch *batch;
	u32 batches, batch_cap;
};

/*
 * xt2_space_begin - take places at the end of an image
 * @img: in so many bytes of memory that does not move; its size is a multiple of 8
 * => 0, -ENOMEM; xt2_space_end() in either case
 */
int xt2_space_begin(struct xt2_space *s, struct xt2_image *img, u64 capacity);
void xt2_space_end(struct xt2_space *s);

/* => offset of so many bytes, 8-byte aligned, with any contents; 0: no room, or no memory */
u32 xt2_space_alloc(struct xt2_space *s, u64 size);

/* Give up what the open transaction took, and nobody has seen. */
void xt2_space_free(struct xt2_space *s, u32 offset, u64 size);

/*
 * Give up what the generation before may name, whether it was taken here or was in the image
 * from the beginning.  Its bytes stay as they are until it is reclaimed.
 * => 0, -ENOMEM
 */
int xt2_space_retire(struct xt2_space *s, u32 offset, u64 size);

/* The open transaction wrote this generation, a larger one than any before. */
void xt2_space_commit(struct xt2_space *s, u64 generation);

/* The open transaction did not happen. */
void xt2_space_abort(struct xt2_space *s);

/*
 * No generation before this one is read any more: what those up to it gave up is free.
 * Between transactions only; in one it does nothing.
 */
void xt2_space_reclaim(struct xt2_space *s, u64 oldest);

#endif
