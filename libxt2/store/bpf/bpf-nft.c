/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nft.c - transactions of nf_tables
 *
 * The kernel answers a transaction that it refuses with an error for each message that it does not
 * like, and one that it takes with nothing: so the last message asks for an answer.
 */
#include "bpf-private.h"
#include "bpf-nft.h"

#include <libnftnl/chain.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/socket.h>

#define FIRST 65536u /* bytes of messages */
#define MOST  (64u << 20)
#define ROOM  8192u /* more than a message and the end of a transaction need: always there */

const __u8 xt2_nft_families_[XT2_NFT_FAMILIES] = { NFPROTO_IPV4, NFPROTO_IPV6 };

int xt2_nft_open_(struct xt2_nft *b)
{
	int ret;

	memset(b, 0, sizeof(*b));
	b->nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	if (!b->nl)
		return -errno;
	if (mnl_socket_bind(b->nl, 0, MNL_SOCKET_AUTOPID))
		ret = -errno;
	else
		ret = xt2_nft_grow_(b);
	if (ret)
		xt2_nft_close_(b);
	return ret;
}

void xt2_nft_close_(struct xt2_nft *b)
{
	mnl_socket_close(b->nl);
	free(b->bytes);
}

bool xt2_nft_is_full_(const struct xt2_nft *b)
{
	return b->used > b->size - 2 * ROOM;
}

int xt2_nft_grow_(struct xt2_nft *b)
{
	const size_t size = b->size ? 2 * b->size : FIRST;
	const int of_socket = (int)size + ROOM;
	char *more = size <= MOST ? realloc(b->bytes, size) : NULL;

	if (!more)
		return -ENOMEM;
	b->bytes = more;
	b->size = size;
	if (size > FIRST && setsockopt(mnl_socket_get_fd(b->nl), SOL_SOCKET, SO_SNDBUFFORCE,
				       &of_socket, sizeof(of_socket)))
		return -errno;
	return 0;
}

void xt2_nft_ask_(struct xt2_nft *b, __u8 family)
{
	b->family = family;
	b->used = 0;
	b->lost = false;
}

void xt2_nft_begin_(struct xt2_nft *b, __u8 family)
{
	xt2_nft_ask_(b, family);
	xt2_nft_append_(b, nftnl_batch_begin(b->bytes, ++b->seq));
	b->first = b->used;
}

struct nlmsghdr *xt2_nft_message_(struct xt2_nft *b, __u16 type, __u16 flags)
{
	return nftnl_nlmsg_build_hdr(b->bytes + b->used, type, b->family, flags, ++b->seq);
}

void xt2_nft_append_(struct xt2_nft *b, const struct nlmsghdr *h)
{
	b->last = b->used;
	b->used += MNL_ALIGN(h->nlmsg_len);
	if (b->used > b->size - ROOM && xt2_nft_grow_(b)) {
		b->used = b->last;
		b->lost = true;
	}
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
	int ret;

	if (b->lost)
		return -ENOMEM;
	((struct nlmsghdr *)(b->bytes + b->last))->nlmsg_flags |= NLM_F_ACK;
	xt2_nft_append_(b, nftnl_batch_end(b->bytes + b->used, ++b->seq));
	ret = xt2_nft_answer_(b, NULL, NULL);
	b->commits += !ret;
	return ret;
}

static int see_generation(const struct nlmsghdr *h, void *generation)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, h,
			  sizeof(struct nfgenmsg)) if (mnl_attr_get_type(attr) == NFTA_GEN_ID) *
		(u32 *)generation = __builtin_bswap32(mnl_attr_get_u32(attr));
	return MNL_CB_OK;
}

int xt2_nft_generation_(u32 *generation)
{
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	if (ret)
		return ret;
	*generation = 0;
	xt2_nft_ask_(&b, NFPROTO_UNSPEC);
	xt2_nft_append_(&b, xt2_nft_message_(&b, NFT_MSG_GETGEN, NLM_F_ACK));
	ret = xt2_nft_answer_(&b, see_generation, generation);
	xt2_nft_close_(&b);
	return ret || *generation ? ret : -EPROTO;
}

struct count {
	const char *table;
	u32 chains, uses;
};

static int count_chain(const struct nlmsghdr *h, void *data)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct count *count = data;
	const char *table;

	if (!c)
		return MNL_CB_ERROR;
	if (!nftnl_chain_nlmsg_parse(h, c)) {
		table = nftnl_chain_get_str(c, NFTNL_CHAIN_TABLE);
		if (table && !strcmp(table, count->table)) {
			count->chains++;
			count->uses += nftnl_chain_get_u32(c, NFTNL_CHAIN_USE);
		}
	}
	nftnl_chain_free(c);
	return MNL_CB_OK;
}

int xt2_nft_count_(u8 family, const char *table, u32 *chains, u32 *uses)
{
	struct count count = { .table = table };
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	if (ret)
		return ret;
	xt2_nft_ask_(&b, family);
	xt2_nft_append_(&b, xt2_nft_message_(&b, NFT_MSG_GETCHAIN, NLM_F_DUMP));
	ret = xt2_nft_answer_(&b, count_chain, &count);
	xt2_nft_close_(&b);
	*chains = count.chains;
	*uses = count.uses;
	return ret;
}

bool xt2_nft_has_(u8 family, const char *name, u8 revision, bool target)
{
	struct nfgenmsg *g;
	struct nlmsghdr *h;
	struct xt2_nft b;
	int ret;

	if (xt2_nft_open_(&b))
		return true;
	xt2_nft_ask_(&b, family);
	h = mnl_nlmsg_put_header(b.bytes);
	h->nlmsg_type = NFNL_SUBSYS_NFT_COMPAT << 8;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	h->nlmsg_seq = ++b.seq;
	g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	*g = (struct nfgenmsg){ .nfgen_family = family, .version = NFNETLINK_V0 };
	mnl_attr_put_strz(h, NFTA_COMPAT_NAME, name);
	mnl_attr_put_u32(h, NFTA_COMPAT_REV, __builtin_bswap32(revision));
	mnl_attr_put_u32(h, NFTA_COMPAT_TYPE, __builtin_bswap32(target));
	xt2_nft_append_(&b, h);
	ret = xt2_nft_answer_(&b, NULL, NULL);
	xt2_nft_close_(&b);
	return ret != -ENOENT && ret != -EPROTONOSUPPORT;
}
