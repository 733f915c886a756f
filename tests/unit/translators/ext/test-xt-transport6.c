/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-transport6.c - translators/ext/xt-transport6.c
 *
 * Each header's payload by hand, through its functions and back; what the kernel
 * refuses.  test-xt-transport.c has random ones.
 */
#include "tests/unit/transport-case.h"
#include "translators/ext/xt-transport.h"

/* Packed and unpacked, it is as it was: in so many bytes. */
#define COMES_BACK(bytes, match, info, ...)                                                    \
	do {                                                                                   \
		const struct info there = { __VA_ARGS__ };                                     \
		const struct xt2_row *row;                                                     \
		u64 back[PAYLOAD_MAX / 8];                                                     \
                                                                                               \
		PACKS(bytes, XT2_IPV6, match, info, __VA_ARGS__);                              \
		assert_true(xt2_match_unpack(XT2_IPV6, PACKED, &row, back, sizeof(back)) > 0); \
		assert_string_equal(row->name, match);                                         \
		assert_memory_equal(back, &there, sizeof(there));                              \
	} while (0)

static void test_headers(void **state)
{
	COMES_BACK(8, "icmp6", ip6t_icmp, 128, { 0, 255 }, 1);
	REFUSES(XT2_IPV6, "icmp6", ip6t_icmp, 128, { 0, 255 }, 2);
	COMES_BACK(8, "mh", ip6t_mh, { 5, 9 }, 1);
	REFUSES(XT2_IPV6, "mh", ip6t_mh, { 5, 9 }, 2);
	COMES_BACK(8, "ipv6header", ip6t_ipv6header_info, 1, 1, 1);
	COMES_BACK(8, "ipv6header", ip6t_ipv6header_info, 1, 0xff, 0);
	REFUSES(XT2_IPV6, "ipv6header", ip6t_ipv6header_info, 1, 1, 0);
	REFUSES(XT2_IPV6, "ah", ip6t_ah, { 0, 0 }, 0, 0, 4);
	REFUSES(XT2_IPV6, "frag", ip6t_frag, { 0, ~0u }, 0, 0, 4);
}

static void test_options_and_routes(void **state)
{
	COMES_BACK(8, "hbh", ip6t_opts, .hdrlen = 0);
	COMES_BACK(24, "dst", ip6t_opts, .hdrlen = 8, .flags = 3, .optsnr = 4);
	COMES_BACK(56, "dst", ip6t_opts, .flags = 2, .optsnr = 4, .opts = { [4] = 1 });
	REFUSES(XT2_IPV6, "hbh", ip6t_opts, .optsnr = 17);
	REFUSES(XT2_IPV6, "hbh", ip6t_opts, .invflags = 2);
	COMES_BACK(8, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 1, .rt_type = 2);
	COMES_BACK(40, "rt", ip6t_rt, .segsleft = { 0, ~0u }, .flags = 0x11, .addrnr = 2);
	COMES_BACK(16, "rt", ip6t_rt, .segsleft = { 0, 3 }, .flags = 2);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .addrnr = 17);
	REFUSES(XT2_IPV6, "rt", ip6t_rt, .flags = 0x11);
}

static void test_header_tests(void **state)
{
	u64 room[8] = { 0 };
	struct xt2_match *m = (struct xt2_match *)room;
	struct xt2_header_test t;

	m->size = sizeof(*m);
	xt2_header_test_pack_(0, 0, false, m); /* nothing to say */
	assert_int_equal(m->size, 8);
	assert_int_equal(m->flags, 0);
	xt2_header_test_pack_(16, 1, true, m);
	assert_int_equal(m->size, 16);
	assert_int_equal(m->flags, XT2_HEADER_TEST);
	t = xt2_header_test_unpack_(m);
	assert_int_equal(t.flags, 1);
	assert_int_equal(t.inverted, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_headers),
	cmocka_unit_test(test_options_and_routes),
	cmocka_unit_test(test_header_tests),
};

UNITS(tests)
