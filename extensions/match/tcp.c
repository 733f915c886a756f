/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp.c - TCP ports, flags and options
 *
 * Most rules ask for one port or for SYN, so these forms are 8 bytes and come
 * first.  One port (-p tcp --dport 22) is decided by the engine, with
 * xt2_one_port_() of engine/match.h, before it would call xt2_tcp_match(); what
 * comes here are the other forms, and packets without a whole header.
 *
 * A fragment has no ports; one that would overwrite the flags of the
 * first (offset 8) drops the packet, in IPv4 only: there the kernel counts in
 * units of 8 bytes and looks for a 1, which IPv6 offsets never are.
 * Source: net/netfilter/xt_tcpudp.c tcp_mt().
 */
#include "transport.h"

#define TCP_FLAGS 13

static int option_match(const struct xt2_match __img *m, struct xt2_pkt *pkt, const u8 *th)
{
	bool broken, found;
	u32 len;
	const u8 *op = xt2_tcp_options_(pkt, th, &len, &broken);

	if (broken)
		return XT2_HOTDROP;
	found = op && xt2_option_find_(op, len, XT2_BYTE(m->arg, 1), 0);
	return found != !!(m->arg & XT2_PORTS_INV_OPTION) ? XT2_HIT : XT2_MISS;
}

static int all_match(const struct xt2_match __img *m, struct xt2_pkt *pkt, const u8 *th)
{
	bool flags = (th[TCP_FLAGS] & XT2_BYTE(m->arg, 2)) == XT2_BYTE(m->arg, 3);

	if (!xt2_ports_hold_(m, pkt) || flags == !!(m->arg & XT2_PORTS_INV_FLAGS))
		return XT2_MISS;
	return XT2_BYTE(m->arg, 1) ? option_match(m, pkt, th) : XT2_HIT;
}

int xt2_tcp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	int answer = xt2_one_port_(m, pkt, XT2_TCP_HEADER_);
	const u8 *th;

	if (answer >= 0)
		return answer;
	if (unlikely(pkt->fragoff))
		return pkt->fragoff == 8 && pkt->family == XT2_IPV4 ? XT2_HOTDROP : XT2_MISS;
	th = xt2_pkt_at(pkt, pkt->thoff, XT2_TCP_HEADER_);
	if (unlikely(!th))
		return XT2_HOTDROP;
	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_FLAGS:
		return xt2_answer(m, (th[TCP_FLAGS] & XT2_BYTE(m->arg, 0)) == XT2_BYTE(m->arg, 1));
	case XT2_PORTS_ALL: return all_match(m, pkt, th);
	}
	return XT2_HIT;
}

int xt2_tcp_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_ports_check_(m, family, true);
}
