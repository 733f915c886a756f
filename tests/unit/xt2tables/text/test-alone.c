/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-alone.c - xt2tables/text/alone.c, and what lists
 *
 * What tests/e2e/tables.py cannot show: several commands in one process, the
 * stages of failures, and that one chain is listed without a look at others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/text/alone.h"
#include "xt2tables/text/print/listing.h"

static struct xt2_alone *a;
static struct xt2_ruleset *rs;
static struct xt2_failure failure;

static int setup(void **state)
{
	a = xt2_alone_new(NULL, NULL);
	rs = xt2_ruleset_new();
	assert_non_null(a);
	assert_non_null(rs);
	a->silent = true;
	a->load.line.program = "iptables";
	return 0;
}

static int teardown(void **state)
{
	xt2_alone_free(a);
	xt2_ruleset_free(rs);
	return 0;
}

/* => 0, -1, as its parts */
static int command(int family, const char *line)
{
	int ret = xt2_alone_cut(a, line, strlen(line), &failure);

	if (!ret)
		ret = xt2_alone_parse(a, family, "filter", &failure);
	if (!ret)
		ret = xt2_alone_run(a, rs, &failure);
	xt2_alone_end(a);
	return ret;
}

static void good(int family, const char *line)
{
	if (command(family, line))
		fail_msg("%s: %s", line, failure.message);
}

static void bad(const char *line, enum xt2_alone_stage stage, int status, int errnum,
		const char *message)
{
	assert_int_equal(command(XT2_IPV4, line), -1);
	assert_int_equal(a->stage, stage);
	assert_int_equal(failure.status, status);
	assert_int_equal(failure.errnum, errnum);
	if (strncmp(failure.message, message, strlen(message)))
		fail_msg("%s: %s", line, failure.message);
}

static void one_after_the_other(void **state)
{
	int table, chain;

	good(XT2_IPV4, "-N web");
	good(XT2_IPV6, "-t raw -A OUTPUT -s ::1 -j ACCEPT");
	good(XT2_IPV4, "-A INPUT -s 10.0.0.1,10.0.0.2 -p tcp --dport 80 -j web");
	good(XT2_ARP, "-A INPUT -s 10.0.0.1 -j DROP");
	good(XT2_IPV4, "-I INPUT 2 -m comment --comment \"a b\" -j LOG");
	table = xt2_table_find(rs, XT2_IPV4, "filter");
	chain = xt2_chain_find(rs, table, "INPUT");
	assert_int_equal(xt2_chain_rules(rs, chain), 3);
	assert_int_equal(xt2_chain_references(rs, xt2_chain_find(rs, table, "web")), 2);
	good(XT2_IPV4, "-D INPUT -s 10.0.0.2 -p tcp --dport 80 -j web");
	assert_int_equal(xt2_chain_rules(rs, chain), 2);
	assert_true(xt2_table_find(rs, XT2_IPV6, "raw") >= 0);
	assert_true(xt2_table_find(rs, XT2_ARP, "filter") >= 0);
}

static void stages(void **state)
{
	bad("-A INPUT --nosuch", XT2_ALONE_WORDS, PARAMETER_PROBLEM, 0, "unknown option");
	bad("-A INPUT \"x", XT2_ALONE_WORDS, PARAMETER_PROBLEM, 0, "a quote is not closed");
	bad("-A INPUT -j nosuch", XT2_ALONE_WORDS, PARAMETER_PROBLEM, 0, "Couldn't load target");
	bad("-t nosuch -F", XT2_ALONE_WORDS, VERSION_PROBLEM, 0, "can't initialize iptables table");
	bad("-A nosuch -j DROP", XT2_ALONE_RULES, OTHER_PROBLEM, ENOENT, "No chain/target/match");
	bad("-D INPUT -j DROP", XT2_ALONE_RULES, OTHER_PROBLEM, ENOENT, "Bad rule");
	bad("-D INPUT 1", XT2_ALONE_RULES, OTHER_PROBLEM, E2BIG, "Index of deletion too big");
	bad("-X INPUT", XT2_ALONE_RULES, OTHER_PROBLEM, EINVAL, "Can't delete built-in chain");
	bad("-A INPUT -j TRACE", XT2_ALONE_RULES, OTHER_PROBLEM, 0, "target TRACE is allowed");
	bad("-A INPUT -j OUTPUT", XT2_ALONE_RULES, OTHER_PROBLEM, 0, "Can't jump to built-in");
	/* options of the program are not a line's */
	bad("-L --image x", XT2_ALONE_WORDS, PARAMETER_PROBLEM, 0, "this option is of the program");
}

static void what_changes(void **state)
{
	static const struct {
		const char *line;
		bool changes;
	} lines[] = { { "-L", false },		{ "-S INPUT", false },
		      { "-L -Z", true },	{ "-Z", true },
		      { "-F", true },		{ "-C INPUT -j DROP", false },
		      { "-P INPUT DROP", true } };
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(xt2_alone_cut(a, lines[i].line, strlen(lines[i].line), &failure),
				 0);
		assert_int_equal(xt2_alone_parse(a, XT2_IPV4, "filter", &failure), 0);
		assert_int_equal(xt2_alone_changes(a), lines[i].changes);
		xt2_alone_end(a);
	}
}

/* The other family's flag: nothing to do here. */
static void other_family(void **state)
{
	good(XT2_IPV4, "-4 -A INPUT -j DROP");
	assert_int_equal(xt2_alone_cut(a, "-6 -A INPUT -j DROP", 19, &failure), 0);
	assert_int_equal(xt2_alone_parse(a, XT2_IPV4, "filter", &failure), 0);
	assert_int_equal(a->load.line.command, 0);
	xt2_alone_end(a);
}

static void loops(void **state)
{
	int table;

	good(XT2_IPV4, "-N a");
	good(XT2_IPV4, "-A a -j a"); /* out of reach: the kernel does not mind */
	assert_int_equal(xt2_alone_check(a, rs, xt2_table_find(rs, XT2_IPV4, "filter"), &failure),
			 0);
	good(XT2_IPV4, "-A INPUT -j a");
	table = xt2_table_find(rs, XT2_IPV4, "filter");
	assert_int_equal(xt2_alone_check(a, rs, table, &failure), -1);
	assert_int_equal(failure.code, XT2_E_LOOP);
	good(XT2_IPV4, "-F a");
	assert_int_equal(xt2_alone_check(a, rs, table, &failure), 0);
}

/* --- one chain ------------------------------------------------------------------- */

struct list {
	const char *chain;
	bool rules; /* -S */
	char *text;
};

static void list(void *arg)
{
	const struct xt2_listing how = { .numeric = true };
	const int table = xt2_table_find(rs, XT2_IPV4, "filter");
	struct list *l = arg;
	size_t len = 0;
	FILE *to = open_memstream(&l->text, &len);
	int ret;

	assert_non_null(to);
	if (l->rules)
		ret = xt2_text_list_rules(to, rs, table, l->chain, 0, false);
	else
		ret = xt2_listing_print(to, rs, table, l->chain, 0, &how) ? 0 : -ENOENT;
	fclose(to);
	if (ret)
		xt2_throw(XT2_E_UNKNOWN, 1, "%d", ret);
}

/* A chain that cannot be printed spoils only what has it. */
static void other_chains_are_not_printed(void **state)
{
	const struct xt2_rule rule = { .size = sizeof(rule),
				       .target_offset = sizeof(rule),
				       .target = XT2_TARGET(XT2_T_FOREIGN, 0) };
	struct list l;
	int i, table;

	good(XT2_IPV4, "-A FORWARD -s 10.0.0.1 -j ACCEPT");
	table = xt2_table_find(rs, XT2_IPV4, "filter");
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "nosuch", "x", 1), 0);
	assert_int_equal(xt2_rule_append(rs, xt2_chain_find(rs, table, "INPUT"), &rule, 0), 0);
	for (i = 0; i < 2; i++) {
		l = (struct list){ "FORWARD", i, NULL };
		assert_int_equal(xt2_try(list, &l, &failure), 0);
		assert_non_null(strstr(l.text, "10.0.0.1"));
		assert_null(strstr(l.text, "INPUT"));
		free(l.text);
		l = (struct list){ "NOSUCH", i, NULL };
		assert_int_equal(xt2_try(list, &l, &failure), -1);
		free(l.text);
	}
	l = (struct list){ NULL, true, NULL };
	assert_int_equal(xt2_try(list, &l, &failure), -1);
	free(l.text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(one_after_the_other, setup, teardown),
	cmocka_unit_test_setup_teardown(stages, setup, teardown),
	cmocka_unit_test_setup_teardown(what_changes, setup, teardown),
	cmocka_unit_test_setup_teardown(other_family, setup, teardown),
	cmocka_unit_test_setup_teardown(loops, setup, teardown),
	cmocka_unit_test_setup_teardown(other_chains_are_not_printed, setup, teardown),
};

UNITS(tests)
