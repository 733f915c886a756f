/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-entries.h - the buckets and classes of a patch that is edited; not installed
 *
 * Functions that return an int: 0; -ENOSPC, -ENOMEM: the edit is spoilt.
 */
#ifndef XT2_LIBXT2_CHANGE_PATCH_ENTRIES_H
#define XT2_LIBXT2_CHANGE_PATCH_ENTRIES_H

#include "engine/index/patched.h"
#include "patch-edit.h"

/* The entry of a deleted rule, or of a rule group. */
static inline struct xt2_patch_entry xt2_entry_of_place_(u32 place, u32 what)
{
	return (struct xt2_patch_entry){
		.hash = xt2_patch_hash_place(place),
		.unit = place | what,
		.at = place,
	};
}

bool xt2_entry_there_(const struct xt2_patch_edit *e, u32 hash, u32 unit);
/* Has the bucket of this hash room for so many more? */
bool xt2_entries_fit_(const struct xt2_patch_edit *e, u32 hash, u32 n);
int xt2_entry_add_(struct xt2_patch_edit *e, const struct xt2_patch_entry *entry);
/* Of entries that are there. */
int xt2_entry_delete_(struct xt2_patch_edit *e, u32 hash, u32 unit);
int xt2_entry_replace_(struct xt2_patch_edit *e, u32 hash, u32 unit, u32 by);

/* More buckets, if there are too few for all changes. */
int xt2_entries_spread_(struct xt2_patch_edit *e);

/* The class that suits a rule best, a new one perhaps, and its entry there, without unit and at. */
void xt2_rule_class_(struct xt2_patch_edit *e, const struct xt2_rule *rule, u32 *which,
		     struct xt2_patch_entry *entry);
/* An inserted rule's entry. */
int xt2_rule_file_(struct xt2_patch_edit *e, u32 which, const struct xt2_patch_entry *entry);
int xt2_rule_unfile_(struct xt2_patch_edit *e, u32 rule);
/* The rule has another record from now on. */
int xt2_rule_refile_(struct xt2_patch_edit *e, u32 rule, u32 to);

/*
 * xt2_filed_each_ - inserted rules that are filed as a rule would be
 *
 * All that are equal to it are among them; not all of them are.
 * @see: gets the offset of each
 */
void xt2_filed_each_(const struct xt2_image *img, const struct xt2_patch *patch,
		     const struct xt2_rule *rule, void (*see)(void *arg, u32 rule), void *arg);

#endif
