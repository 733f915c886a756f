/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-bits-avx2.c - engine/simd/bits-avx2.c
 *
 * Against the same search without vectors, by one key up to six, from the
 * chain's start and from behind each of its rules.
 */
#include "engine/eval.h"
#include "engine/simd/scan.h"
#include "tests/unit/index-case.h"

static struct index_case c;
static struct xt2_search one, two;

#ifdef __x86_64__
/* => does a rule match?  Those that setting up below makes have no other tests. */
static bool matches(u32 i, const struct xt2_pkt *pkt)
{
	return xt2_tests_avx2(xt2_at(c.chain, c.place[i]), pkt) == XT2_HIT;
}

/* The first rule behind a place that matches is what is found, and it is said to hold. */
static void first_is_found(const struct xt2_pkt *pkt, u32 from)
{
	while (from < c.rules && !matches(from, pkt))
		from++;
	assert_int_equal(two.units, from < c.rules);
	if (two.units)
		assert_int_equal(two.unit[0], c.place[from] | XT2_FOUND_HOLDS);
}

static void compare(u32 src, u32 dst, u16 port, u16 ahead)
{
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i, after;

	((struct xt2_index *)c.ix)->ahead = ahead;
	index_packet(&pkt, buf, src, dst, port);
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	assert_true(xt2_keys_fill(&one.keys, &pkt, c.ix->asks));
	two.keys = one.keys;
	for (i = 0; i <= c.rules; i++) {
		after = i ? c.place[i - 1] : 0;
		xt2_index_bits(c.ix, &one, after);
		xt2_bits_avx2(c.chain, &two, &pkt, after);
		if (ahead <= XT2_AHEAD_FEW) {
			first_is_found(&pkt, i);
			continue;
		}
		assert_int_equal(one.units, two.units);
		assert_int_equal(one.resume, two.resume);
		assert_memory_equal(one.unit, two.unit, one.units * sizeof(*one.unit));
	}
}
#endif

static void finds_what_the_other_finds(void **state)
{
#ifdef __x86_64__
	u32 i, n;

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	for (n = 2; n < 300; n += 1 + n / 2) {
		index_begin(&c);
		for (i = 0; i < n; i++)
			index_add_flow(&c, i % 3 ? 0x0a000001 + i % 7 * 0x10001 : 0,
				       i % 5 ? 0x0b000001 + i % 11 * 0x10001 : 0,
				       (u16)(i % 2 ? 1000 + i % 13 : 0), XT2_TARGET(XT2_T_DROP, 0));
		if (index_make(&c, &index_bits) == XT2_INDEX_BITS)
			for (i = 0; i < 40; i++)
				compare(0x0a000001 + i % 8 * 0x10001, 0x0b000001 + i % 12 * 0x10001,
					(u16)(1000 + i % 14), i % 2 ? 64 : 1);
		index_free(&c);
	}
#else
	skip();
#endif
}

/* Whether the processor is right is not known at once: the rule is a candidate, and not said to hold. */
static void unknown_tests_are_left_to_others(void **state)
{
#ifdef __x86_64__
	struct rule_build b;
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i;

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	index_begin(&c);
	for (i = 0; i < 70; i++) {
		rule_begin(&b);
		rule_source(&b, 0x0a000001 + i % 35, 32);
		if (i < 35)
			rule_match(&b, XT2_M_CPU, 8, 1);
		index_add(&c, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)));
	}
	assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	((struct xt2_index *)c.ix)->ahead = 1;
	for (i = 0; i < 35; i++) {
		index_packet(&pkt, buf, 0x0a000001 + i, 1, 80);
		memset(&two, 0, sizeof(two));
		assert_true(xt2_keys_fill(&two.keys, &pkt, c.ix->asks));
		assert_int_equal(xt2_bits_avx2(c.chain, &two, &pkt, 0), 1);
		assert_int_equal(two.unit[0], c.place[i]);
		assert_int_equal(two.resume, c.place[i]);
		assert_int_equal(xt2_bits_avx2(c.chain, &two, &pkt, two.resume), 1);
		assert_int_equal(two.unit[0], c.place[35 + i] | XT2_FOUND_HOLDS);
	}
	index_free(&c);
#else
	skip();
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_what_the_other_finds),
	cmocka_unit_test(unknown_tests_are_left_to_others),
};

UNITS(tests)
