/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-tables.c - which tables of a ruleset have a BPF program */
#include "bpf-private.h"

static const char *const tables[XT2_PROGRAMS] = {
	[XT2_RAW] = "raw",	     [XT2_MANGLE] = "mangle", [XT2_FILTER] = "filter",
	[XT2_SECURITY] = "security", [XT2_NAT] = "nat",
};

int xt2_live_table_(const char *name)
{
	int i;

	for (i = 0; i < XT2_PROGRAMS; i++)
		if (!strcmp(tables[i], name))
			return i;
	return -1;
}

const char *xt2_live_table_name_(u32 table)
{
	return tables[table];
}

bool xt2_live_has_program_(const struct xt2_image *img, const struct xt2_table *t)
{
	return (t->family == XT2_IPV4 || t->family == XT2_IPV6) && xt2_live_table_(t->name) >= 0 &&
	       !xt2_live_idle_(img, t);
}

bool xt2_live_hooked(const struct xt2_image *img, const struct xt2_hook *h)
{
	return xt2_live_has_program_(img, xt2_image_table(img, xt2_image_root(img), h->table));
}
