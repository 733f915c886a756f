/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ttl.c - extensions/match/ttl.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter_ipv4/ipt_ttl.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>

static void test_ttl(void **state)
{
	struct test_packet t;

	test_packet4(&t); /* TTL 64 */
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_EQ, 64);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_NE, 64);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_LT, 65);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_LT, 64);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT, 63);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT, 64);
	TAKES(0, XT2_IPV4, "ttl", 0, ipt_ttl_info, 4, 64);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_EQ, 63);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_NE, 63);
	t.pkt.caplen = 8; /* cut off before it */
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_NE, 63);
}

static void test_hl(void **state)
{
	struct test_packet t;

	test_packet6(&t); /* hop limit 3 */
	HITS(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_EQ, 3);
	MISSES(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_GT, 3);
	TAKES(0, XT2_IPV6, "hl", 0, ip6t_hl_info, 5, 3);
	HITS(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_LT, 4);
	t.pkt.caplen = 7;
	MISSES(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_EQ, 3);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, TTL, XT2_TTL_GT, 8, 255);
	WRONG(IPV4, TTL, XT2_TTL_GT + 1, 8, 64);
	WRONG(IPV4, TTL, XT2_TTL_EQ, 8, 256);
	WRONG(IPV4, TTL, XT2_TTL_EQ, 16, 64);
	WRONG(IPV6, TTL, XT2_TTL_EQ, 8, 64);
	RIGHT(IPV6, HL, XT2_TTL_EQ, 8, 0);
	WRONG(IPV4, HL, XT2_TTL_EQ, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ttl),
	cmocka_unit_test(test_hl),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
