/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-build-columns.c - engine/index/build-columns.c: which keys become columns, and their ranges */
#include "engine/index/build.h"
#include "tests/unit/index-case.h"

enum { ROWS = 40 };

static struct index_case c;
static struct build b;
static u8 chosen[XT2_COLUMNS_MAX];

/* All rules are units; so much room for their index. */
static void begin(u64 room)
{
	memset(&b, 0, sizeof(b));
	memset(chosen, 0xff, sizeof(chosen));
	b.chain = c.chain;
	b.family = XT2_IPV4;
	b.at = calloc(1, xt2_index_bound(INDEX_RULES));
	b.room = room;
	xt2_build_begin_(&b, malloc(xt2_index_scratch(INDEX_RULES)), INDEX_RULES);
	b.used = sizeof(*b.at);
	for (; b.units < c.chain->rules; b.units++)
		b.unit[b.units] = c.place[b.units];
}

static void end(void)
{
	free(b.passes);
	free(b.at);
	index_free(&c);
}

static u32 keys(bool all, u32 max)
{
	return xt2_build_keys_(&b, b.unit, b.units, all, chosen, max);
}

/* Sources differ in their last 16 bits, half of the rules have one of two ports. */
static void flows(u32 units)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < units; i++)
		index_add_flow(&c, 0x0a000001 + i, 0, i % 2 ? 80 : 0, XT2_TARGET(XT2_T_DROP, 0));
}

static void the_best_key_comes_first(void **state)
{
	flows(ROWS);
	begin(1 << 16);
	assert_int_equal(keys(false, 1), 1);
	assert_int_equal(chosen[0], XT2_KEY_SRC + 1);
	end();
}

/* With one address for each rule, the port has nothing to add; all keys were asked for, or not. */
static void keys_that_add_nothing_are_left_out(void **state)
{
	flows(ROWS);
	begin(1 << 16);
	assert_int_equal(keys(false, 4), 1);
	assert_int_equal(chosen[1], 0xff);
	end();
}

static void two_keys_share_the_work(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 36; i++)
		index_add_flow(&c, 0x0a000001 + i / 6, 0x0b000001 + i % 6, 0,
			       XT2_TARGET(XT2_T_DROP, 0));
	begin(1 << 16);
	assert_int_equal(keys(false, 4), 2);
	assert_int_equal(1u << chosen[0] | 1u << chosen[1],
			 1u << (XT2_KEY_SRC + 1) | 1u << (XT2_KEY_DST + 1));
	assert_int_equal(keys(false, 1), 1);
	end();
}

static void keys_that_all_rules_share_are_not_chosen(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < ROWS; i++)
		index_add_flow(&c, 0x0a000001, 0x0b000001, 80, XT2_TARGET(XT2_T_DROP, 0));
	begin(1 << 16);
	assert_int_equal(keys(true, 4), 0);
	end();
}

static void rules_without_conditions_have_no_key(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < ROWS; i++)
		index_add_flow(&c, 0, 0, 0, XT2_TARGET(XT2_T_DROP, 0));
	begin(1 << 16);
	assert_int_equal(keys(true, 4), 0);
	end();
}

/* The second key rules out the same packets as the first, and a fifth or more of all alone. */
static void all_keys_that_rule_out_something_can_be_asked_for(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 16; i++)
		index_add_flow(&c, 0x0a000001 + i, 0x0b000001 + i, 0, XT2_TARGET(XT2_T_DROP, 0));
	begin(1 << 16);
	assert_int_equal(keys(true, 4), 2);
	assert_int_equal(keys(false, 4), 2); /* 16 units, a 16th each: one is let through */
	assert_int_equal(keys(true, 1), 1);
	end();
}

/* A key is asked for if it rules out a fifth of all alone: a half is more, one rule of 16 is less. */
static void keys_that_rule_out_little_are_left_out(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 16; i++)
		index_add_flow(&c, 0x0a000001 + i, i ? 0x0b000001 : 0x0b000002, 80 + i % 2,
			       XT2_TARGET(XT2_T_DROP, 0));
	begin(1 << 16);
	assert_int_equal(keys(true, 4), 2);
	assert_int_equal(chosen[0], XT2_KEY_SRC + 1);
	assert_int_equal(chosen[1], XT2_KEY_DPORT);
	end();
}

static void columns_have_the_ranges_of_the_rules(void **state)
{
	const struct xt2_columns *columns;
	const u16 *row;
	u32 offset, i, at;

	flows(ROWS);
	begin(1 << 16);
	offset = xt2_build_columns_(&b, b.unit, b.units);
	assert_int_equal(offset, sizeof(*b.at));
	columns = xt2_at(b.at, offset);
	assert_int_equal(columns->units, ROWS);
	assert_int_equal(columns->columns, 1);
	assert_int_equal(columns->column[0], XT2_KEY_SRC + 1);
	assert_int_equal(b.at->asks, xt2_asks_key_(XT2_KEY_SRC + 1));
	assert_memory_equal(columns + 1, b.unit, ROWS * sizeof(u32));
	for (i = 0; i < 2 * XT2_BLOCK; i++) {
		row = xt2_columns_row(columns, i / XT2_BLOCK);
		at = i % XT2_BLOCK;
		assert_int_equal(row[at], i < ROWS ? i + 1 : 0xffff);
		assert_int_equal((u16)~row[at + XT2_BLOCK], i < ROWS ? i + 1 : 0);
	}
	end();
}

static void columns_need_room(void **state)
{
	const u64 most = sizeof(struct xt2_index) + sizeof(struct xt2_columns) +
			 2ull * XT2_BLOCK * (sizeof(u32) + 4);

	flows(ROWS);
	begin(most);
	assert_int_not_equal(xt2_build_columns_(&b, b.unit, b.units), 0);
	assert_int_equal(b.used, most);
	assert_false(b.full);
	end();
	flows(ROWS);
	begin(most - 1);
	assert_int_equal(xt2_build_columns_(&b, b.unit, b.units), 0);
	assert_true(b.full);
	end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_best_key_comes_first),
	cmocka_unit_test(keys_that_add_nothing_are_left_out),
	cmocka_unit_test(two_keys_share_the_work),
	cmocka_unit_test(keys_that_all_rules_share_are_not_chosen),
	cmocka_unit_test(rules_without_conditions_have_no_key),
	cmocka_unit_test(all_keys_that_rule_out_something_can_be_asked_for),
	cmocka_unit_test(keys_that_rule_out_little_are_left_out),
	cmocka_unit_test(columns_have_the_ranges_of_the_rules),
	cmocka_unit_test(columns_need_room),
};

UNITS(tests)
