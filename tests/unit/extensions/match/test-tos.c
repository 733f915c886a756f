/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-tos.c - extensions/match/tos.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_dscp.h>

static void test_ipv4(void **state)
{
	struct test_packet t;

	test_packet4(&t); /* TOS 0xb8 */
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0xff, 0xb8, 0);
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0x08, 0);
	MISSES(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0xb8, 0);
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0xb8, 2);
	HITS(XT2_IPV4, "dscp", 0, xt_dscp_info, 46, 0);
	MISSES(XT2_IPV4, "dscp", 0, xt_dscp_info, 46, 1);
	REFUSED(XT2_IPV4, "dscp", 0, xt_dscp_info, 64, 0);
	TAKES(8, XT2_IPV4, "tos", 1, xt_tos_match_info, 0xff, 0xb8, 1);
	t.pkt.caplen = 1;
	MISSES(XT2_IPV4, "tos", 1, xt_tos_match_info, 0, 0, 0);
	MISSES(XT2_IPV4, "dscp", 0, xt_dscp_info, 46, 1);
}

static void test_ipv6(void **state)
{
	struct test_packet t;

	test_packet6(&t); /* class 0x28 */
	HITS(XT2_IPV6, "tos", 1, xt_tos_match_info, 0xff, 0x28, 0);
	HITS(XT2_IPV6, "dscp", 0, xt_dscp_info, 10, 0);
	MISSES(XT2_IPV6, "dscp", 0, xt_dscp_info, 11, 0);
	MISSES(XT2_IPV6, "tos", 1, xt_tos_match_info, 0xff, 0x28, 1);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, TOS, 0, 8, 0xffff);
	WRONG(IPV4, TOS, 0, 8, 0x10000);
	WRONG(IPV4, TOS, 0, 16, 0);
	WRONG(ARP, TOS, 0, 8, 0);
	RIGHT(IPV6, DSCP, 0x80, 8, 0x3f);
	WRONG(IPV6, DSCP, 0, 8, 0x40);
	WRONG(IPV6, DSCP, 0, 16, 0);
	WRONG(ARP, DSCP, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ipv4),
	cmocka_unit_test(test_ipv6),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
