/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ipv6header.c - extensions/match/ipv6header.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_ipv6header(void **state)
{
	struct packet p;

	packet6(&p, 0, "2c00 0104 0000 0000 0600 0008 00000000"); /* HBH, a later fragment */
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS | MASK_FRAGMENT | MASK_PROTO, 0,
	     0);
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS | MASK_FRAGMENT, 0, 0);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0xff, 0);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0, 0xff);
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0xff, 0xff);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_AH, 0xff, 0xff);
	packet_free(&p);
	packet6(&p, 50, "0000");
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_ESP, 0, 0);
	packet_free(&p);
	packet6(&p, 50, "00");
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_ESP, 0xff, 0);
	packet_free(&p);
	packet6(&p, 60, "3b00 0104 0000 0000");
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_DSTOPTS | MASK_NONE, 0, 0);
	packet_free(&p);
	packet6(&p, 60, "3b02 0104 0000 0000"); /* the header ends behind the packet */
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_DSTOPTS, 0, 0);
	packet_free(&p);
	REFUSES(XT2_IPV6, "ipv6header", ip6t_ipv6header_info, 1, 1, 0);
	PACKS(8, XT2_IPV6, "ipv6header", ip6t_ipv6header_info, 1, 1, 1);
}

static void test_checked(void **state)
{
	RIGHT(IPV6, IPV6HEADER, 0, 8, 0xffff);
	WRONG(IPV6, IPV6HEADER, 0, 8, 0x0100);
	RIGHT(IPV6, IPV6HEADER, 0, 8, 0x010100);
	WRONG(IPV6, IPV6HEADER, 0, 8, 1u << 24);
	WRONG(IPV6, IPV6HEADER, 0, 16, 0);
	WRONG(IPV4, IPV6HEADER, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ipv6header),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
