/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devgroup.c - the groups of the interfaces
 *
 * As xt_devgroup.  Interfaces are in group 0 unless they were put into another one,
 * so 0 also stands for a group that the host doesn't know.
 */
#include "payload.h"

int xt2_devgroup_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_devgroup __img *k = (const void __img *)m;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	bool differs;
	u32 i = 0;

	if (m->arg & XT2_DEVGROUP_SRC) {
		differs = m->flags & XT2_DEVGROUP_IN_PAIR &&
			  (k->pair[0].group ^ pkt->in_group) & k->pair[0].mask;
		if (differs != !!(m->arg & XT2_DEVGROUP_SRC_INV))
			return XT2_MISS;
	}
	if (m->flags & XT2_DEVGROUP_IN_PAIR)
		i++;
	if (m->arg & XT2_DEVGROUP_DST) {
		differs = m->flags & XT2_DEVGROUP_OUT_PAIR &&
			  (k->pair[i].group ^ pkt->out_group) & k->pair[i].mask;
		if (differs != !!(m->arg & XT2_DEVGROUP_DST_INV))
			return XT2_MISS;
	}
	return XT2_HIT;
}

int xt2_devgroup_check(const struct xt2_match __img *m, u8 family)
{
	u32 pairs = !!(m->flags & XT2_DEVGROUP_IN_PAIR) + !!(m->flags & XT2_DEVGROUP_OUT_PAIR);

	if (m->flags & ~(XT2_DEVGROUP_IN_PAIR | XT2_DEVGROUP_OUT_PAIR) || m->arg > 0xf)
		return -EINVAL;
	return m->size == sizeof(*m) + 8 * pairs ? 0 : -EINVAL;
}
