/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-items.c - the pages of items of a patch that is edited
 *
 * Pages are as the leaves of a B-tree whose inner nodes are one list: a full page
 * is halved, and a page that is nearly empty is joined with the next one.
 */
#include "patch-items.h"

#include "libxt2/ruleset/ruleset.h"

#define JOIN_BELOW 64u /* items of a page that looks for company */
#define JOIN_MOST  192u /* items of both */

static const struct xt2_patch_page *page_of(const struct xt2_patch_edit *e, u32 part)
{
	return xt2_edit_at_(e, e->part[part].page);
}

/* => the page, which may be changed; NULL: the edit is spoilt */
static struct xt2_patch_page *own(struct xt2_patch_edit *e, u32 part)
{
	const struct xt2_patch_page *old = page_of(e, part);
	const u32 used = offsetof(struct xt2_patch_page, item) + old->items * sizeof(*old->item);
	struct xt2_patch_page *page =
		xt2_edit_own_(e, &e->part[part].page, old->writer, sizeof(*page), used);

	if (page)
		page->writer = e->writer;
	return page;
}

u32 xt2_label_of_(const struct xt2_image *img, const struct xt2_patch_item *item)
{
	return item->rule ? xt2_inserted_of(xt2_at(img, item->rule))->label : XT2_PATCH_END;
}

/* --- finding --------------------------------------------------------------- */

static bool is_below(const struct xt2_image *img, const struct xt2_patch_item *item, u64 key)
{
	const u32 at = (u32)(key >> 32);

	return item->at != at ? item->at < at : xt2_label_of_(img, item) < (u32)key;
}

void xt2_items_search_(const struct xt2_image *img, const struct xt2_patch_part *part, u32 parts,
		       u64 key, struct xt2_spot *s)
{
	u32 low = 0, high = parts, mid;
	const struct xt2_patch_page *page;

	*s = (struct xt2_spot){ 0, 0 };
	if (!high)
		return;
	while (high - low > 1) { /* part low begins at or before the key, if any does */
		mid = (low + high) / 2;
		if (xt2_patch_key(part[mid].at, part[mid].label) <= key)
			low = mid;
		else
			high = mid;
	}
	s->part = low;
	page = xt2_at(img, part[low].page);
	low = 0;
	high = page->items;
	while (low < high) {
		mid = (low + high) / 2;
		if (is_below(img, &page->item[mid], key))
			low = mid + 1;
		else
			high = mid;
	}
	s->item = low;
}

void xt2_items_find_(const struct xt2_patch_edit *e, u64 key, struct xt2_spot *s)
{
	xt2_items_search_(e->space->img, e->part, e->patch.parts, key, s);
}

const struct xt2_patch_item *xt2_items_at_(const struct xt2_patch_edit *e, struct xt2_spot *s)
{
	if (s->part >= e->patch.parts)
		return NULL;
	if (s->item >= page_of(e, s->part)->items) {
		if (s->part + 1 == e->patch.parts)
			return NULL;
		*s = (struct xt2_spot){ s->part + 1, 0 };
	}
	return &page_of(e, s->part)->item[s->item];
}

const struct xt2_patch_item *xt2_items_back_(const struct xt2_patch_edit *e, struct xt2_spot *s)
{
	if (!s->item) {
		if (!s->part)
			return NULL;
		s->part--;
		s->item = page_of(e, s->part)->items;
	}
	s->item--;
	return &page_of(e, s->part)->item[s->item];
}

/* --- parts ----------------------------------------------------------------- */

/* A part begins with another item, or has others. */
static void note_first(struct xt2_patch_edit *e, u32 part)
{
	const struct xt2_patch_item *first = page_of(e, part)->item;

	e->part[part].at = first->at;
	e->part[part].label = xt2_item_label_(e, first);
}

static s32 count_more(const struct xt2_patch_page *page)
{
	s32 more = 0;
	u32 i;

	for (i = 0; i < page->items; i++)
		more += page->item[i].rule ? 1 : -1;
	return more;
}

/* A part with an empty page.  => the page; NULL: the edit is spoilt */
static struct xt2_patch_page *add_part(struct xt2_patch_edit *e, u32 part)
{
	struct xt2_patch_page *page;
	u32 offset;

	if (xt2_grow_(&e->part, e->patch.parts, &e->part_cap, sizeof(*e->part))) {
		xt2_edit_spoilt_(e, -ENOMEM);
		return NULL;
	}
	offset = xt2_edit_alloc_(e, sizeof(*page));
	if (!offset)
		return NULL;
	memmove(&e->part[part + 1], &e->part[part], (e->patch.parts - part) * sizeof(*e->part));
	e->part[part] = (struct xt2_patch_part){ .page = offset };
	e->patch.parts++;
	page = xt2_edit_at_(e, offset);
	page->items = 0;
	page->writer = e->writer;
	return page;
}

static int delete_part(struct xt2_patch_edit *e, u32 part)
{
	if (xt2_edit_drop_(e, e->part[part].page, page_of(e, part)->writer,
			   sizeof(struct xt2_patch_page)))
		return e->err;
	e->patch.parts--;
	memmove(&e->part[part], &e->part[part + 1], (e->patch.parts - part) * sizeof(*e->part));
	return 0;
}

/* Make room in a full page.  => its page at the spot, which may move; NULL: the edit is spoilt */
static struct xt2_patch_page *split(struct xt2_patch_edit *e, struct xt2_spot *s)
{
	const u32 keep = XT2_PATCH_ITEMS / 2 + 1;
	struct xt2_patch_page *page, *next;

	if (s->item == XT2_PATCH_ITEMS) { /* many are appended */
		*s = (struct xt2_spot){ s->part + 1, 0 };
		return add_part(e, s->part);
	}
	page = own(e, s->part);
	next = page ? add_part(e, s->part + 1) : NULL;
	if (!next)
		return NULL;
	next->items = page->items - keep;
	memcpy(next->item, page->item + keep, next->items * sizeof(*next->item));
	page->items = keep;
	note_first(e, s->part + 1);
	e->part[s->part].more = count_more(page);
	e->part[s->part + 1].more = count_more(next);
	if (s->item <= keep)
		return page;
	*s = (struct xt2_spot){ s->part + 1, s->item - keep };
	return next;
}

/* A small page takes the items of the next one. */
static int join(struct xt2_patch_edit *e, u32 part)
{
	const struct xt2_patch_page *next;
	struct xt2_patch_page *page;

	if (part + 1 >= e->patch.parts)
		return 0;
	next = page_of(e, part + 1);
	if (page_of(e, part)->items + next->items > JOIN_MOST)
		return 0;
	page = own(e, part);
	if (!page)
		return e->err;
	memcpy(page->item + page->items, next->item, next->items * sizeof(*next->item));
	page->items += next->items;
	e->part[part].more += e->part[part + 1].more;
	return delete_part(e, part + 1);
}

/* --- changing -------------------------------------------------------------- */

int xt2_items_insert_(struct xt2_patch_edit *e, struct xt2_spot s, struct xt2_patch_item item)
{
	struct xt2_patch_page *page;

	if (s.part >= e->patch.parts)
		page = add_part(e, s.part);
	else if (page_of(e, s.part)->items == XT2_PATCH_ITEMS)
		page = split(e, &s);
	else
		page = own(e, s.part);
	if (!page)
		return e->err;
	memmove(&page->item[s.item + 1], &page->item[s.item],
		(page->items - s.item) * sizeof(*page->item));
	page->item[s.item] = item;
	page->items++;
	e->part[s.part].more += item.rule ? 1 : -1;
	if (!s.item)
		note_first(e, s.part);
	return 0;
}

int xt2_items_delete_(struct xt2_patch_edit *e, struct xt2_spot s)
{
	struct xt2_patch_page *page;

	if (page_of(e, s.part)->items == 1)
		return delete_part(e, s.part);
	page = own(e, s.part);
	if (!page)
		return e->err;
	e->part[s.part].more -= page->item[s.item].rule ? 1 : -1;
	page->items--;
	memmove(&page->item[s.item], &page->item[s.item + 1],
		(page->items - s.item) * sizeof(*page->item));
	if (!s.item)
		note_first(e, s.part);
	return page->items < JOIN_BELOW ? join(e, s.part) : 0;
}

int xt2_items_replace_(struct xt2_patch_edit *e, struct xt2_spot s, u32 rule)
{
	struct xt2_patch_page *page = own(e, s.part);

	if (!page)
		return e->err;
	page->item[s.item].rule = rule;
	if (!s.item)
		note_first(e, s.part);
	return 0;
}
