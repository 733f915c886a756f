/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan.h - which vectors vectors.h uses, and their functions */
#ifndef XT2_ENGINE_SIMD_SCAN_H
#define XT2_ENGINE_SIMD_SCAN_H

#include "engine/index/search.h"

enum xt2_scan_way { XT2_SCAN_SCALAR, XT2_SCAN_AVX2, XT2_SCAN_AVX512, XT2_SCAN_WAYS };

u32 xt2_scan_avx2(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits);
u32 xt2_bits_avx2(const struct xt2_chain *chain, struct xt2_search *s, const struct xt2_pkt *pkt,
		  u32 after);
u32 xt2_spans_avx2(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt);
u32 xt2_collect_avx2(const struct xt2_index *ix, struct xt2_search *s, u32 after);
u32 xt2_buckets_avx2(const struct xt2_image *img, const struct xt2_patch *p, struct xt2_search *s,
		     const struct xt2_pkt *pkt);
int xt2_tests_avx2(const struct xt2_rule *r, const struct xt2_pkt *pkt);
u32 xt2_scan_avx512(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits);

/* enum xt2_scan_way, or -1: not chosen yet */
extern __attribute__((__visibility__("hidden"))) int xt2_scan_chosen_;

static inline int xt2_scan_chosen(void)
{
	return __atomic_load_n(&xt2_scan_chosen_, __ATOMIC_RELAXED);
}

/* => the best way that this processor has */
enum xt2_scan_way xt2_scan_best(void);

/*
 * xt2_scan_choose - scan this way from now on, in all threads
 *
 * For tests and benchmarks; otherwise the first scan chooses the best.
 * => 0; -ENOTSUP: the processor cannot
 */
int xt2_scan_choose(enum xt2_scan_way way);

const char *xt2_scan_name(enum xt2_scan_way way);

#endif
