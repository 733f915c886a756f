/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print-cache.h - parts of rules whose text is known: see print-cache.c */
#ifndef XT2_XT2TABLES_TEXT_PRINT_PRINT_CACHE_H
#define XT2_XT2TABLES_TEXT_PRINT_PRINT_CACHE_H

#include "rule-print.h"

struct xt2_print_known;

/* For rules of a family that is not ARP's or bridges'.  => NULL: no memory */
struct xt2_print_known *xt2_print_known_new(const struct xt2_ruleset *rs, int family);
void xt2_print_known_free(struct xt2_print_known *k);

/*
 * xt2_print_known - a part of a rule as libxtables prints it, a blank before it
 * @m: of the rule; NULL: its target
 * @len: out: bytes of the text
 *
 * Throws as xt2_print_match() and xt2_print_target() do.
 * => the text, until the next call
 */
const char *xt2_print_known(struct xt2_print_known *k, const struct xt2_rule *r,
			    const struct xt2_match *m, size_t *len);

#endif
