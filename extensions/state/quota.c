/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota.c - -m quota: bytes until nothing is left
 *
 * The cell counts the bytes spent, so a fresh one is a whole quota.  The first
 * packet that doesn't fit spends the rest: smaller ones don't get through
 * after it.
 *
 * Source: net/netfilter/xt_quota.c
 */
#include "extensions/extensions.h"

int xt2_quota_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_quota __img *k = (const void __img *)m;
	u64 __img *cell = xt2_ctx_cell(ctx, m);
	const u32 len = xt2_ctx_pkt(ctx)->len;
	u64 spent, left;

	do {
		spent = xt2_cell_load(cell);
		left = spent < k->quota ? k->quota - spent : 0;
	} while (!xt2_cell_swap(cell, spent, left >= len ? spent + len : k->quota) && xt2_can_loop);
	return xt2_answer(m, left >= len);
}

int xt2_quota_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_size_check_(m, sizeof(struct xt2_match_quota), 0, XT2_MATCH_INVERT);
}
