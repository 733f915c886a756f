/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.h - the platform: all that the engine sees of its environment
 *
 * This is the userspace version; the BPF programs have their own under the same include guard.
 * The engine allocates no memory, takes no lock, prints nothing and calls nothing that isn't
 * here.  tune.h and simd/vectors.h have its performance switches.
 */
#ifndef XT2_ENV_H
#define XT2_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>
#include "compiler.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* Marks pointers into an image: an address space of its own in BPF. */
#define __img

#define xt2_can_loop true /* loops over the bytes of an image or a packet; BPF bounds them */
#define xt2_ptr(p)   (p) /* was stored in memory; the BPF verifier has to be told that it is one */

#define xt2_separate /* a function that the BPF verifier checks once for all callers */
#define xt2_part     static /* the same, of a file's own functions */
#define xt2_arg_img  /* promises about its arguments */
#define xt2_arg_there

/* What the verifier has to forget, so that it does not follow a loop once for each value. */
#define xt2_zero 0u
#define xt2_forgotten
#define xt2_forget(x)	    ((void)(x))
#define xt2_place(ctx, own) (own) /* where the evaluator's xt2_place is; own: on its stack */

#define xt2_trusts_images  true /* stays an image as it was checked? */
#define xt2_can_run(flags) true /* may an extension with these XT2_EXT_* bits be evaluated? */
#define xt2_can_act(flags) true /* or a target? */
#define xt2_can_search	   true /* and an index? */
#define xt2_can_stop	   false /* may an evaluation stop in a rule, and go on there later? */
#define xt2_leaves(r, ctx) false /* does somebody else carry out what was only modelled here? */

#define xt2_has_native		  false /* are targets called that are not the engine's? */
#define xt2_native_target(r, ctx) XT2_DROP
/* Bytes of the packet that are not at its data.  => pointer, or NULL: they are lost */
#define xt2_pkt_beyond(pkt, off, len) ((void)((pkt)->cut = 1), (const u8 *)NULL)

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

/* State cells are changed by compare-and-swap only, which all processors see in one order. */
static inline u64 xt2_cell_load(const u64 __img *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

/* => true if *cell was old and is now new */
static inline bool xt2_cell_swap(u64 __img *cell, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(cell, &old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* The root is read once per packet; everything it leads to was stored before. */
static inline u64 xt2_root_load(const __u64 __img *root)
{
	return __atomic_load_n(root, __ATOMIC_ACQUIRE);
}

#endif
