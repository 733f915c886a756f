/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-quick.c - a short way through large trees of companions: see bpf-nat-tree.c
 *
 * In a tree of 10,000s a packet meets chains that no packet before it has met: most of its time goes
 * into memory that is in no cache.  So a chain in front of the tree copies the note's number, but for
 * its last digit, into the packet's priority, with a rule for each bit that all packets share; a map
 * of nf_tables leads from there to the tree's last chain.  Then the priority is what it was, 0: a
 * packet with another one takes the way through the tree, and so does one of which the copy is not
 * right, because somebody has taken away a rule.
 */
#include "bpf-nat.h"

#include <libnftnl/set.h>

#define TYPE_CLASSID 23u /* of nft(8), for a priority */
#define NONE	     0u /* the priority of most packets */

static u32 bits(const struct xt2_nat_maker *m)
{
	return xt2_nat_low_(m->digits) - 1;
}

static void map_name(char *name, size_t size, u32 tree)
{
	snprintf(name, size, "%s-map", xt2_nat_trees_[tree]);
}

void xt2_nat_quick_name_(char *name, size_t size, u32 tree)
{
	snprintf(name, size, "%s-quick", xt2_nat_trees_[tree]);
}

/* --- expressions ----------------------------------------------------------------- */

static int put_load(struct nftnl_rule *rule)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "meta");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PRIORITY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, NFT_REG_1);
	return 0;
}

static int put_store(struct nftnl_rule *rule, u32 reg)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "meta");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PRIORITY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_SREG, reg);
	return 0;
}

static int put_clear(struct nftnl_rule *rule)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_2);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DATA, NONE);
	return put_store(rule, NFT_REG_2);
}

/* The packet has another priority than most. */
static int put_other(struct nftnl_rule *rule)
{
	struct nftnl_expr *e = put_load(rule) ? NULL : xt2_nft_expr_(rule, "cmp");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, NFT_CMP_NEQ);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_DATA, NONE);
	return 0;
}

static int put_bit(struct nftnl_rule *rule, u32 bit)
{
	struct nftnl_expr *e = put_load(rule) ? NULL : xt2_nft_expr_(rule, "bitwise");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, sizeof(bit));
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_MASK, ~bit);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_XOR, bit);
	return put_store(rule, NFT_REG_1);
}

static int put_lookup(struct nftnl_rule *rule, u32 tree)
{
	struct nftnl_expr *e;
	char map[32];
	int ret = put_load(rule);

	if (!ret)
		ret = put_clear(rule);
	e = ret ? NULL : xt2_nft_expr_(rule, "lookup");
	if (!e)
		return -ENOMEM;
	map_name(map, sizeof(map), tree);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_DREG, NFT_REG_VERDICT);
	return nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, map) ? -ENOMEM : 0;
}

/* --- rules ------------------------------------------------------------------------ */

/*
 * A rule for packets of which a program says yes: one of those that all trees share.
 * => NULL: *ret
 */
static struct nftnl_rule *rule_if(struct xt2_nat_maker *m, u32 which, enum xt2_question_kind kind,
				  struct xt2_question question, int *ret)
{
	int *program = &m->quick_program[which];
	struct nftnl_rule *rule;

	if (*program < 0)
		*program = xt2_question_load_(m->host, kind, question);
	rule = *program < 0 ? NULL : nftnl_rule_alloc();
	*ret = *program < 0 ? *program : -ENOMEM;
	if (rule)
		*ret = xt2_question_put_(rule, *program);
	return rule;
}

static int put_bits(struct xt2_nat_maker *m, const char *chain)
{
	struct nftnl_rule *rule;
	int ret = 0;
	u32 i;

	for (i = 0; i < bits(m) && !ret; i++) {
		rule = rule_if(m, i, XT2_QUESTION_WAY,
			       (struct xt2_question){ .shift = 1 + i, .mask = 1, .want = 1 }, &ret);
		if (!ret)
			ret = put_bit(rule, 1u << i);
		ret = xt2_nat_put_rule_(m, chain, rule, ret);
	}
	return ret;
}

static int put_same(struct xt2_nat_maker *m, const char *chain, u32 tree)
{
	const struct xt2_question same = { .shift = 1, .mask = (1u << bits(m)) - 1 };
	int ret;
	struct nftnl_rule *rule = rule_if(m, bits(m), XT2_QUESTION_SAME, same, &ret);

	if (!ret)
		ret = put_lookup(rule, tree);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* Through the tree, with the priority that it had, or 0. */
static int put_tree(struct xt2_nat_maker *m, const char *chain, u32 tree, bool clear)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = !rule ? -ENOMEM : clear ? put_clear(rule) : put_other(rule);

	if (!ret)
		ret = xt2_nat_put_goto_(rule, xt2_nat_trees_[tree]);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* --- the map ------------------------------------------------------------------------ */

static int put_map(struct xt2_nat_maker *m, u32 tree)
{
	struct nftnl_set *s = nftnl_set_alloc();
	struct nlmsghdr *h;
	char map[32];

	if (!s)
		return -ENOMEM;
	map_name(map, sizeof(map), tree);
	nftnl_set_set_str(s, NFTNL_SET_TABLE, m->table);
	nftnl_set_set_str(s, NFTNL_SET_NAME, map);
	nftnl_set_set_u32(s, NFTNL_SET_ID, 1 + tree);
	nftnl_set_set_u32(s, NFTNL_SET_FLAGS, NFT_SET_MAP);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_TYPE, TYPE_CLASSID);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_LEN, sizeof(u32));
	nftnl_set_set_u32(s, NFTNL_SET_DATA_TYPE, NFT_DATA_VERDICT);
	nftnl_set_set_u32(s, NFTNL_SET_DATA_LEN, 0);
	h = xt2_nft_message_(&m->b, NFT_MSG_NEWSET, NLM_F_CREATE);
	nftnl_set_nlmsg_build_payload(h, s);
	xt2_nft_append_(&m->b, h);
	nftnl_set_free(s);
	return xt2_nat_go_on_(m);
}

/* => NULL: no memory */
static struct nftnl_set_elem *new_element(u32 key, const char *chain)
{
	struct nftnl_set_elem *e = nftnl_set_elem_alloc();

	if (!e)
		return NULL;
	nftnl_set_elem_set_u32(e, NFTNL_SET_ELEM_VERDICT, (u32)NFT_GOTO);
	if (!nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, &key, sizeof(key)) &&
	    !nftnl_set_elem_set_str(e, NFTNL_SET_ELEM_CHAIN, chain))
		return e;
	nftnl_set_elem_free(e);
	return NULL;
}

int xt2_nat_put_key_(struct xt2_nat_maker *m, u32 tree, u32 prefix, const char *chain)
{
	struct nftnl_set_elem *e = new_element(prefix, chain);
	struct nftnl_set *s = e ? nftnl_set_alloc() : NULL;
	struct nlmsghdr *h;
	char map[32];

	if (!s) {
		if (e)
			nftnl_set_elem_free(e);
		return -ENOMEM;
	}
	map_name(map, sizeof(map), tree);
	nftnl_set_set_str(s, NFTNL_SET_TABLE, m->table);
	nftnl_set_set_str(s, NFTNL_SET_NAME, map);
	nftnl_set_elem_add(s, e);
	h = xt2_nft_message_(&m->b, NFT_MSG_NEWSETELEM, NLM_F_CREATE);
	nftnl_set_elems_nlmsg_build_payload(h, s);
	xt2_nft_append_(&m->b, h);
	nftnl_set_free(s);
	return xt2_nat_go_on_(m);
}

/* --- the way --------------------------------------------------------------------------- */

int xt2_nat_put_quick_(struct xt2_nat_maker *m, u32 tree)
{
	char chain[32];
	int ret;

	xt2_nat_quick_name_(chain, sizeof(chain), tree);
	ret = xt2_nat_put_chain_(m, chain);
	if (!ret)
		ret = put_tree(m, chain, tree, false);
	if (!ret)
		ret = put_bits(m, chain);
	if (!ret)
		ret = put_same(m, chain, tree);
	return ret ? ret : put_tree(m, chain, tree, true);
}

int xt2_nat_put_map_(struct xt2_nat_maker *m, u32 tree)
{
	const u32 *leaf = m->plan->tree[tree].leaf;
	u32 i, n = m->plan->tree[tree].leaves;
	int ret = put_map(m, tree);
	char chain[64];

	for (i = 0; i < n && !ret; i++) {
		if (i && leaf[i] >> 1 == leaf[i - 1] >> 1)
			continue;
		xt2_nat_chain_name_(m, chain, sizeof(chain), tree, 1, leaf[i] >> 1);
		ret = xt2_nat_put_key_(m, tree, leaf[i] >> 1, chain);
	}
	return ret;
}
