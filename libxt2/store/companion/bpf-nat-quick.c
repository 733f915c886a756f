/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-quick.c - a short way through large trees of companions: see bpf-nat-tree.c
 *
 * In a tree of 10,000s a packet meets chains that no packet before it has met: most of its time goes
 * into memory that is in no cache.  So a chain in front of the tree copies the note's number, but for
 * its last digit, into the packet's priority, with a rule for each bit that all packets share; a map
 * of nf_tables leads from there to the tree's last chain.  Then the priority is what it was, 0: a
 * packet with another one takes the way through the tree, and so does one of which the copy is not
 * right, because somebody has taken away a rule.  Before that, the companion is looked for by
 * the packet's destination, if rules have said which those are: see bpf-nat-known.c.
 */
#include "bpf-nat.h"

#define TYPE_CLASSID 23u /* of nft(8), for a priority */
#define NONE	     0u /* the priority of most packets */

static u32 bits(const struct xt2_nat_maker *m)
{
	return xt2_nat_low_(m->digits) - 1;
}

/* Of a tree. */
static const struct xt2_nat_map *map_of(u32 tree)
{
#define MAP(tree, name) [tree] = { name "-map", 1 + (tree), TYPE_CLASSID, sizeof(u32), 0, 0 }
	static const struct xt2_nat_map maps[XT2_NAT_TREES] = {
		MAP(XT2_NAT_DST, "destination"),
		MAP(XT2_NAT_IN, "input-source"),
		MAP(XT2_NAT_POST, "source"),
	};

	return &maps[tree];
}

void xt2_nat_quick_name_(char *name, size_t size, u32 tree)
{
	snprintf(name, size, "%s-quick", xt2_nat_trees_[tree]);
}

/* --- expressions ----------------------------------------------------------------- */

/* The packet has another priority than most. */
static int put_other(struct nftnl_rule *rule)
{
	struct nftnl_expr *e = xt2_nat_load_priority_(rule, NFT_REG_1) ? NULL
								       : xt2_nft_expr_(rule, "cmp");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, NFT_CMP_NEQ);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_DATA, NONE);
	return 0;
}

static int put_lookup(struct nftnl_rule *rule, u32 tree)
{
	struct nftnl_expr *e;
	int ret = xt2_nat_load_priority_(rule, NFT_REG_1);

	if (!ret)
		ret = xt2_nat_put_priority_(rule, NONE);
	e = ret ? NULL : xt2_nft_expr_(rule, "lookup");
	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_DREG, NFT_REG_VERDICT);
	return nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, map_of(tree)->name) ? -ENOMEM : 0;
}

/* --- rules ------------------------------------------------------------------------ */

static int put_bits(struct xt2_nat_maker *m, const char *chain)
{
	struct nftnl_rule *rule;
	int ret = 0;
	u32 i;

	for (i = 0; i < bits(m) && !ret; i++) {
		const struct xt2_question set = { .shift = 1 + i, .mask = 1, .want = 1 };

		rule = nftnl_rule_alloc();
		ret = rule ? xt2_nat_put_question_(m, rule, i, XT2_QUESTION_WAY, set) : -ENOMEM;
		if (!ret)
			ret = xt2_nat_put_bit_(rule, 1u << i);
		ret = xt2_nat_put_rule_(m, chain, rule, ret);
	}
	return ret;
}

static int put_same(struct xt2_nat_maker *m, const char *chain, u32 tree)
{
	const struct xt2_question same = { .shift = 1, .mask = (1u << bits(m)) - 1 };
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? xt2_nat_put_question_(m, rule, bits(m), XT2_QUESTION_SAME, same) : -ENOMEM;

	if (!ret)
		ret = put_lookup(rule, tree);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* Packets with another priority: through the tree. */
static int put_others(struct xt2_nat_maker *m, const char *chain, u32 tree)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? put_other(rule) : -ENOMEM;

	if (!ret)
		ret = xt2_nat_put_goto_(rule, xt2_nat_trees_[tree]);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* What is left, with the priority that it had. */
static int put_rest(struct xt2_nat_maker *m, const char *chain, const char *to)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? xt2_nat_put_priority_(rule, NONE) : -ENOMEM;

	if (!ret)
		ret = xt2_nat_put_goto_(rule, to);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* --- the map ---------------------------------------------------------------------- */

int xt2_nat_put_key_(struct xt2_nat_maker *m, u32 tree, u32 prefix, const char *chain)
{
	return xt2_nat_put_chain_of_(m, map_of(tree), &prefix, chain);
}

/* --- the way --------------------------------------------------------------------------- */

static int put_way(struct xt2_nat_maker *m, const char *chain, u32 tree)
{
	int ret = put_bits(m, chain);

	if (!ret)
		ret = put_same(m, chain, tree);
	return ret ? ret : put_rest(m, chain, xt2_nat_trees_[tree]);
}

/* The chain for what is not known by its destination. */
static int put_unknown(struct xt2_nat_maker *m, const char *bits)
{
	int ret = xt2_nat_put_chain_(m, bits);

	if (!ret)
		ret = put_way(m, bits, XT2_NAT_DST);
	return ret ? ret : xt2_nat_put_known_(m);
}

int xt2_nat_put_quick_(struct xt2_nat_maker *m, u32 tree)
{
	const bool known = tree == XT2_NAT_DST && m->plan->keys;
	char chain[32], bits[32];
	int ret = 0;

	xt2_nat_quick_name_(chain, sizeof(chain), tree);
	snprintf(bits, sizeof(bits), "%s-bits", xt2_nat_trees_[tree]);
	if (known)
		ret = put_unknown(m, bits);
	if (!ret)
		ret = xt2_nat_put_chain_(m, chain);
	if (!ret)
		ret = put_others(m, chain, tree);
	if (!ret && known)
		ret = xt2_nat_put_lookup_(m, chain);
	if (ret)
		return ret;
	return known ? put_rest(m, chain, bits) : put_way(m, chain, tree);
}

int xt2_nat_put_map_(struct xt2_nat_maker *m, u32 tree)
{
	const u32 *leaf = m->plan->tree[tree].leaf;
	u32 i, n = m->plan->tree[tree].leaves;
	char chain[64];
	int ret = xt2_nat_put_set_(m, map_of(tree));

	for (i = 0; i < n && !ret; i++) {
		if (i && leaf[i] >> 1 == leaf[i - 1] >> 1)
			continue;
		xt2_nat_chain_name_(m, chain, sizeof(chain), tree, 1, leaf[i] >> 1);
		ret = xt2_nat_put_key_(m, tree, leaf[i] >> 1, chain);
	}
	return ret;
}
