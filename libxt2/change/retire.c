/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retire.c - give up a chain and all that belongs to it */
#include "retire.h"

#include "engine/index/patched.h"
#include "finder.h"

#define PAGES_SOME 1u /* of items; each has up to 255 rules */
#define SLOTS_SOME 64u

/* The inserted rules of a page, and the page. */
static int retire_page(struct xt2_space *s, u32 offset)
{
	const u32 record = (u32)offsetof(struct xt2_inserted, rule);
	const struct xt2_patch_page *page = xt2_at(s->img, offset);
	int ret = 0;
	u32 i;

	for (i = 0; i < page->items && !ret; i++) {
		const u32 rule = page->item[i].rule;

		if (rule)
			ret = xt2_space_retire(
				s, rule - record,
				record + ((const struct xt2_rule *)xt2_at(s->img, rule))->size);
	}
	return ret ? ret : xt2_space_retire(s, offset, sizeof(*page));
}

static int retire_bucket(struct xt2_space *s, u32 offset)
{
	const struct xt2_patch_bucket *b;
	int ret = 0;

	for (; offset && !ret; offset = b->next) {
		b = xt2_at(s->img, offset);
		ret = xt2_space_retire(s, offset, sizeof(*b));
	}
	return ret;
}

/* Pages from one to another, and buckets. */
static int retire_pages(struct xt2_space *s, const struct xt2_patch *p, u32 from, u32 to)
{
	const struct xt2_patch_part *part = xt2_at(s->img, p->part);
	int ret = 0;

	for (; from < to && !ret; from++)
		ret = retire_page(s, part[from].page);
	return ret;
}

static int retire_buckets(struct xt2_space *s, const struct xt2_patch *p, u32 from, u32 to)
{
	int ret = 0;

	for (; from < to && !ret; from++)
		ret = retire_bucket(s, xt2_patch_slot_at(s->img, p, from)->bucket);
	return ret;
}

/* Of a patch whose buckets are retired. */
static int retire_slots(struct xt2_space *s, const struct xt2_patch *p)
{
	const u32 *page = xt2_at(s->img, p->slot);
	const u32 pages = xt2_patch_slot_pages(p);
	int ret = 0;
	u32 i;

	for (i = 0; i < pages && !ret; i++)
		ret = xt2_space_retire(s, page[i], XT2_SLOTS_PAGE * sizeof(struct xt2_patch_slot));
	return ret ? ret : xt2_space_retire(s, p->slot, xt2_patch_slot_bytes(p));
}

/* The chain's extents, lines and the patch's lists. */
static int retire_rest(struct xt2_space *s, u32 chain)
{
	const struct xt2_chain *c = xt2_at(s->img, chain),
			       *compiled = xt2_chain_compiled(s->img, c);
	const struct xt2_patch *p = xt2_chain_patch(c);
	int ret = 0;

	if (p && p->parts)
		ret = xt2_space_retire(s, p->part, (u64)p->parts * sizeof(struct xt2_patch_part));
	if (!ret && p)
		ret = retire_slots(s, p);
	if (!ret && p)
		ret = xt2_space_retire(s, p->compiled, compiled->size);
	if (!ret && compiled->lines)
		ret = xt2_space_retire(s, compiled->lines, (u64)compiled->rules * sizeof(u32));
	return ret ? ret : xt2_space_retire(s, chain, c->size);
}

int xt2_chain_retire(struct xt2_space *s, u32 chain)
{
	const struct xt2_patch *p = xt2_chain_patch(xt2_at(s->img, chain));
	int ret = 0;

	if (p)
		ret = retire_pages(s, p, 0, p->parts);
	if (!ret && p)
		ret = retire_buckets(s, p, 0, (u32)xt2_patch_slots(p));
	return ret ? ret : retire_rest(s, chain);
}

static u32 smaller(u32 a, u32 b)
{
	return a < b ? a : b;
}

void xt2_retire_some(struct xt2_space *s, struct xt2_retiring *r)
{
	const struct xt2_patch *p;
	u32 from;

	if (!r->chain)
		return;
	p = xt2_chain_patch(xt2_at(s->img, r->chain));
	if (p && r->part < p->parts) {
		from = r->part;
		r->part = smaller(p->parts, from + PAGES_SOME);
		retire_pages(s, p, from, r->part);
	} else if (p && r->slot < (u32)xt2_patch_slots(p)) {
		from = r->slot;
		r->slot = smaller((u32)xt2_patch_slots(p), from + SLOTS_SOME);
		retire_buckets(s, p, from, r->slot);
	} else {
		if (r->finder)
			xt2_space_retire(
				s, r->finder,
				((const struct xt2_finder *)xt2_at(s->img, r->finder))->size);
		retire_rest(s, r->chain);
		*r = (struct xt2_retiring){ 0 };
	}
	xt2_space_commit(s, xt2_image_root(s->img)->generation);
}
