/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rt.c - the IPv6 routing header
 *
 * Segments left, length and type are small tests of the header; the addresses
 * of type 0 are either the whole list, or appear in it in this order (NSTRICT).
 * The kernel reads the addresses even if a small test has failed, so that cut
 * off ones drop the packet.  Source: net/ipv6/netfilter/ip6t_rt.c.
 */
#include "transport.h"

#define RT_HEADER   4 /* next header, length, type, segments left */
#define RT_RESERVED 4 /* offset of the reserved bytes of type 0 */
#define RT_ADDRS    8 /* offset of the addresses of type 0 */
#define ADDR	    16

/* The conditions of a match, in either form. */
struct test {
	u8 tested, inverted, addrs;
	u32 type, size;
	const u32 __img *segments; /* first, last; NULL: any */
	const u8 __img *addr;
};

static struct test test_of(const struct xt2_match __img *m)
{
	const u32 __img *words = (const u32 __img *)(m + 1);
	struct test t = {
		.tested = XT2_BYTE(m->arg, 0),
		.inverted = XT2_BYTE(m->arg, 1),
		.addrs = XT2_BYTE(m->arg, 2),
		.type = XT2_BYTE(m->arg, 3),
	};

	if (m->flags & XT2_RT_SEGMENTS) {
		t.segments = words;
		words += 2;
	}
	if (m->flags & XT2_RT_WIDE) {
		t.type = words[0];
		t.size = words[1];
		words += 2;
	}
	t.addr = (const u8 __img *)words;
	return t;
}

static bool header_holds(const struct test *t, const u8 *rh, u32 size)
{
	bool segments = !t->segments || xt2_within_(t->segments[0], t->segments[1], rh[3]);

	if (segments == !!(t->inverted & XT2_RT_INV_SEGMENTS))
		return false;
	if (t->tested & XT2_RT_LEN && (t->size == size) == !!(t->inverted & XT2_RT_INV_LEN))
		return false;
	return !(t->tested & XT2_RT_TYPE) ||
	       (t->type == rh[2]) != !!(t->inverted & XT2_RT_INV_TYPE);
}

static bool addr_equal(const u8 __img *a, const u8 *b)
{
	return xt2_raw64((const u8 *)a) == xt2_raw64(b) &&
	       xt2_raw64((const u8 *)a + 8) == xt2_raw64(b + 8);
}

/* The addresses of the header at off, which has room for n. => enum xt2_answer */
static int addrs_match(const struct test *t, struct xt2_pkt *pkt, u32 off, u32 n)
{
	bool strict = !(t->tested & XT2_RT_NSTRICT);
	u32 i, found = xt2_zero;
	const u8 *addr;

	if (t->addrs > n)
		return XT2_MISS;
	for (i = xt2_zero; i < n && found < t->addrs && xt2_can_loop; i++) {
		addr = xt2_pkt_at(pkt, off + RT_ADDRS + i * ADDR, ADDR);
		if (!addr)
			return XT2_HOTDROP;
		if (addr_equal(t->addr + found * ADDR, addr))
			found++;
		else if (strict)
			return XT2_MISS;
	}
	return found == t->addrs && (!strict || found == n) ? XT2_HIT : XT2_MISS;
}

int xt2_rt_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct test t = test_of(m);
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *rh, *reserved;
	bool holds;
	u32 off, size;
	int answer;

	rh = xt2_exthdr_(pkt, XT2_IP6_ROUTING, RT_HEADER, &off, &size, &answer);
	if (!rh)
		return answer;
	holds = header_holds(&t, rh, size);
	if (holds && t.tested & XT2_RT_RES) {
		reserved = xt2_pkt_at(pkt, off + RT_RESERVED, 4);
		if (!reserved)
			return XT2_HOTDROP;
		holds = !xt2_be32(reserved);
	}
	if (t.tested & XT2_RT_ADDRS) {
		answer = addrs_match(&t, pkt, off, (size - RT_ADDRS) / ADDR);
		if (answer != XT2_HIT)
			return answer;
	}
	return holds ? XT2_HIT : XT2_MISS;
}

static int size_check(const struct xt2_match __img *m)
{
	u32 size = sizeof(*m) + XT2_BYTE(m->arg, 2) * ADDR;

	if (XT2_BYTE(m->arg, 2) > XT2_RT_ADDRS_MAX)
		return -EINVAL;
	if (m->flags & XT2_RT_SEGMENTS)
		size += 8;
	if (m->flags & XT2_RT_WIDE)
		size += 8;
	return xt2_size_check_(m, size, XT2_VERBATIM_RT, XT2_RT_SEGMENTS | XT2_RT_WIDE);
}

int xt2_rt_check(const struct xt2_match __img *m, u8 family)
{
	const u8 type0 = XT2_RT_RES | XT2_RT_ADDRS | XT2_RT_NSTRICT;
	const u8 inverted = XT2_RT_INV_TYPE | XT2_RT_INV_SEGMENTS | XT2_RT_INV_LEN;
	struct test t;

	if (family != XT2_IPV6 || size_check(m))
		return -EINVAL;
	t = test_of(m);
	if (t.inverted & ~inverted || (m->flags & XT2_RT_WIDE && XT2_BYTE(m->arg, 3)))
		return -EINVAL;
	if (t.tested & (XT2_RT_ADDRS | XT2_RT_NSTRICT) && !t.addrs)
		return -EINVAL;
	if (t.tested & type0 &&
	    (!(t.tested & XT2_RT_TYPE) || t.type || t.inverted & XT2_RT_INV_TYPE))
		return -EINVAL;
	return 0;
}
