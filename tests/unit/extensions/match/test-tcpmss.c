/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-tcpmss.c - extensions/match/tcpmss.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_tcpmss(void **state)
{
	struct packet p;

	packet4(&p, 6, 0, SYN_ACK); /* MSS 1460 */
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1460, 1460, 0);
	MISSES(p, "tcpmss", xt_tcpmss_match_info, 1, 1459, 0);
	MISSES(p, "tcpmss", xt_tcpmss_match_info, 1461, 2000, 0);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1, 1459, 1);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1460, 1460, 2);
	packet_free(&p);
	packet6(&p, 6, "0050 0400 00000000 00000000 50c2 0000 0000 0000"); /* no option */
	MISSES(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 0);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);
	packet6(&p, 6, "0050 0400");
	DROPS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);
	/* a later IPv6 fragment: the IPv6 header is read as TCP; its offset byte is 0 */
	packet6(&p, 44, "06000008 00000000" SYN_ACK);
	DROPS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);
	PACKS(8, XT2_IPV4, "tcpmss", xt_tcpmss_match_info, 1, 2, 1);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, TCPMSS, XT2_MATCH_INVERT, 8, ~0u);
	WRONG(IPV4, TCPMSS, 0, 16, 0);
	WRONG(ARP, TCPMSS, 0, 8, 0);
	RIGHT(IPV6, TCPMSS, XT2_MATCH_VERBATIM, 8 + XT2_VERBATIM_TCPMSS, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_tcpmss),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
