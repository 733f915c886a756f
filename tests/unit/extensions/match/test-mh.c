/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-mh.c - extensions/match/mh.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_mh(void **state)
{
	struct packet p;

	packet6(&p, 135, "3b00 0500 0000");
	HITS(p, "mh", ip6t_mh, { 5, 5 }, 0);
	MISSES(p, "mh", ip6t_mh, { 0, 255 }, 1);
	packet_free(&p);
	packet6(&p, 135, "0600 0500 0000");
	DROPS(p, "mh", ip6t_mh, { 0, 255 }, 0);
	packet_free(&p);
	packet6(&p, 135, "3b00 0500 00");
	DROPS(p, "mh", ip6t_mh, { 0, 255 }, 0);
	packet_free(&p);
	REFUSES(XT2_IPV6, "mh", ip6t_mh, { 0, 255 }, 2);
	packet6(&p, 135, "3b00 0500 0000");
	MISSES(p, "mh", ip6t_mh, { 0, 4 }, 0);
	MISSES(p, "mh", ip6t_mh, { 6, 255 }, 0);
	HITS(p, "mh", ip6t_mh, { 6, 255 }, 1);
	packet_free(&p);
}

static void test_checked(void **state)
{
	RIGHT(IPV6, MH, 0, 8, 0x1ff05);
	WRONG(IPV6, MH, 0, 8, 0x2ff05);
	WRONG(IPV6, MH, 0, 16, 0);
	WRONG(IPV6, MH, 1, 8, 0);
	WRONG(IPV4, MH, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mh),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
