/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-rules.c - translators/ebt/ebt-rules.c: ways through chains */
#include "tests/unit/ebt-case.h"

/* A chain of n chains, each jumping twice to the next, or to itself at the end. */
static u8 *ladder(u32 n, bool loop, u32 *len)
{
	u32 chain = 48 + 2 * (112 + 48), size = 48 + (112 + 48) + n * chain, i, j, to;
	u8 *all = calloc(1, 120 + size), *at = all + 120;

	strcpy((char *)all, "broute");
	ebt_put32(all + 32, 0x20);
	ebt_put32(all + 36, 1 + 2 * n);
	ebt_put32(all + 40, size);
	for (i = 0; i <= n; i++) {
		sprintf((char *)at + 4, "c%u", i);
		ebt_put32(at + 36, i ? 2 * i - 1 : 0);
		ebt_put32(at + 40, (u32)(i ? EBT_RETURN : EBT_ACCEPT));
		ebt_put32(at + 44, i ? 2 : 1);
		at += 48;
		to = 48 + 160 + (i < n ? i : loop ? n / 2 : 0) * chain;
		for (j = 0; j < (i ? 2 : 1); j++, at += 160) {
			ebt_put32(at, 3);
			ebt_put32(at + 100, 112);
			ebt_put32(at + 104, 112);
			ebt_put32(at + 108, 160);
			strcpy((char *)at + 112, "standard");
			ebt_put32(at + 144, 8);
			ebt_put32(at + 152, i < n || loop ? to : (u32)EBT_DROP);
		}
	}
	*len = 120 + size;
	return all;
}

static void test_ladder(void **state)
{
	struct turn *t = turn_new();
	u32 len;
	u8 *all = ladder(8000, false, &len);

	assert_int_equal(turn(t, XT2_BRIDGE, false, all, len, true, true), 0);
	assert_int_equal(t->in.chains, 8001);
	free(all);
	all = ladder(8000, true, &len);
	assert_int_equal(turn(t, XT2_BRIDGE, false, all, len, true, true), -EINVAL);
	assert_string_equal(t->err.what, "chains loop");
	free(all);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ladder),
};

UNITS(tests)
