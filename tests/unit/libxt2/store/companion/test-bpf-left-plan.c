/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-left-plan.c - libxt2/store/companion/bpf-left-plan.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-left.h"
#include "tests/unit/libxt2/store/companion/left-case.h"

static struct xt2_left_plan plan;
static int ret;

static void make(const struct xt2_image *img)
{
	ret = xt2_left_plan_(&plan, img, XT2_IPV4, NULL);
}

/* Equal ones are one, of all hooks; what is not reached is none. */
static void test_plan(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), f = a_table(rs, XT2_IPV4, "filter");
	const int out = xt2_chain_base(rs, t, XT2_OUTPUT), in = xt2_chain_base(rs, t, XT2_INPUT);

	a_rule(rs, out, 0, XT2_TARGET(XT2_T_MARK, 1));
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_MARK, 2));
	a_rule(rs, in, 0, XT2_TARGET(XT2_T_MARK, 2));
	a_foreign(rs, in, "owner", 1, "1234567", 8);
	a_foreign(rs, in, "owner", 1, "1234567", 8);
	a_foreign(rs, xt2_chain_base(rs, f, XT2_INPUT), "owner", 1, "1234567", 8);
	a_rule(rs, xt2_chain_add(rs, t, "unused"), 0, XT2_TARGET(XT2_T_MARK, 3));
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_ACCEPT, 0));
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_MARK, 4));
	with_image(rs, make);
	assert_int_equal(ret, 0);
	assert_int_equal(plan.steps, 2);
	assert_string_equal(plan.step[0].ext->name, "MARK");
	assert_int_equal(plan.step_hooks[XT2_MANGLE], 1 << XT2_OUTPUT | 1 << XT2_INPUT);
	assert_int_equal(plan.asks[XT2_MANGLE], 1);
	assert_int_equal(plan.ask_hooks[XT2_MANGLE], 1 << XT2_INPUT);
	assert_int_equal(plan.asks[XT2_FILTER], 1);
	assert_int_equal(plan.step_hooks[XT2_FILTER], 0);
	assert_false(plan.hops);
	xt2_left_plan_free_(&plan);
}

/* A count that is raised has a companion for each result. */
static void test_hops(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int c = xt2_chain_base(rs, a_table(rs, XT2_IPV4, "mangle"), XT2_OUTPUT);

	a_rule(rs, c, 0, XT2_TARGET(XT2_T_TTL, 64 << 8));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_TTL, 1 | 1 << 8));
	with_image(rs, make);
	assert_int_equal(ret, 0);
	assert_true(plan.hops);
	assert_int_equal(plan.hops_at, plan.steps);
	xt2_left_plan_free_(&plan);
}

static void test_too_many(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int c = xt2_chain_base(rs, a_table(rs, XT2_IPV4, "filter"), XT2_INPUT);
	char data[8] = "";
	u32 i;

	for (i = 0; i <= XT2_QUESTIONS; i++) {
		snprintf(data, sizeof(data), "%u", i);
		a_foreign(rs, c, "owner", 1, data, 8);
	}
	with_image(rs, make);
	assert_int_equal(ret, -E2BIG);
	xt2_left_plan_free_(&plan);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_plan),
	cmocka_unit_test(test_hops),
	cmocka_unit_test(test_too_many),
};

UNITS(tests)
