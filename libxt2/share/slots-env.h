/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots-env.h - the engine's environment where several threads count
 *
 * A second evaluator is compiled from the engine's sources, with functions of other names.
 * It counts in slots: the packets of a rule, or a rule group, are the number of a counter in
 * the thread's own strip, ctx->counters.  Only that thread writes there, so it needs no
 * atomic addition; its stores are atomic, for the writer that reads them.
 */
#ifndef XT2_LIBXT2_SHARE_SLOTS_ENV_H
#define XT2_LIBXT2_SHARE_SLOTS_ENV_H

#define xt2_eval	 xt2_slots_eval_
#define xt2_eval_at_once xt2_slots_eval_at_once_
#define xt2_rare_match	 xt2_slots_rare_match_
#define xt2_rest_match	 xt2_slots_rest_match_
#define xt2_verdict_name xt2_slots_verdict_name_
#define xt2_enter_index	 xt2_slots_enter_index_
#define xt2_next_indexed xt2_slots_next_indexed_
#define xt2_eval_search	 xt2_slots_eval_search_
#define xt2_eval_collect xt2_slots_eval_collect_

#include "engine/env.h"
#include "engine/tune.h"

/* The layout of a strip: 16 bytes a slot. */
static __always_inline void xt2_slot_count_(void *strip, u64 slot, u64 bytes)
{
	u64 *c = (u64 *)strip + 2 * slot;

	__atomic_store_n(&c[0], c[0] + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c[1], c[1] + bytes, __ATOMIC_RELAXED);
}

#undef xt2_rule_count
#define xt2_rule_count(r, n, ctx) xt2_slot_count_((ctx)->counters, (r)->packets, n)

#endif
