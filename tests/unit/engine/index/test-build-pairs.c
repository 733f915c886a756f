/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-build-pairs.c - engine/index/build-pairs.c: buckets of two or three fields */
#include "tests/unit/index-case.h"

static struct index_case c;

static void pairs_are_told_apart(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 100; i++)
		index_add_flow(&c, 0x0a000001 + i % 10, 0x0a010001 + i / 10, 0,
			       XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_pairs), XT2_INDEX_PAIRS);
	for (i = 0; i < 100; i++)
		INDEX_FINDS(&c, 0x0a000001 + i % 10, 0x0a010001 + i / 10, 80, i);
	INDEX_FINDS_NOTHING(&c, 0x0a000000, 0x0a010001, 80);
	INDEX_FINDS_NOTHING(&c, 0x0a000001, 0x0a01000b, 80);
	index_free(&c);
}

static void fields_are_addresses(void **state)
{
	const struct xt2_pairs *p;
	u32 i, fields = 0;

	index_begin(&c);
	for (i = 0; i < 100; i++)
		index_add_flow(&c, 0x0a000001 + i % 10, 0x0a010001 + i / 10, 0,
			       XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_pairs), XT2_INDEX_PAIRS);
	p = xt2_at(c.ix, c.ix->body);
	for (i = 0; i < 2; i++)
		fields |= 1u << p->dim[i].field;
	assert_int_equal(fields, 1u << XT2_FIELD_SRC | 1u << XT2_FIELD_DST);
	assert_int_equal(p->entries, 100);
	index_free(&c);
}

static void rules_for_any_are_in_a_class(void **state)
{
	u32 i;

	index_begin(&c);
	for (i = 0; i < 60; i++)
		index_add_flow(&c, i % 3 ? 0x0a000001 + i : 0, i % 3 == 1 ? 0 : 0x0a010001 + i, 0,
			       XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_pairs), XT2_INDEX_PAIRS);
	INDEX_FINDS(&c, 5, 0x0a010001 + 30, 80, 30); /* any source */
	INDEX_FINDS(&c, 0x0a000001 + 31, 5, 80, 31); /* any destination */
	INDEX_FINDS(&c, 0x0a000001 + 31, 0x0a010001 + 30, 80, 30, 31);
	INDEX_FINDS_NOTHING(&c, 5, 0x0a010001 + 32, 80);
	index_free(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pairs_are_told_apart),
	cmocka_unit_test(fields_are_addresses),
	cmocka_unit_test(rules_for_any_are_in_a_class),
};

UNITS(tests)
