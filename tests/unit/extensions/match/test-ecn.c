/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ecn.c - extensions/match/ecn.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_ecn(void **state)
{
	struct packet p;

	packet4(&p, 6, 0, SYN_ACK); /* IP codepoint 1; neither ECE nor CWR */
	HITS(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_IP, 0, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_IP, 0, 2, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_IP, XT_ECN_OP_MATCH_IP, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_ECE, 0, 0, { { 0 } });
	HITS(p, "ecn", xt_ecn_info, 0x31, 0x30, 1, { { 0 } });
	packet_free(&p);
	packet6(&p, 6, "0050 0400 00000000 00000000 50c2 0000 0000 0000");
	HITS(p, "ecn", xt_ecn_info, 0x31, 0, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_CWR, XT_ECN_OP_MATCH_CWR, 0, { { 0 } });
	packet_free(&p);
	packet6(&p, 6, "0050 0400");
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_ECE, XT_ECN_OP_MATCH_ECE, 0, { { 0 } });
	packet_free(&p);
	REFUSES(XT2_IPV4, "ecn", xt_ecn_info, 0x02, 0, 0, { { 0 } });
	REFUSES(XT2_IPV4, "ecn", xt_ecn_info, 0x01, 0x40, 0, { { 0 } });
}

static void test_checked(void **state)
{
	RIGHT(IPV4, ECN, 0, 8, 0x3131);
	WRONG(IPV4, ECN, 0, 8, 0x02);
	WRONG(IPV4, ECN, 0, 8, 0x0200);
	WRONG(IPV4, ECN, XT2_MATCH_INVERT, 8, 1);
	WRONG(IPV4, ECN, 0, 16, 1);
	WRONG(ARP, ECN, 0, 8, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ecn),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
