/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit.h - change the rules of one chain by one splice
 *
 * For images that nobody evaluates meanwhile.  The bytes behind the chain's
 * rules move once, however many edits there are; spare room is used first.
 */
#ifndef XT2_ENGINE_EDIT_H
#define XT2_ENGINE_EDIT_H

#include "image.h"

enum xt2_edit_op {
	XT2_EDIT_INSERT, /* rule goes before the rule at this position */
	XT2_EDIT_DELETE,
	XT2_EDIT_REPLACE, /* the new rule's own counters count */
};

struct xt2_edit {
	u8 op; /* enum xt2_edit_op */
	u32 at; /* rule number before all edits, from 0 */
	const struct xt2_rule *rule; /* complete; not for DELETE */
	u32 line; /* source line; 0: none */
};

/*
 * xt2_edit_chain - apply several edits to one chain, all or none
 * @img: a checked image in a buffer of cap bytes; nobody evaluates it
 * @chain: index
 * @edits: n edits, sorted by at; several INSERTs at one place keep their order
 *   and come before a DELETE or REPLACE at this place; the tail can be replaced
 *   (a policy) but not deleted, and nothing follows it; rules are not in img
 * @scratch: xt2_check_scratch(cap) bytes, 8-byte aligned
 *
 * Indices (chains, cells, instances) that new rules name must exist.  The
 * result is a valid image: loops that an edit would make are refused.  What
 * deleted rules took stays with the chain as spare room, and so does what an
 * index of the chain took, which is dropped.  Room for all
 * insertions may be needed before the deletions behind them count.
 * => 0; -ENOSPC: cap is too small, -EINVAL: a bad edit or rule, -ELOOP;
 *    on failure the image is as it was
 */
int xt2_edit_chain(struct xt2_image *img, u64 cap, u32 chain, const struct xt2_edit *edits, u32 n,
		   void *scratch);

#endif
