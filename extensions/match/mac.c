/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mac.c - the Ethernet source address
 *
 * As xt_mac: a packet without an Ethernet header misses, inverted or not.
 */
#include "payload.h"

#define ETHER_SIZE   14
#define ETHER_SOURCE 6

int xt2_mac_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_mac __img *k = (const void __img *)m;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *mac = xt2_ptr(pkt->mac);
	u8 diff = 0;
	u32 i;

	if (!mac || pkt->mac_len < ETHER_SIZE)
		return XT2_MISS;
	for (i = 0; i < sizeof(k->addr); i++)
		diff |= mac[ETHER_SOURCE + i] ^ k->addr[i];
	return (u32)!diff ^ m->arg ? XT2_HIT : XT2_MISS;
}

int xt2_mac_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_mac __img *k = (const void __img *)m;

	if (m->size != sizeof(*k) || m->flags)
		return -EINVAL;
	return k->reserved[0] | k->reserved[1] ? -EINVAL : 0;
}
