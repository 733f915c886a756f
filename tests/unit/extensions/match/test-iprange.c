/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-iprange.c - extensions/match/iprange.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_iprange.h>

static void test_iprange(void **state)
{
	struct test_packet t;

	test_packet4(&t); /* 10.1.2.3 to 192.168.0.9 */
	HITS(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC,
	     .src_min.ip = htonl(0x0a010203), .src_max.ip = htonl(0x0a010203));
	MISSES(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC,
	       .src_min.ip = htonl(0x0a010204), .src_max.ip = htonl(0x0a0102ff));
	MISSES(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC | IPRANGE_SRC_INV,
	       .src_min.ip = htonl(0x0a000000), .src_max.ip = htonl(0x0affffff));
	HITS(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_DST | IPRANGE_DST_INV,
	     .dst_min.ip = htonl(0x0a000000), .dst_max.ip = htonl(0x0affffff));
	MISSES(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC | IPRANGE_DST,
	       .src_min.ip = htonl(0x0a000000), .src_max.ip = htonl(0x0affffff),
	       .dst_min.ip = htonl(0x0a000000), .dst_max.ip = htonl(0x0affffff));
	HITS(XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = 0);
	TAKES(16, XT2_IPV4, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_DST,
	      .dst_max.ip = htonl(5));

	test_packet6(&t); /* 2001:db8::1 to ff02::5 */
	HITS(XT2_IPV6, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC,
	     .src_min.all = { htonl(0x20010db8), 0, 0, htonl(1) },
	     .src_max.all = { htonl(0x20010db8), 0, 0, htonl(1) });
	MISSES(XT2_IPV6, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC,
	       .src_min.all = { htonl(0x20010db8), 0, 0, htonl(2) },
	       .src_max.all = { htonl(0x20010db9), 0, 0, 0 });
	HITS(XT2_IPV6, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_DST,
	     .dst_min.all = { htonl(0xff020000), 0, 0, htonl(1) },
	     .dst_max.all = { htonl(0xff020000), 0, htonl(1), 0 });
	TAKES(72, XT2_IPV6, "iprange", 1, xt_iprange_mtinfo, .flags = IPRANGE_SRC | IPRANGE_DST);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, IPRANGE, 0, 8, 0);
	RIGHT(IPV4, IPRANGE, 0, 16, XT2_IPRANGE_SRC);
	RIGHT(IPV6, IPRANGE, 0, 72, XT2_IPRANGE_SRC | XT2_IPRANGE_DST);
	WRONG(IPV4, IPRANGE, 0, 24, XT2_IPRANGE_SRC);
	WRONG(IPV4, IPRANGE, 0, 40, XT2_IPRANGE_SRC); /* as IPv6 has it */
	WRONG(IPV6, IPRANGE, 0, 16, XT2_IPRANGE_SRC);
	WRONG(IPV4, IPRANGE, 1, 8, 0);
	WRONG(IPV4, IPRANGE, 0, 8, 0x100);
	WRONG(ARP, IPRANGE, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_iprange),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
