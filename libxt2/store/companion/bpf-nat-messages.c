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

int xt2_nat_put_set_(struct xt2_nat_maker *m, const char *map, u32 id, u32 type, u32 size)
{
	struct nftnl_set *s = nftnl_set_alloc();
	struct nlmsghdr *h;

	if (!s)
		return -ENOMEM;
	nftnl_set_set_str(s, NFTNL_SET_TABLE, m->table);
	nftnl_set_set_str(s, NFTNL_SET_NAME, map);
	nftnl_set_set_u32(s, NFTNL_SET_ID, id);
	nftnl_set_set_u32(s, NFTNL_SET_FLAGS, NFT_SET_MAP);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_TYPE, type);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_LEN, size);
	nftnl_set_set_u32(s, NFTNL_SET_DATA_TYPE, NFT_DATA_VERDICT);
	nftnl_set_set_u32(s, NFTNL_SET_DATA_LEN, 0);
	h = xt2_nft_message_(&m->b, NFT_MSG_NEWSET, NLM_F_CREATE);
	nftnl_set_nlmsg_build_payload(h, s);
	xt2_nft_append_(&m->b, h);
	nftnl_set_free(s);
	return xt2_nat_go_on_(m);
}

/* => NULL: no memory */
static struct nftnl_set_elem *new_element(const void *key, u32 size, const char *chain)
{
	struct nftnl_set_elem *e = nftnl_set_elem_alloc();

	if (!e)
		return NULL;
	nftnl_set_elem_set_u32(e, NFTNL_SET_ELEM_VERDICT, (u32)NFT_GOTO);
	if (!nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, key, size) &&
	    !nftnl_set_elem_set_str(e, NFTNL_SET_ELEM_CHAIN, chain))
		return e;
	nftnl_set_elem_free(e);
	return NULL;
}

int xt2_nat_put_element_(struct xt2_nat_maker *m, const char *map, const void *key, u32 size,
			 const char *chain)
{
	struct nftnl_set_elem *e = new_element(key, size, chain);
	struct nftnl_set *s = e ? nftnl_set_alloc() : NULL;
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
