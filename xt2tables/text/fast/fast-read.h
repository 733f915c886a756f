/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fast-read.h - the common rules, without libxtables: see fast-read.c */
#ifndef XT2_XT2TABLES_TEXT_FAST_FAST_READ_H
#define XT2_XT2TABLES_TEXT_FAST_FAST_READ_H

#include <stdbool.h>
#include <xt2/xt2.h>

struct xt2_fast;

/*
 * xt2_fast_new - a reader of plain lines; libxtables is set up for the family
 * @rs: gets comments and cells
 * @counters: "[packets:bytes]" before a rule counts
 * => NULL: no memory, or not IPv4 or IPv6
 */
struct xt2_fast *xt2_fast_new(struct xt2_ruleset *rs, int family, bool counters);
void xt2_fast_free(struct xt2_fast *p);

/* Rules of this table follow.  Call it again when chains have come, gone or changed names. */
void xt2_fast_table(struct xt2_fast *p, int table);

/*
 * xt2_fast_read - a line as a rule
 * @line: where it starts; @end: its newline, with XT2_LINES_AFTER bytes after it
 * @chain: that the rule is to be appended to
 * => the rule, until the next call; NULL: not a plain line, and what it says
 *    is for others to find out
 */
const struct xt2_rule *xt2_fast_read(struct xt2_fast *p, const char *line, const char *end,
				     int *chain);

#endif
