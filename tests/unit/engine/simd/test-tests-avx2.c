/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-tests-avx2.c - engine/simd/tests-avx2.c: all tests of a rule at once */
#include "engine/eval.h"
#include "engine/simd/scan.h"
#include "tests/unit/index-case.h"

static struct rule_build b;

#ifdef __x86_64__
/* 10.0.0.1 to 11.0.0.2, TCP from 1000 to 80 */
static int answer(void)
{
	struct xt2_pkt pkt;
	u8 buf[128];

	index_packet(&pkt, buf, 0x0a000001, 0x0b000002, 80);
	return xt2_tests_avx2(rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), &pkt);
}

static struct xt2_match *ports(u8 form, u16 first, u16 last)
{
	struct xt2_match *m;

	rule_proto(&b, 6);
	m = rule_match(&b, XT2_M_TCP, sizeof(*m), first | (u32)last << 16);
	m->flags = form;
	return m;
}
#endif

static void tests_hold_or_miss(void **state)
{
#ifdef __x86_64__
	static const struct {
		u8 form;
		u16 first, last;
		int hit;
	} rows[] = {
		{ XT2_PORTS_DST, 80, 80, 1 },	  { XT2_PORTS_DST, 81, 90, 0 },
		{ XT2_PORTS_DST, 0, 79, 0 },	  { XT2_PORTS_DST, 0, 65535, 1 },
		{ XT2_PORTS_SRC, 1000, 1000, 1 }, { XT2_PORTS_SRC, 80, 80, 0 },
	};
	u32 i, prefix;

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	rule_begin(&b);
	assert_int_equal(answer(), XT2_HIT);
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		rule_begin(&b);
		ports(rows[i].form, rows[i].first, rows[i].last);
		assert_int_equal(answer(), rows[i].hit ? XT2_HIT : XT2_MISS);
		rule_begin(&b);
		ports(rows[i].form, rows[i].first, rows[i].last)->flags |= XT2_MATCH_INVERT;
		assert_int_equal(answer(), rows[i].hit ? XT2_MISS : XT2_HIT);
	}
	for (prefix = 1; prefix <= 32; prefix++) {
		const u32 bit = 1u << (32 - prefix), base = 0x0a000001 & -bit;

		rule_begin(&b);
		rule_source(&b, base, prefix);
		assert_int_equal(answer(), XT2_HIT);
		rule_begin(&b);
		rule_source(&b, base ^ bit, prefix);
		assert_int_equal(answer(), XT2_MISS);
	}
	rule_begin(&b);
	rule_match(&b, XT2_M_DST4, 8, 0x0b000002);
	assert_int_equal(answer(), XT2_HIT);
	rule_begin(&b);
	rule_match(&b, XT2_M_DST4, 8, 0x0a000001);
	assert_int_equal(answer(), XT2_MISS);
	rule_begin(&b);
	rule_proto(&b, 17);
	assert_int_equal(answer(), XT2_MISS);
#else
	skip();
#endif
}

static void others_are_unsure(void **state)
{
#ifdef __x86_64__
	u32 i;

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	rule_begin(&b);
	rule_match(&b, XT2_M_MARK, 8, 0);
	assert_int_equal(answer(), XT2_UNSURE);
	rule_begin(&b);
	for (i = 0; i < 5; i++) /* more than there is room for */
		rule_source(&b, 0x0a000001, 32);
	assert_int_equal(answer(), XT2_UNSURE);
#else
	skip();
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(tests_hold_or_miss),
	cmocka_unit_test(others_are_unsure),
};

UNITS(tests)
