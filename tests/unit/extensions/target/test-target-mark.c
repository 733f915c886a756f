/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-mark.c - extensions/target/target-mark.c */
#include "tests/unit/target-case.h"

static void test_marks(void **state)
{
	struct xt2_mark xmark = { 0xf0, 0xff };
	u32 priority[2] = { 0xffff0001, 0 };

	case_packet4(&tc, 20, 40);
	target_run_arg(XT2_T_MARK, 0x123456);
	assert_int_equal(tc.pkt.mark, 0x123456);
	case_rule(&tc, XT2_T_MARK, &xmark, 8);
	assert_int_equal(target_run(), XT2_NEXT);
	assert_int_equal(tc.pkt.mark, 0x1234f0);
	target_run_arg(XT2_T_CLASSIFY, 0x10010);
	assert_int_equal(tc.pkt.priority, 0x10010);
	case_rule(&tc, XT2_T_CLASSIFY, priority, 8);
	target_run();
	assert_int_equal(tc.pkt.priority, 0xffff0001);
}

static void connmark(u32 mode, u32 shift, u32 ctmark, u32 ctmask, u32 nfmask)
{
	struct xt2_connmark data = { ctmark, ctmask, nfmask, 0 };

	case_rule(&tc, XT2_TARGET(XT2_T_CONNMARK, mode | shift | XT2_TARGET_REVISION(2)), &data,
		  16);
	assert_int_equal(target_run(), XT2_NEXT);
}

static void test_connmark(void **state)
{
	case_packet4(&tc, 20, 40);
	tc.pkt.ct.mark = 0xff;
	connmark(0, 0, 0xaa, ~0u, 0);
	assert_int_equal(tc.pkt.ct.mark, 0xff); /* no connection */
	tc.pkt.ct.state = XT2_CT_UNTRACKED;
	connmark(0, 0, 0xaa, ~0u, 0);
	assert_int_equal(tc.pkt.ct.mark, 0xff);
	tc.pkt.ct.state = XT2_CT_NEW;
	connmark(0, 0, 0xa0, 0xf0, 0);
	assert_int_equal(tc.pkt.ct.mark, 0xaf);
	connmark(0, 4 << 8, 0xa0, 0xf0, 0);
	assert_int_equal(tc.pkt.ct.mark, 0xaf0);
	tc.pkt.mark = 0x1234;
	connmark(1, 8 << 8 | XT2_CONNMARK_RIGHT, 0, 0xff, 0xff00);
	assert_int_equal(tc.pkt.ct.mark, 0xa12);
	connmark(2, 4 << 8, 0, 0xff, 0xfff);
	assert_int_equal(tc.pkt.mark, 0x1120);
	connmark(3, 0, 1, 2, 3);
	assert_int_equal(tc.pkt.mark, 0x1120);
}

static void test_checked(void **state)
{
	const u32 rev1 = XT2_TARGET_REVISION(1), rev2 = XT2_TARGET_REVISION(2);
	const u64 all = ~0ull << 32, wide = XT2_ARG_MAX + 1;

	assert_int_equal(arg_checked(XT2_ARP, XT2_T_MARK, 7), 0);
	assert_int_equal(arg_checked(XT2_BRIDGE, XT2_T_MARK, 7), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_MARK, 0, 7 | 0xffull << 32), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_MARK, 1, 7 | 0xffull << 32), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_MARK, 0, 7 | all), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_MARK, 0, wide | all), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_MARK, 0, (wide - 1) | all), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_CONNMARK, rev1), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_CONNMARK, 0), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_CONNMARK, rev1), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_CONNMARK, rev1 | 1 << 8), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_CONNMARK, rev2 | 31 << 8), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_CONNMARK, rev2 | 1 << 14), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CONNMARK, rev2, 1, 1), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CONNMARK, rev2, 1, 1ull << 32), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_CLASSIFY, 7), 0);
	assert_int_equal(arg_checked(XT2_BRIDGE, XT2_T_CLASSIFY, 7), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CLASSIFY, 0, wide), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CLASSIFY, 0, wide - 1), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CLASSIFY, 0, wide | 1ull << 32), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_CLASSIFY, 1, wide), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_marks, target_setup),
	cmocka_unit_test_setup(test_connmark, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
