/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target.c - extensions/target/target.c */
#include "extensions/target/target.h"
#include "tests/unit/target-case.h"

static void test_proto(void **state)
{
	struct xt2_match mark = { XT2_M_MARK, 0, 8, 6 }, proto = { XT2_M_PROTO, 0, 8, 17 };

	case_rule(&tc, XT2_TARGET(XT2_T_REJECT, 0), NULL, 0);
	assert_int_equal(xt2_rule_proto(tc.rule), 0);
	case_add(&tc, &mark); /* another match with the same argument */
	assert_int_equal(xt2_rule_proto(tc.rule), 0);
	case_add(&tc, &proto);
	assert_int_equal(xt2_rule_proto(tc.rule), 17);
	xt2_match_next(xt2_rule_first_match(tc.rule))->flags = XT2_MATCH_INVERT;
	assert_int_equal(xt2_rule_proto(tc.rule), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_proto, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
