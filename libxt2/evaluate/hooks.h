/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - packets against a ruleset, as a host with a kernel's hooks; not installed
 *
 * The hook entries of an image are sorted, so the tables that a packet meets
 * at a hook are one run of them, in the kernel's order.  Evaluation goes on
 * until a table says anything but ACCEPT.
 *
 * It is a header because two evaluators are made of it: evaluator.c, which counts
 * in the rules, and share/reader.c, for which xt2_eval() is another function.
 */
#ifndef XT2_LIBXT2_EVALUATE_HOOKS_H
#define XT2_LIBXT2_EVALUATE_HOOKS_H

#include <xt2/xt2.h>
#include "engine/eval.h"
#include "engine/order.h"
#include "track.h"

#define XT2_DEPTH_MAX (1u << 20) /* frames: 32 MiB */

/* Hook entries of the root: they are sorted, so those of a family's hook stand together. */
struct entries {
	u32 first, end;
	const struct xt2_hook *lone; /* the only one, if it is asked about every packet as it is */
};

struct xt2_evaluator {
	struct xt2_ctx ctx;
	struct xt2_frame *stack;
	struct xt2_search search;
	struct entries entries[XT2_IPV6 + 1][XT2_HOOKS_MAX]; /* by family and hook */
	bool indexed; /* some chain has an index */
	bool patched; /* some chain has a patch, which only a search follows */
	struct xt2_search *ahead; /* XT2_BATCH of them; NULL: to search ahead would not pay */
};

static bool is_nat(const struct xt2_table *t)
{
	return !memcmp(t->name, "nat", sizeof("nat"));
}

/* The table sees every packet, with the state of its connection. */
static bool is_always_asked(const struct xt2_evaluator *ev, const struct xt2_hook *h)
{
	return h->priority > XT2_PRIORITY_CONNTRACK &&
	       !is_nat(xt2_image_table(ev->ctx.img, ev->ctx.root, h->table));
}

static void note_entries(struct xt2_evaluator *ev)
{
	const struct xt2_hook *h;
	u32 i;

	if (!ev->ctx.root)
		return;
	xt2_image_for_each_hook(h, i, ev->ctx.img, ev->ctx.root) {
		struct entries *e = &ev->entries[h->family][h->hook];

		if (!e->end)
			e->first = i;
		e->end = i + 1;
		e->lone = e->first == i && is_always_asked(ev, h) ? h : NULL;
	}
}

static bool is_asked(const struct xt2_table *t, const char *table, const struct xt2_pkt *pkt)
{
	if (table)
		return !strcmp(t->name, table);
	return !is_nat(t) || xt2_track_maps(pkt);
}

/* Say where the context's verdict came from. */
static void name_rule(const struct xt2_ctx *ctx, struct xt2_result *result)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;

	if (!ctx->chain)
		return;
	c = xt2_at(ctx->img, ctx->chain);
	r = xt2_at(ctx->img, ctx->rule);
	result->table = xt2_image_table(ctx->img, ctx->root, c->table)->name;
	result->chain = xt2_image_chain_cold(ctx->img, ctx->root, c->index)->name;
	result->rule = r == xt2_chain_tail(c) ? 0 : xt2_rule_number(ctx->img, c, r);
}

/* => verdict of the last table that was asked */
static int run(struct xt2_ctx *ctx, struct entries e, const char *table, struct xt2_result *result,
	       bool *asked)
{
	struct xt2_pkt *pkt = ctx->pkt;
	struct xt2_track track;
	int verdict = XT2_ACCEPT;
	u32 i;

	*asked = false;
	track.hidden = false;
	for (i = e.first; i < e.end; i++) {
		const struct xt2_hook *h = xt2_image_hook(ctx->img, ctx->root, i);

		xt2_track_table(&track, pkt, h->priority);
		if (!is_asked(xt2_image_table(ctx->img, ctx->root, h->table), table, pkt))
			continue;
		ctx->nevents = 0;
		*asked = true;
		verdict = xt2_eval(ctx, h);
		result->events += ctx->nevents;
		if (verdict != XT2_ACCEPT)
			break;
	}
	xt2_track_table(&track, pkt, XT2_PRIORITY_CONNTRACK); /* the caller's again */
	return verdict;
}

static struct entries entries_of(const struct xt2_evaluator *ev, const struct xt2_pkt *pkt,
				 int hook)
{
	if (pkt->family > XT2_IPV6 || hook < 0 || hook >= XT2_HOOKS_MAX)
		return (struct entries){ 0 };
	return ev->entries[pkt->family][hook];
}

/*
 * One packet.  Mostly one table has the hook, and nothing stands between the
 * packet and it; else run() asks them in turn.
 */
static __always_inline void evaluate(struct xt2_evaluator *ev, int hook, const char *table,
				     struct xt2_pkt *pkt, int want_rule, struct xt2_result *result)
{
	const struct entries e = entries_of(ev, pkt, hook);
	struct xt2_ctx *ctx = &ev->ctx;
	u64 faults = ctx->faults;
	bool asked = true;

	*result = (struct xt2_result){ 0 };
	pkt->hook = (u8)hook;
	ctx->pkt = pkt;
	ctx->verdict_arg = 0;
	ctx->nevents = 0;
	if (likely(e.lone && !table)) {
		result->verdict = xt2_eval(ctx, e.lone);
		result->events = ctx->nevents;
	} else {
		result->verdict = run(ctx, e, table, result, &asked);
	}
	if (!asked)
		return;
	result->arg = ctx->verdict_arg; /* 0 if accepted: what sets it decides */
	result->hotdrop = ctx->hotdrop;
	result->faults = ctx->faults != faults;
	if (unlikely(want_rule))
		name_rule(ctx, result);
}

/*
 * => the first table that a packet meets, if what it looks for can be looked for now; or NULL
 *
 * Tables in front of conntrack see packets as if they were of no connection.
 */
static const struct xt2_hook *first_table(const struct xt2_evaluator *ev, int hook,
					  const char *table, const struct xt2_pkt *pkt)
{
	const struct xt2_ctx *ctx = &ev->ctx;
	const struct entries e = entries_of(ev, pkt, hook);
	u32 i;

	for (i = e.first; i < e.end; i++) {
		const struct xt2_hook *h = xt2_image_hook(ctx->img, ctx->root, i);

		if (is_asked(xt2_image_table(ctx->img, ctx->root, h->table), table, pkt))
			return h->priority > XT2_PRIORITY_CONNTRACK ? h : NULL;
	}
	return NULL;
}

/* Searches of all packets, so that each waits for memory while the others do. */
static void look_ahead(struct xt2_evaluator *ev, int hook, const char *table,
		       struct xt2_pkt *const *pkts, unsigned int n)
{
	const struct xt2_hook *h;
	unsigned int i;

	for (i = 0; i < n; i++) {
		ev->ahead[i].chain = 0;
		h = first_table(ev, hook, table, pkts[i]);
		if (h)
			xt2_eval_search(&ev->ctx, h, pkts[i], &ev->ahead[i]);
	}
	for (i = 0; i < n; i++)
		xt2_eval_collect(&ev->ctx, &ev->ahead[i]);
}

static void evaluate_batch(struct xt2_evaluator *ev, int hook, const char *table,
			   struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			   int want_rule, struct xt2_result *results)
{
	struct xt2_ctx *ctx = &ev->ctx;
	struct xt2_search *const search = ctx->search;
	unsigned int i, j, some;

	for (i = 0; i < n; i += some) {
		some = n - i < XT2_BATCH ? n - i : XT2_BATCH;
		if (search && ev->ahead)
			look_ahead(ev, hook, table, pkts + i, some);
		for (j = i; j < i + some; j++) {
			if (search && ev->ahead)
				ctx->search = &ev->ahead[j - i];
			ctx->now = now[j];
			evaluate(ev, hook, table, pkts[j], want_rule, &results[j]);
		}
	}
	ctx->search = search;
}

#endif
