/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch-items.h - the pages of items of a patch that is edited; not installed */
#ifndef XT2_LIBXT2_CHANGE_PATCH_ITEMS_H
#define XT2_LIBXT2_CHANGE_PATCH_ITEMS_H

#include "engine/index/patched.h"
#include "patch-edit.h"

/* Between two items, or an item: the page's part, and its number in it. */
struct xt2_spot {
	u32 part, item;
};

/* => the label of an item of a patch in this image */
u32 xt2_label_of_(const struct xt2_image *img, const struct xt2_patch_item *item);

/* Likewise, of an edit */
static inline u32 xt2_item_label_(const struct xt2_patch_edit *e, const struct xt2_patch_item *item)
{
	return xt2_label_of_(e->space->img, item);
}

/*
 * Move to the first item of this xt2_patch_key(), or a larger one; perhaps after the last item
 * of a page, if it is the first of the next one.  An item of this key is never there.
 */
void xt2_items_search_(const struct xt2_image *img, const struct xt2_patch_part *part, u32 parts,
		       u64 key, struct xt2_spot *s);

/* Likewise, in an edit */
void xt2_items_find_(const struct xt2_patch_edit *e, u64 key, struct xt2_spot *s);

/* => the item, or NULL at the end; the spot may move from the end of a page to the next one */
const struct xt2_patch_item *xt2_items_at_(const struct xt2_patch_edit *e, struct xt2_spot *s);

/* Move to the item before.  => NULL: there is none, and the spot stays */
const struct xt2_patch_item *xt2_items_back_(const struct xt2_patch_edit *e, struct xt2_spot *s);

/* => 0; -ENOSPC, -ENOMEM: the edit is spoilt */
int xt2_items_insert_(struct xt2_patch_edit *e, struct xt2_spot s, struct xt2_patch_item item);
int xt2_items_delete_(struct xt2_patch_edit *e, struct xt2_spot s);

/* Another record of the inserted rule of an item; the order stays. */
int xt2_items_replace_(struct xt2_patch_edit *e, struct xt2_spot s, u32 rule);

#endif
