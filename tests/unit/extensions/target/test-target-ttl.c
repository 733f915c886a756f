/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-ttl.c - extensions/target/target-ttl.c */
#include "extensions/target/rewrite.h"
#include "tests/unit/target-case.h"

static void test_hops(void **state)
{
	static const u8 hops[] = { 0, 1, 2, 127, 128, 254, 255 };
	u32 i, mode, by;
	int want;

	for (i = 0; i < XT2_ARRAY_SIZE(hops) * 3 * 256; i++) {
		mode = i % 3;
		by = i / 3 % 256;
		want = mode == 0 ? (int)by : hops[i / 768] + (mode == 1 ? (int)by : -(int)by);
		want = want < 0 ? 0 : want > 255 ? 255 : want;

		case_packet4(&tc, 20, 20);
		xt2_csum_header(tc.bytes + 10, (u16)(tc.bytes[8] << 8), (u16)(hops[i / 768] << 8));
		tc.bytes[8] = hops[i / 768];
		assert_int_equal(target_run_arg(XT2_T_TTL, mode | by << 8), XT2_NEXT);
		assert_int_equal(tc.bytes[8], want);
		sums_right();

		case_packet6(&tc, 20);
		tc.bytes[7] = hops[i / 768];
		assert_int_equal(target_run_arg(XT2_T_HL, mode | by << 8), XT2_NEXT);
		assert_int_equal(tc.bytes[7], want);
		sums_right();
	}
}

static void test_cut(void **state)
{
	case_packet4(&tc, 20, 20);
	tc.pkt.caplen = tc.pkt.len = 19;
	assert_int_equal(target_run_arg(XT2_T_TTL, 7 << 8), XT2_DROP);
	case_packet6(&tc, 20);
	tc.pkt.caplen = 39; /* by the capture, of which the kernel knows nothing */
	assert_int_equal(target_run_arg(XT2_T_HL, 7 << 8), XT2_NEXT);
	assert_int_equal(tc.pkt.cut, 1);
}

static void test_checked(void **state)
{
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 0), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 1), -EINVAL); /* raise by 0 */
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 2), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 2 | 1 << 8), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 3 | 1 << 8), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TTL, 1 << 16), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_TTL, 0), -EINVAL);
	assert_int_equal(arg_checked(XT2_IPV6, XT2_T_HL, 255 << 8), 0);
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_HL, 255 << 8), -EINVAL);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_TTL, 0, 0), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_hops, target_setup),
	cmocka_unit_test_setup(test_cut, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
