/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-bound.c - libxt2/store/companion/bpf-bound.c: what it puts into the kernel, left.sh looks at */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-bound.h"
#include "tests/unit/libxt2/store/companion/left-case.h"

static struct xt2_left_plan plan;

static void make(const struct xt2_image *img)
{
	assert_int_equal(xt2_left_plan_(&plan, img, XT2_IPV4, NULL), 0);
}

static u32 foreign_target(struct xt2_ruleset *rs, const char *name)
{
	return XT2_TARGET(XT2_T_FOREIGN,
			  an_instance(rs, XT2_INSTANCE_TARGET, name, 0, "1234567", 8));
}

/* Each has a bit of its own, and counts at the hooks where packets meet it. */
static void test_bits(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle");
	const int out = xt2_chain_base(rs, t, XT2_OUTPUT), in = xt2_chain_base(rs, t, XT2_INPUT);
	struct xt2_live_ruleset l = { 0 };

	a_rule(rs, in, 0, foreign_target(rs, "CHECKSUM"));
	a_rule(rs, in, 0, XT2_TARGET(XT2_T_MARK, 2));
	a_rule(rs, in, 0, foreign_target(rs, "SECMARK"));
	a_rule(rs, out, 0, foreign_target(rs, "SECMARK"));
	with_image(rs, make);
	assert_int_equal(plan.steps, 3);
	assert_string_equal(plan.step[0].ext->name, "CHECKSUM");
	assert_int_equal(xt2_bound_bit_(&plan, 0), 0);
	assert_int_equal(xt2_bound_bit_(&plan, 2), 1);
	assert_true(xt2_bound_at_(&plan.step[0], XT2_MANGLE, XT2_INPUT));
	assert_false(xt2_bound_at_(&plan.step[0], XT2_MANGLE, XT2_OUTPUT));
	assert_false(xt2_bound_at_(&plan.step[1], XT2_MANGLE, XT2_INPUT));
	xt2_bound_count_(&l, &plan, 1);
	assert_int_equal(l.bounds[XT2_MANGLE][1][XT2_INPUT], 2);
	assert_int_equal(l.bounds[XT2_MANGLE][1][XT2_OUTPUT], 1);
	assert_int_equal(l.bounds[XT2_MANGLE][0][XT2_INPUT], 0);
	assert_true(xt2_bound_any_(&l, XT2_MANGLE, 1));
	assert_false(xt2_bound_any_(&l, XT2_RAW, 1));
	xt2_left_plan_free_(&plan);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bits),
};

UNITS(tests)
