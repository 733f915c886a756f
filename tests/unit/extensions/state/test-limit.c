/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-limit.c - extensions/state/limit.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_limit.h>

static void limit(u32 avg, u32 burst)
{
	struct xt_rateinfo info = { .avg = avg, .burst = burst };

	assert_true(state_pack("limit", 0, &info, 40) > 0);
	m->arg = 1;
	tc.img.cells[1] = 0;
}

static void test_limit(void **state)
{
	tc.ctx.now = 1700000000 * SECOND;
	limit(10000, 5); /* 1/s, burst 5 */
	assert_int_equal(passing(100, 0), 5);
	tc.ctx.now += SECOND - 4000000; /* a tick too early */
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += 4000000;
	assert_int_equal(passing(3, 0), 1);
	tc.ctx.now += 3 * SECOND;
	assert_int_equal(passing(9, 0), 3);
	tc.ctx.now += 3600 * SECOND;
	assert_int_equal(passing(9, 0), 5);
	assert_int_equal(passing(1000, SECOND / 10), 99);

	limit(3333, 1); /* 3/s: 10666 credits of 32000; 84 ticks of 128 */
	assert_int_equal(passing(1, 0), 1);
	tc.ctx.now += 83 * 4000000;
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += 4000000;
	assert_int_equal(passing(2, 0), 1);

	limit(864000000, 1); /* 1/day */
	assert_int_equal(passing(2, 0), 1);
	tc.ctx.now += 86399 * SECOND;
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += SECOND;
	assert_int_equal(passing(2, 0), 1);
}

/* The clock of an unsorted capture; and the kernel's overflow after 2^25 ticks. */
static void test_limit_clock(void **state)
{
	tc.ctx.now = 1700000000 * SECOND;
	limit(10000, 2);
	assert_int_equal(passing(3, 0), 2);
	tc.ctx.now -= 3600 * SECOND;
	assert_int_equal(passing(3, 0), 0);
	tc.ctx.now += 3601 * SECOND;
	assert_int_equal(passing(3, 0), 1);
	tc.ctx.now += (1ull << 25) * 4000000;
	assert_int_equal(passing(3, 0), 0);
	tc.ctx.now += (1ull << 25) * 4000000 + SECOND;
	assert_int_equal(passing(3, 0), 1);
}

/* Two hours are an unsorted capture; a tick more is a long time that has passed. */
static void test_limit_clock_back(void **state)
{
	tc.ctx.now = 1700000000 * SECOND;
	limit(10000, 2);
	assert_int_equal(passing(3, 0), 2);
	tc.ctx.now -= 7200 * SECOND;
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now -= 4000000;
	assert_int_equal(passing(3, 0), 2);
}

static void test_checked(void **state)
{
	RIGHT(ARP, LIMIT, 0, 16, 0, 10000 | 5ull << 32);
	WRONG(IPV4, LIMIT, 0, 16, 0, 10000); /* no burst */
	WRONG(IPV4, LIMIT, 0, 16, 0, 10000 | 429497ull << 32); /* overflows */
	WRONG(IPV4, LIMIT, XT2_MATCH_INVERT, 16, 0, 10000 | 5ull << 32);
	WRONG(IPV4, LIMIT, 0, 24, 0, 10000 | 5ull << 32);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_limit, state_setup),
	cmocka_unit_test_setup(test_limit_clock, state_setup),
	cmocka_unit_test_setup(test_limit_clock_back, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
