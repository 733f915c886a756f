/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ext-rewrite.c - targets that change packets: TTL, HL, TOS, DSCP, ECN, TCPMSS
 *
 * Packets are random; every changed one is summed up anew.  A run prints its
 * seed; XT2_SEED=n runs it again.
 */
#include "ext-case.h"
#include "extensions/target/rewrite.h"

static struct ext_case tc;

/* A target without data, straight from its argument. */
static int run_arg(u8 kind, u32 arg)
{
	case_rule(&tc, XT2_TARGET(kind, arg), NULL, 0);
	return xt2_target_ext(tc.rule, &tc.ctx);
}

/* => the service byte */
static u8 service(void)
{
	return tc.pkt.family == XT2_IPV4 ? tc.bytes[1] : (u8)(tc.bytes[0] << 4 | tc.bytes[1] >> 4);
}

static void random_packet(u8 family)
{
	if (family == XT2_IPV4)
		case_packet4(&tc, 20 + case_random() % 11 * 4, 20 + case_random() % 60);
	else
		case_packet6(&tc, 20 + case_random() % 60);
}

static void sums_right(void)
{
	if (tc.pkt.family == XT2_IPV4)
		assert_int_equal(case_ip_sum(&tc.pkt), 0xffff);
	assert_int_equal(case_tcp_sum(&tc.pkt), 0xffff);
}

static void test_hops(void **state)
{
	static const u8 hops[] = { 0, 1, 2, 127, 128, 254, 255 };
	u32 i, mode, by;
	int want;

	for (i = 0; i < XT2_ARRAY_SIZE(hops) * 3 * 256; i++) {
		mode = i % 3;
		by = i / 3 % 256;
		want = mode == 0 ? (int)by : hops[i / 768] + (mode == 1 ? (int)by : -(int)by);
		want = want < 0 ? 0 : want > 255 ? 255 : want;

		case_packet4(&tc, 20, 20);
		xt2_csum_header(tc.bytes + 10, (u16)(tc.bytes[8] << 8), (u16)(hops[i / 768] << 8));
		tc.bytes[8] = hops[i / 768];
		assert_int_equal(run_arg(XT2_T_TTL, mode | by << 8), XT2_NEXT);
		assert_int_equal(tc.bytes[8], want);
		sums_right();

		case_packet6(&tc, 20);
		tc.bytes[7] = hops[i / 768];
		assert_int_equal(run_arg(XT2_T_HL, mode | by << 8), XT2_NEXT);
		assert_int_equal(tc.bytes[7], want);
		sums_right();
	}
}

static void test_service(void **state)
{
	u32 i, arg;
	u8 old;

	for (i = 0; i < 60000; i++) {
		random_packet(i % 2 ? XT2_IPV4 : XT2_IPV6);
		old = service();
		arg = case_random() & 0xffff;
		assert_int_equal(run_arg(XT2_T_TOS, arg), XT2_NEXT);
		assert_int_equal(service(), (u8)((old & ~(arg >> 8)) ^ arg));
		sums_right();
		old = service();
		assert_int_equal(run_arg(XT2_T_DSCP, arg & 63), XT2_NEXT);
		assert_int_equal(service(), (old & 3) | (arg & 63) << 2);
		sums_right();
	}
}

static void test_ecn(void **state)
{
	u32 i, arg, mask;
	u8 old, flags, was;

	for (i = 0; i < 60000; i++) {
		random_packet(XT2_IPV4);
		arg = case_random() & 0x030331;
		mask = (arg & 0x10 ? 0x40u : 0) | (arg & 0x20 ? 0x80u : 0);
		flags = (u8)((arg >> 16 & 1) << 6 | (arg >> 17 & 1) << 7);
		old = service();
		was = tc.bytes[tc.pkt.thoff + 13];
		assert_int_equal(run_arg(XT2_T_ECN, arg), XT2_NEXT);
		assert_int_equal(service(), arg & 1 ? (old & ~3) | (arg >> 8 & 3) : old);
		assert_int_equal(tc.bytes[tc.pkt.thoff + 13], (was & ~mask) | (flags & mask));
		sums_right();
	}
	case_packet4(&tc, 20, 19); /* no whole TCP header */
	assert_int_equal(run_arg(XT2_T_ECN, 1), XT2_NEXT);
	assert_int_equal(run_arg(XT2_T_ECN, 0x10), XT2_DROP);
	tc.pkt.len = 40; /* the packet had one, the capture has not */
	assert_int_equal(run_arg(XT2_T_ECN, 0x10), XT2_NEXT);
	assert_int_equal(tc.pkt.cut, 1);
	tc.bytes[9] = 17;
	xt2_pkt_parse(&tc.pkt, XT2_IPV4);
	assert_int_equal(run_arg(XT2_T_ECN, 0x10), XT2_NEXT);
}

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
	assert_int_equal(run_arg(XT2_T_TCPMSS, 1460), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1460);
	assert_int_equal(run_arg(XT2_T_TCPMSS, 9000), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1460);
	assert_int_equal(run_arg(XT2_T_TCPMSS, 1300), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), 1300);
	sums_right();
	assert_int_equal(run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT); /* path MTU not known */
	assert_int_equal(xt2_be16(opt + 2), 1300);
	tc.pkt.mtu = 1000;
	assert_int_equal(run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT);
	assert_int_equal(xt2_be16(opt + 2), family == XT2_IPV4 ? 960 : 940);
	sums_right();
	tc.pkt.mtu = family == XT2_IPV4 ? 40 : 60;
	assert_int_equal(run_arg(XT2_T_TCPMSS, 0xffff), XT2_DROP);
	tc.pkt.mtu++;
	assert_int_equal(run_arg(XT2_T_TCPMSS, 0xffff), XT2_NEXT);
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
	assert_int_equal(run_arg(XT2_T_TCPMSS, mss), XT2_NEXT);
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
	assert_int_equal(run_arg(XT2_T_TCPMSS, 500), verdict);
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
	assert_int_equal(run_arg(XT2_T_TCPMSS, 500), XT2_NEXT);
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

static int setup(void **state)
{
	case_reset(&tc);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_hops, setup),
		cmocka_unit_test_setup(test_service, setup),
		cmocka_unit_test_setup(test_ecn, setup),
		cmocka_unit_test_setup(test_tcpmss, setup),
		cmocka_unit_test_setup(test_tcpmss_corners, setup),
	};

	case_seed_set();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
