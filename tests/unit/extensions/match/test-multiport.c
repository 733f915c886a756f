/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-multiport.c - extensions/match/multiport.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_multiport(void **state)
{
	struct packet p;

	packet4(&p, 17, 0, "0035 0400");
	HITS(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_SOURCE, .count = 2,
	     .ports = { 80, 53 });
	MISSES(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_DESTINATION, .count = 2,
	       .ports = { 80, 53 });
	HITS(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_EITHER, .count = 2,
	     .ports = { 80, 53 });
	MISSES(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_EITHER, .count = 2,
	       .ports = { 80, 53 }, .invert = 1);
	HITS(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_DESTINATION, .count = 3,
	     .ports = { 80, 1000, 2000 }, .pflags = { 0, 1, 0 });
	MISSES(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_DESTINATION, .count = 3,
	       .ports = { 80, 1000, 2000 });
	MISSES(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_EITHER, .count = 0);
	HITS(p, "multiport", xt_multiport_v1, .flags = XT_MULTIPORT_EITHER, .count = 1,
	     .ports = { 53 }, .invert = 2);
	packet_free(&p);
	packet4(&p, 17, 0, "0035 04");
	DROPS(p, "multiport", xt_multiport_v1, .count = 1, .ports = { 53 });
	packet_free(&p);
	packet4(&p, 17, 8, "0035 0400");
	MISSES(p, "multiport", xt_multiport_v1, .count = 1, .ports = { 53 }, .invert = 1);
	packet_free(&p);

	PACKS(16, XT2_IPV4, "multiport", xt_multiport_v1, .count = 4, .ports = { 1, 2, 3, 4 });
	PACKS(40, XT2_IPV4, "multiport", xt_multiport_v1, .count = 15);
	PACKS(64, XT2_IPV4, "multiport", xt_multiport_v1, .count = 1, .ports = { 1, 2 });
	REFUSES(XT2_IPV4, "multiport", xt_multiport_v1, .count = 16);
	REFUSES(XT2_IPV4, "multiport", xt_multiport_v1, .count = 1, .flags = 3);
	REFUSES(XT2_IPV4, "multiport", xt_multiport_v1, .count = 1, .pflags = { 1 });
	REFUSES(XT2_IPV4, "multiport", xt_multiport_v1, .count = 2, .ports = { 2, 1 },
		.pflags = { 1 });
	REFUSES(XT2_IPV4, "multiport", xt_multiport_v1, .count = 3, .pflags = { 1, 1 });
}

static void test_checked(void **state)
{
	RIGHT(IPV4, MULTIPORT, XT2_MATCH_INVERT, 40, 15 | 2 << 8);
	WRONG(IPV4, MULTIPORT, 0, 40, 16);
	WRONG(IPV4, MULTIPORT, 0, 40, 15 | 3 << 8);
	WRONG(IPV4, MULTIPORT, 0, 16, 5);
	RIGHT(IPV4, MULTIPORT, 0, 16, 2 | 1 << 16, 20 | 21 << 16);
	RIGHT(IPV4, MULTIPORT, 0, 16, 2 | 1 << 16, 20 | 20 << 16);
	WRONG(IPV4, MULTIPORT, 0, 16, 2 | 1 << 16, 21 | 20 << 16);
	WRONG(IPV4, MULTIPORT, 0, 16, 2 | 2 << 16,
	      20 | 21 << 16); /* the last one begins no range */
	WRONG(IPV4, MULTIPORT, 0, 16, 3 | 3 << 16); /* nor does a range's end */
	WRONG(IPV4, MULTIPORT, 0, 16, 2 | 8 << 16);
	WRONG(ARP, MULTIPORT, 0, 16, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_multiport),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
