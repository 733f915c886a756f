/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nft.h - transactions of nf_tables, for tables of our own; not installed
 *
 * For what a BPF program cannot do: connection tracking (bpf-track.c) and companions
 * (bpf-companion.c).
 */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_NFT_H
#define XT2_LIBXT2_STORE_BPF_BPF_NFT_H

#include <libmnl/libmnl.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <stdbool.h>
#include <stddef.h>
#include <xt2/format.h>

#define XT2_NFT_FAMILIES 2u
extern const __u8
	xt2_nft_families_[XT2_NFT_FAMILIES]; /* a bit of a set of families, and which it is */

/* Messages of one family, and where the next one goes. */
struct xt2_nft {
	struct mnl_socket *nl;
	char *bytes;
	size_t size; /* of bytes[] */
	size_t used, last; /* bytes; where the last message is */
	size_t first; /* bytes of a transaction that says nothing yet */
	__u32 seq;
	__u32 commits; /* transactions that the kernel took */
	__u8 family; /* NFPROTO_* */
	bool lost; /* there was no memory for a message: the transaction fails */
};

/* => 0: to be closed; -errno */
int xt2_nft_open_(struct xt2_nft *b);
void xt2_nft_close_(struct xt2_nft *b);

/* A transaction begins; or a question, if there is no xt2_nft_commit_(). */
void xt2_nft_begin_(struct xt2_nft *b, __u8 family);
void xt2_nft_ask_(struct xt2_nft *b, __u8 family);

/* => are there so many messages that they had better be sent? */
bool xt2_nft_is_full_(const struct xt2_nft *b);

/* More room, for a transaction that must be one.  => 0, -ENOMEM */
int xt2_nft_grow_(struct xt2_nft *b);

/* => a message that xt2_nft_append_() makes a part of it; there is room for one of 8 KiB */
struct nlmsghdr *xt2_nft_message_(struct xt2_nft *b, __u16 type, __u16 flags);
void xt2_nft_append_(struct xt2_nft *b, const struct nlmsghdr *h);

/* How often the kernel's nf_tables have changed here.  => 0, -errno */
int xt2_nft_generation_(__u32 *generation);

/* => does the kernel have a match or target of iptables'?  true as well if it does not tell */
bool xt2_nft_has_(__u8 family, const char *name, __u8 revision, bool target);

/* What a table has: chains, and uses of them by rules and jumps.  => 0, -errno */
int xt2_nft_count_(__u8 family, const char *table, __u32 *chains, __u32 *uses);

/* NEWTABLE, DELTABLE, GETTABLE */
void xt2_nft_table_(struct xt2_nft *b, __u16 type, __u16 flags, const char *name);

/* A rule at the end of a chain; it is freed.  => 0; -ENOMEM: it is NULL */
int xt2_nft_rule_(struct xt2_nft *b, const char *table, const char *chain, struct nftnl_rule *rule);

/* => an expression at the end of a rule; NULL: no memory */
struct nftnl_expr *xt2_nft_expr_(struct nftnl_rule *rule, const char *name);

/* The transaction ends, and is sent.  => 0; -errno: nothing has changed, and b is to be closed */
int xt2_nft_commit_(struct xt2_nft *b);

/*
 * xt2_nft_answer_ - send what was asked, and read all that is told
 * @told: called for each message; may be NULL
 * => 0, -errno
 */
int xt2_nft_answer_(struct xt2_nft *b, mnl_cb_t told, void *data);

#endif
