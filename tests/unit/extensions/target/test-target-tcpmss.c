/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-target-tcpmss.c - extensions/target/target-tcpmss.c */
#include "tests/unit/target-case.h"

/* A TCP header with options and payload bytes behind it. */
static void syn(u8 family, const u8 *options, u32 n, u32 payload)
{
	if (family == XT2_IPV4)
		case_packet4(&tc, 24, 20 + n + payload);
	else
		case_packet6(&tc, 20 + n + payload);
	tc.bytes[tc.pkt.thoff + 12] = (u8)((20 + n) / 4 << 4);
	memcpy(tc.bytes + tc.pkt.thoff + 20, options, n);
	case_tcp_finish(&tc);
}

static const u8 with_size[] = { 1, 3, 3, 7, 2, 4, 5, 0xb4, 4, 2, 1, 0 };
static const u8 without[] = { 1, 3, 3, 7, 4, 2, 1, 0 };

static void size_lowered(u8 family)
{
	u8 *opt;

	syn(family, with_size, sizeof(with_size), 5);
	opt = tc.bytes + tc.pkt.thoff + 24;
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 1460), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1460);
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 9000), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1460);
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 1300), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1300);
	sums_right();
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT); /* path MTU not known */
	assert_int_equal(xt2_be16(opt + 2), 1300);
	tc.pkt.mtu = 1000;
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), family == XT2_IPV4 ? 960 : 940);
	sums_right();
	tc.pkt.mtu = family == XT2_IPV4 ? 40 : 60;
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 0xffff), XT2_DROP);
	tc.pkt.mtu++;
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1);
}

static void size_added(u8 family, u32 options)
{
	u32 mss = case_random() & 0xfffe, most = family == XT2_IPV4 ? 536 : 1220, len, room;
	u8 *tcp;

	syn(family, without, options, 0);
	len = tc.pkt.len;
	room = tc.pkt.room;
	tcp = tc.bytes + tc.pkt.thoff;
	memset(tc.bytes + len, 0x5a, 8);
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, mss), XT2_NEXT);
	assert_int_equal(tc.pkt.len, len + 4);
	assert_int_equal(tc.pkt.caplen, len + 4);
	assert_int_equal(tc.pkt.room, room - 4);
	assert_int_equal(tcp[12] >> 4, (24 + options) / 4);
	assert_int_equal(xt2_be32(tcp + 20), 2 << 24 | 4 << 16 | (mss < most ? mss : most));
	assert_memory_equal(tcp + 24, without, options);
	assert_int_equal(tc.bytes[len + 4], 0x5a);
	if (family == XT2_IPV4)
		assert_int_equal(xt2_be16(tc.bytes + 2), len + 4);
	else
		assert_int_equal(xt2_be16(tc.bytes + 4) + 40, len + 4);
	sums_right();
	assert_int_equal(xt2_pkt_parse(&tc.pkt, family), 0);
}

static void test_tcpmss(void **state)
{
	u32 i;

	for (i = 0; i < 2000; i++) {
		size_lowered(i % 2 ? XT2_IPV4 : XT2_IPV6);
		size_added(i % 2 ? XT2_IPV4 : XT2_IPV6, i % 3 * 4);
	}
}

static void unchanged(int verdict)
{
	u8 before[sizeof(tc.bytes)];

	memcpy(before, tc.bytes, sizeof(before));
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 500), verdict);
	assert_memory_equal(before, tc.bytes, sizeof(before));
}

static void test_tcpmss_corners(void **state)
{
	static const u8 zero_length[] = { 8, 0, 2, 4, 9, 9, 0, 0 };
	static const u8 inside[] = { 3, 6, 2, 4, 9, 9, 1, 1 };
	u8 full[40];

	syn(XT2_IPV4, without, 8, 0);
	tc.pkt.room = 3;
	unchanged(XT2_DROP);
	syn(XT2_IPV4, without, 8, 1); /* data behind the header */
	unchanged(XT2_NEXT);
	memset(full, 1, sizeof(full));
	syn(XT2_IPV4, full, 40, 0); /* no place in the header */
	unchanged(XT2_NEXT);
	syn(XT2_IPV4, zero_length, 8, 0); /* byte by byte to the option behind */
	assert_int_equal(target_run_arg(XT2_T_TCPMSS, 500), XT2_NEXT);
	assert_int_equal(xt2_be16(tc.bytes + tc.pkt.thoff + 24), 500);
	syn(XT2_IPV4, inside, 8, 4); /* bytes of another option that look like it */
	unchanged(XT2_NEXT);

	syn(XT2_IPV4, without, 8, 0);
	tc.bytes[tc.pkt.thoff + 12] = 0x40;
	unchanged(XT2_DROP);
	tc.bytes[tc.pkt.thoff + 12] = 0x80; /* more header than packet */
	unchanged(XT2_DROP);
	case_packet4(&tc, 20, 19);
	unchanged(XT2_DROP);
	syn(XT2_IPV4, with_size, 12, 0);
	tc.pkt.caplen -= 4; /* cut by the capture */
	unchanged(XT2_NEXT);
	assert_int_equal(tc.pkt.cut, 1);
	syn(XT2_IPV4, with_size, 12, 0);
	tc.bytes[7] = 1; /* a later fragment */
	xt2_pkt_parse(&tc.pkt, XT2_IPV4);
	unchanged(XT2_NEXT);
}

static void test_asks_for_syn(void **state)
{
	assert_int_equal(arg_checked(XT2_IPV4, XT2_T_TCPMSS, 1400), -EINVAL);
	add_tcp(0);
	assert_int_equal(target_check(XT2_IPV4), -EINVAL);
	case_rule(&tc, XT2_TARGET(XT2_T_TCPMSS, 1400), NULL, 0);
	add_tcp(XT2_BYTES(0x17, 0x10, 0, 0));
	assert_int_equal(target_check(XT2_IPV4), -EINVAL);
	case_rule(&tc, XT2_TARGET(XT2_T_TCPMSS, 1400), NULL, 0);
	add_tcp(SYN);
	assert_int_equal(target_check(XT2_IPV4), 0);
	assert_int_equal(target_check(XT2_IPV6), 0);
	assert_int_equal(target_check(XT2_ARP), -EINVAL);
	case_rule(&tc, XT2_TARGET(XT2_T_TCPMSS, 0x10000), NULL, 0);
	add_tcp(SYN);
	assert_int_equal(target_check(XT2_IPV4), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_tcpmss, target_setup),
	cmocka_unit_test_setup(test_tcpmss_corners, target_setup),
	cmocka_unit_test_setup(test_asks_for_syn, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
