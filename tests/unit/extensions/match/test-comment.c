/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-comment.c - extensions/match/comment.c */
#include "extensions/extensions.h"
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"

static void test_comment(void **state)
{
	struct xt2_match m = { XT2_M_COMMENT, 0, sizeof(m), 5 };

	assert_int_equal(xt2_match_ext(&m, NULL), XT2_HIT);
	assert_int_equal(xt2_match_ext_check(&m, XT2_IPV4), 0);
	m.flags = XT2_MATCH_INVERT;
	assert_int_equal(xt2_match_ext_check(&m, XT2_IPV4), -EINVAL);
}

static void test_checked(void **state)
{
	RIGHT(ARP, COMMENT, 0, 8, 5);
	WRONG(IPV4, COMMENT, 1, 8, 5);
	WRONG(IPV4, COMMENT, 0, 16, 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_comment),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
