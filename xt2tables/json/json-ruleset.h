/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-ruleset.h - rulesets as JSON
 *
 * One schema, doc/json.md, in both directions and without a loss: tables,
 * chains, policies, rules as text and as fields, counters.  What is written
 * reads back as the same ruleset.  As in text.h, this uses libxtables: one
 * thread only.
 */
#ifndef XT2_XT2TABLES_JSON_JSON_RULESET_H
#define XT2_XT2TABLES_JSON_JSON_RULESET_H

#include <stdio.h>
#include <xt2/xt2.h>

/*
 * xt2_json_write - print a ruleset
 * @family: only tables of this one; 0: all
 * @table: only tables of this name; NULL: all
 * => 0; -ENOENT: no such table; -EIO; -EOPNOTSUPP: a rule that has no text
 *    (xt2_text_why() says more)
 */
int xt2_json_write(FILE *to, const struct xt2_ruleset *rs, int family, const char *table);

/*
 * xt2_json_read - take the tables of a file
 * @path: file; "-": standard input
 * @rs: tables that it has and the file, too, are replaced, others stay
 * @family: only tables of this one; 0: all
 * @err: file, line, column, the rule and its chain and number, reason
 *
 * All or nothing: after a failure the ruleset is as it was.
 * => 0; -EINVAL: not JSON, not the schema, a rule that is wrong, or fields
 *    that say something else than the rule's text; -ENOMEM; errors of open(2)
 */
int xt2_json_read(const char *path, struct xt2_ruleset *rs, int family, struct xt2_err *err);

#endif
