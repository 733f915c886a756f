/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan-avx2.c - scan columns, 16 rules at a time
 *
 * least <= key is max(key, least) == key; AVX2 has no comparison of unsigned
 * numbers.  The keys are spread once for all blocks.
 */
#include "config.h"
#include "scan.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((__target__("avx2,popcnt")))

AVX2 static inline __m256i holds(__m256i key, __m256i not_key, const __m256i *row)
{
	__m256i least = _mm256_loadu_si256(row), beyond = _mm256_loadu_si256(row + 2);

	return _mm256_and_si256(_mm256_cmpeq_epi16(_mm256_max_epu16(key, least), key),
				_mm256_cmpeq_epi16(_mm256_max_epu16(not_key, beyond), not_key));
}

/* A bit for each of 32 words that are 0 or ~0. */
AVX2 static inline u32 bits_of(__m256i low, __m256i high)
{
	__m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);

	return (u32)_mm256_movemask_epi8(bytes);
}

AVX2 u32 xt2_scan_avx2(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits)
{
	const __m256i *row = (const __m256i *)xt2_columns_row(c, block);
	const u32 columns = c->columns;
	__m256i keys[XT2_COLUMNS_MAX], not_keys[XT2_COLUMNS_MAX];
	u32 col;

	if (!columns) {
		*hits = ~0u;
		return block;
	}
	for (col = 0; col < columns; col++) {
		keys[col] = _mm256_set1_epi16((short)key[c->column[col]]);
		not_keys[col] = _mm256_xor_si256(keys[col], _mm256_set1_epi16(-1));
	}
	for (; block < end; block++, row += (u64)columns * 4) {
		__m256i low = holds(keys[0], not_keys[0], row);
		__m256i high = holds(keys[0], not_keys[0], row + 1);

		for (col = 1; col < columns; col++) {
			__m256i any = _mm256_or_si256(low, high);

			if (_mm256_testz_si256(any, any))
				break;
			low = _mm256_and_si256(low, holds(keys[col], not_keys[col], row + col * 4));
			high = _mm256_and_si256(high,
						holds(keys[col], not_keys[col], row + col * 4 + 1));
		}
		*hits = bits_of(low, high);
		if (col == columns && *hits)
			return block;
	}
	return end;
}
#endif
