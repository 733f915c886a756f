/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jumps.c - the jumps between a ruleset's chains: see jumps.h */
#include "config.h"
#include "jumps.h"

#include <stdlib.h>

int xt2_jumps_begin(struct xt2_jumps *w, u32 chains)
{
	*w = (struct xt2_jumps){ .chains = chains, .at = XT2_NONE };
	w->chain = calloc(chains + 1ull, sizeof(*w->chain));
	return w->chain ? 0 : -ENOMEM;
}

void xt2_jumps_end(struct xt2_jumps *w)
{
	xt2_arena_free_(&w->lists);
	free(w->chain);
}

int xt2_jumps_add(struct xt2_jumps *w, u32 chain, u32 rule, const struct xt2_rule *r)
{
	const u32 to = xt2_rule_jumps(r);
	struct xt2_jumps_chain *c = &w->chain[chain];

	if (to == XT2_NONE)
		return 0;
	if (xt2_arena_grow(&w->lists, &c->jump, c->jumps, &c->room, sizeof(*c->jump)))
		return -ENOMEM;
	c->jump[c->jumps++] = (struct xt2_jump){ .to = to, .rule = rule };
	return 0;
}

static void enter(struct xt2_jumps *w, u32 chain)
{
	struct xt2_jumps_chain *c = &w->chain[chain];

	c->open = c->seen = true;
	c->next = 0;
	c->from = w->at;
	w->at = chain;
}

void xt2_jumps_start(struct xt2_jumps *w, u32 base)
{
	u32 i;

	for (i = 0; i < w->chains; i++)
		w->chain[i].open = w->chain[i].seen = false;
	w->at = XT2_NONE;
	enter(w, base);
}

const struct xt2_jump *xt2_jumps_next(struct xt2_jumps *w, u32 *from, bool *loop)
{
	while (w->at != XT2_NONE) {
		struct xt2_jumps_chain *c = &w->chain[w->at];
		const struct xt2_jump *j;

		if (c->next == c->jumps) {
			c->open = false;
			w->at = c->from;
			continue;
		}
		j = &c->jump[c->next++];
		*from = w->at;
		*loop = w->chain[j->to].open;
		if (!w->chain[j->to].seen)
			enter(w, j->to);
		else if (!*loop)
			continue;
		return j;
	}
	return NULL;
}
