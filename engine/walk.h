/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - how deep and how long a packet's way through the chains can be
 *
 * Depth is the most frames that are pushed at once: a jump pushes one, a goto
 * none.  Visits is the most times that chains are entered by one packet, the
 * base chain included, if nothing but the rules' order restricts its way: a
 * jump comes back and adds, a goto does not come back, so the alternatives
 * are compared.  Visits saturate.  Both depend on nothing but the chain one
 * starts from, so each chain is walked once, however often it is named.
 *
 * As in mark_source_chains(), a chain is read up to its first rule
 * without conditions that gives a verdict or returns, and jumps and gotos
 * make loops alike.
 */
#ifndef XT2_ENGINE_WALK_H
#define XT2_ENGINE_WALK_H

#include "rule.h"

#define XT2_WALK_NONE (~0u)

/* The results for a chain; zero: none yet. */
struct xt2_walk_chain {
	u64 visits; /* while walked: along the jumps alone */
	u64 best; /* of the ways that leave by a goto */
	u32 rule; /* offset of the next rule; WALK_DONE */
	u32 depth;
	u32 parent; /* the chain that led here */
	u32 reserved;
};

struct xt2_walk {
	const struct xt2_image __img *img;
	const struct xt2_root __img *root;
	struct xt2_walk_chain *chains; /* one per chain index, zeroed */
	u32 loop; /* out, with -ELOOP: a chain of the loop */
};

/*
 * xt2_walk_hooks - walk from every hook
 * @w: img, root and chains filled in
 *
 * Every chain index that a rule names must be in use.
 * => 0; -ELOOP: w->loop is part of a loop that a hook reaches
 */
int xt2_walk_hooks(struct xt2_walk *w);

/* Store the results in the image's hook entries and its root. */
void xt2_walk_store(const struct xt2_walk *w);

/* => true if the image has these results or larger ones: edits may leave these */
bool xt2_walk_covers(const struct xt2_walk *w);

#endif
