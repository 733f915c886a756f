/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-nfqueue.c - extensions/target/target-nfqueue.c */
#include "tests/unit/target-case.h"

static void test_queues(void **state)
{
	struct xt2_nfqueue more = { .more = 9 };
	u32 i, first, seen = 0;

	case_packet4(&tc, 20, 40);
	assert_int_equal(target_run_arg(XT2_T_NFQUEUE, 65535), XT2_QUEUE);
	assert_int_equal(tc.ctx.verdict_arg, 65535);

	case_rule(&tc, XT2_TARGET(XT2_T_NFQUEUE, 100 | XT2_TARGET_REVISION(3)), &more, 8);
	for (i = 0; i < 500; i++) {
		tc.pkt.src4 = case_random();
		tc.pkt.dst4 = case_random();
		assert_int_equal(target_run(), XT2_QUEUE);
		first = tc.ctx.verdict_arg;
		assert_in_range(first, 100, 109);
		seen |= 1u << (first - 100);
		case_swap(&tc.pkt);
		target_run();
		assert_int_equal(tc.ctx.verdict_arg, first);
	}
	assert_int_equal(seen, 0x3ff);
	tc.rule->target |= XT2_NFQUEUE_CPU_FANOUT << 8;
	tc.pkt.cpu = 23;
	target_run();
	assert_int_equal(tc.ctx.verdict_arg, 103);
}

static void test_checked(void **state)
{
	u32 rev;

	for (rev = 0; rev < 4; rev++) {
		const u32 arg = 7 | XT2_TARGET_REVISION(rev);

		assert_int_equal(arg_checked(XT2_ARP, XT2_T_NFQUEUE, arg), 0);
		assert_int_equal(arg_checked(XT2_IPV4, XT2_T_NFQUEUE, arg | 1 << 16),
				 rev >= 2 ? 0 : -EINVAL);
		assert_int_equal(arg_checked(XT2_IPV4, XT2_T_NFQUEUE, arg | 2 << 16),
				 rev >= 3 ? 0 : -EINVAL);
		assert_int_equal(arg_checked(XT2_IPV4, XT2_T_NFQUEUE, arg | 4 << 16), -EINVAL);
		assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NFQUEUE, arg, 9), rev ? 0 : -EINVAL);
		assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NFQUEUE, arg, 9 | 1 << 16), -EINVAL);
		assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NFQUEUE, arg, 9, 0), -EINVAL);
	}
	rev = XT2_TARGET_REVISION(1);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NFQUEUE, 0xfffe | rev, 1), 0);
	assert_int_equal(DATA_CHECKED(XT2_IPV4, XT2_T_NFQUEUE, 0xfffe | rev, 2), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_queues, target_setup),
	cmocka_unit_test_setup(test_checked, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
