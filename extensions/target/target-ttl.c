/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-ttl.c - TTL and HL: set, raise or lower the hop count
 *
 * Source: net/netfilter/xt_HL.c
 */
#include "rewrite.h"
#include "target.h"

enum {
	MODE_SET,
	MODE_INC,
	MODE_DEC,
	MODES,
};

/* => the new count; raising and lowering stop at the ends */
static u8 changed(u32 arg, u8 hops)
{
	u8 by = (u8)(arg >> 8);

	switch (arg & 0xff) {
	case MODE_SET: return by;
	case MODE_INC: return hops > 255 - by ? 255 : hops + by;
	case MODE_DEC: return hops < by ? 0 : hops - by;
	}
	return hops;
}

static int check(const struct xt2_rule __img *r, bool family)
{
	u32 arg = xt2_rule_arg(r);

	if (!family || !xt2_target_none(r) || arg >> 16 || (arg & 0xff) >= MODES)
		return -EINVAL;
	return (arg & 0xff) != MODE_SET && !(arg >> 8) ? -EINVAL : 0;
}

int xt2_ttl_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	int verdict;
	u8 *ip = xt2_pkt_edit(xt2_ctx_pkt(ctx), 0, 20, &verdict);
	u8 ttl;

	if (!ip)
		return verdict;
	ttl = changed(xt2_rule_arg(r), ip[8]);
	if (ttl != ip[8]) {
		xt2_csum_header(ip + 10, (u16)(ip[8] << 8), (u16)(ttl << 8));
		ip[8] = ttl;
	}
	return XT2_NEXT;
}

int xt2_ttl_target_check(const struct xt2_rule __img *r, u8 family)
{
	return check(r, family == XT2_IPV4);
}

int xt2_hl_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	int verdict;
	u8 *ip6 = xt2_pkt_edit(xt2_ctx_pkt(ctx), 0, 40, &verdict);

	if (!ip6)
		return verdict;
	ip6[7] = changed(xt2_rule_arg(r), ip6[7]);
	return XT2_NEXT;
}

int xt2_hl_target_check(const struct xt2_rule __img *r, u8 family)
{
	return check(r, family == XT2_IPV6);
}
