/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retire.c - give up a chain and all that belongs to it */
#include "retire.h"

#include "engine/index/patched.h"

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

static int retire_patch(struct xt2_space *s, const struct xt2_patch *p)
{
	const struct xt2_patch_part *part = xt2_at(s->img, p->part);
	const struct xt2_patch_slot *slot = xt2_at(s->img, p->slot);
	const u32 slots = 1u << (32 - p->shift);
	int ret = 0;
	u32 i;

	for (i = 0; i < p->parts && !ret; i++)
		ret = retire_page(s, part[i].page);
	for (i = 0; i < slots && !ret; i++)
		ret = retire_bucket(s, slot[i].bucket);
	if (!ret && p->parts)
		ret = xt2_space_retire(s, p->part, (u64)p->parts * sizeof(*part));
	return ret ? ret : xt2_space_retire(s, p->slot, (u64)slots * sizeof(*slot));
}

int xt2_chain_retire(struct xt2_space *s, u32 chain)
{
	const struct xt2_chain *c = xt2_at(s->img, chain),
			       *compiled = xt2_chain_compiled(s->img, c);
	const struct xt2_patch *p = xt2_chain_patch(c);
	int ret = p ? retire_patch(s, p) : 0;

	if (!ret && p)
		ret = xt2_space_retire(s, p->compiled, compiled->size);
	if (!ret && compiled->lines)
		ret = xt2_space_retire(s, compiled->lines, (u64)compiled->rules * sizeof(u32));
	return ret ? ret : xt2_space_retire(s, chain, c->size);
}
