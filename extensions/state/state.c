/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - -m state in its first form: a mask of connection states
 *
 * Its bit for UNTRACKED is another one than conntrack's.  A packet of which
 * nothing is known is INVALID, as one without a connection is in the kernel.
 *
 * Source: net/netfilter/xt_state.c
 */
#include "extensions/extensions.h"

#define STATE_UNTRACKED 0x40u

int xt2_state_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	u32 state = xt2_ctx_pkt(ctx)->ct.state;
	u32 bit = XT2_CT_INVALID;

	if (state & XT2_CT_TRACKED)
		bit = state & XT2_CT_TRACKED;
	else if (state & XT2_CT_UNTRACKED)
		bit = STATE_UNTRACKED;
	return m->arg & bit ? XT2_HIT : XT2_MISS;
}

int xt2_state_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_family_inet(family) && m->size == sizeof(*m) && !m->flags ? 0 : -EINVAL;
}
