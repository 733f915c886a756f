/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign.c - unevaluated matches and targets
 *
 * A caller refuses a ruleset with such a one before it evaluates packets.  If
 * one is met all the same, the packet is dropped and the fault is counted:
 * neither answer of a match would be safe.
 */
#include "extensions/extensions.h"

int xt2_foreign_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	ctx->faults++;
	return XT2_HOTDROP;
}

int xt2_foreign_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}

int xt2_foreign_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	ctx->faults++;
	return XT2_DROP;
}
