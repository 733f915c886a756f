/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.c - what a parsed line does to a ruleset
 *
 * -A -I -D -R -C, -F -X -N -E -P -Z, with the meaning and the messages that
 * libiptc gives them.
 */
#include "config.h"
#include <errno.h>
#include <string.h>
#include "libxt2/printable.h"
#include "commands.h"
#include "print/listing.h"
#include "engine/check.h"
#include "libxt2/ruleset/ruleset.h"

static void __attribute__((noreturn)) fail(int error, const char *message)
{
	if (error == -ENOMEM)
		xt2_no_memory();
	xt2_fails_with(-error);
	xt2_throw(error == -ENOENT ? XT2_E_UNKNOWN : XT2_E_SYNTAX, OTHER_PROBLEM, "%s", message);
}

static const char no_name[] = "No chain/target/match by that name";
static const char bad_rule[] = "Bad rule (does a matching rule exist in that chain?)";

/* The chain that the line names; the one of the line before is remembered. */
static int chain_of(struct xt2_load *load)
{
	const char *name = load->line.chain;
	int chain;

	if (load->chain >= 0 && !strcmp(load->chain_name, name) &&
	    xt2_chain_table(load->rs, load->chain) == load->line.table_number &&
	    !strcmp(xt2_chain_name(load->rs, load->chain), name))
		return load->chain;
	chain = xt2_chain_find(load->rs, load->line.table_number, name);
	if (chain < 0) {
		load->line.at = 2;
		if (!load->line.alone)
			xt2_hint("declare the chain before its first rule: \":%s - [0:0]\"", name);
		if (load->line.alone && strchr("DC", load->line.command) && !load->line.by_number)
			fail(-ENOENT, bad_rule);
		fail(-ENOENT, no_name);
	}
	load->chain = chain;
	snprintf(load->chain_name, sizeof(load->chain_name), "%s", name);
	return chain;
}

static void failed(int error)
{
	if (error < 0)
		fail(error, strerror(-error));
}

/* A rule that the ruleset does not take: the engine's check says why. */
static void refused(struct xt2_load *load, const struct xt2_rule *r, int error)
{
	const struct xt2_rule_bounds bounds = { (__u8)load->opt->family, ~0u, ~0u, ~0u };
	const char *what = "it names what is not there";

	if (error >= 0)
		return;
	if (error == -EINVAL) {
		xt2_check_rule(r, r->size, &bounds, &what);
		xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "the kernel would refuse this rule: %s",
			  what);
	}
	failed(error);
}

/* The chain, in which the line's number is at most so much more than that of its rules. */
static int numbered(struct xt2_load *load, unsigned int more, const char *message)
{
	int chain = chain_of(load);

	if (load->line.number - more > xt2_chain_rules(load->rs, chain))
		fail(-E2BIG, message);
	return chain;
}

/* -v: what becomes of a rule. */
static void say_rule(const struct xt2_load *load, const struct xt2_rule *r)
{
	if (load->say)
		xt2_listing_rule(load->say, load->rs, load->opt->family, r);
}

/* A rule for which there is no place, for say_lost(). */
struct lost {
	struct xt2_load *load;
	unsigned int s, d;
};

static void say_packed(void *arg)
{
	const struct lost *l = arg;

	say_rule(l->load, xt2_line_pack(&l->load->line, l->load->rs, l->s, l->d));
}

/* iptables tells a rule before it looks for its chain and number; @more: see numbered(). */
static void say_lost(struct xt2_load *load, unsigned int s, unsigned int d, unsigned int more)
{
	const struct xt2_line *l = &load->line;
	const int chain = xt2_chain_find(load->rs, l->table_number, l->chain);
	struct lost lost = { load, s, d };
	struct xt2_failure f;

	if (load->say && l->alone &&
	    (chain < 0 || (l->number && l->number - more > xt2_chain_rules(load->rs, chain))))
		xt2_try(say_packed, &lost, &f);
}

/* -v: what becomes of a chain, also if it is not there. */
static void say_chain(const struct xt2_load *load, const char *what, const char *name)
{
	if (load->say)
		xt2_print_line(load->say, "%s chain `%s'", what, name);
}

static void command_append(struct xt2_load *load, unsigned int s, unsigned int d)
{
	const struct xt2_rule *r;
	int chain;

	say_lost(load, s, d, 0);
	chain = chain_of(load);
	r = xt2_line_pack(&load->line, load->rs, s, d);

	say_rule(load, r);
	refused(load, r, xt2_rule_append(load->rs, chain, r, load->number));
}

static void command_insert(struct xt2_load *load, unsigned int s, unsigned int d)
{
	const struct xt2_rule *r;
	int chain;

	say_lost(load, s, d, 1);
	chain = numbered(load, 1, "Index of insertion too big");
	r = xt2_line_pack(&load->line, load->rs, s, d);

	say_rule(load, r);
	refused(load, r, xt2_rule_insert(load->rs, chain, load->line.number - 1, r, load->number));
}

static void command_replace(struct xt2_load *load, unsigned int s, unsigned int d)
{
	const struct xt2_rule *r;
	int chain;

	say_lost(load, s, d, 0);
	chain = numbered(load, 0, "Index of replacement too big");
	r = xt2_line_pack(&load->line, load->rs, s, d);

	say_rule(load, r);
	refused(load, r, xt2_rule_replace(load->rs, chain, load->line.number - 1, r, load->number));
}

/*
 * No rule is equal.  libiptc forgets what it was asked for while it looks at a target that is no
 * verdict, and has more general words for it.
 */
static void __attribute__((noreturn)) no_rule(const struct xt2_load *load, int error)
{
	const struct xt2_line *l = &load->line;
	const bool plain = !*l->jump || xt2_verdict_named(l->jump) || l->family == XT2_ARP;

	fail(error == -ENOMEM ? error : -ENOENT, l->alone && !plain ? no_name : bad_rule);
}

/* A rule to look for. */
struct wanted {
	struct xt2_load *load;
	unsigned int s, d;
	const struct xt2_rule *r;
};

static void pack_wanted(void *arg)
{
	struct wanted *w = arg;

	w->r = xt2_line_pack(&w->load->line, w->load->rs, w->s, w->d);
}

/* What no table can hold is not there; why it cannot is a hint. */
static const struct xt2_rule *wanted(struct xt2_load *load, unsigned int s, unsigned int d)
{
	struct wanted w = { load, s, d, NULL };
	struct xt2_failure f;

	if (!load->line.alone) {
		pack_wanted(&w);
		return w.r;
	}
	if (!xt2_try(pack_wanted, &w, &f))
		return w.r;
	if (f.code != XT2_E_OPTION && f.code != XT2_E_TABLE)
		xt2_rethrow(&f);
	xt2_hint("%s", f.message);
	no_rule(load, -ENOENT);
}

/* -D and -C */
static void command_delete(struct xt2_load *load, unsigned int s, unsigned int d)
{
	const struct xt2_rule *r;
	int chain, at;

	say_lost(load, s, d, 0);
	chain = chain_of(load);
	r = wanted(load, s, d);
	say_rule(load, r);
	at = xt2_rule_find(load->rs, chain, r);
	if (at < 0)
		no_rule(load, at);
	if (load->line.command == 'D')
		failed(xt2_rule_delete(load->rs, chain, (unsigned int)at));
}

static void delete_number(struct xt2_load *load)
{
	int chain = numbered(load, 0, "Index of deletion too big");

	failed(xt2_rule_delete(load->rs, chain, load->line.number - 1));
}

/* A function for the named chain, or for all of the table. */
static void each_chain(struct xt2_load *load, const char *what, void (*run)(struct xt2_load *, int))
{
	int chain;

	if (load->line.chain) {
		say_chain(load, what, load->line.chain);
		run(load, chain_of(load));
		return;
	}
	xt2_table_for_each_chain(chain, load->rs, load->line.table_number) {
		say_chain(load, what, xt2_chain_name(load->rs, chain));
		run(load, chain);
	}
}

static void flush(struct xt2_load *load, int chain)
{
	failed(xt2_chain_flush(load->rs, chain));
}

/* => NULL: the chain is gone; or why not, and its errno */
static const char *try_delete(struct xt2_load *load, int chain, int *error)
{
	*error = -EINVAL;
	if (xt2_chain_hook(load->rs, chain) >= 0)
		return "Can't delete built-in chain";
	*error = -EMLINK;
	if (xt2_chain_references(load->rs, chain))
		return "Can't delete chain with references left";
	*error = -ENOTEMPTY;
	if (xt2_chain_rules(load->rs, chain))
		return "Chain is not empty";
	load->chain = -1;
	failed(xt2_chain_delete(load->rs, chain));
	return NULL;
}

/* Of all chains, each is tried; the last failure is the one that is told. */
static void delete_chains(struct xt2_load *load)
{
	const int table = load->line.table_number;
	const char *why = NULL, *last;
	int chain, next, error, last_error = 0;

	if (load->line.chain) {
		say_chain(load, "Deleting", load->line.chain);
		why = try_delete(load, chain_of(load), &last_error);
	} else {
		for (chain = xt2_chain_next(load->rs, table, -1); chain >= 0; chain = next) {
			next = xt2_chain_next(load->rs, table, chain);
			if (xt2_chain_hook(load->rs, chain) >= 0)
				continue;
			say_chain(load, "Deleting", xt2_chain_name(load->rs, chain));
			last = try_delete(load, chain, &error);
			why = last ? last : why;
			last_error = last ? error : last_error;
		}
	}
	if (why)
		fail(last_error, why);
}

static void zero(struct xt2_load *load, int chain)
{
	unsigned int i, n = xt2_chain_rules(load->rs, chain);
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = xt2_rule_set_counters(load->rs, chain, i, 0, 0);
	if (!ret && xt2_chain_hook(load->rs, chain) >= 0)
		ret = xt2_chain_set_counters(load->rs, chain, 0, 0);
	failed(ret);
}

static void zero_number(struct xt2_load *load)
{
	int chain = numbered(load, 0, "Index of counter too big");

	failed(xt2_rule_set_counters(load->rs, chain, load->line.number - 1, 0, 0));
}

static void new_chain(struct xt2_load *load)
{
	const char *name = load->line.chain;
	int ret = -EEXIST;

	if (!xt2_verdict_named(name) && xt2_chain_find(load->rs, load->line.table_number, name) < 0)
		ret = xt2_chain_add(load->rs, load->line.table_number, name);
	if (ret == -EEXIST)
		fail(ret, "Chain already exists.");
	failed(ret);
}

static void rename_chain(struct xt2_load *load)
{
	const char *name = load->line.newname;
	int chain;

	if (xt2_verdict_named(name) || xt2_chain_find(load->rs, load->line.table_number, name) >= 0)
		fail(-EEXIST, "File exists");
	chain = chain_of(load);
	if (xt2_chain_hook(load->rs, chain) >= 0 && load->line.alone)
		fail(-ENOENT, no_name);
	if (xt2_chain_hook(load->rs, chain) >= 0)
		fail(-EINVAL, "Can't rename built-in chain");
	if (strlen(name) >= XT_EXTENSION_MAXNAMELEN)
		xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "chain name `%s' too long", name);
	if (name[strcspn(name, " \t\r")]) /* iptables takes it, but cannot read it from ":a b -" */
		xt2_bad_text("Invalid chain name `%s'", name);
	load->chain = -1;
	failed(xt2_chain_rename(load->rs, chain, name));
}

void xt2_commands_policy(struct xt2_load *load, const char *name, const char *policy)
{
	int chain = xt2_chain_find(load->rs, load->line.table_number, name);
	const char *why = NULL;
	int error = -ENOENT;

	if (chain < 0 || xt2_chain_hook(load->rs, chain) < 0) {
		why = "Bad built-in chain name";
	} else if (xt2_chain_set_policy(load->rs, chain, xt2_verdict_named(policy)) < 0) {
		why = "Bad policy name";
		error = -EINVAL;
	}
	if (why && load->line.alone)
		fail(error, why);
	if (why)
		xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "Can't set policy `%s' on `%s' line %u: %s",
			  policy, name, load->number, why);
}

static void set_policy(struct xt2_load *load)
{
	struct xt2_line *l = &load->line;

	xt2_commands_policy(load, l->chain, l->policy);
	/* without -c they start anew */
	failed(xt2_chain_set_counters(load->rs, chain_of(load), l->packets, l->bytes));
}

static void zero_what(struct xt2_load *load)
{
	if (load->line.by_number)
		zero_number(load);
	else
		each_chain(load, "Zeroing", zero);
}

/* -L and -S, and -Z if it is there as well */
static void list(struct xt2_load *load)
{
	const struct xt2_line *l = &load->line;
	const struct xt2_listing how = {
		.numeric = l->given & XT2_OPT_BIT(XT2_OPT_NUMERIC),
		.verbose = l->given & XT2_OPT_BIT(XT2_OPT_VERBOSE),
		.exact = l->given & XT2_OPT_BIT(XT2_OPT_EXACT),
		.numbers = l->given & XT2_OPT_BIT(XT2_OPT_LINES),
	};
	int ret = 0;

	if (l->command == 'S')
		ret = xt2_text_list_rules(stdout, load->rs, l->table_number, l->chain, l->number,
					  how.verbose);
	else if (!xt2_listing_print(stdout, load->rs, l->table_number, l->chain, l->number, &how))
		ret = -ENOENT;
	if (ret == -ENOENT)
		fail(ret, no_name);
	if (ret)
		fail(ret, xt2_text_why());
	if (l->zero)
		zero_what(load);
}

/* A rule for one pair of addresses. */
struct pair {
	struct xt2_load *load;
	void (*run)(struct xt2_load *load, unsigned int s, unsigned int d);
	unsigned int s, d;
};

static void run_pair(void *arg)
{
	const struct pair *p = arg;

	p->run(p->load, p->s, p->d);
}

/* On a command line all pairs are tried, and the last failure is the one that is told. */
static void each_address(struct xt2_load *load,
			 void (*run)(struct xt2_load *, unsigned int, unsigned int))
{
	struct pair p = { .load = load, .run = run };
	struct xt2_failure f;
	bool failed = false;

	for (p.s = 0; p.s < load->line.src.count; p.s++)
		for (p.d = 0; p.d < load->line.dst.count; p.d++)
			if (!load->line.alone)
				run_pair(&p);
			else if (xt2_try(run_pair, &p, &f))
				failed = true;
	if (failed)
		xt2_rethrow(&f);
}

void xt2_commands_run(struct xt2_load *load)
{
	switch (load->line.command) {
	case 'A': each_address(load, command_append); break;
	case 'I': each_address(load, command_insert); break;
	case 'R': each_address(load, command_replace); break;
	case 'D':
	case 'C':
		if (load->line.by_number)
			delete_number(load);
		else
			each_address(load, command_delete);
		break;
	case 'F': each_chain(load, "Flushing", flush); break;
	case 'X': delete_chains(load); break;
	case 'Z': zero_what(load); break;
	case 'L':
	case 'S': list(load); break;
	case 'N': new_chain(load); break;
	case 'E': rename_chain(load); break;
	case 'P': set_policy(load); break;
	}
}

void xt2_commands_announce(const struct xt2_load *load, int table)
{
	const struct xt2_ruleset *rs = load->opt->replaces;
	int chain;

	if (!load->opt->report)
		return;
	if (!rs || table >= xt2_ruleset_tables(rs))
		rs = load->rs;
	xt2_table_for_each_chain(chain, rs, table)
		xt2_print_line(load->opt->report, "Flushing chain `%s'", xt2_chain_name(rs, chain));
	xt2_table_for_each_chain(chain, rs, table)
		if (xt2_chain_hook(rs, chain) < 0)
			xt2_print_line(load->opt->report, "Deleting chain `%s'",
				       xt2_chain_name(rs, chain));
}
