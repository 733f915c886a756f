/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.h - the cost of a rate: shared by the match and its translator
 *
 * Source: net/netfilter/xt_limit.c, with CONFIG_HZ=250
 */
#ifndef XT2_EXTENSIONS_STATE_LIMIT_H
#define XT2_EXTENSIONS_STATE_LIMIT_H

#include "engine/env.h"

#define XT2_LIMIT_HZ	  250u /* ticks a second */
#define XT2_LIMIT_CREDITS 128u /* a tick's worth: so that one a day fits 32 bits */
#define XT2_LIMIT_SCALE	  10000u /* avg's unit: 1 s / 10,000 */

/* => credits of a time in avg's unit; a long one is rounded first, so it may overflow later */
static inline u32 xt2_limit_credits(u32 time)
{
	const u32 second = XT2_LIMIT_HZ * XT2_LIMIT_CREDITS;

	if (time > 0xffffffffu / second)
		return time / XT2_LIMIT_SCALE * second;
	return time * second / XT2_LIMIT_SCALE;
}

/* => false: the kernel answers -ERANGE */
static inline bool xt2_limit_fits(u32 avg, u32 burst)
{
	return burst && xt2_limit_credits(avg * burst) >= xt2_limit_credits(avg);
}

#endif
