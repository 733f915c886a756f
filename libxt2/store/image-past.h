/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-past.h - what a whole image tells of itself, behind it: see image-past.c; not installed */
#ifndef XT2_LIBXT2_STORE_IMAGE_PAST_H
#define XT2_LIBXT2_STORE_IMAGE_PAST_H

#include <xt2/change.h>
#include "engine/env.h"

struct xt2_history;

/* Owners of the chains of an image, which were those of a ruleset. */
struct xt2_chain_owners {
	struct xt2_owners names;
	u32 chains;
	u8 owner[]; /* by chain of the image: number in names, from 1; 0: nobody's */
};

/*
 * xt2_chain_owners_new - the owners of what is packed of a ruleset
 * @rs: all of it is read; or NULL
 * @owners: out: to be freed; NULL: no chain has an owner
 * => 0, -ENOMEM
 */
int xt2_chain_owners_new(const struct xt2_ruleset *rs, struct xt2_chain_owners **owners);

/* What follows an image. */
struct xt2_image_past {
	u8 *bytes; /* to be freed */
	u32 size; /* of them */
	u64 at; /* offset of the first in the image, a multiple of 8 */
	u64 edits; /* offset of struct xt2_edits there, which the root has to name */
	u64 generation; /* which the root has to have */
	u32 newest; /* offset of the newest record; 0: there is none yet */
};

/* => bytes that it takes at most */
u64 xt2_image_past_most(const struct xt2_chain_owners *owners);

/*
 * xt2_image_past_make - records of commits, and edits that name them
 * @p: out
 * @image: without edits; @at: where what is made will be, after its last byte
 * @generation: that it will have
 * @before: of the image whose place it takes; it is only read here
 * @author: of the new one; or NULL
 * @owners: or NULL
 * => 0, -ENOMEM
 */
int xt2_image_past_make(struct xt2_image_past *p, const struct xt2_image *image, u64 at,
			u64 generation, const struct xt2_history *before,
			const struct xt2_author *author, const struct xt2_chain_owners *owners);

#endif
