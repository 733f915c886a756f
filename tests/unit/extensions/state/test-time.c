/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-time.c - extensions/state/time.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_time.h>

static struct xt_time_info any_time(void)
{
	struct xt_time_info info = {
		.date_stop = 0x7fffffff,
		.daytime_stop = XT_TIME_MAX_DAYTIME,
		.monthdays_match = XT_TIME_ALL_MONTHDAYS,
		.weekdays_match = XT_TIME_ALL_WEEKDAYS,
	};
	return info;
}

static int time_at(const struct xt_time_info *info, u64 second)
{
	assert_true(state_pack("time", 0, info, 24) > 0);
	tc.ctx.now = second * SECOND + SECOND - 1;
	return state_run();
}

/* Every day from 1970 to 2038, against the C library's calendar. */
static void test_calendar(void **state)
{
	struct xt_time_info info = any_time();
	time_t now;
	struct tm tm;

	for (now = 0; now < 0x7fffffff; now += 86400) {
		gmtime_r(&now, &tm);
		info.monthdays_match = 1u << tm.tm_mday;
		info.weekdays_match = (u8)(1u << (tm.tm_wday ? tm.tm_wday : 7));
		assert_int_equal(time_at(&info, (u64)now), XT2_HIT);
		info.monthdays_match = ~info.monthdays_match;
		assert_int_equal(time_at(&info, (u64)now + 86399), XT2_MISS);
		info.monthdays_match = ~info.monthdays_match;
		info.weekdays_match = ~info.weekdays_match;
		assert_int_equal(time_at(&info, (u64)now + 86399), XT2_MISS);
	}
}

static void test_time_of_day(void **state)
{
	struct xt_time_info info = any_time();
	const u64 monday = 1704067200; /* 2024-01-01 */

	info.daytime_start = 9 * 3600;
	info.daytime_stop = 17 * 3600;
	assert_int_equal(time_at(&info, monday + 9 * 3600 - 1), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 9 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 17 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 17 * 3600 + 1), XT2_MISS);

	info.daytime_start = 23 * 3600;
	info.daytime_stop = 3600;
	info.weekdays_match = 1 << 1;
	assert_int_equal(time_at(&info, monday + 1800), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 23 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 12 * 3600), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 86400 + 1800), XT2_MISS);
	info.flags = XT_TIME_CONTIGUOUS;
	assert_int_equal(time_at(&info, monday + 1800), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 86400 + 1800), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 86400 + 3601), XT2_MISS);
}

static void test_dates(void **state)
{
	struct xt_time_info info = any_time();

	info.date_start = 1000000;
	info.date_stop = 2000000;
	assert_int_equal(time_at(&info, 999999), XT2_MISS);
	assert_int_equal(time_at(&info, 1000000), XT2_HIT);
	assert_int_equal(time_at(&info, 2000000), XT2_HIT);
	assert_int_equal(time_at(&info, 2000001), XT2_MISS);
	tc.ctx.wall = (s64)SECOND;
	assert_int_equal(time_at(&info, 999999), XT2_HIT);
	tc.ctx.wall = -(s64)SECOND;
	assert_int_equal(time_at(&info, 1000000), XT2_MISS);
	tc.ctx.wall = 0;
	info.flags = XT_TIME_LOCAL_TZ;
	tc.ctx.tz_west = -60;
	assert_int_equal(time_at(&info, 1000000 - 3600), XT2_HIT);
	assert_int_equal(time_at(&info, 1000000 - 3601), XT2_MISS);
	tc.ctx.tz_west = 60;
	assert_int_equal(time_at(&info, 1000000), XT2_MISS);
	assert_int_equal(time_at(&info, 2003600), XT2_HIT);
	info.date_start = 0;
	assert_int_equal(time_at(&info, 3599), XT2_MISS); /* before 1970 */
}

static void test_checked(void **state)
{
	RIGHT(ARP, TIME, 0, 24, ~0u, 0, 86399 | 86399ull << 32);
	WRONG(IPV4, TIME, 0, 24, 0, 0, 86400);
	WRONG(IPV4, TIME, 0, 24, 0, 0, 86400ull << 32);
	RIGHT(IPV4, TIME, XT2_TIME_CONTIGUOUS, 24, 0, 0, 5 | 5ull << 32);
	WRONG(IPV4, TIME, XT2_TIME_CONTIGUOUS, 24, 0, 0, 5 | 6ull << 32);
	WRONG(IPV4, TIME, 4, 24, 0);
	WRONG(IPV4, TIME, 0, 16, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_calendar, state_setup),
	cmocka_unit_test_setup(test_time_of_day, state_setup),
	cmocka_unit_test_setup(test_dates, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
