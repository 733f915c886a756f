/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-size.c - translators/ebt/ebt-size.c: both widths, and what is neither */
#include "tests/unit/ebt-case.h"

/* What passes in one width comes out in the other as it would have been sent there. */
static void test_widths(void **state)
{
	static struct ebt_blob small;
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < EBT_CASES; i++) {
		const struct ebt_case *c = &ebt_cases[i];

		if (c->native || c->compat || c->flags & (EBT_OTHER | EBT_STRICT))
			continue;
		ebt_case_make(&blob, c, false, 0);
		ebt_case_make(&small, c, true, 0);
		assert_int_equal(answer(t, false, blob.out, blob.len, true), 0);
		assert_int_equal(t->out.size, small.len - 80);
		assert_bytes(c->name, t->bytes, small.out + 80, small.len - 80);
		assert_int_equal(answer(t, true, small.out, small.len, false), 0);
		assert_int_equal(t->out.size, blob.len - 120);
		assert_int_equal(t->in.native_size, blob.len - 120);
		assert_bytes(c->name, t->bytes, blob.out + 120, blob.len - 120);
	}
	turn_free(t);
}

/* 32-bit programs may send what 64-bit ones do; any error of that is EINVAL. */
static void test_fallback(void **state)
{
	struct turn *t = turn_new();

	ebt_sample_whole(&blob, true, true);
	ebt_finish(&blob);
	assert_int_equal(answer(t, true, blob.out, blob.len, false), 0);
	assert_false(t->in.compat);
	assert_bytes("sample", t->bytes, blob.out + 120, blob.len - 120);
	strcpy((char *)blob.out, "mangle");
	assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
	strcpy((char *)blob.out, "filter");
	ebt_put32(blob.out + 120 + blob.rule[0] + 112, 0x7a7a7a7a); /* an unknown match */
	assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
	assert_int_equal(answer(t, false, blob.out, blob.len, false), -ENOENT);
	turn_free(t);
}

static void test_alignment(void **state)
{
	struct turn *t = turn_new();
	u8 *odd = malloc(70000);
	u32 shift, compat;

	for (compat = 0; compat < 2; compat++)
		for (shift = 1; shift < 8; shift++) {
			ebt_sample_whole(&blob, compat, false);
			ebt_finish(&blob);
			memcpy(odd + shift, blob.out, blob.len);
			assert_int_equal(turn(t, XT2_BRIDGE, compat, odd + shift, blob.len, compat,
					      true),
					 0);
			assert_bytes("sample", t->bytes, blob.out + header_of(compat),
				     blob.len - header_of(compat));
		}
	free(odd);
	turn_free(t);
}

/* Every length of a table but its own is refused. */
static void test_lengths(void **state)
{
	struct turn *t = turn_new();
	u32 len, compat;

	for (compat = 0; compat < 2; compat++) {
		ebt_sample_whole(&blob, compat, false);
		ebt_finish(&blob);
		for (len = 0; len < blob.len; len++)
			assert_int_equal(answer(t, compat, blob.out, len, false), -EINVAL);
		for (len = 1; len < blob.len - header_of(compat); len++) {
			ebt_put32(blob.out + 40, len);
			assert_int_not_equal(
				answer(t, compat, blob.out, header_of(compat) + len, false), 0);
		}
	}
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_widths),
	cmocka_unit_test(test_fallback),
	cmocka_unit_test(test_alignment),
	cmocka_unit_test(test_lengths),
};

UNITS(tests)
