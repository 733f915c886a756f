/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-meets.c - how many rules a packet may meet at a hook
 *
 * A chain's rules count as often as packets may enter it.  Of a compiled image that is found by a walk
 * from the hooks.  An edit adds to the bound of the ruleset before it: rules that came, as often as
 * packets may enter their chains, and for rules that lead to a chain which was there, all that
 * packets may meet from that chain on.  Rules that went leave the bound as it is.
 */
#include "bpf-private.h"
#include "engine/rule.h"
#include "libxt2/ruleset/inplace.h"

#define NO_CHAIN (~0u)

/* A chain on the way from a hook. */
struct way {
	u64 rules; /* that a packet may meet from here on; saturating */
	const struct xt2_rule *at; /* the next one to examine; NULL: not entered yet */
	u32 parent;
	bool done;
};

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	struct way *ways; /* by chain */
	bool beyond; /* what follows an unconditional verdict counts as well */
};

static u64 sum(u64 a, u64 b)
{
	return a + b < a ? ~0ull : a + b;
}

static u64 product(u64 a, u64 b)
{
	return b && a > ~0ull / b ? ~0ull : a * b;
}

/* --- a compiled image -------------------------------------------------------------- */

static void enter(const struct walk *w, u32 chain, u32 parent)
{
	const struct xt2_chain *c = xt2_image_chain(w->img, w->root, chain);

	w->ways[chain].rules = c->rules;
	w->ways[chain].at = xt2_chain_first(c);
	w->ways[chain].parent = parent;
}

static bool ends(const struct walk *w, const struct xt2_rule *r)
{
	return !w->beyond && xt2_rule_ends(r);
}

/*
 * => the chain to examine before this one goes on; NO_CHAIN: this one is done.  A loop, which there may
 * be beyond a verdict, has rules without an end.
 */
static u32 advance(const struct walk *w, u32 chain)
{
	const struct xt2_rule *tail = xt2_chain_tail(xt2_image_chain(w->img, w->root, chain));
	struct way *way = &w->ways[chain];
	const struct way *to;

	for (; way->at < tail && !ends(w, way->at); way->at = xt2_rule_next(way->at)) {
		if (!xt2_rule_branches(way->at))
			continue;
		to = &w->ways[XT2_TARGET_ARG(way->at->target)];
		if (!to->done && !to->at)
			return XT2_TARGET_ARG(way->at->target);
		way->rules = to->done ? sum(way->rules, to->rules) : ~0ull;
	}
	way->done = true;
	return NO_CHAIN;
}

/* Depth first, with the way back in ways.  => rules that a packet may meet */
static u64 rules_from(const struct walk *w, u32 start)
{
	u32 at = start, to;

	if (!w->ways[start].done)
		enter(w, start, NO_CHAIN);
	while (at != NO_CHAIN && !w->ways[start].done) {
		to = advance(w, at);
		if (to != NO_CHAIN)
			enter(w, to, at);
		at = to != NO_CHAIN ? to : w->ways[at].parent;
	}
	return w->ways[start].rules;
}

int xt2_live_meets_(const struct xt2_image *img, bool beyond, u64 *rules)
{
	struct walk w = { .img = img, .root = xt2_image_root(img), .beyond = beyond };
	const struct xt2_hook *h;
	u32 i;

	w.ways = calloc(w.root->chains + 1, sizeof(*w.ways));
	if (!w.ways)
		return -ENOMEM;
	xt2_image_for_each_hook(h, i, img, w.root)
		rules[i] = rules_from(&w, h->chain);
	free(w.ways);
	return 0;
}

u64 xt2_live_meets_most_(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	u64 *rules = calloc(root->hooks + 1, sizeof(*rules)), most = 0;
	u32 i;

	if (!rules || xt2_live_meets_(img, true, rules)) {
		free(rules);
		return ~0ull;
	}
	for (i = 0; i < root->hooks; i++)
		most = rules[i] > most ? rules[i] : most;
	free(rules);
	return most;
}

/* --- an edited one ------------------------------------------------------------------ */

struct edited {
	const struct xt2_inplace_ *in;
	const struct xt2_root *before, *root;
	u64 longest;
};

static u64 entries(const struct edited *e, u32 chain)
{
	const u64 n = xt2_ways_entries(&e->in->ways, e->in->img, e->root, chain);

	return n < e->root->visits ? n : e->root->visits;
}

static u64 length(const struct edited *e, const struct xt2_root *root, u32 chain)
{
	const struct xt2_chain *c = xt2_image_chain(e->in->img, root, chain);

	return c ? xt2_chain_length(e->in->img, c) : 0;
}

static u64 came(const struct edited *e, u32 chain)
{
	const u64 before = length(e, e->before, chain), now = length(e, e->root, chain);

	return now > before ? product(now - before, entries(e, chain)) : 0;
}

/* The rules of a new chain have come. */
static u64 led(const struct edited *e, const struct xt2_way_edge *edge)
{
	const struct xt2_way *to = xt2_pages_get(&e->in->way, edge->to);
	const u64 visits = to ? to->visits : e->root->visits;
	u64 below;

	if (edge->change <= 0 || !xt2_image_chain(e->in->img, e->before, edge->to))
		return 0;
	below = visits == 1 ? length(e, e->root, edge->to) : product(visits, e->longest);
	return product(product(below, (u32)edge->change), entries(e, edge->from));
}

u64 xt2_live_meets_then_(const struct xt2_live_ruleset *l, const struct xt2_inplace_ *in,
			 const struct xt2_root *root, u64 longest)
{
	const struct edited e = { in, xt2_at(in->img, l->root), root, longest };
	u64 meets = l->meets;
	u32 i;

	for (i = 0; i < in->changes; i++)
		meets = sum(meets, came(&e, in->changed[i]));
	for (i = 0; i < in->ways.edges; i++)
		meets = sum(meets, led(&e, &in->ways.edge[i]));
	return meets;
}
