/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval.h - what a packet meets
 *
 * The caller owns the context and everything it points to; one context per
 * thread.  It is zeroed and its inputs are set once, then it serves many
 * packets; pkt, root and now are set for each.
 */
#ifndef XT2_ENGINE_EVAL_H
#define XT2_ENGINE_EVAL_H

#include "image.h"
#include "engine/index/search.h"
#include "parse.h"
#include <xt2/verdict.h>

/* A match's answer. */
enum xt2_answer {
	XT2_MISS,
	XT2_HIT,
	XT2_HOTDROP, /* drop now; the rule does not count */
	XT2_HIT_DROP, /* holds; drop when the rule is done with, its target included */
	XT2_UNSURE, /* of xt2_quick_match() alone */
};

/* Where evaluation goes on after a jump. */
struct xt2_frame {
	u32 rule; /* offset of the jump rule */
	u32 chain; /* offset of its chain */
	struct xt2_cursor cursor;
};

/* Something that happened on the way: LOG, NFLOG, TRACE. */
struct xt2_event {
	u8 target; /* enum xt2_target */
	u32 chain; /* offset of the chain */
	u32 rule; /* offset of the rule */
};

struct xt2_ctx {
	struct xt2_pkt *pkt;
	const struct xt2_image __img *img;
	const struct xt2_root __img *root; /* loaded once per packet */
	u64 now; /* ns since 1970; what limit and time see */
	s64 wall; /* ns by which time's clock is ahead, if nobody may set the one of limit */
	s32 tz_west; /* minutes west of Greenwich; time --kerneltz */
	u64 random; /* state of statistic's generator; any seed but 0 */
	void __img *counters; /* of a host that keeps them elsewhere */
	struct xt2_frame *stack;
	u32 stack_size; /* frames at stack */
	struct xt2_event *events;
	u32 events_size; /* events at events; may be 0 */
	struct xt2_search *search; /* NULL: rule after rule; else its chain is 0, or see below */

	/* results */
	u32 chain; /* offset of the chain that decided; 0: a fault */
	u32 rule; /* offset of the rule that decided */
	u32 verdict_arg;
	u32 nevents; /* events that happened; those past events_size are lost */
	u8 hotdrop; /* the verdict came from a match */
	u64 faults; /* total: broken image, stack overflow; each one dropped */
};

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

/*
 * xt2_enter_index, xt2_next_indexed - the rule to look at in a chain with an index
 * @chain: entered now, candidates begin at cursor.base; or being gone through
 * @r: behind this rule
 *
 * For xt2_eval().  cursor.indexed says if the index goes on to be asked.
 * => offset in the chain
 */
xt2_separate u32 xt2_enter_index(struct xt2_ctx *ctx xt2_arg_there,
				 const struct xt2_chain __img *chain xt2_arg_img);
xt2_separate u32 xt2_next_indexed(struct xt2_ctx *ctx xt2_arg_there,
				  const struct xt2_chain __img *chain xt2_arg_img,
				  const struct xt2_rule __img *r xt2_arg_img);

/*
 * xt2_eval_at_once - evaluate a packet if its first candidate decides
 * @chain: the base chain, which has an index
 *
 * Where most rules decide this is most packets, and hardly anything of what a
 * way through chains needs has to be prepared.
 * => the verdict; XT2_NEXT: evaluate it, with what was found
 */
int xt2_eval_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain);

/*
 * xt2_tests_vector - do all tests of a rule hold?
 * @pkt: one to use an index for
 *
 * The environment's xt2_quick_match(), with what the processor has.
 * => XT2_MISS or XT2_HIT; XT2_UNSURE: look at one test after the other
 */
int xt2_tests_vector(const struct xt2_rule *r, const struct xt2_pkt *pkt);

/* Bodies of the extensions, one switch each, in extensions/dispatch.c. */
xt2_separate int xt2_match_ext(const struct xt2_match __img *m xt2_arg_img,
			       struct xt2_ctx *ctx xt2_arg_there);
xt2_separate int xt2_target_ext(const struct xt2_rule __img *r xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);

/* Their payload checks: 0, or -EINVAL. */
int xt2_match_ext_check(const struct xt2_match __img *m, u8 family);
int xt2_target_ext_check(const struct xt2_rule __img *r, u8 family);

static inline struct xt2_pkt *xt2_ctx_pkt(const struct xt2_ctx *ctx)
{
	return xt2_ptr(ctx->pkt);
}

static inline u32 xt2_ctx_offset(const struct xt2_ctx *ctx, const void __img *p)
{
	return (u32)((const u8 __img *)p - (const u8 __img *)ctx->img);
}

/* For targets that report: keeps the event if there is room. */
static inline void xt2_ctx_event(struct xt2_ctx *ctx, u8 target, const struct xt2_rule __img *r)
{
	struct xt2_event *e;

	if (ctx->nevents++ >= ctx->events_size)
		return;
	e = xt2_ptr(ctx->events) + (ctx->nevents - 1);
	e->target = target;
	e->chain = ctx->chain;
	e->rule = xt2_ctx_offset(ctx, r);
}

/* The state cell of a match that has one. */
static inline u64 __img *xt2_ctx_cell(const struct xt2_ctx *ctx, const struct xt2_match __img *m)
{
	return xt2_image_cell(ctx->img, ctx->root, m->arg);
}

static inline bool xt2_inverted(const struct xt2_match __img *m)
{
	return m->flags & XT2_MATCH_INVERT;
}

/* For matches: hit if the condition holds, or if it doesn't and is inverted. */
static inline int xt2_answer(const struct xt2_match __img *m, bool holds)
{
	return holds != xt2_inverted(m) ? XT2_HIT : XT2_MISS;
}

#endif
