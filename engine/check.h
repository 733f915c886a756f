/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_ENGINE_CHECK_H
#define XT2_ENGINE_CHECK_H

#include "image.h"

/* What is wrong with an image, and where. */
struct xt2_check_err {
	const char *what;	/* static text */
	u64 offset;		/* in the image */
	u32 chain;		/* index, or ~0 */
	u32 rule;		/* number in the chain from 1, or 0 */
};

/*
 * xt2_check_scratch - scratch memory that xt2_check() needs for these bytes
 * => bytes, a function of size only: at most a small part of it
 */
u64 xt2_check_scratch(u64 size);

/*
 * xt2_check - the one gate for images from outside
 * @img: the bytes, 8-byte aligned; @size: how many
 * @scratch: xt2_check_scratch(size) bytes, 8-byte aligned
 * @err: filled in on failure; may be NULL
 *
 * Complete: afterwards every access helper and xt2_eval() stay inside the
 * image whatever the packet.  No recursion; time is linear in size.
 * => 0; -EINVAL: not a valid image; -ELOOP: chains that loop
 */
int xt2_check(const void *img, u64 size, void *scratch, struct xt2_check_err *err);

/* The family of a rule, and how many of what it may name by number there are. */
struct xt2_rule_bounds {
	u8 family;		/* enum xt2_family */
	u32 chains;
	u32 cells;
	u32 instances;
};

/*
 * xt2_check_rule - what can be said about one rule by itself
 * @r: 8-byte aligned; @size: bytes that may be read there
 * @what: set to a static text on failure; may be NULL
 *
 * Sizes, alignment, types, flags, reserved bits, payloads, and numbers against
 * their bounds.  What such a number stands for (a chain of the same table, a
 * comment) is the caller's matter.
 * => 0, -EINVAL
 */
int xt2_check_rule(const struct xt2_rule __img *r, u32 size, const struct xt2_rule_bounds *bounds,
		   const char **what);

#endif
