/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print-fast.h - common rules as text, without libxtables
 *
 * Writes the same bytes as xt2_print_rule() (rule-print.h) into a buffer, some
 * fifty times as fast, or leaves a rule to it.
 */
#ifndef XT2_XT2TABLES_TEXT_PRINT_PRINT_FAST_H
#define XT2_XT2TABLES_TEXT_PRINT_PRINT_FAST_H

#include "digits.h"
#include <xt2/xt2.h>

/* Bytes that a rule wants to find; with less, more is left. */
#define XT2_RULE_TEXT_ROOM 8192

struct xt2_rule_text {
	const struct xt2_ruleset *rs;
	int family;
	bool counters;
	unsigned int head_len;
	char head[2 * XT2_NAME_SIZE + 8]; /* "-A CHAIN" */
};

void xt2_rule_text_begin(struct xt2_rule_text *t, const struct xt2_ruleset *rs, int family,
			 bool counters);

/* The chain whose rules come next. */
void xt2_rule_text_chain(struct xt2_rule_text *t, int chain);

/*
 * xt2_rule_text - one rule and a newline
 * @r: of the chain
 * @at: where; the bytes after the text may be overwritten, up to @end
 * => the end of the text; NULL: libxtables has to print at least a part of it
 */
char *xt2_rule_text(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
		    const char *end);

/*
 * The parts of a rule, likewise: counters and "-A CHAIN", a match, the target.
 * The first is left if all of the rule has to be.
 */
char *xt2_rule_text_head(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
			 const char *end);
char *xt2_rule_text_match(const struct xt2_rule_text *t, const struct xt2_match *m, char *at,
			  const char *end);
char *xt2_rule_text_target(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
			   const char *end);

#endif
