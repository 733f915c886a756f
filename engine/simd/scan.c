/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.c - choose the processor's vectors, and scan columns with them
 *
 * A switch on a number that never changes is predicted; a function pointer
 * would be another target for memory corruption.
 */
#include "config.h"
#include "scan.h"
#include "vectors.h"

int xt2_scan_chosen_ = -1;

enum xt2_scan_way xt2_scan_best(void)
{
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
	    !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
		return XT2_SCAN_SCALAR;
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512f"))
		return XT2_SCAN_AVX512;
	return XT2_SCAN_AVX2;
#else
	return XT2_SCAN_SCALAR;
#endif
}

int xt2_scan_choose(enum xt2_scan_way way)
{
	if (way > xt2_scan_best())
		return -ENOTSUP;
	__atomic_store_n(&xt2_scan_chosen_, (int)way, __ATOMIC_RELAXED);
	return 0;
}

const char *xt2_scan_name(enum xt2_scan_way way)
{
	static const char *const names[] = { "scalar", "AVX2", "AVX-512" };

	return way < XT2_SCAN_WAYS ? names[way] : NULL;
}

u32 xt2_scan_vector(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits)
{
	switch (xt2_scan_chosen()) {
#ifdef __x86_64__
	case XT2_SCAN_AVX512: return xt2_scan_avx512(c, key, block, end, hits);
	case XT2_SCAN_AVX2: return xt2_scan_avx2(c, key, block, end, hits);
#endif
	case XT2_SCAN_SCALAR: return xt2_scan_scalar(c, key, block, end, hits);
	}
	xt2_scan_choose(xt2_scan_best());
	return xt2_scan_vector(c, key, block, end, hits);
}
