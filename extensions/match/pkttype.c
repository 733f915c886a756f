/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pkttype.c - whom the link layer sent the packet to
 *
 * As xt_pkttype: a looped-back packet counts as multicast or broadcast.  A
 * host that doesn't know the type leaves it 0, which is "to us".
 */
#include "payload.h"

enum { BROADCAST = 1, MULTICAST = 2, LOOPBACK = 5 }; /* PACKET_* */

static u32 type(const struct xt2_pkt *pkt)
{
	if (pkt->pkttype != LOOPBACK)
		return pkt->pkttype;
	if (pkt->family == XT2_IPV4 && pkt->dst4 >> 28 == 0xe)
		return MULTICAST;
	return pkt->family == XT2_IPV6 ? MULTICAST : BROADCAST;
}

int xt2_pkttype_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	if (m->size > sizeof(*m))
		return XT2_HIT; /* the kernel xors; neither answer gives 0 */
	return xt2_answer(m, type(xt2_ctx_pkt(ctx)) == m->arg);
}

int xt2_pkttype_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_pkttype __img *k = (const void __img *)m;

	if (m->size == sizeof(*m))
		return m->flags & ~XT2_MATCH_INVERT ? -EINVAL : 0;
	if (m->size != sizeof(*k) || m->flags || k->reserved)
		return -EINVAL;
	return k->invert & ~1 ? 0 : -EINVAL;
}
