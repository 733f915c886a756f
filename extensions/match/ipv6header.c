/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipv6header.c - which extension headers an IPv6 packet has
 *
 * A walk of its own: unlike others it goes on after the fragment header of a
 * later fragment, and knows ESP.  Hard mode compares the set of headers, soft
 * mode only those that are named.  Source:
 * net/ipv6/netfilter/ip6t_ipv6header.c.
 */
#include "transport.h"

#define IP6_HEADER 40
#define IP6_NEXT   6 /* offset of the next header */
#define IP6_ESP	   50

/* The bit of a header that the walk passes through; 0: it ends here. */
static u8 bit_of(u8 next)
{
	switch (next) {
	case XT2_IP6_HOP: return XT2_IP6H_HOP;
	case XT2_IP6_ROUTING: return XT2_IP6H_ROUTING;
	case XT2_IP6_FRAGMENT: return XT2_IP6H_FRAGMENT;
	case XT2_IP6_AUTH: return XT2_IP6H_AH;
	case XT2_IP6_DEST: return XT2_IP6H_DST;
	}
	return 0;
}

static u32 size_of(u8 next, const u8 *head)
{
	switch (next) {
	case XT2_IP6_FRAGMENT: return 8;
	case XT2_IP6_AUTH: return (head[1] + 2) * 4;
	}
	return (head[1] + 1) * 8;
}

/* => XT2_HIT and the headers' bits; XT2_MISS, XT2_HOTDROP: the packet ends too early */
static int headers_find(struct xt2_pkt *pkt, u32 *found)
{
	const u8 *head = xt2_pkt_at(pkt, 0, IP6_HEADER);
	u32 off = IP6_HEADER;
	u8 next;

	if (!head)
		return XT2_HOTDROP;
	next = head[IP6_NEXT];
	*found = 0;
	while (bit_of(next) && off <= pkt->len && xt2_can_loop) {
		if (pkt->len - off < 2)
			return XT2_MISS;
		head = xt2_pkt_at(pkt, off, 2);
		if (!head)
			return XT2_HOTDROP;
		*found |= bit_of(next);
		off += size_of(next, head);
		next = head[0];
	}
	if (next == XT2_IP6_NONE && off <= pkt->len)
		*found |= XT2_IP6H_NONE;
	if (next == IP6_ESP && off <= pkt->len) {
		if (pkt->len - off < 2)
			return XT2_MISS;
		*found |= XT2_IP6H_ESP;
	}
	if (next != XT2_IP6_NONE && next != IP6_ESP)
		*found |= XT2_IP6H_PROTO;
	return XT2_HIT;
}

int xt2_ipv6header_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const u8 want = XT2_BYTE(m->arg, 0), inverted = XT2_BYTE(m->arg, 1);
	u32 found;
	int answer;

	answer = headers_find(xt2_ctx_pkt(ctx), &found);
	if (answer != XT2_HIT)
		return answer;
	if (XT2_BYTE(m->arg, 2))
		return (found ^ want ^ inverted) & want ? XT2_MISS : XT2_HIT;
	return (found == want) != !!inverted ? XT2_HIT : XT2_MISS;
}

int xt2_ipv6header_check(const struct xt2_match __img *m, u8 family)
{
	const u8 inverted = XT2_BYTE(m->arg, 1);

	if (family != XT2_IPV6 || XT2_BYTE(m->arg, 3))
		return -EINVAL;
	if (!XT2_BYTE(m->arg, 2) && inverted && inverted != 0xff)
		return -EINVAL;
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}
