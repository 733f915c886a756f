/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.h - all that the engine sees of its environment
 *
 * This is the userspace version.  The kernel module and the BPF host replace
 * it by their own under the same include guard.  The engine allocates no
 * memory, takes no lock, prints nothing and calls nothing that isn't here.
 */
#ifndef XT2_ENV_H
#define XT2_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* Marks pointers into an image: an address space of its own in BPF. */
#define __img

/* Loops over the bytes of an image or a packet; BPF bounds them. */
#define xt2_can_loop true

/* A pointer that a host put into memory; BPF has to be told that it still is one. */
#define xt2_ptr(p) (p)

/*
 * A function that the BPF verifier looks at once, whatever its callers do, and
 * what it may take for granted of its arguments.
 */
#define xt2_separate
#define xt2_arg_img
#define xt2_arg_there

/* A number that starts at 0 and is changed in a loop whose length the verifier cannot know. */
#define xt2_zero 0u

/*
 * A rule counts; a host may keep the counters elsewhere.  These are two
 * additions to memory: done as one vector they take four times the steps.
 */
#define xt2_rule_count(r, n, ctx)                 \
	do {                                      \
		(r)->packets++;                   \
		__asm__("" : "+m"((r)->packets)); \
		(r)->bytes += (n);                \
	} while (0)

/* Memory that will be read soon. */
#define xt2_prefetch(p) __builtin_prefetch(p)

/* Steps one after the other, where there are few registers and little stack. */
#define xt2_in_turn(x) ((void)0)

/* Is an image as it was when it was checked?  Then the chains that its rules name are there. */
#define xt2_trusts_images true

/* Have common cases loops of their own, such as packets without a search? */
#define xt2_special_loops true

/* So many rules of a chain are looked at before a jump to it is made. */
#define xt2_passable 5u

/* Compare the blocks of columns with a packet's keys, search by bits, find buckets: see index/search.h. */
#define xt2_scan     xt2_scan_vector
#define xt2_by_bits  xt2_bits_vector
#define xt2_by_pairs xt2_spans_vector
#define xt2_collect  xt2_collect_vector

/* Look at all tests of a rule at once: see eval.h. */
#define xt2_quick_match xt2_tests_vector

/* May this environment evaluate an extension with these XT2_EXT_* bits? */
#define xt2_can_run(flags) true

#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#define XT2_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __fallthrough	  __attribute__((__fallthrough__))
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

/* Loads from packet bytes: any alignment, network order to host order. */
static inline u16 xt2_be16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline u32 xt2_be32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline u64 xt2_raw64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Stores to packet bytes, likewise. */
static inline void xt2_put_be16(void *p, u16 v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

/* State cells are changed by compare-and-swap only. */
static inline u64 xt2_cell_load(const u64 __img *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

/* => true if *cell was old and is now new */
static inline bool xt2_cell_swap(u64 __img *cell, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(cell, &old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* The root is read once per packet; everything behind it was stored before. */
static inline u64 xt2_root_load(const __u64 __img *root)
{
	return __atomic_load_n(root, __ATOMIC_ACQUIRE);
}

/*
 * Count numbers: see count-below.h.  Of 16 at once the last one is taken for one
 * that is above; up to 15 there is no branch, which would go wrong half the time.
 */
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
