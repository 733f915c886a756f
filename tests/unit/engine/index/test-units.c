/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-units.c - engine/index/units.c: units, rule groups, a sample of them and memory */
#include "engine/index/build.h"
#include "tests/unit/index-case.h"

#define CONTINUE XT2_TARGET(XT2_T_CONTINUE, 0)

static struct index_case c;
static struct build b;
static u8 *scratch;

static int setup(void **state)
{
	index_begin(&c);
	return 0;
}

static int teardown(void **state)
{
	free(scratch);
	free(b.at);
	scratch = NULL;
	memset(&b, 0, sizeof(b));
	index_free(&c);
	return 0;
}

static void add(u32 source, u32 target, unsigned int times)
{
	for (; times; times--)
		index_add_flow(&c, source, 0, 0, target);
}

/* => is there room for the rule groups? */
static bool units(u32 groups)
{
	struct rule_build r;

	index_add(&c, rule_plain(&r, XT2_TARGET(XT2_T_RETURN, 0)));
	scratch = malloc(xt2_index_scratch(INDEX_RULES));
	xt2_build_begin_(&b, scratch, INDEX_RULES);
	b.chain = c.chain;
	b.family = XT2_IPV4;
	b.room = sizeof(*b.at) + groups * sizeof(struct xt2_run);
	b.at = calloc(1, b.room);
	return xt2_build_units_(&b);
}

static void rules_are_units(void **state)
{
	u32 i;

	for (i = 0; i < 5; i++)
		add(i + 1, XT2_TARGET(XT2_T_DROP, 0), 1);
	assert_true(units(0));
	assert_int_equal(b.units, 5);
	assert_int_equal(b.runs, 0);
	assert_int_equal(b.used, sizeof(*b.at));
	for (i = 0; i < 5; i++) {
		assert_int_equal(b.unit[i], c.place[i]);
		assert_ptr_equal(xt2_build_rule_(&b, b.unit[i]), xt2_at(c.chain, c.place[i]));
	}
}

static void four_rules_are_a_group_and_three_are_not(void **state)
{
	const struct xt2_run *run;

	add(1, CONTINUE, 3);
	add(2, CONTINUE, 4);
	add(3, CONTINUE, 1);
	assert_true(units(1));
	assert_int_equal(b.units, 5);
	assert_int_equal(b.runs, 1);
	assert_int_equal(b.unit[2], c.place[2]);
	assert_int_equal(b.unit[3], c.place[3] | XT2_UNIT_RUN);
	assert_int_equal(b.unit[4], c.place[7]);
	assert_ptr_equal(xt2_build_rule_(&b, b.unit[3]), xt2_at(c.chain, c.place[3]));
	run = (const struct xt2_run *)(b.at + 1);
	assert_int_equal(run->rule, c.place[3]);
	assert_int_equal(run->end, c.place[7]);
	assert_int_equal(b.used, sizeof(*b.at) + sizeof(*run));
	assert_int_equal(b.deciding, 0);
}

/* A group at the end of a chain does not take in the tail. */
static void groups_end_before_the_tail(void **state)
{
	add(0, CONTINUE, 6);
	assert_true(units(1));
	assert_int_equal(b.units, 1);
	assert_int_equal(((const struct xt2_run *)(b.at + 1))->end, c.place[6]);
}

static void groups_need_room(void **state)
{
	add(1, CONTINUE, 4);
	add(2, CONTINUE, 4);
	assert_false(units(1));
}

static void rules_with_state_are_no_group(void **state)
{
	struct rule_build r;
	int i;

	for (i = 0; i < 5; i++) {
		rule_begin(&r);
		rule_quota(&r, 0, 100);
		index_add(&c, rule_end(&r, CONTINUE));
	}
	assert_true(units(1));
	assert_int_equal(b.runs, 0);
	assert_int_equal(b.units, 5);
}

static void deciding_units_are_counted(void **state)
{
	static const struct {
		u32 target;
		int decides;
	} rows[] = {
		{ XT2_TARGET(XT2_T_CONTINUE, 0), 0 }, { XT2_TARGET(XT2_T_JUMP, 1), 0 },
		{ XT2_TARGET(XT2_T_GOTO, 1), 1 },     { XT2_TARGET(XT2_T_ACCEPT, 0), 1 },
		{ XT2_TARGET(XT2_T_DROP, 0), 1 },     { XT2_TARGET(XT2_T_RETURN, 0), 1 },
		{ XT2_TARGET(XT2_T_QUEUE, 0), 1 },    { XT2_TARGET(XT2_T_REJECT, 0), 1 },
		{ XT2_TARGET(XT2_T_NFQUEUE, 0), 1 },  { XT2_TARGET(XT2_T_MARK, 0), 0 },
		{ XT2_TARGET(XT2_T_LOG, 0), 0 },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		add(1, rows[i].target, 1);
		assert_true(units(0));
		assert_int_equal(b.deciding, rows[i].decides);
		teardown(state);
		setup(state);
	}
}

/* Two rules of so many comments, addresses and bytes of a target. */
static bool goes_on(u32 first, u32 second, bool comment, u32 target)
{
	struct rule_build x, y;

	rule_begin(&x);
	rule_begin(&y);
	if (comment)
		rule_comment(&x, 1);
	rule_source(&x, first, 32);
	if (second)
		rule_source(&y, second, 32);
	if (comment)
		rule_comment(&y, 2);
	return xt2_run_goes_on_(rule_end(&x, CONTINUE), rule_end(&y, target));
}

static void equal_conditions_go_on(void **state)
{
	struct rule_build x, y;

	assert_true(goes_on(1, 1, false, CONTINUE));
	assert_true(goes_on(1, 1, true, CONTINUE)); /* comments say nothing */
	assert_false(goes_on(1, 2, false, CONTINUE));
	assert_false(goes_on(1, 0, false, CONTINUE)); /* a match more */
	assert_false(goes_on(1, 0, true, CONTINUE));
	assert_false(goes_on(1, 1, false, XT2_TARGET(XT2_T_DROP, 0)));
	rule_plain(&x, XT2_TARGET(XT2_T_DROP, 0));
	rule_plain(&y, CONTINUE);
	assert_false(xt2_run_goes_on_((struct xt2_rule *)x.room, (struct xt2_rule *)y.room));
	rule_plain(&x, CONTINUE);
	assert_true(xt2_run_goes_on_((struct xt2_rule *)x.room, (struct xt2_rule *)y.room));
	((struct xt2_rule *)x.room)->size += 8; /* a target with data */
	assert_false(xt2_run_goes_on_((struct xt2_rule *)x.room, (struct xt2_rule *)y.room));
	assert_false(xt2_run_goes_on_((struct xt2_rule *)y.room, (struct xt2_rule *)x.room));
}

static void samples_are_spread(void **state)
{
	struct xt2_box box;
	u32 i;

	for (i = 0; i < 10; i++)
		add(i + 1, XT2_TARGET(XT2_T_DROP, 0), 1);
	assert_true(units(0));
	memset(b.sample, 0, SAMPLE * sizeof(*b.sample));
	assert_int_equal(xt2_build_sample_(&b, b.unit, 10, 5), 5);
	for (i = 0; i < 5; i++) {
		xt2_box_of(&box, xt2_at(c.chain, c.place[2 * i]));
		assert_memory_equal(b.sample[i].value, box.value, sizeof(box.value));
	}
	assert_int_equal(xt2_build_sample_(&b, b.unit, 10, 11), 10);
	assert_int_equal(xt2_build_sample_(&b, b.unit, 0, 5), 0);
}

static void bytes_are_taken_in_order(void **state)
{
	u32 first, second, third = 7;
	u8 *at;

	assert_true(units(4)); /* 4 * 24 bytes or so, after the header */
	b.used = sizeof(*b.at);
	b.room = sizeof(*b.at) + 24;
	memset(b.at + 1, 0xff, 24);
	at = xt2_build_take_(&b, 9, &first); /* 16 with padding */
	assert_ptr_equal(at, b.at + 1);
	assert_int_equal(first, sizeof(*b.at));
	assert_int_equal(at[0] | at[15], 0);
	assert_int_equal(at[16], 0xff);
	assert_false(b.full);
	assert_non_null(xt2_build_take_(&b, 8, &second));
	assert_int_equal(second, first + 16);
	assert_false(b.full);
	assert_null(xt2_build_take_(&b, 1, &third));
	assert_int_equal(third, 7);
	assert_true(b.full);
	assert_int_equal(b.used, b.room);
}

/* The parts do not overlap, and end with the scratch memory. */
static void scratch_memory_is_shared_out(void **state)
{
	const u32 rules = 7;
	struct build d = { 0 };
	u8 *room = malloc(xt2_index_scratch(rules));

	xt2_build_begin_(&d, room, rules);
	assert_ptr_equal(d.passes, room);
	assert_ptr_equal(xt2_build_room_(&d), room);
	assert_ptr_equal(d.sample, d.passes + 1);
	assert_ptr_equal(d.unit, d.sample + SAMPLE);
	assert_true(d.order >= d.unit + rules);
	assert_true((u8 *)d.hashed >= (u8 *)(d.order + rules));
	assert_true((u8 *)d.start >= (u8 *)d.hashed + rules * SCRATCH_UNIT);
	assert_true((u8 *)(d.start + rules + 1) <= room + xt2_index_scratch(rules));
	assert_int_equal((uintptr_t)d.order % XT2_ALIGN, 0);
	assert_int_equal((uintptr_t)d.hashed % XT2_ALIGN, 0);
	free(room);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(rules_are_units),
	CASE(four_rules_are_a_group_and_three_are_not),
	CASE(groups_end_before_the_tail),
	CASE(groups_need_room),
	CASE(rules_with_state_are_no_group),
	CASE(deciding_units_are_counted),
	CASE(equal_conditions_go_on),
	CASE(samples_are_spread),
	CASE(bytes_are_taken_in_order),
	CASE(scratch_memory_is_shared_out),
};

UNITS(tests)
