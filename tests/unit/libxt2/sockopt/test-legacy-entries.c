/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-entries.c - libxt2/sockopt/legacy-entries.c: a table as entries */
#include "libxt2/sockopt/legacy-table.h"
#include "tests/unit/ruleset-case.h"

static void entries_are_counted(void **state)
{
	struct xt2_ruleset *rs = *state;
	int input = xt2_chain_base(rs, FILTER, XT2_INPUT), user;

	/* three policies and the end */
	assert_int_equal(xt2_entries_count_(rs, FILTER), 4);
	assert_int_equal(xt2_entries_initial_(XT2_IPV4, 1u << XT2_INPUT | 1u << XT2_FORWARD |
								1u << XT2_OUTPUT),
			 4);
	assert_int_equal(xt2_entries_initial_(XT2_BRIDGE, 7), 0);
	append(rs, input, DROP);
	assert_int_equal(xt2_entries_count_(rs, FILTER), 5);
	user = xt2_chain_add(rs, FILTER, "USER"); /* its head and its end */
	assert_int_equal(xt2_entries_count_(rs, FILTER), 7);
	append(rs, user, ACCEPT);
	assert_int_equal(xt2_entries_count_(rs, FILTER), 8);
	assert_int_equal(xt2_entries_count_(rs, FILTER6), 4); /* another table */
}

static void counters_are_added_and_read(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_count_ add[8] = { { 0 } }, now[8];
	__u64 packets, bytes;

	append(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), DROP);
	append(rs, xt2_chain_add(rs, FILTER, "USER"), ACCEPT);
	assert_int_equal(xt2_entries_count_(rs, FILTER), 8);
	assert_int_equal(xt2_entries_add_(rs, FILTER, add), 0); /* nothing has changed */
	add[0] = (struct xt2_count_){ 1, 100 }; /* INPUT's rule */
	add[1] = (struct xt2_count_){ 2, 200 }; /* and its policy */
	add[5] = (struct xt2_count_){ 3, 300 }; /* the rule of USER, behind its head */
	assert_int_equal(xt2_entries_add_(rs, FILTER, add), 1);
	assert_int_equal(xt2_entries_add_(rs, FILTER, add), 1);
	xt2_entries_counters_(rs, FILTER, now);
	for (u32 i = 0; i < 8; i++) {
		assert_int_equal(now[i].packets, 2 * add[i].packets);
		assert_int_equal(now[i].bytes, 2 * add[i].bytes);
	}
	assert_int_equal(
		xt2_chain_counters(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), &packets, &bytes), 0);
	assert_int_equal(packets, 4);
	assert_int_equal(bytes, 400);
}

static void what_cannot_be_written_is_said(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_err err = { 0 };
	void *blob = NULL;
	size_t len = 0;

	assert_int_equal(xt2_table_write_replace(rs, 99, 0, NULL, &blob, &len, &err), -ENOENT);
	assert_int_equal(xt2_table_write_replace(rs, FILTER, 0, NULL, &blob, &len, &err), 0);
	assert_true(len > 96);
	free(blob);
}

static const struct CMUnitTest tests[] = {
	CASE(entries_are_counted),
	CASE(counters_are_added_and_read),
	CASE(what_cannot_be_written_is_said),
};

UNITS(tests)
