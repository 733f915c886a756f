/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.c - search a prefix index
 *
 * The packet's address names a slot, the slot a bucket, the bucket a few
 * segments.  The last segment that starts at or below the address contains it;
 * enclosing prefixes precede it.  A lookup touches four cache lines: slot,
 * bucket, starts of segments, rule; the contents of the segments are prefetched.
 */
#include "count-below.h"
#include "engine/simd/vectors.h"
#include "search.h"

_Static_assert(sizeof(struct xt2_segment_slot) == 16 && sizeof(struct xt2_segments) == 40,
	       "segments");
_Static_assert(XT2_SEGMENTS_MOST <= XT2_CANDIDATES, "a bucket's candidates");

/* Segments of a bucket, and the part of the address to compare with them. */
struct bucket {
	u32 first, n;
	u16 part;
};

static __always_inline u32 address_of(const struct xt2_segments __img *g, const struct xt2_pkt *pkt)
{
	return g->field == XT2_FIELD_SRC ? pkt->src4 : pkt->dst4;
}

static __always_inline const struct xt2_segment_slot __img *
slots_of(const struct xt2_index __img *ix, const struct xt2_segments __img *g)
{
	return xt2_at(ix, g->slot);
}

static __always_inline struct bucket bucket_of(const struct xt2_index __img *ix,
					       const struct xt2_segment_slot __img *slot, u32 addr)
{
	const u32 i = (addr >> slot->shift) - slot->least, last = slot->last;
	const u16 __img *at = (const u16 __img *)xt2_at(ix, slot->bucket) + (i < last ? i : last);
	const u32 first = at[0];

	return (struct bucket){
		.first = slot->segment + first,
		.n = at[1] - first,
		.part = (u16)((addr << (-(u32)slot->shift & 31)) >> 17),
	};
}

static __always_inline bool is_in(u32 part, u32 begin, u32 what)
{
	return !((part ^ begin) >> (what & XT2_SEGMENT_OPEN));
}

/* The run's bit gets to the place where a unit has it. */
static __always_inline u32 unit_of(u32 what)
{
	const u32 unit = what >> (XT2_SEGMENT_PLACE - 3);

	return unit & (~XT2_UNIT_FLAGS | XT2_UNIT_RUN);
}

/* n units in order get one more. => n + 1 */
static __always_inline u32 insert(u32 *found, u32 n, u32 unit)
{
	u32 at = n;

	for (; at && found[at - 1] > unit && xt2_can_loop; at--)
		found[at] = found[at - 1];
	found[at] = unit;
	return n + 1;
}

/*
 * Units that all addresses have, beside those that were found.
 * => how many candidates there are now
 */
xt2_separate u32 xt2_segment_commons(const struct xt2_index __img *ix xt2_arg_img,
				     struct xt2_search *s xt2_arg_img, u32 units, u32 after);
u32 xt2_segment_commons(const struct xt2_index __img *ix xt2_arg_img,
			struct xt2_search *s_ xt2_arg_img, u32 units, u32 after)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 __img *common = xt2_at(ix, g->common);
	struct xt2_search *s = xt2_ptr(s_);
	const u32 commons = g->commons, ahead = ix->ahead;
	u32 *found = s->unit + s->base;
	u32 first = xt2_zero, i = xt2_zero, n = xt2_zero, last;

	if (after && commons)
		first = xt2_units_behind_(common, commons, after);
	for (last = first; n < ahead && xt2_can_loop; n++) {
		if (i < units && (last == commons || found[i] < common[last]))
			i++;
		else if (last < commons)
			last++;
		else
			break;
	}
	s->resume = i < units || last < commons;
	s->units = n;
	while (last > first && xt2_can_loop) {
		n--;
		if (i && found[i - 1] > common[last - 1])
			found[n] = found[--i];
		else
			found[n] = common[--last];
	}
	if (s->resume)
		s->resume = found[s->units - 1] & ~XT2_UNIT_FLAGS;
	return s->units;
}

/* Buckets whose segments are in a slot of their own. => how many of that slot's bucket */
xt2_separate u32 xt2_segment_within(const struct xt2_index __img *ix xt2_arg_img,
				    struct xt2_search *s xt2_arg_img);
u32 xt2_segment_within(const struct xt2_index __img *ix xt2_arg_img,
		       struct xt2_search *s_ xt2_arg_img)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u16 __img *begin = xt2_at(ix, g->begin);
	const u32 __img *what = xt2_at(ix, g->what);
	struct xt2_search *s = xt2_ptr(s_);
	struct bucket b = { .n = 0 };

	do {
		b = bucket_of(ix, slots_of(ix, g) + (what[s->near] >> XT2_SEGMENT_PLACE), s->addr);
		s->near = b.first;
		s->part = b.part;
	} while (b.n && what[b.first] & XT2_SEGMENT_SLOT && xt2_can_loop);
	return xt2_not_above(begin + b.first, b.n, b.part);
}

/* Units of n segments, from the last one back, whose addresses this one is among. */
xt2_separate u32 xt2_segment_units(const struct xt2_index __img *ix xt2_arg_img,
				   struct xt2_search *s xt2_arg_img, u32 n, u32 after);
u32 xt2_segment_units(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 n, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u16 __img *begin = (const u16 __img *)xt2_at(ix, g->begin) + s->near;
	const u32 __img *what = (const u32 __img *)xt2_at(ix, g->what) + s->near;
	u32 *found = s->unit + s->base;
	u32 units = xt2_zero;

	while (n && xt2_can_loop) {
		const u32 w = what[--n];

		if (is_in(s->part, begin[n], w) && (unit_of(w) & ~XT2_UNIT_FLAGS) > after)
			units = insert(found, units, unit_of(w));
		if (!(w & XT2_SEGMENT_MORE))
			break;
	}
	return xt2_segment_commons(ix, s_, units, after);
}

static __always_inline u32 find_units(const struct xt2_index __img *ix,
				      const struct xt2_segments __img *g, struct xt2_search *s,
				      const struct bucket *b, u32 addr, u32 after)
{
	const u16 __img *begin = (const u16 __img *)xt2_at(ix, g->begin) + b->first;
	const u32 __img *whats = (const u32 __img *)xt2_at(ix, g->what) + b->first;
	const u32 n = xt2_not_above(begin, b->n, b->part);
	u32 what = 0, unit;

	if (n)
		what = whats[n - 1];
	if (unlikely(what & (XT2_SEGMENT_MORE | XT2_SEGMENT_SLOT))) {
		s->addr = addr;
		s->near = b->first;
		s->part = b->part;
		return xt2_segment_units(
			ix, s, what & XT2_SEGMENT_SLOT ? xt2_segment_within(ix, s) : n, after);
	}
	unit = n && is_in(b->part, begin[n - 1], what) ? unit_of(what) : 0;
	s->resume = 0;
	s->unit[s->base] = unit;
	s->units = (unit & ~XT2_UNIT_FLAGS) > after;
	if (unlikely(g->commons))
		return xt2_segment_commons(ix, s, s->units, after);
	return s->units;
}

u32 xt2_index_segments(const struct xt2_index __img *ix xt2_arg_img,
		       struct xt2_search *s_ xt2_arg_img, const struct xt2_pkt *pkt xt2_arg_img,
		       u32 after)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 addr = address_of(g, xt2_ptr(pkt));
	struct xt2_search *s = xt2_ptr(s_);
	const struct bucket b = bucket_of(ix, slots_of(ix, g) + (addr >> g->shift), addr);

	xt2_prefetch((const u32 __img *)xt2_at(ix, g->what) + b.first);
	return find_units(ix, g, s, &b, addr, after);
}

/* --- in two steps ------------------------------------------------------ */

void xt2_index_near(const struct xt2_index __img *ix, struct xt2_search *s,
		    const struct xt2_pkt *pkt)
{
	const struct xt2_segments __img *g = xt2_at(ix, ix->body);
	const u32 addr = address_of(g, pkt);
	const struct bucket b = bucket_of(ix, slots_of(ix, g) + (addr >> g->shift), addr);
	const u32 __img *what = (const u32 __img *)xt2_at(ix, g->what) + b.first;

	xt2_prefetch((const u16 __img *)xt2_at(ix, g->begin) + b.first);
	xt2_prefetch(what);
	xt2_prefetch(what + b.n);
	s->near = b.first;
	s->count = b.n;
	s->part = b.part;
	s->addr = addr;
}

void xt2_index_there(const struct xt2_index __img *ix, struct xt2_search *s)
{
	const struct bucket b = {
		.first = s->near,
		.n = s->count,
		.part = (u16)s->part,
	};

	find_units(ix, xt2_at(ix, ix->body), s, &b, s->addr, 0);
}
