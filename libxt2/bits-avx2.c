/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bits-avx2.c - search an index of bits, four words at a time
 *
 * What xt2_index_bits() does, without a branch that depends on the packet
 * until candidates are taken out: a branch that goes wrong costs as much as a
 * dozen vectors.  So all edges of a key are compared, and all words ANDed.
 */
#include "config.h"
#include "scan.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((__target__("avx2,bmi,popcnt")))

/* From memory: compilers go by way of a register, which takes three steps instead of one. */
AVX2 static __always_inline __m256i spread(const u16 *key)
{
	__m256i all;

	__asm__("vpbroadcastw %1, %0" : "=x"(all) : "m"(*key));
	return all;
}

/* ~0 for each of 16 edges that is at or below the key */
AVX2 static __always_inline __m256i reached(__m256i key, const u16 *edge)
{
	return _mm256_cmpeq_epi16(_mm256_max_epu16(key, _mm256_loadu_si256((const __m256i *)edge)),
				  key);
}

/* Bits in any order of 32 edges. */
AVX2 static __always_inline u64 reached_bits(__m256i key, const u16 *edge)
{
	return (u32)_mm256_movemask_epi8(
		_mm256_packs_epi16(reached(key, edge), reached(key, edge + 16)));
}

/* Edges ascend, so the slot is how many are at or below the key, less one. */
AVX2 static __always_inline u32 slot_of(const u16 *edge, u32 slots, const u16 *key)
{
	const __m256i k = spread(key);
	u32 n = 0;

	switch (slots) {
	case XT2_BITS_SLOTS:
		n = (u32)__builtin_popcountll(reached_bits(k, edge) | reached_bits(k, edge + 32)
									      << 32);
		return n - 1;
	case 16: /* two bits each */
		n = (u32)__builtin_popcount((u32)_mm256_movemask_epi8(reached(k, edge)));
		return n / 2 - 1;
	}
	while (n < slots && edge[n] <= *key)
		n++;
	return n - 1;
}

AVX2 static __always_inline __m256i and_pair(const u64 *a, const u64 *b, u32 w)
{
	return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(a + w)),
				_mm256_loadu_si256((const __m256i *)(b + w)));
}

/* keys: 2, 4 or 6, a constant */
AVX2 static __always_inline __m256i and_vector(const u64 *const *bit, u32 keys, u32 w)
{
	__m256i a = and_pair(bit[0], bit[1], w);

	if (keys > 2)
		a = _mm256_and_si256(a, and_pair(bit[2], bit[3], w));
	if (keys > 4)
		a = _mm256_and_si256(a, and_pair(bit[4], bit[5], w));
	return a;
}

static __always_inline u64 and_word(const u64 *const *bit, u32 keys, u32 w)
{
	u64 a = bit[0][w] & bit[1][w];

	if (keys > 2)
		a &= bit[2][w] & bit[3][w];
	if (keys > 4)
		a &= bit[4][w] & bit[5][w];
	return a;
}

/* What is left of all words. => a bit for each that is not 0 */
AVX2 static __always_inline u32 and_words(const u64 *const *bit, u32 keys, u32 words, u64 *left)
{
	u32 w, some = 0;

	for (w = 0; w + 4 <= words; w += 4) {
		__m256i a = and_vector(bit, keys, w);

		_mm256_storeu_si256((__m256i *)(left + w), a);
		a = _mm256_cmpeq_epi64(a, _mm256_setzero_si256());
		some |= (u32)(_mm256_movemask_pd(_mm256_castsi256_pd(a)) ^ 15) << w;
	}
	for (; w < words; w++) {
		left[w] = and_word(bit, keys, w);
		some |= (u32)(left[w] != 0) << w;
	}
	return some;
}

AVX2 static __always_inline const u64 *
bits_of_key(const struct xt2_index *ix, const struct xt2_bits *b, const struct xt2_search *s, u32 i)
{
	const struct xt2_bits_key *by = &b->by[i];
	u32 slot = slot_of(xt2_at(ix, by->edge), by->slots, &s->keys.key[by->key]);

	return (const u64 *)xt2_at(ix, by->bit) + slot * b->words;
}

/* The first two that are left, which is mostly all that is asked for. */
AVX2 static __always_inline void take_two(struct xt2_search *s, const u32 *unit, const u64 *left,
					  u32 some)
{
	u32 *found = s->unit + s->base, w = (u32)__builtin_ctz(some), next, at;
	u64 bits = left[w], more;

	found[0] = unit[w * 64 + (u32)__builtin_ctzll(bits)];
	some &= some - 1;
	bits &= bits - 1;
	next = (u32)__builtin_ctz(some | 1u << XT2_BITS_WORDS);
	more = left[next];
	w = bits ? w : next;
	some = bits ? some : some & (some - 1);
	bits = bits ? bits : more;
	at = bits ? w * 64 + (u32)__builtin_ctzll(bits) : 0;
	found[1] = unit[at];
	s->units = 1 + (bits != 0);
	bits &= bits - 1;
	s->resume = bits | some ? found[1] & ~XT2_UNIT_FLAGS : 0;
}

static __always_inline void take_all(struct xt2_search *s, const u32 *unit, u64 *left, u32 some,
				     u32 room)
{
	u32 *found = s->unit + s->base, n = 0, w;

	for (; some; some &= some - 1) {
		w = (u32)__builtin_ctz(some);
		for (; left[w]; left[w] &= left[w] - 1) {
			if (n == room) {
				s->resume = found[n - 1] & ~XT2_UNIT_FLAGS;
				s->units = n;
				return;
			}
			found[n++] = unit[w * 64 + (u32)__builtin_ctzll(left[w])];
		}
	}
	s->resume = 0;
	s->units = n;
}

/* keys: 2, 4 or 6, a constant; those of the index or one more */
AVX2 static __always_inline u32 search(const struct xt2_index *ix, struct xt2_search *s, u32 after,
				       u32 keys)
{
	const struct xt2_bits *b = xt2_at(ix, ix->body);
	const u32 *unit = (const u32 *)(b + 1);
	const u64 *bit[XT2_BITS_KEYS];
	u64 left[XT2_BITS_WORDS + 1];
	u32 some;

	bit[0] = bits_of_key(ix, b, s, 0);
	bit[1] = b->keys > 1 ? bits_of_key(ix, b, s, 1) : bit[0];
	if (keys > 2) {
		bit[2] = bits_of_key(ix, b, s, 2);
		bit[3] = b->keys > 3 ? bits_of_key(ix, b, s, 3) : bit[0];
	}
	if (keys > 4) {
		bit[4] = bits_of_key(ix, b, s, 4);
		bit[5] = b->keys > 5 ? bits_of_key(ix, b, s, 5) : bit[0];
	}
	some = and_words(bit, keys, b->words, left);
	left[XT2_BITS_WORDS] = 0;
	if (unlikely(after)) {
		u32 first = xt2_units_behind_(unit, b->units, after);

		some &= ~0u << first / 64;
		if (some >> first / 64 & 1) {
			left[first / 64] &= ~0ull << first % 64;
			some ^= (u32)!left[first / 64] << first / 64;
		}
	}
	if (some && ix->ahead == 2)
		take_two(s, unit, left, some);
	else
		take_all(s, unit, left, some, ix->ahead);
	return s->units;
}

AVX2 u32 xt2_bits_avx2(const struct xt2_index *ix, struct xt2_search *s, u32 after)
{
	const struct xt2_bits *b = xt2_at(ix, ix->body);

	if (b->keys <= 2)
		return search(ix, s, after, 2);
	if (b->keys <= 4)
		return search(ix, s, after, 4);
	return search(ix, s, after, XT2_BITS_KEYS);
}
#endif
