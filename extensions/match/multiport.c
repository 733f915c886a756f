/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multiport.c - a list of ports and port ranges
 *
 * The list is that of the user, in his order; a bit for each entry says
 * whether it starts a range, whose end is the next entry.  Source:
 * net/netfilter/xt_multiport.c, revision 1.
 */
#include "transport.h"

#define PORTS 4 /* bytes of the header that must be there */

static bool listed(const struct xt2_match_multiport __img *k, u32 n, u32 ranges, u16 port)
{
	u32 i;

	for (i = xt2_zero; i < n && xt2_can_loop; i++) {
		u16 first = k->ports[i];

		if (ranges >> i & 1)
			i++;
		if (xt2_within_(first, k->ports[i], port))
			return true;
	}
	return false;
}

int xt2_multiport_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_multiport __img *k = (const void __img *)m;
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u32 n = XT2_BYTE(m->arg, 0), ranges = m->arg >> 16;
	const u8 kind = XT2_BYTE(m->arg, 1);
	bool holds = false;
	int answer;

	if (unlikely(!xt2_transport_(pkt, PORTS, &answer)))
		return answer;
	if (kind != XT2_MULTIPORT_SRC)
		holds = listed(k, n, ranges, pkt->dport);
	if (kind != XT2_MULTIPORT_DST && !holds)
		holds = listed(k, n, ranges, pkt->sport);
	return xt2_answer(m, holds);
}

/* Every range has an end that doesn't start another and is no less than its start. */
static int ranges_check(const struct xt2_match_multiport __img *k, u32 n, u32 ranges)
{
	u32 i;

	if (ranges >> n)
		return -EINVAL;
	for (i = 0; i < n && xt2_can_loop; i++) {
		if (!(ranges >> i & 1))
			continue;
		if (++i >= n || ranges >> i & 1 || k->ports[i - 1] > k->ports[i])
			return -EINVAL;
	}
	return 0;
}

int xt2_multiport_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_multiport __img *k = (const void __img *)m;
	const u32 n = XT2_BYTE(m->arg, 0), ranges = m->arg >> 16;

	if (!xt2_family_inet(family) || n > XT2_MULTIPORT_MAX ||
	    XT2_BYTE(m->arg, 1) > XT2_MULTIPORT_EITHER)
		return -EINVAL;
	if (xt2_size_check_(m, sizeof(*m) + (n + 3) / 4 * 8, XT2_VERBATIM_MULTIPORT,
			    XT2_MATCH_INVERT))
		return -EINVAL;
	return ranges_check(k, n, ranges);
}
