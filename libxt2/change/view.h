/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - the rules of a chain by their numbers, also while it is edited; not installed
 *
 * A view of a chain in an image, or of an edit that goes on.  It costs about the same for any
 * number of rules if the compiled chain has a finder.  Rules are numbered from 0, and have
 * their offsets in the image; the tail, which has the number after the last rule, is that of
 * the compiled chain, since the one of an edited chain is not written yet.
 *
 * A view has no memory of its own.  It is valid as long as the chain; that of an edit until its
 * next change.  The image was checked.
 */
#ifndef XT2_LIBXT2_CHANGE_VIEW_H
#define XT2_LIBXT2_CHANGE_VIEW_H

#include "engine/order.h"
#include "finder.h"
#include "patch-edit.h"

#define XT2_VIEW_NONE 0xffffffffu /* number of a rule that is not there */

struct xt2_view {
	const struct xt2_image *img;
	const struct xt2_chain *compiled;
	const struct xt2_finder *finder; /* of that; NULL: none */
	const struct xt2_patch *patch; /* NULL: none; but for part */
	const struct xt2_patch_part *part; /* of the patch */
	u32 parts;
};

/* @finder: of its compiled chain, or NULL, which is slow if the chain is long */
void xt2_view_chain(struct xt2_view *v, const struct xt2_image *img, const struct xt2_chain *chain,
		    const struct xt2_finder *finder);
void xt2_view_edit(struct xt2_view *v, const struct xt2_patch_edit *e,
		   const struct xt2_finder *finder);

/* => how many rules, without the tail */
u32 xt2_view_length(const struct xt2_view *v);

/* => offset in the image of rule n; of the tail, if there are no more than n */
u32 xt2_view_nth(const struct xt2_view *v, u32 n);

/* => number of the rule with an offset; XT2_VIEW_NONE: the chain has none there, or no longer */
u32 xt2_view_number(const struct xt2_view *v, u32 rule);

/*
 * xt2_view_find - find the first rule that is equal
 * @rule: its numbers of chains are the image's; those of cells and instances do not matter
 * @same: is this rule equal?  It is asked for rules that differ from @rule in numbers of cells
 *	and instances and in counters at most, but for very few; not in their order, and for
 *	those that were deleted, too.  So rules that differ in an instance alone are all read.
 * => its number; -ENOENT: there is none
 */
int xt2_view_find(const struct xt2_view *v, const struct xt2_rule *rule,
		  bool (*same)(void *arg, const struct xt2_rule *candidate), void *arg);

/* Before rule n; xt2_order_next() goes on from there, to the tail. */
void xt2_view_walk(const struct xt2_view *v, u32 n, struct xt2_in_order *o);

#endif
