/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-udp.c - extensions/match/udp.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_udp(void **state)
{
	struct packet p;

	packet4(&p, 17, 0, "0035 0400 0008 0000");
	HITS(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	HITS(p, "udp", xt_udp, .spts = { 53, 53 }, .dpts = ANY);
	MISSES(p, "udp", xt_udp, .spts = { 54, 54 }, .dpts = ANY);
	HITS(p, "udp", xt_udp, .spts = ANY, .dpts = { 53, 53 }, .invflags = XT_UDP_INV_DSTPT);
	MISSES(p, "udp", xt_udp, .spts = { 53, 53 }, .dpts = { 1024, 1024 }, .invflags = 3);
	HITS(p, "udplite", xt_udp, .spts = { 53, 53 }, .dpts = { 1024, 1024 });
	packet_free(&p);
	packet4(&p, 17, 8, "0035 0400 0008 0000");
	MISSES(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet6(&p, 17, "0035 0400 0008 00");
	DROPS(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
}

static void test_sizes(void **state)
{
	PACKS(8, XT2_IPV4, "udp", xt_udp, .spts = ANY, .dpts = { 53, 53 });
	PACKS(16, XT2_IPV4, "udplite", xt_udp, .spts = { 1, 1 }, .dpts = { 53, 53 });
	REFUSES(XT2_IPV4, "udp", xt_udp, .spts = ANY, .dpts = ANY, .invflags = 4);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, UDP, XT2_PORTS_NONE, 8, 0);
	WRONG(IPV4, UDP, XT2_PORTS_NONE, 8, 1);
	RIGHT(IPV6, UDP, XT2_PORTS_DST | XT2_MATCH_INVERT, 8, ~0u);
	WRONG(IPV4, UDP, XT2_PORTS_FLAGS, 8, 0);
	RIGHT(IPV4, UDPLITE, XT2_PORTS_ALL, 16, 3);
	WRONG(IPV4, UDPLITE, XT2_PORTS_ALL, 16, 4);
	WRONG(IPV4, UDPLITE, XT2_PORTS_ALL | XT2_MATCH_INVERT, 16, 3);
	RIGHT(IPV4, UDP, XT2_PORTS_DST | XT2_MATCH_VERBATIM, 8 + XT2_VERBATIM_UDP, 53);
	WRONG(IPV4, UDP, XT2_PORTS_DST | XT2_MATCH_VERBATIM, 8, 53);
	WRONG(ARP, UDP, XT2_PORTS_DST, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_udp),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
