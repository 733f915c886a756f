/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vectors.h - searches and tests with the vectors that the processor has
 *
 * The engine calls the names on the left.  The BPF programs have scalar ones
 * under the same include guard.
 */
#ifndef XT2_VECTORS_H
#define XT2_VECTORS_H

#include "count-sse2.h"
#include "engine/index/search.h"

#define xt2_scan	xt2_scan_vector
#define xt2_by_bits	xt2_bits_vector
#define xt2_by_pairs	xt2_spans_vector
#define xt2_collect	xt2_collect_vector
#define xt2_quick_match xt2_tests_vector
#define xt2_by_classes	xt2_buckets_vector

/* xt2_scan_scalar(), xt2_index_bits(), xt2_index_spans(), xt2_index_collect(), xt2_patch_buckets(): see
 * index/search.h */
u32 xt2_scan_vector(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits);
u32 xt2_bits_vector(const struct xt2_chain *chain, struct xt2_search *s, const struct xt2_pkt *pkt,
		    u32 after);
u32 xt2_spans_vector(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt);
u32 xt2_collect_vector(const struct xt2_index *ix, struct xt2_search *s, u32 after);
u32 xt2_buckets_vector(const struct xt2_image *img, const struct xt2_patch *p, struct xt2_search *s,
		       const struct xt2_pkt *pkt);

/*
 * xt2_tests_vector - do all tests of a rule hold?
 * @pkt: one to use an index for
 * => XT2_MISS or XT2_HIT; XT2_UNSURE: do one test after the other
 */
int xt2_tests_vector(const struct xt2_rule *r, const struct xt2_pkt *pkt);

#endif
