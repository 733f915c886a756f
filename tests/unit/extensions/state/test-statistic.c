/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-statistic.c - extensions/state/statistic.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_statistic.h>

/* --every n --packet p, as libxtables writes it */
static void nth(u32 every, u32 packet, u32 flags)
{
	struct xt_statistic_info info = { .mode = XT_STATISTIC_MODE_NTH, .flags = (u16)flags };

	info.u.nth.every = every - 1;
	info.u.nth.packet = packet;
	info.u.nth.count = every - 1 - packet;
	assert_true(state_pack("statistic", 0, &info, 24) > 0);
	m->arg = 2;
	tc.img.cells[2] = 0;
}

static void test_nth(void **state)
{
	u32 every, packet, i;

	for (every = 1; every < 6; every++) {
		for (packet = 0; packet < every; packet++) {
			nth(every, packet, 0);
			for (i = 0; i < 20; i++)
				assert_int_equal(state_run(), i % every == packet);
			nth(every, packet, XT_STATISTIC_INVERT);
			for (i = 0; i < 20; i++)
				assert_int_equal(state_run(), i % every != packet);
		}
	}
}

static void test_random(void **state)
{
	struct xt_statistic_info info = { .mode = XT_STATISTIC_MODE_RANDOM };
	u32 hits;

	tc.ctx.random = 12345;
	assert_true(state_pack("statistic", 0, &info, 24) > 0);
	assert_int_equal(passing(1000, 0), 0);
	info.u.random.probability = 0x80000000;
	assert_true(state_pack("statistic", 0, &info, 24) > 0);
	assert_int_equal(passing(1000, 0), 1000);
	info.u.random.probability = 0x20000000;
	assert_true(state_pack("statistic", 0, &info, 24) > 0);
	hits = passing(100000, 0);
	assert_in_range(hits, 24300, 25700);
	tc.ctx.random = 12345;
	hits = passing(1000, 0);
	tc.ctx.random = 12345;
	assert_int_equal(passing(1000, 0), hits);
	info.flags = XT_STATISTIC_INVERT;
	assert_true(state_pack("statistic", 0, &info, 24) > 0);
	tc.ctx.random = 12345;
	assert_int_equal(passing(1000, 0), 1000 - hits);
	tc.ctx.random = 0;
	assert_in_range(passing(1000, 0), 600, 900);
}

static void test_checked(void **state)
{
	RIGHT(ARP, STATISTIC, XT2_MATCH_INVERT | XT2_STATISTIC_NTH, 24, 0, 1, 2);
	WRONG(IPV4, STATISTIC, 2, 24, 0);
	WRONG(IPV4, STATISTIC, 0, 24, 0, 1, 2 | 1ull << 32);
	WRONG(IPV4, STATISTIC, 0, 16, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_nth, state_setup),
	cmocka_unit_test_setup(test_random, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
