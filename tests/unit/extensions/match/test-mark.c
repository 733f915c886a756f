/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-mark.c - extensions/match/mark.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_mark.h>

static void test_marks(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	t.pkt.mark = 0x12345678;
	HITS(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x12345678, ~0u, 0);
	MISSES(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x12345678, ~0u, 1);
	HITS(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x78, 0xff, 0);
	MISSES(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x178, 0xff, 0);
	HITS(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x178, 0xff, 1);
	HITS(XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 0x178, 0xff, 4);
	TAKES(8, XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 1, ~0u, 1);
	TAKES(16, XT2_IPV4, "mark", 1, xt_mark_mtinfo1, 1, 0xff, 1);

	t.pkt.ct.mark = 7;
	MISSES(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 7, ~0u, 0);
	MISSES(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 7, ~0u, 1);
	t.pkt.ct.state = XT2_CT_UNTRACKED;
	MISSES(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 8, ~0u, 1);
	t.pkt.ct.state = XT2_CT_ESTABLISHED | XT2_CT_DNAT;
	HITS(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 7, ~0u, 0);
	MISSES(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 7, ~0u, 1);
	HITS(XT2_IPV4, "connmark", 1, xt_connmark_mtinfo1, 3, 3, 0);
}

static void test_checked(void **state)
{
	RIGHT(ARP, MARK, 0, 8, 7);
	RIGHT(IPV4, MARK, 0, 16, 7, 0xff);
	WRONG(IPV4, MARK, 0, 16, 7, 0xff | 1ull << 32);
	WRONG(IPV4, MARK, 0, 24, 7, 0xff);
	RIGHT(IPV6, CONNMARK, 0, 16, 7, 0xff);
	WRONG(IPV6, CONNMARK, 0, 16, 7, 1ull << 63);
	WRONG(IPV6, CONNMARK, 0, 24, 7);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_marks),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
