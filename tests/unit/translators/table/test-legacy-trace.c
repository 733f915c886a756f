/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-trace.c - translators/table/legacy-trace.c: hooks are traced in linear time */
#include "tests/unit/legacy-case.h"

/* Jumps and nothing else, all to one chain: this is linear, or it takes for ever. */
static void test_linear(void **state)
{
	enum { JUMPS = 200000 };
	u32 chain = (JUMPS + 1) * 152 + 176, size = 96 + chain + 152 + 176, i;
	struct blob *b = blob_new(shape_of(XT2_IPV4, false));
	struct turn *t = turn_new();
	u8 *all = calloc(1, size);
	clock_t start = clock();

	hook_begin(b);
	plain(b, (s32)chain);
	for (i = 0; i < JUMPS; i++)
		memcpy(all + 96 + i * 152, b->bytes + b->rule, 152);
	hook_end(b, -2);
	i = b->rule;
	head(b, "chain");
	plain(b, -5);
	head(b, "ERROR");
	memcpy(all + 96 + JUMPS * 152, b->bytes + i, b->len - i);
	put32(b->bytes + 32, 2);
	put32(b->bytes + 36, JUMPS + 4);
	put32(b->bytes + 40, size - 96);
	put32(b->bytes + 68, JUMPS * 152);
	put32(b->bytes + 84, 1);
	memcpy(all, b->bytes, 96);
	assert_int_equal(turn(t, XT2_IPV4, false, all, size, false, true), 0);
	assert_int_equal(t->out.entries, JUMPS + 4);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
	free(all);
	free(b);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_linear),
};

UNITS(tests)
