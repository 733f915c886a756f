/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-entries.c - the buckets and classes of a patch that is edited
 *
 * A bucket is a list whose first part has room or gets a new one before it.  An entry
 * that goes is replaced by one of the first part, so all others stay full.
 * To change a part of the list, those before it have to be written anew, too.
 *
 * A rule's class is not stored.  It is one of those whose bits the rule has all of, and
 * the one that has an entry of the rule.
 */
#include "patch-entries.h"

#include <stdlib.h>
#include "patch-slots.h"

/*
 * Few packets look into a bucket for nothing if there are more buckets than entries.  But each
 * edit copies a list of slots: 4 KB of it, then 16 KB, from which on buckets fill.
 */
#define BUCKETS_FEW   512u
#define BUCKETS_MANY  2048u
#define BUCKETS_EACH  2u /* for each entry, up to BUCKETS_FEW */
#define ENTRIES_FEW   2u /* of a bucket, on average, at most, up to BUCKETS_MANY */
#define ENTRIES_USUAL 8u

#define FINE_CLASSES 4u /* of addresses by steps of 4 bits; then of 8 */
#define LAST_CLASSES 6u /* kept for rules that no other one suits */
#define LOSS_MOST    8u /* bits that a class may lack, before there is another one */
#define CROWDED	     8u /* parts of a bucket, from which on a rule is put elsewhere if it can be */

/* So few rules have no more classes than one vector: it matters less if they share some. */
#define RULES_SMALL   256u
#define CLASSES_SMALL 8u
#define LAST_SMALL    2u

/* Names of interfaces are few, whatever their bits are, and so are the usual ports and marks. */
#define BITS_NAME 10u
#define BITS_PORT 16u

/* --- buckets --------------------------------------------------------------- */

/* => the part of a bucket, which may be changed; NULL: the edit is spoilt */
static struct xt2_patch_bucket *own(struct xt2_patch_edit *e, u32 *link)
{
	const struct xt2_patch_bucket *old = xt2_edit_at_(e, *link);
	struct xt2_patch_bucket *b = xt2_edit_own_(e, link, old->writer, sizeof(*b), sizeof(*b));

	if (b)
		b->writer = e->writer;
	return b;
}

/* Entries of a part are in the order of their places. */
static void part_insert(struct xt2_patch_bucket *b, const struct xt2_patch_entry *entry)
{
	u32 i = b->entries++;

	for (; i && b->entry[i - 1].at > entry->at; i--)
		b->entry[i] = b->entry[i - 1];
	b->entry[i] = *entry;
}

static void part_remove(struct xt2_patch_bucket *b, u32 at)
{
	b->entries--;
	memmove(&b->entry[at], &b->entry[at + 1], (b->entries - at) * sizeof(b->entry[0]));
}

/* => number of the part of its bucket's list that has an entry, and *at in it; -1: none has */
static s32 find(const struct xt2_patch_edit *e, u32 hash, u32 unit, u32 *at)
{
	const struct xt2_patch_bucket *b;
	const struct xt2_patch_slot *slot = xt2_edit_slot_(e, hash);
	u32 next = xt2_patch_may_have(slot, hash) ? slot->bucket : 0, i;
	s32 n;

	for (n = 0; next; n++, next = b->next) {
		b = xt2_edit_at_(e, next);
		for (i = 0; i < b->entries; i++) {
			if (b->entry[i].unit == unit && b->entry[i].hash == hash) {
				*at = i;
				return n;
			}
		}
	}
	return -1;
}

/* => the part that has an entry, which may be changed, and *at; NULL: the edit is spoilt */
static struct xt2_patch_bucket *own_entry(struct xt2_patch_edit *e, u32 hash, u32 unit, u32 *at)
{
	s32 n = find(e, hash, unit, at);
	struct xt2_patch_slot *slot;
	struct xt2_patch_bucket *b;
	u32 *link;

	if (n < 0) {
		xt2_edit_spoilt_(e, -EINVAL); /* the image is not what was checked */
		return NULL;
	}
	slot = xt2_patch_slot_own_(e, hash);
	if (!slot)
		return NULL;
	link = &slot->bucket;
	for (b = own(e, link); b && n; n--) {
		link = &b->next;
		b = own(e, link);
	}
	return b;
}

bool xt2_entry_there_(const struct xt2_patch_edit *e, u32 hash, u32 unit)
{
	u32 at;

	return find(e, hash, unit, &at) >= 0;
}

/* The list of each bucket is short enough for all packets that look for something in it. */
bool xt2_entries_fit_(const struct xt2_patch_edit *e, u32 hash, u32 n)
{
	const struct xt2_patch_bucket *b;
	u32 next = xt2_edit_slot_(e, hash)->bucket, parts = 0, room = 0;

	for (; next && room < n; next = b->next) {
		b = xt2_edit_at_(e, next);
		room += parts++ ? 0 : XT2_PATCH_ENTRIES - b->entries;
	}
	return room >= n || parts < XT2_BUCKET_PARTS;
}

int xt2_entry_add_(struct xt2_patch_edit *e, const struct xt2_patch_entry *entry)
{
	struct xt2_patch_slot *slot = xt2_patch_slot_own_(e, entry->hash);
	const struct xt2_patch_bucket *first;
	struct xt2_patch_bucket *b;
	u32 *link, offset;

	if (!slot)
		return e->err;
	link = &slot->bucket;
	first = *link ? xt2_edit_at_(e, *link) : NULL;
	if (first && first->entries < XT2_PATCH_ENTRIES) {
		b = own(e, link);
	} else {
		offset = xt2_edit_alloc_(e, sizeof(*b));
		b = offset ? xt2_edit_at_(e, offset) : NULL;
		if (b) {
			memset(b, 0, sizeof(*b));
			b->next = *link;
			b->writer = e->writer;
			*link = offset;
		}
	}
	if (!b)
		return e->err;
	part_insert(b, entry);
	slot->tags |= xt2_patch_tag(entry->hash);
	return 0;
}

/* The tags of a bucket that an entry has left. */
static void tag_again(const struct xt2_patch_edit *e, struct xt2_patch_slot *slot)
{
	const struct xt2_patch_bucket *b;
	u32 next, i;

	slot->tags = 0;
	for (next = slot->bucket; next; next = b->next) {
		b = xt2_edit_at_(e, next);
		for (i = 0; i < b->entries; i++)
			slot->tags |= xt2_patch_tag(b->entry[i].hash);
	}
}

int xt2_entry_delete_(struct xt2_patch_edit *e, u32 hash, u32 unit)
{
	u32 at, offset;
	struct xt2_patch_bucket *in = own_entry(e, hash, unit, &at), *first;
	struct xt2_patch_slot *slot;

	if (!in)
		return e->err;
	slot = xt2_patch_slot_own_(e, hash); /* own_entry() made it so */
	offset = slot->bucket;
	first = xt2_edit_at_(e, offset); /* it can be changed, as own_entry() came that way */
	part_remove(in, at);
	if (in != first)
		part_insert(in, &first->entry[--first->entries]);
	if (!first->entries)
		slot->bucket = first->next;
	tag_again(e, slot);
	return first->entries ? 0 : xt2_edit_drop_(e, offset, first->writer, sizeof(*first));
}

int xt2_entry_replace_(struct xt2_patch_edit *e, u32 hash, u32 unit, u32 by)
{
	u32 at;
	struct xt2_patch_bucket *b = own_entry(e, hash, unit, &at);

	if (!b)
		return e->err;
	b->entry[at].unit = by;
	return 0;
}

/* All parts of a bucket's list go; their entries are in others. */
static int drop_list(struct xt2_patch_edit *e, u32 at)
{
	while (at) {
		const struct xt2_patch_bucket *b = xt2_edit_at_(e, at);
		const u32 next = b->next;

		if (xt2_edit_drop_(e, at, b->writer, sizeof(*b)))
			return e->err;
		at = next;
	}
	return 0;
}

/* Its entries go to other slots. */
static int move_list(struct xt2_patch_edit *e, u32 bucket)
{
	const struct xt2_patch_bucket *b;
	u32 at, i;

	for (at = bucket; at; at = b->next) {
		b = xt2_edit_at_(e, at);
		for (i = 0; i < b->entries; i++)
			if (xt2_entry_add_(e, &b->entry[i]))
				return e->err;
	}
	return drop_list(e, bucket);
}

/* => entries that so many buckets are enough for */
static u64 entries_most(u64 buckets)
{
	if (buckets < BUCKETS_FEW)
		return buckets / BUCKETS_EACH;
	return buckets * (buckets < BUCKETS_MANY ? ENTRIES_FEW : ENTRIES_USUAL);
}

int xt2_entries_spread_(struct xt2_patch_edit *e)
{
	const u64 slots = xt2_patch_slots(&e->patch);
	struct xt2_patch_slots_before old;
	u32 i;

	if (xt2_patch_items(e) <= entries_most(slots) || e->patch.shift == 1)
		return 0;
	if (xt2_patch_slots_double_(e, &old))
		return e->err;
	for (i = 0; i < slots; i++)
		if (move_list(e, xt2_patch_slot_at(e->space->img, &old.patch, i)->bucket))
			return e->err;
	return xt2_patch_slots_drop_(e, &old);
}

/* --- classes --------------------------------------------------------------- */

/* => bits that tell rules apart */
static u32 worth(u32 field, const u32 *mask)
{
	u32 bits = 0, i;

	for (i = 0; i < XT2_FIELD_WORDS; i++)
		bits += (u32)__builtin_popcount(mask[i]);
	switch (field) {
	case XT2_FIELD_IN:
	case XT2_FIELD_OUT: return bits ? BITS_NAME : 0;
	case XT2_FIELD_MARK:
	case XT2_FIELD_DPORT:
	case XT2_FIELD_SPORT: return bits < BITS_PORT ? bits : BITS_PORT;
	}
	return bits;
}

/* The words of a field of the box. */
static void field_of(const struct xt2_box *box, u32 field, u32 *value, u32 *mask)
{
	u64 v[2], m[2];

	xt2_box_field(box, field, v, m);
	xt2_field_words(value, v);
	xt2_field_words(mask, m);
}

/* Does the box ask for all bits of the class?  => and its value */
static bool has_all(const struct xt2_box *box, const struct xt2_patch_class *c, u32 *value)
{
	u32 mask[XT2_CLASS_WORDS], i;

	memset(value, 0, XT2_CLASS_WORDS * sizeof(*value));
	memset(mask, 0, sizeof(mask));
	for (i = 0; i < XT2_CLASS_FIELDS; i++)
		if (c->field[i] != XT2_FIELD_NONE)
			field_of(box, c->field[i], value + i * XT2_FIELD_WORDS,
				 mask + i * XT2_FIELD_WORDS);
	for (i = 0; i < XT2_CLASS_WORDS; i++)
		if (c->mask[i] & ~mask[i])
			return false;
	return true;
}

/* Leading bits of an address that the mask has all of. */
static u32 prefix_length(const u32 *mask, u8 family)
{
	u32 length = 0, i, word;

	for (i = 0; i < XT2_FIELD_WORDS; i++) {
		word = family == XT2_IPV6 ? __builtin_bswap32(mask[i]) : mask[i];
		if (word != ~0u)
			return length + (u32)__builtin_clz(~word);
		length += 32;
	}
	return length;
}

static void prefix_mask(u32 *mask, u32 length, u8 family)
{
	u32 i, bits, word;

	for (i = 0; i < XT2_FIELD_WORDS; i++) {
		bits = length < 32 ? length : 32;
		length -= bits;
		word = bits ? ~0u << (32 - bits) : 0;
		mask[i] = family == XT2_IPV6 ? __builtin_bswap32(word) : word;
	}
}

/* => what the mask is worth that a class of this field would have; addresses: in steps of bits */
static u32 class_mask(const struct xt2_box *box, u32 field, u8 family, u32 step, u32 *mask)
{
	u32 value[XT2_FIELD_WORDS], i;

	field_of(box, field, value, mask);
	switch (field) {
	case XT2_FIELD_SRC:
	case XT2_FIELD_DST:
		i = prefix_length(mask, family);
		prefix_mask(mask, i - i % step, family);
		break;
	case XT2_FIELD_IN:
	case XT2_FIELD_OUT: /* a whole name or none */
		for (i = 0; i < XT2_FIELD_WORDS; i++)
			if (mask[i] != ~0u)
				return 0;
		break;
	}
	return worth(field, mask);
}

/* => bits of a class that tell rules apart */
static u32 class_worth(const struct xt2_patch_class *c)
{
	return worth(c->field[0], c->mask) + worth(c->field[1], c->mask + XT2_FIELD_WORDS);
}

/* => the class that loses least of what the box asks for, or XT2_PATCH_CLASSES */
static u32 existing(const struct xt2_patch_edit *e, const struct xt2_box *box, u32 *most)
{
	u32 value[XT2_CLASS_WORDS], i, bits, best = XT2_PATCH_CLASSES;

	*most = 0;
	for (i = 0; i < e->patch.classes; i++) {
		struct xt2_patch_class c;

		xt2_patch_class_get(&e->patch, i, &c);
		if (!c.rules || !has_all(box, &c, value))
			continue;
		bits = class_worth(&c);
		if (best == XT2_PATCH_CLASSES || bits > *most) {
			*most = bits;
			best = i;
		}
	}
	return best;
}

static bool wide(const u32 *mask)
{
	return mask[1] | mask[2] | mask[3];
}

/* Classes of the same fields have them in one order. */
static void swap_fields(struct xt2_patch_class *c)
{
	const struct xt2_patch_class old = *c;

	c->field[0] = old.field[1];
	c->field[1] = old.field[0];
	memcpy(c->mask, old.mask + XT2_FIELD_WORDS, sizeof(old.mask) / 2);
	memcpy(c->mask + XT2_FIELD_WORDS, old.mask, sizeof(old.mask) / 2);
}

/* The class that the box would have if there were no others, of so many fields at most. */
static struct xt2_patch_class ideal(const struct xt2_patch_edit *e, const struct xt2_box *box,
				    u32 fields, u32 step)
{
	u32 field, i, bits, most[XT2_CLASS_FIELDS] = { 0 }, mask[XT2_FIELD_WORDS];
	struct xt2_patch_class c = { .field = { XT2_FIELD_NONE, XT2_FIELD_NONE } };

	for (field = XT2_FIELD_NONE + 1; field < XT2_FIELDS; field++) {
		bits = class_mask(box, field, e->family, step, mask);
		for (i = 0; i < fields && bits <= most[i]; i++)
			;
		if (i == fields)
			continue;
		if (i + 1 < fields) {
			most[1] = most[0];
			c.field[1] = c.field[0];
			memcpy(c.mask + XT2_FIELD_WORDS, c.mask, sizeof(mask));
		}
		most[i] = bits;
		c.field[i] = (u8)field;
		memcpy(c.mask + i * XT2_FIELD_WORDS, mask, sizeof(mask));
	}
	c.words = wide(c.mask) || wide(c.mask + XT2_FIELD_WORDS) ? XT2_FIELD_WORDS : 1;
	if (c.field[1] != XT2_FIELD_NONE && c.field[1] < c.field[0])
		swap_fields(&c);
	return c;
}

/* One of few that suit many rules. */
static struct xt2_patch_class coarse(const struct xt2_patch_edit *e, const struct xt2_box *box)
{
	const struct xt2_patch_class c = ideal(e, box, 1, 16);

	return class_worth(&c) ? c : ideal(e, box, 1, 8);
}

/* => number of a class that no rule has; there is one */
static u32 new_class(struct xt2_patch_edit *e, const struct xt2_patch_class *c)
{
	u32 i = 0;

	while (i < e->patch.classes && e->patch.rules[i])
		i++;
	if (i == e->patch.classes)
		e->patch.classes++;
	xt2_patch_class_set(&e->patch, i, c);
	return i;
}

/* Of how many there may be, with one that is kept for rules that ask for no field. */
static u32 classes_most(const struct xt2_patch_edit *e)
{
	return e->patch.inserted < RULES_SMALL ? CLASSES_SMALL : XT2_PATCH_CLASSES;
}

/* => number of the class for a rule */
static u32 choose(struct xt2_patch_edit *e, const struct xt2_box *box)
{
	struct xt2_patch_class c = { .field = { XT2_FIELD_NONE, XT2_FIELD_NONE }, .words = 1 };
	const u32 all = classes_most(e) - 1;
	const u32 last = all < XT2_PATCH_CLASSES - 1 ? LAST_SMALL : LAST_CLASSES;
	u32 i, used = 0, most = 0, best, bits = 0;
	bool none = false;

	for (i = 0; i < e->patch.classes; i++) {
		if (!e->patch.rules[i])
			continue;
		used++;
		none |= e->patch.field[0][i] == XT2_FIELD_NONE;
	}
	best = existing(e, box, &most);
	used -= none;
	if (used < all && (e->family == XT2_IPV4 || e->family == XT2_IPV6)) {
		if (used < all - last)
			c = ideal(e, box, XT2_CLASS_FIELDS, used < FINE_CLASSES ? 4 : 8);
		else if (most <= LOSS_MOST)
			c = coarse(e, box);
		bits = class_worth(&c);
	}
	if ((bits && (!most || bits > most + LOSS_MOST)) || best == XT2_PATCH_CLASSES)
		best = new_class(e, &c);
	return best;
}

/* => hash of a rule in a class that it has all bits of */
static u32 hash_in(const struct xt2_patch_edit *e, const struct xt2_box *box, u32 class)
{
	u32 value[XT2_CLASS_WORDS];
	struct xt2_patch_class c;

	xt2_patch_class_get(&e->patch, class, &c);
	has_all(box, &c, value);
	return xt2_patch_hash(&e->patch, class, value);
}

static bool is_crowded(const struct xt2_patch_edit *e, u32 hash)
{
	const struct xt2_patch_bucket *b;
	u32 next = xt2_edit_slot_(e, hash)->bucket, parts = 0;

	for (; next && parts < CROWDED; parts++) {
		b = xt2_edit_at_(e, next);
		if (!parts && b->entries < XT2_PATCH_ENTRIES)
			return false; /* it has room, and few are asked */
		next = b->next;
	}
	return parts == CROWDED;
}

/* => another class for a rule, with most bits of those whose bucket is not crowded; or the same */
static u32 less_crowded(const struct xt2_patch_edit *e, const struct xt2_box *box, u32 class)
{
	u32 value[XT2_CLASS_WORDS], i, bits, most = 0, best = class;

	for (i = 0; i < e->patch.classes; i++) {
		struct xt2_patch_class c;

		xt2_patch_class_get(&e->patch, i, &c);
		bits = c.rules ? class_worth(&c) : 0;
		if (bits <= most || !has_all(box, &c, value) ||
		    is_crowded(e, xt2_patch_hash(&e->patch, i, value)))
			continue;
		most = bits;
		best = i;
	}
	return best;
}

/* A new class of more bits than the rule's, if there may be one. */
static u32 finer(struct xt2_patch_edit *e, const struct xt2_box *box, u32 class)
{
	const u32 steps[] = { 8, 4 };
	struct xt2_patch_class old, c;
	u32 i, used = 0;

	for (i = 0; i < e->patch.classes; i++)
		used += e->patch.rules[i] && e->patch.field[0][i] != XT2_FIELD_NONE;
	xt2_patch_class_get(&e->patch, class, &old);
	for (i = 0; i < XT2_ARRAY_SIZE(steps) && used < classes_most(e) - 1; i++) {
		c = ideal(e, box, XT2_CLASS_FIELDS, steps[i]);
		if (class_worth(&c) > class_worth(&old))
			return new_class(e, &c);
	}
	return less_crowded(e, box, class);
}

void xt2_rule_class_(struct xt2_patch_edit *e, const struct xt2_rule *rule, u32 *which,
		     struct xt2_patch_entry *entry)
{
	struct xt2_box box;
	u32 hash;

	xt2_box_of(&box, rule);
	*which = choose(e, &box);
	hash = hash_in(e, &box, *which);
	if (is_crowded(e, hash)) {
		*which = finer(e, &box, *which);
		hash = hash_in(e, &box, *which);
	}
	*entry = (struct xt2_patch_entry){
		.hash = hash,
		.never = xt2_patch_never(&box),
		.ports = xt2_box_ports(&box),
	};
}

int xt2_rule_file_(struct xt2_patch_edit *e, u32 which, const struct xt2_patch_entry *entry)
{
	if (xt2_entry_add_(e, entry))
		return e->err;
	e->patch.rules[which]++;
	return 0;
}

/* => number of the class that has the rule, and its hash; XT2_PATCH_CLASSES: the edit is spoilt */
static u32 class_of(struct xt2_patch_edit *e, u32 rule, u32 *hash)
{
	u32 value[XT2_CLASS_WORDS], i;
	struct xt2_box box;

	xt2_box_of(&box, xt2_edit_at_(e, rule));
	for (i = 0; i < e->patch.classes; i++) {
		struct xt2_patch_class c;

		xt2_patch_class_get(&e->patch, i, &c);
		if (!c.rules || !has_all(&box, &c, value))
			continue;
		*hash = xt2_patch_hash(&e->patch, i, value);
		if (xt2_entry_there_(e, *hash, rule | XT2_PATCH_INSERTED))
			return i;
	}
	xt2_edit_spoilt_(e, -EINVAL); /* the image is not what was checked */
	return XT2_PATCH_CLASSES;
}

int xt2_rule_unfile_(struct xt2_patch_edit *e, u32 rule)
{
	const struct xt2_patch_class none = { .rules = 0 };
	u32 hash, number = class_of(e, rule, &hash);

	if (number == XT2_PATCH_CLASSES || xt2_entry_delete_(e, hash, rule | XT2_PATCH_INSERTED))
		return e->err;
	if (--e->patch.rules[number])
		return 0;
	xt2_patch_class_set(&e->patch, number, &none); /* packets need not look for it */
	while (e->patch.classes && !e->patch.rules[e->patch.classes - 1])
		e->patch.classes--;
	return 0;
}

int xt2_rule_refile_(struct xt2_patch_edit *e, u32 rule, u32 to)
{
	u32 hash;

	if (class_of(e, rule, &hash) == XT2_PATCH_CLASSES)
		return e->err;
	return xt2_entry_replace_(e, hash, rule | XT2_PATCH_INSERTED, to | XT2_PATCH_INSERTED);
}

void xt2_filed_each_(const struct xt2_image *img, const struct xt2_patch *patch,
		     const struct xt2_rule *rule, void (*see)(void *arg, u32 rule), void *arg)
{
	u32 value[XT2_CLASS_WORDS], i, j, hash, at;
	const struct xt2_patch_bucket *b;
	struct xt2_box box;

	xt2_box_of(&box, rule);
	for (i = 0; i < patch->classes; i++) {
		struct xt2_patch_class c;

		xt2_patch_class_get(patch, i, &c);
		if (!c.rules || !has_all(&box, &c, value))
			continue;
		hash = xt2_patch_hash(patch, i, value);
		for (at = xt2_patch_slot_of(img, patch, hash)->bucket; at; at = b->next) {
			b = xt2_at(img, at);
			for (j = 0; j < b->entries; j++)
				if (b->entry[j].hash == hash &&
				    !(b->entry[j].unit & XT2_PATCH_FLAGS))
					see(arg, b->entry[j].unit);
		}
	}
}
