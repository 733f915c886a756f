/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bridge.h - rules of ebtables as text
 *
 * Options of extensions are those of libxtables' plugins for bridges where
 * the plugin's structure is the kernel's.  limit and among have one of their
 * own there, which only nft knows: bridge-ext.c reads and prints them.  All of
 * these may throw (libxt.h).
 */
#ifndef XT2_XT2TABLES_TEXT_BRIDGE_BRIDGE_H
#define XT2_XT2TABLES_TEXT_BRIDGE_BRIDGE_H

#include <getopt.h>
/* libc's own headers come first: the kernel's yield to them, not they to the kernel's. */
#include "xt2tables/text/restore.h"
#include "xt2tables/text/print/rule-print.h"
#include "translators/ebt/ebt.h"

/* " -p IPv4 ... -j ACCEPT": the part after "-A CHAIN"; counters as ebtables-save has them */
void xt2_bridge_print(struct xt2_printer *p, int table, const struct xt2_rule *r, bool counters);

/* One base test; the target, "-j ..." */
void xt2_bridge_print_match(struct xt2_printer *p, const struct xt2_match *m);
void xt2_bridge_print_target(struct xt2_printer *p, int table, const struct xt2_rule *r);

/* A line that is neither a table's nor a chain's: "-A CHAIN ..." */
void xt2_bridge_line(struct xt2_load *load);

/*
 * A payload of the size and with the numbers that the kernel would take; throws
 * if not.  Hooks of the rule are 0 if they are not known.
 */
void xt2_bridge_sound(const struct ebt_rule *rule, bool target, const struct xt2_instance *in);

/* A table that is complete: all checks of the kernel; throws.  => 0 */
int xt2_bridge_check(struct xt2_load *load);

/* The policy of any chain of a table of bridges. */
void xt2_bridge_policy(struct xt2_load *load, const char *chain, const char *policy);

/* --- limit and among (bridge-ext.c) ------------------------------------------ */

/* => false: no text says this */
bool xt2_bridge_limit_print(FILE *to, const void *payload, unsigned int size);
bool xt2_bridge_among_print(FILE *to, const void *payload, unsigned int size);

/* Their options, by letter; what is read is kept until the payload is asked for. */
extern const struct option xt2_bridge_limit_options[], xt2_bridge_among_options[];

struct xt2_bridge_set { /* of among: MAC addresses, with an IPv4 address or 0 */
	struct ebt_mac_wormhash_tuple *pair; /* malloc'ed */
	unsigned int count;
	bool given, invert;
};

struct xt2_bridge_own {
	__u32 avg, burst;
	bool avg_given, burst_given;
	struct xt2_bridge_set src, dst;
	bool src_first;
};

void xt2_bridge_limit_option(struct xt2_bridge_own *own, int c, char *arg, bool invert);
void xt2_bridge_among_option(struct xt2_bridge_own *own, int c, char *arg, bool invert);
/* => bytes at payload, which has room for @room; throws if they are too many */
unsigned int xt2_bridge_limit_payload(const struct xt2_bridge_own *own, void *payload,
				      unsigned int room);
unsigned int xt2_bridge_among_payload(const struct xt2_bridge_own *own, void *payload,
				      unsigned int room);
void xt2_bridge_own_free(struct xt2_bridge_own *own);

#endif
