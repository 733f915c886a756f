/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule-print.h - rules as text, to a stream: see rule-print.c */
#ifndef XT2_XT2TABLES_TEXT_PRINT_RULE_PRINT_H
#define XT2_XT2TABLES_TEXT_PRINT_RULE_PRINT_H

#include "xt2tables/text/libxt.h"

struct xt2_printer {
	FILE *to;
	const struct xt2_ruleset *rs;
	int family;
	bool counters_after; /* "-c 1 2" before the target: of IPv4 and IPv6 */
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

/* An extension as the kernel has it. */
struct xt2_native {
	const char *name; /* of a target also a verdict's or a chain's; "": none */
	int revision; /* -1: a verdict or a chain */
	const void *payload; /* until the next one */
	unsigned int size;
};

/* A match that is no base test, and the target.  They throw if it has no native form. */
void xt2_print_native_match(const struct xt2_printer *p, const struct xt2_match *m,
			    struct xt2_native *n);
void xt2_print_native_target(const struct xt2_printer *p, const struct xt2_rule *r,
			     struct xt2_native *n);

/* Options of a target of ARP rules, with a blank after them, as arptables-save and -L have them. */
enum xt2_arp_words { XT2_ARP_SAVED, XT2_ARP_NAMES, XT2_ARP_NUMBERS };

void xt2_print_arp_options(struct xt2_printer *p, const struct xt2_native *n,
			   enum xt2_arp_words words);

/* The network and mask of a test of IPv4 addresses. */
void xt2_print_address4(const struct xt2_match *m, struct in_addr *addr, struct in_addr *mask);

/* A name of an interface, or the start of one and "+". */
#define XT2_IFACE_TEXT (IFNAMSIZ + 2)
void xt2_print_iface(const struct xt2_match *m, char name[XT2_IFACE_TEXT]);

/* Where the reason goes that xt2_text_why() gives. */
struct xt2_failure *xt2_text_failure_(void);

#endif
