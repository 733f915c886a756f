/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluator.c - packets against a ruleset that one thread has for itself: see hooks.h */
#include "config.h"
#include "hooks.h"
#include "libxt2/ruleset/ruleset.h"
#include "engine/index/patched.h"

#include <stdlib.h>

/* Note which indexes there are.  => does any of them wait for memory? */
static bool find_indexes(struct xt2_evaluator *ev, const struct xt2_image *image,
			 const struct xt2_root *root)
{
	const struct xt2_chain *c;
	bool far = false;
	u32 i;

	if (!root)
		return false;
	xt2_image_for_each_chain(c, i, image, root) {
		if (!c->lookup)
			continue;
		ev->indexed = true;
		ev->patched |= xt2_chain_patch(c) != NULL;
		far |= xt2_index_far(xt2_chain_index(c));
	}
	return far && !ev->patched; /* a search ahead follows no patch */
}

int xt2_evaluator_ahead_(struct xt2_evaluator *ev)
{
	if (!ev->ahead)
		ev->ahead = calloc(XT2_BATCH, sizeof(*ev->ahead));
	return ev->ahead ? 0 : -ENOMEM;
}

struct xt2_evaluator *xt2_evaluator_new(struct xt2_image *image, size_t size)
{
	const struct xt2_root *root = xt2_image_root(image);
	u32 depth = root ? root->depth : 0;
	struct xt2_evaluator *ev;

	if (depth > XT2_DEPTH_MAX || xt2_image_too_long(image)) {
		errno = E2BIG;
		return NULL;
	}
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	ev->stack = calloc(depth ? depth : 1, sizeof(*ev->stack));
	if (!ev->stack || (find_indexes(ev, image, root) && xt2_evaluator_ahead_(ev))) {
		xt2_evaluator_free(ev);
		errno = ENOMEM;
		return NULL;
	}
	ev->ctx.img = image;
	ev->ctx.root = root;
	ev->ctx.stack = ev->stack;
	ev->ctx.stack_size = depth;
	ev->ctx.search = ev->indexed ? &ev->search : NULL;
	note_entries(ev);
	xt2_evaluator_seed(ev, 1);
	return ev;
}

void xt2_evaluator_free(struct xt2_evaluator *ev)
{
	if (!ev)
		return;
	free(ev->ahead);
	free(ev->stack);
	free(ev);
}

void xt2_evaluator_seed(struct xt2_evaluator *ev, __u64 seed)
{
	ev->ctx.random = seed ? seed : 1;
}

void xt2_evaluator_linear(struct xt2_evaluator *ev, int on)
{
	ev->search.linear = on;
	ev->ctx.search = ev->patched || (ev->indexed && !on) ? &ev->search : NULL;
}

int xt2_evaluate(struct xt2_evaluator *ev, int hook, const char *table, struct xt2_pkt *pkt,
		 __u64 now, int want_rule, struct xt2_result *result)
{
	ev->ctx.now = now;
	evaluate(ev, hook, table, pkt, want_rule, result);
	return result->verdict;
}

void xt2_evaluate_batch(struct xt2_evaluator *ev, int hook, const char *table,
			struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			int want_rule, struct xt2_result *results)
{
	evaluate_batch(ev, hook, table, pkts, now, n, want_rule, results);
}
