/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udp.c - ports of UDP and UDP-Lite
 *
 * The forms of tcp.c, without flags and options.  One port of UDP is decided by
 * the engine as in tcp.c; of UDP-Lite, all forms are decided here.
 *
 * Source: net/netfilter/xt_tcpudp.c udp_mt(), which serves both protocols.
 */
#include "transport.h"

int xt2_udp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	int answer = xt2_one_port_(m, pkt, XT2_UDP_HEADER_);

	if (answer >= 0)
		return answer;
	if (unlikely(!xt2_transport_(pkt, XT2_UDP_HEADER_, &answer)))
		return answer;
	if ((m->flags & XT2_PORTS_FORM) == XT2_PORTS_ALL)
		return xt2_ports_hold_(m, pkt) ? XT2_HIT : XT2_MISS;
	return XT2_HIT;
}

int xt2_udp_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_ports_check_(m, family, false);
}

int xt2_udplite_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return xt2_udp_match(m, ctx);
}

int xt2_udplite_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_udp_check(m, family);
}
