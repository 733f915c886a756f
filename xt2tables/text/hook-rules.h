/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hook-rules.h - what can be said about a table only when it is complete: see hook-rules.c */
#ifndef XT2_XT2TABLES_TEXT_HOOK_RULES_H
#define XT2_XT2TABLES_TEXT_HOOK_RULES_H

#include "line.h"

typedef void xt2_reach_report(void *data, int chain, unsigned int rule, int code,
			      const char *message, const char *hint);

/*
 * xt2_reach_check - loops, and extensions that a hook does not allow
 * @report: called for each problem, with the rule's place from 0
 * => number of problems, -ENOMEM
 */
int xt2_reach_check(const struct xt2_ruleset *rs, int table, xt2_reach_report *report, void *data);

/* => has a rule of a table an extension that one of these hooks does not allow? */
bool xt2_reach_refuses(const struct xt2_ruleset *rs, int table, const struct xt2_rule *r,
		       unsigned int hooks);

#endif
