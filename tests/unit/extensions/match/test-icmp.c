/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-icmp.c - extensions/match/icmp.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_icmp(void **state)
{
	struct packet p;

	packet4(&p, 1, 0, "0301 0000 00000000");
	HITS(p, "icmp", ipt_icmp, 3, { 0, 255 }, 0);
	HITS(p, "icmp", ipt_icmp, 3, { 1, 1 }, 0);
	MISSES(p, "icmp", ipt_icmp, 3, { 2, 255 }, 0);
	HITS(p, "icmp", ipt_icmp, 8, { 0, 255 }, 1);
	HITS(p, "icmp", ipt_icmp, 255, { 0, 255 }, 0);
	MISSES(p, "icmp", ipt_icmp, 255, { 0, 255 }, 1);
	packet_free(&p);
	packet4(&p, 1, 0, "0301 0000 000000");
	DROPS(p, "icmp", ipt_icmp, 8, { 0, 255 }, 0);
	packet_free(&p);
	packet4(&p, 1, 64, "0301 0000 00000000");
	MISSES(p, "icmp", ipt_icmp, 8, { 0, 255 }, 1);
	packet_free(&p);
	packet6(&p, 58, "0301 0000 00000000");
	HITS(p, "icmp6", ip6t_icmp, 3, { 0, 255 }, 0);
	MISSES(p, "icmp6", ip6t_icmp, 255, { 0, 255 }, 0);
	packet_free(&p);
}

static void test_sizes(void **state)
{
	PACKS(8, XT2_IPV4, "icmp", ipt_icmp, 8, { 0, 0xff }, 1);
	REFUSES(XT2_IPV4, "icmp", ipt_icmp, 8, { 0, 0xff }, 2);
	REFUSES(XT2_IPV6, "icmp6", ip6t_icmp, 8, { 0, 0xff }, 2);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, ICMP, 0, 8, 1 << 24);
	WRONG(IPV4, ICMP, 0, 8, 2 << 24);
	WRONG(IPV4, ICMP, 1, 8, 0);
	WRONG(IPV4, ICMP, 0, 16, 0);
	WRONG(IPV6, ICMP, 0, 8, 0);
	RIGHT(IPV6, ICMP6, 0, 8, 1 << 24);
	WRONG(IPV6, ICMP6, 0, 8, 2 << 24);
	WRONG(IPV4, ICMP6, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_icmp),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
