/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hashlimit.h - the cost of a rate: shared by the match and its translator
 *
 * Source: net/netfilter/xt_hashlimit.c, with CONFIG_HZ=250
 */
#ifndef XT2_EXTENSIONS_STATE_HASHLIMIT_H
#define XT2_EXTENSIONS_STATE_HASHLIMIT_H

#include "engine/env.h"

#define XT2_HASHLIMIT_HZ	250u
#define XT2_HASHLIMIT_CREDITS1	128u /* a tick's worth, revision 1 */
#define XT2_HASHLIMIT_CREDITS	(1ull << 39) /* the others */
#define XT2_HASHLIMIT_CREDITS_B (1u << 24) /* of bytes */
#define XT2_HASHLIMIT_FULL_B	((u64)XT2_HASHLIMIT_CREDITS_B * XT2_HASHLIMIT_HZ)

static inline u64 xt2_hashlimit_tick(u32 revision)
{
	return revision == 1 ? XT2_HASHLIMIT_CREDITS1 : XT2_HASHLIMIT_CREDITS;
}

/* => credits of a time in avg's unit; the quotient is a whole number, as the kernel's */
static inline u64 xt2_hashlimit_credits(u64 time, u32 revision)
{
	return time * (revision == 1 ? XT2_HASHLIMIT_HZ * XT2_HASHLIMIT_CREDITS1 / 10000u
				     : XT2_HASHLIMIT_HZ * XT2_HASHLIMIT_CREDITS / 1000000u);
}

/* => credits of 16 bytes */
static inline u64 xt2_hashlimit_credits_b(u32 avg)
{
	return avg * XT2_HASHLIMIT_FULL_B >> 32;
}

/* => false: the kernel answers -ERANGE, or -EINVAL of bytes */
static inline bool xt2_hashlimit_fits(u64 avg, u64 burst, bool bytes, u32 revision)
{
	if (bytes)
		return xt2_hashlimit_credits_b((u32)avg);
	return burst &&
	       xt2_hashlimit_credits(avg * burst, revision) >= xt2_hashlimit_credits(avg, revision);
}

#endif
