/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.h - the engine's environment in the kernel module
 *
 * Stands in for engine/env.h under its include guard, as tune.h does for engine/tune.h.
 *
 * What only reads the packet is the engine's; what keeps state, asks the kernel or acts is left
 * to the kernel's own matches and targets (native.c).
 */
#ifndef XT2_ENV_H
#define XT2_ENV_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/prefetch.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/version.h>
#include "engine/compiler.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#if !defined(CONFIG_64BIT) || defined(__BIG_ENDIAN)
#error "xt2 is for kernels with CONFIG_64BIT=y that are little-endian"
#endif

#define __img
#define xt2_can_loop true
#define xt2_ptr(p)   (p)

#define xt2_separate
#define xt2_part static
#define xt2_arg_img
#define xt2_arg_there

#define xt2_zero 0u
#define xt2_forgotten
#define xt2_forget(x)	    ((void)(x))
#define xt2_place(ctx, own) (own)

#define xt2_trusts_images true
#define xt2_can_search	  true
#define xt2_can_stop	  false

#define xt2_can_run(flags) (!((flags)&XT2_EXT_THEIRS))
#define xt2_can_act(flags) false /* nor any target that is not the engine's own */

struct xt2_ctx;
struct xt2_pkt;
struct xt2_rule;
#define xt2_has_native true
int xt2_native_target(const struct xt2_rule *r, struct xt2_ctx *ctx);
#define xt2_leaves(r, ctx) false
const u8 *xt2_pkt_beyond(struct xt2_pkt *pkt, u32 off, u32 len);

/* The compiler's are calls of a library that the kernel has not. */
#define __builtin_popcount(x)	((int)hweight32(x))
#define __builtin_popcountl(x)	((int)hweight64(x))
#define __builtin_popcountll(x) ((int)hweight64(x))

static inline u16 xt2_be16(const void *p)
{
	return get_unaligned_be16(p);
}

static inline u32 xt2_be32(const void *p)
{
	return get_unaligned_be32(p);
}

static inline u64 xt2_raw64(const void *p)
{
	return get_unaligned((const u64 *)p);
}

static inline u64 xt2_cell_load(const u64 *cell)
{
	return READ_ONCE(*cell);
}

static inline bool xt2_cell_swap(u64 *cell, u64 old, u64 new)
{
	return cmpxchg64(cell, old, new) == old;
}

static inline u64 xt2_root_load(const __u64 *root)
{
	return smp_load_acquire(root);
}

#include "tune.h"

#endif
