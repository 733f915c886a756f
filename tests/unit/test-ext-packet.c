/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ext-packet.c - matches on the packet and its metadata
 *
 * Hand-made packets and payloads, random payloads that must come back as they
 * were, refused payloads, and random bytes as matches: what the check lets
 * pass, the body must survive.  XT2_SEED=n runs a random test again.
 */
#include "packet-case.h"
#include <linux/if_packet.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_cpu.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_dscp.h>
#include <linux/netfilter/xt_iprange.h>
#include <linux/netfilter/xt_length.h>
#include <linux/netfilter/xt_mac.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_pkttype.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>
#include <linux/netfilter_ipv4/ipt_ttl.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>

#define INFO(s)                                       \
	(union {                                      \
		struct s info;                        \
		u64 room[(sizeof(struct s) + 7) / 8]; \
	})
#define ASK(t, family, name, rev, s, ...)                                   \
	test_ask(t, family, name, rev, &INFO(s){ .info = { __VA_ARGS__ } }, \
		 (sizeof(struct s) + 7) / 8 * 8)
#define PACK(family, name, rev, s, ...)                                   \
	test_pack(family, name, rev, &INFO(s){ .info = { __VA_ARGS__ } }, \
		  (sizeof(struct s) + 7) / 8 * 8)
#define HITS(...)     assert_int_equal(ASK(&t, __VA_ARGS__), XT2_HIT)
#define MISSES(...)   assert_int_equal(ASK(&t, __VA_ARGS__), XT2_MISS)
#define REFUSED(...)  assert_int_equal(PACK(__VA_ARGS__), -EINVAL)
#define TAKES(n, ...) assert_int_equal(PACK(__VA_ARGS__), n)

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

static void test_header_fields(void **state)
{
	struct test_packet t;

	test_packet4(&t); /* length 40, TTL 64, TOS 0xb8 */
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 0);
	MISSES(XT2_IPV4, "length", 0, xt_length_info, 41, 65535, 0);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 41, 65535, 1);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 2);
	HITS(XT2_IPV4, "length", 0, xt_length_info, 41, 41, 2);
	t.pkt.len = 44; /* the header's word counts, not this */
	HITS(XT2_IPV4, "length", 0, xt_length_info, 40, 40, 0);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_EQ, 64);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_NE, 64);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_LT, 65);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_LT, 64);
	HITS(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT, 63);
	MISSES(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT, 64);
	TAKES(0, XT2_IPV4, "ttl", 0, ipt_ttl_info, 4, 64);
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0xff, 0xb8, 0);
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0x08, 0);
	MISSES(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0xb8, 0);
	HITS(XT2_IPV4, "tos", 1, xt_tos_match_info, 0x0f, 0xb8, 2);
	HITS(XT2_IPV4, "dscp", 0, xt_dscp_info, 46, 0);
	MISSES(XT2_IPV4, "dscp", 0, xt_dscp_info, 46, 1);
	REFUSED(XT2_IPV4, "dscp", 0, xt_dscp_info, 64, 0);
	TAKES(8, XT2_IPV4, "tos", 1, xt_tos_match_info, 0xff, 0xb8, 1);

	test_packet6(&t); /* 56 bytes, hop limit 3, class 0x28 */
	HITS(XT2_IPV6, "length", 0, xt_length_info, 56, 56, 0);
	HITS(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_EQ, 3);
	MISSES(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_GT, 3);
	TAKES(0, XT2_IPV6, "hl", 0, ip6t_hl_info, 5, 3);
	HITS(XT2_IPV6, "tos", 1, xt_tos_match_info, 0xff, 0x28, 0);
	HITS(XT2_IPV6, "dscp", 0, xt_dscp_info, 10, 0);
	MISSES(XT2_IPV6, "dscp", 0, xt_dscp_info, 11, 0);
}

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

static void test_link_layer(void **state)
{
	static const u8 ether[14] = { 1, 2, 3, 4, 5, 6, 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc, 8, 0 };
	struct test_packet t;

	test_packet4(&t);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 0);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 1);
	t.pkt.mac = ether;
	t.pkt.mac_len = sizeof(ether);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 0);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 1);
	MISSES(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcd }, 0);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcd }, 2);
	HITS(XT2_IPV4, "mac", 0, xt_mac_info, { 0x52, 0x54, 0, 0xaa, 0xbb, 0xcc }, 2);

	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_HOST, 0);
	t.pkt.pkttype = PACKET_MULTICAST;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
	MISSES(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 1);
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, -1, 1);
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 6);
	t.pkt.pkttype = PACKET_LOOPBACK;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_BROADCAST, 0);
	t.pkt.dst4 = 0xe0000001;
	HITS(XT2_IPV4, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
	test_packet6(&t);
	t.pkt.pkttype = PACKET_LOOPBACK;
	HITS(XT2_IPV6, "pkttype", 0, xt_pkttype_info, PACKET_MULTICAST, 0);
}

static void test_host(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	t.pkt.cpu = 3;
	HITS(XT2_IPV4, "cpu", 0, xt_cpu_info, 3, 0);
	MISSES(XT2_IPV4, "cpu", 0, xt_cpu_info, 3, 1);
	MISSES(XT2_IPV4, "cpu", 0, xt_cpu_info, 2, 0);
	REFUSED(XT2_IPV4, "cpu", 0, xt_cpu_info, 2, 2);

	t.pkt.in_group = 5;
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 5, ~0u, 0, 0);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, ~0u, 0, 0);
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, 4, 0, 0);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_INVERT_SRC, 5, ~0u, 0, 0);
	HITS(XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_DST, 0, 0, 0, ~0u);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_MATCH_DST, 5, ~0u, 9, ~0u);
	MISSES(XT2_IPV4, "devgroup", 0, xt_devgroup_info,
	       XT_DEVGROUP_MATCH_DST | XT_DEVGROUP_INVERT_DST, 0, 0, 0, 0);
	REFUSED(XT2_IPV4, "devgroup", 0, xt_devgroup_info, 0x10, 0, 0, 0, 0);
	TAKES(16, XT2_IPV4, "devgroup", 0, xt_devgroup_info, XT_DEVGROUP_MATCH_SRC, 4, 4, 0, 0);
}

#define ETH0	.physindev = "eth0", .in_mask = "\xff\xff\xff\xff\xff"
#define ETH_ANY .physindev = "eth+", .in_mask = "\xff\xff\xff"
#define LONG_OUT                         \
	.physoutdev = "averylongname01", \
	.out_mask = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static void test_physdev(void **state)
{
	struct test_packet t;

	test_packet4(&t);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN,
	     .invert = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0,
	       .bitmask = XT_PHYSDEV_OP_IN | XT_PHYSDEV_OP_ISOUT, .invert = XT_PHYSDEV_OP_IN);
	t.pkt.bridged = 1;
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, LONG_OUT, .bitmask = XT_PHYSDEV_OP_OUT,
	       .invert = XT_PHYSDEV_OP_OUT);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED,
	     .invert = XT_PHYSDEV_OP_BRIDGED);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
	memcpy(t.pkt.physin, "eth0", 4);
	memcpy(t.pkt.physout, "averylongname01", 15);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_BRIDGED);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, LONG_OUT,
	     .bitmask = XT_PHYSDEV_OP_IN | XT_PHYSDEV_OP_OUT);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN,
	       .invert = XT_PHYSDEV_OP_IN);
	memcpy(t.pkt.physin, "eth10", 5);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, ETH_ANY, .bitmask = XT_PHYSDEV_OP_IN);
	HITS(XT2_IPV4, "physdev", 0, xt_physdev_info, .physindev = "?th", .in_mask = "\0\xff\xff",
	     .bitmask = XT_PHYSDEV_OP_IN);
	memcpy(t.pkt.physout, "averylongname02", 15);
	MISSES(XT2_IPV4, "physdev", 0, xt_physdev_info, LONG_OUT, .bitmask = XT_PHYSDEV_OP_OUT);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = 0);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = 0x21);
	TAKES(16, XT2_IPV4, "physdev", 0, xt_physdev_info, ETH0, .bitmask = XT_PHYSDEV_OP_IN);
	TAKES(8, XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_ISIN);
}

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

static void test_deep_refusals(void **state)
{
	struct xt_u32 u = { .ntests = 1 };

	TAKES(16, XT2_IPV4, "string", 1, xt_string_info, 0, 65535, "bm", "abcdefg", 7);
	TAKES(-EINVAL, XT2_IPV4, "string", 1, xt_string_info, 2, 1, "bm", "a", 1);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "", 0);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "a", 129);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "wrong", "a", 1);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "a", 1, .u.v1.flags = 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "0123456789abcdef", "a", 1);
	TAKES(0, XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\0\0\0a", 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "a", 1);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 12);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 1, .tests[0].nnums = 12);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 1, .tests[0].nvalues = 12);
	u.tests[0].nnums = 2;
	u.tests[0].location[1].nextop = XT_U32_LEFTSH;
	u.tests[0].location[1].number = 32;
	assert_int_equal(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)), -EINVAL);
	u.tests[0].location[1].nextop = 9; /* the kernel skips it */
	assert_int_equal(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)), 0);
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 0);
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 65, { { 6, 0, 0, 1 } });
	TAKES(16, XT2_IPV4, "bpf", 0, xt_bpf_info, 1, { { 6, 0, 0, 1 } });
	TAKES(16, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 0, 1, 4, { { { 6, 0, 0, 1 } } });
	TAKES(0, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 1, 0, 4);
	TAKES(0, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 2, 0, 4);
	REFUSED(XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 3, 1, 4, { { { 6, 0, 0, 1 } } });
	TAKES(0, XT2_IPV4, "bpf", 0, xt_bpf_info, 2,
	      { { 0x20, 0, 0, -0x1000 + 32 }, { 6, 0, 0, 1 } });
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 2,
		{ { 0x20, 0, 0, -0x1000 + 33 }, { 6, 0, 0, 1 } });
}

static void test_comment(void **state)
{
	struct xt2_match m = { XT2_M_COMMENT, 0, sizeof(m), 5 };

	assert_int_equal(xt2_match_ext(&m, NULL), XT2_HIT);
	assert_int_equal(xt2_match_ext_check(&m, XT2_IPV4), 0);
	m.flags = XT2_MATCH_INVERT;
	assert_int_equal(xt2_match_ext_check(&m, XT2_IPV4), -EINVAL);
}

static u32 accepted;

/* Random bytes in exactly the memory they claim, so that ASan sees a stray read. */
static void random_match(u64 seed)
{
	u32 size = 8 * (1 + test_random(&seed) % 12), i;
	struct xt2_match *m = malloc(size);
	u8 *bytes = (u8 *)m;
	struct test_packet t;
	u8 family;

	assert_non_null(m);
	for (i = 0; i < size; i++)
		bytes[i] = test_random(&seed) % 3 ? test_random(&seed) % 8 : test_random(&seed);
	m->type = XT2_M_IPRANGE + test_random(&seed) % (XT2_M_BPF - XT2_M_IPRANGE + 1);
	if (test_random(&seed) % 4 == 0)
		m->type = XT2_M_CPU + test_random(&seed) % (XT2_M_ADDRTYPE - XT2_M_CPU + 1);
	if (m->type == XT2_M_ECN)
		m->type = XT2_M_U32;
	m->size = size;
	if (test_random(&seed) % 2)
		m->flags = 0;
	family = test_random(&seed) % 2 ? XT2_IPV4 : XT2_IPV6;
	if (!xt2_match_ext_check(m, family)) {
		accepted++;
		test_packet_random(&t, family, &seed);
		assert_in_range(xt2_match_ext(m, &t.ctx), XT2_MISS, XT2_HIT);
	}
	free(m);
}

static void test_random_matches(void **state)
{
	test_many(200000, random_match);
	if (!getenv("XT2_SEED"))
		assert_in_range(accepted, 1000, 199000);
}

static void random_payload(u64 seed)
{
	test_payload_random(&seed);
}

static void test_roundtrip(void **state)
{
	test_many(40000, random_payload);
	if (!getenv("XT2_SEED"))
		assert_in_range(test_payloads_least(), 100, 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iprange),	      cmocka_unit_test(test_header_fields),
		cmocka_unit_test(test_marks),	      cmocka_unit_test(test_link_layer),
		cmocka_unit_test(test_host),	      cmocka_unit_test(test_physdev),
		cmocka_unit_test(test_addrtype4),     cmocka_unit_test(test_addrtype6),
		cmocka_unit_test(test_deep_refusals), cmocka_unit_test(test_comment),
		test_of_seeds(test_random_matches),   test_of_seeds(test_roundtrip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
