/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nft.c - transactions of nf_tables
 *
 * The kernel answers a transaction that it refuses with an error for each message that it does not
 * like, and one that it takes with nothing: so the last message asks for an answer.
 */
#include "bpf-private.h"
#include "bpf-nft.h"

const __u8 xt2_nft_families_[XT2_NFT_FAMILIES] = { NFPROTO_IPV4, NFPROTO_IPV6 };

int xt2_nft_open_(struct xt2_nft *b)
{
	int ret;

	memset(b, 0, sizeof(*b));
	b->nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	if (!b->nl)
		return -errno;
	if (!mnl_socket_bind(b->nl, 0, MNL_SOCKET_AUTOPID))
		return 0;
	ret = -errno;
	mnl_socket_close(b->nl);
	return ret;
}

void xt2_nft_close_(struct xt2_nft *b)
{
	mnl_socket_close(b->nl);
}

void xt2_nft_ask_(struct xt2_nft *b, __u8 family)
{
	b->family = family;
	b->used = 0;
}

void xt2_nft_begin_(struct xt2_nft *b, __u8 family)
{
	xt2_nft_ask_(b, family);
	xt2_nft_append_(b, nftnl_batch_begin(b->bytes, ++b->seq));
}

struct nlmsghdr *xt2_nft_message_(struct xt2_nft *b, __u16 type, __u16 flags)
{
	return nftnl_nlmsg_build_hdr(b->bytes + b->used, type, b->family, flags, ++b->seq);
}

void xt2_nft_append_(struct xt2_nft *b, const struct nlmsghdr *h)
{
	b->last = b->used;
	b->used += MNL_ALIGN(h->nlmsg_len);
}

void xt2_nft_table_(struct xt2_nft *b, __u16 type, __u16 flags, const char *name)
{
	struct nlmsghdr *h = xt2_nft_message_(b, type, flags);

	mnl_attr_put_strz(h, NFTA_TABLE_NAME, name);
	xt2_nft_append_(b, h);
}

struct nftnl_expr *xt2_nft_expr_(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *e = rule ? nftnl_expr_alloc(name) : NULL;

	if (e)
		nftnl_rule_add_expr(rule, e);
	return e;
}

int xt2_nft_rule_(struct xt2_nft *b, const char *table, const char *chain, struct nftnl_rule *rule)
{
	struct nlmsghdr *h;

	if (!rule)
		return -ENOMEM;
	h = xt2_nft_message_(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
	nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, table);
	nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, chain);
	nftnl_rule_nlmsg_build_payload(h, rule);
	xt2_nft_append_(b, h);
	nftnl_rule_free(rule);
	return 0;
}

int xt2_nft_answer_(struct xt2_nft *b, mnl_cb_t told, void *data)
{
	char buf[8192];
	ssize_t n;
	int ret;

	if (mnl_socket_sendto(b->nl, b->bytes, b->used) < 0)
		return -errno;
	do {
		n = mnl_socket_recvfrom(b->nl, buf, sizeof(buf));
		if (n < 0)
			return -errno;
		ret = mnl_cb_run(buf, (size_t)n, 0, mnl_socket_get_portid(b->nl), told, data);
	} while (ret > 0);
	return ret < 0 ? -errno : 0;
}

int xt2_nft_commit_(struct xt2_nft *b)
{
	((struct nlmsghdr *)(b->bytes + b->last))->nlmsg_flags |= NLM_F_ACK;
	xt2_nft_append_(b, nftnl_batch_end(b->bytes + b->used, ++b->seq));
	return xt2_nft_answer_(b, NULL, NULL);
}
