/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udp.c - ports of UDP and UDP-Lite
 *
 * The forms of tcp.c, without flags and options.  Source:
 * net/netfilter/xt_tcpudp.c udp_mt(), which serves both protocols.
 */
#include "transport.h"

static bool all_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt)
{
	const struct xt2_match_ports __img *k = (const struct xt2_match_ports __img *)m;

	return xt2_within_(k->spts[0], k->spts[1], pkt->sport) != !!(m->arg & XT2_PORTS_INV_SRC) &&
	       xt2_within_(k->dpts[0], k->dpts[1], pkt->dport) != !!(m->arg & XT2_PORTS_INV_DST);
}

int xt2_udp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	int answer = xt2_one_port_(m, pkt, XT2_UDP_HEADER_);

	if (answer >= 0)
		return answer;
	if (unlikely(pkt->fragoff))
		return XT2_MISS;
	if (unlikely(!xt2_pkt_at(pkt, pkt->thoff, XT2_UDP_HEADER_)))
		return XT2_HOTDROP;
	if ((m->flags & XT2_PORTS_FORM) == XT2_PORTS_ALL)
		return all_match(m, pkt) ? XT2_HIT : XT2_MISS;
	return XT2_HIT;
}

int xt2_udp_check(const struct xt2_match __img *m, u8 family)
{
	u32 size = sizeof(*m);
	u8 flags = XT2_PORTS_FORM | XT2_MATCH_INVERT;
	u32 unused = 0;

	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_NONE:
		flags = XT2_PORTS_FORM;
		unused = ~0u;
		break;
	case XT2_PORTS_SRC:
	case XT2_PORTS_DST: break;
	case XT2_PORTS_ALL:
		flags = XT2_PORTS_FORM;
		unused = ~(u32)(XT2_PORTS_INV_SRC | XT2_PORTS_INV_DST);
		size = sizeof(struct xt2_match_ports);
		break;
	default: return -EINVAL;
	}
	if (!xt2_family_inet(family) || m->arg & unused)
		return -EINVAL;
	return xt2_size_check_(m, size, XT2_VERBATIM_UDP, flags);
}

int xt2_udplite_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return xt2_udp_match(m, ctx);
}

int xt2_udplite_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_udp_check(m, family);
}
