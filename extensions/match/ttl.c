/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ttl.c - time to live of IPv4, hop limit of IPv6: as xt_hl */
#include "payload.h"

static int compare(const struct xt2_match __img *m, const u8 *p)
{
	bool hit = false;

	if (!p)
		return XT2_MISS;
	switch (m->flags) {
	case XT2_TTL_EQ: hit = *p == m->arg; break;
	case XT2_TTL_NE: hit = *p != m->arg; break;
	case XT2_TTL_LT: hit = *p < m->arg; break;
	case XT2_TTL_GT: hit = *p > m->arg; break;
	}
	return hit ? XT2_HIT : XT2_MISS;
}

static int check(const struct xt2_match __img *m)
{
	return m->size == sizeof(*m) && m->flags <= XT2_TTL_GT && m->arg <= 0xff ? 0 : -EINVAL;
}

int xt2_ttl_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return compare(m, xt2_pkt_at(xt2_ctx_pkt(ctx), 8, 1));
}

int xt2_ttl_check(const struct xt2_match __img *m, u8 family)
{
	return family == XT2_IPV4 ? check(m) : -EINVAL;
}

int xt2_hl_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return compare(m, xt2_pkt_at(xt2_ctx_pkt(ctx), 7, 1));
}

int xt2_hl_check(const struct xt2_match __img *m, u8 family)
{
	return family == XT2_IPV6 ? check(m) : -EINVAL;
}
