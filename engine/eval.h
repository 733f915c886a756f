/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eval.h - evaluate a packet: see ctx.h for the context, index/eval-index.h for batches */
#ifndef XT2_ENGINE_EVAL_H
#define XT2_ENGINE_EVAL_H

#include "ctx.h"
#include "dispatch.h"
#include "engine/index/eval-index.h"
#include "match.h"
#include "parse.h"
#include <xt2/verdict.h>

/*
 * xt2_eval - run one base chain of an image
 * @ctx: packet parsed; results are set
 * @hook: a hook entry of ctx->root
 *
 * Counts in place, exactly as xt_tables does: ipt_do_table(), ip6t_do_table(),
 * arpt_do_table().
 * => enum xt2_verdict, never XT2_NEXT
 */
int xt2_eval(struct xt2_ctx *ctx, const struct xt2_hook __img *hook);

#endif
