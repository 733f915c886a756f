/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-plan.c - which companions the nat tables of a ruleset need
 *
 * One for each distinct target that packets can reach from a hook; equal targets are one instance.
 * Targets are numbered in the order of their instances, from 1; what packets of PREROUTING
 * and OUTPUT find is one tree.
 */
#include "bpf-nat.h"
#include "engine/order.h"
#include "engine/rule.h"

#define JUMP 2u /* uses: of the chain that has the rule, and of the one where it leads */

static bool is_nat(const struct xt2_table *t)
{
	return !strcmp(t->name, "nat") && (t->family == XT2_IPV4 || t->family == XT2_IPV6);
}

/* A table without rules at its hooks, and with no policy but ACCEPT, does nothing. */
bool xt2_live_idle_(const struct xt2_image *img, const struct xt2_table *t)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	u32 i;

	if (!is_nat(t))
		return false;
	xt2_image_for_each_hook(h, i, img, root) {
		if (xt2_image_table(img, root, h->table) != t)
			continue;
		c = xt2_image_chain(img, root, h->chain);
		if (xt2_chain_length(img, c) > 1 ||
		    XT2_TARGET_KIND(xt2_chain_tail(c)->target) != XT2_T_ACCEPT)
			return false;
	}
	return true;
}

u32 xt2_live_nats(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_table *t;
	u32 i, families = 0;

	xt2_image_for_each_table(t, i, img, root)
		if (is_nat(t) && !xt2_live_idle_(img, t))
			families |= 1u << (t->family == XT2_IPV6);
	return families;
}

/* A rule has such a target in a nat table. */
static bool has_target(const struct xt2_rule *r)
{
	return XT2_TARGET_KIND(r->target) == XT2_T_NAT;
}

/* Numbers of targets, by instance; 0: it is none that a rule names. */
static void number_targets(const struct xt2_image *img, u32 *number)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i, n = 0;

	memset(number, 0, root->instances * sizeof(*number));
	xt2_image_for_each_chain(c, i, img, root)
		xt2_chain_for_each(r, &o, img, c)
			if (has_target(r))
				number[XT2_TARGET_ARG(r->target)] = 1;
	for (i = 0; i < root->instances; i++)
		if (number[i])
			number[i] = ++n;
}

/* --- what packets reach ---------------------------------------------------- */

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	u8 *seen; /* by chain: bits of trees from whose hooks packets can get there */
	u32 *todo, left;
	u8 *wanted; /* by instance: likewise */
	u32 *number; /* by instance */
};

static void reach(struct walk *w, u32 chain, u8 tree)
{
	if (w->seen[chain] & tree)
		return;
	w->seen[chain] |= tree;
	w->todo[w->left++] = chain;
}

/* A chain of a tree is in todo once. */
static void look(struct walk *w, u8 tree)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;

	while (w->left) {
		c = xt2_image_chain(w->img, w->root, w->todo[--w->left]);
		xt2_chain_for_each(r, &o, w->img, c) {
			if (xt2_rule_branches(r))
				reach(w, XT2_TARGET_ARG(r->target), tree);
			if (has_target(r))
				w->wanted[XT2_TARGET_ARG(r->target)] |= tree;
		}
	}
}

enum xt2_nat_tree xt2_nat_tree_of_(u32 hook)
{
	if (hook == XT2_INPUT)
		return XT2_NAT_IN;
	return hook == XT2_POSTROUTING ? XT2_NAT_POST : XT2_NAT_DST;
}

static bool is_of(const struct walk *w, const struct xt2_hook *h, u8 family)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, h->table);

	return h->family == family && is_nat(t) && !xt2_live_idle_(w->img, t);
}

static void look_from_hooks(struct walk *w, struct xt2_nat_plan *plan, u8 family)
{
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, w->img, w->root) {
		const u8 tree = (u8)(1u << xt2_nat_tree_of_(h->hook));

		if (!is_of(w, h, family))
			continue;
		plan->used = true;
		plan->hooks |= 1u << h->hook;
		reach(w, h->chain, tree);
		look(w, tree);
	}
}

/* --- the trees ------------------------------------------------------------------ */

static int fill(struct walk *w, struct xt2_nat_plan *plan, u32 tree)
{
	struct xt2_nat_leaf *leaf;
	u32 i, n = 0;

	for (i = 0; i < w->root->instances; i++)
		n += w->wanted[i] >> tree & 1;
	leaf = plan->tree[tree].leaf = calloc(n + 1, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	plan->tree[tree].leaves = n;
	for (i = 0; i < w->root->instances; i++) {
		if (!(w->wanted[i] >> tree & 1))
			continue;
		*leaf++ = (struct xt2_nat_leaf){ .number = w->number[i] - 1, .instance = i };
		while (plan->digits < 16 && (w->number[i] - 1) >> 2 * plan->digits)
			plan->digits++;
	}
	return 0;
}

/* A chain for each prefix of the numbers, and in it a rule for each next digit. */
static void count(struct xt2_nat_plan *plan, u32 tree)
{
	const struct xt2_nat_leaf *leaf = plan->tree[tree].leaf;
	u32 i, digit;

	for (digit = 1; digit <= plan->digits; digit++)
		for (i = 0; i < plan->tree[tree].leaves; i++)
			if (!i || leaf[i].number >> 2 * digit != leaf[i - 1].number >> 2 * digit) {
				plan->chains++;
				plan->uses += digit < plan->digits ? JUMP : 0;
			}
	plan->uses += plan->tree[tree].leaves;
}

/* Each hook has a chain, which jumps to its tree. */
static void count_hooks(struct xt2_nat_plan *plan)
{
	u32 hook;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		if (plan->hooks >> hook & 1) {
			plan->chains++;
			plan->uses += plan->tree[xt2_nat_tree_of_(hook)].leaves ? JUMP : 0;
		}
}

static int plan_trees(struct walk *w, struct xt2_nat_plan *plan, u8 family)
{
	int ret = 0;
	u32 i;

	look_from_hooks(w, plan, family);
	number_targets(w->img, w->number);
	plan->digits = 1;
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		ret = fill(w, plan, i);
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		count(plan, i);
	count_hooks(plan);
	return ret;
}

int xt2_live_fill_nat_(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	struct xt2_nat_plan plan;
	int ret = 0;
	u32 i;

	if (!l->nat)
		return 0;
	number_targets(img, xt2_live_at_(l->nat));
	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++) {
		ret = xt2_nat_plan_(&plan, img, xt2_nft_families_[i]);
		l->nat_chains[i] = plan.chains;
		l->nat_uses[i] = plan.uses;
		xt2_nat_plan_free_(&plan);
	}
	return ret;
}

int xt2_nat_plan_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family)
{
	struct walk w = { .img = img, .root = xt2_image_root(img) };
	int ret = -ENOMEM;

	memset(plan, 0, sizeof(*plan));
	w.seen = calloc(w.root->chains + 1, sizeof(*w.seen));
	w.todo = calloc(w.root->chains + 1, sizeof(*w.todo));
	w.wanted = calloc(w.root->instances + 1, sizeof(*w.wanted));
	w.number = calloc(w.root->instances + 1, sizeof(*w.number));
	if (w.seen && w.todo && w.wanted && w.number)
		ret = plan_trees(&w, plan, family);
	free(w.seen);
	free(w.todo);
	free(w.wanted);
	free(w.number);
	return ret;
}

void xt2_nat_plan_free_(struct xt2_nat_plan *plan)
{
	u32 i;

	for (i = 0; i < XT2_NAT_TREES; i++)
		free(plan->tree[i].leaf);
	memset(plan, 0, sizeof(*plan));
}
