/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-add.c - companions for NAT's targets that come to a live ruleset
 *
 * The kernel looks at all of a table that a transaction adds rules to.  So the companions of a
 * large table are added to another one, which is asked first and stays small: what would be too much
 * for it moves to the large one, and it goes.  Meanwhile both have what moves.
 *
 * A companion is there before a rule that needs it is published.  If the process is killed
 * meanwhile, what is there is not what the live ruleset says, and the next change makes all of it
 * anew (xt2_nat_lacks_(), and instances that nobody has seen).
 */
#include "bpf-nat.h"

#define SMALL 512u /* companions of a table that more can be added to */
#define ADDED 1024u /* of the small table */

struct add {
	struct xt2_nat_maker m;
	struct xt2_live_ruleset *l;
	u32 six, added, tree; /* added: to which table */
	u32 commits;
};

static u16 *companions_of(const struct xt2_live_ruleset *l)
{
	return xt2_live_at_(l->nat);
}

/* => does a chain of so many low digits lead to some companion? */
static bool leads(void *arg, u32 digits, u32 prefix)
{
	const struct add *a = arg;
	const u16 bit = (u16)XT2_NAT_BIT(a->six, a->added, a->tree), *has = companions_of(a->l);
	const u32 low = xt2_nat_low_(digits);
	const u64 from = (u64)prefix << low, to = (prefix + 1ull) << low;
	u64 i;

	for (i = from; i < to && i < a->l->nat_room; i++)
		if (has[i] & bit)
			return true;
	return false;
}

static int add_one(struct add *a, u32 tree, u32 number)
{
	u16 *has = companions_of(a->l) + number;
	int ret;

	a->tree = tree;
	ret = xt2_nat_put_path_(&a->m, tree, number, leads, a);
	*has |= (u16)XT2_NAT_BIT(a->six, a->added, tree);
	a->l->nat_leaves[a->six][a->added]++;
	return ret;
}

/* Those that have none in either table. */
static int add_new(struct add *a, const struct xt2_nat_came *came, u32 n)
{
	const u16 *has = companions_of(a->l);
	u32 i, tree;
	int ret = 0;

	for (i = 0; i < n; i++)
		for (tree = 0; tree < XT2_NAT_TREES && !ret; tree++)
			if (came[i].six == a->six && came[i].trees >> tree & 1 &&
			    !(has[came[i].instance] &
			      (XT2_NAT_BIT(a->six, 0, tree) | XT2_NAT_BIT(a->six, 1, tree))))
				ret = add_one(a, tree, came[i].instance);
	return ret;
}

static u32 count_new(const struct add *a, const struct xt2_nat_came *came, u32 n)
{
	const u16 *has = companions_of(a->l);
	u32 i, tree, count = 0;

	for (i = 0; i < n; i++)
		for (tree = 0; tree < XT2_NAT_TREES; tree++)
			count += came[i].six == a->six && came[i].trees >> tree & 1 &&
				 !(has[came[i].instance] &
				   (XT2_NAT_BIT(a->six, 0, tree) | XT2_NAT_BIT(a->six, 1, tree)));
	return count;
}

/* What the small table has gets companions in the large one. */
static int copy_added(struct add *a)
{
	const u16 *has = companions_of(a->l);
	u32 i, tree;
	int ret = 0;

	for (i = 0; i < a->l->nat_room; i++)
		for (tree = 0; tree < XT2_NAT_TREES && !ret; tree++)
			if (has[i] & XT2_NAT_BIT(a->six, 1, tree))
				ret = add_one(a, tree, i);
	return ret;
}

static void forget_added(struct add *a)
{
	const u16 all = (u16)(XT2_NAT_BIT(a->six, 1, 0) | XT2_NAT_BIT(a->six, 1, 1) |
			      XT2_NAT_BIT(a->six, 1, 2));
	u16 *has = companions_of(a->l);
	u32 i;

	for (i = 0; i < a->l->nat_room; i++)
		has[i] &= (u16)~all;
	a->l->nat_leaves[a->six][1] = a->l->nat_chains[a->six][1] = 0;
	a->l->nat_uses[a->six][1] = 0;
}

/* Messages for a table.  => 0: to be ended; -errno */
static int begin(struct add *a, u32 added)
{
	a->added = added;
	a->m.table = xt2_nat_tables_[added][a->m.region];
	a->m.chains = a->m.uses = 0;
	a->m.quick = !added && a->m.digits >= XT2_NAT_QUICK;
	return xt2_nat_begin_(&a->m);
}

static int end(struct add *a, int ret)
{
	if (!ret)
		ret = xt2_nft_commit_(&a->m.b);
	a->l->nat_chains[a->six][a->added] += a->m.chains;
	a->l->nat_uses[a->six][a->added] += a->m.uses;
	a->commits += a->m.b.commits;
	xt2_nat_end_(&a->m);
	return ret;
}

/* To the large table, with all that the small one has. */
static int add_to_large(struct add *a, const struct xt2_nat_came *came, u32 n)
{
	const bool moves = a->l->nat_leaves[a->six][1];
	int ret = begin(a, 0);

	if (ret)
		return ret;
	if (moves)
		ret = copy_added(a);
	if (!ret)
		ret = add_new(a, came, n);
	if (!ret && moves)
		xt2_nft_table_(&a->m.b, NFT_MSG_DELTABLE, 0, xt2_nat_tables_[1][a->m.region]);
	ret = end(a, ret);
	if (!ret && moves)
		forget_added(a);
	return ret;
}

/* A small table without companions. */
static int make_small(struct add *a)
{
	struct xt2_nat_plan plan = { 0 };
	int ret = xt2_nat_plan_empty_(&plan, a->m.img, a->m.family, a->m.digits);

	a->m.plan = &plan;
	if (!ret)
		ret = xt2_nat_put_table_(&a->m);
	a->l->nat_chains[a->six][1] = plan.chains;
	a->l->nat_uses[a->six][1] = plan.uses;
	xt2_nat_plan_free_(&plan);
	return ret;
}

static int add_to_small(struct add *a, const struct xt2_nat_came *came, u32 n)
{
	int ret = begin(a, 1);

	if (ret)
		return ret;
	if (!a->l->nat_leaves[a->six][1])
		ret = make_small(a);
	if (!ret)
		ret = add_new(a, came, n);
	return end(a, ret);
}

static int add_family(struct add *a, const struct xt2_nat_came *came, u32 n)
{
	const u32 *leaves = a->l->nat_leaves[a->six], more = count_new(a, came, n);

	if (!more)
		return 0;
	if (leaves[0] + leaves[1] + more <= SMALL || leaves[1] + more > ADDED)
		return add_to_large(a, came, n);
	return add_to_small(a, came, n);
}

int xt2_nat_add_(const struct xt2_live *host, struct xt2_live_ruleset *l,
		 const struct xt2_image *img, const struct xt2_nat_came *came, u32 n)
{
	struct add *a = n ? calloc(1, sizeof(*a)) : NULL;
	int ret = n && !a ? -ENOMEM : 0;
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES && n && !ret; i++) {
		*a = (struct add){ .m = { .host = host,
					  .img = img,
					  .one = true,
					  .region = host->region,
					  .digits = xt2_nat_digits_(l->nat_room),
					  .family = xt2_nft_families_[i] },
				   .l = l,
				   .six = i };
		ret = add_family(a, came, n);
		if (!ret && a->commits)
			xt2_live_changed_nft_(a->commits);
	}
	free(a);
	return ret;
}
