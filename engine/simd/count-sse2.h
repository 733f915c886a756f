/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count-sse2.h - as engine/index/count-below.h, 16 numbers at a time
 *
 * Of 16 at once the last one counts as above; up to 15 there is no branch,
 * which would be mispredicted half the time.
 */
#ifndef XT2_ENGINE_SIMD_COUNT_SSE2_H
#define XT2_ENGINE_SIMD_COUNT_SSE2_H

#include "engine/index/count-below.h"

#ifdef __SSE2__
static __always_inline u32 xt2_few_not_above(const u16 *list, u16 most)
{
	typedef short eight __attribute__((vector_size(16)));
	const eight than = (eight){ 0 } + (short)most;
	eight low, high;

	memcpy(&low, list, sizeof(low));
	memcpy(&high, list + 8, sizeof(high));
	return (u32)__builtin_ctz((u32)__builtin_ia32_pmovmskb128(
					  __builtin_ia32_packsswb128(low > than, high > than)) |
				  1u << 15);
}

static __always_inline u32 xt2_not_above(const u16 *list, u32 n, u16 most)
{
	u32 few = xt2_few_not_above(list, most), at = few;

	while (unlikely(few == 15) && at < n) {
		few = xt2_few_not_above(list + at, most);
		at += few;
	}
	return at < n ? at : n;
}
#else
#define xt2_not_above xt2_not_above_scalar
#endif

#endif
