/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-runs.c - engine/index/runs.c: what runs of equal rules count */
#include "tests/unit/index-case.h"

static struct index_case c;

/* Rules 0 to 3 are a run, so are 5 to 8; 4 and 9 are others. */
static int setup(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 10; i++)
		index_add_flow(&c, 0x0a000001 + i / 5 * 2 + i % 5 / 4, 0, 0, 0);
	return index_make(&c, &index_columns) == XT2_INDEX_COLUMNS && c.ix->runs == 2 ? 0 : -1;
}

static int teardown(void **state)
{
	index_free(&c);
	return 0;
}

static struct xt2_rule *rule(u32 i)
{
	return xt2_at(c.chain, c.place[i]);
}

static void runs_are_found(void **state)
{
	const struct xt2_run *first = xt2_index_run(c.ix, c.place[0]);
	const struct xt2_run *second = xt2_index_run(c.ix, c.place[5]);

	assert_int_equal(first->rule, c.place[0]);
	assert_int_equal(first->end, c.place[4]);
	assert_int_equal(second->rule, c.place[5]);
	assert_int_equal(second->end, c.place[9]);
}

static void a_rule_counts_with_its_run(void **state)
{
	struct xt2_run *second = xt2_index_run(c.ix, c.place[5]);
	struct xt2_counts counts;
	u32 i;

	assert_false(xt2_index_counts(c.ix));
	second->bytes = 700;
	assert_true(xt2_index_counts(c.ix));
	second->packets = 7;
	rule(6)->packets = 1;
	rule(6)->bytes = 100;
	rule(9)->packets = 2;
	for (i = 0; i < 10; i++) {
		counts = xt2_rule_counts(c.chain, rule(i));
		assert_int_equal(counts.packets, i == 9 ? 2 : i == 6 ? 8 : i > 4 && i < 9 ? 7 : 0);
		assert_int_equal(counts.bytes, i == 6 ? 800 : i > 4 && i < 9 ? 700 : 0);
	}
}

static void folding_moves_counts(void **state)
{
	struct xt2_run *first = xt2_index_run(c.ix, c.place[0]);
	u32 i;

	first->packets = 3;
	first->bytes = 300;
	rule(1)->packets = 1;
	xt2_chain_fold(c.chain);
	assert_false(xt2_index_counts(c.ix));
	for (i = 0; i < 10; i++) {
		assert_int_equal(rule(i)->packets, i == 1 ? 4 : i < 4 ? 3 : 0);
		assert_int_equal(rule(i)->bytes, i < 4 ? 300 : 0);
	}
	xt2_chain_fold(c.chain);
	assert_int_equal(rule(0)->packets, 3);
}

static void dropping_keeps_counts(void **state)
{
	const u8 *at = xt2_at(c.chain, c.chain->lookup);
	const u32 size = c.chain->size;
	u32 i;

	xt2_index_run(c.ix, c.place[5])->packets = 9;
	xt2_chain_drop_index(c.chain);
	assert_int_equal(c.chain->lookup, 0);
	assert_int_equal(c.chain->size, size);
	assert_int_equal(rule(5)->packets, 9);
	assert_int_equal(rule(8)->packets, 9);
	assert_int_equal(rule(9)->packets, 0);
	for (i = 0; i < size - c.chain->used; i++)
		assert_int_equal(at[i], 0);
	xt2_chain_drop_index(c.chain); /* of a chain without one: nothing */
	assert_int_equal(xt2_rule_counts(c.chain, rule(5)).packets, 9);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(runs_are_found, setup, teardown),
	cmocka_unit_test_setup_teardown(a_rule_counts_with_its_run, setup, teardown),
	cmocka_unit_test_setup_teardown(folding_moves_counts, setup, teardown),
	cmocka_unit_test_setup_teardown(dropping_keeps_counts, setup, teardown),
};

UNITS(tests)
