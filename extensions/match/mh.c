/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mh.c - the type of an IPv6 mobility header
 *
 * Nothing may follow a mobility header; one that names a next header drops
 * the packet.  Source: net/ipv6/netfilter/ip6t_mh.c.
 */
#include "transport.h"

#define MH_HEADER 6 /* next header, length, type, reserved, checksum */

int xt2_mh_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	int answer;
	const u8 *mh = xt2_transport_(xt2_ctx_pkt(ctx), MH_HEADER, &answer);
	bool holds;

	if (!mh)
		return answer;
	if (mh[0] != XT2_IP6_NONE)
		return XT2_HOTDROP;
	holds = xt2_within_(XT2_BYTE(m->arg, 0), XT2_BYTE(m->arg, 1), mh[2]);
	return holds != !!XT2_BYTE(m->arg, 2) ? XT2_HIT : XT2_MISS;
}

int xt2_mh_check(const struct xt2_match __img *m, u8 family)
{
	if (family != XT2_IPV6 || m->arg >> 16 > 1)
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}
