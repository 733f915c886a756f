/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tune.h - performance switches of the kernel module, and how it counts
 *
 * Stands in for engine/tune.h and engine/simd/vectors.h, under their include guards.  There are
 * no vector registers here, so searches are the scalar ones.
 */
#ifndef XT2_TUNE_H
#define XT2_TUNE_H
#define XT2_VECTORS_H

/* The rule's counter is a slot in pages of the processor's own: see counters.c. */
#define XT2_SLOTS_SHIFT 8
#define XT2_SLOTS_MASK	255u
void xt2_slot_first(struct xt2_ctx *ctx, u64 slot, u32 bytes);
#define xt2_rule_count(r, n, ctx) xt2_slot_count(ctx, (ctx)->counters, (r)->packets, n)

static __always_inline void xt2_slot_count(struct xt2_ctx *ctx, void *strip, u64 slot, u32 bytes)
{
	u64 *c = ((u64 **)strip)[slot >> XT2_SLOTS_SHIFT];

	if (unlikely(!c)) {
		xt2_slot_first(ctx, slot, bytes);
		return;
	}
	c += 2 * (slot & XT2_SLOTS_MASK);
	WRITE_ONCE(c[0], c[0] + 1);
	WRITE_ONCE(c[1], c[1] + bytes);
}

#define xt2_prefetch(p)	  prefetch(p)
#define xt2_in_turn(x)	  ((void)0)
#define xt2_special_loops true
#define xt2_passable	  5u
#define xt2_apart	  static noinline

#define xt2_scan		      xt2_scan_scalar
#define xt2_by_pairs		      xt2_index_spans
#define xt2_collect		      xt2_index_collect
#define xt2_by_classes		      xt2_patch_buckets
#define xt2_not_above		      xt2_not_above_scalar
#define xt2_by_bits(c, s, pkt, after) xt2_index_bits(xt2_chain_index(c), s, after)
#define xt2_quick_match(r, pkt)	      ((void)(pkt), XT2_UNSURE)

#endif
