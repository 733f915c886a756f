/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-build-bits.c - engine/index/build-bits.c: bits for the values of a few keys */
#include "tests/unit/index-case.h"

static struct index_case c;

static void keys_that_tell_rules_apart(void **state)
{
	const struct xt2_bits *b;
	u32 i, keys = 0;

	index_begin(&c);
	for (i = 0; i < 40; i++)
		index_add_flow(&c, 0x0a000001, 0, (u16)(100 + i), XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	b = xt2_at(c.ix, c.ix->body);
	assert_int_equal(b->units, 40);
	assert_int_equal(b->words, 1);
	assert_in_range(b->keys, 1, XT2_BITS_KEYS);
	for (i = 0; i < b->keys; i++) {
		const u16 *edge = xt2_at(c.ix, b->by[i].edge);

		keys |= b->by[i].key == XT2_KEY_DPORT;
		assert_int_equal(b->by[i].slots & (b->by[i].slots - 1), 0);
		assert_int_equal(edge[0], 0);
	}
	assert_int_equal(keys, 1);
	for (i = 0; i < 40; i++)
		INDEX_FINDS(&c, 0x0a000001, 1, (u16)(100 + i), i);
	INDEX_FINDS_NOTHING(&c, 0x0a000001, 1, 99);
	INDEX_FINDS_NOTHING(&c, 0x0a000001, 1, 140);
	index_free(&c);
}

static void words_for_64_units(void **state)
{
	const struct xt2_bits *b;
	u32 n;

	for (n = 63; n <= 66; n++) {
		u32 i;

		index_begin(&c);
		for (i = 0; i < n; i++)
			index_add_flow(&c, 0x0a000000 + 257 * i + 1, 0, (u16)(100 + i),
				       XT2_TARGET(XT2_T_DROP, 0));
		assert_int_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
		b = xt2_at(c.ix, c.ix->body);
		assert_int_equal(b->words, n <= 64 ? 1 : 2);
		INDEX_FINDS(&c, 0x0a000000 + 257 * (n - 1) + 1, 1, (u16)(100 + n - 1), n - 1);
		index_free(&c);
	}
}

static void nothing_to_tell_apart(void **state)
{
	struct rule_build b;
	u32 i;

	index_begin(&c);
	for (i = 0; i < 40; i++) {
		rule_begin(&b);
		rule_quota(&b, (int)i, 1000 + i); /* no key has anything of that */
		index_add(&c, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)));
	}
	assert_int_not_equal(index_make(&c, &index_bits), XT2_INDEX_BITS);
	index_free(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keys_that_tell_rules_apart),
	cmocka_unit_test(words_for_64_units),
	cmocka_unit_test(nothing_to_tell_apart),
};

UNITS(tests)
