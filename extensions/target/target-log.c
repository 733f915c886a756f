/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-log.c - LOG, NFLOG and TRACE: report, and go on
 *
 * An event names the rule; the caller finds prefix, level and group there.  TRACE
 * also marks the packet: the kernel then reports every rule that it meets.
 *
 * Source: net/netfilter/xt_LOG.c, xt_NFLOG.c, xt_TRACE.c
 */
#include "target.h"

int xt2_log_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	xt2_ctx_event(ctx, XT2_T_LOG, r);
	return XT2_NEXT;
}

/* The prefix ends in a NUL within its field of the kernel's structure. */
int xt2_log_target_check(const struct xt2_rule __img *r, u8 family)
{
	const u8 __img *prefix = xt2_rule_target_data(r);
	u32 arg = xt2_rule_arg(r);

	if (!xt2_family_inet(family) || XT2_LOG_LEVEL(arg) >= 8 || arg >> 16)
		return -EINVAL;
	if (!xt2_target_sized(r, 32))
		return -EINVAL;
	if (xt2_rule_target_size(r) == 32 && (prefix[29] | prefix[30] | prefix[31]))
		return -EINVAL;
	return 0;
}

int xt2_nflog_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	xt2_ctx_event(ctx, XT2_T_NFLOG, r);
	return XT2_NEXT;
}

int xt2_nflog_target_check(const struct xt2_rule __img *r, u8 family)
{
	u32 arg = xt2_rule_arg(r);
	u32 sizes = arg & XT2_NFLOG_SIZES ? sizeof(struct xt2_nflog_sizes) : 0;
	u32 size = xt2_rule_target_size(r);
	const u8 __img *data = xt2_rule_target_data(r);

	if (!xt2_family_inet(family) || arg >> 18)
		return -EINVAL;
	if (size < sizes || !xt2_target_sized(r, sizes + XT2_NFLOG_PREFIX))
		return -EINVAL;
	if (sizes && !*(const u64 __img *)data)
		return -EINVAL;
	if (size == sizes + XT2_NFLOG_PREFIX && data[size - 1])
		return -EINVAL;
	return 0;
}

int xt2_trace_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	xt2_ctx_pkt(ctx)->trace = 1;
	xt2_ctx_event(ctx, XT2_T_TRACE, r);
	return XT2_NEXT;
}

int xt2_trace_target_check(const struct xt2_rule __img *r, u8 family)
{
	return xt2_family_inet(family) && !xt2_rule_arg(r) && xt2_target_none(r) ? 0 : -EINVAL;
}
