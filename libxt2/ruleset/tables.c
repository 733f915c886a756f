/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.c - the tables that there are, and their hooks
 *
 * Source: net/ipv4/netfilter/iptable_*.c and net/ipv6/netfilter/ip6table_*.c
 * for the hooks and NF_IP_PRI_* for the priorities; arptable_filter.c.  nat is
 * the one table whose priority depends on the hook: destinations change early,
 * sources late.  net/bridge/netfilter/ebtable_*.c and NF_BR_PRI_* for bridges;
 * broute hangs at PREROUTING since Linux 5.2, but its hook's name stayed.
 */
#include "config.h"
#include "ruleset.h"

#include <limits.h>

struct definition {
	const char *name;
	unsigned int hooks;
	int priority[XT2_HOOKS_MAX];
};

#define PRE  (1u << XT2_PREROUTING)
#define IN   (1u << XT2_INPUT)
#define FWD  (1u << XT2_FORWARD)
#define OUT  (1u << XT2_OUTPUT)
#define POST (1u << XT2_POSTROUTING)
#define BRT  (1u << XT2_BROUTING)
#define ALL(p)                   \
	{                        \
		p, p, p, p, p, p \
	}

static const struct definition inet_tables[] = {
	{ "filter", IN | FWD | OUT, ALL(0) },
	{ "mangle", PRE | IN | FWD | OUT | POST, ALL(-150) },
	{ "nat",
	  PRE | IN | OUT | POST,
	  { [XT2_PREROUTING] = -100, [XT2_INPUT] = 100, [XT2_OUTPUT] = -100, [XT2_POSTROUTING] = 100 } },
	{ "raw", PRE | OUT, ALL(-300) },
	{ "security", IN | FWD | OUT, ALL(50) },
	{ .name = NULL },
};

static const struct definition arp_tables[] = {
	{ "filter", 1u << XT2_ARP_INPUT | 1u << XT2_ARP_OUTPUT | 1u << XT2_ARP_FORWARD, ALL(0) },
	{ .name = NULL },
};

static const struct definition bridge_tables[] = {
	{ "filter",
	  IN | FWD | OUT,
	  { [XT2_INPUT] = -200, [XT2_FORWARD] = -200, [XT2_OUTPUT] = 200 } },
	{ "nat",
	  PRE | OUT | POST,
	  { [XT2_PREROUTING] = -300, [XT2_OUTPUT] = 100, [XT2_POSTROUTING] = 300 } },
	{ "broute", BRT, { [XT2_BROUTING] = INT_MIN } },
	{ .name = NULL },
};

static const char *const inet_hooks[XT2_HOOKS_MAX] = {
	[XT2_PREROUTING] = "PREROUTING",   [XT2_INPUT] = "INPUT",
	[XT2_FORWARD] = "FORWARD",	   [XT2_OUTPUT] = "OUTPUT",
	[XT2_POSTROUTING] = "POSTROUTING",
};

static const char *const arp_hooks[XT2_HOOKS_MAX] = {
	[XT2_ARP_INPUT] = "INPUT",
	[XT2_ARP_OUTPUT] = "OUTPUT",
	[XT2_ARP_FORWARD] = "FORWARD",
};

static const char *const bridge_hooks[XT2_HOOKS_MAX] = {
	[XT2_PREROUTING] = "PREROUTING",   [XT2_INPUT] = "INPUT",
	[XT2_FORWARD] = "FORWARD",	   [XT2_OUTPUT] = "OUTPUT",
	[XT2_POSTROUTING] = "POSTROUTING", [XT2_BROUTING] = "BROUTING",
};

static const struct family {
	int number;
	const char *name;
	const struct definition *tables;
	const char *const *hooks;
} families[] = {
	{ XT2_IPV4, "ipv4", inet_tables, inet_hooks },
	{ XT2_IPV6, "ipv6", inet_tables, inet_hooks },
	{ XT2_ARP, "arp", arp_tables, arp_hooks },
	{ XT2_BRIDGE, "bridge", bridge_tables, bridge_hooks },
};

static const struct family *family_find(int number)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++) {
		if (families[i].number == number)
			return &families[i];
	}
	return NULL;
}

static const struct definition *definition_find(int family, const char *table)
{
	const struct family *f = family_find(family);
	const struct definition *d;

	if (!f)
		return NULL;
	for (d = f->tables; d->name; d++) {
		if (!strcmp(d->name, table))
			return d;
	}
	return NULL;
}

unsigned int xt2_table_hooks(int family, const char *table)
{
	const struct definition *d = definition_find(family, table);

	return d ? d->hooks : 0;
}

int xt2_table_priority(int family, const char *table, int hook)
{
	const struct definition *d = definition_find(family, table);

	return d && hook >= 0 && hook < XT2_HOOKS_MAX ? d->priority[hook] : 0;
}

const char *xt2_hook_name(int family, int hook)
{
	const struct family *f = family_find(family);

	return f && hook >= 0 && hook < XT2_HOOKS_MAX ? f->hooks[hook] : NULL;
}

int xt2_hook_number(int family, const char *name)
{
	const struct family *f = family_find(family);
	int i;

	for (i = 0; f && i < XT2_HOOKS_MAX; i++) {
		if (f->hooks[i] && !strcmp(f->hooks[i], name))
			return i;
	}
	return -1;
}

const char *xt2_family_name(int family)
{
	const struct family *f = family_find(family);

	return f ? f->name : NULL;
}
