/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-clock.c - libxt2/store/bpf/bpf-clock.c */
#include <time.h>
#include "libxt2/store/bpf/bpf-private.h"
#include "tests/lib/unit-program.h"

static void the_clock_began_at_boot(void **state)
{
	struct xt2_state host = { 0 };
	struct timespec now, boot;
	s64 ns;

	xt2_live_start_clock_(&host);
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	ns = (s64)(now.tv_sec - boot.tv_sec) * 1000000000 + now.tv_nsec - boot.tv_nsec;
	ns -= (s64)host.clock;
	assert_true(ns > -1000000000 && ns < 1000000000);
	assert_in_range(host.hz, 24, 10000); /* what kernels are built with */
}

static void the_date_says_how_far_clocks_are_apart(void **state)
{
	struct xt2_state host = { .tai = 12345, .tz_west = 12345 };
	struct timespec utc, tai;

	xt2_live_set_date_(&host);
	clock_gettime(CLOCK_REALTIME, &utc);
	clock_gettime(CLOCK_TAI, &tai);
	assert_in_range(tai.tv_sec - utc.tv_sec + 1 - host.tai, 0, 2);
	assert_in_range(host.tz_west + 24 * 60, 0, 48 * 60);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_clock_began_at_boot),
	cmocka_unit_test(the_date_says_how_far_clocks_are_apart),
};

UNITS(tests)
