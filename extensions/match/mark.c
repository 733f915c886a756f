/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.c - the packet's mark, and its connection's
 *
 * As xt_mark and xt_connmark.  A packet without a connection (invalid,
 * untracked, or of an unknown connection) has no connection mark: connmark
 * misses then, inverted or not.
 */
#include "payload.h"

static int compare(const struct xt2_match __img *m, u32 mark)
{
	if (m->size > sizeof(*m))
		mark &= ((const struct xt2_match_mark __img *)m)->mask;
	return xt2_answer_xor(m, mark == m->arg);
}

static int check(const struct xt2_match __img *m)
{
	const struct xt2_match_mark __img *k = (const void __img *)m;

	if (m->size == sizeof(*m))
		return 0;
	return m->size == sizeof(*k) && !k->reserved ? 0 : -EINVAL;
}

int xt2_mark_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return compare(m, xt2_ctx_pkt(ctx)->mark);
}

int xt2_mark_check(const struct xt2_match __img *m, u8 family)
{
	return check(m);
}

int xt2_connmark_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_pkt_ct *ct = &xt2_ctx_pkt(ctx)->ct;

	if (!(ct->state & (XT2_CT_NEW | XT2_CT_ESTABLISHED | XT2_CT_RELATED)))
		return XT2_MISS;
	return compare(m, ct->mark);
}

int xt2_connmark_check(const struct xt2_match __img *m, u8 family)
{
	return check(m);
}
