/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build-segments.c - make a prefix index
 *
 * The addresses of a rule are a prefix, or lie in one, so two ranges are disjoint
 * or nested.  They are sorted by their first address,
 * the wider ones first, and for each the narrowest enclosing one is found.  Then slots
 * are filled one after the other: a bucket has the ranges that are open where
 * it begins, and those that begin in it.  Buckets that would have too many get
 * a slot of their own, which is filled when its turn comes.
 */
#include "build.h"

#define FILLED	    6u /* segments of a bucket, on average, if they are spread evenly */
#define WIDE	    15u /* at most, if that can be had */
#define SPLIT	    16u /* a bucket with more gets a slot of its own */
#define SLOT_FILLED 6 /* log2 of a slot's ranges, on average */
#define SLOT_MOST   32768u /* ranges in one: their numbers have 16 bits */
#define SLOTS_LEAST 1 /* log2 of their number */
#define SLOTS_MOST  14
#define PLACE_LIMIT (1ull << (32 - XT2_SEGMENT_PLACE))

/* Of each unit, in scratch memory. */
#define SEGMENTS_UNIT 4u
#define BUCKETS_UNIT  4u
#define BUCKETS_FEW   8u /* more, for those of few ranges */

/*
 * The addresses that a unit asks for, as a number to sort by: the first, then 31 - log2
 * of how many, then its place / 8, then if it is a run.
 */
#define RANGE_FIRST 31
#define RANGE_BITS  26
#define RANGE_PLACE 1

/* The number + 1 of the narrowest range that a range is in, and above that of how many. */
#define UP_DEPTH 25
#define UP(up)	 ((up) & ((1u << UP_DEPTH) - 1))

struct segments {
	struct build *b;
	u64 *range, *other;
	u32 ranges;
	bool sorted;
	u32 *up;
	u32 most; /* candidates on average, with commons */
	u32 *common;
	u32 commons;
	u16 *begin; /* of segments; see struct xt2_segments */
	u32 *what;
	u32 segments, segments_most;
	u16 *bucket;
	u32 buckets, buckets_most;
	struct xt2_segment_slot *slot; /* one that is to be filled yet: see plan_slot() */
	u32 slots, slots_most;
};

/* --- ranges ------------------------------------------------------------ */

static u32 first_of(u64 range)
{
	return (u32)(range >> RANGE_FIRST);
}

static u32 bits_of(u64 range)
{
	return 31 - (u32)(range >> RANGE_BITS & 31);
}

/* => the address after the last one */
static u64 end_of(u64 range)
{
	return (range >> RANGE_FIRST) + (1ull << bits_of(range));
}

static bool is_same(u64 a, u64 b)
{
	return a >> RANGE_BITS == b >> RANGE_BITS;
}

/* mask: not 0 in its first bit; bits after its first hole are ignored */
static u64 range_of(u32 value, u32 mask, u32 unit)
{
	const u32 bits = mask == ~0u ? 0 : 32 - (u32)__builtin_clz(~mask);

	return (u64)(value & ~0u << bits) << RANGE_FIRST | (u64)(31 - bits) << RANGE_BITS |
	       (u64)(unit / XT2_ALIGN) << RANGE_PLACE | (unit & XT2_UNIT_RUN);
}

static bool asks_any(u32 mask)
{
	return !(mask >> 31);
}

/*
 * Do too many units of a sample ask for the same address, or for any?  A
 * count in a small sample must be four times as large, since the first unit and
 * the last one often ask for any: the rest is found when ranges are nested.
 */
static bool is_crowded(const struct segments *s, u32 n, u32 field)
{
	const u64 most = 4ull * s->most * n;
	u64 same = 0, any = 0;
	u32 i, j, ranges = 0;

	for (i = 0; i < n; i++) {
		const struct xt2_box *box = &s->b->sample[i];
		const u32 mask = (u32)box->mask[field][0];

		if (asks_any(mask)) {
			any++;
			continue;
		}
		s->range[ranges] = range_of((u32)box->value[field][0], mask, 0);
		for (j = 0; j < ranges; j++)
			same += is_same(s->range[j], s->range[ranges]);
		ranges++;
	}
	return 2 * same * s->b->units > most * n || (any > 2 && any * s->b->units > most);
}

/* Of all units. => false: too many ask for any address, or all do */
static bool gather(struct segments *s, u32 field)
{
	const struct build *b = s->b;
	u64 *range = s->range, last = 0;
	u32 i, value, mask;

	s->commons = 0;
	s->sorted = true;
	for (i = 0; i < b->units; i++) {
		xt2_box_address(xt2_build_rule_(b, b->unit[i]), field, &value, &mask);
		if (asks_any(mask)) {
			if (s->commons == s->most)
				return false;
			s->common[s->commons++] = b->unit[i];
			continue;
		}
		*range = range_of(value, mask, b->unit[i]);
		s->sorted &= last <= *range;
		last = *range++;
	}
	s->ranges = (u32)(range - s->range);
	return s->ranges;
}

static bool sort_digit(struct segments *s, u32 shift, u32 *count)
{
	const u64 *from = s->range;
	u32 i, sum = 0, had;

	memset(count, 0, 256 * sizeof(*count));
	for (i = 0; i < s->ranges; i++)
		count[from[i] >> shift & 0xff]++;
	if (count[from[0] >> shift & 0xff] == s->ranges)
		return false;
	for (i = 0; i < 256; i++) {
		had = count[i];
		count[i] = sum;
		sum += had;
	}
	for (i = 0; i < s->ranges; i++)
		s->other[count[from[i] >> shift & 0xff]++] = from[i];
	return true;
}

/* Places are in order already. */
static void sort(struct segments *s)
{
	u32 *count = xt2_build_room_(s->b), shift;
	u64 *swap;

	for (shift = RANGE_BITS - 3; !s->sorted && shift < 63; shift += 8)
		if (sort_digit(s, shift, count)) {
			swap = s->range;
			s->range = s->other;
			s->other = swap;
		}
}

/* => the number + 1 of the narrowest range that begins before this one and has the address */
static u32 open_at(const struct segments *s, u32 range, u64 addr)
{
	while (range && end_of(s->range[range - 1]) <= addr)
		range = UP(s->up[range - 1]);
	return range;
}

static u32 depth_of(const struct segments *s, u32 up)
{
	return up ? (s->up[up - 1] >> UP_DEPTH) + 1 : 0;
}

/* => false: a packet of a unit would have too many candidates on average */
static bool nest(struct segments *s)
{
	const u64 *range = s->range, most = (u64)(s->most - s->commons) * s->ranges;
	u32 i, up, depth, same = 0;
	u64 named = 0;

	s->up = (u32 *)s->other;
	for (i = 0; i < s->ranges; i++) {
		up = open_at(s, i, first_of(range[i]));
		depth = depth_of(s, up);
		same = i && is_same(range[i - 1], range[i]) ? same + 1 : 0;
		named += depth + same + 1;
		if (depth >= XT2_SEGMENTS_MOST || named > most)
			return false;
		s->up[i] = depth << UP_DEPTH | up;
	}
	return true;
}

/* --- slots ------------------------------------------------------------- */

/* A slot that is to be filled, from an address on, which n ranges from this one on begin in. */
static bool plan_slot(struct segments *s, u32 least, u32 shift, u32 range, u32 n)
{
	if (s->slots == s->slots_most)
		return false;
	s->slot[s->slots++] = (struct xt2_segment_slot){
		.segment = range,
		.bucket = n,
		.least = least,
		.shift = (u8)shift,
	};
	return true;
}

/* => how many different addresses n ranges begin at; *gap: the least between one and the next but */
static u32 count_firsts(const u64 *range, u32 n, u32 most, u64 *gap)
{
	u32 i, firsts = n != 0;

	for (i = 1; i < n; i++)
		firsts += first_of(range[i - 1]) != first_of(range[i]);
	for (i = most; i < n; i++)
		if (range[i] - range[i - most] < *gap)
			*gap = range[i] - range[i - most];
	return firsts;
}

/*
 * => log2 of the addresses of a bucket: as few buckets as there can be if none
 *    is wide, but at most two for each range; in "all" bits, of which some are named
 */
static u32 choose_shift(const struct segments *s, u32 range, u32 n, u64 size, u32 all)
{
	u64 gap = 1ull << 62;
	u32 firsts, shift = 1, most;

	firsts = count_firsts(s->range + range, n, WIDE, &gap);
	gap >>= RANGE_FIRST;
	most = n > SLOT_MOST ? 8 : firsts < SLOT_MOST / 2 ? 2 * firsts : SLOT_MOST;
	while (shift < all && (size - 1) >> shift > most)
		shift++;
	while (shift < all && (size - 1) >> shift > firsts / FILLED && 2ull << shift <= gap)
		shift++;
	return shift;
}

/* The part of a range in the bucket that begins at this address. */
static __always_inline void put_segment(struct segments *s, u32 range, u32 at, u32 addr, u32 shift,
					bool more)
{
	const u64 r = s->range[range];
	const u32 first = first_of(r) > addr ? first_of(r) : addr, bits = bits_of(r) + 15;
	const u32 open = bits > shift ? bits - shift : 0;

	s->begin[at] = (u16)(first << (32 - shift) >> 17);
	s->what[at] = (u32)(r >> RANGE_PLACE) << XT2_SEGMENT_PLACE |
		      (r & XT2_UNIT_RUN ? XT2_SEGMENT_RUN : 0) | (more ? XT2_SEGMENT_MORE : 0) |
		      (open < XT2_SEGMENT_OPEN ? open : XT2_SEGMENT_OPEN);
}

/* n ranges from this one on, and those that are open; equally narrow ones may share a beginning. */
static bool put_bucket(struct segments *s, u32 addr, u32 shift, u32 range, u32 n, u32 open)
{
	const u32 opens = depth_of(s, open);
	u32 at = s->segments, i;

	if (n + opens > XT2_SEGMENTS_MOST || n + opens > s->segments_most - at)
		return false;
	for (i = opens; i--; open = UP(s->up[open - 1]))
		put_segment(s, open - 1, at + i, addr, shift, i);
	for (at += opens; n--; at++, range++) {
		put_segment(s, range, at, addr, shift, UP(s->up[range]));
		if (at > s->segments && s->begin[at] == s->begin[at - 1])
			s->what[at] |= XT2_SEGMENT_MORE;
	}
	s->segments = at;
	return true;
}

/* Do n ranges begin at so many addresses that narrower buckets would have less? */
static bool is_wide(const struct segments *s, u32 range, u32 n, u32 shift)
{
	u64 gap = 0;

	return n > SPLIT && shift > 1 && count_firsts(s->range + range, n, n, &gap) > SPLIT / 2;
}

static bool put_slot(struct segments *s, u32 addr, u32 shift, u32 range, u32 n)
{
	if (s->segments == s->segments_most)
		return false;
	s->begin[s->segments] = 0;
	s->what[s->segments++] = s->slots << XT2_SEGMENT_PLACE | XT2_SEGMENT_SLOT;
	return plan_slot(s, addr, shift, range, n);
}

static bool fill_buckets(struct segments *s, struct xt2_segment_slot *slot, u32 range, u32 n)
{
	const u32 shift = slot->shift, end = range + n;
	u32 i, addr, open, first;

	for (i = 0; i < slot->last; i++) {
		addr = (slot->least + i) << shift;
		for (first = range;
		     range < end && first_of(s->range[range]) >> shift == addr >> shift;)
			range++;
		open = open_at(s, first, addr);
		s->bucket[s->buckets++] = (u16)(s->segments - slot->segment);
		if (is_wide(s, first, range - first, shift)
			    ? !put_slot(s, addr, shift, first, range - first)
			    : !put_bucket(s, addr, shift, first, range - first, open))
			return false;
	}
	s->bucket[s->buckets++] = (u16)(s->segments - slot->segment);
	s->bucket[s->buckets++] = (u16)(s->segments - slot->segment);
	return s->segments - slot->segment <= 0xffff;
}

/* From the first address that a range has, or the slot's, to the last one. */
static bool fill_slot(struct segments *s, struct xt2_segment_slot *slot, bool first_level)
{
	const u32 range = slot->segment, n = slot->bucket, bits = slot->shift;
	const u32 open = open_at(s, range, slot->least);
	u64 end = (u64)slot->least + (1ull << bits), least;
	u32 top = n ? range + n : open;

	*slot = (struct xt2_segment_slot){ .shift = 1 };
	if (!top)
		return true; /* as all empty slots */
	least = open ? end - (1ull << bits) : first_of(s->range[range]);
	while (UP(s->up[top - 1]))
		top = UP(s->up[top - 1]);
	if (end_of(s->range[top - 1]) < end)
		end = end_of(s->range[top - 1]);
	slot->shift = (u8)choose_shift(s, range, n, end - least, first_level ? bits : bits - 1);
	slot->least = (u32)least >> slot->shift;
	slot->last = (u16)(((end - 1) >> slot->shift) + 1 - slot->least);
	slot->segment = s->segments;
	slot->bucket = s->buckets;
	if (slot->last + 2u > s->buckets_most - s->buckets)
		return false;
	return fill_buckets(s, slot, range, n);
}

static u32 slot_shift(u32 ranges)
{
	u32 bits = SLOTS_LEAST;

	while (bits < SLOTS_MOST && ranges >> (bits + SLOT_FILLED))
		bits++;
	return 32 - bits;
}

/* => 32 - log2 of the slots that addresses name; 0: no room */
static u32 fill(struct segments *s)
{
	const u32 shift = slot_shift(s->ranges), slots = 1u << (32 - shift);
	u32 i, at = 0, end;

	s->segments = s->slots = 0;
	s->bucket[0] = s->bucket[1] = 0;
	s->buckets = 2;
	for (i = 0; i < slots; i++, at = end) {
		for (end = at; end < s->ranges && first_of(s->range[end]) >> shift == i;)
			end++;
		if (!plan_slot(s, i << shift, shift, at, end - at))
			return 0;
	}
	for (i = 0; i < s->slots; i++)
		if (!fill_slot(s, &s->slot[i], i < slots))
			return 0;
	return shift;
}

/* --- together ---------------------------------------------------------- */

/* Slots have the places of their buckets. */
static void place_buckets(struct xt2_segment_slot *slot, const struct xt2_segments *g)
{
	u32 i;

	for (i = 0; i < g->slots; i++)
		slot[i].bucket = g->bucket + slot[i].bucket * sizeof(u16);
}

static bool put(struct build *b, const void *from, u64 bytes, u64 more, u32 *offset)
{
	void *to = xt2_build_take_(b, bytes + more, offset);

	if (!to)
		return false;
	memcpy(to, from, bytes);
	return true;
}

static bool put_all(const struct segments *s, struct xt2_segments *g)
{
	const u32 more = XT2_SEGMENTS_BEHIND;

	g->slots = s->slots;
	g->buckets = s->buckets;
	g->segments = s->segments + more;
	g->commons = s->commons;
	if (!put(s->b, s->bucket, s->buckets * sizeof(*s->bucket), 0, &g->bucket))
		return false;
	place_buckets(s->slot, g);
	return put(s->b, s->slot, s->slots * sizeof(*s->slot), 0, &g->slot) &&
	       put(s->b, s->begin, s->segments * sizeof(*s->begin), more * sizeof(*s->begin),
		   &g->begin) &&
	       put(s->b, s->what, s->segments * sizeof(*s->what), more * sizeof(*s->what),
		   &g->what) &&
	       put(s->b, s->common, s->commons * sizeof(*s->common), 0, &g->common);
}

_Static_assert(256 * sizeof(u32) <= SCRATCH_ROOM, "room");
_Static_assert(2 * sizeof(u64) + SEGMENTS_UNIT * (sizeof(u16) + sizeof(u32)) +
			       BUCKETS_UNIT * sizeof(u16) <=
		       SCRATCH_UNIT,
	       "scratch memory of a unit");

/* All rules have scratch memory, the tail included: that is for slots. */
static void share_scratch(struct segments *s)
{
	const u32 n = s->b->units;
	const u8 *end = (u8 *)s->b->hashed + (n + 1ull) * SCRATCH_UNIT;

	s->range = (u64 *)s->b->hashed;
	s->other = s->range + n;
	s->what = (u32 *)(s->other + n);
	s->begin = (u16 *)(s->what + SEGMENTS_UNIT * n);
	s->bucket = s->begin + SEGMENTS_UNIT * n;
	s->slot = (struct xt2_segment_slot *)(s->bucket + BUCKETS_UNIT * n + BUCKETS_FEW);
	s->slots_most = (u32)((end - (u8 *)s->slot) / sizeof(*s->slot));
	s->segments_most = SEGMENTS_UNIT * n;
	s->buckets_most = BUCKETS_UNIT * n + BUCKETS_FEW;
	s->common = s->b->order;
}

static u32 build_field(struct build *b, u32 sampled, u32 field, u32 most)
{
	struct segments s = { .b = b, .most = most < b->units ? most : b->units };
	struct xt2_segments *g;
	u32 offset, shift;

	share_scratch(&s);
	if (is_crowded(&s, sampled, field) || !gather(&s, field))
		return 0;
	sort(&s);
	if (!nest(&s))
		return 0;
	shift = fill(&s);
	if (!shift)
		return 0;
	g = xt2_build_take_(b, sizeof(*g), &offset);
	if (!g)
		return 0;
	g->field = (u8)field;
	g->shift = (u8)shift;
	return put_all(&s, g) ? offset : 0;
}

u32 xt2_build_segments_(struct build *b, u32 most)
{
	const u32 n = xt2_build_sample_(b, b->unit, b->units, SAMPLE);
	const u64 before = b->used, places = b->chain->tail / XT2_ALIGN;
	u32 i, offset, with[2] = { 0, 0 }, field;

	if (b->family != XT2_IPV4 || !most || places >= PLACE_LIMIT)
		return 0;
	for (i = 0; i < n; i++) {
		with[0] += b->sample[i].mask[XT2_FIELD_SRC][0] != 0;
		with[1] += b->sample[i].mask[XT2_FIELD_DST][0] != 0;
	}
	for (i = 0; i < 2; i++) { /* the side that more units ask for first */
		field = (with[0] >= with[1]) == !i ? XT2_FIELD_SRC : XT2_FIELD_DST;
		offset = build_field(b, n, field, most);
		if (offset)
			return offset;
		b->used = before;
		b->full = false;
	}
	return 0;
}
