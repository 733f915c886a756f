/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-opts.c - extensions/match/opts.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

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

static void test_checked(void **state)
{
	RIGHT(IPV6, HBH, 0, 8, XT2_OPTS_LEN | 1 << 8);
	WRONG(IPV6, HBH, 0, 8, 2 << 8);
	WRONG(IPV6, HBH, 0, 8, XT2_OPTS_NSTRICT);
	WRONG(IPV6, HBH, 0, 8, 1u << 24);
	WRONG(IPV4, HBH, 0, 8, 0);
	RIGHT(IPV6, DST, 0, 40, 16 << 16);
	WRONG(IPV6, DST, 0, 48, 17 << 16);
	WRONG(IPV6, DST, 0, 8, 1 << 16);
	RIGHT(IPV6, DST, XT2_OPTS_WIDE, 16, 0);
	WRONG(IPV6, DST, XT2_OPTS_WIDE, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_opts),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
