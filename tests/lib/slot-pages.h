/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slot-pages.h - give a patch as many slots as are in pages
 *
 * That takes 16,385 changes of one chain; this files the entries of any patch anew.
 */
#ifndef TESTS_LIB_SLOT_PAGES_H
#define TESTS_LIB_SLOT_PAGES_H

#include <stdlib.h>
#include <string.h>
#include "engine/index/patched.h"
#include "libxt2/change/space.h"

static inline u32 slot_pages_alloc(struct xt2_space *s, u64 size)
{
	u32 offset = xt2_space_alloc(s, size);

	if (!offset)
		abort();
	memset(xt2_at(s->img, offset), 0, size);
	return offset;
}

static inline void slot_pages_free(struct xt2_space *s, u32 offset, u64 size)
{
	if (xt2_space_retire(s, offset, size))
		abort();
}

static inline void slot_pages_file(struct xt2_space *s, const struct xt2_patch *p,
				   const struct xt2_patch_entry *entry)
{
	struct xt2_patch_slot *slot =
		(struct xt2_patch_slot *)xt2_patch_slot_of(s->img, p, entry->hash);
	struct xt2_patch_bucket *b = slot->bucket ? xt2_at(s->img, slot->bucket) : NULL;
	u32 offset, i;

	if (!b || b->entries == XT2_PATCH_ENTRIES) {
		offset = slot_pages_alloc(s, sizeof(*b));
		b = xt2_at(s->img, offset);
		b->next = slot->bucket;
		slot->bucket = offset;
	}
	for (i = b->entries++; i && b->entry[i - 1].at > entry->at; i--)
		b->entry[i] = b->entry[i - 1];
	b->entry[i] = *entry;
	slot->tags |= xt2_patch_tag(entry->hash);
}

static inline void slot_pages_empty(struct xt2_space *s, struct xt2_patch *p)
{
	u32 i;

	p->shift = XT2_SLOTS_LIST_SHIFT - 1;
	p->slot = slot_pages_alloc(s, xt2_patch_slot_bytes(p));
	for (i = 0; i < xt2_patch_slot_pages(p); i++)
		((u32 *)xt2_at(s->img, p->slot))[i] =
			slot_pages_alloc(s, XT2_SLOTS_PAGE * sizeof(struct xt2_patch_slot));
}

/* A patch whose slots are a list; what it had is given up in the same transaction. */
static inline void slot_pages_make(struct xt2_space *s, struct xt2_patch *p)
{
	const struct xt2_patch old = *p;
	const struct xt2_patch_bucket *b;
	u32 i, j, at, next;

	slot_pages_empty(s, p);
	for (i = 0; i < xt2_patch_slots(&old); i++) {
		for (at = xt2_patch_slot_at(s->img, &old, i)->bucket; at; at = next) {
			b = xt2_at(s->img, at);
			next = b->next;
			for (j = 0; j < b->entries; j++)
				slot_pages_file(s, p, &b->entry[j]);
			slot_pages_free(s, at, sizeof(*b));
		}
	}
	slot_pages_free(s, old.slot, xt2_patch_slot_bytes(&old));
}

#endif
