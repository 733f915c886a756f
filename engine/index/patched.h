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
#define XT2_PATCH_PLACES 8u

/* => hash of a field's words in a class; of those alone that the class has bits of */
static inline u32 xt2_patch_hash(const struct xt2_patch_class __img *c, u32 number, const u32 *word)
{
	u32 hash = xt2_hash_first(word[0] & c->mask[0], number);

	if (c->mask[1])
		hash = xt2_hash_more(hash, word[1] & c->mask[1]);
	if (c->mask[2] | c->mask[3]) {
		hash = xt2_hash_more(hash, word[2] & c->mask[2]);
		hash = xt2_hash_more(hash, word[3] & c->mask[3]);
	}
	return xt2_hash_last(hash);
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
bool xt2_patch_says(const struct xt2_image __img *img, const struct xt2_patch __img *p, u32 hash,
		    u32 unit);

#endif
