/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owners.c - whose the chains of an image are */
#include "config.h"
#include "owners.h"

#include <string.h>
#include "engine/image.h"

/* => n bytes of the image; NULL: there are not so many */
static const void *get(const struct xt2_owned *o, u64 at, u64 n)
{
	if (at % sizeof(u32) || at < sizeof(*o->img) || n > o->size || at > o->size - n)
		return NULL;
	return xt2_at(o->img, at);
}

void xt2_owned_begin(struct xt2_owned *o, const struct xt2_image *img, u64 size, u64 root)
{
	const struct xt2_owners *list;
	const struct xt2_edits *edits;
	const struct xt2_root *r;

	*o = (struct xt2_owned){ .img = img, .size = size };
	r = root % XT2_ALIGN ? NULL : get(o, root, sizeof(*r));
	edits = r && r->edits % XT2_ALIGN == 0 ? get(o, r->edits, sizeof(*edits)) : NULL;
	list = edits ? get(o, edits->owners, offsetof(struct xt2_owners, name)) : NULL;
	if (!list || !list->count || list->count > XT2_OWNERS_MAX ||
	    !get(o, edits->owners, xt2_owners_size(list)))
		return;
	o->chains = r->chains;
	o->way = edits->way;
	o->names = edits->owners;
	o->count = list->count;
}

u8 xt2_owned_by(const struct xt2_owned *o, u32 chain)
{
	const struct xt2_way *page;
	const u32 *dir;

	if (!o->count || chain >= o->chains)
		return 0;
	dir = get(o, o->way + (u64)(chain / XT2_WAY_PAGE) * sizeof(*dir), sizeof(*dir));
	page = dir && *dir % XT2_ALIGN == 0 ? get(o, *dir, XT2_WAY_PAGE * sizeof(*page)) : NULL;
	if (!page || page[chain % XT2_WAY_PAGE].owner > o->count)
		return 0;
	return (u8)page[chain % XT2_WAY_PAGE].owner;
}

void xt2_owned_names(const struct xt2_owned *o, struct xt2_owners *to)
{
	const struct xt2_owners *list;
	u32 i;

	to->count = o->count;
	if (!o->count)
		return;
	list = xt2_at(o->img, o->names);
	memcpy(to->name, list->name, o->count * sizeof(to->name[0]));
	for (i = 0; i < o->count; i++)
		to->name[i][XT2_NAME_SIZE - 1] = '\0';
}

u8 xt2_owner_number(struct xt2_owners *list, const char *name)
{
	u32 i;

	for (i = 0; i < list->count; i++)
		if (!strncmp(list->name[i], name, XT2_NAME_SIZE - 1))
			return (u8)(i + 1);
	if (i == XT2_OWNERS_MAX)
		return 0;
	memset(list->name[i], 0, sizeof(list->name[i]));
	strncpy(list->name[i], name, XT2_NAME_SIZE - 1);
	return (u8)++list->count;
}
