/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-pkttype.c - extensions/match/pkttype.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/if_packet.h>
#include <linux/netfilter/xt_pkttype.h>

static void test_pkttype(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_HOST, 0);
	t.pkt.pkttype = PACKET_MULTICAST;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
	MISSES(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 1);
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, -1, 1);
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 6);
	t.pkt.pkttype = PACKET_LOOPBACK;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_BROADCAST, 0);
	t.pkt.dst4 = 0xe0000001;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
	test_packet6(&t);
	t.pkt.pkttype = PACKET_LOOPBACK;
	HITS(XT2_IPV6, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
}

static void test_checked(void **state)
{
	RIGHT(ARP, PKTTYPE, XT2_MATCH_INVERT, 8, 3);
	WRONG(IPV4, PKTTYPE, 1, 8, 3);
	RIGHT(IPV4, PKTTYPE, 0, 16, 3, 6);
	WRONG(IPV4, PKTTYPE, 0, 16, 3, 6 | 1ull << 32);
	WRONG(IPV4, PKTTYPE, XT2_MATCH_INVERT, 16, 3, 6);
	WRONG(IPV4, PKTTYPE, 0, 16, 3, 1); /* the head can say that */
	WRONG(IPV4, PKTTYPE, 0, 24, 3, 6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pkttype),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
