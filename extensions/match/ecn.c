/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ecn.c - explicit congestion notification in the IP and the TCP header
 *
 * A packet without a complete TCP header misses, it isn't dropped; fragments
 * are not told apart.  Source: net/netfilter/xt_ecn.c.
 */
#include "transport.h"

#define TCP_HEADER 20
#define TCP_FLAGS  13
#define TCP_ECE	   0x40
#define TCP_CWR	   0x80
#define ECN_MASK   0x03 /* of the traffic class */

static bool ip_holds(u32 arg, struct xt2_pkt *pkt)
{
	const u8 *ip = xt2_pkt_at(pkt, 0, 2);
	u8 ecn;

	if (!ip)
		return false;
	ecn = pkt->family == XT2_IPV4 ? ip[1] : ip[1] >> 4;
	return ((ecn & ECN_MASK) == XT2_BYTE(arg, 2)) != !!(XT2_BYTE(arg, 1) & XT2_ECN_IP);
}

static bool tcp_holds(u32 arg, struct xt2_pkt *pkt)
{
	const u8 tested = XT2_BYTE(arg, 0), inverted = XT2_BYTE(arg, 1);
	const u8 *th = xt2_pkt_at(pkt, pkt->thoff, TCP_HEADER);

	if (!th)
		return false;
	if (tested & XT2_ECN_ECE && !(th[TCP_FLAGS] & TCP_ECE) == !(inverted & XT2_ECN_ECE))
		return false;
	return !(tested & XT2_ECN_CWR) || !(th[TCP_FLAGS] & TCP_CWR) != !(inverted & XT2_ECN_CWR);
}

int xt2_ecn_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const u8 tested = XT2_BYTE(m->arg, 0);

	if (tested & XT2_ECN_IP && !ip_holds(m->arg, xt2_ctx_pkt(ctx)))
		return XT2_MISS;
	if (tested & (XT2_ECN_ECE | XT2_ECN_CWR) && !tcp_holds(m->arg, xt2_ctx_pkt(ctx)))
		return XT2_MISS;
	return XT2_HIT;
}

int xt2_ecn_check(const struct xt2_match __img *m, u8 family)
{
	const u8 all = XT2_ECN_IP | XT2_ECN_ECE | XT2_ECN_CWR;

	if (!xt2_family_inet(family) || (XT2_BYTE(m->arg, 0) | XT2_BYTE(m->arg, 1)) & ~all)
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}
