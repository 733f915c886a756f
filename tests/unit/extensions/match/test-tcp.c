/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-tcp.c - extensions/match/tcp.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_tcp(void **state)
{
	struct packet p;

	packet4(&p, 6, 0, SYN_ACK);
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

	packet4(&p, 6, 8, SYN_ACK);
	DROPS(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet4(&p, 6, 16, SYN_ACK);
	MISSES(p, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	packet_free(&p);
	packet6(&p, 44, "06000008 00000000" SYN_ACK);
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

static void test_sizes(void **state)
{
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY);
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = { 22, 22 });
	PACKS(8, XT2_IPV6, "tcp", xt_tcp, .spts = { 1, 1023 }, .dpts = ANY, .invflags = 1);
	PACKS(8, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .flg_mask = 0x17, .flg_cmp = 2);
	PACKS(16, XT2_IPV4, "tcp", xt_tcp, .spts = { 1, 1 }, .dpts = { 22, 22 });
	PACKS(16, XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = { 22, 22 }, .option = 2);
	REFUSES(XT2_IPV4, "tcp", xt_tcp, .spts = ANY, .dpts = ANY, .invflags = 0x10);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, TCP, XT2_PORTS_NONE, 8, 0);
	WRONG(IPV4, TCP, XT2_PORTS_NONE, 8, 1);
	WRONG(IPV4, TCP, XT2_PORTS_NONE | XT2_MATCH_INVERT, 8, 0);
	RIGHT(IPV6, TCP, XT2_PORTS_SRC | XT2_MATCH_INVERT, 8, ~0u);
	RIGHT(IPV4, TCP, XT2_PORTS_FLAGS, 8, 0xffff);
	WRONG(IPV4, TCP, XT2_PORTS_FLAGS, 8, 0x10000);
	RIGHT(IPV4, TCP, XT2_PORTS_ALL, 16, 0xffffff0f);
	WRONG(IPV4, TCP, XT2_PORTS_ALL, 16, 0x10);
	WRONG(IPV4, TCP, XT2_PORTS_ALL, 8, 0);
	WRONG(IPV4, TCP, XT2_PORTS_DST, 16, 0);
	WRONG(IPV4, TCP, XT2_PORTS_ALL + 1, 8, 0);
	WRONG(ARP, TCP, XT2_PORTS_DST, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_tcp),
	cmocka_unit_test(test_tcp_broken),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
