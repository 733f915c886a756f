/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-cpu.c - extensions/match/cpu.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_cpu.h>

static void test_cpu(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	t.pkt.cpu = 3;
	HITS(XT2_IPV4, "cpu", 0, xt_cpu_info, 3, 0);
	MISSES(XT2_IPV4, "cpu", 0, xt_cpu_info, 3, 1);
	MISSES(XT2_IPV4, "cpu", 0, xt_cpu_info, 2, 0);
	REFUSED(XT2_IPV4, "cpu", 0, xt_cpu_info, 2, 2);
	HITS(XT2_IPV4, "cpu", 0, xt_cpu_info, 2, 1);
}

static void test_checked(void **state)
{
	RIGHT(ARP, CPU, XT2_MATCH_INVERT, 8, 3);
	WRONG(IPV4, CPU, 1, 8, 3);
	WRONG(IPV4, CPU, 0, 16, 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cpu),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
