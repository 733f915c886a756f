/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eui64.c - is the IPv6 source address made from the Ethernet address?
 *
 * Without an Ethernet header there is nothing to compare: the match misses,
 * as in the kernel on other devices.  Source: net/ipv6/netfilter/ip6t_eui64.c.
 */
#include "transport.h"

#define ETH_HEADER  14
#define ETH_SOURCE  6 /* offset of the sender's address */
#define ETH_PROTO   12
#define ETH_P_IPV6  0x86dd
#define EUI64_LOCAL 0x02 /* universal/local bit, inverted in the address */

int xt2_eui64_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *mac = xt2_ptr(pkt->mac), *ip = xt2_pkt_at(pkt, 0, 24);
	const u8 *id;

	if (pkt->mac_len < ETH_HEADER || !ip)
		return XT2_MISS;
	if (xt2_be16(mac + ETH_PROTO) != ETH_P_IPV6 || ip[0] >> 4 != 6)
		return XT2_MISS;
	id = ip + 16;
	mac += ETH_SOURCE;
	if (id[0] != (mac[0] ^ EUI64_LOCAL) || id[1] != mac[1] || id[2] != mac[2])
		return XT2_MISS;
	if (id[3] != 0xff || id[4] != 0xfe)
		return XT2_MISS;
	return id[5] == mac[3] && id[6] == mac[4] && id[7] == mac[5] ? XT2_HIT : XT2_MISS;
}

int xt2_eui64_check(const struct xt2_match __img *m, u8 family)
{
	return family == XT2_IPV6 ? xt2_size_check_(m, sizeof(*m), 0, 0) : -EINVAL;
}
