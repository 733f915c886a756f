/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ext-transport.c - transport and IPv6 header matches
 *
 * Hand-made packets say what hits, misses and drops; hand-made payloads what
 * is refused and how small the rest gets; random ones must come back byte for
 * byte.  XT2_SEED=n runs the random tests again as they were.
 */
#include "transport-case.h"
#include <time.h>

#define ROUNDS 20000

/* Packets with family, name and payload; the compound literal is the payload. */
#define ANSWER(p, name, type, ...) answer(&(p), name, &(struct type){ __VA_ARGS__ })
#define HITS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HIT)
#define MISSES(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_MISS)
#define DROPS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HOTDROP)
#define HIT_DROPS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HIT_DROP)

static u64 packed_room[PACKED_MAX / 8 + 1];
#define PACKED ((struct xt2_match *)packed_room)

#define PACKS(size, family, name, type, ...) \
	assert_int_equal(pack_clean(family, name, &(struct type){ __VA_ARGS__ }, PACKED), size)
#define REFUSES(family, name, type, ...) PACKS(-EINVAL, family, name, type, __VA_ARGS__)

#define ANY               \
	{                 \
		0, 0xffff \
	}

/* 80 -> 1024, SYN and ACK, options: MSS 1460, NOP, window scale 7 */
#define TCP "0050 0400 00000000 00000000 7012 0000 0000 0000 020405b4 01 030307"

static void test_tcp(void **state)
{
	struct packet p;

	packet4(&p, 6, 0, TCP);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	HITS(p, "tcp", xt_tcp, .spts = { 80, 80 }, .dpts = ANY);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = { 1000, 1024 });
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = { 1000, 1023 });
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = { 1025, 1000 });
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = { 1, 2 }, .invflags = XT_TCP_INV_DSTPT);
	MISSES(p, "tcp", xt_tcp, .spts = { 80, 80 }, .dpts = ANY, .invflags = XT_TCP_INV_SRCPT);
	HITS(p, "tcp", xt_tcp, .spts = { 80, 80 }, .dpts = { 1024, 1024 });
	MISSES(p, "tcp", xt_tcp, .spts = { 80, 80 }, .dpts = { 81, 81 });
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .flg_mask = 0x17, .flg_cmp = 0x02);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .flg_mask = 0x17, .flg_cmp = 0x12);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .flg_mask = 0x17, .flg_cmp = 0x02,
	     .invflags = XT_TCP_INV_FLAGS);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 3);
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 4);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 4,
	     .invflags = XT_TCP_INV_OPTION);
	MISSES(p, "tcp", xt_tcp, .spts = { 80, 80 }, .dpts = ANY, .option = 2,
	       .invflags = XT_TCP_INV_OPTION);
	packet_free(&p);
}

static void test_tcp_broken(void **state)
{
	struct packet p;

	packet4(&p, 6, 8, TCP);
	DROPS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet4(&p, 6, 16, TCP);
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet6(&p, 44, "06000008 00000000" TCP);
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet4(&p, 6, 0, "0050 0400 00000000 00000000 5012 0000 0000");
	DROPS(p, "tcp", xt_tcp, .spts = { 81, 81 }, .dpts = ANY);
	packet_free(&p);
	/* options that are cut off, no options, a header that is too short */
	packet4(&p, 6, 0, "0050 0400 00000000 00000000 7012 0000 0000 0000 020405b4");
	DROPS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 3);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet4(&p, 6, 0, "0050 0400 00000000 00000000 5012 0000 0000 0000");
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 3);
	HITS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 3,
	     .invflags = XT_TCP_INV_OPTION);
	packet_free(&p);
	packet4(&p, 6, 0, "0050 0400 00000000 00000000 4012 0000 0000 0000");
	DROPS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .option = 3,
	      .invflags = XT_TCP_INV_OPTION);
	packet_free(&p);
}

static void test_tcp_sizes(void **state)
{
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = { 22, 22 });
	PACKS(8, XT2_IPV6, "tcp", xt_tcp, .spts = { 1, 1023 }, .dpts = ANY, .invflags = 1);
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .flg_mask = 0x17, .flg_cmp = 2);
	PACKS(16, XT2_IPV4, "tcp", xt_tcp, .spts = { 1, 1 }, .dpts = { 22, 22 });
	PACKS(16, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = { 22, 22 }, .option = 2);
	REFUSES(XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .invflags = 0x10);
	PACKS(8, XT2_IPV4, "udp", xt_udp, .spts = ANY, .dpts = { 53, 53 });
	PACKS(16, XT2_IPV4, "udplite", xt_udp, .spts = { 1, 1 }, .dpts = { 53, 53 });
	REFUSES(XT2_IPV4, "udp", xt_udp, .spts = ANY, .dpts = ANY, .invflags = 4);
	PACKS(8, XT2_IPV4, "icmp", ipt_icmp, 8, { 0, 0xff }, 1);
	REFUSES(XT2_IPV4, "icmp", ipt_icmp, 8, { 0, 0xff }, 2);
	REFUSES(XT2_IPV6, "icmp6", ip6t_icmp, 8, { 0, 0xff }, 2);
}

static void test_udp(void **state)
{
	struct packet p;

	packet4(&p, 17, 0, "0035 0400 0008 0000");
	HITS(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	HITS(p, "udp", xt_udp, .spts = { 53, 53 }, .dpts = ANY);
	MISSES(p, "udp", xt_udp, .spts = { 54, 54 }, .dpts = ANY);
	HITS(p, "udp", xt_udp, .spts = ANY, .dpts = { 53, 53 }, .invflags = XT_UDP_INV_DSTPT);
	MISSES(p, "udp", xt_udp, .spts = { 53, 53 }, .dpts = { 1024, 1024 }, .invflags = 3);
	HITS(p, "udplite", xt_udp, .spts = { 53, 53 }, .dpts = { 1024, 1024 });
	packet_free(&p);
	packet4(&p, 17, 8, "0035 0400 0008 0000");
	MISSES(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet6(&p, 17, "0035 0400 0008 00");
	DROPS(p, "udp", xt_udp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
}

static void test_icmp(void **state)
{
	struct packet p;

	packet4(&p, 1, 0, "0301 0000 00000000");
	HITS(p, "icmp", ipt_icmp, 3, { 0, 255 }, 0);
	HITS(p, "icmp", ipt_icmp, 3, { 1, 1 }, 0);
	MISSES(p, "icmp", ipt_icmp, 3, { 2, 255 }, 0);
	HITS(p, "icmp", ipt_icmp, 8, { 0, 255 }, 1);
	HITS(p, "icmp", ipt_icmp, 255, { 0, 255 }, 0);
	MISSES(p, "icmp", ipt_icmp, 255, { 0, 255 }, 1);
	packet_free(&p);
	packet4(&p, 1, 0, "0301 0000 000000");
	DROPS(p, "icmp", ipt_icmp, 8, { 0, 255 }, 0);
	packet_free(&p);
	packet4(&p, 1, 64, "0301 0000 00000000");
	MISSES(p, "icmp", ipt_icmp, 8, { 0, 255 }, 1);
	packet_free(&p);
	packet6(&p, 58, "0301 0000 00000000");
	HITS(p, "icmp6", ip6t_icmp, 3, { 0, 255 }, 0);
	MISSES(p, "icmp6", ip6t_icmp, 255, { 0, 255 }, 0);
	packet_free(&p);
}

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

#define SCTP_PORTS "0050 0400 00000000 00000000"
#define CHUNK(t)                \
	{                       \
		[0] = 1u << (t) \
	}

static void test_sctp(void **state)
{
	struct packet p;

	/* DATA with flags 3 and one byte too much, then SACK */
	packet4(&p, 132, 0, SCTP_PORTS "0003 0005 0a000000 0300 0004");
	HITS(p, "sctp", xt_sctp_info, .spts = { 80, 80 }, .flags = XT_SCTP_SRC_PORTS);
	MISSES(p, "sctp", xt_sctp_info, .dpts = { 1, 1023 }, .flags = XT_SCTP_DEST_PORTS);
	HITS(p, "sctp", xt_sctp_info, .dpts = { 1, 2 }, .flags = 2, .invflags = 2);
	MISSES(p, "sctp", xt_sctp_info, .flags = XT_SCTP_SRC_PORTS);
	HITS(p, "sctp", xt_sctp_info, .chunkmap = CHUNK(3), .chunk_match_type = 1, .flags = 4);
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = CHUNK(2), .chunk_match_type = 1, .flags = 4);
	HITS(p, "sctp", xt_sctp_info, .chunkmap = { 9 }, .chunk_match_type = 2, .flags = 4);
	HITS(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 2, .flags = 4);
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = { 11 }, .chunk_match_type = 2, .flags = 4);
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 4, .flags = 4);
	HITS(p, "sctp", xt_sctp_info, .chunkmap = { 11 }, .chunk_match_type = 4, .flags = 4);
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = { 11 }, .chunk_match_type = 4, .flags = 4,
	       .invflags = 4);
	HITS(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 1, .flags = 4,
	     .flag_info = { { 0, 2, 2 } }, .flag_count = 1);
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 1, .flags = 4,
	       .flag_info = { { 0, 4, 6 } }, .flag_count = 1);
	/* words that no chunk clears */
	MISSES(p, "sctp", xt_sctp_info, .chunkmap = { 1, [8] = 1 }, .chunk_match_type = 2,
	       .flags = 4);
	packet_free(&p);
}

static void test_sctp_broken(void **state)
{
	struct packet p;

	packet4(&p, 132, 0, SCTP_PORTS "0000 0004 0300");
	HITS(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 1, .flags = 4);
	DROPS(p, "sctp", xt_sctp_info, .chunkmap = { 2 }, .chunk_match_type = 1, .flags = 4);
	HIT_DROPS(p, "sctp", xt_sctp_info, .chunkmap = { 2 }, .chunk_match_type = 1, .flags = 4,
		  .invflags = 4);
	packet_free(&p);
	packet4(&p, 132, 0, SCTP_PORTS "0000 0000");
	DROPS(p, "sctp", xt_sctp_info, .chunkmap = { 1 }, .chunk_match_type = 1, .flags = 4);
	packet_free(&p);
	packet4(&p, 132, 0, "0050 0400 00000000 000000");
	DROPS(p, "sctp", xt_sctp_info, .spts = { 80, 80 });
	packet_free(&p);
	packet4(&p, 132, 8, SCTP_PORTS);
	MISSES(p, "sctp", xt_sctp_info, .flags = 0);
	packet_free(&p);

	PACKS(16, XT2_IPV4, "sctp", xt_sctp_info, .spts = { 1, 1 }, .flags = 1,
	      .flag_info = { { 255, 0, 0 }, { 255, 0, 0 }, { 255, 0, 0 }, { 255, 0, 0 } });
	REFUSES(XT2_IPV4, "sctp", xt_sctp_info, .flags = 8);
	REFUSES(XT2_IPV4, "sctp", xt_sctp_info, .flags = 1, .invflags = 2);
	REFUSES(XT2_IPV4, "sctp", xt_sctp_info, .flags = 4);
	REFUSES(XT2_IPV4, "sctp", xt_sctp_info, .flag_count = 5);
	REFUSES(XT2_IPV4, "sctp", xt_sctp_info, .flag_count = -1);
}

static void test_dccp(void **state)
{
	struct packet p;

	/* a request (fixed part 16 bytes) with options 1 and 44 */
	packet4(&p, 33, 0, "0050 0400 05 00 0000 00 000000 00000000 01 2c 03 00");
	HITS(p, "dccp", xt_dccp_info, .spts = { 80, 80 }, .flags = XT_DCCP_SRC_PORTS);
	MISSES(p, "dccp", xt_dccp_info, .spts = { 80, 80 }, .flags = 1, .invflags = 1);
	HITS(p, "dccp", xt_dccp_info, .typemask = 1, .flags = XT_DCCP_TYPE);
	MISSES(p, "dccp", xt_dccp_info, .typemask = 2, .flags = XT_DCCP_TYPE);
	HITS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	MISSES(p, "dccp", xt_dccp_info, .option = 45, .flags = XT_DCCP_OPTION);
	HITS(p, "dccp", xt_dccp_info, .option = 45, .flags = 8, .invflags = 8);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 06 00 0000 00 000000 00000000 01 2c 03 00");
	DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	HIT_DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = 8, .invflags = 8);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 03 00 0000 00 000000 00000000");
	DROPS(p, "dccp", xt_dccp_info, .option = 44, .flags = XT_DCCP_OPTION);
	packet_free(&p);
	packet4(&p, 33, 0, "0050 0400 03 00 0000 00 0000");
	DROPS(p, "dccp", xt_dccp_info, .flags = 0);
	packet_free(&p);
	packet4(&p, 33, 8, "0050 0400 03 00 0000 00 000000");
	MISSES(p, "dccp", xt_dccp_info, .flags = 0);
	packet_free(&p);

	PACKS(8, XT2_IPV4, "dccp", xt_dccp_info, .typemask = 1, .flags = 4);
	REFUSES(XT2_IPV4, "dccp", xt_dccp_info, .flags = 16);
	REFUSES(XT2_IPV4, "dccp", xt_dccp_info, .flags = 1, .invflags = 2);
}

static void test_tcpmss_ecn(void **state)
{
	struct packet p;

	packet4(&p, 6, 0, TCP); /* IP codepoint 1; neither ECE nor CWR */
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1460, 1460, 0);
	MISSES(p, "tcpmss", xt_tcpmss_match_info, 1, 1459, 0);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1, 1459, 1);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 1460, 1460, 2);
	HITS(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_IP, 0, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_IP, XT_ECN_OP_MATCH_IP, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_ECE, 0, 0, { { 0 } });
	HITS(p, "ecn", xt_ecn_info, 0x31, 0x30, 1, { { 0 } });
	packet_free(&p);
	packet6(&p, 6, "0050 0400 00000000 00000000 50c2 0000 0000 0000");
	HITS(p, "ecn", xt_ecn_info, 0x31, 0, 1, { { 0 } });
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_CWR, XT_ECN_OP_MATCH_CWR, 0, { { 0 } });
	MISSES(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 0);
	HITS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);
	packet6(&p, 6, "0050 0400");
	MISSES(p, "ecn", xt_ecn_info, XT_ECN_OP_MATCH_ECE, XT_ECN_OP_MATCH_ECE, 0, { { 0 } });
	DROPS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);
	/* a later IPv6 fragment: the IPv6 header is read as TCP; its offset byte is 0 */
	packet6(&p, 44, "06000008 00000000" TCP);
	DROPS(p, "tcpmss", xt_tcpmss_match_info, 0, 65535, 1);
	packet_free(&p);

	PACKS(8, XT2_IPV4, "tcpmss", xt_tcpmss_match_info, 1, 2, 1);
	REFUSES(XT2_IPV4, "ecn", xt_ecn_info, 0x02, 0, 0, { { 0 } });
	REFUSES(XT2_IPV4, "ecn", xt_ecn_info, 0x01, 0x40, 0, { { 0 } });
}

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

static void test_frag_mh_eui64(void **state)
{
	static const u8 ether[14] = { 2, 0, 0, 0, 0, 1, 0x50, 1, 2, 3, 4, 5, 0x86, 0xdd };
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

	packet6(&p, 59, "");
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	p.pkt.mac = ether;
	p.pkt.mac_len = sizeof(ether);
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	memcpy(p.bytes + 16, "\x52\x01\x02\xff\xfe\x03\x04\x05", 8);
	assert_int_equal(answer(&p, "eui64", &(int){ 7 }), XT2_HIT);
	packet_free(&p);
}

#define ADDR1 "20010000000000000000000000000001"
#define ADDR2 "20010000000000000000000000000002"
#define IN6(n)                                    \
	{                                         \
		{                                 \
			{                         \
				0x20, 1, [15] = n \
			}                         \
		}                                 \
	}

static void test_rt(void **state)
{
	struct packet p;

	packet6(&p, 43, "3b04 0001 00000000" ADDR1 ADDR2);
	HITS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u });
	HITS(p, "rt", ip6t_rt, .segsleft = { 1, 1 }, .flags = IP6T_RT_SGS);
	MISSES(p, "rt", ip6t_rt, .segsleft = { 1, 1 }, .invflags = IP6T_RT_INV_SGS);
	HITS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 5, .hdrlen = 40);
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 4, .hdrlen = 40, .invflags = 4);
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 1, .rt_type = 2);
	HITS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 1, .rt_type = 256, .invflags = 1);
	HITS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x19, .addrnr = 2,
	     .addrs = { IN6(1), IN6(2) });
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x11, .addrnr = 1,
	       .addrs = { IN6(1) });
	HITS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x31, .addrnr = 1,
	     .addrs = { IN6(2) });
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x31, .addrnr = 3,
	       .addrs = { IN6(1), IN6(2), IN6(2) });
	packet_free(&p);
	packet6(&p, 43, "3b00 0001 00000001");
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 9);
	packet_free(&p);
	packet6(&p, 43, "3b04 0001 00000000" ADDR1);
	DROPS(p, "rt", ip6t_rt, .segsleft = { 0, ~0u });
	packet_free(&p);
	packet6(&p, 6, "");
	MISSES(p, "rt", ip6t_rt, .segsleft = { 0, ~0u });
	packet_free(&p);

	PACKS(8, XT2_IPV6, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 1, .rt_type = 2);
	PACKS(40, XT2_IPV6, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x11, .addrnr = 2);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .invflags = 8);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .addrnr = 17);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .flags = 0x11);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .flags = 0x08);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .flags = 0x09, .rt_type = 1);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .flags = 0x09, .invflags = 1);
}

static void test_opts(void **state)
{
	struct packet p;

	packet6(&p, 0, "3b00 0502 0000 0100"); /* router alert, PadN of length 0 */
	HITS(p, "hbh", ip6t_opts, .hdrlen = 0);
	MISSES(p, "dst", ip6t_opts, .hdrlen = 0);
	HITS(p, "hbh", ip6t_opts, .hdrlen = 8, .flags = 1);
	MISSES(p, "hbh", ip6t_opts, .hdrlen = 8, .flags = 1, .invflags = 1);
	HITS(p, "hbh", ip6t_opts, .flags = 2, .optsnr = 2, .opts = { 0x0502, 0x01ff });
	MISSES(p, "hbh", ip6t_opts, .flags = 2, .optsnr = 1, .opts = { 0x0503 });
	MISSES(p, "hbh", ip6t_opts, .flags = 2, .optsnr = 3, .opts = { 0x0502, 0x0100, 0 });
	MISSES(p, "hbh", ip6t_opts, .hdrlen = 16, .flags = 3, .optsnr = 1, .opts = { 0x0502 });
	packet_free(&p);
	packet6(&p, 60, "3b00 0105 0000 0000"); /* reaches beyond the header */
	HITS(p, "dst", ip6t_opts, .flags = 2, .optsnr = 1, .opts = { 0x0105 });
	MISSES(p, "dst", ip6t_opts, .flags = 2, .optsnr = 2, .opts = { 0x0105, 0 });
	packet_free(&p);
	packet6(&p, 60, "3b01 0105 0000 0000");
	DROPS(p, "dst", ip6t_opts, .hdrlen = 0);
	packet_free(&p);

	PACKS(8, XT2_IPV6, "hbh", ip6t_opts, .hdrlen = 0);
	PACKS(24, XT2_IPV6, "hbh", ip6t_opts, .hdrlen = 8, .flags = 3, .optsnr = 4);
	PACKS(56, XT2_IPV6, "dst", ip6t_opts, .flags = 2, .optsnr = 4, .opts = { [4] = 1 });
	REFUSES(XT2_IPV6, "hbh", ip6t_opts, .invflags = 2);
	REFUSES(XT2_IPV6, "hbh", ip6t_opts, .optsnr = 17);
	REFUSES(XT2_IPV6, "hbh", ip6t_opts, .flags = IP6T_OPTS_NSTRICT);
}

static void test_ipv6header(void **state)
{
	struct packet p;

	packet6(&p, 0, "2c00 0104 0000 0000 0600 0008 00000000"); /* HBH, a later fragment */
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS | MASK_FRAGMENT | MASK_PROTO, 0,
	     0);
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS | MASK_FRAGMENT, 0, 0);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0xff, 0);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0, 0xff);
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_HOPOPTS, 0xff, 0xff);
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_AH, 0xff, 0xff);
	packet_free(&p);
	packet6(&p, 50, "0000");
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_ESP, 0, 0);
	packet_free(&p);
	packet6(&p, 50, "00");
	MISSES(p, "ipv6header", ip6t_ipv6header_info, MASK_ESP, 0xff, 0);
	packet_free(&p);
	packet6(&p, 60, "3b00 0104 0000 0000");
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_DSTOPTS | MASK_NONE, 0, 0);
	packet_free(&p);
	packet6(&p, 60, "3b02 0104 0000 0000"); /* the header ends behind the packet */
	HITS(p, "ipv6header", ip6t_ipv6header_info, MASK_DSTOPTS, 0, 0);
	packet_free(&p);
	REFUSES(XT2_IPV6, "ipv6header", ip6t_ipv6header_info, 1, 1, 0);
	PACKS(8, XT2_IPV6, "ipv6header", ip6t_ipv6header_info, 1, 1, 1);
}

static u64 first_seed(void)
{
	const char *text = getenv("XT2_SEED");
	u64 seed = text ? strtoull(text, NULL, 0) : (u64)time(NULL);

	print_message("XT2_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* => 1 if the payload was accepted; then it has come back as it was */
static int fixpoint(const struct xt2_match_row *row, const void *payload)
{
	u64 again[PAYLOAD_MAX / 8], room[PACKED_MAX / 8 + 1];
	struct xt2_match *m = (struct xt2_match *)room;
	const struct xt2_match_row *found;
	int size = pack(row->family, row->name, payload, m);

	if (size == -EINVAL)
		return 0;
	assert_true(size > 0);
	assert_int_equal(xt2_match_unpack(row->family, m, &found, again, sizeof(again)), row->size);
	assert_ptr_equal(found, row);
	assert_memory_equal(again, payload, row->size);
	return 1;
}

static void test_fixpoint(void **state)
{
	u64 seed = first_seed(), payload[PAYLOAD_MAX / 8];
	const struct xt2_match_row *row;
	int i, accepted;

	for (row = xt2_transport_rows; row->name; row++) {
		for (i = accepted = 0; i < ROUNDS / 20; i++) {
			payload_random(&seed, row, payload);
			accepted += fixpoint(row, payload);
		}
		assert_in_range(accepted, 1, ROUNDS / 20);
	}
}

/* Whatever a check lets pass must not harm the body or the way back. */
static void hostile(u64 *seed, const struct xt2_match_row *row)
{
	static const u8 parts[] = { 0, 8, 16, 24, 40, 48, 64, 72, 88 };
	u64 payload[PAYLOAD_MAX / 8];
	const struct xt2_match_row *found;
	u8 bytes[256];
	struct packet p;
	struct xt2_match *m;
	u32 i, size;

	payload_random(seed, row, payload);
	if (pack(row->family, row->name, payload, PACKED) <= 0)
		return;
	size = chance(seed, 2) ? PACKED->size : 8u + parts[chance(seed, sizeof(parts))];
	m = calloc(1, size);
	assert_non_null(m);
	memcpy(m, PACKED, size);
	for (i = chance(seed, 4); i; i--)
		((u8 *)m)[1 + chance(seed, chance(seed, 3) ? 7 : size - 1)] ^= 1 << chance(seed, 8);
	m->size = size;
	if (!xt2_match_ext_check(m, row->family)) {
		size = packet_random(seed, row->family, row_proto(row), bytes, sizeof(bytes));
		packet_bytes(&p, row->family, bytes, size);
		assert_in_range(xt2_match_ext(m, &p.ctx), XT2_MISS, XT2_HIT_DROP);
		packet_free(&p);
		xt2_match_unpack(row->family, m, &found, payload, sizeof(payload));
	}
	free(m);
}

static void test_hostile(void **state)
{
	const struct xt2_match_row *row;
	u64 seed = first_seed();
	int i;

	for (row = xt2_transport_rows; row->name; row++)
		for (i = 0; i < ROUNDS / 20; i++)
			hostile(&seed, row);
}

/* A copy that says something else than the match is not believed. */
static void test_copy_disagrees(void **state)
{
	struct xt_multiport_v1 odd = { .count = 1, .ports = { 1, 2 } };
	const struct xt2_match_row *found;
	u64 again[PAYLOAD_MAX / 8];

	assert_int_equal(pack(XT2_IPV4, "multiport", &odd, PACKED), 64);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &found, again, sizeof(again)), 48);
	((struct xt_multiport_v1 *)((u8 *)PACKED + 16))->count = 200;
	assert_int_equal(xt2_match_ext_check(PACKED, XT2_IPV4), 0);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &found, again, sizeof(again)), -EINVAL);
}

static void test_lookup(void **state)
{
	u64 payload[2] = { 0 };
	const struct xt2_match_row *row;

	assert_null(xt2_match_row_find(XT2_ARP, "tcp", 0));
	assert_null(xt2_match_row_find(XT2_IPV4, "icmp6", 0));
	assert_null(xt2_match_row_find(XT2_IPV4, "multiport", 0));
	assert_int_equal(xt2_match_pack(XT2_IPV4, "nonesuch", 0, payload, 16, PACKED, PACKED_MAX),
			 0);
	assert_int_equal(xt2_match_pack(XT2_IPV4, "tcp", 0, payload, 8, PACKED, PACKED_MAX),
			 -EINVAL);
	assert_int_equal(xt2_match_pack(XT2_IPV4, "tcp", 0, payload, 16, PACKED, 64), -ENOSPC);
	assert_int_equal(pack(XT2_IPV4, "tcp", payload, PACKED), 16);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &row, payload, 8), -ENOSPC);
	assert_int_equal(xt2_match_unpack(XT2_ARP, PACKED, &row, payload, 16), -EINVAL);
	assert_int_equal(xt2_match_ext_check(PACKED, XT2_ARP), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),	   cmocka_unit_test(test_tcp_broken),
		cmocka_unit_test(test_tcp_sizes),  cmocka_unit_test(test_udp),
		cmocka_unit_test(test_icmp),	   cmocka_unit_test(test_multiport),
		cmocka_unit_test(test_sctp),	   cmocka_unit_test(test_sctp_broken),
		cmocka_unit_test(test_dccp),	   cmocka_unit_test(test_tcpmss_ecn),
		cmocka_unit_test(test_ipsec),	   cmocka_unit_test(test_frag_mh_eui64),
		cmocka_unit_test(test_rt),	   cmocka_unit_test(test_opts),
		cmocka_unit_test(test_ipv6header), cmocka_unit_test(test_fixpoint),
		cmocka_unit_test(test_hostile),	   cmocka_unit_test(test_copy_disagrees),
		cmocka_unit_test(test_lookup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
