/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-index.c - verify that a search can find every rule
 *
 * A wrong index would hide rules that are still listed, so its bytes are not
 * trusted: each unit of the chain is searched as for its packets, and its entry
 * must let them all through.  There are as many entries
 * as units and each unit finds another one, so there are no entries of
 * anything else; segments name a unit in several places, and each of them
 * must be one where the unit is found.  Runs are counted in while packets are
 * evaluated, so nothing that is searched may be in the same place.
 */
#include "build.h"

struct check {
	const struct xt2_chain *chain;
	const struct xt2_index *ix;
	u8 family;
	union { /* the body, by kind */
		const void *body;
		const struct xt2_columns *columns;
		const struct xt2_bits *bits;
		const struct xt2_segments *segments;
		const struct xt2_pairs *pairs;
	};
	/* parts of a prefix index */
	const struct xt2_segment_slot *slot;
	const u16 *begin;
	const u32 *name; /* what segments name: see struct xt2_segments */
	u64 places, found; /* segments that name units; how many of them a unit accounts for */
	const char *what;
};

static int bad(struct check *c, const char *what)
{
	c->what = what;
	return -EINVAL;
}

static bool inside(const struct check *c, u64 offset, u64 bytes)
{
	return offset % XT2_ALIGN == 0 &&
	       offset >= sizeof(*c->ix) + c->ix->runs * sizeof(struct xt2_run) &&
	       offset <= c->ix->size && bytes <= c->ix->size - offset;
}

/* A key that the search does not fill still holds the previous packet's value. */
static bool asks(const struct check *c, u8 what)
{
	return (c->ix->asks & what) == what;
}

static bool has_key(const struct check *c, u32 key)
{
	return xt2_key_of_family(c->family, key) && asks(c, xt2_asks_key_(key));
}

/* --- columns ----------------------------------------------------------- */

static bool any_set(const u8 *bytes, u32 n)
{
	while (n)
		if (bytes[--n])
			return true;
	return false;
}

static int check_order(struct check *c, const u32 *unit, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++)
		if ((unit[i - 1] & ~XT2_UNIT_FLAGS) >= (unit[i] & ~XT2_UNIT_FLAGS))
			return bad(c, "units of an index are not in order");
	return 0;
}

static int check_columns(struct check *c, u32 offset)
{
	const struct xt2_columns *k = xt2_at(c->ix, offset);
	u64 rows;
	u32 i;

	if (!inside(c, offset, sizeof(*k)) || k->columns > XT2_COLUMNS_MAX || !k->units ||
	    any_set(k->reserved, sizeof(k->reserved)))
		return bad(c, "columns of an index are not valid");
	rows = ((u64)k->units + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK;
	if (!inside(c, offset, sizeof(*k) + rows * (sizeof(u32) + 4ull * k->columns)))
		return bad(c, "columns of an index are not valid");
	for (i = 0; i < k->columns; i++)
		if (!has_key(c, k->column[i]))
			return bad(c, "columns of an index are not valid");
	return check_order(c, (const u32 *)(k + 1), k->units);
}

/* => the unit's number, or n */
static u32 units_place(const u32 *list, u32 n, u32 unit)
{
	u32 low = 0, high = n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (list[mid] < unit)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && list[low] == unit ? low : n;
}

/* Do the columns let through all that the box of the unit at this place has? */
static bool columns_admit(const struct check *c, const struct xt2_columns *k, u32 place,
			  const struct xt2_box *box)
{
	const u16 *at = xt2_columns_row(k, place / XT2_BLOCK) + place % XT2_BLOCK;
	u16 least, most;
	u32 i;

	for (i = 0; i < k->columns; i++, at += 2 * XT2_BLOCK) {
		if (!xt2_box_range(box, c->family, k->column[i], &least, &most) || at[0] > least ||
		    at[XT2_BLOCK] > 0xffff - most)
			return false;
	}
	return true;
}

static bool in_columns(const struct check *c, u32 offset, u32 unit, const struct xt2_box *box)
{
	const struct xt2_columns *k = xt2_at(c->ix, offset);
	u32 place = units_place((const u32 *)(k + 1), k->units, unit);

	return place < k->units && columns_admit(c, k, place, box);
}

/* --- bits -------------------------------------------------------------- */

static int check_bits_key(struct check *c, const struct xt2_bits_key *by)
{
	const u16 *edge = xt2_at(c->ix, by->edge);
	u32 i;

	if (!has_key(c, by->key) || by->reserved || !by->slots || by->slots & (by->slots - 1) ||
	    by->slots > XT2_BITS_SLOTS)
		return bad(c, "bits of an index are not valid");
	if (!inside(c, by->edge, by->slots * sizeof(*edge)) ||
	    !inside(c, by->bit, (u64)by->slots * c->bits->words * sizeof(u64)) || edge[0])
		return bad(c, "bits of an index are not valid");
	for (i = 1; i < by->slots; i++)
		if (edge[i] < edge[i - 1])
			return bad(c, "slots of an index are not in order");
	return 0;
}

/* Bits after the last unit would be units that do not exist. */
static bool has_more_bits(const struct check *c)
{
	const struct xt2_bits *k = c->bits;
	const u64 *bit = xt2_at(c->ix, k->by[0].bit);
	const u64 beyond = k->units % 64 ? ~0ull << k->units % 64 : 0;
	u32 i;

	for (i = 0; i < k->by[0].slots; i++)
		if (bit[i * k->words + k->words - 1u] & beyond)
			return true;
	return false;
}

static int check_bits(struct check *c)
{
	const struct xt2_bits *k = c->bits;
	u32 i;
	int err = 0;

	if (!inside(c, c->ix->body, sizeof(*k)) || !k->units || k->units != c->ix->units ||
	    k->reserved || !k->keys || k->keys > XT2_BITS_KEYS || k->words > XT2_BITS_WORDS ||
	    k->words != (k->units + 63) / 64 ||
	    !inside(c, c->ix->body, sizeof(*k) + (u64)k->units * sizeof(u32)))
		return bad(c, "bits of an index are not valid");
	for (i = 0; i < k->keys && !err; i++)
		err = check_bits_key(c, &k->by[i]);
	if (err)
		return err;
	if (check_order(c, (const u32 *)(k + 1), k->units))
		return -EINVAL;
	return has_more_bits(c) ? bad(c, "index has entries of no rule") : 0;
}

/* Has the unit its bit in all slots that its range meets? */
static bool bits_admit(const struct check *c, const struct xt2_bits_key *by, u32 place, u16 least,
		       u16 most)
{
	const u16 *edge = xt2_at(c->ix, by->edge);
	const u64 *bit = xt2_at(c->ix, by->bit);
	u32 i;

	for (i = 0; i < by->slots && edge[i] <= most; i++) {
		if (i + 1 < by->slots && (edge[i + 1] <= least || edge[i + 1] == edge[i]))
			continue; /* is left before the range begins, or never entered */
		if (!(bit[i * c->bits->words + place / 64] >> place % 64 & 1))
			return false;
	}
	return true;
}

static bool in_bits(const struct check *c, u32 unit, const struct xt2_box *box)
{
	const struct xt2_bits *k = c->bits;
	u32 place = units_place((const u32 *)(k + 1), k->units, unit), i;
	u16 least, most;

	if (place == k->units)
		return false;
	for (i = 0; i < k->keys; i++) {
		if (!xt2_box_range(box, c->family, k->by[i].key, &least, &most) ||
		    !bits_admit(c, &k->by[i], place, least, most))
			return false;
	}
	return true;
}

/* --- segments ---------------------------------------------------------- */

static const u16 *bucket_at(const struct check *c, const struct xt2_segment_slot *slot, u32 number)
{
	return (const u16 *)xt2_at(c->ix, slot->bucket) + number;
}

/* A search goes on in that slot: narrower ones cannot lead back. */
static bool leads_on(const struct check *c, u32 shift, u32 what)
{
	const u32 number = what >> XT2_SEGMENT_PLACE;

	return number < c->segments->slots && c->slot[number].shift < shift;
}

/* A search counts the segments of a bucket that begin no later than its address. */
static bool bucket_holds_segments(struct check *c, u32 shift, u32 first, u32 n)
{
	const u16 *begin = c->begin + first;
	const u32 *what = c->name + first;
	u32 i;

	if (n == 1 && what[0] & XT2_SEGMENT_SLOT)
		return !begin[0] && leads_on(c, shift, what[0]);
	for (i = 0; i < n; i++)
		if (what[i] & XT2_SEGMENT_SLOT || (i && begin[i] < begin[i - 1]))
			return false;
	c->places += n;
	return c->places <= SEGMENT_PLACES(c->ix->units);
}

/*
 * Buckets are a slot's own, but for such as are empty; *buckets: those up to
 * its last, to which all addresses outside the slot go: no rule has them.
 */
static bool slot_holds(struct check *c, const struct xt2_segment_slot *slot, u32 *buckets)
{
	const struct xt2_segments *g = c->segments;
	const u32 last = slot->last, bucket = (slot->bucket - g->bucket) / (u32)sizeof(u16);
	const u16 *at = bucket_at(c, slot, 0);
	u32 i, first, n;

	if (slot->shift < 1 || slot->shift > 31 || slot->reserved || slot->bucket % sizeof(u16) ||
	    bucket > g->buckets || last + 2 > g->buckets - bucket || (last && bucket < *buckets))
		return false;
	if (last)
		*buckets = bucket + last;
	for (i = 0; i <= last; i++) {
		n = (u32)at[i + 1] - at[i];
		first = slot->segment + at[i];
		if (n > (i < last ? XT2_SEGMENTS_MOST : 0) || first > g->segments ||
		    n + XT2_SEGMENTS_BEHIND > g->segments - first ||
		    !bucket_holds_segments(c, slot->shift, first, n))
			return false;
	}
	return true;
}

/* A bucket's segments say nothing about addresses that other slots are named by. */
static bool reaches_beyond(const struct xt2_segments *g, u32 number,
			   const struct xt2_segment_slot *slot)
{
	return number < 1u << (32 - g->shift) && slot->shift > g->shift;
}

static int check_segments(struct check *c)
{
	const struct xt2_segments *g = c->segments;
	u32 i, buckets = 0;

	if (c->family != XT2_IPV4 || !inside(c, c->ix->body, sizeof(*g)) || g->reserved ||
	    (g->field != XT2_FIELD_SRC && g->field != XT2_FIELD_DST) || g->shift < 1 ||
	    g->shift > 31 || g->slots < 1u << (32 - g->shift))
		return bad(c, "segments of an index are not valid");
	if (!inside(c, g->slot, (u64)g->slots * sizeof(struct xt2_segment_slot)) ||
	    !inside(c, g->bucket, (u64)g->buckets * sizeof(u16)) ||
	    !inside(c, g->begin, (u64)g->segments * sizeof(u16)) ||
	    !inside(c, g->what, (u64)g->segments * sizeof(u32)) ||
	    !inside(c, g->common, (u64)g->commons * sizeof(u32)))
		return bad(c, "segments of an index are not valid");
	c->slot = xt2_at(c->ix, g->slot);
	c->begin = xt2_at(c->ix, g->begin);
	c->name = xt2_at(c->ix, g->what);
	c->places = g->commons; /* in order, or they would not be found */
	for (i = 0; i < g->slots; i++)
		if (!slot_holds(c, &c->slot[i], &buckets) || reaches_beyond(g, i, &c->slot[i]))
			return bad(c, "slots of an index are not valid");
	return 0;
}

/* A bucket, as a search for an address finds it. */
struct place {
	u32 first, n, shift;
	u64 addr; /* where it begins */
};

static struct place find_bucket(const struct check *c, u32 addr)
{
	const struct xt2_segment_slot *slot = c->slot + (addr >> c->segments->shift);
	struct place p;

	for (;; slot = c->slot + (c->name[p.first] >> XT2_SEGMENT_PLACE)) {
		const u32 i = (addr >> slot->shift) - slot->least;
		const u16 *at = bucket_at(c, slot, i < slot->last ? i : slot->last);

		p = (struct place){
			.first = slot->segment + at[0],
			.n = (u32)at[1] - at[0],
			.shift = slot->shift,
			.addr = addr >> slot->shift << slot->shift,
		};
		if (!p.n || !(c->name[p.first] & XT2_SEGMENT_SLOT))
			return p;
	}
}

static u32 unit_of(u32 what)
{
	return (what >> XT2_SEGMENT_PLACE) * XT2_ALIGN |
	       (what & XT2_SEGMENT_RUN ? XT2_UNIT_RUN : 0);
}

/* Do all searches of the bucket for addresses from first to last find the unit? */
static bool bucket_names(const struct check *c, const struct place *p, u32 unit, u32 bits,
			 u32 first, u32 last)
{
	const u16 *begin = c->begin + p->first;
	const u32 *what = c->name + p->first;
	const u32 part = first << (32 - p->shift) >> 17, end = last << (32 - p->shift) >> 17;
	u32 i, open = bits + 15 > p->shift ? bits + 15 - p->shift : 0;

	open = open < XT2_SEGMENT_OPEN ? open : XT2_SEGMENT_OPEN;
	for (i = 0; i < p->n; i++)
		if (begin[i] == part && (what[i] & XT2_SEGMENT_OPEN) == open &&
		    unit_of(what[i]) == unit)
			break;
	if (i == p->n)
		return false;
	while (++i < p->n && begin[i] <= end)
		if (!(what[i] & XT2_SEGMENT_MORE))
			return false;
	return true;
}

/* The unit has a place of its own in all buckets that its box meets, or among all addresses'. */
static bool in_segments(struct check *c, u32 unit, const struct xt2_box *box)
{
	const struct xt2_segments *g = c->segments;
	const u32 mask = (u32)box->mask[g->field][0];
	const u32 bits = mask == ~0u ? 0 : 32 - (u32)__builtin_clz(~mask);
	const u32 *common = xt2_at(c->ix, g->common);
	const u64 first = (u32)box->value[g->field][0] & ~0ull << bits;
	const u64 last = first + (1ull << bits) - 1;
	struct place p;
	u64 addr, end;

	if (units_place(common, g->commons, unit) < g->commons) {
		c->found++;
		return true;
	}
	for (addr = first; addr <= last; addr = end + 1) {
		p = find_bucket(c, (u32)addr);
		end = p.addr + (1ull << p.shift) - 1;
		if (!bucket_names(c, &p, unit, bits, (u32)addr, (u32)(end < last ? end : last)))
			return false;
		if (++c->found > c->places)
			return false;
	}
	return true;
}

/* --- pairs ------------------------------------------------------------- */

static int check_dimension(struct check *c, const struct xt2_index_dimension *d)
{
	u32 i, w;

	if (d->field >= XT2_FIELDS || !d->classes || d->classes > XT2_CLASSES ||
	    (d->words != 1 && d->words != 2 && d->words != 4) ||
	    any_set(d->reserved, sizeof(d->reserved)) || !asks(c, xt2_asks_field(d->field)))
		return bad(c, "dimension of an index is not valid");
	for (i = 0; i < XT2_CLASSES; i++) {
		for (w = 0; w < XT2_FIELD_WORDS; w++)
			if (d->mask[w][i] && (i + 1 >= d->classes || w >= d->words))
				return bad(c, "dimension of an index has bits of no class");
		if (i < d->classes
			    ? d->shift[i] > SHIFT_UNUSED ||
				      !inside(c, d->slot[i], (u64)sizeof(u16) << (32 - d->shift[i]))
			    : d->slot[i] || d->shift[i] != SHIFT_UNUSED)
			return bad(c, "slots of an index are not valid");
	}
	return 0;
}

static int check_entries(struct check *c)
{
	const struct xt2_pairs *p = c->pairs;
	const struct xt2_index_entry *e = xt2_at(c->ix, p->entry);
	const struct xt2_columns *k;
	u64 units = 0;
	u32 i;
	int err;

	for (i = 0; i < p->entries; i++) {
		if (!(e[i].unit & XT2_UNIT_NESTED)) {
			units++;
			continue;
		}
		err = check_columns(c, e[i].unit & ~XT2_UNIT_FLAGS);
		if (err)
			return err;
		k = xt2_at(c->ix, (e[i].unit & ~XT2_UNIT_FLAGS));
		if (e[i].ports != *(const u32 *)(k + 1) || e[i].never != NEVER_AT_ALL)
			return bad(c, "columns of an index begin elsewhere");
		units += k->units;
		if (units > c->ix->units) /* entries that share columns would take for ever */
			break;
	}
	for (i = 0; i < XT2_ENTRIES_BEYOND; i++)
		if (e[p->entries + i].never != NEVER_AT_ALL)
			return bad(c, "index has entries of no rule");
	return units == c->ix->units ? 0 : bad(c, "index has entries of no rule");
}

/* A search stops at the first entry that comes too late. */
static bool bucket_holds(const struct xt2_index_entry *e, u32 n, bool nested)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (e[i].unit & XT2_UNIT_NESTED || (i && e[i - 1].unit > e[i].unit))
			return false;
	return !nested || e[n].unit & XT2_UNIT_NESTED;
}

/* Each entry is in one bucket; a bucket without entries has no tags. */
static bool buckets_hold(const struct check *c, u64 buckets)
{
	const struct xt2_pairs *p = c->pairs;
	const struct xt2_index_entry *e = xt2_at(c->ix, p->entry);
	const struct xt2_index_bucket *b = xt2_at(c->ix, p->bucket);
	u32 n, sum = 0;
	bool nested;
	u64 i;

	for (i = 0; i < buckets; i++) {
		n = b[i].entries & XT2_BUCKET_COUNT;
		nested = b[i].entries & XT2_BUCKET_NESTED;
		if (!n && !nested) {
			if (b[i].entries | b[i].tags)
				return false;
			continue;
		}
		if (b[i].entries >> XT2_BUCKET_FIRST != sum || n + nested > p->entries - sum ||
		    !bucket_holds(e + sum, n, nested))
			return false;
		sum += n + nested;
	}
	return sum == p->entries;
}

static int check_pairs(struct check *c)
{
	const struct xt2_pairs *p = c->pairs;
	u64 buckets, i;
	int err = 0;

	if (!inside(c, c->ix->body, sizeof(*p)) || p->shift > 31 || !asks(c, XT2_ASKS_PORTS))
		return bad(c, "pairs of an index are not valid");
	for (i = 0; i < 3 && !err; i++)
		err = check_dimension(c, &p->dim[i]);
	if (err)
		return err;
	buckets = 1ull << (32 - p->shift);
	if (!inside(c, p->bucket, buckets * sizeof(struct xt2_index_bucket)) ||
	    !inside(c, p->entry,
		    (p->entries + (u64)XT2_ENTRIES_BEYOND) * sizeof(struct xt2_index_entry)) ||
	    !buckets_hold(c, buckets))
		return bad(c, "buckets of an index are not valid");
	return check_entries(c);
}

static u32 slot_of(const struct check *c, const struct xt2_index_dimension *d, u32 cls, u32 hash)
{
	return ((const u16 *)xt2_at(c->ix, d->slot[cls]))[hash >> d->shift[cls]];
}

static bool entry_admits(const struct check *c, const struct xt2_index_entry *e,
			 const struct xt2_box *box)
{
	const u64 ports = xt2_box_ports(box) | XT2_PORT_TOPS;

	if (e->ports & XT2_PORT_TOPS || e->never & ~xt2_box_never(box))
		return false;
	if (e->never >> XT2_BIT_STATE && !(c->ix->asks & XT2_ASKS_STATE))
		return false;
	return ((ports - e->ports) & XT2_PORT_TOPS) == XT2_PORT_TOPS;
}

/* Is the unit in the bucket of this hash? */
static bool in_bucket(const struct check *c, u32 hash, u32 unit, const struct xt2_box *box)
{
	const struct xt2_pairs *p = c->pairs;
	const struct xt2_index_bucket *b = xt2_at(c->ix, p->bucket);
	const struct xt2_index_entry *e = xt2_at(c->ix, p->entry);
	const u16 tag = xt2_hash_tag(hash);
	u32 i, n;

	b += hash >> p->shift;
	if (!(b->tags >> tag % 32 & 1))
		return false;
	e += b->entries >> XT2_BUCKET_FIRST;
	n = b->entries & XT2_BUCKET_COUNT;
	for (i = 0; i < n; i++)
		if (e[i].unit == unit)
			return e[i].tag == tag && entry_admits(c, &e[i], box);
	return b->entries & XT2_BUCKET_NESTED && (e[i].tag == tag || e[i].unit & XT2_UNIT_MIXED) &&
	       in_columns(c, e[i].unit & ~XT2_UNIT_FLAGS, unit, box);
}

static bool in_pairs(const struct check *c, u32 unit, const struct xt2_box *box)
{
	const struct xt2_pairs *p = c->pairs;
	u32 hash[3], cls[3], both, pair, i;

	for (i = 0; i < 3; i++)
		hash[i] = xt2_box_hash(box, &p->dim[i], i, &cls[i]);
	both = slot_of(c, &p->dim[0], cls[0], hash[0]) >> cls[1] &
	       slot_of(c, &p->dim[1], cls[1], hash[1]) >> cls[0];
	pair = xt2_hash_pair(hash[0], hash[1]);
	if (both & 1 && in_bucket(c, pair, unit, box))
		return true;
	return both >> XT2_CLASSES & 1 && p->dim[2].classes > 1 && !cls[2] &&
	       slot_of(c, &p->dim[2], 0, hash[2]) &&
	       in_bucket(c, xt2_hash_pair(pair, hash[2]), unit, box);
}

/* --- units and runs ---------------------------------------------------- */

/* => the rule after a valid run; NULL: it is not valid */
static const struct xt2_rule *run_holds(const struct check *c, const struct xt2_rule *first,
					const struct xt2_run *run, const struct xt2_box *box)
{
	const struct xt2_rule *tail = xt2_chain_tail(c->chain), *r = xt2_rule_next(first);

	if (!box->stateless || run->end > c->chain->tail || !xt2_run_goes_on_(first, first))
		return NULL;
	for (; r < tail && xt2_offset(c->chain, r) < run->end; r = xt2_rule_next(r))
		if (!xt2_run_goes_on_(first, r))
			return NULL;
	return xt2_offset(c->chain, r) == run->end ? r : NULL;
}

static bool is_found(struct check *c, u32 unit, const struct xt2_box *box)
{
	switch (c->ix->kind) {
	case XT2_INDEX_PAIRS: return in_pairs(c, unit, box);
	case XT2_INDEX_BITS: return in_bits(c, unit, box);
	case XT2_INDEX_SEGMENTS: return in_segments(c, unit, box);
	}
	return in_columns(c, c->ix->body, unit, box);
}

static int check_units(struct check *c)
{
	const struct xt2_rule *r = xt2_chain_first(c->chain), *tail = xt2_chain_tail(c->chain);
	const struct xt2_run *run = xt2_at(c->ix, c->ix->run);
	const struct xt2_run *end = run + c->ix->runs;
	struct xt2_box box;
	u32 units = 0;

	while (r < tail) {
		u32 unit = xt2_offset(c->chain, r);

		xt2_box_of(&box, r);
		if (run < end && run->rule == unit) {
			unit |= XT2_UNIT_RUN;
			r = run_holds(c, r, run++, &box);
			if (!r)
				return bad(c, "run of an index is not one");
		} else {
			r = xt2_rule_next(r);
		}
		if (units < c->ix->heads && c->ix->head[units] != unit)
			return bad(c, "first rules of an index are others");
		units++;
		if (!is_found(c, unit, &box))
			return bad(c, "index would miss a rule");
	}
	return run == end && units == c->ix->units && c->found == c->places
		       ? 0
		       : bad(c, "index has entries of no rule");
}

static int check_body(struct check *c)
{
	int err;

	switch (c->ix->kind) {
	case XT2_INDEX_PAIRS: return check_pairs(c);
	case XT2_INDEX_BITS: return check_bits(c);
	case XT2_INDEX_SEGMENTS: return check_segments(c);
	case XT2_INDEX_COLUMNS:
		err = check_columns(c, c->ix->body);
		return !err && c->columns->units != c->ix->units
			       ? bad(c, "index has entries of no rule")
			       : err;
	}
	return bad(c, "index of an unknown kind");
}

static int check_index(struct check *c)
{
	const struct xt2_index *ix = c->ix;

	if (!ix->ahead || ix->ahead > XT2_CANDIDATES || ix->heads > XT2_HEADS ||
	    ix->heads > ix->units || ix->reserved)
		return bad(c, "header of an index is not valid");
	if (ix->size > xt2_index_bound(c->chain->rules))
		return bad(c, "index is larger than its rules can make it");
	if (ix->runs && (ix->run != sizeof(*ix) ||
			 ix->runs > (ix->size - sizeof(*ix)) / sizeof(struct xt2_run)))
		return bad(c, "runs of an index are not valid");
	c->body = xt2_at(ix, ix->body);
	return check_body(c) ? -EINVAL : check_units(c);
}

int xt2_index_check(const struct xt2_chain *chain, u8 family, const char **what)
{
	struct check c = { .chain = chain, .ix = xt2_chain_index(chain), .family = family };
	int err;

	if (!c.ix)
		return 0;
	if (family != XT2_IPV4 && family != XT2_IPV6)
		err = bad(&c, "chain of this family cannot have an index");
	else
		err = check_index(&c);
	if (err)
		*what = c.what;
	return err;
}
