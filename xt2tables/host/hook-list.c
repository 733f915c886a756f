/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook-list.c - all that filters packets in a network namespace, in its order
 *
 * Three lists are put together: tables of iptables-legacy, base chains of nf_tables, and BPF programs.  A
 * chain of the family inet stands at the hooks of both families.  What has no rules of
 * anybody's (connection tracking, defragmentation, IPVS) is in none of them.
 *
 * Source of the order: nf_hook_entries_grow() in net/netfilter/core.c; nf_nat_inet_fn() in
 * net/netfilter/nf_nat_core.c, which asks nat chains by their own priorities, at the one of NAT.
 */
#include <errno.h>
#include <linux/netfilter.h>
#include <stdlib.h>
#include <string.h>
#include "engine/env.h"
#include "hook-list.h"
#include "kernel-tables.h"
#include "kernel/bpf/links.h"
#include "libxt2/host/hooked.h"
#include "libxt2/printable.h"

#define OURS "xt2" /* our tables of nf_tables begin with it */

void xt2_hook_list_free(struct xt2_hook_list *l)
{
	free(l->list);
	l->list = NULL;
}

static void add(struct xt2_hook_list *l, const struct xt2_hook_entry *e)
{
	struct xt2_hook_entry *more;

	if (!xt2_hook_name(e->family, (int)e->hook))
		return;
	if (l->count % 32 == 0) {
		more = realloc(l->list, (l->count + 32) * sizeof(*more));
		if (!more) {
			l->lost = true;
			return;
		}
		l->list = more;
	}
	l->list[l->count++] = *e;
}

/* --- iptables-legacy -------------------------------------------------------- */

static void add_legacy(void *list, enum xt2_kernel_way way, int family, const char *name)
{
	struct xt2_hook_entry e = { .family = family, .nat = !strcmp(name, "nat") };
	const unsigned int hooks = xt2_table_hooks(family, name);

	if (way != XT2_WAY_LEGACY)
		return;
	snprintf(e.text, sizeof(e.text), "%s %s", xt2_kernel_program(way, family), name);
	for (; e.hook < XT2_HOOKS_MAX; e.hook++) {
		e.priority = xt2_table_priority(family, name, (int)e.hook);
		if (hooks >> e.hook & 1)
			add(list, &e);
	}
}

/* --- nf_tables -------------------------------------------------------------- */

/* A table and a chain of the names that iptables-nft gives them. */
static bool is_iptables(const struct xt2_nft_chain *c)
{
	return (c->family == NFPROTO_IPV4 || c->family == NFPROTO_IPV6) &&
	       xt2_hook_number(c->family, c->name) == (int)c->hook &&
	       xt2_table_hooks(c->family, c->table) >> c->hook & 1;
}

static void add_chain(void *list, const struct xt2_nft_chain *c)
{
	static const char *const families[] = { [NFPROTO_INET] = "inet",
						[NFPROTO_IPV4] = "ip",
						[NFPROTO_IPV6] = "ip6",
						[NFPROTO_ARP] = "arp",
						[NFPROTO_BRIDGE] = "bridge" };
	struct xt2_hook_entry e = {
		.family = c->family,
		.hook = c->hook,
		.priority = c->priority,
		.ours = !strncmp(c->table, OURS, strlen(OURS)),
		.nat = !strcmp(c->type, "nat"),
	};

	if (c->family >= XT2_ARRAY_SIZE(families) || !families[c->family])
		return;
	if (is_iptables(c))
		snprintf(e.text, sizeof(e.text), "%s %s",
			 xt2_kernel_program(XT2_WAY_NFT, c->family), c->table);
	else
		snprintf(e.text, sizeof(e.text), "%snf_tables %s %s, chain %s",
			 e.ours ? "xt2: " : "", families[c->family], c->table, c->name);
	if (c->family != NFPROTO_INET) {
		add(list, &e);
		return;
	}
	e.family = XT2_IPV4;
	add(list, &e);
	e.family = XT2_IPV6;
	add(list, &e);
}

/* --- BPF -------------------------------------------------------------------- */

static void add_links(struct xt2_hook_list *l, const struct xt2_links *links)
{
	const struct xt2_link *link;
	size_t at = 0;

	while (links && (link = xt2_links_next(links, &at))) {
		struct xt2_hook_entry e = {
			.family = (int)link->family,
			.hook = link->hook,
			.priority = link->priority,
			.ours = xt2_link_is_ours(link),
		};

		snprintf(e.text, sizeof(e.text), "%sprogram %.16s (link %u)",
			 e.ours ? "xt2: " : "BPF ", link->name, link->id);
		add(l, &e);
	}
}

/* --- the list ---------------------------------------------------------------- */

/* NAT is one hook for the kernel, which asks nat chains there by their own priorities. */
static __s32 place(const struct xt2_hook_entry *e)
{
	return e->nat ? xt2_table_priority(e->family, "nat", (int)e->hook) : e->priority;
}

static int by_order(const void *a, const void *b)
{
	const struct xt2_hook_entry *x = a, *y = b;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->hook != y->hook)
		return x->hook < y->hook ? -1 : 1;
	if (place(x) != place(y))
		return place(x) < place(y) ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return strcmp(x->text, y->text);
}

void xt2_hook_list_read(struct xt2_hook_list *l, const struct xt2_links *links)
{
	memset(l, 0, sizeof(*l));
	xt2_kernel_tables_each(add_legacy, l);
	l->nft = xt2_nft_chains(add_chain, l);
	add_links(l, links);
	if (l->count)
		qsort(l->list, l->count, sizeof(*l->list), by_order);
}

static bool same_hook(const struct xt2_hook_entry *a, const struct xt2_hook_entry *b)
{
	return a->family == b->family && a->hook == b->hook;
}

void xt2_hook_list_print(const struct xt2_hook_list *l, FILE *to)
{
	size_t i;

	for (i = 0; i < l->count; i++) {
		const struct xt2_hook_entry *e = &l->list[i];

		if (!i || !same_hook(e, e - 1))
			fprintf(to, "hook %s %s\n", xt2_family_name(e->family),
				xt2_hook_name(e->family, (int)e->hook));
		if (e->nat)
			xt2_print_line(to, "%12d %s (nat, %d)", place(e), e->text, e->priority);
		else
			xt2_print_line(to, "%12d %s", e->priority, e->text);
	}
}

/* => the nat chain of ours at a hook; NULL: none */
static const struct xt2_hook_entry *our_nat(const struct xt2_hook_list *l,
					    const struct xt2_hook_entry *at)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->list[i].ours && l->list[i].nat && same_hook(&l->list[i], at))
			return &l->list[i];
	return NULL;
}

const struct xt2_hook_entry *xt2_hook_list_before(const struct xt2_hook_list *l, size_t *at,
						  bool *sure)
{
	while (*at < l->count) {
		const struct xt2_hook_entry *e = &l->list[(*at)++], *ours = our_nat(l, e);

		if (!e->nat || e->ours || !ours || e->priority > ours->priority)
			continue;
		*sure = e->priority < ours->priority;
		return e;
	}
	return NULL;
}
