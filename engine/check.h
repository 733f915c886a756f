/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - the gate for images and rules from outside
 *
 * All other code trusts an image that passes.  doc/format.md lists the checks.
 */
#ifndef XT2_ENGINE_CHECK_H
#define XT2_ENGINE_CHECK_H

#include "image.h"

struct xt2_walk_chain;

/* The problem with an image, and its place. */
struct xt2_check_err {
	const char *what; /* static text */
	u64 offset; /* in the image */
	u32 chain; /* index, or ~0 */
	u32 rule; /* number in the chain from 1, or 0 */
};

/*
 * xt2_check_scratch - scratch memory that xt2_check() needs for these bytes
 *
 * One bit for every 8 bytes, and 32 bytes for every chain that could be there;
 * only as much as there are chains is touched.
 * => bytes, a function of size only: less than size + 1 KiB
 */
u64 xt2_check_scratch(u64 size);

/*
 * xt2_check - the one gate for images from outside
 * @img: the bytes, 8-byte aligned; @size: how many
 * @scratch: xt2_check_scratch(size) bytes, 8-byte aligned
 * @err: filled in on failure; may be NULL
 *
 * Complete: afterwards every access helper and xt2_eval() stay inside the
 * image whatever the packet, and evaluation by its indexes does what
 * evaluation rule after rule does.  No recursion; time is linear in size but for the
 * sorting of n chain names, n log n.
 * => 0; -EINVAL: not a valid image; -ELOOP: chains that loop
 */
int xt2_check(const void *img, u64 size, void *scratch, struct xt2_check_err *err);

/*
 * xt2_check_rules - the same for callers that want the rules alone
 *
 * Indexes are dropped, not checked: what their runs have counted goes to the
 * rules.  So an image whose index is wrong gives its rules back.
 * => as xt2_check(); after a failure, indexes of some chains may be gone
 */
int xt2_check_rules(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err);

/*
 * xt2_check_sparse - the same for an image that may be mostly empty
 *
 * That is what an older generation can be in an image that was edited since, and before.  The
 * caller knows how large it is, and has the memory.
 */
int xt2_check_sparse(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err);

/* The family of a rule, and the bounds of the numbers in it. */
struct xt2_rule_bounds {
	u8 family; /* enum xt2_family */
	u32 chains;
	u32 cells;
	u32 instances;
};

/*
 * xt2_check_rule - check one rule by itself
 * @r: 8-byte aligned; @size: bytes that may be read there
 * @what: set to a static text on failure; may be NULL
 *
 * Sizes, alignment, types, flags, reserved bits, payloads, and numbers against
 * their bounds.  The object of such a number (a chain of the same table, a
 * comment) is the caller's matter.
 * => 0, -EINVAL
 */
int xt2_check_rule(const struct xt2_rule __img *r, u32 size, const struct xt2_rule_bounds *bounds,
		   const char **what);

/*
 * An image may be so many times as large as its contents, and this large
 * whatever they are: chains have spare room, an index that is dropped leaves
 * some, and numbers of chains that were deleted stay free.
 */
#define XT2_HOLES_TIMES 8u
#define XT2_HOLES_FREE	(64u << 10)

#define XT2_NAMES_DIFFER (~0u)

/*
 * xt2_check_names_ - does each chain of a table have a name of its own?
 * @scratch: one for each chain index; overwritten
 *
 * Chain headers and names have been checked.
 * => XT2_NAMES_DIFFER; or the index of a chain with another's name
 */
u32 xt2_check_names_(const struct xt2_image __img *img, const struct xt2_root __img *root,
		     struct xt2_walk_chain *scratch);

/*
 * xt2_check_seal_ - finish an image that is complete but for depth and visits
 * @img: with the magic of an unfinished image
 *
 * As xt2_check(), but depth and visits are stored, and then the magic.
 * => 0; -EINVAL, -ELOOP: the image is still unfinished
 */
int xt2_check_seal_(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err);

#endif
