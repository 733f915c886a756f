/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eval-index.h - go through a chain by its index */
#ifndef XT2_ENGINE_INDEX_EVAL_INDEX_H
#define XT2_ENGINE_INDEX_EVAL_INDEX_H

#include "engine/ctx.h"
#include "search.h"

/*
 * xt2_enter_index, xt2_next_indexed - the next rule to evaluate in a chain with an index
 * @chain: just entered, candidates begin at cursor.base; or the current one
 * @r: the rule just done; the next one comes after it
 *
 * For xt2_eval().  cursor.indexed says whether the index is still in use.
 * => distance from the chain; of a patched chain it may be negative, modulo 2^64
 */
xt2_separate u64 xt2_enter_index(struct xt2_ctx *ctx xt2_arg_there,
				 const struct xt2_chain __img *chain xt2_arg_img);
xt2_separate u64 xt2_next_indexed(struct xt2_ctx *ctx xt2_arg_there,
				  const struct xt2_chain __img *chain xt2_arg_img,
				  const struct xt2_rule __img *r xt2_arg_img);

/* The same in a patched chain, which has cursor.indexed set in any case. */
xt2_separate u64 xt2_enter_patched(struct xt2_ctx *ctx xt2_arg_there,
				   const struct xt2_chain __img *chain xt2_arg_img);
xt2_separate u64 xt2_next_patched(struct xt2_ctx *ctx xt2_arg_there,
				  const struct xt2_chain __img *chain xt2_arg_img,
				  const struct xt2_rule __img *r xt2_arg_img);

/*
 * xt2_eval_at_once - evaluate a packet if its first candidate decides
 * @chain: the base chain, which has an index
 *
 * Where most rules decide, this covers most packets, and almost no evaluation
 * state has to be set up.
 * => the verdict; XT2_NEXT: evaluate the packet, with the candidates found
 */
int xt2_eval_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain);

/*
 * xt2_patched_first - the first candidate of a patched chain, if its tests surely hold, and it decides
 *
 * Where most rules decide, the chain is searched, and evaluation goes on with the candidates that were found.
 * => NULL: it is not sure, or there is none
 */
struct xt2_rule __img *xt2_patched_first(struct xt2_ctx *ctx, const struct xt2_chain __img *chain);

/*
 * xt2_eval_search, xt2_eval_collect - do the first part of an evaluation ahead
 * @search: not yet used for this packet; becomes ctx->search for xt2_eval()
 * @pkt: parsed
 *
 * For batches: while one packet waits for memory, so do the others.  First
 * each packet's xt2_eval_search(), then each one's xt2_eval_collect(), then
 * each one's xt2_eval(), with the same hook and no change to the packet in
 * between.
 */
void xt2_eval_search(const struct xt2_ctx *ctx, const struct xt2_hook __img *hook,
		     const struct xt2_pkt *pkt, struct xt2_search *search);
void xt2_eval_collect(const struct xt2_ctx *ctx, struct xt2_search *search);

#endif
