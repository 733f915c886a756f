/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frag.c - the IPv6 fragment header
 *
 * The kernel has never used the length that --fraglen gives; it is kept
 * for printing.  Source: net/ipv6/netfilter/ip6t_frag.c.
 */
#include "transport.h"

#define FRAG_HEADER   8 /* next header, reserved, offset and bits, identification */
#define FRAG_MORE     0x0001 /* of the 16 bits of offset, reserved bits, more */
#define FRAG_RESERVED 0x0006
#define FRAG_OFFSET   0xfff8

static bool flags_hold(u8 flags, const u8 *fh)
{
	const u16 bits = xt2_be16(fh + 2);

	if (flags & XT2_FRAG_RES && (fh[1] || bits & FRAG_RESERVED))
		return false;
	if (flags & XT2_FRAG_FIRST && bits & FRAG_OFFSET)
		return false;
	if (flags & XT2_FRAG_MORE && !(bits & FRAG_MORE))
		return false;
	return !(flags & XT2_FRAG_LAST && bits & FRAG_MORE);
}

int xt2_frag_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_header_test __img *t = xt2_header_test_(m);
	u32 off, size;
	int answer;
	const u8 *fh =
		xt2_exthdr_(xt2_ctx_pkt(ctx), XT2_IP6_FRAGMENT, FRAG_HEADER, &off, &size, &answer);

	if (!fh)
		return answer;
	if (!xt2_range_holds_(m, xt2_be32(fh + 4)))
		return XT2_MISS;
	return !t || flags_hold(t->flags, fh) ? XT2_HIT : XT2_MISS;
}

int xt2_frag_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_header_test __img *t = xt2_header_test_(m);

	if (xt2_range_check_(m, family == XT2_IPV6, t ? sizeof(*t) : 0, XT2_VERBATIM_FRAG,
			     XT2_HEADER_TEST))
		return -EINVAL;
	return t && (t->inverted > 1 || t->reserved) ? -EINVAL : 0;
}
