/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build-pairs.c - make a tuple-pair index: which fields, which classes, buckets
 *
 * The fields are those in which two rules of a sample most seldom agree.
 * Addresses get classes of prefix lengths, as many as fit, by the rules'
 * lengths; a rule whose prefix is between two goes to the shorter one.
 */
#include "build.h"

enum {
	CLASSES_USED =
		6, /* of XT2_CLASSES: with more there are more pairs to look into, but no fewer entries */
	CROWDED = 3, /* entries of a bucket, before a third field is used */
	LENGTHS = 129,
	FETCH_AHEAD = 12, /* entries that are asked of memory before they are needed */
	MOVED = 2, /* hashed.third_class of a unit in a triple's bucket; 0: it has a value, 1: none */
};

/* --- which fields ------------------------------------------------------ */

/* How often two rules agree in a field, of 65536; rules without it agree with all. */
static u32 agreement(const struct build *b, u32 n, u32 field)
{
	u64 *value = xt2_build_room_(b), v[2], mask[2];
	u32 i, j, same = 0, with = 0;

	for (i = 0; i < n; i++) {
		xt2_box_field(&b->sample[i], field, v, mask);
		if (mask[0] | mask[1])
			value[with++] = v[0] ^ v[1] * 0x9e3779b97f4a7c15ull;
	}
	for (i = 0; i < with; i++)
		for (j = 0; j < i; j++)
			same += value[i] == value[j];
	same = 2 * same + n * n - with * with;
	return (u32)((u64)same * 65536 / (n * n));
}

static bool has_lengths(u32 field)
{
	return field == XT2_FIELD_SRC || field == XT2_FIELD_DST;
}

/* The two or three fields that tell most; addresses first, since only these have classes. */
static bool choose_fields(const struct build *b, u32 n, u8 *field)
{
	u32 agree[XT2_FIELDS], i, j, chosen;

	for (i = 1; i < XT2_FIELDS; i++)
		agree[i] = agreement(b, n, i);
	for (i = 0; i < 3; i++) {
		chosen = XT2_FIELD_NONE;
		for (j = 1; j < XT2_FIELDS; j++) {
			if (j == field[0] || j == field[1] || agree[j] > 58000)
				continue;
			if (i == 2 && has_lengths(j) && has_lengths(field[0]) &&
			    has_lengths(field[1]))
				continue;
			if (chosen == XT2_FIELD_NONE || agree[j] < agree[chosen])
				chosen = j;
		}
		field[i] = (u8)chosen;
	}
	if (has_lengths(field[2])) { /* the third has one class: no address */
		i = has_lengths(field[1]) ? 0 : 1;
		chosen = field[i];
		field[i] = field[2];
		field[2] = (u8)chosen;
	}
	return field[0] != XT2_FIELD_NONE && agree[field[0]] < 52000;
}

/* --- which classes ----------------------------------------------------- */

static u32 prefix_length(const u64 *mask, u8 family)
{
	u64 high = __builtin_bswap64(~mask[0]), low = __builtin_bswap64(~mask[1]);

	if (family == XT2_IPV4)
		return mask[0] == ~0u ? 32 : (u32)__builtin_clz(~(u32)mask[0]);
	if (high)
		return (u32)__builtin_clzll(high);
	return low ? 64 + (u32)__builtin_clzll(low) : 128;
}

static void prefix_mask(u64 *mask, u32 length, u8 family)
{
	mask[0] = mask[1] = 0;
	if (!length)
		return;
	if (family == XT2_IPV4) {
		mask[0] = ~0u << (32 - length);
		return;
	}
	mask[0] = __builtin_bswap64(length < 64 ? ~0ull << (64 - length) : ~0ull);
	if (length > 64)
		mask[1] = __builtin_bswap64(length < 128 ? ~0ull << (128 - length) : ~0ull);
}

/* Rules of each prefix length, of a larger sample. */
static void count_lengths(const struct build *b, u32 field, u32 *count)
{
	u32 i, n = b->units < 8 * SAMPLE ? b->units : 8 * SAMPLE;
	struct xt2_box box;
	u64 value[2], mask[2];

	for (i = 0; i < n; i++) {
		xt2_box_of(&box, xt2_build_rule_(b, b->unit[(u64)i * b->units / n]));
		xt2_box_field(&box, field, value, mask);
		count[prefix_length(mask, b->family)]++;
	}
}

/* Merge the class that loses least into the one before it. */
static u32 merge_lengths(u32 *length, u32 *count, u32 n)
{
	u32 i, cost, best = 1, least = ~0u;

	for (i = 1; i < n; i++) {
		u32 bits = length[i] - length[i - 1];

		cost = count[i] * (bits < 8 ? bits : 8);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	count[best - 1] += count[best];
	for (i = best; i + 1 < n; i++) {
		length[i] = length[i + 1];
		count[i] = count[i + 1];
	}
	return n - 1;
}

static void set_class_mask(struct xt2_index_dimension *d, u32 cls, const u64 *mask)
{
	u32 word[XT2_FIELD_WORDS], i;

	xt2_field_words(word, mask);
	for (i = 0; i < XT2_FIELD_WORDS; i++)
		d->mask[i][cls] = word[i];
}

static void choose_lengths(const struct build *b, struct xt2_index_dimension *d)
{
	u32 *count = xt2_build_room_(b), *length = count + LENGTHS, i, n = 0;
	u64 mask[2];

	memset(count, 0, LENGTHS * sizeof(*count));
	count_lengths(b, d->field, count);
	for (i = 1; i < LENGTHS; i++) {
		if (!count[i])
			continue;
		length[n] = i;
		count[n++] = count[i]; /* n is never above i */
	}
	while (n > CLASSES_USED - 1)
		n = merge_lengths(length, count, n);
	for (i = 0; i < n; i++) {
		prefix_mask(mask, length[n - 1 - i], b->family);
		set_class_mask(d, i, mask);
	}
	d->classes = (u8)(n + 1);
}

static void choose_classes(const struct build *b, struct xt2_index_dimension *d)
{
	u64 mask[2] = { ~0u, 0 }; /* a mark, or a protocol and a port */

	d->classes = 1;
	if (d->field == XT2_FIELD_NONE)
		return;
	if (has_lengths(d->field)) {
		choose_lengths(b, d);
		return;
	}
	d->classes = 2;
	switch (d->field) {
	case XT2_FIELD_IN:
	case XT2_FIELD_OUT: mask[0] = mask[1] = ~0ull; break; /* a whole name */
	case XT2_FIELD_MAC: mask[0] = ~0ull >> 16;
	}
	set_class_mask(d, 0, mask);
}

/* => words that some class uses: 1, 2 or 4 */
static u8 field_size(const struct xt2_index_dimension *d)
{
	if (d->mask[2][0] | d->mask[3][0]) /* no class has more bits than the first */
		return 4;
	return d->mask[1][0] ? 2 : 1;
}

/* --- slots ------------------------------------------------------------- */

/* Note that a value occurs with a class of the other dimension, in pairs or in triples. */
static void set_slot(struct build *b, const struct xt2_index_dimension *d, u32 cls, u32 hash,
		     u32 other, bool triple)
{
	u16 *slot = xt2_at(b->at, d->slot[cls]);

	slot[hash >> d->shift[cls]] |= (u16)(1u << (other + (triple ? XT2_CLASSES : 0)));
}

static u32 log2_up(u64 n)
{
	u32 bits = 2;

	while (1ull << bits < n)
		bits++;
	return bits;
}

static bool make_slots(struct build *b, struct xt2_index_dimension *d, const u32 *count)
{
	u32 i, bits;

	for (i = 0; i < d->classes; i++) {
		bits = log2_up(i + 1 < d->classes ? count[i] : 1);
		d->shift[i] = 32 - bits;
		if (!xt2_build_take_(b, sizeof(u16) << bits, &d->slot[i]))
			return false;
	}
	for (; i < XT2_CLASSES; i++)
		d->shift[i] = SHIFT_UNUSED;
	return true;
}

/* --- buckets ----------------------------------------------------------- */

/* Sort units by bucket, in each by their order. */
static void sort_buckets(struct build *b, u32 buckets, u32 shift)
{
	u32 i, sum = 0, n;

	memset(b->start, 0, (buckets + 1ull) * sizeof(u32));
	for (i = 0; i < b->units; i++)
		b->start[b->hashed[i].pair >> shift]++;
	for (i = 0; i <= buckets; i++) {
		n = b->start[i];
		b->start[i] = sum;
		sum += n;
	}
	for (i = 0; i < b->units; i++)
		b->order[b->start[b->hashed[i].pair >> shift]++] = i;
	for (i = buckets; i; i--)
		b->start[i] = b->start[i - 1];
	b->start[0] = 0;
}

/* Ask memory for the entry soon after place j of the order. */
static void fetch(const struct build *b, u32 j)
{
	if (j + FETCH_AHEAD < b->units)
		__builtin_prefetch(&b->hashed[b->order[j + FETCH_AHEAD]]);
}

/* Units of crowded buckets that have one value of the third field go elsewhere. */
static bool refine(struct build *b, struct xt2_pairs *p, u32 buckets)
{
	bool any = false;
	u32 i, j;

	if (p->dim[2].field == XT2_FIELD_NONE)
		return false;
	for (i = 0; i < buckets; i++) {
		if (b->start[i + 1] - b->start[i] <= CROWDED)
			continue;
		for (j = b->start[i]; j < b->start[i + 1]; j++) {
			struct hashed *h = &b->hashed[b->order[j]];

			fetch(b, j);
			if (h->third_class)
				continue;
			h->pair = xt2_hash_pair(h->pair, h->third);
			set_slot(b, &p->dim[2], 0, h->third, 0, false);
			h->third_class = MOVED;
			any = true;
		}
	}
	return any;
}

static struct xt2_index_entry *next_entry(const struct build *b, struct xt2_pairs *p)
{
	return (struct xt2_index_entry *)xt2_at(b->at, p->entry) + p->entries++;
}

static void put_entry(const struct build *b, struct xt2_pairs *p, u32 which,
		      struct xt2_index_bucket *to)
{
	const struct hashed *h = &b->hashed[which];
	struct xt2_index_entry *e = next_entry(b, p);

	*e = (struct xt2_index_entry){
		.unit = h->unit,
		.tag = xt2_hash_tag(h->pair),
		.never = h->never,
		.ports = h->ports,
	};
	to->tags |= 1u << e->tag % 32;
}

static u16 tag_at(const struct build *b, u32 at)
{
	return xt2_hash_tag(b->hashed[b->order[at]].pair);
}

/* => units of a crowded bucket that have not its most common tag; *tag: this one */
static u32 count_others(const struct build *b, u32 first, u32 n, u16 *tag)
{
	u32 i, lead = 0, others = 0;

	for (i = first; i < first + n; i++) {
		if (!lead)
			*tag = tag_at(b, i);
		if (tag_at(b, i) == *tag)
			lead++;
		else
			lead--;
	}
	for (i = first; i < first + n; i++)
		others += tag_at(b, i) != *tag;
	return others;
}

/* Other tags first, each part in the order of the rules. */
static void part_bucket(struct build *b, u32 first, u32 n, u16 tag)
{
	u32 other[BUCKET_MOST], i, at = first + n, others = 0;

	for (i = first; i < first + n; i++)
		if (tag_at(b, i) != tag)
			other[others++] = b->order[i];
	for (i = first + n; i-- > first;)
		if (tag_at(b, i) == tag)
			b->order[--at] = b->order[i];
	memcpy(&b->order[first], other, others * sizeof(*other));
}

/* mixed: units have any tag */
static bool put_nested(struct build *b, struct xt2_pairs *p, u32 first, u32 n, bool mixed,
		       struct xt2_index_bucket *to)
{
	u32 *unit = &b->order[first], i, offset;
	const u16 tag = tag_at(b, first);

	for (i = 0; i < n; i++) {
		const struct hashed *h = &b->hashed[unit[i]];

		to->tags |= 1u << xt2_hash_tag(h->pair) % 32;
		unit[i] = h->unit;
	}
	offset = xt2_build_columns_(b, unit, n);
	if (!offset)
		return false;
	*next_entry(b, p) = (struct xt2_index_entry){
		.unit = offset | XT2_UNIT_NESTED | (mixed ? XT2_UNIT_MIXED : 0),
		.tag = mixed ? 0 : tag,
		.never = NEVER_AT_ALL,
		.ports = unit[0],
	};
	to->entries |= XT2_BUCKET_NESTED;
	return true;
}

static void put_entries(struct build *b, struct xt2_pairs *p, u32 first, u32 n,
			struct xt2_index_bucket *to)
{
	u32 i;

	for (i = first; i < first + n; i++) {
		fetch(b, i);
		put_entry(b, p, b->order[i], to);
	}
	to->entries |= n;
}

/* Of a crowded bucket, the units with the most common tag become columns; or all of them. */
static bool put_crowded(struct build *b, struct xt2_pairs *p, u32 first, u32 n,
			struct xt2_index_bucket *to)
{
	u16 tag;
	u32 others = count_others(b, first, n, &tag);
	const bool mixed = others > BUCKET_MOST;

	if (mixed)
		others = 0;
	else
		part_bucket(b, first, n, tag);
	put_entries(b, p, first, others, to);
	return put_nested(b, p, first + others, n - others, mixed, to);
}

static void put_end(const struct build *b, const struct xt2_pairs *p)
{
	struct xt2_index_entry *e = xt2_at(b->at, p->entry);
	u32 i;

	for (i = 0; i < XT2_ENTRIES_BEYOND; i++)
		e[p->entries + i].never = NEVER_AT_ALL;
}

static u32 count_entries(const struct build *b, u32 buckets)
{
	u32 i, n, others, sum = 0;
	u16 tag;

	for (i = 0; i < buckets; i++) {
		n = b->start[i + 1] - b->start[i];
		if (n > BUCKET_MOST) {
			others = count_others(b, b->start[i], n, &tag);
			n = others > BUCKET_MOST ? 1 : others + 1;
		}
		sum += n;
	}
	return sum;
}

static bool put_buckets(struct build *b, struct xt2_pairs *p, u32 buckets)
{
	struct xt2_index_bucket *to = xt2_at(b->at, p->bucket);
	u32 i, n;

	for (i = 0; i < buckets; i++) {
		n = b->start[i + 1] - b->start[i];
		if (!n)
			continue;
		to[i].entries = p->entries << XT2_BUCKET_FIRST;
		if (n <= BUCKET_MOST)
			put_entries(b, p, b->start[i], n, &to[i]);
		else if (!put_crowded(b, p, b->start[i], n, &to[i]))
			return false;
	}
	put_end(b, p);
	return true;
}

/* --- together ---------------------------------------------------------- */

static void hash_units(struct build *b, struct xt2_pairs *p, u32 (*count)[XT2_CLASSES])
{
	struct xt2_box box;
	u32 i, x, y, z;

	for (i = 0; i < b->units; i++) {
		struct hashed *h = &b->hashed[i];

		xt2_box_of(&box, xt2_build_rule_(b, b->unit[i]));
		h->unit = b->unit[i];
		h->first = xt2_box_hash(&box, &p->dim[0], 0, &x);
		h->second = xt2_box_hash(&box, &p->dim[1], 1, &y);
		h->pair = xt2_hash_pair(h->first, h->second);
		h->classes = (u8)(x | y << 4);
		h->third = xt2_box_hash(&box, &p->dim[2], 2, &z);
		h->third_class = p->dim[2].classes == 1 || z;
		count[0][x]++;
		count[1][y]++;
		count[2][z]++;
		h->never = xt2_box_never(&box);
		h->ports = xt2_box_ports(&box);
		if (h->never >> XT2_BIT_STATE)
			b->at->asks |= XT2_ASKS_STATE;
	}
}

static void set_slots(struct build *b, struct xt2_pairs *p)
{
	u32 i;

	for (i = 0; i < b->units; i++) {
		const struct hashed *h = &b->hashed[i];
		const bool triple = h->third_class == MOVED;
		const u32 x = h->classes & 15, y = h->classes >> 4;

		set_slot(b, &p->dim[0], x, h->first, y, triple);
		set_slot(b, &p->dim[1], y, h->second, x, triple);
	}
}

static bool fill_pairs(struct build *b, struct xt2_pairs *p)
{
	u32 bits = log2_up((u64)b->units / 2), buckets, entries, i;
	u32 count[3][XT2_CLASSES] = { { 0 } };

	while (bits > 1 && 1u << bits > b->units) /* a shift by 32 is none */
		bits--;
	buckets = 1u << bits;
	p->shift = 32 - bits;
	hash_units(b, p, count);
	for (i = 0; i < 3; i++)
		if (!make_slots(b, &p->dim[i], count[i]))
			return false;
	sort_buckets(b, buckets, p->shift);
	if (refine(b, p, buckets))
		sort_buckets(b, buckets, p->shift);
	set_slots(b, p);
	entries = count_entries(b, buckets);
	return entries <= ~0u >> XT2_BUCKET_FIRST &&
	       xt2_build_take_(b, (u64)buckets * sizeof(struct xt2_index_bucket), &p->bucket) &&
	       xt2_build_take_(b,
			       (entries + (u64)XT2_ENTRIES_BEYOND) * sizeof(struct xt2_index_entry),
			       &p->entry) &&
	       put_buckets(b, p, buckets);
}

u32 xt2_build_pairs_(struct build *b)
{
	u8 field[3] = { 0 };
	struct xt2_pairs *p;
	u32 i, n, offset;

	n = xt2_build_sample_(b, b->unit, b->units, SAMPLE);
	if (!choose_fields(b, n, field))
		return 0;
	p = xt2_build_take_(b, sizeof(*p), &offset);
	if (!p)
		return 0;
	for (i = 0; i < 3; i++) {
		p->dim[i].field = field[i];
		choose_classes(b, &p->dim[i]);
		p->dim[i].words = field_size(&p->dim[i]);
		b->at->asks |= xt2_asks_field(field[i]);
	}
	b->at->asks |= XT2_ASKS_PORTS;
	return fill_pairs(b, p) ? offset : 0;
}
