/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ways.h - which chains lead to which, kept up while an image is edited; not installed
 *
 * Each chain has a struct xt2_way (<xt2/edits.h>): how many rules lead to it and from which
 * chains, from which hooks it is reached, and how far it leads.  These are bounds: what
 * stands in a record is never less than what is the case.  So a commit looks at what
 * changed and at the chains that lead there, and only where the bounds do not decide, at all.
 */
#ifndef XT2_LIBXT2_CHANGE_WAYS_H
#define XT2_LIBXT2_CHANGE_WAYS_H

#include <xt2/edits.h>
#include "pages.h"

#define XT2_WAYS_DOUBT 1
#define XT2_WAYS_NONE  (~(u32)0)

/* Rules that lead from one chain to another. */
struct xt2_way_edge {
	u32 from, to;
	s32 change; /* how many more there are */
	u32 done; /* enum: of its source, while the edges are taken */
};

struct xt2_ways {
	struct xt2_pages *way; /* struct xt2_way */
	/* That came or went in the open transaction; from its commit on, one for each two chains. */
	struct xt2_way_edge *edge;
	u32 edges, edge_cap;
	u32 *grown; /* chains that more hooks lead to */
	u32 grows, grown_cap;
};

/* Nothing is allocated.  xt2_ways_end() frees what later calls allocate. */
void xt2_ways_begin(struct xt2_ways *w, struct xt2_pages *way);
void xt2_ways_end(struct xt2_ways *w);

/*
 * xt2_ways_build - make all records anew from the rules of an image
 *
 * Only what finds a chain's rules stays, and its owner.
 * => 0; -ENOSPC, -ENOMEM
 */
int xt2_ways_build(struct xt2_ways *w, const struct xt2_image *img, const struct xt2_root *root);

/* A new base chain.  => 0; -ENOSPC, -ENOMEM */
int xt2_ways_base(struct xt2_ways *w, u32 chain, u32 hook);

/* A rule of a chain that leads to another comes (1) or goes (-1).  => 0; -ENOSPC, -ENOMEM */
int xt2_ways_refer(struct xt2_ways *w, u32 from, u32 to, int change);

/*
 * xt2_ways_commit - take into account what came and went
 * @root: of the generation to be, all chains of which are written; out: its depth and visits
 * @hook: its entries; out: likewise
 *
 * => 0; XT2_WAYS_DOUBT: there may be a loop, or bounds are too coarse: walk all (engine/walk.h),
 *    then xt2_ways_build(); -EIO: the records are not what they should be; -ENOSPC, -ENOMEM
 */
int xt2_ways_commit(struct xt2_ways *w, const struct xt2_image *img, struct xt2_root *root,
		    struct xt2_hook *hook);

/* => how often a packet may enter a chain from the hooks of its table, at most; ~0: not known */
u64 xt2_ways_entries(const struct xt2_ways *w, const struct xt2_image *img,
		     const struct xt2_root *root, u32 chain);

/* => chain i of those that more hooks lead to since the last commit; XT2_WAYS_NONE: no more */
static inline u32 xt2_ways_grown(const struct xt2_ways *w, u32 i)
{
	return i < w->grows ? w->grown[i] : XT2_WAYS_NONE;
}

#endif
