/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-shares.c - what the kernel's own matches and targets do for a live ruleset
 *
 * All else is done by the programs.  A match that is asked costs each packet at the rule's hooks,
 * whether the packet comes to the rule or not; a target costs the packets that the rule matches.
 */
#include "libxt2/store/companion/bpf-nat.h"
#include "libxt2/evaluate/reach.h"
#include "libxt2/store/companion/bpf-stops.h"

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	xt2_shared found;
	void *data;
	struct xt2_stops stops;
};

/* => the name of a target that a companion carries out, or NULL */
static const char *acted(const struct walk *w, const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	if (kind == XT2_T_NAT || kind == XT2_T_FOREIGN)
		return xt2_image_instance(w->img, w->root, XT2_TARGET_ARG(r->target))->name;
	return kind == XT2_T_REJECT || xt2_left_is_step_(w->img, r) ? xt2_target_name(kind) : NULL;
}

static void tell_rule(const struct walk *w, struct xt2_live_share s, const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		s.part = xt2_stops_has_(&w->stops, w->img, m) ? XT2_LIVE_STOPPED : XT2_LIVE_ASKED;
		if (s.part == XT2_LIVE_ASKED && !xt2_left_is_question_(w->img, m))
			continue;
		s.name = m->type == XT2_M_FOREIGN
				 ? xt2_image_instance(w->img, w->root, m->arg)->name
				 : xt2_match_name(m->type);
		w->found(w->data, &s);
	}
	s.part = XT2_LIVE_ACTED;
	s.name = acted(w, r);
	if (s.name)
		w->found(w->data, &s);
}

/* @rules: that packets can come to, the tail included */
static void tell_chain(const struct walk *w, const struct xt2_chain *c, u32 rules)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, c->table);
	struct xt2_live_share s = { .family = t->family,
				    .table = t->name,
				    .chain =
					    xt2_image_chain_cold(w->img, w->root, c->index)->name };
	const struct xt2_rule *r;

	xt2_chain_for_each_rule(r, c) {
		s.rule++;
		if (!rules--)
			break;
		if (r != xt2_chain_tail(c))
			tell_rule(w, s, r);
	}
}

/* => 0, -ENOMEM */
static int tell_rules(const struct walk *w)
{
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	struct xt2_reach reach;
	int ret = xt2_reach_begin(&reach, w->img);
	u32 i;

	if (!ret) {
		xt2_image_for_each_hook(h, i, w->img, w->root)
			if (xt2_live_hooked(w->img, h))
				xt2_reach_add(&reach, h->chain);
		xt2_reach_for_each(c, &reach);
		xt2_image_for_each_chain(c, i, w->img, w->root)
			if (reach.chain[i].rules)
				tell_chain(w, c, reach.chain[i].rules);
	}
	xt2_reach_end(&reach);
	return ret;
}

static u32 at_hook(const struct xt2_left_item *list, u32 n, u32 table, u32 hook)
{
	u32 i, count = 0;

	for (i = 0; i < n; i++)
		count += list[i].hooks[table] >> hook & 1;
	return count;
}

static void tell_hook(const struct walk *w, const struct xt2_hook *h,
		      const struct xt2_left_plan *plan)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, h->table);
	const u32 table = (u32)xt2_live_table_(t->name);
	const struct xt2_live_share s = {
		.part = XT2_LIVE_HOOK,
		.family = h->family,
		.table = t->name,
		.chain = xt2_image_chain_cold(w->img, w->root, h->chain)->name,
		.asked = at_hook(plan->ask[table], plan->asks[table], table, h->hook),
		.acted = at_hook(plan->step, plan->steps, table, h->hook),
	};

	if (s.asked || s.acted)
		w->found(w->data, &s);
}

int xt2_live_shares(const struct xt2_image *img, xt2_shared found, void *data)
{
	struct walk w = { .img = img, .root = xt2_image_root(img), .found = found, .data = data };
	int ret = w.root ? xt2_stops_find_(&w.stops, img) : 0;
	struct xt2_left_plan plan;
	const struct xt2_hook *h;
	u32 i, family;

	if (w.root && !ret)
		ret = tell_rules(&w);
	xt2_stops_free_(&w.stops);
	for (family = 0; w.root && family < XT2_NFT_FAMILIES && !ret; family++) {
		ret = xt2_left_plan_(&plan, img, xt2_nft_families_[family], NULL);
		xt2_image_for_each_hook(h, i, img, w.root)
			if (h->family == xt2_nft_families_[family] && xt2_live_hooked(img, h))
				tell_hook(&w, h, &plan);
		xt2_left_plan_free_(&plan);
		ret = ret == -E2BIG ? 0 : ret; /* xt2_live_refusals() says it */
	}
	return ret;
}
