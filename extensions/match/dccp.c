/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dccp.c - DCCP ports, packet types and options
 *
 * Options start after the fixed header, whose length depends on the packet
 * type and on the size of sequence numbers.  An inverted option test holds
 * even if the options are cut off: the rule counts, then the packet is
 * dropped.  Source: net/netfilter/xt_dccp.c.
 */
#include "transport.h"

#define DCCP_HEADER 12 /* with short sequence numbers */
#define DCCP_LONG   4 /* more bytes of a long one */
#define DCCP_DOFF   4 /* offset of the data offset, in words */
#define DCCP_KIND   8 /* offset of reserved:3 type:4 long:1 */

/* Bytes between the header and the options, by packet type. */
static const u8 kind_size[16] = {
	4, 12, 0, 8, 8, 8, 8, 12, 8, 8, 12, 12, 12, 12, 12, 12,
};

static u32 kind_of(const u8 *dh)
{
	return dh[DCCP_KIND] >> 1 & 15;
}

/* => enum xt2_answer of the plain test */
static int option_match(u8 option, struct xt2_pkt *pkt, const u8 *dh)
{
	u32 start = DCCP_HEADER + kind_size[kind_of(dh)];
	u32 end = dh[DCCP_DOFF] * 4;
	const u8 *op;

	if (dh[DCCP_KIND] & 1)
		start += DCCP_LONG;
	if (end < start)
		return XT2_HOTDROP;
	if (end == start)
		return XT2_MISS;
	op = xt2_pkt_at(pkt, pkt->thoff + start, end - start);
	if (!op)
		return XT2_HOTDROP;
	return xt2_option_find_(op, end - start, option, 0) ? XT2_HIT : XT2_MISS;
}

/* A test misses, inversion included. */
static bool misses(u32 arg, u8 test, bool holds)
{
	const u8 tests = XT2_BYTE(arg, 1);

	return tests & test && holds == !!(tests >> 4 & test);
}

int xt2_dccp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_dccp __img *k = (const void __img *)m;
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	bool ports = m->flags & XT2_PORTS_FOLLOW;
	const __u16 __img *spts = ports ? k->spts : NULL, *dpts = ports ? k->dpts : NULL;
	int answer;
	const u8 *dh = xt2_transport_(pkt, DCCP_HEADER, &answer);

	if (!dh)
		return answer;
	if (misses(m->arg, XT2_DCCP_SRC, xt2_port_holds_(spts, pkt->sport)) ||
	    misses(m->arg, XT2_DCCP_DST, xt2_port_holds_(dpts, pkt->dport)) ||
	    misses(m->arg, XT2_DCCP_TYPE, m->arg >> 16 >> kind_of(dh) & 1))
		return XT2_MISS;
	if (!(XT2_BYTE(m->arg, 1) & XT2_DCCP_OPTION))
		return XT2_HIT;
	return xt2_answer_late_(option_match(XT2_BYTE(m->arg, 0), pkt, dh),
				XT2_BYTE(m->arg, 1) >> 4 & XT2_DCCP_OPTION);
}

int xt2_dccp_check(const struct xt2_match __img *m, u8 family)
{
	const u8 tests = XT2_BYTE(m->arg, 1);
	u32 size = sizeof(*m);

	if (!xt2_family_inet(family) || tests >> 4 & ~tests)
		return -EINVAL;
	if (m->flags & XT2_PORTS_FOLLOW)
		size = sizeof(struct xt2_match_dccp);
	return xt2_size_check_(m, size, XT2_VERBATIM_DCCP, XT2_PORTS_FOLLOW);
}
