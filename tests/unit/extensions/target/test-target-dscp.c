/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-target-dscp.c - extensions/target/target-dscp.c
 *
 * Packets are random; every changed one is summed up anew.
 */
#include "tests/unit/target-case.h"

static void test_service(void **state)
{
	u32 i, arg;
	u8 old;

	for (i = 0; i < 60000; i++) {
		random_packet(i % 2 ? XT2_IPV4 : XT2_IPV6);
		old = service();
		arg = case_random() & 0xffff;
		assert_int_equal(target_run_arg(XT2_T_TOS, arg), XT2_NEXT);
		assert_int_equal(service(), (u8)((old & ~(arg >> 8)) ^ arg));
		sums_right();
		old = service();
		assert_int_equal(target_run_arg(XT2_T_DSCP, arg & 63), XT2_NEXT);
		assert_int_equal(service(), (old & 3) | (arg & 63) << 2);
		sums_right();
	}
}

static void test_ecn(void **state)
{
	u32 i, arg, mask;
	u8 old, flags, was;

	for (i = 0; i < 60000; i++) {
		random_packet(XT2_IPV4);
		arg = case_random() & 0x030331;
		mask = (arg & 0x10 ? 0x40u : 0) | (arg & 0x20 ? 0x80u : 0);
		flags = (u8)((arg >> 16 & 1) << 6 | (arg >> 17 & 1) << 7);
		old = service();
		was = tc.bytes[tc.pkt.thoff + 13];
		assert_int_equal(target_run_arg(XT2_T_ECN, arg), XT2_NEXT);
		assert_int_equal(service(), arg & 1 ? (old & ~3) | (arg >> 8 & 3) : old);
		assert_int_equal(tc.bytes[tc.pkt.thoff + 13], (was & ~mask) | (flags & mask));
		sums_right();
	}
	case_packet4(&tc, 20, 19); /* no whole TCP header */
	assert_int_equal(target_run_arg(XT2_T_ECN, 1), XT2_NEXT);
	assert_int_equal(target_run_arg(XT2_T_ECN, 0x10), XT2_DROP);
	tc.pkt.len = 40; /* the packet had one, the capture has not */
	assert_int_equal(target_run_arg(XT2_T_ECN, 0x10), XT2_NEXT);
	assert_int_equal(tc.pkt.cut, 1);
	tc.bytes[9] = 17;
	xt2_pkt_parse(&tc.pkt, XT2_IPV4);
	assert_int_equal(target_run_arg(XT2_T_ECN, 0x10), XT2_NEXT);
}

static void test_checked(void **state)
{
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_TOS, 0xffff), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TOS, 0x10000), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_TOS, 0), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_DSCP, 63), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_DSCP, 64), -EINVAL);
	assert_int_equal(arg_checked(XT2_ARP, XT2_T_DSCP, 0), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_ECN, 1 | 3 << 8), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_ECN, 1 | 4 << 8), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_ECN, 2), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_ECN, 1), -EINVAL);
	/* bits of TCP ask for TCP */
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_ECN, 0x10), -EINVAL);
	add_tcp(0);
	assert_int_equal(target_check(XT2_IPV4), 0);
	assert_int_equal(target_check(XT2_IPV6), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_TOS, 0, 0), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_service, target_setup),
	cmocka_unit_test_setup(test_ecn, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
