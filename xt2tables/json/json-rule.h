/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-rule.h - the options of a rule as text, both ways
 *
 * As iptables-save prints a rule, without "-A CHAIN".
 */
#ifndef XT2_XT2TABLES_JSON_JSON_RULE_H
#define XT2_XT2TABLES_JSON_JSON_RULE_H

#include "xt2tables/text/restore.h"

/* => 0 and *options, to free(); -ENOMEM; -EOPNOTSUPP: see xt2_text_why() */
int xt2_json_rule_options(const struct xt2_ruleset *rs, int chain, unsigned int at, char **options);

/* A parser of rules; zeroed before use. */
struct xt2_json_parser {
	struct xt2_ruleset *rs; /* gets the rules */
	struct xt2_load load;
	struct xt2_text_options opt;
	int chain;
	char *command; /* "-A CHAIN options" */
};

/* => 0, or -errno of libxtables' setup */
int xt2_json_parser_begin(struct xt2_json_parser *p, struct xt2_ruleset *rs, int table);

/*
 * xt2_json_rule_append - append options as a rule to a chain
 * => 0: it is there, and its counters are 0; -ENOMEM, -E2BIG; -EINVAL: failure
 *    says why, and rules may have come to any chain of the table
 */
int xt2_json_rule_append(struct xt2_json_parser *p, int chain, const char *options,
			 struct xt2_failure *failure);

/*
 * xt2_json_parser_check - what can be said about a table of bridges when it is complete
 * => as xt2_json_rule_append()
 */
int xt2_json_parser_check(struct xt2_json_parser *p, struct xt2_failure *failure);

void xt2_json_parser_free(struct xt2_json_parser *p);

#endif
