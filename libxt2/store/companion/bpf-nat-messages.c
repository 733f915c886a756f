/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-nat-messages.c - chains and rules that all companions of NAT have in common */
#include "bpf-nat.h"

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
