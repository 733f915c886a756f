/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - rulesets as iptables text
 *
 * What the programs need of text in and out.  Options of extensions are
 * parsed and printed by libxtables, whose state is global to the process: one
 * thread only.  Families may be mixed; libxtables is set up anew for each.
 */
#ifndef XT2_XT2TABLES_TEXT_TEXT_H
#define XT2_XT2TABLES_TEXT_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <xt2/xt2.h>
#include "xt2tables/files/opened-file.h"

struct xt2_commit_check;

struct xt2_text_options {
	int family; /* XT2_IPV4, XT2_IPV6, XT2_ARP */
	bool counters; /* -c: take the counters from the text */
	bool bare_policies; /* with counters: those of a policy may be missing */
	bool noflush; /* -n: tables of the file are not reset first */
	bool resolve; /* host names may be looked up (DNS) */
	/* A change of a table zeroes the counters of its policies, as iptables-restore has it. */
	bool zero_policies;
	bool *changed; /* [XT2_TABLES_MAX]: set for tables that the text changes; or NULL */
	const char *table; /* -T: only this table; NULL: all */
	unsigned int errors; /* to keep at most; 0: 20 */
	FILE *report; /* -v: what is being done; NULL: nothing */
	/* Its tables have the same numbers, and are those that -v says are emptied; or NULL */
	const struct xt2_ruleset *replaces;
	bool no_plain; /* common rules, too, go through libxtables: for tests */
	unsigned int *plain; /* counts those that don't; or NULL */
	/* The file, if it is open already, the caller's to close; NULL: it is not. */
	const struct xt2_opened_file *file;
	/*
	 * The commit checks the tables, and not each COMMIT: called when all of the text was read and
	 * is right, with the checks.  => 0; not 0: it could not be; errors tell why, or commit() did
	 */
	int (*commit)(void *data, const struct xt2_commit_check *check);
	void *data;
};

/* Errors of a whole file, in the order of its lines. */
struct xt2_text_errors {
	struct xt2_err *list; /* malloc'ed; release with xt2_text_errors_free() */
	unsigned int count; /* errors at list */
	unsigned int more; /* further errors that were not kept */
	int status; /* exit status that iptables-restore has for the first one */
};

void xt2_text_errors_free(struct xt2_text_errors *errors);

/*
 * xt2_text_load - read iptables-save text into a ruleset
 * @path: file; "-": standard input
 * @rs: after a failure it holds parts of the file: release it
 * => 0; otherwise -errno of the first error (-EINVAL for errors in the text)
 */
int xt2_text_load(const char *path, struct xt2_ruleset *rs, const struct xt2_text_options *opt,
		  struct xt2_text_errors *errors);

/*
 * xt2_text_save - print tables as iptables-save does
 * @table: only this one; NULL: all of the family, newest first
 * => 0, -ENOENT (no such table), -EIO (the stream knows why), -EOPNOTSUPP (see xt2_text_why())
 */
int xt2_text_save(FILE *to, const struct xt2_ruleset *rs, int family, const char *table,
		  bool counters);

/*
 * xt2_text_list_rules - print chains and rules as iptables -S does
 * @chain: only this one; NULL: all
 * @rule: only the rule of this number; 0: all, and chains and policies
 * @counters: -v
 * => 0; -ENOENT: no such chain; -EOPNOTSUPP (see xt2_text_why()); -ENOMEM
 */
int xt2_text_list_rules(FILE *to, const struct xt2_ruleset *rs, int table, const char *chain,
			unsigned int rule, bool counters);

/* Why the last call of this header could not print a rule; "" if it could. */
const char *xt2_text_why(void);

/*
 * Parts of a rule as text, without a newline; as snprintf(), the answer is the
 * length that was needed, or -errno if libxtables could not print it.
 */
/* "-A CHAIN ..." without counters */
int xt2_text_rule(const struct xt2_ruleset *rs, int chain, unsigned int at, char *buf, size_t size);
/* one condition: "-s 10.0.0.0/8", "-m tcp --dport 22"; chain: of the rule */
int xt2_text_match(const struct xt2_ruleset *rs, int chain, const struct xt2_match *m, char *buf,
		   size_t size);
/* "-j REJECT --reject-with tcp-reset"; empty without a target */
int xt2_text_target(const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r, char *buf,
		    size_t size);

#endif
