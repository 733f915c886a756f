/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classes.c - hash a packet's bits of all classes of a patch
 *
 * Without vectors; engine/simd/patch-avx2.c does the same with them.
 */
#include "engine/simd/vectors.h"
#include "pairs.h"
#include "patched.h"

static __always_inline void put_words(struct xt2_merge *m, u32 field, const u32 *word)
{
	u32 i;

	for (i = 0; i < XT2_FIELD_WORDS; i++)
		m->word[i][field % XT2_FIELD_LANES] = word[i];
}

static __always_inline void put_field(struct xt2_search *s, const struct xt2_pkt *pkt, u32 field)
{
	u32 word[XT2_FIELD_WORDS];

	xt2_index_field(s, pkt, field, word);
	put_words(&s->merge, field, word);
}

/* The packet's fields; names and MAC addresses, if they are not asked for, may be those of another packet. */
static __always_inline void put_fields(struct xt2_search *s, const struct xt2_pkt *pkt)
{
	put_field(s, pkt, XT2_FIELD_SRC);
	put_field(s, pkt, XT2_FIELD_DST);
	put_field(s, pkt, XT2_FIELD_MARK);
	put_field(s, pkt, XT2_FIELD_DPORT);
	put_field(s, pkt, XT2_FIELD_SPORT);
	if (s->keys.have & XT2_ASKS_IN)
		put_field(s, pkt, XT2_FIELD_IN);
	if (s->keys.have & XT2_ASKS_OUT)
		put_field(s, pkt, XT2_FIELD_OUT);
	if (s->keys.have & XT2_ASKS_MAC)
		put_field(s, pkt, XT2_FIELD_MAC);
}

/* xt2_patch_hash() of a packet */
static __always_inline u32 hash_of_class(const struct xt2_patch __img *p, const struct xt2_merge *m,
					 u32 number)
{
	const u32 a = p->field[0][number] % XT2_FIELD_LANES,
		  b = p->field[1][number] % XT2_FIELD_LANES;
	const u32 words = p->words[number] > 1 ? XT2_FIELD_WORDS : 1;
	u32 sum = number * XT2_HASH_WHICH, i;

	for (i = 0; i < XT2_FIELD_WORDS && i < words; i++) {
		sum += xt2_patch_hash_word(m->word[i][a] & p->mask[i][number], i);
		sum += xt2_patch_hash_word(m->word[i][b] & p->mask[XT2_FIELD_WORDS + i][number],
					   XT2_FIELD_WORDS + i);
	}
	return xt2_hash_last(sum);
}

u32 xt2_patch_buckets(const struct xt2_image __img *img xt2_arg_img,
		      const struct xt2_patch __img *p xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, const struct xt2_pkt *pkt xt2_arg_img)
{
	const struct xt2_patch_slot __img *slot;
	struct xt2_search *s = xt2_ptr(s_);
	struct xt2_merge *m = &s->merge;
	u32 i, hash, may = xt2_zero;

	put_fields(s, xt2_ptr(pkt));
	for (i = xt2_zero; i < p->classes && i < XT2_PATCH_CLASSES && xt2_can_loop; i++) {
		hash = hash_of_class(p, m, i);
		slot = xt2_patch_slot_of(img, p, hash);
		m->hash[i % XT2_PATCH_CLASSES] = hash;
		may |= (u32)xt2_patch_may_have(slot, hash) << i;
	}
	return may;
}
