/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-reject.c - extensions/target/target-reject.c */
#include "tests/unit/target-case.h"

static void test_verdict(void **state)
{
	case_packet4(&tc, 20, 40);
	assert_int_equal(target_run_arg(XT2_T_REJECT, 3), XT2_REJECT);
	assert_int_equal(tc.ctx.verdict_arg, 3);
}

static void test_checked(void **state)
{
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_REJECT, 3), 0);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_REJECT, 3), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_REJECT, 4), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_REJECT, 4), 0);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_REJECT, 5), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_REJECT, 5), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_REJECT, 3, 0), -EINVAL);
}

static void test_reset_asks_for_tcp(void **state)
{
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_REJECT, 7), -EINVAL);
	add_tcp(0);
	assert_int_equal(target_check(XT2_IPV4), 0);
	xt2_rule_first_match(tc.rule)->flags = XT2_MATCH_INVERT;
	assert_int_equal(target_check(XT2_IPV4), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_REJECT, 6), -EINVAL);
	add_tcp(0);
	assert_int_equal(target_check(XT2_IPV6), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_REJECT, 6), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_verdict, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
	cmocka_unit_test_setup(test_reset_asks_for_tcp, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
