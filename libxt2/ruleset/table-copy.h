/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table-copy.h - a table of one ruleset in another */
#ifndef XT2_LIBXT2_RULESET_TABLE_COPY_H
#define XT2_LIBXT2_RULESET_TABLE_COPY_H

#include <xt2/xt2.h>

/*
 * xt2_table_copy - add a table of another ruleset, with counters and state
 * @to: after a failure it holds a part of the table: release it
 * @table: of from
 * => 0; -EEXIST: there is a table of this family and name; -ENOMEM, -E2BIG
 */
int xt2_table_copy(struct xt2_ruleset *to, const struct xt2_ruleset *from, int table);

/* The same into a table that is there and has neither rules nor chains of users.  => 0, -ENOMEM, -E2BIG */
int xt2_table_fill(struct xt2_ruleset *to, int to_table, const struct xt2_ruleset *from, int table);

#endif
