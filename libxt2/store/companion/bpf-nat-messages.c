/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-nat-messages.c - chains and rules that all companions of NAT have in common */
#include "bpf-nat.h"

#include <libnftnl/set.h>

const char *const xt2_nat_trees_[XT2_NAT_TREES] = {
	[XT2_NAT_DST] = "destination",
	[XT2_NAT_IN] = "input-source",
	[XT2_NAT_POST] = "source",
};

/* A chain of so many low digits, for the numbers that begin with a prefix. */
void xt2_nat_chain_name_(const struct xt2_nat_maker *m, char *name, size_t size, u32 tree,
			 u32 digits, u32 prefix)
{
	if (digits == m->digits)
		snprintf(name, size, "%s", xt2_nat_trees_[tree]);
	else
		snprintf(name, size, "%s-%u-%u", xt2_nat_trees_[tree], digits, prefix);
}

/* What is full is sent.  => 0, -errno */
int xt2_nat_go_on_(struct xt2_nat_maker *m)
{
	int ret;

	if (!xt2_nft_is_full_(&m->b))
		return 0;
	if (m->one)
		return xt2_nft_grow_(&m->b);
	ret = xt2_nft_commit_(&m->b);
	xt2_nft_begin_(&m->b, m->family);
	return ret;
}

int xt2_nat_put_chain_(struct xt2_nat_maker *m, const char *name)
{
	struct nlmsghdr *h = xt2_nft_message_(&m->b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, m->table);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, name);
	xt2_nft_append_(&m->b, h);
	return xt2_nat_go_on_(m);
}

/* => 0, -ENOMEM */
int xt2_nat_put_goto_(struct nftnl_rule *rule, const char *chain)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, (u32)NFT_GOTO);
	return nftnl_expr_set_str(e, NFTNL_EXPR_IMM_CHAIN, chain) ? -ENOMEM : 0;
}

/* The rule is freed.  => 0, -errno */
int xt2_nat_put_rule_(struct xt2_nat_maker *m, const char *chain, struct nftnl_rule *rule, int ret)
{
	if (ret) {
		if (rule)
			nftnl_rule_free(rule);
		return ret;
	}
	ret = xt2_nft_rule_(&m->b, m->table, chain, rule);
	return ret ? ret : xt2_nat_go_on_(m);
}

/* --- rules of short ways ---------------------------------------------------------- */

int xt2_nat_put_priority_(struct nftnl_rule *rule, u32 priority)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_2);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DATA, priority);
	e = xt2_nft_expr_(rule, "meta");
	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PRIORITY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_SREG, NFT_REG_2);
	return 0;
}

int xt2_nat_load_priority_(struct nftnl_rule *rule, u32 reg)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "meta");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PRIORITY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, reg);
	return 0;
}

int xt2_nat_store_priority_(struct nftnl_rule *rule, u32 reg)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "meta");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_PRIORITY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_SREG, reg);
	return 0;
}

int xt2_nat_put_bit_(struct nftnl_rule *rule, u32 bit)
{
	struct nftnl_expr *e =
		xt2_nat_load_priority_(rule, NFT_REG_1) ? NULL : xt2_nft_expr_(rule, "bitwise");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, sizeof(bit));
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_MASK, ~bit);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_XOR, bit);
	return xt2_nat_store_priority_(rule, NFT_REG_1);
}

/* The rule goes on for packets of which a program says yes. */
int xt2_nat_put_question_(struct xt2_nat_maker *m, struct nftnl_rule *rule, u32 which,
			  enum xt2_question_kind kind, struct xt2_question question)
{
	int *program = &m->quick_program[which];

	if (*program < 0)
		*program = xt2_question_load_(m->host, kind, question);
	return *program < 0 ? *program : xt2_question_put_(rule, *program);
}

/* --- maps ------------------------------------------------------------------------- */

int xt2_nat_put_set_(struct xt2_nat_maker *m, const struct xt2_nat_map *map)
{
	struct nftnl_set *s = nftnl_set_alloc();
	struct nlmsghdr *h;

	if (!s)
		return -ENOMEM;
	nftnl_set_set_str(s, NFTNL_SET_TABLE, m->table);
	nftnl_set_set_str(s, NFTNL_SET_NAME, map->name);
	nftnl_set_set_u32(s, NFTNL_SET_ID, map->id);
	nftnl_set_set_u32(s, NFTNL_SET_FLAGS, NFT_SET_MAP);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_TYPE, map->key_type);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_LEN, map->key_size);
	nftnl_set_set_u32(s, NFTNL_SET_DATA_TYPE,
			  map->data_type ? map->data_type : (u32)NFT_DATA_VERDICT);
	nftnl_set_set_u32(s, NFTNL_SET_DATA_LEN, map->data_size);
	h = xt2_nft_message_(&m->b, NFT_MSG_NEWSET, NLM_F_CREATE);
	nftnl_set_nlmsg_build_payload(h, s);
	xt2_nft_append_(&m->b, h);
	nftnl_set_free(s);
	return xt2_nat_go_on_(m);
}

/* The element, which is freed; @ret: of what made it.  => 0, -errno */
static int put_element(struct xt2_nat_maker *m, const char *map, struct nftnl_set_elem *e, int ret)
{
	struct nftnl_set *s = e && !ret ? nftnl_set_alloc() : NULL;
	struct nlmsghdr *h;

	if (!s) {
		if (e)
			nftnl_set_elem_free(e);
		return -ENOMEM;
	}
	nftnl_set_set_str(s, NFTNL_SET_TABLE, m->table);
	nftnl_set_set_str(s, NFTNL_SET_NAME, map);
	nftnl_set_elem_add(s, e);
	h = xt2_nft_message_(&m->b, NFT_MSG_NEWSETELEM, NLM_F_CREATE);
	nftnl_set_elems_nlmsg_build_payload(h, s);
	xt2_nft_append_(&m->b, h);
	nftnl_set_free(s);
	return xt2_nat_go_on_(m);
}

int xt2_nat_put_chain_of_(struct xt2_nat_maker *m, const struct xt2_nat_map *map, const void *key,
			  const char *chain)
{
	struct nftnl_set_elem *e = nftnl_set_elem_alloc();
	int ret = -ENOMEM;

	if (e) {
		nftnl_set_elem_set_u32(e, NFTNL_SET_ELEM_VERDICT, (u32)NFT_GOTO);
		ret = nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, key, map->key_size) ||
		      nftnl_set_elem_set_str(e, NFTNL_SET_ELEM_CHAIN, chain);
	}
	return put_element(m, map->name, e, ret);
}

int xt2_nat_put_data_of_(struct xt2_nat_maker *m, const struct xt2_nat_map *map, const void *key,
			 const void *data)
{
	struct nftnl_set_elem *e = nftnl_set_elem_alloc();
	int ret = -ENOMEM;

	if (e)
		ret = nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, key, map->key_size) ||
		      nftnl_set_elem_set(e, NFTNL_SET_ELEM_DATA, data, map->data_size);
	return put_element(m, map->name, e, ret);
}
