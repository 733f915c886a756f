/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-slots.h - the slots of a patch that is edited; not installed
 *
 * Functions that return an int: 0; -ENOSPC, -ENOMEM: the edit is spoilt.
 */
#ifndef XT2_LIBXT2_CHANGE_PATCH_SLOTS_H
#define XT2_LIBXT2_CHANGE_PATCH_SLOTS_H

#include "engine/index/patched.h"
#include "patch-edit.h"

/* => the slot of a hash, to be read */
static inline const struct xt2_patch_slot *xt2_edit_slot_(const struct xt2_patch_edit *e, u32 hash)
{
	return xt2_patch_slot_of(e->space->img, &e->patch, hash);
}

/* => the slot of a hash, which may be changed; NULL: the edit is spoilt */
struct xt2_patch_slot *xt2_patch_slot_own_(struct xt2_patch_edit *e, u32 hash);

/* A list of the slots, or of their pages, for this edit.  => 0, -ENOSPC */
int xt2_patch_slots_begin_(struct xt2_patch_edit *e);

/* Twice as many slots, all of them empty.  @old: out: those before */
struct xt2_patch_slots_before {
	struct xt2_patch patch; /* slot and shift */
	u32 shared; /* as in struct xt2_patch_edit */
};
int xt2_patch_slots_double_(struct xt2_patch_edit *e, struct xt2_patch_slots_before *old);

/* Give up slots, but for their buckets. */
int xt2_patch_slots_drop_(struct xt2_patch_edit *e, const struct xt2_patch_slots_before *old);

#endif
