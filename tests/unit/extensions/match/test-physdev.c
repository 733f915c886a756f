/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-physdev.c - extensions/match/physdev.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_physdev.h>

#define ETH0	.physindev = "eth0", .in_mask = "\xff\xff\xff\xff\xff"
#define ETH_ANY .physindev = "eth+", .in_mask = "\xff\xff\xff"
#define LONG_OUT                         \
	.physoutdev = "averylongname01", \
	.out_mask = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static void test_physdev(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN,
	     .invert = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0,
	       .bitmask = XT_PHYSDEV_OP_IN | XT_PHYSDEV_OP_ISOUT, .invert = XT_PHYSDEV_OP_IN);
	t.pkt.bridged = 1;
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, LONG_OUT, .bitmask = XT_PHYSDEV_OP_OUT,
	       .invert = XT_PHYSDEV_OP_OUT);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED,
	     .invert = XT_PHYSDEV_OP_BRIDGED);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
	memcpy(t.pkt.physin, "eth0", 4);
	memcpy(t.pkt.physout, "averylongname01", 15);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, LONG_OUT,
	     .bitmask = XT_PHYSDEV_OP_IN | XT_PHYSDEV_OP_OUT);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN,
	       .invert = XT_PHYSDEV_OP_IN);
	memcpy(t.pkt.physin, "eth10", 5);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .physindev = "?th", .in_mask = "\0\xff\xff",
	     .bitmask = XT_PHYSDEV_OP_IN);
	memcpy(t.pkt.physout, "averylongname02", 15);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, LONG_OUT, .bitmask = XT_PHYSDEV_OP_OUT);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = 0);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = 0x21);
	TAKES(16, XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	TAKES(8, XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, PHYSDEV, 0, 8, XT2_PHYSDEV_BITS << 8);
	RIGHT(IPV4, PHYSDEV, 0, 16, XT2_PHYSDEV_IN << 8 | 5 << 16);
	RIGHT(IPV4, PHYSDEV, 0, 40, XT2_PHYSDEV_OUT << 8 | (u32)XT2_PHYSDEV_MASKED << 24);
	WRONG(IPV4, PHYSDEV, 0, 8, 0);
	WRONG(IPV4, PHYSDEV, 0, 8, 0x20 << 8);
	WRONG(IPV4, PHYSDEV, 1, 8, XT2_PHYSDEV_IN << 8);
	WRONG(IPV4, PHYSDEV, 0, 8, XT2_PHYSDEV_IN << 8 | 5 << 16);
	WRONG(IPV4, PHYSDEV, 0, 24, XT2_PHYSDEV_IN << 8 | 5 << 16);
	WRONG(IPV4, PHYSDEV, 0, 24, XT2_PHYSDEV_IN << 8 | 17 << 16);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_physdev),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
