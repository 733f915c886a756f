/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tos.c - type of service, traffic class, and their upper six bits: as xt_dscp */
#include "payload.h"

/* => the byte, or -1 */
static int dsfield(struct xt2_pkt *pkt)
{
	const u8 *p = xt2_pkt_at(pkt, 0, 2);

	if (!p)
		return -1;
	return pkt->family == XT2_IPV6 ? xt2_be16(p) >> 4 & 0xff : p[1];
}

int xt2_tos_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	int tos = dsfield(xt2_ctx_pkt(ctx));

	if (tos < 0)
		return XT2_MISS;
	return xt2_answer_any(m, ((u32)tos & m->arg >> 8) == (m->arg & 0xff));
}

int xt2_tos_check(const struct xt2_match __img *m, u8 family)
{
	if (!xt2_family_inet(family))
		return -EINVAL;
	return m->size == sizeof(*m) && m->arg <= 0xffff ? 0 : -EINVAL;
}

int xt2_dscp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	int tos = dsfield(xt2_ctx_pkt(ctx));

	if (tos < 0)
		return XT2_MISS;
	return xt2_answer_any(m, (u32)tos >> 2 == m->arg);
}

int xt2_dscp_check(const struct xt2_match __img *m, u8 family)
{
	if (!xt2_family_inet(family))
		return -EINVAL;
	return m->size == sizeof(*m) && m->arg <= 0x3f ? 0 : -EINVAL;
}
