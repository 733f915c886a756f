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

static __always_inline u32 xt2_patch_hash_field(u32 hash, const u32 __img *mask, const u32 *word)
{
	hash = xt2_hash_more(hash, word[1] & mask[1]);
	hash = xt2_hash_more(hash, word[2] & mask[2]);
	return xt2_hash_more(hash, word[3] & mask[3]);
}

/* => hash of the words of its fields in a class; of a field that it has not they are 0 */
static __always_inline u32 xt2_patch_hash(const struct xt2_patch_class __img *c, u32 number,
					  const u32 *word)
{
	const u32 __img *mask = c->mask;
	u32 hash = xt2_hash_first(word[0] & mask[0], number);

	hash = xt2_hash_more(hash, word[XT2_FIELD_WORDS] & mask[XT2_FIELD_WORDS]);
	if (c->words > 1) {
		hash = xt2_patch_hash_field(hash, mask, word);
		hash = xt2_patch_hash_field(hash, mask + XT2_FIELD_WORDS, word + XT2_FIELD_WORDS);
	}
	return xt2_hash_last(hash);
}

/* => the bit of a slot's tags that an entry with this hash sets */
static inline u32 xt2_patch_tag(u32 hash)
{
	return 1u << hash % 32;
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

/* => does the patch have this entry? */
xt2_separate bool xt2_patch_says(const struct xt2_image __img *img xt2_arg_img,
				 const struct xt2_patch __img *p xt2_arg_img, u32 hash, u32 unit);

#endif
