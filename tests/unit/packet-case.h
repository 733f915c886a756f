/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet-case.h - packets, random numbers and payloads for the tests of packet matches */
#ifndef TEST_EXT_PACKET_H
#define TEST_EXT_PACKET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <arpa/inet.h>
#include "engine/eval.h"
#include "extensions/extensions.h"
#include "tests/lib/unit-program.h"
#include "translators/ext/translate.h"

#define TEST_BYTES 256

struct test_packet {
	struct xt2_pkt pkt;
	struct xt2_ctx ctx;
	u8 room[TEST_BYTES];
};

/* A generator whose every start is fine: splitmix64. */
u64 test_random(u64 *seed);

/* Run f with n seeds from the clock, or once with XT2_SEED. */
void test_many(u32 n, void (*f)(u64 seed));

/* The teardown of tests that do: says with which seed it failed. */
int test_seed(void **state);
#define test_of_seeds(f) cmocka_unit_test_teardown(f, test_seed)

/* IPv4: 10.1.2.3 to 192.168.0.9, TOS 0xb8, TTL 64, 40 bytes.  IPv6: 2001:db8::1
 * to ff02::5, class 0x28, hop limit 3, 56 bytes. */
void test_packet4(struct test_packet *t);
void test_packet6(struct test_packet *t);
void test_packet_random(struct test_packet *t, u8 family, u64 *seed);

/* As xt2_match_pack(), whose result is kept; it is checked, too. */
int test_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size);
struct xt2_match *test_packed(void);

/* Pack, check, evaluate. => enum xt2_answer */
int test_ask(struct test_packet *t, u8 family, const char *name, u8 revision, const void *payload,
	     u32 size);

/* Pack, check, unpack a random valid payload of a random row; all must agree. */
void test_payload_random(u64 *seed);
u32 test_payloads_least(void); /* how often the rarest row had a valid one */

/* Random valid native payloads; also used for comparing answers. */
void test_string_random(void *payload, u64 *seed);
void test_u32_random(void *payload, u64 *seed);
u32 test_program_random(void *insns, u64 *seed); /* => instructions, perhaps invalid */

/* Payloads of the kernel's structure s, its members last; of a test_packet t. */
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

#endif
