/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conntrack.c - -m conntrack: the connection in the packet's metadata
 *
 * Tests stand in the kernel's order, each with its own inversion.  A packet
 * without a connection can only match by its state, and if the state is
 * tested and right, nothing else is asked.  Addresses and ports that the host
 * doesn't know match nothing, inverted or not.
 *
 * Source: net/netfilter/xt_conntrack.c
 */
#include "extensions/extensions.h"
#include "conntrack.h"

/* XT_CONNTRACK_*; the addresses' and ports' bits are in the order of the parts. */
enum {
	TEST_STATE = 0x0001,
	TEST_PROTO = 0x0002,
	TEST_ADDR = 0x0004,
	TEST_ADDRS = 0x003c,
	TEST_STATUS = 0x0040,
	TEST_EXPIRES = 0x0080,
	TEST_PORT = 0x0100,
	TEST_PORTS = 0x0f00,
	TEST_DIRECTION = 0x1000,
	IPS_SRC_NAT = 0x10,
	IPS_DST_NAT = 0x20,
};

/* => true if a test is not there, or comes out as the rule wants it */
static bool passes(const struct xt2_match_conntrack __img *k, u16 test, bool holds)
{
	return !(k->tests & test) || holds != !!(k->inverted & test);
}

static u32 state_bits(const struct xt2_pkt_ct *ct)
{
	u32 nat = 0;

	if (ct->status & IPS_SRC_NAT)
		nat |= XT2_CT_SNAT;
	if (ct->status & IPS_DST_NAT)
		nat |= XT2_CT_DNAT;
	if (ct->state & XT2_CT_TRACKED)
		return nat | (ct->state & ~(u32)(XT2_CT_INVALID | XT2_CT_UNTRACKED));
	return ct->state & XT2_CT_UNTRACKED ? XT2_CT_UNTRACKED : XT2_CT_INVALID;
}

static bool addr_equal(const struct xt2_match_conntrack __img *k, u8 part, const u64 *addr,
		       bool ipv4)
{
	const struct xt2_conntrack_addr __img *p = xt2_conntrack_part(k, part);
	u64 diff;

	if (!p) /* the mask is zero */
		return true;
	diff = (addr[0] ^ p->addr[0]) & p->mask[0];
	return ipv4 ? !(u32)diff : !(diff | ((addr[1] ^ p->addr[1]) & p->mask[1]));
}

static bool addrs_pass(const struct xt2_match_conntrack __img *k, const struct xt2_pkt *pkt)
{
	const struct xt2_pkt_ct *ct = &pkt->ct;
	const u64 *addrs[] = { ct->orig_src, ct->orig_dst, ct->repl_src, ct->repl_dst };
	u32 i;

	if (!(k->tests & TEST_ADDRS))
		return true;
	if (!ct->tuple)
		return false;
	for (i = 0; i < XT2_ARRAY_SIZE(addrs); i++) {
		bool equal = addr_equal(k, (u8)(XT2_CONNTRACK_ORIGSRC << i), addrs[i],
					pkt->family == XT2_IPV4);

		if (!passes(k, (u16)(TEST_ADDR << i), equal))
			return false;
	}
	return true;
}

static bool ports_pass(const struct xt2_match_conntrack __img *k, const struct xt2_pkt_ct *ct)
{
	const struct xt2_conntrack_ports __img *p = xt2_conntrack_part(k, XT2_CONNTRACK_PORTS);
	const u16 ports[] = { ct->orig_sport, ct->orig_dport, ct->repl_sport, ct->repl_dport };
	u32 i;

	if (!(k->tests & TEST_PORTS))
		return true;
	if (!ct->tuple)
		return false;
	for (i = 0; i < XT2_ARRAY_SIZE(ports); i++) {
		bool within = p ? ports[i] >= p->low[i] && ports[i] <= p->high[i] : !ports[i];

		if (!passes(k, (u16)(TEST_PORT << i), within))
			return false;
	}
	return true;
}

static bool expires_within(const struct xt2_match_conntrack __img *k, u32 seconds)
{
	const struct xt2_conntrack_expires __img *p = xt2_conntrack_part(k, XT2_CONNTRACK_EXPIRES);

	return p ? seconds >= p->min && seconds <= p->max : !seconds;
}

int xt2_conntrack_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_conntrack __img *k = (const void __img *)m;
	const struct xt2_pkt_ct *ct = &xt2_ctx_pkt(ctx)->ct;

	if (!passes(k, TEST_STATE, m->arg & 0xffff & state_bits(ct)))
		return XT2_MISS;
	if (!(ct->state & XT2_CT_TRACKED))
		return k->tests & TEST_STATE ? XT2_HIT : XT2_MISS;
	if (!passes(k, TEST_DIRECTION, !ct->reply))
		return XT2_MISS;
	if (!addrs_pass(k, xt2_ctx_pkt(ctx)))
		return XT2_MISS;
	if (!passes(k, TEST_PROTO, ct->proto == k->proto))
		return XT2_MISS;
	if (!ports_pass(k, ct))
		return XT2_MISS;
	if (!passes(k, TEST_STATUS, m->arg >> 16 & ct->status))
		return XT2_MISS;
	if (k->tests & TEST_EXPIRES && !passes(k, TEST_EXPIRES, expires_within(k, ct->expires)))
		return XT2_MISS;
	return XT2_HIT;
}

/* Parts are whole and none is all zero: there is one way to write a match. */
int xt2_conntrack_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_conntrack __img *k = (const void __img *)m;
	u32 part, i, words;

	if (!xt2_family_inet(family) || m->size < sizeof(*k))
		return -EINVAL;
	if (m->flags & ~0x60 || !XT2_CONNTRACK_REVISION(m->flags) || k->reserved)
		return -EINVAL;
	if (k->parts >= XT2_CONNTRACK_PARTS ||
	    m->size != sizeof(*k) + xt2_conntrack_offset(XT2_CONNTRACK_PARTS, k->parts))
		return -EINVAL;
	for (part = 1; part < XT2_CONNTRACK_PARTS; part <<= 1) {
		const u64 __img *p = xt2_conntrack_part(k, (u8)part);
		u64 any = 0;

		words = xt2_conntrack_part_size(part) / 8;
		for (i = 0; p && i < words; i++)
			any |= p[i];
		if (p && !any)
			return -EINVAL;
	}
	return 0;
}
