/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count-below.h - how many of a few ascending numbers are not above one
 *
 * The scalar version.  list: n numbers of 15 bits, and after
 * them 16 of any kind that can be read, which vectors do.  There are seldom
 * more than 15.
 */
#ifndef XT2_ENGINE_INDEX_COUNT_BELOW_H
#define XT2_ENGINE_INDEX_COUNT_BELOW_H

#include "engine/env.h"

static __always_inline u32 xt2_not_above_scalar(const u16 __img *list, u32 n, u16 most)
{
	u32 at = xt2_zero;

	while (at < n && list[at] <= most && xt2_can_loop)
		at++;
	return at;
}

#endif
