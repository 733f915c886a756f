/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ipsec.c - extensions/match/ipsec.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_ipsec(void **state)
{
	struct packet p;

	packet4(&p, 51, 0, "0602 0000 00000100 00000001");
	HITS(p, "ah", ipt_ah, { 256, 256 }, 0);
	HITS(p, "ah", ipt_ah, { 0, ~0u }, 0);
	MISSES(p, "ah", ipt_ah, { 0, ~0u }, 1);
	MISSES(p, "ah", ipt_ah, { 257, 300 }, 0);
	HITS(p, "esp", xt_esp, { 0x06020000, 0x06020000 }, 0);
	HITS(p, "ipcomp", xt_ipcomp, { 0, 0 }, 0, 0);
	MISSES(p, "ipcomp", xt_ipcomp, { 1, 1 }, 0, 1);
	packet_free(&p);
	packet4(&p, 51, 0, "0602 00");
	DROPS(p, "ah", ipt_ah, { 0, ~0u }, 0);
	DROPS(p, "esp", xt_esp, { 0, ~0u }, 0);
	DROPS(p, "ipcomp", xt_ipcomp, { 0, ~0u }, 0, 0);
	packet_free(&p);
	packet4(&p, 51, 16, "0602 0000 00000100 00000001");
	MISSES(p, "ah", ipt_ah, { 0, ~0u }, 0);
	MISSES(p, "esp", xt_esp, { 0, ~0u }, 0);
	MISSES(p, "ipcomp", xt_ipcomp, { 0, ~0u }, 0, 0);
	packet_free(&p);

	packet6(&p, 51, "3b02 0001 00000100 00000001 00000000"); /* 16 bytes */
	HITS(p, "ah", ip6t_ah, { 256, 256 }, 0, 0, 0);
	HITS(p, "ah", ip6t_ah, { 0, ~0u }, 16, 0, 0);
	MISSES(p, "ah", ip6t_ah, { 0, ~0u }, 16, 0, IP6T_AH_INV_LEN);
	MISSES(p, "ah", ip6t_ah, { 0, ~0u }, 0, 1, 0);
	packet_free(&p);
	packet6(&p, 51, "3b02 0000 00000100 00000001");
	DROPS(p, "ah", ip6t_ah, { 0, ~0u }, 0, 0, 0);
	packet_free(&p);
	packet6(&p, 6, "");
	MISSES(p, "ah", ip6t_ah, { 0, ~0u }, 0, 0, 1);
	packet_free(&p);

	PACKS(8, XT2_IPV4, "ah", ipt_ah, { 0, ~0u }, 0);
	PACKS(8, XT2_IPV4, "esp", xt_esp, { 5, 5 }, 1);
	PACKS(16, XT2_IPV6, "esp", xt_esp, { 5, 6 }, 0);
	PACKS(16, XT2_IPV6, "ah", ip6t_ah, { 5, 5 }, 16, 0, 0);
	REFUSES(XT2_IPV4, "ah", ipt_ah, { 0, 0 }, 2);
	REFUSES(XT2_IPV6, "ah", ip6t_ah, { 0, 0 }, 0, 0, 4);
	REFUSES(XT2_IPV4, "esp", xt_esp, { 0, 0 }, 2);
	REFUSES(XT2_IPV4, "ipcomp", xt_ipcomp, { 0, 0 }, 2, 0);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, AH, XT2_RANGE_NONE, 8, 0);
	WRONG(IPV4, AH, XT2_RANGE_NONE, 8, 1);
	WRONG(IPV4, AH, XT2_RANGE_NONE | XT2_MATCH_INVERT, 8, 0);
	RIGHT(IPV4, AH, XT2_RANGE_BOTH | XT2_MATCH_INVERT, 16, 0);
	WRONG(IPV4, AH, XT2_RANGE_BOTH, 16, 1);
	WRONG(IPV4, AH, XT2_RANGE_ONE | XT2_HEADER_TEST, 16, 0); /* IPv6 alone has one */
	RIGHT(IPV6, AH, XT2_RANGE_ONE | XT2_HEADER_TEST, 16, 0);
	WRONG(IPV6, AH, XT2_RANGE_ONE | XT2_HEADER_TEST, 8, 0);
	WRONG(ARP, AH, XT2_RANGE_ONE, 8, 0);
	RIGHT(IPV6, ESP, XT2_RANGE_BOTH, 16, 0);
	WRONG(IPV6, ESP, XT2_RANGE_BOTH, 8, 0);
	WRONG(ARP, ESP, XT2_RANGE_ONE, 8, 0);
	RIGHT(IPV4, IPCOMP, XT2_RANGE_ONE, 8, 7);
	WRONG(IPV4, IPCOMP, XT2_RANGE_ONE, 24, 7);
	WRONG(IPV4, IPCOMP, 3, 8, 0);
	WRONG(ARP, IPCOMP, XT2_RANGE_ONE, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ipsec),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
