/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-question-match.c - iptables' matches in rules of nf_tables
 *
 * They are the kernel's own, by nf_tables' compatibility with iptables; but for rpfilter, which the
 * kernel binds to tables of iptables' names.  nf_tables' "fib" looks the sender's route up in
 * the same way, and answers with the interface, or 0.
 *
 * Source: net/ipv4/netfilter/ipt_rpfilter.c, net/ipv6/netfilter/ip6t_rpfilter.c;
 * nft_fib_ipv4.c, nft_fib_ipv6.c
 */
#include "bpf-left.h"

#include <linux/netfilter/xt_rpfilter.h>

#define SENDER6_AT 8u

static int put_match(struct nftnl_rule *rule, const struct xt2_left_ext *ext)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "match");
	void *info = NULL;
	u32 size;
	int ret = e ? xt2_left_info_(XT2_INSTANCE_MATCH, ext, &info, &size) : -ENOMEM;

	if (ret)
		return ret;
	if (!strcmp(ext->name, "osf")) { /* the kernel takes it in rules for TCP alone */
		nftnl_rule_set_u32(rule, NFTNL_RULE_COMPAT_PROTO, IPPROTO_TCP);
		nftnl_rule_set_u32(rule, NFTNL_RULE_COMPAT_FLAGS, 0);
	}
	nftnl_expr_set_str(e, NFTNL_EXPR_MT_NAME, ext->name);
	nftnl_expr_set_u32(e, NFTNL_EXPR_MT_REV, ext->revision);
	return nftnl_expr_set(e, NFTNL_EXPR_MT_INFO, info, size) ? -ENOMEM : 0;
}

/* The rule goes on if the register is zero, or if it is not. */
static int put_compare(struct nftnl_rule *rule, bool zero, u32 size)
{
	static const u8 zeros[16];
	struct nftnl_expr *e = xt2_nft_expr_(rule, "cmp");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, zero ? NFT_CMP_EQ : NFT_CMP_NEQ);
	return nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, zeros, size) ? -ENOMEM : 0;
}

/* Is the sender's address the unspecified one? */
static int put_nobody(struct nftnl_rule *rule, bool is)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "payload");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, SENDER6_AT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, 16);
	return put_compare(rule, is, 16);
}

/* Is there a way back to the sender? */
static int put_route(struct nftnl_rule *rule, u8 flags)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "fib");
	u32 fib = NFTA_FIB_F_SADDR;

	if (!e)
		return -ENOMEM;
	fib |= flags & XT_RPFILTER_LOOSE ? 0 : NFTA_FIB_F_IIF;
	fib |= flags & XT_RPFILTER_VALID_MARK ? NFTA_FIB_F_MARK : 0;
	nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_FLAGS, fib);
	nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_RESULT, NFT_FIB_RESULT_OIF);
	nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_DREG, NFT_REG_1);
	return put_compare(rule, flags & XT_RPFILTER_INVERT, sizeof(u32));
}

static bool is_rpfilter(const struct xt2_left_ext *ext)
{
	return !strcmp(ext->name, "rpfilter");
}

static u8 flags_of(const struct xt2_left_ext *ext)
{
	return *(const u8 *)ext->data;
}

u32 xt2_question_rules_(const struct xt2_left_ext *ext, u8 family)
{
	return is_rpfilter(ext) && family == XT2_IPV6 && !(flags_of(ext) & XT_RPFILTER_INVERT) ? 2
											       : 1;
}

int xt2_question_match_(struct nftnl_rule *rule, const struct xt2_left_ext *ext, u8 family,
			u32 number)
{
	int ret = 0;

	if (!is_rpfilter(ext))
		return put_match(rule, ext);
	/* Who has no address yet is let through. */
	if (number)
		return put_nobody(rule, true);
	if (family == XT2_IPV6 && flags_of(ext) & XT_RPFILTER_INVERT)
		ret = put_nobody(rule, false);
	return ret ? ret : put_route(rule, flags_of(ext));
}
