/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-reject.c - REJECT: drop, and say so
 *
 * The verdict names how; sending the answer is up to the caller.
 *
 * Source: net/ipv4/netfilter/ipt_REJECT.c, net/ipv6/netfilter/ip6t_REJECT.c
 */
#include "target.h"

enum {
	ECHOREPLY4 = 4, /* IPT_ICMP_ECHOREPLY: once was something, is refused */
	TCP_RESET4 = 7,
	ECHOREPLY6 = 5,
	TCP_RESET6 = 6,
};

int xt2_reject_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	ctx->verdict_arg = xt2_rule_arg(r);
	return XT2_REJECT;
}

int xt2_reject_target_check(const struct xt2_rule __img *r, u8 family)
{
	u32 with = xt2_rule_arg(r);

	if (!xt2_family_inet(family) || !xt2_target_none(r))
		return -EINVAL;
	if (with == (family == XT2_IPV4 ? ECHOREPLY4 : ECHOREPLY6))
		return -EINVAL;
	if (with == (family == XT2_IPV4 ? TCP_RESET4 : TCP_RESET6))
		return xt2_rule_proto(r) == XT2_PROTO_TCP ? 0 : -EINVAL;
	return 0;
}
