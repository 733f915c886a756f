/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * length.c - the packet's length
 *
 * As xt_length: what an IPv4 header says, and all that there is of an IPv6
 * packet, its headers included.
 */
#include "payload.h"

int xt2_length_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 len = pkt->len;
	const u8 *p;

	if (pkt->family == XT2_IPV4) {
		p = xt2_pkt_at(pkt, 2, 2);
		if (!p)
			return XT2_MISS;
		len = xt2_be16(p);
	}
	return xt2_answer_xor(m, len >= (u16)m->arg && len <= m->arg >> 16);
}

int xt2_length_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_family_inet(family) && m->size == sizeof(*m) ? 0 : -EINVAL;
}
