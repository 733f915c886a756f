/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan-avx512.c - scan columns, 32 rules at a time: a block is a mask */
#include "config.h"
#include "scan.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX512 __attribute__((__target__("avx512f,avx512bw")))

AVX512 u32 xt2_scan_avx512(const struct xt2_columns *c, const u16 *key, u32 block, u32 end,
			   u32 *hits)
{
	const u16 *row = xt2_columns_row(c, block);
	const u32 columns = c->columns;
	__m512i keys[XT2_COLUMNS_MAX], not_keys[XT2_COLUMNS_MAX];
	u32 col;

	for (col = 0; col < columns; col++) {
		keys[col] = _mm512_set1_epi16((short)key[c->column[col]]);
		not_keys[col] = _mm512_set1_epi16((short)~key[c->column[col]]);
	}
	for (; block < end; block++, row += (u64)columns * 2 * XT2_BLOCK) {
		const u16 *at = row;
		__mmask32 found = ~(__mmask32)0;

		for (col = 0; col < columns && found; col++, at += 2 * XT2_BLOCK) {
			found = _mm512_mask_cmple_epu16_mask(found, _mm512_loadu_si512(at),
							     keys[col]);
			found = _mm512_mask_cmple_epu16_mask(
				found, _mm512_loadu_si512(at + XT2_BLOCK), not_keys[col]);
		}
		if (found) {
			*hits = (u32)found;
			return block;
		}
	}
	return end;
}
#endif
