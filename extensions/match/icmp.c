/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * icmp.c - type and code of ICMP and ICMPv6
 *
 * The four bytes of head.arg are type, first code, last code, inversion.
 * Type 255 means any type in IPv4, and just itself in IPv6.  Source:
 * icmp_match() in net/ipv4/netfilter/ip_tables.c, icmp6_match() in
 * net/ipv6/netfilter/ip6_tables.c.
 */
#include "transport.h"

#define ICMP_HEADER 8
#define ICMP_ANY    0xff

static __always_inline int type_match(u32 arg, struct xt2_pkt *pkt, bool any)
{
	int answer;
	const u8 *ih = xt2_transport_(pkt, ICMP_HEADER, &answer);
	bool holds;

	if (unlikely(!ih))
		return answer;
	holds = ih[0] == XT2_BYTE(arg, 0) && xt2_within_(XT2_BYTE(arg, 1), XT2_BYTE(arg, 2), ih[1]);
	return (any || holds) != !!XT2_BYTE(arg, 3) ? XT2_HIT : XT2_MISS;
}

int xt2_icmp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return type_match(m->arg, xt2_ctx_pkt(ctx), XT2_BYTE(m->arg, 0) == ICMP_ANY);
}

int xt2_icmp_check(const struct xt2_match __img *m, u8 family)
{
	if (family != XT2_IPV4 || XT2_BYTE(m->arg, 3) > 1)
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}

int xt2_icmp6_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return type_match(m->arg, xt2_ctx_pkt(ctx), false);
}

int xt2_icmp6_check(const struct xt2_match __img *m, u8 family)
{
	if (family != XT2_IPV6 || XT2_BYTE(m->arg, 3) > 1)
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}
