/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-jumps.c - libxt2/ruleset/jumps.c: a walk along the jumps between chains */
#include <stdio.h>
#include "libxt2/ruleset/jumps.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/ruleset-case.h"

static struct xt2_jumps w;
static char walked[128]; /* "from.rule>to" of each jump, with '!' if it is a loop */

static int begin(void **state)
{
	return xt2_jumps_begin(&w, 5);
}

static int end(void **state)
{
	xt2_jumps_end(&w);
	return 0;
}

static void add(u32 chain, u32 rule, u32 target)
{
	struct rule_build b;

	assert_int_equal(xt2_jumps_add(&w, chain, rule, rule_plain(&b, target)), 0);
}

static void jump(u32 chain, u32 rule, u32 to)
{
	add(chain, rule, XT2_TARGET(XT2_T_JUMP, to));
}

static const char *walk(u32 base)
{
	const struct xt2_jump *j;
	bool loop;
	u32 from;

	*walked = '\0';
	xt2_jumps_start(&w, base);
	while ((j = xt2_jumps_next(&w, &from, &loop)))
		sprintf(walked + strlen(walked), "%u.%u>%u%s ", from, j->rule, j->to,
			loop ? "!" : "");
	return walked;
}

static void only_jumps_are_listed(void **state)
{
	add(0, 0, ACCEPT);
	add(0, 1, XT2_TARGET(XT2_T_CONTINUE, 3));
	add(0, 2, XT2_TARGET(XT2_T_GOTO, 1));
	add(0, 3, XT2_TARGET(XT2_T_JUMP, 2));
	assert_int_equal(w.chain[0].jumps, 2);
	assert_string_equal(walk(0), "0.2>1 0.3>2 ");
}

static void depth_comes_first(void **state)
{
	jump(0, 0, 1);
	jump(0, 1, 2);
	jump(1, 4, 3);
	jump(3, 5, 4);
	assert_string_equal(walk(0), "0.0>1 1.4>3 3.5>4 0.1>2 ");
	assert_string_equal(walk(3), "3.5>4 ");
	assert_string_equal(walk(4), "");
}

/* A chain that was left is no loop, and is not walked again. */
static void chains_are_entered_once(void **state)
{
	jump(0, 0, 1);
	jump(0, 1, 2);
	jump(1, 0, 3);
	jump(2, 0, 3);
	jump(2, 1, 1);
	assert_string_equal(walk(0), "0.0>1 1.0>3 0.1>2 ");
}

static void loops_are_reported(void **state)
{
	jump(0, 0, 1);
	jump(1, 0, 2);
	jump(2, 0, 1);
	jump(2, 1, 2);
	jump(2, 2, 3);
	assert_string_equal(walk(0), "0.0>1 1.0>2 2.0>1! 2.1>2! 2.2>3 ");
	assert_string_equal(walk(3), "");
	assert_string_equal(walk(0), "0.0>1 1.0>2 2.0>1! 2.1>2! 2.2>3 ");
	assert_string_equal(walk(2), "2.0>1 1.0>2! 2.1>2! 2.2>3 ");
}

static void memory_may_be_missing(void **state)
{
	struct xt2_jumps none;
	struct rule_build b;

	fail_alloc(1);
	assert_int_equal(xt2_jumps_begin(&none, 3), -ENOMEM);
	xt2_jumps_end(&none);
	rule_plain(&b, XT2_TARGET(XT2_T_JUMP, 1));
	fail_alloc(1);
	assert_int_equal(xt2_jumps_add(&w, 0, 0, (struct xt2_rule *)b.room), -ENOMEM);
	fail_alloc(0);
	assert_int_equal(w.chain[0].jumps, 0);
}

#define WALK(name) cmocka_unit_test_setup_teardown(name, begin, end)

static const struct CMUnitTest tests[] = {
	WALK(only_jumps_are_listed), WALK(depth_comes_first),	  WALK(chains_are_entered_once),
	WALK(loops_are_reported),    WALK(memory_may_be_missing),
};

UNITS(tests)
