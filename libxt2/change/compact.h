/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compact.h - compile a patched chain anew, beside its edits; not installed
 *
 * A chain of 100,000 rules takes 40 ms to compile, an edit of it 4 us.  So one thread compiles
 * while another one goes on editing.  It works on a generation of the chain that stays as it
 * is, and in memory of its own:
 *
 *	writer	xt2_compact_begin()
 *	thread	xt2_compact_take(): the patch is copied.  Until then nothing that the
 *		generation names may be given up, afterwards only the compiled extent
 *	thread	xt2_compact_build(): rules, index, finder
 *	writer	xt2_compact_place(): places in the image
 *	thread	xt2_compact_copy()
 *	either	xt2_compact_end()
 *
 * Rule groups are not made: their counters could not be divided while they count.  Rules keep
 * what they have as counters, the numbers of slots; the tail's is the caller's to set.
 */
#ifndef XT2_LIBXT2_CHANGE_COMPACT_H
#define XT2_LIBXT2_CHANGE_COMPACT_H

#include "finder.h"
#include "space.h"
#include <xt2/patch.h>

struct xt2_compact_item {
	u32 at; /* place of the compiled rule */
	u32 size; /* of the rule that is inserted before it; 0: that one is deleted */
	u32 line;
	u32 reserved;
	u64 rule; /* offset in rules */
};

struct xt2_compact {
	const struct xt2_image *img;
	const struct xt2_chain *from; /* patched */
	const struct xt2_chain *compiled;
	u8 family;
	struct xt2_compact_item *item; /* the patch, in order */
	u32 items, item_cap;
	u8 *rules; /* that it inserts */
	u64 bytes, cap;
	/* What was built: */
	struct xt2_chain *chain; /* and its index */
	u64 room;
	struct xt2_finder *finder; /* NULL: a short chain has none */
	u32 *line; /* NULL: there are none */
	/* Places in the image; 0: none. */
	u32 chain_at, finder_at, line_at;
};

/* @chain: offset of a patched chain; @family: of its table.  No memory is taken yet */
void xt2_compact_begin(struct xt2_compact *c, const struct xt2_image *img, u32 chain, u8 family);

/* => 0, -ENOMEM */
int xt2_compact_take(struct xt2_compact *c);

/* => 0, -ENOMEM, -EFBIG: it would be larger than an image can be */
int xt2_compact_build(struct xt2_compact *c);

/* Places for what was built, in a transaction of their own.  => 0; -ENOSPC: there is no room */
int xt2_compact_place(struct xt2_compact *c, struct xt2_space *space);

/* Nobody else writes there.  Whoever copies the image meanwhile reads words, old or new ones. */
void xt2_compact_copy(const struct xt2_compact *c);

/* Free memory; places in the image stay. */
void xt2_compact_end(struct xt2_compact *c);

#endif
