/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.c - the processor that handles the packet: as xt_cpu; unknown is 0 */
#include "payload.h"

int xt2_cpu_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return xt2_answer(m, xt2_ctx_pkt(ctx)->cpu == m->arg);
}

int xt2_cpu_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_size_check_(m, sizeof(*m), 0, XT2_MATCH_INVERT);
}
