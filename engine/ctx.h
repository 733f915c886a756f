/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctx.h - the state of one packet's evaluation
 *
 * The caller owns the context and everything it points to; one context per
 * thread.  It is zeroed and its inputs are set once, then it serves many
 * packets; pkt, root and now are set for each.
 */
#ifndef XT2_ENGINE_CTX_H
#define XT2_ENGINE_CTX_H

#include "image.h"
#include <xt2/pkt.h>

/* Candidates of the chain that a packet is in: see index/search.h. */
struct xt2_cursor {
	u32 indexed; /* 0: the chain is evaluated rule after rule */
	u32 run; /* offset of the run that the rule stands for; 0: none */
	u32 resume; /* see xt2_index_find() */
	u32 epoch; /* xt2_search.epoch when they were searched */
	u16 base, at, end; /* in xt2_search.unit; those before at are done */
	u16 holds; /* all tests of the rule that the packet is at hold */
};

/* Where evaluation goes on after a jump. */
struct xt2_frame {
	u32 rule; /* offset of the jump rule */
	u32 chain; /* offset of its chain */
	struct xt2_cursor cursor;
};

/* Where the packet is: the evaluator's own. */
struct xt2_place {
	const struct xt2_chain __img *xt2_forgotten chain;
	const struct xt2_chain __img *xt2_forgotten base; /* where it began */
	xt2_forgotten u64 faults; /* of the context, then */
	xt2_forgotten u32 len; /* bytes of the packet */
	xt2_forgotten u32 depth; /* frames in use */
};

/* Something that happened on the way: LOG, NFLOG, TRACE. */
struct xt2_event {
	u8 target; /* enum xt2_target */
	u32 value; /* the packet's mark; of a step (kernel/bpf/act.h) its number */
	u32 chain; /* offset of the chain */
	u32 rule; /* offset of the rule */
};

struct xt2_search;

struct xt2_ctx {
	struct xt2_pkt *pkt;
	const struct xt2_image __img *img;
	const struct xt2_root __img *root; /* loaded once per packet */
	u64 now; /* ns since 1970; the time that limit and time see */
	s64 wall; /* ns by which time's clock is ahead, if limit's clock cannot be set */
	s32 tz_west; /* minutes west of Greenwich; time --kerneltz */
	u64 random; /* state of statistic's generator; any seed but 0 */
	void __img *counters; /* in environments that keep them elsewhere */
	const void __img *left; /* numbers of what others do or answer, where there are others */
	u64 answers; /* of those others, a bit for each of their numbers */
	u32 left_mask;
	u32 asked; /* the question that others have answered, with yes; 0: none */
	u32 asked_at; /* offset of its match */
	u8 yes;
	u8 resumes; /* evaluation goes on at rule: place, stack and cursor are as they were */
	struct xt2_frame *stack;
	u32 stack_size; /* frames at stack */
	struct xt2_event *events;
	u32 events_size; /* events at events; may be 0 */
	struct xt2_search
		*search; /* NULL: rule after rule; else its chain is 0, or see eval-index.h */

	/* results */
	u32 chain; /* offset of the chain that decided; 0: a fault */
	u32 rule; /* offset of the rule that decided, or in which evaluation stopped */
	u32 verdict_arg;
	u32 nevents; /* events that happened; those past events_size are lost */
	u8 hotdrop; /* the verdict came from a match */
	u8 late; /* of a hotdrop: the rule held, so its target has acted */
	u64 faults; /* total: broken image, stack overflow; each one dropped */

	struct xt2_place place; /* in environments that keep it here */
};

static inline struct xt2_pkt *xt2_ctx_pkt(const struct xt2_ctx *ctx)
{
	return xt2_ptr(ctx->pkt);
}

static inline u32 xt2_ctx_offset(const struct xt2_ctx *ctx, const void __img *p)
{
	return xt2_offset(ctx->img, p);
}

/* For targets that report: keeps the event if there is room. */
static inline void xt2_ctx_event(struct xt2_ctx *ctx, u8 target, const struct xt2_rule __img *r)
{
	struct xt2_event *e;

	if (ctx->nevents++ >= ctx->events_size)
		return;
	e = xt2_ptr(ctx->events) + (ctx->nevents - 1);
	e->target = target;
	e->value = xt2_ctx_pkt(ctx)->mark;
	e->chain = ctx->chain;
	e->rule = xt2_ctx_offset(ctx, r);
}

/* The state cell of a match that has one. */
static inline u64 __img *xt2_ctx_cell(const struct xt2_ctx *ctx, const struct xt2_match __img *m)
{
	return xt2_image_cell(ctx->img, ctx->root, m->arg);
}

#endif
