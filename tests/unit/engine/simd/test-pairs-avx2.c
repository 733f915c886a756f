/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-pairs-avx2.c - engine/simd/pairs-avx2.c
 *
 * Against the same steps without vectors: the buckets that a packet looks into,
 * and the first candidate in them.
 */
#include "engine/eval.h"
#include "engine/simd/scan.h"
#include "tests/unit/index-case.h"

static struct index_case c;
static struct xt2_search one, two;

#ifdef __x86_64__
static void compare(u32 src, u32 dst, u16 port)
{
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i, after;

	index_packet(&pkt, buf, src, dst, port);
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	assert_true(xt2_keys_fill(&one.keys, &pkt, c.ix->asks));
	two.keys = one.keys;
	assert_int_equal(xt2_index_spans(c.ix, &one, &pkt), xt2_spans_avx2(c.ix, &two, &pkt));
	assert_int_equal(one.spans, two.spans);
	assert_memory_equal(one.span, two.span, one.spans * sizeof(*one.span));
	assert_int_equal(one.nested, two.nested);
	for (i = 0; i <= c.rules; i++) {
		after = i ? c.place[i - 1] : 0;
		assert_int_equal(xt2_index_collect(c.ix, &one, after),
				 xt2_collect_avx2(c.ix, &two, after));
		if (one.units)
			assert_int_equal(one.unit[0], two.unit[0]);
	}
}
#endif

static void finds_what_the_other_finds(void **state)
{
#ifdef __x86_64__
	u32 i, n;

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	for (n = 4; n < 400; n += n) {
		index_begin(&c);
		for (i = 0; i < n; i++)
			index_add_flow(&c, i % 3 ? 0x0a000001 + i % 17 : 0,
				       i % 5 ? 0x0b000001 + i / 17 : 0,
				       (u16)(i % 2 ? 1000 + i % 5 : 0), XT2_TARGET(XT2_T_DROP, 0));
		assert_int_equal(index_make(&c, &index_pairs), XT2_INDEX_PAIRS);
		((struct xt2_index *)c.ix)->ahead = 1;
		for (i = 0; i < 60; i++)
			compare(0x0a000001 + i % 18, 0x0b000001 + i % 7, (u16)(1000 + i % 6));
		index_free(&c);
	}
#else
	skip();
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_what_the_other_finds),
};

UNITS(tests)
