/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-ct.c - NOTRACK and CT: instructions to connection tracking
 *
 * Without the kernel's tracker, "do not track" is what can be evaluated: the
 * packet is UNTRACKED from here on.  Zone, helper, timeout and events are
 * carried; they tell the tracker how, not the rules what.  Whichever of the
 * two targets a packet meets first decides, as in the kernel: a packet that
 * has got a template cannot be made untracked any more.
 *
 * Source: net/netfilter/xt_CT.c
 */
#include "target.h"

#define CT_ALL 0x1f /* revision 2 */

static int notrack(struct xt2_pkt *pkt)
{
	if (pkt->ct_template)
		return XT2_NEXT;
	pkt->notrack = 1;
	pkt->ct.state = XT2_CT_UNTRACKED;
	return XT2_NEXT;
}

int xt2_notrack_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	return notrack(xt2_ctx_pkt(ctx));
}

int xt2_notrack_target_check(const struct xt2_rule __img *r, u8 family)
{
	return xt2_family_inet(family) && !xt2_rule_arg(r) && xt2_target_none(r) ? 0 : -EINVAL;
}

int xt2_ct_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);

	if (XT2_CT_FLAGS(xt2_rule_arg(r)) & XT2_CT_UNTRACKS)
		return notrack(pkt);
	if (!pkt->notrack && !pkt->ct_template)
		pkt->ct_template = XT2_TEMPLATE_NEW;
	return XT2_NEXT;
}

/* A name has a NUL somewhere; bytes after it are ignored. */
static int ends(const char *name, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (!name[i])
			return 1;
	return 0;
}

int xt2_ct_target_check(const struct xt2_rule __img *r, u8 family)
{
	u32 arg = xt2_rule_arg(r);
	u32 revision = XT2_ARG_REVISION(arg);
	struct xt2_ct data;

	if (!xt2_family_inet(family) || revision > 2 || arg >> 8 & 0x3fff)
		return -EINVAL;
	if (XT2_CT_FLAGS(arg) & ~(revision == 2 ? CT_ALL : XT2_CT_UNTRACKS))
		return -EINVAL;
	if (!xt2_target_sized(r, revision ? sizeof(data) : offsetof(struct xt2_ct, timeout)))
		return -EINVAL;
	xt2_target_read(r, &data, sizeof(data));
	if (data.reserved || data.reserved2)
		return -EINVAL;
	if (XT2_CT_FLAGS(arg) & XT2_CT_UNTRACKS)
		return 0;
	if (!ends(data.helper, sizeof(data.helper)) || !ends(data.timeout, sizeof(data.timeout)))
		return -EINVAL;
	return (data.helper[0] || data.timeout[0]) && !xt2_rule_proto(r) ? -EINVAL : 0;
}
