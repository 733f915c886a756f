/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.c - scan columns with the registers that every processor has
 *
 * Four rules at a time: a comparison of 16-bit lanes leaves its answer in the
 * lanes' highest bits.  Eight such words are a block, and their answers go into
 * one word: bit w of lane n is that of rule 4 * w + n.
 */
#include "search.h"

#define HIGH  0x8000800080008000ull /* of each lane */
#define LOW   0x0001000100010001ull
#define WORDS (XT2_BLOCK / 4)

/* => the lanes' highest bits where a >= b */
static __always_inline u64 at_least(u64 a, u64 b)
{
	u64 low = (a | HIGH) - (b & ~HIGH);

	return (a & ~b) | (~(a ^ b) & low);
}

/* A block's answers for one column. */
static __always_inline u64 column_holds(const u64 __img *row, u16 key)
{
	const u64 k = key * LOW, not_k = ~k;
	u64 holds = 0;
	u32 w;

	for (w = 0; w < WORDS; w++) {
		holds |= (at_least(k, row[w]) & at_least(not_k, row[WORDS + w]) & HIGH) >> (15 - w);
		xt2_in_turn(holds);
	}
	return holds;
}

/* Bits to the order of the rules. */
static __always_inline u32 in_order(u64 holds)
{
	u32 hits = 0, w;

	for (w = 0; w < WORDS; w++) /* lane n of 16 bits to bit 48 + n */
		hits |= (u32)((holds >> w & LOW) * 0x0001000200040008ull >> 48) << 4 * w;
	return hits;
}

u32 xt2_scan_scalar(const struct xt2_columns __img *c xt2_arg_img, const u16 *key_ xt2_arg_img,
		    u32 block, u32 end, u32 *hits xt2_arg_there)
{
	const u64 __img *row = (const u64 __img *)xt2_columns_row(c, block);
	const u32 columns = c->columns;
	const u16 *key = xt2_ptr(key_);
	u32 col;

	for (; block < end && xt2_can_loop; block++) {
		const u64 __img *at = row;
		u64 holds = ~0ull;

		for (col = xt2_zero; col < columns && holds && xt2_can_loop; col++) {
			holds &= column_holds(at, key[c->column[col]]);
			at += 2 * WORDS;
		}
		if (holds) {
			*hits = columns ? in_order(holds) : ~0u;
			return block;
		}
		row += columns * 2 * WORDS;
	}
	if (block < end) /* the kernel ended the loop: any rule of the block may be one */
		*hits = ~0u;
	return block;
}
