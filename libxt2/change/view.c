/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.c - the rules of a chain by their numbers, also while it is edited
 *
 * As many rules stand before an item as before its place in the compiled chain, and as many
 * more as the items before add.  That number never falls from one item to the next, so a rule
 * is found by its number, and its number by the rule.
 */
#include "view.h"

#include "engine/index/patched.h"
#include "patch-entries.h"
#include "patch-items.h"

void xt2_view_chain(struct xt2_view *v, const struct xt2_image *img, const struct xt2_chain *chain,
		    const struct xt2_finder *finder)
{
	const struct xt2_patch *p = xt2_chain_patch(chain);

	*v = (struct xt2_view){
		.img = img,
		.compiled = xt2_chain_compiled(img, chain),
		.finder = finder,
		.patch = p,
	};
	if (!p)
		return;
	v->part = xt2_at(img, p->part);
	v->parts = p->parts;
}

void xt2_view_edit(struct xt2_view *v, const struct xt2_patch_edit *e,
		   const struct xt2_finder *finder)
{
	*v = (struct xt2_view){
		.img = e->space->img,
		.compiled = e->compiled,
		.finder = finder,
		.patch = &e->patch,
		.part = e->part,
		.parts = e->patch.parts,
	};
}

u32 xt2_view_length(const struct xt2_view *v)
{
	const u32 rules = v->compiled->rules - 1;

	return v->patch ? rules + v->patch->inserted - v->patch->deleted : rules;
}

/* --- places ---------------------------------------------------------------- */

static const struct xt2_patch_page *page_of(const struct xt2_view *v, u32 part)
{
	return xt2_at(v->img, v->part[part].page);
}

static u32 offset_of(const struct xt2_view *v, u32 place)
{
	return xt2_offset(v->img, v->compiled) + place;
}

/* => rules of the compiled chain before a place where one is */
static u32 rules_before(const struct xt2_view *v, u32 place)
{
	return xt2_finder_number(v->finder, v->compiled, place);
}

/* => rules that some items add */
static u32 more_of_items(const struct xt2_patch_item *item, u32 n)
{
	u32 more = 0;

	while (n--)
		more += (item++)->rule ? 1u : ~0u;
	return more;
}

static u32 more_of_parts(const struct xt2_patch_part *part, u32 n)
{
	u32 more = 0;

	while (n--)
		more += (u32)(part++)->more;
	return more;
}

/* --- numbers --------------------------------------------------------------- */

/* => do at most n rules stand before an item at a place, if the items before it add some? */
static bool is_within(const struct xt2_view *v, u32 place, u32 more, u32 n)
{
	return (s64)n >= (s32)more && xt2_finder_within(v->finder, v->compiled, place, n - more);
}

/* => the last part with at most n rules before its first item, or 0; *more: of those before it */
static u32 part_of(const struct xt2_view *v, u32 n, u32 *more)
{
	u32 low = 0, high = v->parts, mid, sum;

	*more = 0;
	while (high - low > 1) {
		mid = low + (high - low) / 2;
		sum = *more + more_of_parts(v->part + low, mid - low);
		if (is_within(v, v->part[mid].at, sum, n)) {
			low = mid;
			*more = sum;
		} else {
			high = mid;
		}
	}
	return low;
}

/* => items of a page with at most n rules before them; *more: of all before these, then with them */
static u32 items_of(const struct xt2_view *v, const struct xt2_patch_page *page, u32 n, u32 *more)
{
	u32 low = 0, high = page->items, mid, sum;

	while (low < high) {
		mid = low + (high - low) / 2;
		sum = *more + more_of_items(page->item + low, mid - low);
		if (is_within(v, page->item[mid].at, sum, n)) {
			low = mid + 1;
			*more = sum + more_of_items(&page->item[mid], 1);
		} else {
			high = mid;
		}
	}
	return low;
}

u32 xt2_view_nth(const struct xt2_view *v, u32 n)
{
	const struct xt2_patch_page *page;
	const struct xt2_patch_item *last;
	u32 more, items;

	if (n >= xt2_view_length(v))
		return offset_of(v, v->compiled->tail);
	if (!v->parts)
		return offset_of(v, xt2_finder_nth(v->finder, v->compiled, n));
	page = page_of(v, part_of(v, n, &more));
	items = items_of(v, page, n, &more);
	last = items ? &page->item[items - 1] : NULL;
	if (last && last->rule && rules_before(v, last->at) + more - 1 == n)
		return last->rule;
	return offset_of(v, xt2_finder_nth(v->finder, v->compiled, n - more));
}

/* => the item of a key, or NULL; *s: its spot, or that of the one that would follow it */
static const struct xt2_patch_item *item_of(const struct xt2_view *v, u64 key, struct xt2_spot *s)
{
	const struct xt2_patch_page *page;
	const struct xt2_patch_item *item;

	*s = (struct xt2_spot){ 0, 0 };
	if (!v->parts)
		return NULL;
	xt2_items_search_(v->img, v->part, v->parts, key, s);
	page = page_of(v, s->part);
	item = &page->item[s->item];
	if (s->item == page->items || xt2_patch_key(item->at, xt2_label_of_(v->img, item)) != key)
		return NULL;
	return item;
}

/* => rules that the items before a spot add */
static u32 more_before(const struct xt2_view *v, const struct xt2_spot *s)
{
	if (!v->parts)
		return 0;
	return more_of_parts(v->part, s->part) + more_of_items(page_of(v, s->part)->item, s->item);
}

/* => is this a compiled rule or the tail, and its place? */
static bool is_compiled(const struct xt2_view *v, u32 rule, u32 *place)
{
	*place = rule - offset_of(v, 0);
	return rule >= offset_of(v, sizeof(*v->compiled)) &&
	       rule <= offset_of(v, v->compiled->tail);
}

static u32 number_of_compiled(const struct xt2_view *v, u32 place)
{
	const u32 n = rules_before(v, place);
	struct xt2_spot s;

	if (n == ~0u || item_of(v, xt2_patch_key(place, XT2_PATCH_END), &s))
		return XT2_VIEW_NONE;
	return n + more_before(v, &s);
}

u32 xt2_view_number(const struct xt2_view *v, u32 rule)
{
	const struct xt2_patch_item *item;
	const struct xt2_inserted *r;
	struct xt2_spot s;
	u32 place;

	if (is_compiled(v, rule, &place))
		return number_of_compiled(v, place);
	if (rule % XT2_ALIGN || rule < sizeof(struct xt2_image) ||
	    rule + (u64)sizeof(struct xt2_rule) > v->img->size)
		return XT2_VIEW_NONE;
	r = xt2_inserted_of(xt2_at(v->img, rule));
	item = item_of(v, xt2_patch_key(r->at, r->label), &s);
	if (!item || item->rule != rule)
		return XT2_VIEW_NONE;
	return rules_before(v, item->at) + more_before(v, &s);
}

/* --- equal rules ----------------------------------------------------------- */

struct search {
	const struct xt2_view *v;
	bool (*same)(void *arg, const struct xt2_rule *candidate);
	void *arg;
	u32 fingerprint;
	u32 rule; /* offset of the first one so far; 0: there is none */
	u64 key; /* its */
};

static void search_compiled(struct search *s, const struct xt2_view *v)
{
	struct xt2_candidates c;
	struct xt2_spot spot;
	u32 place;
	u64 key;

	xt2_candidates_begin(&c, v->finder, v->compiled, s->fingerprint);
	while ((place = xt2_candidates_next(&c))) {
		key = xt2_patch_key(place, XT2_PATCH_END);
		if (!s->same(s->arg, xt2_at(v->compiled, place)) || item_of(v, key, &spot))
			continue;
		s->rule = offset_of(v, place);
		s->key = key;
		return;
	}
}

static void see_inserted(void *arg, u32 rule)
{
	struct search *s = arg;
	const struct xt2_rule *r = xt2_at(s->v->img, rule);
	const u64 key = xt2_patch_key(xt2_inserted_of(r)->at, xt2_inserted_of(r)->label);

	if ((s->rule && key >= s->key) || xt2_rule_fingerprint(r) != s->fingerprint ||
	    !s->same(s->arg, r))
		return;
	s->rule = rule;
	s->key = key;
}

int xt2_view_find(const struct xt2_view *v, const struct xt2_rule *rule,
		  bool (*same)(void *arg, const struct xt2_rule *candidate), void *arg)
{
	struct search s = {
		.v = v,
		.same = same,
		.arg = arg,
		.fingerprint = xt2_rule_fingerprint(rule),
	};

	search_compiled(&s, v);
	if (v->patch)
		xt2_filed_each_(v->img, v->patch, rule, see_inserted, &s);
	return s.rule ? (int)xt2_view_number(v, s.rule) : -ENOENT;
}

/* --- in order -------------------------------------------------------------- */

void xt2_view_walk(const struct xt2_view *v, u32 n, struct xt2_in_order *o)
{
	const struct xt2_rule *before;

	if (n > xt2_view_length(v))
		before = xt2_chain_tail(v->compiled);
	else
		before = n ? xt2_at(v->img, xt2_view_nth(v, n - 1)) : NULL;
	xt2_order_begin_edited(o, v->img, v->compiled, v->part, v->parts);
	if (before)
		xt2_order_after(o, before);
}
