/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-sctp.c - extensions/match/sctp.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

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

static void test_checked(void **state)
{
	RIGHT(IPV4, SCTP, 0, 8, 0);
	WRONG(ARP, SCTP, 0, 8, 0);
	WRONG(IPV4, SCTP, 0, 8, 8);
	WRONG(IPV4, SCTP, 0, 8, 1 | 2 << 8);
	RIGHT(IPV4, SCTP, 0, 8, 1 | 1 << 8);
	RIGHT(IPV4, SCTP, 0, 8, XT2_SCTP_CHUNKS | 1 << 16);
	WRONG(IPV4, SCTP, 0, 8, XT2_SCTP_CHUNKS);
	RIGHT(IPV4, SCTP, 0, 8, 4 << 24);
	WRONG(IPV4, SCTP, 0, 8, 5u << 24);
	RIGHT(IPV4, SCTP, XT2_PORTS_FOLLOW, 16, 0);
	WRONG(IPV4, SCTP, XT2_PORTS_FOLLOW, 8, 0);
	WRONG(IPV4, SCTP, 0x10, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sctp),
	cmocka_unit_test(test_sctp_broken),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
