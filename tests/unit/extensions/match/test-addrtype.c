/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-addrtype.c - extensions/match/addrtype.c */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_addrtype.h>

static void test_addrtype4(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNICAST, 0, 0);
	MISSES(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL, 0);
	t.pkt.dst_type = 2;
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL, 0);
	MISSES(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL,
	       XT_ADDRTYPE_INVERT_DEST);
	MISSES(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL,
	       XT_ADDRTYPE_LIMIT_IFACE_IN);
	t.pkt.dst_type_in = 2;
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL,
	     XT_ADDRTYPE_LIMIT_IFACE_IN);
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_LOCAL,
	     XT_ADDRTYPE_LIMIT_IFACE_IN | 0x100);
	t.pkt.src4 = 0xffffffff;
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_BROADCAST, 0, 0);
	t.pkt.src4 = 0xe1000000;
	HITS(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_MULTICAST, 0, 0);
	REFUSED(XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 0, 4,
		XT_ADDRTYPE_LIMIT_IFACE_IN | XT_ADDRTYPE_LIMIT_IFACE_OUT);

	HITS(XT2_IPV4, "addrtype", 0, xt_addrtype_info, 0, XT_ADDRTYPE_LOCAL, 0, 0);
	MISSES(XT2_IPV4, "addrtype", 0, xt_addrtype_info, 0, XT_ADDRTYPE_LOCAL, 0, 1);
	HITS(XT2_IPV4, "addrtype", 0, xt_addrtype_info, 0, XT_ADDRTYPE_LOCAL, 0, 2);
	MISSES(XT2_IPV4, "addrtype", 0, xt_addrtype_info, 0, XT_ADDRTYPE_LOCAL, 0, 3);
	TAKES(8, XT2_IPV4, "addrtype", 1, xt_addrtype_info_v1, 6, 6, 7);
}

static void test_addrtype6(void **state)
{
	struct test_packet t;

	test_packet6(&t);
	HITS(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNICAST, 0, 0);
	HITS(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_MULTICAST, 0);
	MISSES(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, 0,
	       XT_ADDRTYPE_MULTICAST | XT_ADDRTYPE_UNICAST, 0);
	MISSES(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNSPEC, 0, 0);
	MISSES(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_LOCAL, 0, 0);
	t.pkt.src_type = 2;
	HITS(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_LOCAL, 0, 0);
	HITS(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1,
	     XT_ADDRTYPE_LOCAL | XT_ADDRTYPE_UNREACHABLE | XT_ADDRTYPE_UNICAST, 0, 0);
	memset(t.pkt.src, 0, sizeof(t.pkt.src));
	HITS(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNSPEC, 0, 0);
	MISSES(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNICAST, 0, 0);
	memcpy(t.pkt.src, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 16);
	MISSES(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_UNICAST, 0, 0);
	REFUSED(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_BROADCAST, 0, 0);
	REFUSED(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, 0, XT_ADDRTYPE_PROHIBIT, 0);
	REFUSED(XT2_IPV6, "addrtype", 1, xt_addrtype_info_v1, XT_ADDRTYPE_BLACKHOLE, 0, 0);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, ADDRTYPE, XT2_ADDRTYPE_SRC_INV, 8, 1);
	RIGHT(IPV4, ADDRTYPE, XT2_ADDRTYPE_REVISION1 | XT2_ADDRTYPE_IN, 8, 1);
	WRONG(IPV4, ADDRTYPE, XT2_ADDRTYPE_IN, 8, 1); /* revision 0 */
	WRONG(IPV4, ADDRTYPE, XT2_ADDRTYPE_REVISION1 | XT2_ADDRTYPE_IN | XT2_ADDRTYPE_OUT, 8, 1);
	WRONG(IPV4, ADDRTYPE, 0x10, 8, 1);
	WRONG(ARP, ADDRTYPE, 0, 8, 1);
	RIGHT(IPV6, ADDRTYPE, XT2_ADDRTYPE_REVISION1, 8, 1 << 7);
	WRONG(IPV6, ADDRTYPE, 0, 8, 1 << 7);
	WRONG(IPV6, ADDRTYPE, XT2_ADDRTYPE_REVISION1, 8, 1 << 8);
	WRONG(IPV6, ADDRTYPE, XT2_ADDRTYPE_REVISION1, 8, 1 << 24);
	RIGHT(IPV4, ADDRTYPE, 0, 16, 1, 2ull << 32 | 2);
	RIGHT(IPV4, ADDRTYPE, XT2_ADDRTYPE_REVISION1, 16, 1, 0x100);
	WRONG(IPV4, ADDRTYPE, XT2_ADDRTYPE_REVISION1, 16, 1, 1ull << 32);
	WRONG(IPV4, ADDRTYPE, XT2_ADDRTYPE_SRC_INV, 16, 1, 2);
	WRONG(IPV4, ADDRTYPE, 0, 24, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addrtype4),
	cmocka_unit_test(test_addrtype6),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
