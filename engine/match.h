/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - answers of matches, and the base tests of packets
 *
 * Each base test is here once, for the evaluator, its shortcuts and the
 * vectors.  One port of TCP or UDP is among them: it is the test that most
 * rules of servers ask for, and a call costs more than the test itself.
 */
#ifndef XT2_ENGINE_MATCH_H
#define XT2_ENGINE_MATCH_H

#include "image.h"
#include "parse.h"
#include <xt2/pkt.h>

/* A match's answer. */
enum xt2_answer {
	XT2_MISS,
	XT2_HIT,
	XT2_HOTDROP, /* drop now; the rule does not count */
	XT2_HIT_DROP, /* holds; drop when the rule is done with, its target included */
	XT2_UNSURE, /* of xt2_quick_match() alone */
	XT2_STOP, /* somebody else has to be asked, where there is somebody */
};

static inline bool xt2_inverted(const struct xt2_match __img *m)
{
	return m->flags & XT2_MATCH_INVERT;
}

/* For matches: hit if the condition holds, or if it doesn't and is inverted. */
static inline int xt2_answer(const struct xt2_match __img *m, bool holds)
{
	return holds != xt2_inverted(m) ? XT2_HIT : XT2_MISS;
}

static __always_inline bool xt2_addr4_equal(const struct xt2_match __img *m, u32 addr)
{
	return !((addr ^ m->arg) >> (m->flags & XT2_ADDR4_SHIFT));
}

/* The mask of a network without one of its own. */
static inline u32 xt2_addr4_mask(const struct xt2_match __img *m)
{
	return ~0u << (m->flags & XT2_ADDR4_SHIFT);
}

static inline bool xt2_addr4_masked(const struct xt2_match __img *m, u32 addr)
{
	return (addr & ((const struct xt2_match_addr4_mask __img *)m)->mask) == m->arg;
}

static __always_inline bool xt2_addr6_equal(const struct xt2_match __img *m, const u64 *a)
{
	const struct xt2_match_addr6 __img *k = (const void __img *)m;

	return !((a[0] ^ k->addr[0]) | (a[1] ^ k->addr[1]));
}

static __always_inline bool xt2_addr6_within(const __u64 __img *addr, const __u64 __img *mask,
					     const u64 *a)
{
	return !(((a[0] & mask[0]) ^ addr[0]) | ((a[1] & mask[1]) ^ addr[1]));
}

static __always_inline bool xt2_addr6_masked(const struct xt2_match __img *m, const u64 *a)
{
	const struct xt2_match_addr6_mask __img *k = (const void __img *)m;

	return xt2_addr6_within(k->addr, k->mask, a);
}

/* The first n bytes; others are shifted out: little-endian, so the first byte is lowest. */
static __always_inline bool xt2_name_equal(const __u64 __img *want, u32 n, const u64 *name)
{
	if (n <= 8)
		return !((name[0] ^ want[0]) << (64 - 8 * n));
	return !((name[0] ^ want[0]) | (name[1] ^ want[1]) << (128 - 8 * n));
}

static __always_inline bool xt2_name_masked(const __u64 __img *want, const __u64 __img *mask,
					    const u64 *name)
{
	return !(((name[0] ^ want[0]) & mask[0]) | ((name[1] ^ want[1]) & mask[1]));
}

static __always_inline bool xt2_iface_equal(const struct xt2_match __img *m, const u64 *name)
{
	return xt2_name_equal(((const struct xt2_match_iface __img *)m)->name, m->arg, name);
}

static inline bool xt2_iface_masked(const struct xt2_match __img *m, const u64 *name)
{
	const struct xt2_match_iface_mask __img *k = (const void __img *)m;

	return xt2_name_masked(k->name, k->mask, name);
}

/* ip6_packet_match(): a missing upper-layer header is no match even inverted. */
static __always_inline int xt2_proto_match(const struct xt2_match __img *m,
					   const struct xt2_pkt *pkt)
{
	if (unlikely(pkt->l4 != XT2_L4_OK))
		return pkt->l4 == XT2_L4_BAD ? XT2_HOTDROP : XT2_MISS;
	return xt2_answer(m, pkt->proto == m->arg);
}

/* => does this test surely miss?  Only tests of a few steps are done; nothing has an effect. */
static __always_inline bool xt2_surely_misses(const struct xt2_match __img *m,
					      const struct xt2_pkt *pkt)
{
	u32 addr;

	if (likely(m->type == XT2_M_SRC4))
		addr = pkt->src4;
	else if (m->type == XT2_M_DST4)
		addr = pkt->dst4;
	else if (m->type == XT2_M_PROTO)
		return pkt->l4 == XT2_L4_OK && xt2_proto_match(m, pkt) == XT2_MISS;
	else if (m->type == XT2_M_SRC6)
		return xt2_addr6_equal(m, pkt->src) == xt2_inverted(m);
	else if (m->type == XT2_M_DST6)
		return xt2_addr6_equal(m, pkt->dst) == xt2_inverted(m);
	else
		return false;
	return xt2_addr4_equal(m, addr) == xt2_inverted(m);
}

/* The ARP header's own fields: number & mask == value */
static inline bool xt2_arp_field(const struct xt2_match __img *m, struct xt2_pkt *pkt, u32 off,
				 u32 len)
{
	const u8 *p = xt2_pkt_at(pkt, off, len);
	u32 v;

	if (!p)
		return false;
	v = len == 1 ? *p : xt2_be16(p);
	return (v & m->arg >> 16) == (m->arg & 0xffff);
}

static inline bool xt2_arp_dev(const struct xt2_match __img *m, struct xt2_pkt *pkt, u32 off)
{
	const struct xt2_match_arp_dev __img *k = (const void __img *)m;
	const u8 *p = xt2_pkt_at(pkt, off, m->arg);
	u8 diff = 0;
	u32 i;

	if (!p)
		return false;
	for (i = 0; i < m->arg && i < sizeof(k->addr); i++)
		diff |= (p[i] & k->mask[i]) ^ k->addr[i];
	return !diff;
}

#define XT2_TCP_HEADER_ 20u
#define XT2_UDP_HEADER_ 8u

static __always_inline bool xt2_within_(u32 first, u32 last, u32 value)
{
	return value >= first && value <= last;
}

/* => XT2_HIT or XT2_MISS of the forms for one port; else, or if there is no such header, -1 */
static __always_inline int xt2_one_port_(const struct xt2_match __img *m, const struct xt2_pkt *pkt,
					 u32 header)
{
	u8 form = m->flags & XT2_PORTS_FORM;
	u16 port = form == XT2_PORTS_DST ? pkt->dport : pkt->sport;

	if ((form != XT2_PORTS_DST && form != XT2_PORTS_SRC) || pkt->fragoff ||
	    pkt->caplen < header || pkt->thoff > pkt->caplen - header)
		return -1;
	return xt2_answer(m, xt2_within_((u16)m->arg, m->arg >> 16, port));
}

#endif
