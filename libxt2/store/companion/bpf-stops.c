/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-stops.c - matches at which a live packet stops until the kernel has answered: kernel/bpf/act.h
 *
 * They are those that have an effect of their own, and those that look at what a step before them
 * may have changed.  Evaluation goes on at the first match of their rule.  So no match before one may
 * remember anything, and a rule has one at most; others are refused as they would be without stops.
 * What steps do that come after all others (bpf-bound.c) would be forgotten at a stop, so their
 * tables have none.
 */
#include "bpf-stops.h"
#include "engine/order.h"
#include "libxt2/evaluate/reach.h"
#include "libxt2/grow.h"

struct finding {
	struct xt2_stops *stops;
	const struct xt2_image *img;
	u64 late; /* bits of tables with a step that is done after all others */
	u32 changes, looks; /* enum xt2_left_change, of all rules */
	int ret;
};

static int by_offset(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool has_stops(const struct xt2_image *img, const struct xt2_chain *c)
{
	const struct xt2_table *t = xt2_image_table(img, xt2_image_root(img), c->table);

	return xt2_live_has_program_(img, t) && xt2_live_table_(t->name) != XT2_NAT;
}

/* Would it be met again with the same outcome? */
static bool is_repeatable(const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_CPU:
	case XT2_M_TIME:
	case XT2_M_SCTP: /* these two may hold, and drop all the same */
	case XT2_M_DCCP: return false;
	}
	return !(xt2_match_info(m->type) & XT2_EXT_CELL);
}

/* May evaluation stop at m, and begin again with its rule? */
static bool can_repeat_to(const struct xt2_rule *r, const struct xt2_match *m)
{
	const struct xt2_match *before;

	xt2_rule_for_each_match(before, r) {
		if (before == m)
			return true;
		if (!is_repeatable(before))
			return false;
	}
	return false;
}

static void add(struct finding *f, const struct xt2_match *m)
{
	struct xt2_stops *s = f->stops;

	if (!f->ret)
		f->ret = xt2_grow_(&s->offset, s->n, &s->cap, sizeof(*s->offset));
	if (!f->ret)
		s->offset[s->n++] = xt2_offset(f->img, m);
}

/* A match that is asked, after a step that changes what it looks at. */
static void on_changed(void *arg, const struct xt2_chain *c, u32 rule, const struct xt2_match *m)
{
	struct finding *f = arg;

	if (has_stops(f->img, c) && xt2_left_is_question_(f->img, m))
		add(f, m);
}

/* Is it done after all others, or not at all what it was when it was noted? */
static bool is_late(const struct xt2_image *img, const struct xt2_rule *r)
{
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_CT:
	case XT2_T_ECN: return true;
	case XT2_T_FOREIGN: return xt2_left_is_late_(img, r);
	}
	return false;
}

static void look(struct finding *f, const struct xt2_chain *c, u32 rules)
{
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;

	xt2_chain_for_each(r, &o, f->img, c) {
		if (!rules-- || f->ret)
			break;
		if (is_late(f->img, r))
			f->late |= 1ull << (c->table & 63);
		f->changes |= xt2_left_changes_(f->img, r);
		xt2_rule_for_each_match(m, r) {
			f->looks |= xt2_left_looks_at_(f->img, m);
			if (xt2_left_has_effect_(f->img, m))
				add(f, m);
		}
	}
}

/* => the one match of a rule at which evaluation may stop, or NULL */
static const struct xt2_match *only_stop(const struct xt2_stops *all, const struct xt2_image *img,
					 const struct xt2_rule *r)
{
	const struct xt2_match *m, *found = NULL;

	xt2_rule_for_each_match(m, r) {
		if (!xt2_stops_has_(all, img, m))
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found && can_repeat_to(r, found) ? found : NULL;
}

/* all: candidates */
static void keep_possible(struct finding *f, const struct xt2_stops *all)
{
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i;

	xt2_image_for_each_chain(c, i, f->img, xt2_image_root(f->img)) {
		if (f->late >> (c->table & 63) & 1)
			continue;
		xt2_chain_for_each(r, &o, f->img, c) {
			m = only_stop(all, f->img, r);
			if (m)
				add(f, m);
		}
	}
}

/* Most rulesets have no step that changes what a question looks at: then no order matters. */
static int find_candidates(struct finding *f, struct xt2_reach *reach)
{
	const struct xt2_root *root = xt2_image_root(f->img);
	u8 *reached = calloc(root->chains + 1ull, 1);
	const struct xt2_chain *c;
	u32 i;
	int ret = reached ? 0 : -ENOMEM;

	if (ret)
		return ret;
	xt2_image_for_each_chain(c, i, f->img, root) {
		reached[i] = reach->chain[i].rules != 0;
		if (reached[i] && has_stops(f->img, c))
			look(f, c, reach->chain[i].rules);
	}
	if (f->changes & f->looks)
		ret = xt2_left_order_(f->img, reached, on_changed, f);
	free(reached);
	return ret ? ret : f->ret;
}

static void sort(struct xt2_stops *s)
{
	if (s->n)
		qsort(s->offset, s->n, sizeof(*s->offset), by_offset);
}

bool xt2_stops_has_(const struct xt2_stops *stops, const struct xt2_image *img,
		    const struct xt2_match *m)
{
	const u32 offset = xt2_offset(img, m);

	return stops->n &&
	       bsearch(&offset, stops->offset, stops->n, sizeof(offset), by_offset) != NULL;
}

/* --- how often ------------------------------------------------------------------ */

#define MANY 0xffu

static u32 sum(u32 a, u32 b)
{
	return a + b < MANY ? a + b : MANY;
}

/* By what is known so far of the chains that its rules lead to. */
static u8 most_of(const struct xt2_stops *stops, const struct xt2_image *img,
		  const struct xt2_chain *c)
{
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 n = 0;

	xt2_chain_for_each(r, &o, img, c) {
		xt2_rule_for_each_match(m, r)
			n = sum(n, xt2_stops_has_(stops, img, m));
		if (xt2_rule_branches(r))
			n = sum(n, stops->most[XT2_TARGET_ARG(r->target)]);
		if (xt2_rule_ends(r)) /* behind it there may be loops */
			break;
	}
	return (u8)n;
}

/* Until nothing is added: as many rounds as chains are deep.  => 0, -ENOMEM */
static int count(struct xt2_stops *stops, const struct xt2_image *img)
{
	const struct xt2_chain *c;
	bool more = true;
	u8 most;
	u32 i;

	stops->most = calloc(xt2_image_root(img)->chains + 1ull, 1);
	if (!stops->most)
		return -ENOMEM;
	while (more) {
		more = false;
		xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
			most = most_of(stops, img, c);
			more |= most > stops->most[i];
			stops->most[i] = most;
		}
	}
	return 0;
}

/* --- for everybody ---------------------------------------------------------------- */

int xt2_stops_find_(struct xt2_stops *stops, const struct xt2_image *img)
{
	struct xt2_stops all = { .n = 0 };
	struct finding f = { .stops = &all, .img = img };
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	struct xt2_reach reach;
	int ret;
	u32 i;

	memset(stops, 0, sizeof(*stops));
	if (!xt2_left_count_(img))
		return 0;
	ret = xt2_reach_begin(&reach, img);
	if (!ret) {
		xt2_image_for_each_hook(h, i, img, xt2_image_root(img))
			xt2_reach_add(&reach, h->chain);
		xt2_reach_for_each(c, &reach);
		ret = find_candidates(&f, &reach);
	}
	xt2_reach_end(&reach);
	if (!ret && all.n) {
		sort(&all);
		f.stops = stops;
		keep_possible(&f, &all);
		sort(stops);
		ret = f.ret;
	}
	xt2_stops_free_(&all);
	return ret || !stops->n ? ret : count(stops, img);
}

void xt2_stops_free_(struct xt2_stops *stops)
{
	free(stops->offset);
	free(stops->most);
	memset(stops, 0, sizeof(*stops));
}

u32 xt2_stops_most_(const struct xt2_stops *stops, u32 chain)
{
	return stops->n ? stops->most[chain] : 0;
}
