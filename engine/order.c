/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the rules of a chain in their order, be it patched or not */
#include "order.h"
#include "engine/index/patched.h"

_Static_assert(sizeof(struct xt2_inserted) == 40 && sizeof(struct xt2_patch_page) == 2048 &&
		       sizeof(struct xt2_patch_part) == 16 &&
		       sizeof(struct xt2_patch_bucket) == 256 &&
		       sizeof(struct xt2_patch_entry) == 24 && sizeof(struct xt2_patch) == 672 &&
		       sizeof(struct xt2_patched) == 800,
	       "parts of a patch");

static const struct xt2_patch_page __img *page(const struct xt2_in_order *o, u32 part)
{
	return xt2_at(o->img, o->list[part].page);
}

static u64 item_key(const struct xt2_in_order *o, const struct xt2_patch_item __img *item)
{
	const struct xt2_rule __img *r = xt2_at(o->img, item->rule);

	return xt2_patch_key(item->at, item->rule ? xt2_inserted_of(r)->label : XT2_PATCH_END);
}

/* The change at part and item, if there is one, is the next. */
static void take_item(struct xt2_in_order *o)
{
	o->stop = ~0u;
	if (o->part < o->parts && o->item == page(o, o->part)->items) {
		o->part++;
		o->item = 0;
	}
	if (o->part < o->parts)
		o->stop = page(o, o->part)->item[o->item].at;
}

static void start(struct xt2_in_order *o, const struct xt2_image __img *img,
		  const struct xt2_chain __img *chain)
{
	const struct xt2_patch __img *p = xt2_chain_patch(chain);

	o->img = img;
	o->chain = chain;
	o->compiled = xt2_chain_compiled(img, chain);
	o->list = p ? xt2_at(img, p->part) : NULL;
	o->parts = p ? p->parts : 0;
	o->at = sizeof(*chain);
	o->stop = chain->used;
	o->part = o->item = 0;
}

void xt2_order_begin(struct xt2_in_order *o, const struct xt2_image __img *img,
		     const struct xt2_chain __img *chain)
{
	start(o, img, chain);
	if (o->list)
		take_item(o);
}

void xt2_order_begin_edited(struct xt2_in_order *o, const struct xt2_image __img *img,
			    const struct xt2_chain __img *compiled,
			    const struct xt2_patch_part __img *list, u32 parts)
{
	start(o, img, compiled);
	o->list = list;
	o->parts = parts;
	if (list)
		take_item(o);
}

/* The first change at or after a key is the next. */
static void find_item(struct xt2_in_order *o, u64 key)
{
	u32 low = 0, high = o->parts, mid;

	while (high - low > 1 && xt2_can_loop) {
		mid = (low + high) / 2;
		if (xt2_patch_key(o->list[mid].at, o->list[mid].label) <= key)
			low = mid;
		else
			high = mid;
	}
	o->part = low;
	o->item = 0;
	if (low < o->parts) {
		const struct xt2_patch_page __img *p = page(o, low);

		for (high = p->items; high > o->item && xt2_can_loop;) {
			mid = (o->item + high) / 2;
			if (item_key(o, &p->item[mid]) < key)
				o->item = mid + 1;
			else
				high = mid;
		}
	}
	take_item(o);
}

void xt2_order_after(struct xt2_in_order *o, const struct xt2_rule __img *r)
{
	u64 key;

	if (!o->list) {
		o->at = xt2_offset(o->chain, r) + r->size;
		return;
	}
	if (r == xt2_chain_tail(o->chain)) {
		o->at = o->stop = ~0u;
		return;
	}
	key = xt2_rule_key(o->compiled, r) + 1;
	o->at = (u32)(key >> 32);
	if (xt2_is_compiled(o->compiled, r)) { /* + 1 is one place further */
		o->at += r->size - 1u;
		key = xt2_patch_key(o->at, 0);
	}
	find_item(o, key);
}

void xt2_order_seek(struct xt2_in_order *o, const struct xt2_image __img *img,
		    const struct xt2_chain __img *chain, const struct xt2_rule __img *r)
{
	start(o, img, chain);
	xt2_order_after(o, r);
}

struct xt2_rule __img *xt2_order_next_patched(struct xt2_in_order *o)
{
	const struct xt2_patch_item __img *item;
	struct xt2_rule __img *r;

	while (o->at == o->stop && o->stop != ~0u && xt2_can_loop) {
		item = &page(o, o->part)->item[o->item++];
		take_item(o);
		if (item->rule)
			return xt2_at(o->img, item->rule);
		r = xt2_at(o->compiled, o->at);
		o->at += r->size;
	}
	if (o->at == ~0u || o->at == o->stop) /* the end, or the kernel has ended the loop */
		return NULL;
	if (o->at == o->compiled->tail) {
		o->at = ~0u;
		return xt2_chain_tail(o->chain);
	}
	r = xt2_at(o->compiled, o->at);
	o->at += r->size;
	return r;
}

bool xt2_image_is_patched(const struct xt2_image __img *img)
{
	const struct xt2_root __img *root = xt2_image_root(img);
	const struct xt2_chain __img *c;
	u32 i;

	if (!root)
		return false;
	xt2_image_for_each_chain(c, i, img, root)
		if (xt2_chain_patch(c))
			return true;
	return false;
}

u32 xt2_chain_length(const struct xt2_image __img *img, const struct xt2_chain __img *c)
{
	const struct xt2_patch __img *p = xt2_chain_patch(c);

	return xt2_chain_compiled(img, c)->rules + (p ? p->inserted - p->deleted : 0);
}

u32 xt2_rule_number(const struct xt2_image __img *img, const struct xt2_chain __img *c,
		    const struct xt2_rule __img *r)
{
	const struct xt2_rule __img *i;
	struct xt2_in_order o;
	u32 n = 1;

	xt2_chain_for_each(i, &o, img, c) {
		if (i == r)
			return n;
		n++;
	}
	return 0;
}
