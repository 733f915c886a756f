/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.h - the engine's environment in a BPF program
 *
 * Stands in for engine/env.h, engine/tune.h and engine/simd/vectors.h, under
 * their include guards.  The image lies in
 * an arena, an address space of its own: the verifier lets a program go
 * anywhere in it, and memory that was never written reads as zero.  So do the
 * packet and its bytes, which the entry program copies there; the pointers to
 * them that were stored in memory are numbers to the verifier until xt2_ptr()
 * says what they are.
 *
 * The verifier follows numbers that start as a constant through every turn of
 * a loop; xt2_zero is one that it knows nothing about.
 */
#ifndef XT2_ENV_H
#define XT2_ENV_H
#define XT2_TUNE_H
#define XT2_VECTORS_H

#include <asm-generic/errno.h>
#include <linux/types.h>
#include <stdbool.h>

#include "shared-arena.h"
#include "engine/compiler.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define __img __attribute__((address_space(1)))

/* The kernel ends a loop that takes too long: then this is false. */
#define xt2_can_loop                                                   \
	({                                                             \
		__label__ out, on;                                     \
		bool more_ = true;                                     \
		__asm__ volatile goto("may_goto %l[out]" : : : : out); \
		goto on;                                               \
out:                                                                   \
		more_ = false;                                         \
on:                                                                    \
		more_;                                                 \
	})

#define xt2_arena(off) ((void __img *)(XT2_ARENA_BASE + (off)))
#define xt2_zero       (((volatile struct xt2_state __img *)xt2_arena(XT2_ARENA_STATE))->zero)

/* What is in memory: the verifier remembers nothing of it, so that it has not to follow a loop for each value. */
#define xt2_forgotten volatile
/* The same of a number in a register: the verifier does not compute shifts by a number that it does not know. */
#define xt2_forget(x)	    ((x) <<= xt2_zero)
#define xt2_place(ctx, own) ((void)(own), &(ctx)->place)

#define xt2_ptr(p) ((__typeof__(p))(void __img *)(u64)(p))

/* The image's counter of a rule says where its strip has it: see shared-arena.h. */
#define xt2_rule_count(r, n, ctx)                                                     \
	do {                                                                          \
		struct xt2_counter __img *c_ = xt2_at((ctx)->counters, (r)->packets); \
		c_->packets++;                                                        \
		c_->bytes += (n);                                                     \
	} while (0)

#define xt2_prefetch(p)	  ((void)(p))
#define xt2_in_turn(x)	  __asm__ volatile("" : "+r"(x) : : "memory")
#define xt2_scan	  xt2_scan_scalar
#define xt2_by_pairs	  xt2_index_spans
#define xt2_collect	  xt2_index_collect
#define xt2_by_classes	  xt2_patch_buckets
#define xt2_not_above	  xt2_not_above_scalar
#define xt2_trusts_images false /* what an arena has may not be written yet */
#define xt2_special_loops false /* the verifier would follow each rule twice */
#define xt2_passable	  0u /* likewise */
#define xt2_apart	  static __always_inline /* it allows eight frames */

#define xt2_by_bits(c, s, pkt, after) xt2_index_bits(xt2_chain_index(c), s, after)
#define xt2_quick_match(r, pkt)	      ((void)(pkt), XT2_UNSURE)

#define xt2_separate  __attribute__((__noinline__, __visibility__("default")))
#define xt2_part      xt2_separate
#define xt2_arg_img   __attribute__((btf_decl_tag("arg:arena")))
#define xt2_arg_there __attribute__((btf_decl_tag("arg:nonnull")))

/* What the program was loaded for: enum xt2_need.  The verifier leaves out the rest. */
extern const volatile u32 xt2_can;

#define xt2_can_run(flags)                                                                        \
	(!((flags)&XT2_EXT_NATIVE) && (!((flags)&XT2_EXT_MEMORY) || xt2_can & XT2_NEED_MEMORY) && \
	 (!((flags)&XT2_EXT_RARE) || xt2_can & XT2_NEED_RARE))
#define xt2_can_act(flags) xt2_can_run(flags)
#define xt2_can_search	   (xt2_can & XT2_NEED_SEARCH)
#define xt2_can_stop	   (xt2_can & XT2_NEED_STOPS)

#define xt2_leaves(r, ctx) xt2_left_target(r, ctx) /* see left.h */

#define xt2_has_native		      false
#define xt2_native_target(r, ctx)     XT2_DROP
#define xt2_pkt_beyond(pkt, off, len) ((void)((pkt)->cut = 1), (const u8 *)NULL)

typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
#ifndef offsetof
#define offsetof(t, m) __builtin_offsetof(t, m)
#endif
#define memset	__builtin_memset
#define memcpy	__builtin_memcpy
#define memmove xt2_memmove

/* Of a few bytes; a builtin would be a call. */
static inline void xt2_memmove(u8 *to, const u8 *from, u32 n)
{
	while (n-- && xt2_can_loop)
		to[n] = from[n];
}

struct xt2_ctx;
struct xt2_rule;
xt2_separate int xt2_left_target(const struct xt2_rule __img *r xt2_arg_img,
				 struct xt2_ctx *ctx xt2_arg_there);

/* The machine loads words from any address; the compiler wouldn't believe it of bytes. */
static inline u16 xt2_be16(const void *p)
{
	return __builtin_bswap16(*(const u16 *)p);
}

static inline u32 xt2_be32(const void *p)
{
	return __builtin_bswap32(*(const u32 *)p);
}

static inline u64 xt2_raw64(const void *p)
{
	return *(const u64 *)p;
}

static inline u64 xt2_cell_load(const u64 __img *cell)
{
	return *(const volatile u64 __img *)cell;
}

static inline bool xt2_cell_swap(u64 __img *cell, u64 old, u64 new)
{
	return __sync_val_compare_and_swap(cell, old, new) == old;
}

static inline u64 xt2_root_load(const __u64 __img *root)
{
	return *(const volatile __u64 __img *)root;
}

#endif
