/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.h - which rules of one image are in another */
#ifndef XT2_LIBXT2_RULESET_PAIR_H
#define XT2_LIBXT2_RULESET_PAIR_H

#include <stdbool.h>
#include "engine/image.h"

/*
 * xt2_image_pair - the rules of an image that were in an older one
 * @old, @img: checked images with a ruleset; counters and cells of old are not read
 * @want: by table of img: false: all of its rules count as new; NULL: pair all tables
 * @pair: out: for each rule of img, in the order of chains, then of rules, tails included:
 *	offset of the old one; 0: it is new
 *
 * A rule is the same if it says the same in the chain of the same family, table
 * and name; the k-th duplicate maps to the k-th duplicate.
 * => 0, -ENOMEM
 */
int xt2_image_pair(const struct xt2_image *old, const struct xt2_image *img, const bool *want,
		   u32 *pair);

#endif
