/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h - the known name that is nearest to an unknown one
 *
 * All names that would have been right are shown to it, one after the other;
 * it keeps the nearest, and the first few in case that none is near.
 */
#ifndef XT2_XT2TABLES_TEXT_NEAREST_H
#define XT2_XT2TABLES_TEXT_NEAREST_H

#include <stdbool.h>
#include <xt2/xt2.h>

#define XT2_NEAREST_SIZE 256 /* bytes that are enough for what is said */

struct xt2_nearest {
	const char *wanted;
	char name[XT2_NAME_SIZE]; /* the nearest */
	unsigned int distance; /* of it: letters to add, take out or change */
	char list[160]; /* the first names */
	unsigned int names, listed;
};

void xt2_nearest_init(struct xt2_nearest *n, const char *wanted);
void xt2_nearest_see(struct xt2_nearest *n, const char *name);

/*
 * The end of a message: ": did you mean 'INPUT'?", ": there are INPUT, FORWARD", or nothing.
 * @buf: of XT2_NEAREST_SIZE bytes
 * => buf
 */
const char *xt2_nearest_say(const struct xt2_nearest *n, char *buf);

/*
 * xt2_nearest_chain - are there chains of this name?
 * @family: only of this one; 0: any; @table: only of tables of this name; NULL: any
 * @say: if not, the end of a message as above
 */
bool xt2_nearest_chain(const struct xt2_ruleset *rs, int family, const char *table,
		       const char *chain, char say[XT2_NEAREST_SIZE]);

/* The same for tables. */
bool xt2_nearest_table(const struct xt2_ruleset *rs, int family, const char *table,
		       char say[XT2_NEAREST_SIZE]);

/* Is table t of this family (0: any) and name (NULL: any)? */
bool xt2_table_among(const struct xt2_ruleset *rs, int t, int family, const char *table);

#endif
