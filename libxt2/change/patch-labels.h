/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch-labels.h - the order of rules that are inserted at one place; not installed */
#ifndef XT2_LIBXT2_CHANGE_PATCH_LABELS_H
#define XT2_LIBXT2_CHANGE_PATCH_LABELS_H

#include "patch-items.h"

/*
 * xt2_label_choose_ - a label for a rule that will stand at a spot
 * @at: its place; the items before and after the spot may have the same
 * => 0; -ENOSPC, -ENOMEM: the edit is spoilt
 */
int xt2_label_choose_(struct xt2_patch_edit *e, u32 at, struct xt2_spot s, u32 *label);

/* => offset of a rule in a record of its own; 0: the edit is spoilt */
u32 xt2_record_add_(struct xt2_patch_edit *e, u32 at, u32 label, u32 line,
		    const struct xt2_rule *rule);

/* => bytes of an inserted rule's record */
static inline u32 xt2_record_size_(const struct xt2_rule *r)
{
	return (u32)offsetof(struct xt2_inserted, rule) + r->size;
}

#endif
