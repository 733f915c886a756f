/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-mac.c - extensions/match/mac.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_mac.h>

static void test_mac(void **state)
{
	static const u8 ether[14] = { 1, 2, 3, 4, 5, 6, 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc, 8, 0 };
	struct test_packet t;

	test_packet4(&t);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 0);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 1);
	t.pkt.mac = ether;
	t.pkt.mac_len = sizeof(ether);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 0);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 1);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcd }, 0);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcd }, 2);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 2);
	t.pkt.mac_len = sizeof(ether) - 1;
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 0);
}

static void test_checked(void **state)
{
	RIGHT(ARP, MAC, 0, 16, 1);
	WRONG(IPV4, MAC, 0, 8, 0);
	WRONG(IPV4, MAC, 0, 24, 0);
	WRONG(IPV4, MAC, XT2_MATCH_INVERT, 16, 0);
	WRONG(IPV4, MAC, 0, 16, 0, 1ull << 48);
	WRONG(IPV4, MAC, 0, 16, 0, 1ull << 56);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mac),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
