/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patched.h - find the changes of a patched chain
 *
 * A rule's place in the merged order is one number: the compiled rule that it
 * is, or stands before, then its label among those before the same one.
 */
#ifndef XT2_ENGINE_INDEX_PATCHED_H
#define XT2_ENGINE_INDEX_PATCHED_H

#include "box.h"
#include <xt2/patch.h>

/* Entries for places are hashed as if they were of a class with this number. */
#define XT2_PATCH_PLACES 16u

/* The words of a class's fields, one field after the other. */
#define XT2_CLASS_WORDS (XT2_CLASS_FIELDS * XT2_FIELD_WORDS)

/* A class of a patch. */
struct xt2_patch_class {
	u8 field[XT2_CLASS_FIELDS];
	u8 words;
	u32 rules;
	u32 mask[XT2_CLASS_WORDS];
};

static inline void xt2_patch_class_get(const struct xt2_patch __img *p, u32 number,
				       struct xt2_patch_class *c)
{
	u32 i;

	for (i = 0; i < XT2_CLASS_FIELDS; i++)
		c->field[i] = p->field[i][number];
	c->words = p->words[number];
	c->rules = p->rules[number];
	for (i = 0; i < XT2_CLASS_WORDS; i++)
		c->mask[i] = p->mask[i][number];
}

static inline void xt2_patch_class_set(struct xt2_patch *p, u32 number,
				       const struct xt2_patch_class *c)
{
	u32 i;

	for (i = 0; i < XT2_CLASS_FIELDS; i++)
		p->field[i][number] = c->field[i];
	p->words[number] = c->words;
	p->rules[number] = c->rules;
	for (i = 0; i < XT2_CLASS_WORDS; i++)
		p->mask[i][number] = c->mask[i];
}

#define XT2_PATCH_FACTORS                                                                          \
	0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu, 0x165667b1u, 0x846ca68bu, 0xd35a2d97u, \
		0xa4093823u

/* => an odd number for each word of a class */
static __always_inline u32 xt2_patch_factor(u32 word)
{
	const u32 factor[XT2_CLASS_WORDS] = { XT2_PATCH_FACTORS };

	return factor[word];
}

/*
 * A word's part of a hash: none if it is 0.  Parts are added, so they need not wait for one
 * another, and so their high bits, the only ones that differ from network to network, go to the
 * low ones first.
 */
static __always_inline u32 xt2_patch_hash_word(u32 word, u32 which)
{
	word *= xt2_patch_factor(which);
	return word ^ word >> 16;
}

/* => hash of the words of its fields in a class; of a field that it has not they may be any */
static __always_inline u32 xt2_patch_hash(const struct xt2_patch __img *p, u32 number,
					  const u32 *word)
{
	u32 sum = number * XT2_HASH_WHICH, i;

	for (i = 0; i < XT2_CLASS_WORDS; i++)
		sum += xt2_patch_hash_word(word[i] & p->mask[i][number], i);
	return xt2_hash_last(sum);
}

/* => the bits of a slot's tags that an entry with this hash sets */
static inline u32 xt2_patch_tag(u32 hash)
{
	return 1u << hash % 32 | 1u << hash / 32 % 32;
}

/* => may the slot's bucket have an entry with this hash? */
static __always_inline bool xt2_patch_may_have(const struct xt2_patch_slot __img *slot, u32 hash)
{
	return slot->tags >> hash % 32 & slot->tags >> hash / 32 % 32 & 1;
}

/* Of an entry: xt2_box_never(), but for states, which the packet need not be asked for. */
static inline u16 xt2_patch_never(const struct xt2_box *box)
{
	return xt2_box_never(box) & ((1u << XT2_BIT_STATE) - 1);
}

/* => hash of a place in the compiled chain */
static inline u32 xt2_patch_hash_place(u32 place)
{
	return xt2_hash_last(xt2_hash_first(place, XT2_PATCH_PLACES));
}

/* => the patch of a chain; NULL: the chain has none */
static inline const struct xt2_patch __img *xt2_chain_patch(const struct xt2_chain __img *c)
{
	const struct xt2_index __img *ix = xt2_chain_index(c);

	return ix && ix->kind == XT2_INDEX_PATCH ? xt2_at(ix, ix->body) : NULL;
}

/* => the chain whose rules, index and rule groups are those that were compiled last */
static inline const struct xt2_chain __img *xt2_chain_compiled(const struct xt2_image __img *img,
							       const struct xt2_chain __img *c)
{
	const struct xt2_patch __img *p = xt2_chain_patch(c);

	return p ? xt2_at(img, p->compiled) : c;
}

/* => the rest of an inserted rule's record */
static inline const struct xt2_inserted __img *xt2_inserted_of(const struct xt2_rule __img *r)
{
	return (const void __img *)((const u8 __img *)r - offsetof(struct xt2_inserted, rule));
}

static inline u64 xt2_patch_key(u32 at, u32 label)
{
	return (u64)at << 32 | label;
}

/* => is this rule of a patched chain one of the compiled chain? */
static inline bool xt2_is_compiled(const struct xt2_chain __img *compiled,
				   const struct xt2_rule __img *r)
{
	return r >= xt2_chain_first(compiled) && r <= xt2_chain_tail(compiled);
}

/* => the key of a rule that is not the patched chain's tail */
static inline u64 xt2_rule_key(const struct xt2_chain __img *compiled,
			       const struct xt2_rule __img *r)
{
	if (xt2_is_compiled(compiled, r))
		return xt2_patch_key(xt2_offset(compiled, r), XT2_PATCH_END);
	return xt2_patch_key(xt2_inserted_of(r)->at, xt2_inserted_of(r)->label);
}

/* => the patch of a patched chain */
static __always_inline const struct xt2_patch __img *
xt2_patched_patch(const struct xt2_chain __img *c)
{
	return &((const struct xt2_patched __img *)c)->patch;
}

/* => does the bucket of a slot have this entry? */
xt2_separate bool xt2_bucket_has(const struct xt2_image __img *img xt2_arg_img, u32 bucket,
				 u32 hash, u32 unit);

/* => a slot by its number */
static __always_inline const struct xt2_patch_slot __img *
xt2_patch_slot_at(const struct xt2_image __img *img, const struct xt2_patch __img *p, u32 number)
{
	const u32 __img *page;

	if (likely(p->shift >= XT2_SLOTS_LIST_SHIFT))
		return (const struct xt2_patch_slot __img *)xt2_at(img, p->slot) + number;
	page = (const u32 __img *)xt2_at(img, p->slot) + number / XT2_SLOTS_PAGE;
	return (const struct xt2_patch_slot __img *)xt2_at(img, *page) + number % XT2_SLOTS_PAGE;
}

/* => the slot of a hash */
static __always_inline const struct xt2_patch_slot __img *
xt2_patch_slot_of(const struct xt2_image __img *img, const struct xt2_patch __img *p, u32 hash)
{
	return xt2_patch_slot_at(img, p, hash >> p->shift);
}

/* => slots of a patch */
static inline u64 xt2_patch_slots(const struct xt2_patch __img *p)
{
	return 1ull << (32 - p->shift);
}

/* => pages that they are in; 0: they are a list */
static inline u32 xt2_patch_slot_pages(const struct xt2_patch __img *p)
{
	return p->shift < XT2_SLOTS_LIST_SHIFT ? (u32)(xt2_patch_slots(p) / XT2_SLOTS_PAGE) : 0;
}

/* => bytes of what slot names */
static inline u64 xt2_patch_slot_bytes(const struct xt2_patch __img *p)
{
	const u32 pages = xt2_patch_slot_pages(p);

	return pages ? pages * sizeof(u32) : xt2_patch_slots(p) * sizeof(struct xt2_patch_slot);
}

/* => does the patch have this entry? */
static __always_inline bool xt2_patch_says(const struct xt2_image __img *img,
					   const struct xt2_patch __img *p, u32 hash, u32 unit)
{
	const struct xt2_patch_slot __img *slot = xt2_patch_slot_of(img, p, hash);

	return unlikely(slot->tags >> hash % 32 & 1) && xt2_patch_may_have(slot, hash) &&
	       xt2_bucket_has(img, slot->bucket, hash, unit);
}

#endif
