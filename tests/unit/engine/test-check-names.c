/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-check-names.c - engine/check-names.c */
#include <stdlib.h>
#include "tests/unit/sample-image.h"

/* Any two of many chains with one name are found. */
static void test_names(void **state)
{
	static u64 words[4096], scratch[8192];
	const u32 n = 61;

	for (u32 a = 0; a < n; a++) {
		u32 b = (a + 1 + a * a % (n - 1)) % n;
		struct xt2_check_err err;
		struct xt2_chain_cold *cold;
		const struct xt2_root *root;

		root = sample_row(words, sizeof(words), scratch, n, 0);
		cold = (struct xt2_chain_cold *)xt2_image_chain_cold((void *)words, root, 0);
		memcpy(cold[a].name, cold[b].name, XT2_NAME_SIZE);
		assert_int_equal(xt2_check(words, sizeof(words), scratch, &err), -EINVAL);
		assert_string_equal(err.what, "two chains of a table have the same name");
		assert_true(err.chain == a || err.chain == b);
	}
}

static void tables_have_names_of_their_own(void **state)
{
	static struct sample sample;
	struct xt2_chain_cold *one, *two, *other;

	assert_int_equal(sample_make(&sample), 0);
	one = sample_cold(&sample, 3);
	two = sample_cold(&sample, 4);
	other = sample_cold(&sample, 5); /* ONE of another table */
	assert_string_equal(one->name, other->name);
	assert_int_equal(xt2_check(sample.bytes, sample.given, sample.scratch, NULL), 0);
	two->name[0] = 'O';
	assert_int_equal(xt2_check(sample.bytes, sample.given, sample.scratch, NULL), 0);
	memcpy(two->name, one->name, sizeof(two->name));
	assert_int_equal(xt2_check(sample.bytes, sample.given, sample.scratch, NULL), -EINVAL);
	two->name[2]++; /* the last byte tells them apart */
	assert_int_equal(xt2_check(sample.bytes, sample.given, sample.scratch, NULL), 0);
	two->name[2] = one->name[2] + 32; /* as does the case of a letter */
	assert_int_equal(xt2_check(sample.bytes, sample.given, sample.scratch, NULL), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(tables_have_names_of_their_own),
};

UNITS(tests)
