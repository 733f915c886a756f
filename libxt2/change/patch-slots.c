/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-slots.c - the slots of a patch that is edited
 *
 * An edit copies a list of slots as a whole.  Of slots in pages it copies the list of the
 * pages' offsets, and a page when a slot of it changes: the page is the edit's own if the list
 * before names another one at its place.
 */
#include "patch-slots.h"

#define PAGE_BYTES (XT2_SLOTS_PAGE * sizeof(struct xt2_patch_slot))

static u32 *pages_at(const struct xt2_patch_edit *e, u32 list)
{
	return xt2_edit_at_(e, list);
}

/* Is a page of a list shared with that of the generation before?  shared: 0: none is */
static bool is_shared(const struct xt2_patch_edit *e, u32 list, u32 shared, u32 page)
{
	return shared && pages_at(e, list)[page] == pages_at(e, shared)[page];
}

struct xt2_patch_slot *xt2_patch_slot_own_(struct xt2_patch_edit *e, u32 hash)
{
	const u32 page = (hash >> e->patch.shift) / XT2_SLOTS_PAGE;
	u32 *list = pages_at(e, e->patch.slot), copy;

	if (xt2_patch_slot_pages(&e->patch) && is_shared(e, e->patch.slot, e->shared_slots, page)) {
		copy = xt2_edit_alloc_(e, PAGE_BYTES);
		if (!copy || xt2_edit_retire_(e, list[page], PAGE_BYTES))
			return NULL;
		memcpy(xt2_edit_at_(e, copy), xt2_edit_at_(e, list[page]), PAGE_BYTES);
		list[page] = copy;
	}
	return (struct xt2_patch_slot *)xt2_edit_slot_(e, hash);
}

/* A list without slots: pages are named 0.  => 0, -ENOSPC */
static int new_list(struct xt2_patch_edit *e)
{
	const u64 bytes = xt2_patch_slot_bytes(&e->patch);

	e->patch.slot = xt2_edit_alloc_(e, bytes);
	if (!e->patch.slot)
		return e->err;
	memset(xt2_edit_at_(e, e->patch.slot), 0, bytes);
	return 0;
}

int xt2_patch_slots_begin_(struct xt2_patch_edit *e)
{
	const u32 from = e->patch.slot;
	const u64 bytes = xt2_patch_slot_bytes(&e->patch);

	if (!e->from)
		return new_list(e);
	e->patch.slot = xt2_edit_alloc_(e, bytes);
	if (!e->patch.slot)
		return e->err;
	memcpy(xt2_edit_at_(e, e->patch.slot), xt2_edit_at_(e, from), bytes);
	e->shared_slots = from;
	return 0;
}

int xt2_patch_slots_double_(struct xt2_patch_edit *e, struct xt2_patch_slots_before *old)
{
	u32 pages, i, *page;

	*old = (struct xt2_patch_slots_before){ e->patch, e->shared_slots };
	e->patch.shift--;
	e->shared_slots = 0;
	if (new_list(e))
		return e->err;
	pages = xt2_patch_slot_pages(&e->patch);
	page = pages_at(e, e->patch.slot);
	for (i = 0; i < pages; i++) {
		page[i] = xt2_edit_alloc_(e, PAGE_BYTES);
		if (!page[i])
			return e->err;
		memset(xt2_edit_at_(e, page[i]), 0, PAGE_BYTES);
	}
	return 0;
}

int xt2_patch_slots_drop_(struct xt2_patch_edit *e, const struct xt2_patch_slots_before *old)
{
	const u32 pages = xt2_patch_slot_pages(&old->patch);
	const u32 *page = pages_at(e, old->patch.slot);
	u32 i;

	for (i = 0; i < pages; i++) {
		if (!is_shared(e, old->patch.slot, old->shared, i))
			xt2_space_free(e->space, page[i], PAGE_BYTES);
		else if (xt2_edit_retire_(e, page[i], PAGE_BYTES))
			return e->err;
	}
	xt2_space_free(e->space, old->patch.slot, xt2_patch_slot_bytes(&old->patch));
	return 0;
}
