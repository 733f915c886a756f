/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - scan the columns of a chain or of a bucket */
#ifndef XT2_ENGINE_INDEX_COLUMNS_H
#define XT2_ENGINE_INDEX_COLUMNS_H

#include "engine/simd/vectors.h"
#include "search.h"

static inline const u32 __img *columns_units(const struct xt2_columns __img *c)
{
	return (const u32 __img *)(c + 1);
}

static inline u32 columns_behind(const struct xt2_columns __img *c, u32 after)
{
	return xt2_units_behind_(columns_units(c), c->units, after);
}

/* => the units of a block, from the first wanted one on */
static inline u32 block_mask(const struct xt2_columns __img *c, u32 block, u32 first)
{
	u32 at = block * XT2_BLOCK, mask = ~0u;

	if (first > at)
		mask = ~0u << (first - at);
	if (c->units - at < XT2_BLOCK)
		mask &= (1u << (c->units - at)) - 1;
	return mask;
}

/* Candidates of the next block before the end that has some.  resume: its number + 1. */
static __always_inline u32 columns_find(const struct xt2_columns __img *c,
					const struct xt2_keys *keys, u32 first, u32 end, u32 *unit,
					u32 *resume)
{
	u32 block = first / XT2_BLOCK, hits = 0, n = xt2_zero;

	*resume = 0;
	while (block < end && xt2_can_loop) {
		block = xt2_scan(c, keys->key, block, end, &hits);
		if (block == end)
			return 0;
		hits &= block_mask(c, block, first);
		if (!hits) {
			block++;
			continue;
		}
		for (; hits && xt2_can_loop; hits &= hits - 1)
			unit[n++] = columns_units(c)[block * XT2_BLOCK + (u32)__builtin_ctz(hits)];
		if (block + 1 < end)
			*resume = block + 1;
		break;
	}
	return n;
}

#endif
