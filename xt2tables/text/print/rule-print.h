/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule-print.h - rules as text, to a stream: see rule-print.c */
#ifndef XT2_XT2TABLES_TEXT_PRINT_RULE_PRINT_H
#define XT2_XT2TABLES_TEXT_PRINT_RULE_PRINT_H

#include "xt2tables/text/libxt.h"

struct xt2_printer {
	FILE *to;
	const struct xt2_ruleset *rs;
	int family;
	union xt2_entry entry; /* for the extensions' printers */
};

/* libxtables is set up for the family; all of these may throw (libxt.h). */
void xt2_print_begin(struct xt2_printer *p, FILE *to, const struct xt2_ruleset *rs, int family);

/* "-A CHAIN ..." and a newline; counters, if wanted, before it, of bridges after it */
void xt2_print_rule(struct xt2_printer *p, int chain, const struct xt2_rule *r, bool counters);

/*
 * Its parts, of IPv4 and IPv6: a match or the target, of the rule that was
 * begun last, each with a blank before it.
 */
void xt2_print_rule_begin(struct xt2_printer *p, const struct xt2_rule *r);
void xt2_print_match(struct xt2_printer *p, const struct xt2_match *m);
void xt2_print_target(struct xt2_printer *p, const struct xt2_rule *r);

/* Where the reason goes that xt2_text_why() gives. */
struct xt2_failure *xt2_text_failure_(void);

#endif
