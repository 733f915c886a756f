/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-segments.c - search an index of segments
 *
 * The packet's address names a slot, the slot a bucket, the bucket the first
 * segment that can be the address's; from there on it is found by halving,
 * the last two steps of it without a branch.  What is waited for is the slot,
 * the bucket, the segment, then the rule: all else is arithmetic.
 */
#include "index.h"

_Static_assert(sizeof(struct xt2_segment) == 8 && sizeof(struct xt2_segment_slot) == 16 &&
		       sizeof(struct xt2_segments) == 40,
	       "segments");

#define NOBODY (~0u)

static __always_inline u32 bucket_of(const struct xt2_segment_slot __img *slot, u32 addr)
{
	u32 least = slot->least, last = slot->last, i;

	i = (addr > least ? addr - least : 0) >> slot->shift;
	return slot->bucket + (i < last ? i : last);
}

static __always_inline u32 address_of(const struct xt2_segments __img *g, const struct xt2_pkt *pkt)
{
	return g->field == XT2_FIELD_SRC ? pkt->src4 : pkt->dst4;
}

static __always_inline const struct xt2_segment_slot __img *
slot_of(const struct xt2_index __img *ix, const struct xt2_segments __img *g, u32 addr)
{
	return (const struct xt2_segment_slot __img *)xt2_at(ix, g->slot) + (addr >> g->shift);
}

/* => the first segment that can be the address's */
static __always_inline const struct xt2_segment __img *
first_segment(const struct xt2_index __img *ix, const struct xt2_segments __img *g,
	      const struct xt2_segment_slot __img *slot, u32 addr)
{
	const u32 __img *bucket = xt2_at(ix, g->bucket);

	return (const struct xt2_segment __img *)xt2_at(ix, g->segment) +
	       bucket[bucket_of(slot, addr)];
}

/* => what the address's segment says, one of those from here on; 0: nobody asks for it */
static __always_inline u32 segment_says(const struct xt2_segment __img *at, u32 step, u32 addr)
{
	for (; unlikely(step > XT2_SEGMENT_STEP_LEAST) && xt2_can_loop; step /= 2)
		at += -(u32)(at[step - 1].last < addr) & step;
	for (step = XT2_SEGMENT_STEP_LEAST; step; step /= 2)
		at += -(u32)(at[step - 1].last < addr) & step;
	return (at->last - addr) >> (at->what >> XT2_SEGMENT_BITS & 31) ? 0 : at->what;
}

/* => the only unit of a segment; 0: there is none */
static __always_inline u32 only_unit(u32 what)
{
	return (what >> XT2_SEGMENT_PLACE) * XT2_ALIGN | (what & XT2_SEGMENT_RUN);
}

/* Units of a segment, one after the other. */
struct units {
	const u32 __img *next; /* in a list; NULL: there is none, or it is done */
	u32 unit; /* NOBODY: there are no more */
};

static __always_inline void units_next(struct units *u)
{
	const u32 __img *next = u->next;

	u->unit = NOBODY;
	if (!next)
		return;
	u->unit = *next & ~XT2_UNIT_LAST;
	u->next = *next & XT2_UNIT_LAST ? NULL : next + 1;
}

static __always_inline void units_begin(struct units *u, const u32 __img *list, u32 what)
{
	u->next = NULL;
	u->unit = what ? only_unit(what) : NOBODY;
	if (what & XT2_SEGMENT_LIST) {
		u->next = list + (what >> XT2_SEGMENT_PLACE);
		units_next(u);
	}
}

/* Units of a segment and those that all addresses have, in order. */
xt2_separate u32 xt2_segment_units(const struct xt2_index __img *ix xt2_arg_img,
				   struct xt2_search *s xt2_arg_img, u32 what, u32 after);
u32 xt2_segment_units(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 what, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 __img *common = xt2_at(ix, g->common);
	u32 *found = s->unit + s->base;
	u32 n = xt2_zero, i = xt2_zero, unit;
	struct units u;

	units_begin(&u, xt2_at(ix, g->list), what);
	if (after && g->commons)
		i = xt2_units_behind_(common, g->commons, after);
	while (xt2_can_loop) {
		unit = i < g->commons ? common[i] : NOBODY;
		if (u.unit < unit) {
			unit = u.unit;
			units_next(&u);
			if ((unit & ~XT2_UNIT_FLAGS) <= after)
				continue;
		} else {
			i++;
		}
		if (unit == NOBODY)
			break;
		if (n == ix->ahead) {
			s->resume = found[n - 1] & ~XT2_UNIT_FLAGS;
			break;
		}
		found[n++] = unit;
	}
	s->units = n;
	return n;
}

static __always_inline u32 find_units(const struct xt2_index __img *ix,
				      const struct xt2_segments __img *g, struct xt2_search *s,
				      u32 what, u32 after)
{
	const u32 unit = only_unit(what);

	s->resume = 0;
	if (what & XT2_SEGMENT_LIST || g->commons)
		return xt2_segment_units(ix, s, what, after);
	s->unit[s->base] = unit;
	s->units = (unit & ~XT2_UNIT_FLAGS) > after;
	return s->units;
}

u32 xt2_index_segments(const struct xt2_index __img *ix xt2_arg_img,
		       struct xt2_search *s xt2_arg_img, const struct xt2_pkt *pkt xt2_arg_img,
		       u32 after)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 addr = address_of(g, xt2_ptr(pkt));
	const struct xt2_segment_slot __img *slot = slot_of(ix, g, addr);

	return find_units(ix, g, xt2_ptr(s),
			  segment_says(first_segment(ix, g, slot, addr), slot->step, addr), after);
}

/* --- in two steps ------------------------------------------------------ */

void xt2_index_near(const struct xt2_index __img *ix, struct xt2_search *s,
		    const struct xt2_pkt *pkt)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 addr = address_of(g, pkt);
	const struct xt2_segment_slot __img *slot = slot_of(ix, g, addr);
	const struct xt2_segment __img *at = first_segment(ix, g, slot, addr);

	xt2_prefetch(at);
	xt2_prefetch(at + slot->step);
	s->near = (u32)((const u8 __img *)at - (const u8 __img *)ix);
	s->step = slot->step;
	s->addr = addr;
}

void xt2_index_there(const struct xt2_index __img *ix, struct xt2_search *s)
{
	find_units(ix, xt2_at(ix, ix->body), s, segment_says(xt2_at(ix, s->near), s->step, s->addr),
		   0);
}
