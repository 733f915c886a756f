/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-build.c - engine/index/build.c: which chains have an index, and of which kind */
#include "tests/unit/index-case.h"

static struct index_case c;

static void add_flows(u32 n)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < n; i++)
		index_add_flow(&c, 0x0a000001 + i, 0x0a010001 + i, (u16)(1000 + i),
			       XT2_TARGET(XT2_T_DROP, 0));
}

/* => the kind of an index of n different rules */
static u8 kind_of(u32 n, const struct xt2_index_limits *limits)
{
	u8 kind;

	add_flows(n);
	kind = index_make(&c, limits);
	index_free(&c);
	return kind;
}

static void limits_decide(void **state)
{
	static const struct xt2_index_limits limits = { 4, 8, 16, 0, false };
	static const struct xt2_index_limits segments = { 4, 8, 16, 1, false };

	assert_int_equal(kind_of(4, &limits), XT2_INDEX_NONE);
	assert_int_equal(kind_of(5, &limits), XT2_INDEX_COLUMNS);
	assert_int_equal(kind_of(8, &limits), XT2_INDEX_COLUMNS);
	assert_int_equal(kind_of(9, &limits), XT2_INDEX_BITS);
	assert_int_equal(kind_of(16, &limits), XT2_INDEX_BITS);
	assert_int_equal(kind_of(17, &limits), XT2_INDEX_PAIRS);
	assert_int_equal(kind_of(8, &segments), XT2_INDEX_COLUMNS);
	assert_int_equal(kind_of(9, &segments), XT2_INDEX_SEGMENTS);
}

static void short_chains_have_none(void **state)
{
	assert_int_equal(kind_of(0, &index_columns), XT2_INDEX_NONE);
	assert_int_equal(kind_of(2, &index_columns), XT2_INDEX_COLUMNS);
}

static void other_families_have_none(void **state)
{
	void *scratch = malloc(xt2_index_scratch(INDEX_RULES));
	static u64 at[8192];

	add_flows(20);
	assert_int_equal(xt2_index_build(c.chain, XT2_ARP, &index_columns, (void *)at, sizeof(at),
					 scratch),
			 0);
	assert_int_not_equal(xt2_index_build(c.chain, XT2_IPV4, &index_columns, (void *)at,
					     sizeof(at), scratch),
			     0);
	index_free(&c);
	free(scratch);
}

static void room_is_kept_to(void **state)
{
	const struct xt2_index_limits *const limits[] = { &index_columns, &index_bits, &index_pairs,
							  &index_segments };
	u32 i, size;
	u64 room;

	for (i = 0; i < XT2_ARRAY_SIZE(limits); i++) {
		add_flows(40);
		index_make(&c, limits[i]);
		size = c.ix->size;
		index_free(&c);
		for (room = 0; room < size; room += 8 + room / 8) {
			add_flows(40);
			index_make_in(&c, limits[i], room); /* perhaps another kind, never more */
			index_free(&c);
		}
		add_flows(40);
		assert_int_equal(index_make_in(&c, limits[i], 40), XT2_INDEX_NONE);
		index_free(&c);
	}
}

static void bounds_grow(void **state)
{
	u32 n;

	for (n = 1; n < 100000; n += n) {
		assert_true(xt2_index_bound(n) < xt2_index_bound(2 * n));
		assert_true(xt2_index_scratch(n) < xt2_index_scratch(2 * n));
	}
}

static void equal_rules_are_a_run(void **state)
{
	u32 each, i;

	for (each = 3; each <= 4; each++) {
		index_begin(&c);
		for (i = 0; i < 10 * each; i++) /* CONTINUE: they do nothing but count */
			index_add_flow(&c, 0x0a000001 + i / each, 0, 0, 0);
		assert_int_not_equal(index_make(&c, &index_columns), XT2_INDEX_NONE);
		assert_int_equal(c.ix->runs, each == 4 ? 10 : 0);
		assert_int_equal(c.ix->units, each == 4 ? 10 : 30);
		index_free(&c);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(limits_decide),
	cmocka_unit_test(short_chains_have_none),
	cmocka_unit_test(other_families_have_none),
	cmocka_unit_test(room_is_kept_to),
	cmocka_unit_test(bounds_grow),
	cmocka_unit_test(equal_rules_are_a_run),
};

UNITS(tests)
