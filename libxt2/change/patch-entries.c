/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-entries.c - the buckets and classes of a patch that is edited
 *
 * A bucket is a list whose first part has room or gets a new one before it.  An entry
 * that goes is replaced by the last one of the first part, so all others stay full.
 * To change a part of the list, those before it have to be written anew, too.
 *
 * A rule's class is not stored.  It is one of those whose bits the rule has all of, and
 * the one that has an entry of the rule.
 */
#include "patch-entries.h"

#include <stdlib.h>
#include "engine/index/patched.h"

#define ENTRIES_USUAL 16u /* of a bucket, on average, at most */
#define FINE_CLASSES  4u /* of addresses by steps of 4 bits; then of 8 */
#define LOSS_MOST     8u /* bits that a class may lack, before there is another one */

/* Names of interfaces are few, whatever their bits are, and so are the usual ports and marks. */
#define BITS_NAME 10u
#define BITS_PORT 16u

/* --- buckets --------------------------------------------------------------- */

static u32 *bucket_of(const struct xt2_patch_edit *e, u32 hash)
{
	return &e->bucket[hash >> e->patch.shift];
}

/* => the part of a bucket, which may be changed; NULL: the edit is spoilt */
static struct xt2_patch_bucket *own(struct xt2_patch_edit *e, u32 *link)
{
	const struct xt2_patch_bucket *old = xt2_edit_at_(e, *link);
	struct xt2_patch_bucket *b = xt2_edit_own_(e, link, old->writer, sizeof(*b));

	if (b)
		b->writer = e->writer;
	return b;
}

/* => number of the part of its bucket's list that has an entry, and *at in it; -1: none has */
static s32 find(const struct xt2_patch_edit *e, u32 hash, u32 unit, u32 *at)
{
	const struct xt2_patch_bucket *b;
	u32 next = *bucket_of(e, hash), i;
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

/* => an entry that is there, and may be changed; NULL: the edit is spoilt */
static struct xt2_patch_entry *own_entry(struct xt2_patch_edit *e, u32 hash, u32 unit)
{
	u32 *link = bucket_of(e, hash), at;
	s32 n = find(e, hash, unit, &at);
	struct xt2_patch_bucket *b;

	if (n < 0) {
		xt2_edit_spoilt_(e, -EINVAL); /* the image is not what was checked */
		return NULL;
	}
	for (b = own(e, link); b && n; n--) {
		link = &b->next;
		b = own(e, link);
	}
	return b ? &b->entry[at] : NULL;
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
	u32 next = *bucket_of(e, hash), parts = 0, room = 0;

	for (; next && room < n; next = b->next) {
		b = xt2_edit_at_(e, next);
		room += parts++ ? 0 : XT2_PATCH_ENTRIES - b->entries;
	}
	return room >= n || parts < XT2_BUCKET_PARTS;
}

static int add(struct xt2_patch_edit *e, u32 *link, u32 hash, u32 unit)
{
	const struct xt2_patch_bucket *first = *link ? xt2_edit_at_(e, *link) : NULL;
	struct xt2_patch_bucket *b;
	u32 offset;

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
	b->entry[b->entries++] = (struct xt2_patch_entry){ hash, unit };
	return 0;
}

int xt2_entry_add_(struct xt2_patch_edit *e, u32 hash, u32 unit)
{
	return add(e, bucket_of(e, hash), hash, unit);
}

int xt2_entry_delete_(struct xt2_patch_edit *e, u32 hash, u32 unit)
{
	struct xt2_patch_entry *gone = own_entry(e, hash, unit);
	u32 *link = bucket_of(e, hash), offset = *link;
	struct xt2_patch_bucket *first;

	if (!gone)
		return e->err;
	first = xt2_edit_at_(e, offset); /* it can be changed, as own_entry() came that way */
	*gone = first->entry[--first->entries];
	if (first->entries)
		return 0;
	*link = first->next;
	return xt2_edit_drop_(e, offset, first->writer, sizeof(*first));
}

int xt2_entry_replace_(struct xt2_patch_edit *e, u32 hash, u32 unit, u32 by)
{
	struct xt2_patch_entry *entry = own_entry(e, hash, unit);

	if (!entry)
		return e->err;
	entry->unit = by;
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

int xt2_entries_spread_(struct xt2_patch_edit *e)
{
	const u32 shift = e->patch.shift, buckets = xt2_buckets_(shift);
	u32 *to, *from = e->bucket, i, j, at;

	if (xt2_patch_items(e) <= (u64)ENTRIES_USUAL * buckets || shift == 1)
		return 0;
	to = calloc(2 * (size_t)buckets, sizeof(*to));
	if (!to)
		return xt2_edit_spoilt_(e, -ENOMEM);
	e->bucket = to;
	e->patch.shift--;
	for (i = 0; i < buckets && !e->err; i++) {
		for (at = from[i]; at && !e->err;) {
			const struct xt2_patch_bucket *b = xt2_edit_at_(e, at);

			for (j = 0; j < b->entries && !e->err; j++)
				xt2_entry_add_(e, b->entry[j].hash, b->entry[j].unit);
			at = b->next;
		}
		if (!e->err)
			drop_list(e, from[i]);
	}
	free(from);
	return e->err;
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
	u32 mask[XT2_FIELD_WORDS], i;

	memset(value, 0, XT2_FIELD_WORDS * sizeof(*value));
	if (c->field == XT2_FIELD_NONE)
		return true;
	field_of(box, c->field, value, mask);
	for (i = 0; i < XT2_FIELD_WORDS; i++)
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

/* => the class that loses least of what the box asks for, or XT2_PATCH_CLASSES */
static u32 existing(const struct xt2_patch_edit *e, const struct xt2_box *box, u32 *most)
{
	u32 value[XT2_FIELD_WORDS], i, bits, best = XT2_PATCH_CLASSES;

	*most = 0;
	for (i = 0; i < e->patch.classes; i++) {
		const struct xt2_patch_class *c = &e->patch.by[i];

		if (!c->rules || !has_all(box, c, value))
			continue;
		bits = worth(c->field, c->mask);
		if (best == XT2_PATCH_CLASSES || bits > *most) {
			*most = bits;
			best = i;
		}
	}
	return best;
}

/*
 * => the field of a class that the box should have instead of one that is worth so much, and
 *    the class's mask; or XT2_FIELD_NONE
 */
static u32 wanted(const struct xt2_patch_edit *e, const struct xt2_box *box, u32 most, u32 step,
		  u32 *mask)
{
	u32 field, bits, best = 0, chosen = XT2_FIELD_NONE;

	for (field = XT2_FIELD_NONE + 1; field < XT2_FIELDS; field++) {
		bits = class_mask(box, field, e->family, step, mask);
		if (bits > best) {
			best = bits;
			chosen = field;
		}
	}
	if (!best || (most && best <= most + LOSS_MOST))
		return XT2_FIELD_NONE;
	class_mask(box, chosen, e->family, step, mask);
	return chosen;
}

/* => number of a class that no rule has; there is one */
static u32 new_class(struct xt2_patch_edit *e, u32 field, const u32 *mask)
{
	u32 i = 0;

	while (i < e->patch.classes && e->patch.by[i].rules)
		i++;
	if (i == e->patch.classes)
		e->patch.classes++;
	e->patch.by[i] = (struct xt2_patch_class){ .field = (u8)field };
	if (field != XT2_FIELD_NONE)
		memcpy(e->patch.by[i].mask, mask, sizeof(e->patch.by[i].mask));
	return i;
}

/* => number of the class for a rule */
static u32 choose(struct xt2_patch_edit *e, const struct xt2_box *box)
{
	u32 mask[XT2_FIELD_WORDS], i, used = 0, most = 0, best, field = XT2_FIELD_NONE;
	bool none = false;

	for (i = 0; i < e->patch.classes; i++) {
		if (!e->patch.by[i].rules)
			continue;
		used++;
		none |= e->patch.by[i].field == XT2_FIELD_NONE;
	}
	best = existing(e, box, &most);
	/* One is kept for rules that ask for no field. */
	if (used + !none < XT2_PATCH_CLASSES && (e->family == XT2_IPV4 || e->family == XT2_IPV6))
		field = wanted(e, box, most, used - none < FINE_CLASSES ? 4 : 8, mask);
	if (field != XT2_FIELD_NONE || best == XT2_PATCH_CLASSES)
		best = new_class(e, field, mask);
	return best;
}

void xt2_rule_class_(struct xt2_patch_edit *e, const struct xt2_rule *rule, u32 *which, u32 *hash)
{
	u32 value[XT2_FIELD_WORDS];
	struct xt2_box box;

	xt2_box_of(&box, rule);
	*which = choose(e, &box);
	has_all(&box, &e->patch.by[*which], value);
	*hash = xt2_patch_hash(&e->patch.by[*which], *which, value);
}

int xt2_rule_file_(struct xt2_patch_edit *e, u32 rule, u32 which, u32 hash)
{
	if (xt2_entry_add_(e, hash, rule | XT2_PATCH_INSERTED))
		return e->err;
	e->patch.by[which].rules++;
	return 0;
}

/* => the class that has the rule, and its hash; NULL: the edit is spoilt */
static struct xt2_patch_class *class_of(struct xt2_patch_edit *e, u32 rule, u32 *hash)
{
	u32 value[XT2_FIELD_WORDS], i;
	struct xt2_box box;

	xt2_box_of(&box, xt2_edit_at_(e, rule));
	for (i = 0; i < e->patch.classes; i++) {
		struct xt2_patch_class *c = &e->patch.by[i];

		if (!c->rules || !has_all(&box, c, value))
			continue;
		*hash = xt2_patch_hash(c, i, value);
		if (xt2_entry_there_(e, *hash, rule | XT2_PATCH_INSERTED))
			return c;
	}
	xt2_edit_spoilt_(e, -EINVAL); /* the image is not what was checked */
	return NULL;
}

int xt2_rule_unfile_(struct xt2_patch_edit *e, u32 rule)
{
	struct xt2_patch_class *c;
	u32 hash;

	c = class_of(e, rule, &hash);
	if (!c || xt2_entry_delete_(e, hash, rule | XT2_PATCH_INSERTED))
		return e->err;
	if (--c->rules)
		return 0;
	memset(c, 0, sizeof(*c)); /* packets need not look for it */
	while (e->patch.classes && !e->patch.by[e->patch.classes - 1].rules)
		e->patch.classes--;
	return 0;
}

int xt2_rule_refile_(struct xt2_patch_edit *e, u32 rule, u32 to)
{
	u32 hash;

	if (!class_of(e, rule, &hash))
		return e->err;
	return xt2_entry_replace_(e, hash, rule | XT2_PATCH_INSERTED, to | XT2_PATCH_INSERTED);
}
