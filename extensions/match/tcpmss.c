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

#define TCP_HEADER	20
#define TCP_DOFF	12
#define OPTION_MSS	2
#define OPTION_MSS_SIZE 4

/* => the first MSS option's value, or -1 */
static s32 mss_of(const u8 *op, u32 len)
{
	u32 i = xt2_zero;

	while (i < len && xt2_can_loop) {
		if (op[i] == OPTION_MSS && len - i >= OPTION_MSS_SIZE &&
		    op[i + 1] == OPTION_MSS_SIZE)
			return xt2_be16(op + i + 2);
		if (op[i] < 2 || i == len - 1 || !op[i + 1])
			i++;
		else
			i += op[i + 1];
	}
	return -1;
}

int xt2_tcpmss_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *th = xt2_pkt_at(pkt, pkt->thoff, TCP_HEADER), *op;
	s32 mss = -1;
	u32 size;

	if (!th)
		return XT2_HOTDROP;
	size = (th[TCP_DOFF] >> 4) * 4;
	if (size < TCP_HEADER)
		return XT2_HOTDROP;
	if (size > TCP_HEADER) {
		op = xt2_pkt_at(pkt, pkt->thoff + TCP_HEADER, size - TCP_HEADER);
		if (!op)
			return XT2_HOTDROP;
		mss = mss_of(op, size - TCP_HEADER);
	}
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
