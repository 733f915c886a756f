/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-quota.c - extensions/state/quota.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_quota.h>

static void test_quota(void **state)
{
	struct xt_quota_info info = { .quota = 250 };

	assert_true(state_pack("quota", 0, &info, 24) > 0);
	tc.pkt.len = 100;
	assert_int_equal(passing(2, 0), 2);
	assert_int_equal(tc.img.cells[0], 200);
	assert_int_equal(state_run(), XT2_MISS);
	tc.pkt.len = 10;
	assert_int_equal(state_run(), XT2_MISS); /* the rest is gone */
	assert_int_equal(tc.img.cells[0], 250);
	tc.img.cells[0] = ~0ull;
	assert_int_equal(state_run(), XT2_MISS);

	info.flags = XT_QUOTA_INVERT;
	assert_true(state_pack("quota", 0, &info, 24) > 0);
	tc.img.cells[0] = 0;
	tc.pkt.len = 250;
	assert_int_equal(state_run(), XT2_MISS);
	tc.pkt.len = 1;
	assert_int_equal(state_run(), XT2_HIT);
	info = (struct xt_quota_info){ .quota = ~0ull };
	assert_true(state_pack("quota", 0, &info, 24) > 0);
	tc.img.cells[0] = 0;
	assert_int_equal(passing(10, 0), 10);
}

static void test_checked(void **state)
{
	RIGHT(ARP, QUOTA, XT2_MATCH_INVERT, 16, 0, ~0ull);
	WRONG(IPV4, QUOTA, 1, 16, 0, 5);
	WRONG(IPV4, QUOTA, 0, 8, 0);
	WRONG(IPV4, QUOTA, 0, 24, 0, 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_quota, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
