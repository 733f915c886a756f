/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hook-list.h - all that filters packets in a network namespace, in its order: see hook-list.c */
#ifndef XT2_XT2TABLES_HOST_HOOK_LIST_H
#define XT2_XT2TABLES_HOST_HOOK_LIST_H

#include <stdbool.h>
#include <stdio.h>
#include <xt2/xt2.h>

struct xt2_links;

struct xt2_hook_entry {
	int family; /* enum xt2_family */
	__u32 hook;
	__s32 priority;
	bool ours; /* of xt2 */
	bool nat; /* the kernel asks it only about new connections, and only the first that answers */
	char text[320]; /* what it is */
};

struct xt2_hook_list {
	struct xt2_hook_entry *list;
	size_t count;
	bool lost; /* there was no memory for some */
	int nft; /* 0; -errno: nf_tables does not tell */
};

/*
 * xt2_hook_list_read - all of this process's network namespace
 * @links: NULL: the BPF programs are not known
 *
 * Release it with xt2_hook_list_free().
 */
void xt2_hook_list_read(struct xt2_hook_list *l, const struct xt2_links *links);
void xt2_hook_list_free(struct xt2_hook_list *l);

/* A hook a paragraph, first asked first. */
void xt2_hook_list_print(const struct xt2_hook_list *l, FILE *to);

/*
 * xt2_hook_list_before - the next nat chain that the kernel asks before that of xt2
 * @at: 0 at first
 * @sure: out: false: both have one priority, and the younger one is asked first
 * => NULL: no more
 */
const struct xt2_hook_entry *xt2_hook_list_before(const struct xt2_hook_list *l, size_t *at,
						  bool *sure);

#endif
