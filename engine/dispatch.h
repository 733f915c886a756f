/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch.h - all that the engine asks of the extensions
 *
 * These four functions are the only symbols that the engine's archive leaves
 * to a room above it.  extensions/dispatch.c has them, one switch each:
 * evaluation never calls through a pointer.
 */
#ifndef XT2_ENGINE_DISPATCH_H
#define XT2_ENGINE_DISPATCH_H

#include "ctx.h"

#define XT2_LEAVES_LAST 2 /* xt2_leaves(): and the packet is accepted by the table */

/* => enum xt2_answer */
xt2_separate int xt2_match_ext(const struct xt2_match __img *m xt2_arg_img,
			       struct xt2_ctx *ctx xt2_arg_there);

/* => enum xt2_verdict; XT2_NEXT: go on with the next rule */
xt2_separate int xt2_target_ext(const struct xt2_rule __img *r xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);

/* The checks of their payloads.  => 0, or -EINVAL */
int xt2_match_ext_check(const struct xt2_match __img *m, u8 family);
int xt2_target_ext_check(const struct xt2_rule __img *r, u8 family);

#endif
