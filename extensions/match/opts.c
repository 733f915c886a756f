/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.c - IPv6 hop-by-hop and destination options
 *
 * Options are compared with the list from the header's start, one by one;
 * what follows the list doesn't matter.  A list that is longer than the header
 * misses, even where the packet is cut off.  Source:
 * net/ipv6/netfilter/ip6t_hbh.c, which serves both headers.
 */
#include "transport.h"

#define OPTS_HEADER 2 /* next header, length */
#define OPTION_ANY  0xff /* any length */

/* Where the parts of a match are. */
struct test {
	u8 tested, inverted, options;
	u32 size;
	const u16 __img *option; /* type << 8 | length */
};

static struct test test_of(const struct xt2_match __img *m)
{
	const u32 __img *words = (const u32 __img *)(m + 1);
	bool wide = m->flags & XT2_OPTS_WIDE;

	return (struct test){
		.tested = XT2_BYTE(m->arg, 0),
		.inverted = XT2_BYTE(m->arg, 1),
		.options = XT2_BYTE(m->arg, 2),
		.size = wide ? words[0] : 0,
		.option = (const u16 __img *)(words + (wide ? 2 : 0)),
	};
}

/* One option at off, left bytes before the header's end. => its size; 0: it differs or is cut */
static u32 option_match(u16 want, struct xt2_pkt *pkt, u32 off, u32 left)
{
	const u8 *op;

	if (left < 1)
		return 0;
	op = xt2_pkt_at(pkt, off, 1);
	if (!op || *op != want >> 8)
		return 0;
	if (!*op)
		return 1; /* Pad1 has no length */
	if (left < 2)
		return 0;
	op = xt2_pkt_at(pkt, off + 1, 1);
	if (!op)
		return 0;
	return (want & 0xff) == OPTION_ANY || (want & 0xff) == *op ? *op + 2u : 0;
}

/* The options of the header at off, which is size bytes long. */
static bool options_hold(const struct test *t, struct xt2_pkt *pkt, u32 off, u32 size)
{
	u32 i, n, left = size - OPTS_HEADER;

	off += OPTS_HEADER;
	for (i = xt2_zero; i < t->options && xt2_can_loop; i++) {
		n = option_match(t->option[i], pkt, off, left);
		if (!n)
			return false;
		/* The last one of the list may reach beyond the header. */
		if (left < n && i + 1u < t->options)
			return false;
		off += n;
		left -= n;
	}
	return true;
}

static __always_inline int opts_match(const struct xt2_match __img *m, struct xt2_pkt *pkt,
				      u8 header)
{
	const struct test t = test_of(m);
	const u8 *oh;
	u32 off, size;
	int answer;

	oh = xt2_exthdr_(pkt, header, OPTS_HEADER, &off, &size, &answer);
	if (!oh)
		return answer;
	if (t.tested & XT2_OPTS_LEN && (t.size == size) == t.inverted)
		return XT2_MISS;
	if (t.tested & XT2_OPTS_OPTS && !options_hold(&t, pkt, off, size))
		return XT2_MISS;
	return XT2_HIT;
}

static int opts_check(const struct xt2_match __img *m, u8 family)
{
	const u32 options = XT2_BYTE(m->arg, 2);
	u32 size = sizeof(*m) + (options + 3) / 4 * 8;

	if (family != XT2_IPV6 || options > XT2_OPTS_MAX || XT2_BYTE(m->arg, 3) ||
	    XT2_BYTE(m->arg, 1) > 1 || XT2_BYTE(m->arg, 0) & XT2_OPTS_NSTRICT)
		return -EINVAL;
	if (m->flags & XT2_OPTS_WIDE)
		size += 8;
	return xt2_size_check_(m, size, XT2_VERBATIM_OPTS, XT2_OPTS_WIDE);
}

int xt2_hbh_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return opts_match(m, xt2_ctx_pkt(ctx), XT2_IP6_HOP);
}

int xt2_hbh_check(const struct xt2_match __img *m, u8 family)
{
	return opts_check(m, family);
}

int xt2_dst_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return opts_match(m, xt2_ctx_pkt(ctx), XT2_IP6_DEST);
}

int xt2_dst_check(const struct xt2_match __img *m, u8 family)
{
	return opts_check(m, family);
}
