/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-rt.c - extensions/match/rt.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

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

static void test_checked(void **state)
{
	RIGHT(IPV6, RT, 0, 8, 0);
	WRONG(IPV4, RT, 0, 8, 0);
	RIGHT(IPV6, RT, XT2_RT_SEGMENTS, 16, 0);
	WRONG(IPV6, RT, XT2_RT_SEGMENTS, 8, 0);
	RIGHT(IPV6, RT, XT2_RT_WIDE, 16, 0);
	WRONG(IPV6, RT, XT2_RT_WIDE, 16, 1u << 24);
	WRONG(IPV6, RT, 4, 8, 0);
	WRONG(IPV6, RT, 0, 8, 8 << 8);
	RIGHT(IPV6, RT, 0, 24, XT2_RT_TYPE | XT2_RT_ADDRS | 1 << 16);
	WRONG(IPV6, RT, 0, 8, XT2_RT_TYPE | XT2_RT_ADDRS);
	WRONG(IPV6, RT, 0, 24, XT2_RT_ADDRS | 1 << 16);
	RIGHT(IPV6, RT, 0, 8 + 16 * 16, 16 << 16);
	WRONG(IPV6, RT, 0, 8 + 17 * 16, 17 << 16);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rt),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
