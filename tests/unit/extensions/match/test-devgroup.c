/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-devgroup.c - extensions/match/devgroup.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_devgroup.h>

static void test_devgroup(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	t.pkt.in_group = 5;
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 5, ~0u, 0, 0);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, ~0u, 0, 0);
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, 4, 0, 0);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_INVERT_SRC, 5, ~0u, 0, 0);
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_DST, 0, 0, 0, ~0u);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_MATCH_DST, 5, ~0u, 9, ~0u);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_DST | XT_DEVGROUP_INVERT_DST, 0, 0, 0, 0);
	REFUSED(XT2_IPV4, "devgroup", 0, xt_devgroup_info, 0x10, 0, 0, 0, 0);
	TAKES(16, XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, 4, 0, 0);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, DEVGROUP, 0, 8, 0xf);
	RIGHT(IPV4, DEVGROUP, XT2_DEVGROUP_IN_PAIR, 16, 1);
	RIGHT(IPV4, DEVGROUP, XT2_DEVGROUP_IN_PAIR | XT2_DEVGROUP_OUT_PAIR, 24, 5);
	WRONG(IPV4, DEVGROUP, 0, 8, 0x10);
	WRONG(IPV4, DEVGROUP, 4, 8, 0);
	WRONG(IPV4, DEVGROUP, XT2_DEVGROUP_OUT_PAIR, 8, 4);
	WRONG(IPV4, DEVGROUP, XT2_DEVGROUP_OUT_PAIR, 24, 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_devgroup),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
