/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iprange.c - addresses within two bounds
 *
 * As xt_iprange: source and destination each have a range and an inversion
 * of their own.  A range whose bounds are in the wrong order holds nothing.
 */
#include "payload.h"

static u32 ranges(const struct xt2_match __img *m)
{
	return !!(m->arg & XT2_IPRANGE_SRC) + !!(m->arg & XT2_IPRANGE_DST);
}

static bool less6(const u64 *a, const __u64 __img *b)
{
	return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

static bool more6(const u64 *a, const __u64 __img *b)
{
	return a[0] != b[0] ? a[0] > b[0] : a[1] > b[1];
}

static bool in4(const struct xt2_match __img *m, u32 i, u32 addr)
{
	const struct xt2_match_iprange4 __img *k = (const void __img *)m;

	return addr >= k->range[i].min && addr <= k->range[i].max;
}

static bool in6(const struct xt2_match __img *m, u32 i, const u64 *raw)
{
	const struct xt2_match_iprange6 __img *k = (const void __img *)m;
	u64 addr[2] = { __builtin_bswap64(raw[0]), __builtin_bswap64(raw[1]) };

	return !less6(addr, k->range[i].min) && !more6(addr, k->range[i].max);
}

int xt2_iprange_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	bool v6 = pkt->family == XT2_IPV6;
	u32 i = 0;
	bool in;

	if (m->arg & XT2_IPRANGE_SRC) {
		in = v6 ? in6(m, i, pkt->src) : in4(m, i, pkt->src4);
		if (in == !!(m->arg & XT2_IPRANGE_SRC_INV))
			return XT2_MISS;
		i++;
	}
	if (m->arg & XT2_IPRANGE_DST) {
		in = v6 ? in6(m, i, pkt->dst) : in4(m, i, pkt->dst4);
		if (in == !!(m->arg & XT2_IPRANGE_DST_INV))
			return XT2_MISS;
	}
	return XT2_HIT;
}

int xt2_iprange_check(const struct xt2_match __img *m, u8 family)
{
	u32 each = family == XT2_IPV6 ? 32 : 8;

	if (!xt2_family_inet(family) || m->flags || m->arg > 0xff)
		return -EINVAL;
	return m->size == sizeof(*m) + each * ranges(m) ? 0 : -EINVAL;
}
