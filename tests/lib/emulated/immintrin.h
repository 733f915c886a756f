/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * immintrin.h - what engine/simd/scan-avx512.c asks of AVX-512, number by number
 *
 * For processors that have none.  This stands in for the compiler's header of
 * the same name; the attribute that would let the compiler use AVX-512 by
 * itself is taken away.
 */
#ifndef TESTS_EMULATED_IMMINTRIN_H
#define TESTS_EMULATED_IMMINTRIN_H

#include <string.h>

#define __target__(what) __unused__

typedef struct {
	unsigned short word[32];
} __m512i;

typedef unsigned int __mmask32;

static inline __m512i _mm512_set1_epi16(short v)
{
	__m512i all;
	int i;

	for (i = 0; i < 32; i++)
		all.word[i] = (unsigned short)v;
	return all;
}

static inline __m512i _mm512_loadu_si512(const void *from)
{
	__m512i v;

	memcpy(&v, from, sizeof(v));
	return v;
}

/* A bit for each number of a that is no larger than b's, if k has the bit. */
static inline __mmask32 _mm512_mask_cmple_epu16_mask(__mmask32 k, __m512i a, __m512i b)
{
	__mmask32 mask = 0;
	int i;

	for (i = 0; i < 32; i++)
		mask |= (__mmask32)(a.word[i] <= b.word[i]) << i;
	return mask & k;
}

#endif
