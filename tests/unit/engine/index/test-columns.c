/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-columns.c - engine/index/columns.c when the kernel ends its loops
 *
 * The scan is compiled here with loops that end after as many turns as a test
 * says.  Whoever asks again, as evaluation does, must get to every rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/lib/unit-program.h"
#include "engine/index/find.h"

static u32 turns; /* that are left */

u32 scan_late(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits);

#undef xt2_can_loop
#define xt2_can_loop	(turns && turns--)
#define xt2_scan_scalar scan_late
#include "engine/index/columns.c"

#define BLOCKS 40u

/* Only the last rule is one for key 7. */
static struct {
	struct xt2_columns c;
	u32 unit[BLOCKS * XT2_BLOCK];
	u16 range[BLOCKS][2][XT2_BLOCK];
} columns;

static int setup(void **state)
{
	u32 i, j;

	columns.c.units = BLOCKS * XT2_BLOCK;
	columns.c.columns = 1;
	for (i = 0; i < BLOCKS; i++)
		for (j = 0; j < XT2_BLOCK; j++) {
			columns.range[i][0][j] = 1;
			columns.range[i][1][j] = (u16)~3; /* at most 3 */
		}
	columns.range[BLOCKS - 1][0][XT2_BLOCK - 1] = 7;
	columns.range[BLOCKS - 1][1][XT2_BLOCK - 1] = (u16)~7;
	return 0;
}

/* => scans that it took to come to the last rule, each with so many turns; 0: it was missed */
static u32 scans(u32 each)
{
	const u16 key[XT2_KEYS] = { 7 };
	u32 block = 0, hits, n;

	for (n = 1; block < BLOCKS; n++) {
		turns = each;
		block = scan_late(&columns.c, key, block, BLOCKS, &hits);
		if (block == BLOCKS - 1)
			return hits >> (XT2_BLOCK - 1) ? n : 0;
		block++;
	}
	return 0;
}

static void no_rule_is_missed(void **state)
{
	u32 each;

	assert_int_equal(scans(10 * BLOCKS), 1);
	for (each = 0; each < 3 * BLOCKS; each++)
		assert_int_not_equal(scans(each), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_rule_is_missed),
};

UNITS_WITH(tests, setup, NULL)
