/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bits.c - engine/index/bits.c: candidates by bits, in order */
#include "engine/simd/scan.h"
#include "tests/unit/index-case.h"

static struct index_case c;

static void candidates_come_in_order(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 80; i++)
		index_add_flow(&c, 0, 0, (u16)(100 + i % 4), 0);
	for (i = 0; i < 20; i++)
		index_add_flow(&c, 0x0a000001 + i, 0, 0, XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	INDEX_FINDS(&c, 0x0a000001 + 7, 1, 99, 87);
	INDEX_FINDS(&c, 0x0a000001, 1, 101, 1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57,
		    61, 65, 69, 73, 77, 80);
	index_free(&c);
}

static void a_search_goes_on(void **state)
{
	static struct xt2_search s;
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i;

	index_begin(&c);
	for (i = 0; i < 100; i++)
		index_add_flow(&c, i % 10 ? 0x0a000001 : 0x0a000002, 0,
			       (u16)(i % 10 ? 100 + i : 80), XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	((struct xt2_index *)c.ix)->ahead = 3;
	index_packet(&pkt, buf, 0x0a000002, 1, 80);
	assert_true(xt2_keys_fill(&s.keys, &pkt, c.ix->asks));
	assert_int_equal(xt2_index_bits(c.ix, &s, 0), 3);
	assert_int_equal(s.unit[0], c.place[0]);
	assert_int_equal(s.unit[2], c.place[20]);
	assert_int_equal(s.resume, c.place[20]);
	assert_int_equal(xt2_index_bits(c.ix, &s, c.place[70]), 2);
	assert_int_equal(s.unit[0], c.place[80]);
	assert_int_equal(s.unit[1], c.place[90]);
	assert_int_equal(s.resume, 0);
	assert_int_equal(xt2_index_bits(c.ix, &s, c.place[79]), 2); /* behind a rule that is none */
	assert_int_equal(s.unit[0], c.place[80]);
	assert_int_equal(xt2_index_bits(c.ix, &s, c.place[90]), 0);
	index_free(&c);
}

static void nothing_is_read_behind_the_words(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 64; i++) /* one word for each port, full to its last bit */
		index_add_flow(&c, 0, 0, (u16)(100 + i % 8), XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	INDEX_FINDS(&c, 1, 1, 100, 0, 8, 16, 24, 32, 40, 48, 56);
	INDEX_FINDS(&c, 1, 1, 107, 7, 15, 23, 31, 39, 47, 55, 63);
	INDEX_FINDS_NOTHING(&c, 1, 1, 108);
	index_free(&c);
}

/* Vectors have tests of their own. */
static int scalar(void **state)
{
	return xt2_scan_choose(XT2_SCAN_SCALAR);
}

static int best(void **state)
{
	return xt2_scan_choose(xt2_scan_best());
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(candidates_come_in_order),
	cmocka_unit_test(a_search_goes_on),
	cmocka_unit_test(nothing_is_read_behind_the_words),
};

UNITS_WITH(tests, scalar, best)
