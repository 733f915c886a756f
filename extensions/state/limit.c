/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.c - -m limit: a token bucket
 *
 * Tokens are counted as the kernel does at 250 ticks a second (Debian's
 * CONFIG_HZ): a tick is worth 128 credits, a packet costs avg's share of a
 * second, and the bucket holds burst packets.  The kernel's rounding and its
 * 32-bit overflow (a bucket that was not asked for 2^25 ticks, or 37 hours,
 * gets nothing for them) are kept.  Time is the packet's: ctx->now.  A clock
 * that goes back by up to two hours, as in a capture that is not sorted,
 * gives nothing and is forgotten.
 *
 * The cell: bit 63 in use, 31 bits tick of the last packet, 32 bits credit.
 * A fresh bucket is full.
 *
 * Source: net/netfilter/xt_limit.c
 */
#include "extensions/extensions.h"
#include "limit.h"

#define TICK_NS	  (1000000000u / XT2_LIMIT_HZ)
#define TICK_MASK 0x7fffffffu
#define TICK_BACK (2u * 3600 * XT2_LIMIT_HZ)
#define CELL_USED (1ull << 63)

/* => the bucket's credit at this tick; *tick is the earlier one if the clock went back */
static u32 refill(u64 cell, u32 cap, u32 *tick)
{
	u32 last = (u32)(cell >> 32) & TICK_MASK;
	u32 passed = (*tick - last) & TICK_MASK;
	u32 credit = (u32)cell;

	if (!(cell & CELL_USED))
		return cap;
	if (passed > TICK_MASK - TICK_BACK) {
		*tick = last;
		return credit;
	}
	credit += passed * XT2_LIMIT_CREDITS;
	return credit < cap ? credit : cap;
}

int xt2_limit_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_limit __img *k = (const void __img *)m;
	u64 __img *cell = xt2_ctx_cell(ctx, m);
	const u32 cost = xt2_limit_credits(k->avg);
	const u32 cap = xt2_limit_credits(k->avg * k->burst);
	const u32 now = (u32)(ctx->now / TICK_NS) & TICK_MASK;
	u64 old, new;
	u32 credit, tick;
	bool hit;

	do {
		old = xt2_cell_load(cell);
		tick = now;
		credit = refill(old, cap, &tick);
		hit = credit >= cost;
		if (hit)
			credit -= cost;
		new = CELL_USED | (u64)tick << 32 | credit;
	} while (!xt2_cell_swap(cell, old, new) && xt2_can_loop);
	return hit ? XT2_HIT : XT2_MISS;
}

int xt2_limit_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_limit __img *k = (const void __img *)m;

	if (m->size != sizeof(*k) || m->flags)
		return -EINVAL;
	return xt2_limit_fits(k->avg, k->burst) ? 0 : -EINVAL;
}
