/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-ct.c - extensions/target/target-ct.c */
#include "tests/unit/target-case.h"
#include <linux/netfilter/xt_CT.h>

static void test_notrack(void **state)
{
	case_packet4(&tc, 20, 40);
	tc.pkt.ct.state = XT2_CT_NEW;
	target_run_arg(XT2_T_NOTRACK, 0);
	assert_int_equal(tc.pkt.notrack, 1);
	assert_int_equal(tc.pkt.ct.state, XT2_CT_UNTRACKED);
	target_run_arg(XT2_T_CT, XT2_TARGET_REVISION(2));
	assert_int_equal(tc.pkt.ct_template, 0);

	case_packet4(&tc, 20, 40);
	tc.pkt.ct.state = XT2_CT_NEW;
	target_run_arg(XT2_T_CT, XT2_TARGET_REVISION(2));
	target_run_arg(XT2_T_CT, 1 | XT2_TARGET_REVISION(2));
	assert_int_equal(tc.pkt.notrack, 0);
	assert_int_equal(tc.pkt.ct.state, XT2_CT_NEW);

	case_packet4(&tc, 20, 40);
	target_run_arg(XT2_T_CT, 1 | XT2_TARGET_REVISION(2));
	assert_int_equal(tc.pkt.notrack, 1);
}

static void test_checked(void **state)
{
	struct xt_ct_target_info_v1 ct = { .helper = "ftp" };
	const u32 rev2 = XT2_TARGET_REVISION(2);

	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_NOTRACK, 0), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_NOTRACK, 1), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_NOTRACK, 0), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NOTRACK, 0, 0), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_CT, rev2 | 0x1f), 0);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_CT, rev2 | 0x20), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_CT, XT2_TARGET_REVISION(1) | 2), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_CT, XT2_TARGET_REVISION(3)), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_CT, rev2 | 1 << 8), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_CT, rev2), -EINVAL);
	/* a helper belongs to a protocol */
	assert_true(target_pack(XT2_IPV4, "CT", 2, &ct, 72) > 0);
	assert_int_equal(target_check(XT2_IPV4), -EINVAL);
	add_tcp(0);
	assert_int_equal(target_check(XT2_IPV4), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_notrack, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
