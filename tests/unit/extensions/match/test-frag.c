/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-frag.c - extensions/match/frag.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_frag(void **state)
{
	struct packet p;

	packet6(&p, 44, "3b00 0001 00000007"); /* first of more */
	HITS(p, "frag", ip6t_frag, { 7, 7 }, 0, 0, 0);
	MISSES(p, "frag", ip6t_frag, { 7, 7 }, 0, 0, 1);
	HITS(p, "frag", ip6t_frag, { 0, ~0u }, 99, 0x1e, 0);
	MISSES(p, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_NMF, 0);
	packet_free(&p);
	packet6(&p, 44, "3b00 0012 00000007"); /* a later one, the last, reserved bit 2 */
	HITS(p, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_NMF, 0);
	MISSES(p, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_FST, 0);
	MISSES(p, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_MF, 0);
	MISSES(p, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_RES, 0);
	packet_free(&p);
	packet6(&p, 44, "3b00 0012");
	DROPS(p, "frag", ip6t_frag, { 0, ~0u }, 0, 0, 0);
	packet_free(&p);
	PACKS(16, XT2_IPV6, "frag", ip6t_frag, { 0, ~0u }, 0, IP6T_FRAG_MF, 0);
	REFUSES(XT2_IPV6, "frag", ip6t_frag, { 0, ~0u }, 0, 0, 4);
}

static void test_checked(void **state)
{
	RIGHT(IPV6, FRAG, XT2_RANGE_NONE, 8, 0);
	WRONG(IPV4, FRAG, XT2_RANGE_NONE, 8, 0);
	WRONG(IPV6, FRAG, 3, 8, 0);
	RIGHT(IPV6, FRAG, XT2_RANGE_ONE | XT2_HEADER_TEST, 16, 7);
	WRONG(IPV6, FRAG, XT2_RANGE_ONE | XT2_HEADER_TEST, 8, 7);
	WRONG(IPV6, FRAG, XT2_RANGE_ONE | XT2_HEADER_TEST, 16, 7, ~0ull);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_frag),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
