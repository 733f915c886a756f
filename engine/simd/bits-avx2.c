/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bits-avx2.c - search a bitmap index, four words at a time
 *
 * As xt2_index_bits(), without a branch that depends on the packet
 * until candidates are taken out: a branch that goes wrong costs as much as a
 * dozen vectors.  So all edges of a key are compared, and all words ANDed.
 * Where most rules decide, the first candidate is mostly the last, so its tests
 * are done here, and the next one is taken only if they miss.
 */
#include "config.h"
#include "scan.h"

#ifdef __x86_64__
#include "tests-avx2.h"

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

	if (likely(slots == XT2_BITS_SLOTS))
		return (u32)__builtin_popcountll(reached_bits(k, edge) | reached_bits(k, edge + 32)
										 << 32) -
		       1;
	while (n < slots && edge[n] <= *key)
		n++;
	return n - 1;
}

AVX2 static __always_inline __m256i and_pair(const u64 *a, const u64 *b, u32 w)
{
	return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(a + w)),
				_mm256_loadu_si256((const __m256i *)(b + w)));
}

/* keys: 2, 4 or 6, a constant.  => a bit for each of four words of which nothing is left */
AVX2 static __always_inline u32 empty_words(const u64 *const *bit, u32 keys, u32 w)
{
	__m256i a = and_pair(bit[0], bit[1], w);

	if (keys > 2)
		a = _mm256_and_si256(a, and_pair(bit[2], bit[3], w));
	if (keys > 4)
		a = _mm256_and_si256(a, and_pair(bit[4], bit[5], w));
	a = _mm256_cmpeq_epi64(a, _mm256_setzero_si256());
	return (u32)_mm256_movemask_pd(_mm256_castsi256_pd(a));
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

/* => a bit for each word of which something is left */
AVX2 static __always_inline u32 words_left(const u64 *const *bit, u32 keys, u32 words)
{
	u32 w, none = 0;

	if (likely(words == XT2_BITS_WORDS)) {
		none = empty_words(bit, keys, 0) | empty_words(bit, keys, 4) << 4 |
		       empty_words(bit, keys, 8) << 8 | empty_words(bit, keys, 12) << 12;
		return none ^ 0xffff;
	}
	for (w = 0; w + 4 <= words; w += 4)
		none |= empty_words(bit, keys, w) << w;
	for (; w < words; w++)
		none |= (u32)!and_word(bit, keys, w) << w;
	return none ^ ((1u << words) - 1);
}

/* The units that all keys let through, from one on. */
struct left {
	const u64 *bit[XT2_BITS_KEYS];
	u32 keys; /* 2, 4 or 6, a constant */
	u32 first;
	u32 some; /* a bit for each word that may have some */
};

static __always_inline u64 left_of(const struct left *l, u32 w)
{
	u64 bits = and_word(l->bit, l->keys, w);

	return unlikely(l->first) && w == l->first / 64 ? bits & ~0ull << l->first % 64 : bits;
}

/* The first that does not surely miss.  Whether the next one is in the same word is no branch. */
AVX2 static __always_inline u32 take_first(const struct xt2_chain *chain, struct xt2_search *s,
					   const struct xt2_pkt *pkt, const u32 *unit,
					   const struct left *l)
{
	u32 some = l->some, w = (u32)__builtin_ctz(some | 1u << 16), at;
	u64 bits = some ? left_of(l, w) : 0;
	int answer;

	while (some) {
		u32 rest = some & (some - 1), next = rest ? (u32)__builtin_ctz(rest) : w;
		u64 over;

		at = unit[w * 64 + (u32)__builtin_ctzll(bits)];
		answer = tests_at(xt2_at(chain, at & ~XT2_UNIT_FLAGS), pkt);
		if (answer != XT2_MISS) {
			s->unit[s->base] = at | (answer == XT2_HIT ? XT2_FOUND_HOLDS : 0);
			s->resume = at & ~XT2_UNIT_FLAGS;
			return s->units = 1;
		}
		bits &= bits - 1;
		over = bits ? 0 : ~0ull;
		bits |= over & left_of(l, next);
		w ^= (w ^ next) & (u32)over;
		some ^= (some ^ rest) & (u32)over;
	}
	s->resume = 0;
	return s->units = 0;
}

static __always_inline u32 take_all(struct xt2_search *s, const u32 *unit, const struct left *l,
				    u32 room)
{
	u32 *found = s->unit + s->base, some, n = 0;
	u64 bits;

	s->resume = 0;
	for (some = l->some; some; some &= some - 1) {
		u32 w = (u32)__builtin_ctz(some);

		for (bits = left_of(l, w); bits; bits &= bits - 1) {
			if (n == room) {
				s->resume = found[n - 1] & ~XT2_UNIT_FLAGS;
				return s->units = n;
			}
			found[n++] = unit[w * 64 + (u32)__builtin_ctzll(bits)];
		}
	}
	return s->units = n;
}

AVX2 static __always_inline const u64 *
bits_of_key(const struct xt2_index *ix, const struct xt2_bits *b, const struct xt2_search *s, u32 i)
{
	const struct xt2_bits_key *by = &b->by[i];
	u32 slot = slot_of(xt2_at(ix, by->edge), by->slots, &s->keys.key[by->key]);

	return (const u64 *)xt2_at(ix, by->bit) + slot * b->words;
}

/* keys: 2, 4 or 6, a constant; those of the index or one more */
AVX2 static __always_inline u32 search(const struct xt2_chain *chain, struct xt2_search *s,
				       const struct xt2_pkt *pkt, u32 after, u32 keys)
{
	const struct xt2_index *ix = xt2_chain_its_index(chain);
	const struct xt2_bits *b = xt2_at(ix, ix->body);
	const u32 *unit = (const u32 *)(b + 1);
	struct left l = { .keys = keys };

	l.bit[0] = bits_of_key(ix, b, s, 0);
	l.bit[1] = b->keys > 1 ? bits_of_key(ix, b, s, 1) : l.bit[0];
	if (keys > 2) {
		l.bit[2] = bits_of_key(ix, b, s, 2);
		l.bit[3] = b->keys > 3 ? bits_of_key(ix, b, s, 3) : l.bit[0];
	}
	if (keys > 4) {
		l.bit[4] = bits_of_key(ix, b, s, 4);
		l.bit[5] = b->keys > 5 ? bits_of_key(ix, b, s, 5) : l.bit[0];
	}
	l.first = unlikely(after) ? xt2_units_behind_(unit, b->units, after) : 0;
	l.some = words_left(l.bit, keys, b->words) & ~0u << l.first / 64;
	if (unlikely(l.first) && l.some >> l.first / 64 & 1 && !left_of(&l, l.first / 64))
		l.some ^= 1u << l.first / 64;
	if (likely(ix->ahead <= XT2_AHEAD_FEW))
		return take_first(chain, s, pkt, unit, &l);
	return take_all(s, unit, &l, ix->ahead);
}

AVX2 u32 xt2_bits_avx2(const struct xt2_chain *chain, struct xt2_search *s,
		       const struct xt2_pkt *pkt, u32 after)
{
	const struct xt2_index *ix = xt2_chain_its_index(chain);
	const struct xt2_bits *b = xt2_at(ix, ix->body);

	if (b->keys <= 2)
		return search(chain, s, pkt, after, 2);
	if (b->keys <= 4)
		return search(chain, s, pkt, after, 4);
	return search(chain, s, pkt, after, XT2_BITS_KEYS);
}
#endif
