/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-table-copy.c - xt2_table_copy()
 *
 * Random rulesets, copied table by table, must be packed into the same bytes.
 *
 * XT2_SEED=N runs a printed seed again.
 */
#include <errno.h>
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-copy.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/random-ruleset.h"
#include "tests/lib/unit-program.h"

#define ROUNDS 200

static void set_cells(struct xt2_ruleset *rs)
{
	u32 i;

	for (i = 0; i < rs->cells; i++)
		rs->cell[i] = rnd(1000);
}

static void assert_same(const struct xt2_ruleset *a, const struct xt2_ruleset *b)
{
	struct xt2_mapping x, y;

	assert_int_equal(xt2_ruleset_write(a, &x, NULL), 0);
	assert_int_equal(xt2_ruleset_write(b, &y, NULL), 0);
	assert_int_equal(x.size, y.size);
	assert_memory_equal(x.image, y.image, x.size);
	xt2_image_close(&x);
	xt2_image_close(&y);
}

static void random_tables(void **s)
{
	int i, t;

	seed_state();
	for (i = 0; i < ROUNDS; i++) {
		struct xt2_ruleset *from = random_ruleset(), *to = xt2_ruleset_new();

		set_cells(from);
		for (t = 0; t < xt2_ruleset_tables(from); t++)
			assert_int_equal(xt2_table_copy(to, from, t), 0);
		assert_same(from, to);
		for (t = 0; t < xt2_ruleset_tables(from); t++)
			assert_int_equal(xt2_table_copy(to, from, t), -EEXIST);
		assert_same(from, to);
		xt2_ruleset_free(from);
		xt2_ruleset_free(to);
	}
}

/* Where there are chains, instances and cells already, numbers differ. */
static void among_others(void **s)
{
	struct xt2_ruleset *from, *to, *expected;
	int t;

	state = 77;
	for (from = random_ruleset();
	     xt2_ruleset_tables(from) < 2 || !from->cells || !from->instances;
	     from = random_ruleset())
		xt2_ruleset_free(from);
	set_cells(from);
	expected = xt2_ruleset_new();
	to = xt2_ruleset_new();
	xt2_cell_add(to); /* no rule has it, so that it is not packed */
	xt2_instance_add(to, XT2_INSTANCE_COMMENT, 0, "comment", "nobody's", 8);
	for (t = xt2_ruleset_tables(from) - 1; t >= 0; t--) {
		assert_int_equal(xt2_table_copy(expected, from, t), 0);
		assert_int_equal(xt2_table_copy(to, expected, xt2_ruleset_tables(expected) - 1), 0);
	}
	assert_same(expected, to);
	xt2_ruleset_free(from);
	xt2_ruleset_free(to);
	xt2_ruleset_free(expected);
}

static void no_memory(void **s)
{
	struct xt2_ruleset *from, *to;
	unsigned int i;
	int ret;

	state = 3;
	for (from = random_ruleset();
	     !xt2_ruleset_tables(from) || from->instances < 2 || !from->cells;
	     from = random_ruleset())
		xt2_ruleset_free(from);
	for (i = 1;; i++) {
		to = xt2_ruleset_new();
		fail_alloc(i);
		ret = xt2_table_copy(to, from, 0);
		if (!fail_alloc_happened())
			break;
		assert_int_equal(ret, -ENOMEM);
		xt2_ruleset_free(to);
	}
	fail_alloc(0);
	assert_true(i > 5);
	xt2_ruleset_free(to);
	xt2_ruleset_free(from);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(random_tables),
	cmocka_unit_test(among_others),
	cmocka_unit_test(no_memory),
};

UNITS(cases)
