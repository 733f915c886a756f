/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-beside.c - tables that cannot be live, and are the kernel's own beside the live ones
 *
 * Which they are the store knows: it is asked about a table with a rule.  With nat beside, daemons
 * may use there what live rulesets cannot match, as Docker does (addrtype).
 */
#include "live-beside.h"

#include <string.h>
#include "libxt2/store/store.h"

static const struct {
	int family;
	const char *path; /* of the network namespace that this thread is in */
} lists[] = {
	{ XT2_IPV4, "/proc/thread-self/net/ip_tables_names" },
	{ XT2_IPV6, "/proc/thread-self/net/ip6_tables_names" },
};

static int is_table(void *data, const struct xt2_live_refusal *r)
{
	*(int *)data |= r->reason == XT2_LIVE_NO_TABLE;
	return 0;
}

/* => an image of a table with a rule; NULL: no memory, or no such table */
static int make_table(int family, const char *name, struct xt2_mapping *map)
{
	const struct xt2_rule rule = { .size = sizeof(rule),
				       .target_offset = sizeof(rule),
				       .target = XT2_TARGET(XT2_T_ACCEPT, 0) };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int table = rs ? xt2_table_add(rs, family, name, NULL) : -1, ret = table;

	if (ret >= 0)
		ret = xt2_rule_append(rs, xt2_chain_next(rs, table, -1), &rule, 0);
	if (ret >= 0)
		ret = xt2_ruleset_write(rs, map, NULL);
	xt2_ruleset_free(rs);
	return ret;
}

int xt2_beside_(int family, const char *table)
{
	struct xt2_mapping map;
	int found = 0;

	if (!xt2_table_hooks(family, table))
		return 0; /* for the program to be told */
	if (!strcmp(table, "nat"))
		return 1;
	if (make_table(family, table, &map) < 0)
		return 0;
	xt2_store_refusals(XT2_STORE_LIVE, map.image, is_table, &found);
	xt2_image_close(&map);
	return found;
}

void xt2_beside_names_(int family, FILE *to)
{
	char line[64];
	FILE *f = NULL;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].family == family)
			f = fopen(lists[i].path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (xt2_beside_(family, line))
			fprintf(to, "%s\n", line);
	}
	if (f)
		fclose(f);
}
