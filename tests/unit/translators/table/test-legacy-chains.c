/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-chains.c - translators/table/legacy-chains.c */
#include "tests/unit/legacy-case.h"

static s32 verdict_out(const struct turn *t, u32 entry)
{
	u32 pos = 0;
	s32 v;

	while (entry--)
		pos += t->bytes[pos + 90] + 256u * t->bytes[pos + 91];
	memcpy(&v, t->bytes + pos + t->bytes[pos + 88] + 256u * t->bytes[pos + 89] + 32, 4);
	return v;
}

static void test_odd_chains(void **state)
{
	struct turn *t = turn_new();
	struct blob *b = blob_new(shape_of(XT2_IPV4, false));

	/* 0 jump to the ERROR entry, 1 to a chain without RETURN, 2 policy, 3 the chain */
	hook_begin(b);
	plain(b, 3 * 152);
	plain(b, 3 * 152 + 176);
	hook_end(b, -2);
	head(b, "chain");
	rule_begin(b, 0);
	b->bytes[b->rule + 80] = 6;
	verdict(b, 4 * 152 + 176);
	head(b, "second");
	plain(b, -5);
	head(b, "ERROR");
	assert_int_equal(blob_turn(t, b, false), 0);
	assert_int_equal(t->out.entries, b->entries + 2); /* DROP and RETURN */
	assert_int_equal(verdict_out(t, 0), -1);
	assert_int_equal(verdict_out(t, 1), 3 * 152 + 176);
	assert_int_equal(verdict_out(t, 4), 4 * 152 + 176);
	assert_int_equal(verdict_out(t, 5), -1);
	assert_int_equal(verdict_out(t, 6), -5);
	free(b);

	/* A user chain before the base chain, into which it runs. */
	b = blob_new(shape_of(XT2_IPV4, false));
	head(b, "chain");
	rule_begin(b, 0);
	b->bytes[b->rule + 80] = 6;
	verdict(b, -1);
	hook_begin(b);
	hook_end(b, -2);
	head(b, "ERROR");
	assert_int_equal(blob_turn(t, b, false), 0);
	assert_int_equal(t->out.entries, b->entries + 2); /* nothing leads there: DROP and RETURN */
	assert_int_equal(verdict_out(t, 3), -1); /* INPUT is the first chain now */
	free(b);

	/* Between two rules of a chain. */
	b = blob_new(shape_of(XT2_IPV4, false));
	hook_begin(b);
	plain(b, 4 * 152 + 176);
	plain(b, -1);
	plain(b, -1);
	hook_end(b, -2);
	head(b, "chain");
	plain(b, -5);
	plain(b, -5);
	head(b, "ERROR");
	put32(b->bytes + 96 + 112 + 32, 4 * 152 + 176 + 152);
	assert_int_equal(blob_turn(t, b, false), -EINVAL);
	assert_true(t->err.stricter);
	assert_string_equal(t->err.field, "verdict");
	free(b);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_odd_chains),
};

UNITS(tests)
