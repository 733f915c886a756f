/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input-rule.c - a rule by table, chain and number, as xt2 prints it */
#include "xt2tables/text/nearest.h"
#include "cmd.h"

struct rule_name {
	char table[XT2_NAME_SIZE], chain[XT2_NAME_SIZE]; /* no table: any */
	unsigned long number;
};

/* "CHAIN:N" or "TABLE/CHAIN:N" */
static bool read_name(const char *text, const char *table, struct rule_name *p)
{
	const char *slash = strchr(text, '/'), *colon = strrchr(text, ':');
	const char *chain = slash ? slash + 1 : text;
	char *end;

	if (!colon || colon < chain || colon - chain >= XT2_NAME_SIZE ||
	    (slash && slash - text >= XT2_NAME_SIZE))
		return false;
	snprintf(p->chain, sizeof(p->chain), "%.*s", (int)(colon - chain), chain);
	if (slash)
		snprintf(p->table, sizeof(p->table), "%.*s", (int)(slash - text), text);
	else
		snprintf(p->table, sizeof(p->table), "%s", table ? table : "");
	p->number = strtoul(colon + 1, &end, 10);
	return !*end && p->number;
}

int xt2_input_rule(const struct xt2_input *in, int family, const char *table, const char *text,
		   int *chain, unsigned int *at, struct xt2_err *err)
{
	char say[XT2_NEAREST_SIZE] = "";
	struct rule_name p;
	int t, c;

	err->code = XT2_E_UNKNOWN;
	snprintf(err->message, sizeof(err->message), "'%s' names no rule", text);
	snprintf(err->hint, sizeof(err->hint), "write CHAIN:NUMBER or TABLE/CHAIN:NUMBER");
	if (!read_name(text, table, &p))
		return -EINVAL;
	if (!xt2_nearest_chain(in->rs, family, *p.table ? p.table : NULL, p.chain, say))
		snprintf(err->hint, sizeof(err->hint),
			 "%.100s has no chain '%s' in this family's tables%s", in->path, p.chain,
			 say);
	for (t = 0; t < xt2_ruleset_tables(in->rs); t++) {
		if (xt2_table_family(in->rs, t) != family ||
		    (*p.table && strcmp(p.table, xt2_table_name(in->rs, t))))
			continue;
		c = xt2_chain_find(in->rs, t, p.chain);
		if (c < 0)
			continue;
		if (p.number > xt2_chain_rules(in->rs, c)) {
			snprintf(err->hint, sizeof(err->hint), "rules of %s/%s: %u",
				 xt2_table_name(in->rs, t), p.chain, xt2_chain_rules(in->rs, c));
			continue;
		}
		*chain = c;
		*at = (unsigned int)p.number - 1;
		return 0;
	}
	return -ENOENT;
}
