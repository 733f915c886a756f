/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-build-segments.c - make an index of segments
 *
 * What a rule asks of an address is a prefix, or lies in one, so two ranges
 * are apart or one is in the other.  They are sorted by their first address,
 * the wider ones first; a sweep with a stack of those that are open cuts them
 * into segments.  Units that share addresses have lists: a range's list is
 * made once, from that of the range it lies in.  How long lists may become is
 * bounded before any is written, so a chain with many of them costs no more.
 */
#include "index-build.h"

#define LEVELS	     33 /* prefix lengths, and none */
#define FEW	     8192u /* segments that stay in the first caches, with many buckets */
#define WIDE_FEW     3u /* segments of a bucket, if that can be had */
#define WIDE_MANY    15u
#define FILLED_FEW   2u /* segments of a bucket, on average, to begin with */
#define FILLED_MANY  8u
#define SLOTS_LEAST  4 /* log2 of their number */
#define SLOTS_MOST   14
#define SLOT_FILLED  5 /* log2 of a slot's segments, on average */
#define LISTS_A_UNIT 2u /* places in lists, at most */
#define PLACE_LIMIT  (1ull << (32 - XT2_SEGMENT_PLACE))

/* The addresses that a unit asks for: 2^bits. */
struct range {
	u32 first;
	u32 unit;
	u32 bits;
};

/* A range that the sweep is in. */
struct level {
	u64 end; /* behind its last address */
	u32 what; /* see xt2_segment */
	u32 units; /* who ask for its addresses */
};

struct sweep {
	struct build *b;
	struct range *range; /* sorted */
	u32 ranges;
	u32 most; /* candidates on average, with commons */
	struct xt2_segment *segment;
	u32 segments;
	u32 *list;
	u32 lists, lists_most;
	u32 *common;
	u32 commons;
	u64 now; /* all addresses below are in segments */
	u64 places; /* units of all segments */
	u64 named; /* candidates of all ranges' units */
	u32 depth;
	struct level *level; /* LEVELS of them */
};

/* --- ranges ------------------------------------------------------------ */

/* => log2 of the addresses that a mask's leading ones leave open; 32: any */
static u32 open_bits(u32 mask)
{
	return mask == ~0u ? 0 : 32 - (u32)__builtin_clz(~mask);
}

static struct range range_of(const struct xt2_box *box, u32 field)
{
	struct range r = { .bits = open_bits((u32)box->mask[field][0]) };

	r.first = r.bits < 32 ? (u32)box->value[field][0] & ~0u << r.bits : 0;
	return r;
}

/*
 * Do too many units of a sample ask for the same address, or for any?  What is
 * seen among few is taken fourfold before it counts, since the first unit and
 * the last one often ask for any: the rest is found when ranges are cut.
 */
static bool is_crowded(const struct sweep *s, u32 n, u32 field)
{
	const u64 most = 4ull * s->most * n;
	struct range *r = s->range;
	u64 same = 0, any = 0;
	u32 i, j;

	for (i = 0; i < n; i++) {
		r[i] = range_of(&s->b->sample[i], field);
		any += r[i].bits == 32;
		for (j = 0; r[i].bits < 32 && j < i; j++)
			same += r[i].first == r[j].first && r[i].bits == r[j].bits;
	}
	return 2 * same * s->b->units > most * n || (any > 2 && any * s->b->units > most);
}

/* Of all units. => false: too many ask for any address, or all do */
static bool gather(struct sweep *s, u32 field)
{
	const struct build *b = s->b;
	struct xt2_box box;
	u32 i;

	s->ranges = s->commons = 0;
	for (i = 0; i < b->units; i++) {
		struct range *r = &s->range[s->ranges];

		xt2_box_of(&box, xt2_build_rule_(b, b->unit[i]));
		*r = range_of(&box, field);
		r->unit = b->unit[i];
		if (r->bits < 32)
			s->ranges++;
		else if (s->commons < s->most)
			s->common[s->commons++] = r->unit;
		else
			return false;
	}
	return s->ranges;
}

static u32 digit(const struct range *r, u32 which)
{
	return which ? r->first >> 8 * (which - 1) & 0xff : 32 - r->bits;
}

static bool sort_digit(const struct range *from, struct range *to, u32 n, u32 which, u32 *count)
{
	u32 i, sum = 0, had;

	memset(count, 0, 256 * sizeof(*count));
	for (i = 0; i < n; i++)
		count[digit(&from[i], which)]++;
	if (count[digit(&from[0], which)] == n)
		return false;
	for (i = 0; i < 256; i++) {
		had = count[i];
		count[i] = sum;
		sum += had;
	}
	for (i = 0; i < n; i++)
		to[count[digit(&from[i], which)]++] = from[i];
	return true;
}

static bool in_order(const struct range *a, const struct range *b)
{
	return a->first < b->first || (a->first == b->first && a->bits >= b->bits);
}

/* By first address, then the wider ones first, then in the order of the rules. */
static void sort(struct sweep *s, struct range *other)
{
	u32 *count = xt2_build_room_(s->b), i, which;
	struct range *swap;

	for (i = 1; i < s->ranges && in_order(&s->range[i - 1], &s->range[i]); i++)
		;
	if (i >= s->ranges)
		return;
	for (which = 0; which < 5; which++)
		if (sort_digit(s->range, other, s->ranges, which, count)) {
			swap = s->range;
			s->range = other;
			other = swap;
		}
}

/* --- the sweep --------------------------------------------------------- */

/* Addresses up to the last one, with all that the level has. */
static void cut(struct sweep *s, u64 end, const struct level *level)
{
	const u32 size = (u32)(end - s->now - 1);

	if (end <= s->now)
		return;
	s->segment[s->segments++] = (struct xt2_segment){
		.last = (u32)(end - 1),
		.what = level->what | (size ? 32 - (u32)__builtin_clz(size) : 0)
					      << XT2_SEGMENT_BITS,
	};
	s->places += level->units;
	s->now = end;
}

static void close_until(struct sweep *s, u64 first)
{
	while (s->depth && s->level[s->depth - 1].end <= first) {
		cut(s, s->level[s->depth - 1].end, &s->level[s->depth - 1]);
		s->depth--;
	}
}

/* A list of a level's units and n more. => its first place; 0: no room */
static u32 make_list(struct sweep *s, const struct level *in, const struct range *r, u32 n)
{
	const u32 place = s->lists, units = n + (in ? in->units : 0);
	const u32 one = in ? in->what >> XT2_SEGMENT_PLACE << 3 | (in->what & XT2_SEGMENT_RUN) : 0;
	const u32 *old = &one, *old_end;
	u32 i;

	if (units > s->lists_most - s->lists || !list_fits(units, s->b->units))
		return 0;
	if (in && in->what & XT2_SEGMENT_LIST)
		old = s->list + (in->what >> XT2_SEGMENT_PLACE);
	old_end = old + units - n;
	for (i = 0; i < units; i++) {
		if (old < old_end && (!n || (*old & ~XT2_UNIT_LAST) < r->unit)) {
			s->list[s->lists++] = *old++ & ~XT2_UNIT_LAST;
		} else {
			s->list[s->lists++] = r++->unit;
			n--;
		}
	}
	s->list[s->lists - 1] |= XT2_UNIT_LAST;
	return place;
}

/* n units that ask for the same addresses. => false: too many candidates, or no room */
static bool open_range(struct sweep *s, const struct range *r, u32 n)
{
	const struct level *in = s->depth ? &s->level[s->depth - 1] : NULL;
	struct level *level = &s->level[s->depth];
	const u32 units = n + (in ? in->units : 0);
	u32 place;

	s->named += (u64)n * units;
	if (s->named > (u64)s->most * s->ranges)
		return false;
	if (in)
		cut(s, r->first, in);
	if (units == 1) {
		level->what = (r->unit & ~XT2_UNIT_FLAGS) / XT2_ALIGN << XT2_SEGMENT_PLACE |
			      (r->unit & XT2_UNIT_RUN);
	} else {
		place = make_list(s, in, r, n);
		if (!place || place >= PLACE_LIMIT)
			return false;
		level->what = place << XT2_SEGMENT_PLACE | XT2_SEGMENT_LIST;
	}
	level->units = units;
	level->end = (u64)r->first + (1ull << r->bits);
	s->now = r->first;
	s->depth++;
	return true;
}

static bool cut_all(struct sweep *s)
{
	u32 i, j;

	s->level = xt2_build_room_(s->b);
	s->list[0] = XT2_UNIT_LAST; /* place 0 says that there is no list */
	s->lists = 1;
	s->segments = s->depth = 0;
	s->now = s->places = s->named = 0;
	for (i = 0; i < s->ranges; i = j) {
		const struct range *r = &s->range[i];

		for (j = i + 1;
		     j < s->ranges && r[j - i].first == r->first && r[j - i].bits == r->bits;)
			j++;
		close_until(s, r->first);
		if (!open_range(s, r, j - i))
			return false;
	}
	close_until(s, 1ull << 32);
	if (s->segment[s->segments - 1].last != ~0u)
		s->segment[s->segments++] = (struct xt2_segment){ .last = ~0u };
	return s->places <= SEGMENT_PLACES(s->b->units) &&
	       s->named + (u64)s->commons * s->ranges <= (u64)s->most * s->ranges;
}

/* --- slots and buckets ------------------------------------------------- */

/* => most segments that end in one bucket, if it has 2^shift addresses */
static u32 widest(const struct xt2_segment *g, u32 n, u32 shift)
{
	u32 i, bucket = 0, had = 0, most = 0;

	for (i = 0; i < n; i++) {
		if ((g[i].last - g[0].last) >> shift != bucket) {
			bucket = (g[i].last - g[0].last) >> shift;
			had = 0;
		}
		had++;
		most = had > most ? had : most;
	}
	return most;
}

/* As few buckets as there can be if none is wide, but at most two for each of n segments. */
static void choose_buckets(struct xt2_segment_slot *slot, const struct xt2_segment *g, u32 n,
			   bool few)
{
	const u32 filled = few ? FILLED_FEW : FILLED_MANY, most = few ? WIDE_FEW : WIDE_MANY;
	const u32 size = n ? g[n - 1].last - g[0].last : 0;
	u32 shift = 31, wide = n;

	while (shift && size >> shift <= n / filled)
		shift--;
	shift += shift < 31 && size >> shift > n / filled;
	for (; n; shift--) {
		wide = widest(g, n, shift);
		if (wide <= most || !shift || size >> (shift - 1) >= 2 * n)
			break;
	}
	slot->shift = (u8)shift;
	slot->last = size >> shift;
	for (slot->step = XT2_SEGMENT_STEP_LEAST; 2u * slot->step - 1 < wide;)
		slot->step *= 2;
}

static u32 slot_shift(u32 segments)
{
	u32 bits = SLOTS_LEAST;

	while (bits < SLOTS_MOST && segments >> (bits + SLOT_FILLED))
		bits++;
	return 32 - bits;
}

/* => how many segments there are to be at least, for all slots' steps; 0: a bucket is too wide */
static u32 make_slots(const struct sweep *s, struct xt2_segments *g, struct xt2_segment_slot *slot)
{
	const u32 slots = 1u << (32 - g->shift);
	u32 i, at = 0, end, step = 0;

	for (i = 0; i < slots; i++, at = end) {
		for (end = at; end < s->segments && s->segment[end].last >> g->shift == i;)
			end++;
		slot[i].least = end > at ? s->segment[at].last : i << g->shift;
		choose_buckets(&slot[i], s->segment + at, end - at, s->segments <= FEW);
		slot[i].bucket = g->buckets;
		g->buckets += slot[i].last + 1;
		step = slot[i].step > step ? slot[i].step : step;
	}
	return step <= XT2_SEGMENT_STEP_MOST ? s->segments + 2 * step : 0;
}

static void fill_buckets(const struct sweep *s, const struct xt2_segments *g,
			 const struct xt2_segment_slot *slot, u32 *bucket)
{
	const u32 slots = 1u << (32 - g->shift);
	u32 i, j, at = 0;

	for (i = 0; i < slots; i++, slot++)
		for (j = 0; j <= slot->last; j++) {
			while (s->segment[at].last < slot->least + (j << slot->shift))
				at++;
			*bucket++ = at;
		}
}

/* --- together ---------------------------------------------------------- */

static bool put_segments(const struct sweep *s, struct xt2_segments *g)
{
	struct build *b = s->b;
	struct xt2_segment_slot *slot;
	struct xt2_segment *to;
	u32 *bucket, *list, *common, i;

	g->shift = (u8)slot_shift(s->segments);
	slot = xt2_build_take_(b, sizeof(*slot) << (32 - g->shift), &g->slot);
	if (!slot)
		return false;
	g->segments = make_slots(s, g, slot);
	if (!g->segments)
		return false;
	bucket = xt2_build_take_(b, (u64)g->buckets * sizeof(*bucket), &g->bucket);
	to = xt2_build_take_(b, (u64)g->segments * sizeof(*to), &g->segment);
	g->lists = s->lists;
	list = xt2_build_take_(b, (u64)s->lists * sizeof(*list), &g->list);
	g->commons = s->commons;
	common = xt2_build_take_(b, (u64)s->commons * sizeof(*common), &g->common);
	if (!bucket || !to || !list || !common)
		return false;
	fill_buckets(s, g, slot, bucket);
	memcpy(to, s->segment, s->segments * sizeof(*to));
	for (i = s->segments; i < g->segments; i++)
		to[i].last = ~0u;
	memcpy(list, s->list, s->lists * sizeof(*list));
	memcpy(common, s->common, s->commons * sizeof(*common));
	return true;
}

_Static_assert(LEVELS * sizeof(struct level) <= SCRATCH_ROOM && 256 * sizeof(u32) <= SCRATCH_ROOM,
	       "room");
_Static_assert(2 * sizeof(struct range) + 2 * sizeof(struct xt2_segment) +
			       LISTS_A_UNIT * sizeof(u32) <=
		       SCRATCH_UNIT,
	       "scratch memory of a unit");

/* All rules have scratch memory, the tail included: that is for a segment and a list of nobody. */
static struct range *share_scratch(struct sweep *s)
{
	const u32 n = s->b->units;
	struct range *other;

	s->range = (struct range *)s->b->hashed;
	other = s->range + n;
	s->segment = (struct xt2_segment *)(other + n);
	s->list = (u32 *)(s->segment + 2 * n + 1);
	s->lists_most = LISTS_A_UNIT * n + 1;
	s->common = s->b->order;
	return other;
}

static u32 build_field(struct build *b, u32 sampled, u32 field, u32 most)
{
	struct sweep s = { .b = b, .most = most < b->units ? most : b->units };
	struct range *other = share_scratch(&s);
	struct xt2_segments *g;
	u32 offset;

	if (is_crowded(&s, sampled, field) || !gather(&s, field))
		return 0;
	sort(&s, other);
	if (!cut_all(&s))
		return 0;
	g = xt2_build_take_(b, sizeof(*g), &offset);
	if (!g)
		return 0;
	g->field = (u8)field;
	return put_segments(&s, g) ? offset : 0;
}

u32 xt2_build_segments_(struct build *b, u32 most)
{
	const u32 n = b->units < SAMPLE ? b->units : SAMPLE;
	const u64 before = b->used, places = b->chain->tail / XT2_ALIGN;
	u32 i, offset, with[2] = { 0, 0 }, field;

	if (b->family != XT2_IPV4 || !most || places >= PLACE_LIMIT)
		return 0;
	for (i = 0; i < n; i++) {
		xt2_box_of(&b->sample[i], xt2_build_rule_(b, b->unit[(u64)i * b->units / n]));
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
