/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-build-segments.c - engine/index/build-segments.c
 *
 * What a list of prefixes is like says if segments are made, and how much room
 * they may take.
 */
#include "tests/unit/segments-case.h"

static void crowded_lists(void **unused)
{
	u32 i, j;

	for (listed = i = 0; i < 2000; i++) /* ten rules for each host */
		add(i / 10 * 1000, 32);
	expect_none();
	for (listed = i = 0; i < 100; i++) /* all prefixes of each host */
		for (j = 1; j <= 32; j++)
			add(i * 0x12345678, j);
	expect_none();
	for (listed = i = 0; i < 12; i++) /* a dozen for half of the rest */
		add(0, 1);
	for (i = 0; i < 400; i++)
		add(i << 23, 32);
	expect_none();
}

/* Each unit of a list is looked for in it: longer ones are not made, whoever wants them. */
static void lists_are_limited(void **unused)
{
	const struct xt2_index_limits forced = { .segments = ~0u };
	u32 i;

	for (listed = i = 0; i < 60; i++)
		add(0x0a000000, 8);
	assert_int_equal(make(&forced), XT2_INDEX_SEGMENTS);
	for (; i < 400; i++)
		add(0x0a000000, 8);
	assert_int_not_equal(make(&forced), XT2_INDEX_SEGMENTS);
}

static void limits_force_and_forbid(void **unused)
{
	static const struct xt2_index_limits none = { 64, 64, 1024, 0, false },
					     all = { 0, 0, 0, ~0u, false };
	u32 i;

	for (listed = i = 0; i < 200; i++)
		add(i << 20, 12 + i % 20);
	assert_int_equal(make(&none), XT2_INDEX_BITS);
	for (i = 0; i < 60; i++)
		add(i % 3 << 20, i % 4 ? 12 : 0);
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	look_around(100);
	listed = 2;
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	look_around(10);
}

/* More segments than numbers of a slot's segments can be. */
static void more_than_a_slot_can_have(void **unused)
{
	u32 i;

	for (listed = i = 0; i < RULES_MAX; i++)
		add(0x0a000000 + i, 32);
	expect_segments(11);
	assert_true(slots() > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(crowded_lists),
	cmocka_unit_test(lists_are_limited),
	cmocka_unit_test(limits_force_and_forbid),
	cmocka_unit_test(more_than_a_slot_can_have),
};

UNITS_WITH(tests, NULL, drop)
