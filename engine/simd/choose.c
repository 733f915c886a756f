/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.c - search with what the processor has: columns, bits, pairs, tests of a rule
 *
 * A switch on a number that never changes is predicted; a pointer to a
 * function would be one more thing that bytes gone astray can overwrite.
 */
#include "config.h"
#include "scan.h"
#include "engine/eval.h"

static int chosen = -1; /* enum xt2_scan_way */

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
	__atomic_store_n(&chosen, (int)way, __ATOMIC_RELAXED);
	return 0;
}

const char *xt2_scan_name(enum xt2_scan_way way)
{
	static const char *const names[] = { "scalar", "AVX2", "AVX-512" };

	return way < XT2_SCAN_WAYS ? names[way] : NULL;
}

u32 xt2_scan_vector(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits)
{
	switch (__atomic_load_n(&chosen, __ATOMIC_RELAXED)) {
#ifdef __x86_64__
	case XT2_SCAN_AVX512: return xt2_scan_avx512(c, key, block, end, hits);
	case XT2_SCAN_AVX2: return xt2_scan_avx2(c, key, block, end, hits);
#endif
	case XT2_SCAN_SCALAR: return xt2_scan_scalar(c, key, block, end, hits);
	}
	xt2_scan_choose(xt2_scan_best());
	return xt2_scan_vector(c, key, block, end, hits);
}

/* The first search of all, and processors without AVX2: apart, so that what is common is one jump. */
static __attribute__((__noinline__)) u32 bits_otherwise(const struct xt2_chain *chain,
							struct xt2_search *s,
							const struct xt2_pkt *pkt, u32 after)
{
	if (__atomic_load_n(&chosen, __ATOMIC_RELAXED) == XT2_SCAN_SCALAR)
		return xt2_index_bits(xt2_chain_index(chain), s, after);
	xt2_scan_choose(xt2_scan_best());
	return xt2_bits_vector(chain, s, pkt, after);
}

u32 xt2_bits_vector(const struct xt2_chain *chain, struct xt2_search *s, const struct xt2_pkt *pkt,
		    u32 after)
{
#ifdef __x86_64__
	if (likely(__atomic_load_n(&chosen, __ATOMIC_RELAXED) >= XT2_SCAN_AVX2))
		/* to which AVX-512 has nothing to add */
		return xt2_bits_avx2(chain, s, pkt, after);
#endif
	return bits_otherwise(chain, s, pkt, after);
}

/* The first rule of all, and processors without AVX2. */
static __attribute__((__noinline__)) int tests_otherwise(const struct xt2_rule *r,
							 const struct xt2_pkt *pkt)
{
	if (__atomic_load_n(&chosen, __ATOMIC_RELAXED) == XT2_SCAN_SCALAR)
		return XT2_UNSURE;
	xt2_scan_choose(xt2_scan_best());
	return xt2_tests_vector(r, pkt);
}

int xt2_tests_vector(const struct xt2_rule *r, const struct xt2_pkt *pkt)
{
#ifdef __x86_64__
	if (likely(__atomic_load_n(&chosen, __ATOMIC_RELAXED) >= XT2_SCAN_AVX2))
		return xt2_tests_avx2(r, pkt);
#endif
	return tests_otherwise(r, pkt);
}

static __attribute__((__noinline__)) u32
spans_otherwise(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt)
{
	if (__atomic_load_n(&chosen, __ATOMIC_RELAXED) == XT2_SCAN_SCALAR)
		return xt2_index_spans(ix, s, pkt);
	xt2_scan_choose(xt2_scan_best());
	return xt2_spans_vector(ix, s, pkt);
}

u32 xt2_spans_vector(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt)
{
#ifdef __x86_64__
	if (likely(__atomic_load_n(&chosen, __ATOMIC_RELAXED) >= XT2_SCAN_AVX2))
		return xt2_spans_avx2(ix, s, pkt);
#endif
	return spans_otherwise(ix, s, pkt);
}

u32 xt2_collect_vector(const struct xt2_index *ix, struct xt2_search *s, u32 after)
{
#ifdef __x86_64__
	if (likely(__atomic_load_n(&chosen, __ATOMIC_RELAXED) >= XT2_SCAN_AVX2) && ix->ahead == 1)
		return xt2_collect_avx2(ix, s, after);
#endif
	return xt2_index_collect(ix, s, after); /* who finds the buckets has chosen */
}
