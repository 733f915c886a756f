/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcpmss.c - the maximum segment size that a TCP header announces
 *
 * Unlike other transport matches this one doesn't ask whether the packet is
 * a later fragment: it takes what is at the transport offset, which is 0 for
 * later fragments of IPv6, for a TCP header.  So does the kernel:
 * net/netfilter/xt_tcpmss.c.
 */
#include "transport.h"

#define OPTION_MSS	2
#define OPTION_MSS_SIZE 4

int xt2_tcpmss_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *th = xt2_pkt_at(pkt, pkt->thoff, XT2_TCP_HEADER_), *op;
	bool broken;
	s32 mss = -1;
	u32 len;

	if (!th)
		return XT2_HOTDROP;
	op = xt2_tcp_options_(pkt, th, &len, &broken);
	if (broken)
		return XT2_HOTDROP;
	if (op)
		op = xt2_option_find_(op, len, OPTION_MSS, OPTION_MSS_SIZE);
	if (op)
		mss = xt2_be16(op + 2);
	if (m->flags & XT2_TCPMSS_ANY)
		return XT2_HIT;
	return xt2_answer(m, mss >= 0 && xt2_within_((u16)m->arg, m->arg >> 16, mss));
}

int xt2_tcpmss_check(const struct xt2_match __img *m, u8 family)
{
	if (!xt2_family_inet(family))
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), XT2_VERBATIM_TCPMSS,
			       XT2_MATCH_INVERT | XT2_TCPMSS_ANY);
}
