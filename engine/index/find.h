/* SPDX-License-Identifier: GPL-2.0-or-later */
/* find.h - search a chain by the kind of index it has */
#ifndef XT2_ENGINE_INDEX_FIND_H
#define XT2_ENGINE_INDEX_FIND_H

#include "engine/simd/vectors.h"
#include "search.h"

/* The second and the third step of a search of pairs. */
static inline void xt2_index_pairs(const struct xt2_index __img *ix, struct xt2_search *s,
				   u32 after)
{
	xt2_collect(ix, s, after);
	if (s->nested)
		xt2_index_nested(ix, s, after);
}

/* Collect the next candidates after an offset, by whichever index the chain has. */
static __always_inline void xt2_index_find(const struct xt2_chain __img *chain,
					   struct xt2_search *s, const struct xt2_pkt *pkt,
					   u32 after)
{
	const struct xt2_index __img *ix = xt2_chain_its_index(chain);

	if (ix->kind == XT2_INDEX_PAIRS) {
		xt2_by_pairs(ix, s, pkt);
		xt2_index_pairs(ix, s, after);
	} else if (ix->kind == XT2_INDEX_BITS) {
		xt2_by_bits(chain, s, pkt, after);
	} else if (ix->kind == XT2_INDEX_SEGMENTS) {
		xt2_index_segments(ix, s, pkt, after);
	} else {
		xt2_index_columns(ix, s, after);
	}
}

/* For a packet of a batch: the steps before memory has arrived, and the rest. */
static inline void xt2_index_begin(const struct xt2_chain __img *chain, struct xt2_search *s,
				   const struct xt2_pkt *pkt)
{
	const struct xt2_index __img *ix = xt2_chain_its_index(chain);

	if (ix->kind == XT2_INDEX_PAIRS)
		xt2_by_pairs(ix, s, pkt);
	else if (xt2_index_far(ix))
		xt2_index_near(ix, s, pkt);
	else
		xt2_index_find(chain, s, pkt, 0);
}

static inline void xt2_index_end(const struct xt2_index __img *ix, struct xt2_search *s)
{
	if (ix->kind == XT2_INDEX_PAIRS)
		xt2_index_pairs(ix, s, 0);
	else if (xt2_index_far(ix))
		xt2_index_there(ix, s);
}

#endif
