/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-mark.c - MARK, CONNMARK and CLASSIFY: numbers that travel along
 *
 * CONNMARK changes the connection's mark in the packet's metadata.  Without a
 * connection it does nothing.
 *
 * Source: net/netfilter/xt_mark.c, xt_connmark.c, xt_CLASSIFY.c
 */
#include "target.h"

enum {
	CONNMARK_SET,
	CONNMARK_SAVE,
	CONNMARK_RESTORE,
};

int xt2_mark_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	const struct xt2_mark __img *data = xt2_rule_target_data(r);
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);

	if (xt2_target_none(r))
		pkt->mark = xt2_rule_arg(r);
	else
		pkt->mark = (pkt->mark & ~data->mask) ^ data->mark;
	return XT2_NEXT;
}

/* => is there an argument, or else data?  There is data only if the argument could not hold it. */
static bool is_one_of(const struct xt2_rule __img *r, u8 family, u32 size)
{
	if (family != XT2_ARP && !xt2_family_inet(family))
		return false;
	return xt2_target_none(r) || (xt2_rule_target_size(r) == size && !xt2_rule_arg(r));
}

int xt2_mark_target_check(const struct xt2_rule __img *r, u8 family)
{
	const struct xt2_mark __img *data = xt2_rule_target_data(r);

	if (!is_one_of(r, family, sizeof(*data)))
		return -EINVAL;
	if (xt2_target_none(r))
		return 0;
	return data->mask != ~0u || data->mark > XT2_ARG_MAX ? 0 : -EINVAL;
}

static u32 shifted(u32 arg, u32 v)
{
	return arg & XT2_CONNMARK_RIGHT ? v >> XT2_CONNMARK_SHIFT(arg)
					: v << XT2_CONNMARK_SHIFT(arg);
}

int xt2_connmark_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	struct xt2_pkt_ct *ct = &pkt->ct;
	u32 arg = xt2_rule_arg(r);
	struct xt2_connmark data;

	if (!(ct->state & XT2_CT_TRACKED))
		return XT2_NEXT;
	xt2_target_read(r, &data, sizeof(data));
	switch (XT2_CONNMARK_MODE(arg)) {
	case CONNMARK_SET: ct->mark = shifted(arg, (ct->mark & ~data.ctmask) ^ data.ctmark); break;
	case CONNMARK_SAVE:
		ct->mark = (ct->mark & ~data.ctmask) ^ shifted(arg, pkt->mark & data.nfmask);
		break;
	case CONNMARK_RESTORE:
		pkt->mark = (pkt->mark & ~data.nfmask) ^ shifted(arg, ct->mark & data.ctmask);
		break;
	}
	return XT2_NEXT;
}

/* A mode that doesn't exist does nothing, and the kernel accepts it. */
int xt2_connmark_target_check(const struct xt2_rule __img *r, u8 family)
{
	u32 arg = xt2_rule_arg(r);
	u32 revision = XT2_ARG_REVISION(arg);
	struct xt2_connmark data;

	if (!xt2_family_inet(family) || arg >> 14 & 0xff || (revision != 1 && revision != 2))
		return -EINVAL;
	if (revision == 1 && arg >> 8 & 0x3f)
		return -EINVAL;
	if (!xt2_target_sized(r, sizeof(data)))
		return -EINVAL;
	xt2_target_read(r, &data, sizeof(data));
	return data.reserved ? -EINVAL : 0;
}

int xt2_classify_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	const u32 __img *data = xt2_rule_target_data(r);

	xt2_ctx_pkt(ctx)->priority = xt2_target_none(r) ? xt2_rule_arg(r) : *data;
	return XT2_NEXT;
}

int xt2_classify_target_check(const struct xt2_rule __img *r, u8 family)
{
	const u32 __img *data = xt2_rule_target_data(r);

	if (!is_one_of(r, family, 2 * sizeof(*data)))
		return -EINVAL;
	if (xt2_target_none(r))
		return 0;
	return data[0] > XT2_ARG_MAX && !data[1] ? 0 : -EINVAL;
}
