/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-live-refused.c - xt2tables/live/live-refused.c: refusals, told and counted
 *
 * The store below refuses what a case says, in place of the BPF programs'.
 */
#include <errno.h>
#include <stdlib.h>
#include "engine/env.h"
#include "libxt2/store/store.h"
#include "tests/lib/unit-program.h"
#include "tests/lib/rules.h"
#include "xt2tables/files/usage.h"
#include "xt2tables/live/live-refused.h"

static const struct xt2_live_refusal *list; /* ends with a NULL name */
static unsigned int times; /* of each; 0: no memory */

static int refuse(const struct xt2_image *img, xt2_refused found, void *data)
{
	const struct xt2_live_refusal *r;
	unsigned int i;
	int n = 0;

	(void)img;
	for (r = list; r->name; r++)
		for (i = 0; i < times; i++, n++)
			assert_int_equal(found(data, r), 0);
	return times ? n : -ENOMEM;
}

static const struct xt2_live_share *shared; /* ends with a NULL table; NULL: no memory */

static int share(const struct xt2_image *img, xt2_shared found, void *data)
{
	const struct xt2_live_share *s;

	(void)img;
	for (s = shared; s && s->table; s++)
		found(data, s);
	return shared ? 0 : -ENOMEM;
}

const struct xt2_store_ops xt2_store_bpf_ = { .refusals = refuse, .shares = share };

static struct xt2_ruleset *rs;
static struct xt2_mapping map;
static struct xt2_refused told;
static struct xt2_err first, last;
static unsigned int reports;

static void on_report(void *data, const struct xt2_err *err)
{
	(void)data;
	if (!reports++)
		first = *err;
	last = *err;
}

/* A rule in INPUT of filter, from line 7. */
static int start(void **state)
{
	struct rule_build b;
	int chain;

	(void)state;
	rs = xt2_ruleset_new();
	chain = xt2_chain_base(rs, xt2_table_add(rs, XT2_IPV4, "filter", NULL), XT2_INPUT);
	rule_begin(&b);
	rule_source(&b, 0x0a000000, 8);
	assert_int_equal(xt2_rule_append(rs, chain, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), 7), 0);
	times = 1;
	return xt2_ruleset_write(rs, &map, NULL);
}

static int end(void **state)
{
	(void)state;
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return 0;
}

static int run(const struct xt2_live_refusal *refusals, bool text, unsigned int max)
{
	told = (struct xt2_refused){ .rs = rs,
				     .image = map.image,
				     .path = "rules.v4",
				     .text = text,
				     .max = max,
				     .report = on_report };
	list = refusals;
	reports = 0;
	return xt2_live_refused(&told);
}

#define AT .family = XT2_IPV4, .table = "filter", .chain = "INPUT", .rule = 1
#define NONE                 \
	{                    \
		.name = NULL \
	}

static void test_none(void **state)
{
	static const struct xt2_live_refusal none[] = { NONE };

	assert_int_equal(run(none, true, 0), XT2_EXIT_OK);
	assert_int_equal(reports, 0);
	assert_int_equal(told.count, 0);
	assert_string_equal(told.rest, "");
}

static void test_place(void **state)
{
	static const struct xt2_live_refusal refusals[] = {
		{ .reason = XT2_LIVE_NO_TARGET, AT, .name = "REJECT", .why = "cannot REJECT" }, NONE
	};
	static const struct xt2_live_refusal policy[] = { { .reason = XT2_LIVE_NO_TARGET,
							    .family = XT2_IPV4,
							    .table = "filter",
							    .chain = "INPUT",
							    .name = "X",
							    .why = "no" },
							  NONE };

	assert_int_equal(run(refusals, true, 0), XT2_EXIT_UNSUPPORTED);
	assert_int_equal(told.count, 1);
	assert_string_equal(last.file, "rules.v4");
	assert_int_equal(last.line, 7);
	assert_string_equal(last.message, "filter/INPUT:1: cannot REJECT");
	assert_string_equal(last.hint, "the kernel has it in table filter alone");
	assert_non_null(strstr(last.rule, "-A INPUT -s 10.0.0.0/8 -j DROP"));
	assert_int_equal(last.code, XT2_E_UNSUPPORTED);
	/* Of an image: the family, and no line of a file that is not known. */
	assert_int_equal(run(refusals, false, 0), XT2_EXIT_UNSUPPORTED);
	assert_string_equal(last.message, "ipv4 filter/INPUT:1: cannot REJECT");
	assert_int_equal(last.line, 0);
	assert_int_equal(run(policy, true, 0), XT2_EXIT_UNSUPPORTED);
	assert_string_equal(last.message, "filter/INPUT: no");
	assert_int_equal(last.line, 0);
	assert_string_equal(last.rule, "");
}

/* Chains and rules that are not there name no place. */
static void test_elsewhere(void **state)
{
	static const struct xt2_live_refusal refusals[] = { { .reason = XT2_LIVE_NO_MATCH,
							      .family = XT2_IPV4,
							      .table = "filter",
							      .chain = "INPUT",
							      .rule = 2,
							      .name = "u",
							      .why = "no" },
							    { .reason = XT2_LIVE_NO_MATCH,
							      .family = XT2_IPV4,
							      .table = "filter",
							      .chain = "GONE",
							      .rule = 1,
							      .name = "u",
							      .why = "no" },
							    { .reason = XT2_LIVE_NO_MATCH,
							      .family = XT2_IPV6,
							      .table = "filter",
							      .chain = "INPUT",
							      .rule = 1,
							      .name = "u",
							      .why = "no" },
							    NONE };
	size_t i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(run(refusals + i, true, 0), XT2_EXIT_UNSUPPORTED);
		assert_int_equal(last.line, 0);
		assert_string_equal(last.rule, "");
	}
}

/* A mark helps where mangle comes before; limits are another exit status than abilities. */
static void test_hints(void **state)
{
	static const struct {
		struct xt2_live_refusal refusals[2];
		const char *hint; /* its beginning */
		int status;
	} rows[] = {
#define ROW(r, t, n, h, s) \
	{ { { .reason = r, .table = t, .chain = "C", .name = n, .why = "" }, NONE }, h, s }
		ROW(XT2_LIVE_NO_MATCH, "mangle", "recent", "xt2 keeps 128 times",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_NO_MATCH, "filter", "connlimit", "let iptables' own table mangle",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_NO_MATCH, "mangle", "connlimit",
		    "keep the rule in iptables' own table", XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_NO_MATCH, "raw", "set", "keep the rule in iptables' own table",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_CHANGED, "mangle", "string", "put the rule before those",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_STOPS, "filter", "connlimit", "let rules lead to one chain",
		    XT2_EXIT_RESOURCE),
		ROW(XT2_LIVE_ASKS, "filter", "INPUT", "equal matches are asked once",
		    XT2_EXIT_RESOURCE),
		ROW(XT2_LIVE_BOUND, "raw", "CT", "rules with equal targets share one",
		    XT2_EXIT_RESOURCE),
		ROW(XT2_LIVE_NO_TARGET, "raw", "HMARK", "keep the rule in iptables' own table",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_NO_TARGET, "filter", "TEE", "keep the rule in iptables' own table",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_NO_TABLE, "broute", "broute", "leave the table to the kernel's",
		    XT2_EXIT_UNSUPPORTED),
		ROW(XT2_LIVE_TOO_LONG, "filter", "INPUT", "each chain that is jumped to twice",
		    XT2_EXIT_RESOURCE),
		ROW(XT2_LIVE_TOO_MANY, "filter", "INPUT", "a billion are too many",
		    XT2_EXIT_RESOURCE),
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		assert_int_equal(run(rows[i].refusals, true, 0), rows[i].status);
		assert_int_equal(strncmp(last.hint, rows[i].hint, strlen(rows[i].hint)), 0);
		assert_int_equal(last.code, rows[i].status == XT2_EXIT_RESOURCE
						    ? XT2_E_LIMIT
						    : XT2_E_UNSUPPORTED);
	}
}

/* Ten of a kind and so many in all are told; hints once; the rest is counted by kind. */
static void test_many(void **state)
{
	static const struct xt2_live_refusal refusals[] = {
		{ .reason = XT2_LIVE_NO_TARGET, AT, .name = "REJECT", .why = "" },
		{ .reason = XT2_LIVE_TOO_LONG, AT, .name = "INPUT", .why = "" },
		{ .reason = XT2_LIVE_NO_MATCH, AT, .name = "re\33cent", .why = "" },
		NONE
	};

	times = 10;
	assert_int_equal(run(refusals, true, 30), XT2_EXIT_RESOURCE);
	assert_int_equal(reports, 30);
	assert_int_equal(told.more, 0);
	assert_string_equal(told.rest, "");
	times = 12;
	assert_int_equal(run(refusals, true, 25), XT2_EXIT_RESOURCE);
	assert_int_equal(reports, 25);
	assert_int_equal(told.count, 36);
	assert_int_equal(told.more, 11);
	assert_string_equal(told.rest, "11 more, which xt2 check --live --json lists: 2 REJECT, "
				       "2 INPUT, 7 re?cent");
	assert_string_not_equal(first.hint, "");
	assert_string_equal(last.hint, "");
	assert_int_equal(run(refusals, true, 0), XT2_EXIT_RESOURCE);
	assert_int_equal(reports, 36);
	assert_int_equal(told.more, 0);
	assert_string_not_equal(last.hint, "");
}

/* More kinds than are counted by name, and more words than there is room for. */
static void test_kinds(void **state)
{
	static struct xt2_live_refusal refusals[71];
	static char names[70][16];
	size_t i;

	for (i = 0; i < 70; i++) {
		snprintf(names[i], sizeof(names[i]), "k%zu", i);
		refusals[i] = (struct xt2_live_refusal){
			.reason = XT2_LIVE_NO_TARGET, AT, .name = names[i], .why = ""
		};
	}
	assert_int_equal(run(refusals + 6, true, 63), XT2_EXIT_UNSUPPORTED);
	assert_string_equal(told.rest, "1 more, which xt2 check --live --json lists: 1 others");
	assert_int_equal(run(refusals, true, 1), XT2_EXIT_UNSUPPORTED);
	assert_int_equal(told.more, 69);
	assert_int_equal(strlen(told.rest), sizeof(told.rest) - 1);
}

/* A table counts its rules; without any, itself. */
static void test_table(void **state)
{
	static const struct xt2_live_refusal refusals[] = {
		{ .reason = XT2_LIVE_NO_TABLE, AT, .name = "nat", .why = "no nat", .count = 5 },
		{ .reason = XT2_LIVE_NO_TABLE, AT, .name = "nat", .why = "no nat" },
		{ .reason = XT2_LIVE_NO_TARGET, AT, .name = "T", .why = "", .count = 9 },
		NONE
	};

	assert_int_equal(run(refusals, true, 0), XT2_EXIT_UNSUPPORTED);
	assert_string_equal(first.message, "no nat");
	assert_int_equal(told.count, 7);
}

static void test_no_memory(void **state)
{
	static const struct xt2_live_refusal none[] = { NONE };

	times = 0;
	assert_int_equal(run(none, true, 0), XT2_EXIT_RESOURCE);
	assert_int_equal(reports, 1);
	assert_string_equal(last.message, "no memory to check the rules");
	assert_string_equal(last.file, "rules.v4");
}

static void test_shares(void **state)
{
	static const struct xt2_live_share shares[] = {
		{ .part = XT2_LIVE_ASKED, AT, .name = "string" },
		{ .part = XT2_LIVE_ACTED, AT, .name = "MARK" },
		{ .table = NULL },
	};
	static const struct xt2_live_share stop[] = {
		{ .part = XT2_LIVE_STOPPED, AT, .name = "connlimit" },
		{ .table = NULL },
	};
	static const struct xt2_live_share hook[] = {
		{ .part = XT2_LIVE_HOOK,
		  .family = XT2_IPV4,
		  .table = "filter",
		  .chain = "INPUT",
		  .asked = 1,
		  .acted = 2 },
		{ .table = NULL },
	};

	told = (struct xt2_refused){
		.rs = rs, .image = map.image, .path = "rules.v4", .text = true, .report = on_report
	};
	shared = shares;
	reports = 0;
	assert_int_equal(xt2_live_tell_shares(&told), XT2_EXIT_OK);
	assert_int_equal(reports, 2);
	assert_int_equal(first.code, XT2_OK);
	assert_int_equal(first.line, 7);
	assert_string_equal(first.message, "filter/INPUT:1: the kernel is asked about string");
	assert_string_equal(first.rule, "-A INPUT -s 10.0.0.0/8 -j DROP");
	assert_string_equal(last.message, "filter/INPUT:1: a companion does MARK");
	shared = stop;
	assert_int_equal(xt2_live_tell_shares(&told), XT2_EXIT_OK);
	assert_string_equal(
		last.message,
		"filter/INPUT:1: packets wait here until the kernel has answered connlimit");
	shared = hook;
	assert_int_equal(xt2_live_tell_shares(&told), XT2_EXIT_OK);
	assert_string_equal(last.message, "filter/INPUT: 1 question about each packet, "
					  "2 companions for packets that match");
	assert_int_equal(last.line, 0);
	shared = NULL;
	assert_int_equal(xt2_live_tell_shares(&told), XT2_EXIT_RESOURCE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_none, start, end),
	cmocka_unit_test_setup_teardown(test_place, start, end),
	cmocka_unit_test_setup_teardown(test_elsewhere, start, end),
	cmocka_unit_test_setup_teardown(test_hints, start, end),
	cmocka_unit_test_setup_teardown(test_many, start, end),
	cmocka_unit_test_setup_teardown(test_kinds, start, end),
	cmocka_unit_test_setup_teardown(test_table, start, end),
	cmocka_unit_test_setup_teardown(test_no_memory, start, end),
	cmocka_unit_test_setup_teardown(test_shares, start, end),
};

UNITS(tests)
