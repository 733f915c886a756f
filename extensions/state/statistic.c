/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistic.c - -m statistic: by chance, or every n-th packet
 *
 * Chance comes from ctx->random, so a replay with the same seed is the same.
 * The n-th packet is counted in the cell: 0 is fresh (the count starts where
 * the rule says), else bit 32 is set above the count.
 *
 * Source: net/netfilter/xt_statistic.c
 */
#include "extensions/extensions.h"

#define CELL_USED (1ull << 32)

/* xorshift64 (Marsaglia, 2003); 0 would stay 0.  => 31 random bits */
static u32 chance(struct xt2_ctx *ctx)
{
	u64 x = ctx->random ? ctx->random : 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	ctx->random = x;
	return (u32)(x >> 33);
}

static bool nth(const struct xt2_match_statistic __img *k, u64 __img *cell)
{
	u64 old;
	u32 count;

	do {
		old = xt2_cell_load(cell);
		count = old & CELL_USED ? (u32)old : k->count;
		count = count == k->value ? 0 : count + 1;
	} while (!xt2_cell_swap(cell, old, CELL_USED | count) && xt2_can_loop);
	return !count;
}

int xt2_statistic_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_statistic __img *k = (const void __img *)m;

	if (m->flags & XT2_STATISTIC_NTH)
		return xt2_answer(m, nth(k, xt2_ctx_cell(ctx, m)));
	return xt2_answer(m, chance(ctx) < k->value);
}

int xt2_statistic_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_statistic __img *k = (const void __img *)m;

	if (m->size != sizeof(*k) || m->flags & ~(XT2_MATCH_INVERT | XT2_STATISTIC_NTH))
		return -EINVAL;
	return k->reserved ? -EINVAL : 0;
}
