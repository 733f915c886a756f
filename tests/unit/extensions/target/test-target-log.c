/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-log.c - extensions/target/target-log.c */
#include "tests/unit/target-case.h"

static void test_events(void **state)
{
	case_packet4(&tc, 20, 40);
	tc.ctx.nevents = 0;
	assert_int_equal(target_run_arg(XT2_T_LOG, 4), XT2_NEXT);
	assert_int_equal(target_run_arg(XT2_T_NFLOG, 1), XT2_NEXT);
	assert_int_equal(tc.pkt.trace, 0);
	assert_int_equal(target_run_arg(XT2_T_TRACE, 0), XT2_NEXT);
	assert_int_equal(tc.pkt.trace, 1);
	assert_int_equal(tc.ctx.nevents, 3);
	assert_int_equal(tc.events[0].target, XT2_T_LOG);
	assert_int_equal(tc.events[1].target, XT2_T_NFLOG);
	assert_int_equal(tc.events[2].target, XT2_T_TRACE);
}

static void test_room_for_events_ends(void **state)
{
	case_packet4(&tc, 20, 40);
	tc.ctx.events_size = 1;
	target_run_arg(XT2_T_LOG, 4);
	target_run_arg(XT2_T_NFLOG, 4);
	assert_int_equal(tc.ctx.nevents, 2);
	assert_int_equal(tc.events[0].target, XT2_T_LOG);
	assert_int_equal(tc.events[1].target, 0);
}

static void test_checked(void **state)
{
	const u64 four[4] = { 0x2078, [3] = 0x78 }, last[4] = { 0x2078, [3] = 1ull << 40 };
	u64 group[9] = { [8] = 0x78 };

	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_LOG, 7), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_LOG, 8), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_LOG, 0x10000), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_LOG, 4), -EINVAL);
	assert_int_equal(data_checked(XT2_IPV4, XT2_T_LOG, 4, four, 4), 0);
	assert_int_equal(data_checked(XT2_IPV4, XT2_T_LOG, 4, last, 4), -EINVAL); /* no NUL */
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_LOG, 4, 1, 2, 3, 4, 5), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_NFLOG, 0xffff), 0);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_NFLOG, 1), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_NFLOG, 1 << 18), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_NFLOG, XT2_NFLOG_SIZES), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV6, XT2_T_NFLOG, XT2_NFLOG_SIZES, 1), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV6, XT2_T_NFLOG, XT2_NFLOG_SIZES, 0), -EINVAL);
	group[0] = 1;
	assert_int_equal(data_checked(XT2_IPV6, XT2_T_NFLOG, XT2_NFLOG_SIZES, group, 9), 0);
	group[8] = 1ull << 56;
	assert_int_equal(data_checked(XT2_IPV6, XT2_T_NFLOG, XT2_NFLOG_SIZES, group, 9), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TRACE, 0), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TRACE, 1), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_TRACE, 0), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_TRACE, 0, 0), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_events, target_setup),
	cmocka_unit_test_setup(test_room_for_events_ends, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
