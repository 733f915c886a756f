/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxt.h - libxtables and its extensions, as the text programs use them
 *
 * Everything here may leave by xt2_throw(), because an extension that finds
 * an option wrong does: call it inside xt2_try().
 */
#ifndef XT2_XT2TABLES_TEXT_LIBXT_H
#define XT2_XT2TABLES_TEXT_LIBXT_H

#include <stdbool.h>
#include <xtables.h>
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <xt2/xt2.h>

/* Why a line was refused. */
struct xt2_failure {
	int code; /* enum xt2_code */
	int status; /* exit status, as iptables' own: enum xtables_exittype */
	int errnum; /* errno that libiptc would leave; 0: another kind of failure */
	char message[512];
	char hint[256];
};

/*
 * xt2_try - run a function that may throw
 * => 0; -1: it threw, and failure says why
 */
int xt2_try(void (*run)(void *arg), void *arg, struct xt2_failure *failure);

void xt2_throw(int code, int status, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* The most common of them. */
#define xt2_bad_text(...) xt2_throw(XT2_E_SYNTAX, PARAMETER_PROBLEM, __VA_ARGS__)
#define xt2_no_memory()	  xt2_throw(XT2_E_SYSTEM, RESOURCE_PROBLEM, "out of memory")

/* Say what to do about the failure that is thrown next. */
void xt2_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Throw what was caught. */
void xt2_rethrow(const struct xt2_failure *f) __attribute__((noreturn));

/* The errno of the failure that is thrown next. */
void xt2_fails_with(int errnum);

/* What options of extensions are parsed against: the start of a legacy rule. */
union xt2_entry {
	struct ipt_entry ip;
	struct ip6t_entry ip6;
	struct arpt_entry arp;
};

/* The extensions of a rule; zeroed before use. */
struct xt2_ext {
	struct xtables_rule_match *matches;
	struct xtables_target *target;
	union xt2_entry entry;
};

/*
 * xt2_libxt_setup - prepare for one family; cheap if it is the current one
 * @base: the base options; must stay
 * @resolve: host names may be looked up
 * => 0, -ENOSYS
 */
int xt2_libxt_setup(int family, struct option *base, bool resolve);

/* All options that are known at this point of the rule, for getopt_long(). */
struct option *xt2_libxt_options(void);

/* Forget the previous rule; before the first option of each. */
void xt2_libxt_begin(struct xt2_ext *ext);
void xt2_libxt_end(struct xt2_ext *ext);

/* "-m name"; throws if there is no such match. */
void xt2_libxt_match(struct xt2_ext *ext, const char *name);

/* Is the match that "-m name" brings this one, in this revision and with so many bytes? */
bool xt2_libxt_match_is(const char *name, const char *real, int revision, unsigned int size);

/* The same of "-j name", whose real name is the same. */
bool xt2_libxt_target_is(const char *name, int revision, unsigned int size);

/* The match that goes with "-p protocol", if it isn't there yet.  => false: none */
bool xt2_libxt_match_proto(struct xt2_ext *ext, const char *protocol, bool *used);

/* "-j name".  => false: there is no such target */
bool xt2_libxt_target(struct xt2_ext *ext, const char *name);

/* Name of the family's extension tried last: throws as libxtables does. */
void xt2_libxt_target_must(const char *name) __attribute__((noreturn));

/* An option that getopt_long() found; => false: it belongs to none of the extensions. */
bool xt2_libxt_option(struct xt2_ext *ext, int c, const char *name, char **argv, bool invert);

/* Check that the options of every extension are complete. */
void xt2_libxt_finish(struct xt2_ext *ext);

/*
 * Print an extension with its options, a space before each word.
 * @payload: size bytes in the legacy form; @entry: of the rule
 */
void xt2_libxt_print_match(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			   const void *payload, unsigned int size);
void xt2_libxt_print_target(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			    const void *payload, unsigned int size, bool arp);

/*
 * The same in the words of iptables -L, a space after each; what has no plugin, or one of
 * another revision, is only named.
 */
void xt2_libxt_list_match(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			  const void *payload, unsigned int size, bool numeric);
void xt2_libxt_list_target(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			   const void *payload, unsigned int size, bool numeric);

/* The options of the rule's matches, and of targets that have been asked for, as help. */
void xt2_libxt_help(const struct xt2_ext *ext);

/* A rule's target is a chain after all. */
void xt2_libxt_target_drop(struct xt2_ext *ext);

/* Options of an extension of bridges, a space after each word; its payload must be sound. */
void xt2_libxt_print_bridge(FILE *to, bool target, const char *name, const void *payload,
			    unsigned int size);

/* "tcp" for 6, NULL if it has no name; remembered. */
const char *xt2_libxt_proto_name(unsigned int proto);

#endif
