/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.c - the chains and rules of an image that packets can come to
 *
 * Breadth first: chains wait in a queue, whose places are members of the
 * chains' records, so that one allocation holds all of a walk.
 */
#include "config.h"
#include "reach.h"
#include "engine/order.h"

#include <stdlib.h>

static bool ends(const struct xt2_rule *r)
{
	return xt2_rule_ends(r);
}

int xt2_reach_begin(struct xt2_reach *w, const struct xt2_image *img)
{
	*w = (struct xt2_reach){ .img = img, .root = xt2_image_root(img), .ends = ends };
	w->chain = calloc(w->root ? w->root->chains + 1ull : 1, sizeof(*w->chain));
	return w->chain ? 0 : -ENOMEM;
}

void xt2_reach_end(struct xt2_reach *w)
{
	free(w->chain);
}

/* Visit a chain later, unless it was found before. */
static void find(struct xt2_reach *w, u32 chain, const struct xt2_rule *rule, u32 from)
{
	struct xt2_reach_chain *to = &w->chain[chain];

	if (to->from || to->rule)
		return;
	w->chain[w->found++].queued = chain;
	to->rule = rule;
	to->from = from;
}

void xt2_reach_add(struct xt2_reach *w, u32 chain)
{
	find(w, chain, NULL, XT2_REACH_START);
}

bool xt2_reach_table(const struct xt2_reach *w, u32 table, int family, const char *name)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, table);

	return (family < 0 || t->family == family) && (!name || !strcmp(t->name, name));
}

void xt2_reach_hooks(struct xt2_reach *w, int family, int hook, const char *table)
{
	const struct xt2_hook *h;
	u32 i;

	for (i = 0; w->root && i < w->root->hooks; i++) {
		h = xt2_image_hook(w->img, w->root, i);
		if (h->hook == hook && xt2_reach_table(w, h->table, family, table))
			xt2_reach_add(w, h->chain);
	}
}

const struct xt2_chain *xt2_reach_next(struct xt2_reach *w)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 chain;

	if (w->visited == w->found)
		return NULL;
	chain = w->chain[w->visited++].queued;
	c = xt2_image_chain(w->img, w->root, chain);
	xt2_chain_for_each(r, &o, w->img, c) {
		w->chain[chain].rules++;
		if (xt2_rule_branches(r))
			find(w, XT2_TARGET_ARG(r->target), r, chain);
		if (w->ends(r))
			break;
	}
	return c;
}
