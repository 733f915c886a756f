/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-plan.c - which companions the nat tables of a ruleset need
 *
 * One for each distinct target that packets can reach from a hook; equal targets are one instance,
 * and its number is the companion's.  What packets of PREROUTING and OUTPUT find is one tree.  Trees
 * are made as high as twice the instances need, so that edits can add to them.
 */
#include "bpf-nat.h"
#include "engine/order.h"
#include "engine/rule.h"

#define NAT_MORE 64u /* instances, at least, that edits may add */

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

/* --- what packets reach ---------------------------------------------------- */

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	u8 *seen; /* by chain: bits of trees from whose hooks packets can get there */
	u32 *todo, left;
	u8 *wanted; /* by instance: likewise */
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

u8 xt2_nat_trees_of_(u32 hooks)
{
	u32 hook, trees = 0;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		trees |= (hooks >> hook & 1) << xt2_nat_tree_of_(hook);
	return (u8)trees;
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
		plan->trees |= tree;
		plan->hooks |= 1u << h->hook;
		if (w->seen) {
			reach(w, h->chain, tree);
			look(w, tree);
		}
	}
}

/* --- the trees ------------------------------------------------------------------ */

static int fill(const u8 *wanted, u32 instances, struct xt2_nat_plan *plan, u32 tree)
{
	u32 i, n = 0, *leaf;

	for (i = 0; i < instances; i++)
		n += wanted[i] >> tree & 1;
	leaf = plan->tree[tree].leaf = calloc(n + 1, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	plan->tree[tree].leaves = n;
	for (i = 0; i < instances; i++)
		if (wanted[i] >> tree & 1)
			*leaf++ = i;
	return 0;
}

/* A chain for each prefix of the numbers, and in it a rule for each next digit. */
static void count(struct xt2_nat_plan *plan, u32 tree)
{
	const u32 *leaf = plan->tree[tree].leaf;
	u32 i, digit;

	for (digit = 1; digit < plan->digits; digit++)
		for (i = 0; i < plan->tree[tree].leaves; i++)
			if (!i ||
			    leaf[i] >> xt2_nat_low_(digit) != leaf[i - 1] >> xt2_nat_low_(digit)) {
				plan->chains++;
				plan->uses += XT2_NAT_WAY;
			}
	plan->chains += plan->trees >> tree & 1;
	plan->uses += plan->tree[tree].leaves;
}

/*
 * A chain with a rule for each bit and three more, of which two jump; and the map.  With destinations,
 * two chains, one of which has a rule for each bit of a rank, one that looks for them, and one that jumps.
 */
static void count_quick(struct xt2_nat_plan *plan, u32 tree)
{
	const u32 *leaf = plan->tree[tree].leaf;
	u32 i;

	if (!plan->quick || !(plan->trees >> tree & 1))
		return;
	plan->chains++;
	plan->uses += xt2_nat_low_(plan->digits) - 1 + 3 + 2;
	if (tree == XT2_NAT_DST && plan->keys) {
		plan->chains++;
		plan->uses += plan->rank_bits + 1 + XT2_NAT_WAY;
	}
	for (i = 0; i < plan->tree[tree].leaves; i++)
		plan->uses += !i || leaf[i] >> 1 != leaf[i - 1] >> 1;
}

/* Each hook has a chain, which jumps to its tree. */
static void count_hooks(struct xt2_nat_plan *plan)
{
	u32 hook;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		if (plan->hooks >> hook & 1) {
			plan->chains++;
			plan->uses += XT2_NAT_WAY;
		}
}

u32 xt2_nat_digits_(u32 room)
{
	u32 digits = 1;

	while ((room - 1) >> xt2_nat_low_(digits))
		digits++;
	return digits;
}

u32 xt2_nat_room_(const struct xt2_image *img)
{
	const u32 n = xt2_image_root(img)->instances;

	return n < (XT2_NAT_ROOM - NAT_MORE) / 2 ? 2 * n + NAT_MORE : XT2_NAT_ROOM;
}

static int plan_trees(struct walk *w, struct xt2_nat_plan *plan, u8 family, u32 digits, bool quick)
{
	int ret = 0;
	u32 i;

	look_from_hooks(w, plan, family);
	plan->digits = digits;
	plan->quick = quick;
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		ret = fill(w->wanted, w->wanted ? w->root->instances : 0, plan, i);
	if (quick && plan->tree[XT2_NAT_DST].leaves && !ret)
		ret = xt2_nat_keys_(plan, w->img, family);
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		count(plan, i), count_quick(plan, i);
	count_hooks(plan);
	return ret;
}

int xt2_nat_plan_empty_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family,
			u32 digits)
{
	struct walk w = { .img = img, .root = xt2_image_root(img) };

	memset(plan, 0, sizeof(*plan));
	return plan_trees(&w, plan, family, digits, false);
}

int xt2_nat_plan_live_(struct xt2_nat_plan *plan, const struct xt2_live_ruleset *l,
		       const struct xt2_image *img, u8 family)
{
	struct walk w = { .img = img, .root = xt2_image_root(img) };
	const u16 *has = xt2_live_at_(l->nat);
	u32 i, tree, digits;
	u8 *wanted;
	int ret;

	memset(plan, 0, sizeof(*plan));
	if (!l->nat)
		return 0;
	wanted = w.wanted = calloc(l->nat_seen + 1ull, 1);
	if (!wanted)
		return -ENOMEM;
	for (i = 0; i < l->nat_seen; i++)
		for (tree = 0; tree < XT2_NAT_TREES; tree++)
			if (has[i] & (XT2_NAT_BIT(family == XT2_IPV6, 0, tree) |
				      XT2_NAT_BIT(family == XT2_IPV6, 1, tree)))
				wanted[i] |= (u8)(1u << tree);
	digits = xt2_nat_digits_(l->nat_room);
	ret = plan_trees(&w, plan, family, digits, digits >= XT2_NAT_QUICK);
	free(wanted);
	return ret;
}

/* Of companions that are found by the packet's destination. */
static void set_ranks(u16 *has, u32 room, const struct xt2_nat_plan *plan)
{
	const u16 bits = (1u << XT2_NAT_RANK_SHIFT) - 1;
	u32 i;

	for (i = 0; i < plan->tree[XT2_NAT_DST].leaves; i++)
		has[plan->tree[XT2_NAT_DST].leaf[i]] &= bits;
	for (i = 0; i < plan->keys; i++) {
		const struct xt2_nat_key *k = &plan->key[i];

		if (k->instance < room && has[k->instance] & bits)
			has[k->instance] |= (u16)(k->rank << XT2_NAT_RANK_SHIFT);
	}
}

void xt2_nat_made_(struct xt2_live_ruleset *l, const struct xt2_nat_plan *plan, u32 six)
{
	u16 *has = xt2_live_at_(l->nat);
	u32 i, tree;

	l->nat_chains[six][0] = plan->chains;
	l->nat_uses[six][0] = plan->uses;
	l->nat_leaves[six][0] = 0;
	l->nat_chains[six][1] = l->nat_uses[six][1] = l->nat_leaves[six][1] = 0;
	for (tree = 0; tree < XT2_NAT_TREES; tree++) {
		for (i = 0; i < l->nat_room; i++)
			has[i] &= (u16)~XT2_NAT_BIT(six, 1, tree);
		for (i = 0; i < plan->tree[tree].leaves; i++)
			has[plan->tree[tree].leaf[i]] |= (u16)XT2_NAT_BIT(six, 0, tree);
		l->nat_leaves[six][0] += plan->tree[tree].leaves;
	}
	set_ranks(has, l->nat_room, plan);
}

int xt2_live_fill_nat_(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	struct xt2_nat_plan plan;
	int ret = 0;
	u32 i;

	if (!l->nat)
		return 0;
	memset(xt2_live_at_(l->nat), 0, l->nat_room * sizeof(u16));
	l->nat_seen = xt2_image_root(img)->instances;
	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++) {
		ret = xt2_nat_plan_(&plan, img, xt2_nft_families_[i]);
		if (!ret)
			xt2_nat_made_(l, &plan, i);
		xt2_nat_plan_free_(&plan);
	}
	return ret;
}

int xt2_nat_plan_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family)
{
	struct walk w = { .img = img, .root = xt2_image_root(img) };
	const u32 digits = xt2_nat_digits_(xt2_nat_room_(img));
	int ret = -ENOMEM;

	memset(plan, 0, sizeof(*plan));
	w.seen = calloc(w.root->chains + 1, sizeof(*w.seen));
	w.todo = calloc(w.root->chains + 1, sizeof(*w.todo));
	w.wanted = calloc(w.root->instances + 1, sizeof(*w.wanted));
	if (w.seen && w.todo && w.wanted)
		ret = plan_trees(&w, plan, family, digits, digits >= XT2_NAT_QUICK);
	free(w.seen);
	free(w.todo);
	free(w.wanted);
	return ret;
}

void xt2_nat_plan_free_(struct xt2_nat_plan *plan)
{
	u32 i;

	for (i = 0; i < XT2_NAT_TREES; i++)
		free(plan->tree[i].leaf);
	free(plan->key);
	memset(plan, 0, sizeof(*plan));
}
