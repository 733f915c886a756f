/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index-bits.c - search an index of bits with the registers that every processor has */
#include "index-bits.h"

_Static_assert(XT2_BITS_KEYS == 6, "keys of a word");
_Static_assert(sizeof(struct xt2_bits_key) == 12 && sizeof(struct xt2_bits) == 80, "bits");

/* By halving; a step is no branch. */
static __always_inline u32 slot_of(const u16 __img *edge, u32 slots, u16 key)
{
	const u16 __img *at = edge;
	u32 step;

	for (step = slots / 2; step && xt2_can_loop; step /= 2)
		at += at[step] <= key ? step : 0;
	return (u32)(at - edge);
}

static __always_inline u32 next_word(const u64 __img *const *bit, u32 w, u32 words, u64 *left)
{
	for (; w < words && xt2_can_loop; w++) {
		*left = xt2_bits_and_(bit, w);
		if (*left)
			break;
	}
	return w;
}

u32 xt2_index_bits(const struct xt2_index __img *ix xt2_arg_img, struct xt2_search *s_ xt2_arg_img,
		   u32 after)
{
	return xt2_bits_search_(ix, xt2_ptr(s_), after, slot_of, next_word);
}
