/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target-case.h - a rule with a target, and packets whose checksums it must keep */
#ifndef TESTS_UNIT_TARGET_CASE_H
#define TESTS_UNIT_TARGET_CASE_H

#include "tests/unit/ext-case.h"

static struct ext_case tc;

/* Packs a payload into the case's rule, behind -p tcp --syn if the target wants it. */
static inline int target_pack(u8 family, const char *name, u8 revision, const void *payload,
			      u32 size)
{
	u64 data[256];
	u32 target = 0;
	int used = xt2_target_pack(xt2_row_find(family, true, name, revision), family, payload,
				   size, &target, data, sizeof(data));

	if (used < 0)
		return used;
	case_rule(&tc, target, data, (u32)used);
	return used;
}

static inline void add_tcp(u32 flags)
{
	struct xt2_match proto = { XT2_M_PROTO, 0, 8, 6 };
	struct xt2_match tcp = { XT2_M_TCP, XT2_PORTS_FLAGS, 8, flags };

	case_add(&tc, &proto);
	if (flags)
		case_add(&tc, &tcp);
}

/* SYN out of FIN, SYN, RST and ACK */
#define SYN XT2_BYTES(0x17, 0x02, 0, 0)

static inline int target_check(u8 family)
{
	return xt2_target_ext_check(tc.rule, family);
}

static inline int target_run(void)
{
	return xt2_target_ext(tc.rule, &tc.ctx);
}

/* A target without data, straight from its argument. */
static inline int target_run_arg(u8 kind, u32 arg)
{
	case_rule(&tc, XT2_TARGET(kind, arg), NULL, 0);
	return target_run();
}

static inline void random_packet(u8 family)
{
	if (family == XT2_IPV4)
		case_packet4(&tc, 20 + case_random() % 11 * 4, 20 + case_random() % 60);
	else
		case_packet6(&tc, 20 + case_random() % 60);
}

/* => the service byte */
static inline u8 service(void)
{
	return tc.pkt.family == XT2_IPV4 ? tc.bytes[1] : (u8)(tc.bytes[0] << 4 | tc.bytes[1] >> 4);
}

static inline void sums_right(void)
{
	if (tc.pkt.family == XT2_IPV4)
		assert_int_equal(case_ip_sum(&tc.pkt), 0xffff);
	assert_int_equal(case_tcp_sum(&tc.pkt), 0xffff);
}

static inline int target_setup(void **state)
{
	case_reset(&tc);
	return 0;
}

/* A target without data: what its check says of an argument in a family. */
static inline int arg_checked(u8 family, u8 kind, u32 arg)
{
	case_rule(&tc, XT2_TARGET(kind, arg), NULL, 0);
	return target_check(family);
}

/* The same of one with data: words of 8 bytes. */
static inline int data_checked(u8 family, u8 kind, u32 arg, const u64 *data, u32 words)
{
	case_rule(&tc, XT2_TARGET(kind, arg), data, 8 * words);
	return target_check(family);
}

#define DATA_CHECKED(family, kind, arg, ...)                          \
	data_checked(family, kind, arg, (const u64[]){ __VA_ARGS__ }, \
		     sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))

#endif
