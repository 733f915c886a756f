/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-length.c - extensions/match/length.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_length.h>

static void test_length(void **state)
{
	struct test_packet t;

	test_packet4(&t); /* 40 bytes */
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 0);
	MISSES(XT2_IPV4, "length", 0, xt_length_info, 41, 100, 0);
	MISSES(XT2_IPV4, "length", 0, xt_length_info, 0, 39, 0);
	MISSES(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 1);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 41, 41, 1);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 2);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 41, 41, 2);
	t.pkt.len = 44; /* the header's word counts, not this */
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 0);
	t.pkt.caplen = 3;
	MISSES(XT2_IPV4, "length", 0, xt_length_info, 0, 65535, 0);
	test_packet6(&t);
	HITS(XT2_IPV6, "length", 0, xt_length_info, 56, 56, 0);
	MISSES(XT2_IPV6, "length", 0, xt_length_info, 57, 57, 0);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, LENGTH, 0x81, 8, 40 | 50 << 16);
	WRONG(IPV4, LENGTH, 0, 16, 0);
	WRONG(ARP, LENGTH, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_length),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
