/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-check.c - does the index name every rule where a search looks for it?
 *
 * A wrong index would hide rules that are still listed, so its bytes are not
 * believed: each unit of the chain is looked for as a search for its packets
 * would, and its entry must let them all through.  There are as many entries
 * as units and each unit finds another one, so there are no entries of
 * anything else; segments name a unit in several places, and each of them
 * must be one where the unit is found.  Runs are counted in while packets are
 * evaluated, so nothing that is searched may be in the same place.
 */
#include "index-build.h"

struct check {
	const struct xt2_chain *chain;
	const struct xt2_index *ix;
	u8 family;
	u64 places, found; /* where segments name units; and which of them are those of one */
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

/* Keys that a search does not fill in are those of another packet. */
static bool asks(const struct check *c, u8 what)
{
	return (c->ix->asks & what) == what;
}

/* --- columns ----------------------------------------------------------- */

static int check_columns(struct check *c, u32 offset)
{
	const struct xt2_columns *k = (const void *)((const u8 *)c->ix + offset);
	const u32 *unit = (const u32 *)(k + 1);
	u64 rows;
	u32 i;

	if (!inside(c, offset, sizeof(*k)) || k->columns > XT2_COLUMNS_MAX || !k->units)
		return bad(c, "columns of an index are not valid");
	rows = ((u64)k->units + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK;
	if (!inside(c, offset, sizeof(*k) + rows * (sizeof(u32) + 4ull * k->columns)))
		return bad(c, "columns of an index are not valid");
	for (i = 0; i < k->columns; i++)
		if (k->column[i] >= XT2_KEYS || !asks(c, xt2_asks_key_(k->column[i])))
			return bad(c, "columns of an index are not valid");
	for (i = 1; i < k->units; i++)
		if ((unit[i - 1] & ~XT2_UNIT_FLAGS) >= (unit[i] & ~XT2_UNIT_FLAGS))
			return bad(c, "units of an index are not in order");
	return 0;
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
	const u32 rows = (k->units + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK;
	const u16 *at = (const u16 *)((const u32 *)(k + 1) + rows) +
			(u64)(place / XT2_BLOCK) * k->columns * 2 * XT2_BLOCK + place % XT2_BLOCK;
	u16 least, most;
	u32 i;

	for (i = 0; i < k->columns; i++, at += 2 * XT2_BLOCK) {
		xt2_box_range(box, c->family, k->column[i], &least, &most);
		most = (u16)~most;
		if (at[0] > least || at[XT2_BLOCK] > most)
			return false;
	}
	return true;
}

static bool in_columns(const struct check *c, u32 offset, u32 unit, const struct xt2_box *box)
{
	const struct xt2_columns *k = (const void *)((const u8 *)c->ix + offset);
	u32 place = units_place((const u32 *)(k + 1), k->units, unit);

	return place < k->units && columns_admit(c, k, place, box);
}

/* --- bits -------------------------------------------------------------- */

static int check_bits_key(struct check *c, const struct xt2_bits *k, const struct xt2_bits_key *by)
{
	const u16 *edge = (const void *)((const u8 *)c->ix + by->edge);
	u32 i;

	if (by->key >= XT2_KEYS || !asks(c, xt2_asks_key_(by->key)) || by->reserved || !by->slots ||
	    by->slots & (by->slots - 1) || by->slots > XT2_BITS_SLOTS)
		return bad(c, "bits of an index are not valid");
	if (!inside(c, by->edge, by->slots * sizeof(*edge)) ||
	    !inside(c, by->bit, (u64)by->slots * k->words * sizeof(u64)) || edge[0])
		return bad(c, "bits of an index are not valid");
	for (i = 1; i < by->slots; i++)
		if (edge[i] < edge[i - 1])
			return bad(c, "slots of an index are not in order");
	return 0;
}

/* Bits behind the last unit would be units that are not there. */
static bool has_more_bits(const struct check *c, const struct xt2_bits *k)
{
	const u64 *bit = (const void *)((const u8 *)c->ix + k->by[0].bit);
	const u64 behind = k->units % 64 ? ~0ull << k->units % 64 : 0;
	u32 i;

	for (i = 0; i < k->by[0].slots; i++)
		if (bit[i * k->words + k->words - 1u] & behind)
			return true;
	return false;
}

static int check_bits(struct check *c, const struct xt2_bits *k)
{
	const u32 *unit = (const u32 *)(k + 1);
	u32 i;
	int err = 0;

	if (!inside(c, c->ix->body, sizeof(*k)) || !k->units || k->units != c->ix->units ||
	    k->reserved || !k->keys || k->keys > XT2_BITS_KEYS || k->words > XT2_BITS_WORDS ||
	    k->words != (k->units + 63) / 64 ||
	    !inside(c, c->ix->body, sizeof(*k) + (u64)k->units * sizeof(u32)))
		return bad(c, "bits of an index are not valid");
	for (i = 0; i < k->keys && !err; i++)
		err = check_bits_key(c, k, &k->by[i]);
	if (err)
		return err;
	for (i = 1; i < k->units; i++)
		if ((unit[i - 1] & ~XT2_UNIT_FLAGS) >= (unit[i] & ~XT2_UNIT_FLAGS))
			return bad(c, "units of an index are not in order");
	return has_more_bits(c, k) ? bad(c, "index has entries of no rule") : 0;
}

/* Has the unit its bit in all slots that its range meets? */
static bool bits_admit(const struct check *c, const struct xt2_bits *k,
		       const struct xt2_bits_key *by, u32 place, u16 least, u16 most)
{
	const u16 *edge = (const void *)((const u8 *)c->ix + by->edge);
	const u64 *bit = (const void *)((const u8 *)c->ix + by->bit);
	u32 i;

	for (i = 0; i < by->slots && edge[i] <= most; i++) {
		if (i + 1 < by->slots && (edge[i + 1] <= least || edge[i + 1] == edge[i]))
			continue; /* is left before the range begins, or never entered */
		if (!(bit[i * k->words + place / 64] >> place % 64 & 1))
			return false;
	}
	return true;
}

static bool in_bits(const struct check *c, const struct xt2_bits *k, u32 unit,
		    const struct xt2_box *box)
{
	u32 place = units_place((const u32 *)(k + 1), k->units, unit), i;
	u16 least, most;

	if (place == k->units)
		return false;
	for (i = 0; i < k->keys; i++) {
		xt2_box_range(box, c->family, k->by[i].key, &least, &most);
		if (!bits_admit(c, k, &k->by[i], place, least, most))
			return false;
	}
	return true;
}

/* --- segments ---------------------------------------------------------- */

static const struct xt2_segment *segments_of(const struct check *c, const struct xt2_segments *g)
{
	return (const void *)((const u8 *)c->ix + g->segment);
}

static const u32 *list_of(const struct check *c, const struct xt2_segments *g)
{
	return (const void *)((const u8 *)c->ix + g->list);
}

/* Does a search find the segment of each address from first to last from this bucket on? */
static bool bucket_leads(const struct check *c, const struct xt2_segments *g, u32 bucket, u32 step,
			 u32 first, u32 last)
{
	const struct xt2_segment *segment = segments_of(c, g);
	const u32 at = ((const u32 *)((const u8 *)c->ix + g->bucket))[bucket];

	if (at > g->segments || 2 * step > g->segments - at)
		return false;
	if (at && segment[at - 1].last >= first)
		return false;
	return segment[at + 2 * step - 1].last >= last;
}

/* *buckets: those of the slots before it; then its own, too. */
static bool slot_leads(const struct check *c, const struct xt2_segments *g, u32 number,
		       u32 *buckets)
{
	const struct xt2_segment_slot *slot =
		(const struct xt2_segment_slot *)((const u8 *)c->ix + g->slot) + number;
	const u32 first = number << g->shift, end = first + ((1u << g->shift) - 1);
	u32 i, from = first;

	if (slot->least < first || slot->least > end || slot->shift > 31 || slot->reserved ||
	    slot->step < XT2_SEGMENT_STEP_LEAST || slot->step > XT2_SEGMENT_STEP_MOST ||
	    slot->step & (slot->step - 1) || slot->last > (end - slot->least) >> slot->shift ||
	    slot->bucket != *buckets || slot->last >= g->buckets - *buckets)
		return false;
	*buckets += slot->last + 1;
	for (i = 0; i < slot->last; i++) {
		const u32 next = slot->least + ((i + 1) << slot->shift);

		if (!bucket_leads(c, g, slot->bucket + i, slot->step, from, next - 1))
			return false;
		from = next;
	}
	return bucket_leads(c, g, slot->bucket + i, slot->step, from, end);
}

/* Units of a list; 0: it has no end, is not in order, or is too long */
static u32 list_units(const struct check *c, const struct xt2_segments *g, u32 place)
{
	const u32 *list = list_of(c, g);
	u32 i;

	for (i = place; i < g->lists; i++) {
		if (i > place && (list[i - 1] & ~XT2_UNIT_FLAGS) >= (list[i] & ~XT2_UNIT_FLAGS))
			return 0;
		if (list[i] & XT2_UNIT_LAST)
			return list_fits(i - place + 1, c->ix->units) ? i - place + 1 : 0;
	}
	return 0;
}

/* Each place of a list or a segment is one where a unit is to be found: how many are there? */
static int count_places(struct check *c, const struct xt2_segments *g)
{
	const struct xt2_segment *segment = segments_of(c, g);
	u32 i, n;

	c->places = g->commons;
	for (i = 0; i < g->segments; i++) {
		const u32 what = segment[i].what;

		if (i && segment[i].last < segment[i - 1].last)
			return bad(c, "segments of an index are not in order");
		if (i && segment[i].last == segment[i - 1].last) { /* never found */
			if (what)
				return bad(c, "segments of an index are not in order");
			continue;
		}
		n = what != 0;
		if (what & XT2_SEGMENT_LIST) {
			n = list_units(c, g, what >> XT2_SEGMENT_PLACE);
			if (!n || !(what >> XT2_SEGMENT_PLACE))
				return bad(c, "list of an index is not valid");
		}
		c->places += n;
		if (c->places > SEGMENT_PLACES(c->ix->units))
			return bad(c, "index has entries of no rule");
	}
	return 0;
}

static int check_segments(struct check *c, const struct xt2_segments *g)
{
	u32 i, slots, buckets = 0;
	const u32 *common;
	int err;

	if (c->family != XT2_IPV4 || !inside(c, c->ix->body, sizeof(*g)) || g->reserved ||
	    (g->field != XT2_FIELD_SRC && g->field != XT2_FIELD_DST) || g->shift < 16 ||
	    g->shift > 31)
		return bad(c, "segments of an index are not valid");
	slots = 1u << (32 - g->shift);
	if (!inside(c, g->slot, (u64)slots * sizeof(struct xt2_segment_slot)) ||
	    !inside(c, g->bucket, (u64)g->buckets * sizeof(u32)) ||
	    !inside(c, g->segment, (u64)g->segments * sizeof(struct xt2_segment)) ||
	    !inside(c, g->list, (u64)g->lists * sizeof(u32)) ||
	    !inside(c, g->common, (u64)g->commons * sizeof(u32)))
		return bad(c, "segments of an index are not valid");
	common = (const void *)((const u8 *)c->ix + g->common);
	for (i = 1; i < g->commons; i++)
		if ((common[i - 1] & ~XT2_UNIT_FLAGS) >= (common[i] & ~XT2_UNIT_FLAGS))
			return bad(c, "units of an index are not in order");
	err = count_places(c, g);
	if (err)
		return err;
	for (i = 0; i < slots; i++)
		if (!slot_leads(c, g, i, &buckets))
			return bad(c, "slots of an index are not in order");
	return 0;
}

/* Does the segment say that the unit asks for its addresses from first on? */
static bool segment_names(const struct check *c, const struct xt2_segments *g,
			  const struct xt2_segment *s, u32 unit, u32 first)
{
	const u32 place = s->what >> XT2_SEGMENT_PLACE, *list = list_of(c, g);
	u32 i;

	if ((s->last - first) >> (s->what >> XT2_SEGMENT_BITS & 31))
		return false;
	if (!(s->what & XT2_SEGMENT_LIST))
		return (place * XT2_ALIGN | (s->what & XT2_SEGMENT_RUN)) == unit;
	for (i = place;; i++) {
		if ((list[i] & ~XT2_UNIT_LAST) == unit)
			return true;
		if (list[i] & XT2_UNIT_LAST)
			return false;
	}
}

/* The unit has places of its own in all segments that its box meets, or among all addresses'. */
static bool in_segments(struct check *c, const struct xt2_segments *g, u32 unit,
			const struct xt2_box *box)
{
	const struct xt2_segment *segment = segments_of(c, g);
	const u32 mask = (u32)box->mask[g->field][0];
	const u32 open = mask == ~0u ? 0 : (u32)(~0ull >> __builtin_clz(~mask) >> 32);
	const u32 *common = (const void *)((const u8 *)c->ix + g->common);
	const u32 first = (u32)box->value[g->field][0] & ~open, last = first | open;
	u32 i, low = 0, high = g->segments;

	i = units_place(common, g->commons, unit);
	if (i < g->commons) {
		c->found++;
		return true;
	}
	while (low < high) {
		i = (low + high) / 2;
		if (segment[i].last < first)
			low = i + 1;
		else
			high = i;
	}
	for (i = low; i < g->segments; i++) {
		if (!segment_names(c, g, &segment[i], unit,
				   i == low ? first : segment[i - 1].last + 1))
			return false;
		c->found++;
		if (segment[i].last >= last)
			return true;
	}
	return false;
}

/* --- pairs ------------------------------------------------------------- */

static int check_dimension(struct check *c, const struct xt2_index_dimension *d)
{
	u32 i, w;

	if (d->field >= XT2_FIELDS || !d->classes || d->classes > XT2_CLASSES ||
	    (d->words != 1 && d->words != 2 && d->words != 4) ||
	    !asks(c, xt2_asks_field_(d->field)))
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

static int check_entries(struct check *c, const struct xt2_pairs *p)
{
	const struct xt2_index_entry *e = (const void *)((const u8 *)c->ix + p->entry);
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
		k = (const void *)((const u8 *)c->ix + (e[i].unit & ~XT2_UNIT_FLAGS));
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

/* Each entry is in one bucket; what has none has no tags either. */
static bool buckets_hold(const struct check *c, const struct xt2_pairs *p, u64 buckets)
{
	const struct xt2_index_entry *e = (const void *)((const u8 *)c->ix + p->entry);
	const struct xt2_index_bucket *b = (const void *)((const u8 *)c->ix + p->bucket);
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

static int check_pairs(struct check *c, const struct xt2_pairs *p)
{
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
	    !buckets_hold(c, p, buckets))
		return bad(c, "buckets of an index are not valid");
	return check_entries(c, p);
}

static u32 slot_of(const struct check *c, const struct xt2_index_dimension *d, u32 cls, u32 hash)
{
	return ((const u16 *)((const u8 *)c->ix + d->slot[cls]))[hash >> d->shift[cls]];
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
static bool in_bucket(const struct check *c, const struct xt2_pairs *p, u32 hash, u32 unit,
		      const struct xt2_box *box)
{
	const struct xt2_index_bucket *b =
		(const struct xt2_index_bucket *)((const u8 *)c->ix + p->bucket) +
		(hash >> p->shift);
	const struct xt2_index_entry *e =
		(const struct xt2_index_entry *)((const u8 *)c->ix + p->entry);
	const u16 tag = xt2_hash_tag(hash);
	const u32 first = b->entries >> XT2_BUCKET_FIRST, n = b->entries & XT2_BUCKET_COUNT;
	u32 i;

	if (!(b->tags >> tag % 32 & 1))
		return false;
	for (i = first; i < first + n; i++)
		if (e[i].unit == unit)
			return e[i].tag == tag && entry_admits(c, &e[i], box);
	return b->entries & XT2_BUCKET_NESTED && (e[i].tag == tag || e[i].unit & XT2_UNIT_MIXED) &&
	       in_columns(c, e[i].unit & ~XT2_UNIT_FLAGS, unit, box);
}

static bool in_pairs(const struct check *c, const struct xt2_pairs *p, u32 unit,
		     const struct xt2_box *box)
{
	u32 hash[3], cls[3], both, pair, i;

	for (i = 0; i < 3; i++)
		hash[i] = xt2_box_hash(box, &p->dim[i], i, &cls[i]);
	both = slot_of(c, &p->dim[0], cls[0], hash[0]) >> cls[1] &
	       slot_of(c, &p->dim[1], cls[1], hash[1]) >> cls[0];
	pair = xt2_hash_pair(hash[0], hash[1]);
	if (both & 1 && in_bucket(c, p, pair, unit, box))
		return true;
	return both >> XT2_CLASSES & 1 && p->dim[2].classes > 1 && !cls[2] &&
	       slot_of(c, &p->dim[2], 0, hash[2]) &&
	       in_bucket(c, p, xt2_hash_pair(pair, hash[2]), unit, box);
}

/* --- units and runs ---------------------------------------------------- */

static u32 place(const struct check *c, const struct xt2_rule *r)
{
	return (u32)((const u8 *)r - (const u8 *)c->chain);
}

/* => the rule behind a run that is what it should be; NULL: it isn't */
static const struct xt2_rule *run_holds(const struct check *c, const struct xt2_rule *first,
					const struct xt2_run *run, const struct xt2_box *box)
{
	const struct xt2_rule *tail = xt2_chain_tail(c->chain), *r = xt2_rule_next(first);

	if (!box->stateless || run->end > c->chain->tail || !xt2_run_goes_on_(first, first))
		return NULL;
	for (; r < tail && place(c, r) < run->end; r = xt2_rule_next(r))
		if (!xt2_run_goes_on_(first, r))
			return NULL;
	return place(c, r) == run->end ? r : NULL;
}

static bool is_found(struct check *c, u32 unit, const struct xt2_box *box)
{
	const void *body = (const u8 *)c->ix + c->ix->body;

	switch (c->ix->kind) {
	case XT2_INDEX_PAIRS: return in_pairs(c, body, unit, box);
	case XT2_INDEX_BITS: return in_bits(c, body, unit, box);
	case XT2_INDEX_SEGMENTS: return in_segments(c, body, unit, box);
	}
	return in_columns(c, c->ix->body, unit, box);
}

static int check_units(struct check *c)
{
	const struct xt2_rule *r = xt2_chain_first(c->chain), *tail = xt2_chain_tail(c->chain);
	const struct xt2_run *run = (const void *)((const u8 *)c->ix + c->ix->run);
	const struct xt2_run *end = run + c->ix->runs;
	struct xt2_box box;
	u32 units = 0;

	while (r < tail) {
		u32 unit = place(c, r);

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

static int check_index(struct check *c)
{
	const struct xt2_index *ix = c->ix;
	const struct xt2_columns *k = (const void *)((const u8 *)ix + ix->body);
	int err;

	if (!ix->ahead || ix->ahead > XT2_CANDIDATES || ix->heads > XT2_HEADS ||
	    ix->heads > ix->units || ix->reserved)
		return bad(c, "header of an index is not valid");
	if (ix->runs && (ix->run != sizeof(*ix) ||
			 ix->runs > (ix->size - sizeof(*ix)) / sizeof(struct xt2_run)))
		return bad(c, "runs of an index are not valid");
	if (ix->kind == XT2_INDEX_PAIRS)
		err = check_pairs(c, (const void *)k);
	else if (ix->kind == XT2_INDEX_BITS)
		err = check_bits(c, (const void *)k);
	else if (ix->kind == XT2_INDEX_SEGMENTS)
		err = check_segments(c, (const void *)k);
	else if (ix->kind == XT2_INDEX_COLUMNS)
		err = check_columns(c, ix->body);
	else
		err = bad(c, "index of an unknown kind");
	if (!err && ix->kind == XT2_INDEX_COLUMNS && k->units != ix->units)
		err = bad(c, "index has entries of no rule");
	return err ? err : check_units(c);
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
