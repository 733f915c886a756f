/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooked.c - what else is at the netfilter hooks of this network namespace
 *
 * The kernel's list of all hooks (nfnetlink_hook) is missing in many kernels, and does not tell
 * the order of nat chains.  So those that have rules are asked one by one: nf_tables has a list of base
 * chains, the iterator of bpf-links.c one of BPF programs, and iptables-legacy's tables are in
 * /proc/net/ip_tables_names.
 */
#include "hooked.h"
#include "libxt2/store/bpf/bpf-nft.h"
#include "libxt2/store/bpf/bpf-private.h"

#include <asm/byteorder.h>
#include <libnftnl/chain.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>

struct search {
	void (*found)(void *data, const struct xt2_nft_chain *c);
	void *data;
};

static void keep(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%s", name ? name : "");
}

static int see(const struct nlmsghdr *h, void *data)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	const struct search *s = data;
	struct xt2_nft_chain chain;

	if (!c)
		return MNL_CB_ERROR;
	if (!nftnl_chain_nlmsg_parse(h, c) && nftnl_chain_is_set(c, NFTNL_CHAIN_HOOKNUM)) {
		chain = (struct xt2_nft_chain){
			.family = (__u8)nftnl_chain_get_u32(c, NFTNL_CHAIN_FAMILY),
			.hook = nftnl_chain_get_u32(c, NFTNL_CHAIN_HOOKNUM),
			.priority = nftnl_chain_get_s32(c, NFTNL_CHAIN_PRIO),
		};
		keep(chain.table, sizeof(chain.table), nftnl_chain_get_str(c, NFTNL_CHAIN_TABLE));
		keep(chain.name, sizeof(chain.name), nftnl_chain_get_str(c, NFTNL_CHAIN_NAME));
		keep(chain.type, sizeof(chain.type), nftnl_chain_get_str(c, NFTNL_CHAIN_TYPE));
		s->found(s->data, &chain);
	}
	nftnl_chain_free(c);
	return MNL_CB_OK;
}

int xt2_nft_chains(void (*found)(void *data, const struct xt2_nft_chain *c), void *data)
{
	struct search s = { found, data };
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	if (ret)
		return ret;
	xt2_nft_ask_(&b, NFPROTO_UNSPEC);
	xt2_nft_append_(&b, xt2_nft_message_(&b, NFT_MSG_GETCHAIN, NLM_F_DUMP));
	ret = xt2_nft_answer_(&b, see, &s);
	xt2_nft_close_(&b);
	return ret;
}

int xt2_nft_has_match(const char *name, __u32 revision)
{
	struct nfgenmsg *head;
	struct nlmsghdr *h;
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	if (ret)
		return ret;
	xt2_nft_ask_(&b, NFPROTO_IPV4);
	h = mnl_nlmsg_put_header(b.bytes);
	h->nlmsg_type = NFNL_SUBSYS_NFT_COMPAT << 8 | NFNL_MSG_COMPAT_GET;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	h->nlmsg_seq = ++b.seq;
	head = mnl_nlmsg_put_extra_header(h, sizeof(*head));
	*head = (struct nfgenmsg){ .nfgen_family = NFPROTO_IPV4, .version = NFNETLINK_V0 };
	mnl_attr_put_strz(h, NFTA_COMPAT_NAME, name);
	mnl_attr_put_u32(h, NFTA_COMPAT_REV, __cpu_to_be32(revision));
	mnl_attr_put_u32(h, NFTA_COMPAT_TYPE, 0); /* a match */
	xt2_nft_append_(&b, h);
	ret = xt2_nft_answer_(&b, NULL, NULL);
	xt2_nft_close_(&b);
	return ret;
}

const struct xt2_link *xt2_links_next(const struct xt2_links *links, size_t *at)
{
	while (*at < links->count) {
		const struct xt2_link *link = &links->list[(*at)++];

		if (link->cookie == links->cookie)
			return link;
	}
	return NULL;
}

bool xt2_link_is_ours(const struct xt2_link *link)
{
	return xt2_link_is_ours_(link);
}

void xt2_taken_path(unsigned long inode, __u64 cookie, char *path, size_t size)
{
	snprintf(path, size, XT2_TAKEN_FOLDER "/taken-%lu-%llu", inode, (unsigned long long)cookie);
}

int xt2_taken_path_here(char *path, size_t size)
{
	const __u64 cookie = xt2_live_cookie_();
	struct stat st;

	if (!cookie)
		return -EOPNOTSUPP;
	if (stat("/proc/self/ns/net", &st))
		return -errno;
	xt2_taken_path(st.st_ino, cookie, path, size);
	return 0;
}
