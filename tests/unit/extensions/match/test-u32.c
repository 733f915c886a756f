/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-u32.c - extensions/match/u32.c
 *
 * Against an interpreter of the native structure.
 */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"

struct native_u32 {
	struct {
		struct {
			u32 number;
			u8 op;
		} location[11];
		struct {
			u32 min, max;
		} value[11];
		u8 nnums, nvalues;
	} tests[11];
	u8 ntests, invert;
};

/* A whole packet in 64-bit numbers, so that nothing wraps around. */
static bool word_at(const struct test_packet *t, u64 pos, u32 *val)
{
	if (pos + 4 > t->pkt.len)
		return false;
	*val = (u32)t->room[pos] << 24 | t->room[pos + 1] << 16 | t->room[pos + 2] << 8 |
	       t->room[pos + 3];
	return true;
}

static bool u32_holds(const struct test_packet *t, const struct native_u32 *u)
{
	u32 i, j, val;
	u64 base;
	bool in;

	for (i = 0; i < u->ntests; i++) {
		base = 0;
		if (!word_at(t, u->tests[i].location[0].number, &val))
			return false;
		for (j = 1; j < u->tests[i].nnums; j++) {
			u32 number = u->tests[i].location[j].number;

			if (u->tests[i].location[j].op == 0)
				val &= number;
			else if (u->tests[i].location[j].op == 1)
				val = (u32)((u64)val << number);
			else if (u->tests[i].location[j].op == 2)
				val >>= number;
			else if (!word_at(t, (base += val) + number, &val))
				return false;
		}
		in = false;
		for (j = 0; j < u->tests[i].nvalues; j++)
			in |= u->tests[i].value[j].min <= val && val <= u->tests[i].value[j].max;
		if (!in)
			return false;
	}
	return true;
}

static u32 u32_held;

static void random_u32(u64 seed)
{
	u64 room[248] = { 0 };
	struct native_u32 *u = (struct native_u32 *)room;
	struct test_packet t;
	bool want;

	test_u32_random(u, &seed);
	test_packet_random(&t, XT2_IPV4, &seed);
	t.pkt.caplen = t.pkt.len;
	want = u32_holds(&t, u);
	u32_held += want;
	if ((want ^ u->invert) != 0)
		assert_int_equal(test_ask(&t, XT2_IPV4, "u32", 0, u, sizeof(room)), XT2_HIT);
	else
		assert_int_equal(test_ask(&t, XT2_IPV4, "u32", 0, u, sizeof(room)), XT2_MISS);
}

static void test_u32(void **state)
{
	test_many(100000, random_u32);
	if (!getenv("XT2_SEED"))
		assert_in_range(u32_held, 1000, 99000);
}

static void test_checked(void **state)
{
	RIGHT(IPV4, U32, 0, 8, 0);
	RIGHT(IPV4, U32, 0, 16, 1, 1 | 4ull << 32); /* one number, no range */
	WRONG(IPV4, U32, 0, 8, 1);
	WRONG(IPV4, U32, 0, 16, 0, 0);
	WRONG(IPV4, U32, 0, 16, 1, 2 | 4ull << 32); /* two numbers have no room */
	WRONG(IPV4, U32, 0, 16, 1, 1 | 1 << 4 | 4ull << 32); /* nor has a range */
	RIGHT(IPV4, U32, 0, 24, 1, 1 | 1 << 4 | 4ull << 32, 0);
	WRONG(IPV4, U32, 0, 8, 12);
	RIGHT(IPV4, U32, 0, 24, 1, 2 | XT2_U32_LEFT << 8 | 4ull << 32, 31);
	WRONG(IPV4, U32, 0, 24, 1, 2 | XT2_U32_LEFT << 8 | 4ull << 32, 32); /* shifts by 32 */
	WRONG(IPV4, U32, 0, 24, 1, 2 | XT2_U32_LEFT << 8 | 4ull << 32,
	      31 | 1ull << 32); /* padding */
}

static const struct CMUnitTest tests[] = {
	test_of_seeds(test_u32),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
