/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table-difference.h - what changes when a table is replaced by another one: see table-difference.c */
#ifndef XT2_LIBXT2_RULESET_TABLE_DIFFERENCE_H
#define XT2_LIBXT2_RULESET_TABLE_DIFFERENCE_H

#include <stdbool.h>
#include <xt2/xt2.h>

struct xt2_difference_options {
	bool counters; /* rules that stay get those of the new table; else they keep theirs */
	bool state; /* a rule stays only if its state is that of the new table's rule */
	bool lines; /* a rule stays only if its line is the same */
	bool any; /* however much would change, and of tables of any source and order */
	/*
	 * Is told before anything changes of each rule that stays: its chain in from and its position
	 * there, and those of the old table.  The position after the last rule is that of a policy
	 * that stays, or of a user chain's end.  In order within a chain; may be NULL.
	 */
	void (*stays)(void *data, int chain, unsigned int at, int old_chain, unsigned int old_at);
	void *data;
};

/*
 * xt2_table_difference - turn a table into that of another ruleset, by changing what differs
 * @to: is changed; as a rule it is edited in its image
 * @from: has the table as it shall be
 * @table: its number in from
 *
 * What the table says is the same afterwards as after replacing it: its chains, rules, policies,
 * and, with counters, all that they have counted.
 * => 0; 1: nothing has changed, for too much would, or the table is not there, or it lists its
 *    chains in another way or is from another file; -errno: to can only be thrown away
 */
int xt2_table_difference(struct xt2_ruleset *to, const struct xt2_ruleset *from, int table,
			 const struct xt2_difference_options *options);

/*
 * xt2_tables_meet - tables that one of two rulesets lacks come into being there, empty
 * => 0, -ENOMEM
 */
int xt2_tables_meet(struct xt2_ruleset *a, struct xt2_ruleset *b);

#endif
