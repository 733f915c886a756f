/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners.h - whose the chains of an image are; not installed
 *
 * A user chain belongs to the owner for whom it was made.  Its struct xt2_way has the number of the
 * owner, from 1, in the image's list of names (struct xt2_owners of <xt2/edits.h>).  Nothing
 * checks these bytes, so they are read with care here.
 */
#ifndef XT2_LIBXT2_CHANGE_OWNERS_H
#define XT2_LIBXT2_CHANGE_OWNERS_H

#include <xt2/edits.h>
#include "engine/env.h"

/* The owners of an image. */
struct xt2_owned {
	const struct xt2_image *img;
	u64 size;
	u32 chains, way; /* offset of the offsets of pages; 0: no chain has an owner */
	u32 names; /* offset of struct xt2_owners */
	u32 count; /* of names */
};

/* @size: bytes of the image; @root: offset of a root */
void xt2_owned_begin(struct xt2_owned *o, const struct xt2_image *img, u64 size, u64 root);

/* => number of a chain's owner; 0: it has none */
u8 xt2_owned_by(const struct xt2_owned *o, u32 chain);

/* The names, each ended by NUL; to has room for all. */
void xt2_owned_names(const struct xt2_owned *o, struct xt2_owners *to);

/* => number of an owner in a list, which is added if it is not there; 0: the list is full */
u8 xt2_owner_number(struct xt2_owners *list, const char *name);

/* => bytes of a list */
static inline u32 xt2_owners_size(const struct xt2_owners *list)
{
	return (u32)(offsetof(struct xt2_owners, name) + list->count * sizeof(list->name[0]));
}

#endif
