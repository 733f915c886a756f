/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - chains and rules as iptables -L lists them: see listing.c
 *
 * libxtables is set up for the table's family; all of these may throw (libxt.h).
 */
#ifndef XT2_XT2TABLES_TEXT_PRINT_LISTING_H
#define XT2_XT2TABLES_TEXT_PRINT_LISTING_H

#include "rule-print.h"

struct xt2_listing {
	bool numeric; /* -n: no names of hosts, services and protocols */
	bool verbose; /* -v: counters and interfaces */
	bool uncounted; /* only interfaces */
	bool exact; /* -x: counters without units */
	bool numbers; /* --line-numbers */
};

/*
 * xt2_listing_print - what -L prints
 * @chain: only this one; NULL: all
 * @rule: only the rule of this number, without the chain's head; 0: all
 * => false: there is no such chain
 */
bool xt2_listing_print(FILE *to, const struct xt2_ruleset *rs, int table, const char *chain,
		       unsigned int rule, const struct xt2_listing *how);

/* A rule that is being added or deleted, as iptables -A -v prints it: a line. */
void xt2_listing_rule(FILE *to, const struct xt2_ruleset *rs, int family, const struct xt2_rule *r);

/* A rule of ARP (listing-arp.c), without the newline; number: 0: none. */
void xt2_listing_arp_rule(struct xt2_printer *p, const struct xt2_rule *r, unsigned int number,
			  const struct xt2_listing *how);

/* 123456 as "123K" (counter-units.c) in so many columns, and a blank; exact: without a unit. */
void xt2_listing_number(FILE *to, __u64 number, int width, bool exact);

#endif
