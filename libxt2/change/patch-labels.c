/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-labels.c - the order of rules that are inserted at one place
 *
 * A rule's label does not change, since another generation may name its record.  If
 * there is none left between two, the rules around get new records with labels that are
 * evenly spread: the fewest, from 16 on, whose labels then have gaps that last.  This is
 * the order maintenance of Bender and others, "Two Simplified Algorithms for Maintaining
 * Order in a List", with windows of items.
 */
#include "patch-labels.h"

#include "patch-entries.h"

#define FIRST 0x80000000u
#define STEP  0x1000u /* half a million rules are inserted before, or after, one before labels end */
/* Labels of a place are spread over these if all change: many are inserted before or after. */
#define MIDDLE_FROM 0x40000000u
#define MIDDLE_TO   0xc0000000u

#define WINDOW_LEAST 16u /* items that change at once */
#define GAP_LEAST    64u /* between their labels then, for each of half the window's items */

/* Some rules of a place, one after the other. */
struct window {
	struct xt2_spot from; /* spot of the first */
	u32 before, n; /* rules before the new one's spot; all */
	s64 low, high; /* labels of the rules beside them, or NO_LOW and NO_HIGH */
};

#define NO_LOW	(-1)
#define NO_HIGH ((s64)XT2_PATCH_END)

u32 xt2_record_add_(struct xt2_patch_edit *e, u32 at, u32 label, u32 line,
		    const struct xt2_rule *rule)
{
	const u32 offset = xt2_edit_alloc_(e, xt2_record_size_(rule));
	struct xt2_inserted *r = xt2_edit_at_(e, offset);

	if (!offset)
		return 0;
	r->at = at;
	r->label = label;
	r->line = line;
	r->reserved = 0;
	memcpy(&r->rule, rule, rule->size);
	return offset + (u32)offsetof(struct xt2_inserted, rule);
}

/* => the label of an inserted rule at this place; none: the item is another */
static s64 label_at(const struct xt2_patch_edit *e, const struct xt2_patch_item *item, u32 at,
		    s64 none)
{
	return item && item->rule && item->at == at ? xt2_item_label_(e, item) : none;
}

/* => a label between two; -1: there is none */
static s64 between(s64 low, s64 high)
{
	if (low == NO_LOW && high == NO_HIGH)
		return FIRST;
	if (low == NO_LOW && high > STEP)
		return high - STEP;
	if (low == NO_LOW)
		return high ? high / 2 : -1;
	if (high == NO_HIGH && low + STEP < high)
		return low + STEP;
	return high - low > 1 ? low + (high - low) / 2 : -1;
}

/* Rules around a spot, at most so many on each side. */
static void look_around(const struct xt2_patch_edit *e, u32 at, struct xt2_spot s, u32 most,
			struct window *w)
{
	struct xt2_spot spot = s;
	u32 n;

	w->from = s;
	for (n = 0;; n++) {
		w->low = label_at(e, xt2_items_back_(e, &spot), at, NO_LOW);
		if (w->low == NO_LOW || n == most)
			break;
		w->from = spot;
	}
	w->before = n;
	spot = s;
	for (n = 0;; n++) {
		w->high = label_at(e, xt2_items_at_(e, &spot), at, NO_HIGH);
		if (w->high == NO_HIGH || n == most)
			break;
		spot.item++;
	}
	w->n = w->before + n;
}

/* => what is between labels that are spread over the window, with the new one */
static s64 gap_of(const struct window *w)
{
	return (w->high - w->low) / (w->n + 2);
}

/* New records for the rules of a window.  => 0 and the new rule's label; -ENOSPC, -ENOMEM */
static int relabel(struct xt2_patch_edit *e, u32 at, const struct window *w, u32 *label)
{
	const s64 gap = gap_of(w);
	struct xt2_spot s = w->from;
	u32 i, old, rule, next;

	for (i = 0; i <= w->n; i++) {
		const struct xt2_inserted *r;

		next = (u32)(w->low + gap * (i + 1));
		if (i == w->before) {
			*label = next;
			continue;
		}
		old = xt2_items_at_(e, &s)->rule;
		r = xt2_edit_inserted_(e, old);
		rule = xt2_record_add_(e, at, next, r->line, &r->rule);
		if (!rule || xt2_rule_refile_(e, old, rule) || xt2_items_replace_(e, s, rule) ||
		    xt2_edit_retire_(e, old - (u32)offsetof(struct xt2_inserted, rule),
				     xt2_record_size_(&r->rule)))
			return e->err;
		if (e->moved)
			e->moved(e->arg, old, rule);
		s.item++;
	}
	return 0;
}

int xt2_label_choose_(struct xt2_patch_edit *e, u32 at, struct xt2_spot s, u32 *label)
{
	struct xt2_spot spot = s;
	const s64 high = label_at(e, xt2_items_at_(e, &spot), at, NO_HIGH);
	struct window w;
	s64 found;
	u32 most;

	spot = s;
	found = between(label_at(e, xt2_items_back_(e, &spot), at, NO_LOW), high);
	if (found >= 0) {
		*label = (u32)found;
		return 0;
	}
	for (most = WINDOW_LEAST;; most *= 2) {
		look_around(e, at, s, most, &w);
		if (w.low == NO_LOW && w.high == NO_HIGH) {
			w.low = MIDDLE_FROM;
			w.high = MIDDLE_TO;
			break;
		}
		if (gap_of(&w) >= (s64)GAP_LEAST * most)
			break;
	}
	return relabel(e, at, &w, label);
}
