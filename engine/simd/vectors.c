/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vectors.c - searches by bits, pairs and classes, and tests of a rule, with AVX2 or without
 *
 * AVX-512 has nothing to add to these.
 */
#include "config.h"
#include "engine/match.h"
#include "scan.h"
#include "vectors.h"

#ifdef __x86_64__
/* The first search of all, and processors without AVX2: apart, so that the common case is one jump. */
static __attribute__((__noinline__)) bool choose_avx2(void)
{
	if (xt2_scan_chosen() < XT2_SCAN_SCALAR)
		xt2_scan_choose(xt2_scan_best());
	return xt2_scan_chosen() >= XT2_SCAN_AVX2;
}

static __always_inline bool has_avx2(void)
{
	return likely(xt2_scan_chosen() >= XT2_SCAN_AVX2) || choose_avx2();
}
#else
#define has_avx2() false
#endif

u32 xt2_bits_vector(const struct xt2_chain *chain, struct xt2_search *s, const struct xt2_pkt *pkt,
		    u32 after)
{
	if (has_avx2())
		return xt2_bits_avx2(chain, s, pkt, after);
	return xt2_index_bits(xt2_chain_index(chain), s, after);
}

int xt2_tests_vector(const struct xt2_rule *r, const struct xt2_pkt *pkt)
{
	if (has_avx2())
		return xt2_tests_avx2(r, pkt);
	return XT2_UNSURE;
}

u32 xt2_spans_vector(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt)
{
	if (has_avx2())
		return xt2_spans_avx2(ix, s, pkt);
	return xt2_index_spans(ix, s, pkt);
}

u32 xt2_collect_vector(const struct xt2_index *ix, struct xt2_search *s, u32 after)
{
	if (ix->ahead == 1 && has_avx2())
		return xt2_collect_avx2(ix, s, after);
	return xt2_index_collect(ix, s, after);
}

u32 xt2_buckets_vector(const struct xt2_image *img, const struct xt2_patch *p, struct xt2_search *s,
		       const struct xt2_pkt *pkt)
{
	if (has_avx2())
		return xt2_buckets_avx2(img, p, s, pkt);
	return xt2_patch_buckets(img, p, s, pkt);
}
