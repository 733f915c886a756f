/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hooked.h - what else is at the netfilter hooks of this network namespace: see hooked.c */
#ifndef XT2_LIBXT2_HOST_HOOKED_H
#define XT2_LIBXT2_HOST_HOOKED_H

#include <stdbool.h>
#include <xt2/xt2.h>

#define XT2_NFT_NAME 128 /* bytes of the longest name that nf_tables prints, and its NUL */

/* A base chain of nf_tables. */
struct xt2_nft_chain {
	__u8 family; /* NFPROTO_* */
	__u32 hook; /* NF_INET_*, as enum xt2_hook */
	__s32 priority;
	char table[XT2_NFT_NAME], name[XT2_NFT_NAME], type[16];
};

/*
 * xt2_nft_chains - all base chains of nf_tables in this network namespace
 * @found: called for each; the kernel's order is none
 * => 0; -EPERM; -errno: the kernel has no nf_tables, or does not tell
 */
int xt2_nft_chains(void (*found)(void *data, const struct xt2_nft_chain *c), void *data);

/* Has the kernel a match of iptables, for rules of nf_tables?  => 0; -ENOENT: no; -errno: it has none, or does not tell */
int xt2_nft_has_match(const char *name, __u32 revision);

/* The next program at a hook of this network namespace, of xt2 or not.  @at: 0 at first  => NULL: no more */
struct xt2_links;
struct xt2_link;
const struct xt2_link *xt2_links_next(const struct xt2_links *links, size_t *at);

/* Is it a program of xt2? */
bool xt2_link_is_ours(const struct xt2_link *link);

#define XT2_TAKEN_FOLDER "/run/xt2"

/* Where the tables are remembered that were taken over in a network namespace. */
void xt2_taken_path(unsigned long inode, __u64 cookie, char *path, size_t size);

/* The same of the namespace of this process.  => 0; -errno: the kernel does not tell */
int xt2_taken_path_here(char *path, size_t size);

#endif
