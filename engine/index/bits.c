/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bits.c - search a bitmap index with the registers that every processor has
 *
 * The bits of each key's slot are the units that it lets through; the units
 * that all keys let through are the candidates, in order.
 */
#include "search.h"

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

static __always_inline u64 and_of(const u64 __img *const *bit, u32 w)
{
	return bit[0][w] & bit[1][w] & bit[2][w] & bit[3][w] & bit[4][w] & bit[5][w];
}

/* => the first word from w on that is not 0, with its value in *left; words: none is */
static __always_inline u32 next_word(const u64 __img *const *bit, u32 w, u32 words, u64 *left)
{
	for (; w < words && xt2_can_loop; w++) {
		*left = and_of(bit, w);
		if (*left)
			break;
	}
	return w;
}

u32 xt2_index_bits(const struct xt2_index __img *ix xt2_arg_img, struct xt2_search *s_ xt2_arg_img,
		   u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_bits __img *b = xt2_at(ix, ix->body);
	const u32 __img *unit = (const u32 __img *)(b + 1);
	const u32 words = b->words, keys = b->keys, room = ix->ahead;
	const u32 first = after ? xt2_units_behind_(unit, b->units, after) : 0;
	u32 *found = s->unit + s->base;
	const u64 __img *bit[XT2_BITS_KEYS];
	u32 i, w = first / 64, n = xt2_zero;
	u64 left = 0;

	for (i = 0; i < XT2_BITS_KEYS && i < keys; i++) {
		const struct xt2_bits_key __img *by = &b->by[i];

		bit[i] = (const u64 __img *)xt2_at(ix, by->bit) +
			 slot_of(xt2_at(ix, by->edge), by->slots, s->keys.key[by->key]) * words;
	}
	for (; i < XT2_BITS_KEYS; i++) /* as many for all, so that nothing has to be asked */
		bit[i] = bit[0];
	s->resume = 0;
	if (w < words)
		left = and_of(bit, w) & ~0ull << first % 64;
	while (w < words && xt2_can_loop) {
		for (; left && xt2_can_loop; left &= left - 1) {
			if (n == room) {
				s->resume = found[n - 1] & ~XT2_UNIT_FLAGS;
				goto out;
			}
			found[n++] = unit[w * 64 + (u32)__builtin_ctzll(left)];
		}
		w = next_word(bit, w + 1, words, &left);
	}
out:
	s->units = n;
	return n;
}
