/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-foreign.c - extensions/foreign.c */
#include "extensions/extensions.h"
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"

static void test_foreign(void **state)
{
	const struct xt2_match m = { XT2_M_FOREIGN, 0, sizeof(m), 0 };
	struct test_packet t;

	test_packet4(&t);
	assert_int_equal(xt2_match_ext(&m, &t.ctx), XT2_HOTDROP);
	assert_int_equal(t.ctx.faults, 1);
	assert_int_equal(xt2_match_ext(&m, &t.ctx), XT2_HOTDROP);
	assert_int_equal(t.ctx.faults, 2);
}

static void test_checked(void **state)
{
	RIGHT(ARP, FOREIGN, 0, 8, 5);
	WRONG(IPV4, FOREIGN, XT2_MATCH_INVERT, 8, 5);
	WRONG(IPV4, FOREIGN, 0, 16, 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_foreign),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
