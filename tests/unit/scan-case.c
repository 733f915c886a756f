/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan-case.c - see scan-case.h */
#include "scan-case.h"
#include <stdlib.h>
#include "engine/simd/vectors.h"

#define BLOCKS_MAX 9
#define UNITS_MAX  (BLOCKS_MAX * XT2_BLOCK)

static u64 state = 1;
static u16 key[XT2_KEYS];

static u32 rnd(u32 n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(state >> 33) % n;
}

/* Where a number of a unit is: 0 the least, 1 the complement of the most. */
static u16 *place(struct xt2_columns *c, u32 unit, u32 column, u32 which)
{
	u32 blocks = (c->units + XT2_BLOCK - 1) / XT2_BLOCK;
	u16 *row = (u16 *)((u32 *)(c + 1) + blocks * XT2_BLOCK);

	row += (unit / XT2_BLOCK * c->columns + column) * 2ul * XT2_BLOCK;
	return row + which * XT2_BLOCK + unit % XT2_BLOCK;
}

/* A range: mostly the key is in it, and often at its end, or beside that. */
static void put_range(struct xt2_columns *c, u32 unit, u32 column)
{
	u16 k = key[c->column[column]], least = (u16)rnd(0x10000), most = (u16)rnd(0x10000);

	switch (rnd(6)) {
	case 0: least = most = k; break;
	case 1: least = (u16)(k + 1); break;
	case 2: most = (u16)(k - 1); break;
	case 3:
		least = 0;
		most = 0xffff;
		break;
	case 4:
		least = k < 5 ? 0 : (u16)(k - rnd(5));
		most = k > 0xfff0 ? 0xffff : (u16)(k + rnd(5));
	}
	*place(c, unit, column, 0) = least;
	*place(c, unit, column, 1) = (u16)~most;
}

/* => malloc'ed, of its exact size; what is behind the units can hold as well */
static struct xt2_columns *make(u32 units, u32 columns, u32 hits_of_100)
{
	u32 rows = (units + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK, i, col;
	struct xt2_columns *c = calloc(1, sizeof(*c) + rows * (sizeof(u32) + 4ul * columns));

	assert_non_null(c);
	c->units = units;
	c->columns = (u8)columns;
	for (col = 0; col < columns; col++)
		c->column[col] = (u8)rnd(XT2_KEYS);
	for (i = 0; i < rows; i++)
		for (col = 0; col < columns; col++) {
			put_range(c, i, col);
			if (rnd(100) < hits_of_100)
				*place(c, i, col, 0) = *place(c, i, col, 1) = 0;
		}
	return c;
}

static u32 slow_hits(struct xt2_columns *c, u32 block)
{
	u32 i, col, hits = 0;

	for (i = 0; i < XT2_BLOCK; i++) {
		bool all = true;

		for (col = 0; col < c->columns; col++) {
			u16 k = key[c->column[col]];
			u32 unit = block * XT2_BLOCK + i;
			u16 most = (u16) ~*place(c, unit, col, 1);

			all &= *place(c, unit, col, 0) <= k && k <= most;
		}
		hits |= (u32)all << i;
	}
	return hits;
}

static void compare(struct xt2_columns *c, u32 from, u32 end, scan *way)
{
	u32 want = from, hits = 0, found;

	while (want < end && !slow_hits(c, want))
		want++;
	found = way(c, key, from, end, &hits);
	assert_int_equal(found, want);
	if (want < end)
		assert_int_equal(hits, slow_hits(c, want));
}

void try_way(scan *way)
{
	u32 columns, units, blocks, from, i, dense;

	for (columns = 0; columns <= XT2_COLUMNS_MAX; columns++)
		for (units = 1; units <= UNITS_MAX; units += 1 + rnd(12))
			for (dense = 20; dense < 100; dense += 26) {
				struct xt2_columns *c;

				for (i = 0; i < XT2_KEYS; i++)
					key[i] = rnd(4) ? (u16)rnd(0x10000)
							: (u16)(rnd(2) * 0xffff);
				c = make(units, columns, dense);
				blocks = (units + XT2_BLOCK - 1) / XT2_BLOCK;
				for (from = 0; from <= blocks; from++) {
					compare(c, from, blocks, way);
					compare(c, from, from + rnd(blocks - from + 1), way);
				}
				free(c);
			}
}
