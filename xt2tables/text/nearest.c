/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.c - the known name that is nearest to an unknown one */
#include "libxt2/ruleset/ruleset.h"
#include "nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FAR (XT2_NAME_SIZE + 1)

void xt2_nearest_init(struct xt2_nearest *n, const char *wanted)
{
	*n = (struct xt2_nearest){ .wanted = wanted, .distance = FAR };
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to add, take out or change (Levenshtein); case does not count. */
static unsigned int distance(const char *a, const char *b)
{
	const size_t la = strlen(a), lb = strlen(b);
	unsigned int row[XT2_NAME_SIZE + 1], diagonal, above;
	size_t i, j;

	if (la >= XT2_NAME_SIZE || lb >= XT2_NAME_SIZE)
		return FAR;
	for (j = 0; j <= lb; j++)
		row[j] = (unsigned int)j;
	for (i = 0; i < la; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i + 1;
		for (j = 0; j < lb; j++) {
			above = row[j + 1];
			row[j + 1] = least(least(above, row[j]) + 1,
					   diagonal + !!strncasecmp(&a[i], &b[j], 1));
			diagonal = above;
		}
	}
	return row[lb];
}

/* A third of the letters may be wrong. */
static unsigned int near(const char *wanted)
{
	return (unsigned int)(strlen(wanted) + 2) / 3;
}

void xt2_nearest_see(struct xt2_nearest *n, const char *name)
{
	const size_t len = strlen(n->list), more = strlen(name);
	const size_t lengths = strlen(n->wanted) > more ? strlen(n->wanted) - more
							: more - strlen(n->wanted);
	unsigned int d;

	n->names++;
	if (n->listed == n->names - 1 && len + more + 3 <= sizeof(n->list)) {
		snprintf(n->list + len, sizeof(n->list) - len, "%s%s", len ? ", " : "", name);
		n->listed++;
	}
	if (lengths > near(n->wanted) || n->distance <= lengths)
		return;
	d = distance(n->wanted, name);
	if (d > near(n->wanted) || d >= n->distance)
		return;
	n->distance = d;
	snprintf(n->name, sizeof(n->name), "%s", name);
}

const char *xt2_nearest_say(const struct xt2_nearest *n, char *buf)
{
	buf[0] = '\0';
	if (n->distance < FAR)
		snprintf(buf, XT2_NEAREST_SIZE, ": did you mean '%s'?", n->name);
	else if (n->names > n->listed)
		snprintf(buf, XT2_NEAREST_SIZE, ": there are %s, and %u more", n->list,
			 n->names - n->listed);
	else if (n->names)
		snprintf(buf, XT2_NEAREST_SIZE, ": there %s %s", n->names == 1 ? "is" : "are",
			 n->list);
	return buf;
}

bool xt2_table_among(const struct xt2_ruleset *rs, int t, int family, const char *table)
{
	return (!family || xt2_table_family(rs, t) == family) &&
	       (!table || !strcmp(xt2_table_name(rs, t), table));
}

bool xt2_nearest_chain(const struct xt2_ruleset *rs, int family, const char *table,
		       const char *chain, char say[XT2_NEAREST_SIZE])
{
	struct xt2_nearest n;
	int t, c;

	for (t = 0; t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_among(rs, t, family, table) && xt2_chain_find(rs, t, chain) >= 0)
			return true;
	xt2_nearest_init(&n, chain);
	for (t = 0; t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_among(rs, t, family, table))
			xt2_table_for_each_chain(c, rs, t)
				xt2_nearest_see(&n, xt2_chain_name(rs, c));
	xt2_nearest_say(&n, say);
	return false;
}

bool xt2_nearest_table(const struct xt2_ruleset *rs, int family, const char *table,
		       char say[XT2_NEAREST_SIZE])
{
	struct xt2_nearest n;
	int t;

	for (t = 0; t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_among(rs, t, family, table))
			return true;
	xt2_nearest_init(&n, table);
	for (t = 0; t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_among(rs, t, family, NULL))
			xt2_nearest_see(&n, xt2_table_name(rs, t));
	xt2_nearest_say(&n, say);
	return false;
}
