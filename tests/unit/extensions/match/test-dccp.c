/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-dccp.c - extensions/match/dccp.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_dccp(void **state)
{
	struct packet p;

	/* a request (fixed part 16 bytes) with options 1 and 44 */
	packet4(&p, 33, 0, "0050 0400 05 00 0000 00 000000 00000000 01 2c 03 00");
	HITS(p, "dccp", xt_dccp_info, .spts = { 80, 80 }, .flags = XT_DCCP_SRC_PORTS);
	MISSES(p, "dccp", xt_dccp_info, .spts = { 80, 80 }, .flags = 1, .invflags = 1);
	HITS(p, "dccp", xt_dccp_info, .typemask = 1, .flags = XT_DCCP_TYPE);
	MISSES(p, "dccp", xt_dccp_info, .typemask = 2, .flags = XT_DCCP_TYPE);
	HITS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	MISSES(p, "dccp", xt_dccp_info, .option = 45, .flags = XT_DCCP_OPTION);
	HITS(p, "dccp", xt_dccp_info, .option = 45, .flags = 8, .invflags = 8);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 06 00 0000 00 000000 00000000 01 2c 03 00");
	DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	HIT_DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = 8, .invflags = 8);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 03 00 0000 00 000000 00000000");
	DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 03 00 0000 00 0000");
	DROPS(p, "dccp", xt_dccp_info, .flags = 0);
	packet_free(&p);
	packet4(&p, 33, 8, "0050 0400 03 00 0000 00 000000");
	MISSES(p, "dccp", xt_dccp_info, .flags = 0);
	packet_free(&p);

	PACKS(8, XT2_IPV4, "dccp", xt_dccp_info, .typemask = 1, .flags = 4);
	REFUSES(XT2_IPV4, "dccp", xt_dccp_info, .flags = 16);
	REFUSES(XT2_IPV4, "dccp", xt_dccp_info, .flags = 1, .invflags = 2);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, DCCP, 0, 8, 0xff << 8);
	WRONG(IPV4, DCCP, 0, 8, 0x21 << 8); /* inverted, not tested */
	RIGHT(IPV4, DCCP, XT2_PORTS_FOLLOW, 16, 0);
	WRONG(IPV4, DCCP, XT2_PORTS_FOLLOW, 8, 0);
	WRONG(IPV4, DCCP, 2, 8, 0);
	WRONG(ARP, DCCP, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_dccp),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
