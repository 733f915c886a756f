/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-avx2.c - hash a packet's bits of all classes of a patch with vectors
 *
 * As xt2_patch_buckets().  A vector has a number for each of eight classes.  A word of all
 * fields is one vector, from which each class takes that of its field.
 */
#include "config.h"
#include "scan.h"
#include "engine/index/pairs.h"
#include "engine/index/patched.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((__target__("avx2,bmi,bmi2,popcnt")))

#define LANES 8u

_Static_assert(XT2_PATCH_CLASSES == 2 * LANES && XT2_FIELD_LANES == LANES, "two vectors");

/* Words of a packet's fields, that of field f in lane f % 8. */
struct packet {
	__m256i word[XT2_FIELD_WORDS];
};

AVX2 static __always_inline __m256i load(const u32 *at)
{
	return _mm256_loadu_si256((const __m256i *)at);
}

AVX2 static __always_inline void store(u32 *at, __m256i x)
{
	_mm256_storeu_si256((__m256i *)at, x);
}

AVX2 static __always_inline __m256i fold(__m256i x, int bits)
{
	return _mm256_xor_si256(x, _mm256_srli_epi32(x, bits));
}

/* Numbers in memory: of a constant, compilers make each vector in three instructions. */
static const u32 factor[XT2_CLASS_WORDS] = { XT2_PATCH_FACTORS };
static const u32 last_factor = XT2_HASH_LAST, low_bits = 31;

AVX2 static __always_inline __m256i spread(const u32 *n)
{
	__m256i all;

	__asm__("vpbroadcastd %1, %0" : "=x"(all) : "m"(*n));
	return all;
}

/* A class's number, times its factor. */
#define WHICH(n) (n) * XT2_HASH_WHICH
static const u32 numbers[XT2_PATCH_CLASSES] = {
	WHICH(0), WHICH(1), WHICH(2),  WHICH(3),  WHICH(4),  WHICH(5),	WHICH(6),  WHICH(7),
	WHICH(8), WHICH(9), WHICH(10), WHICH(11), WHICH(12), WHICH(13), WHICH(14), WHICH(15),
};

AVX2 static __always_inline __m256i times(__m256i x, const u32 *n)
{
	return _mm256_mullo_epi32(x, spread(n));
}

AVX2 static __always_inline __m256i eight_bytes(const u8 *at)
{
	return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)at));
}

/* xt2_patch_hash_word() of eight classes; lane: where these have the field's words */
AVX2 static __always_inline __m256i hash_word(const struct xt2_patch *p, const struct packet *k,
					      __m256i lane, u32 first, u32 field, u32 word)
{
	const u32 number = field * XT2_FIELD_WORDS + word;
	__m256i x = _mm256_permutevar8x32_epi32(k->word[word], lane);

	x = _mm256_and_si256(x, load(&p->mask[number][first]));
	return fold(times(x, &factor[number]), 16);
}

/* xt2_patch_hash() of eight classes; wide: some of them have more than one word of a field */
AVX2 static __always_inline __m256i hash_all(const struct xt2_patch *p, const struct packet *k,
					     u32 first, bool wide)
{
	const __m256i a = eight_bytes(&p->field[0][first]), b = eight_bytes(&p->field[1][first]);
	__m256i sum = load(numbers + first);
	u32 i;

	sum = _mm256_add_epi32(sum, hash_word(p, k, a, first, 0, 0));
	sum = _mm256_add_epi32(sum, hash_word(p, k, b, first, 1, 0));
	for (i = 1; wide && i < XT2_FIELD_WORDS; i++) {
		sum = _mm256_add_epi32(sum, hash_word(p, k, a, first, 0, i));
		sum = _mm256_add_epi32(sum, hash_word(p, k, b, first, 1, i));
	}
	return fold(times(fold(sum, 16), &last_factor), 15);
}

/* xt2_patch_may_have(): each lane's answer is its sign */
AVX2 static __always_inline __m256i may_have(__m256i tags, __m256i hash)
{
	const __m256i low = spread(&low_bits);
	const __m256i a = _mm256_sllv_epi32(tags, _mm256_andnot_si256(hash, low));

	hash = _mm256_srli_epi32(hash, 5);
	return _mm256_and_si256(a, _mm256_sllv_epi32(tags, _mm256_andnot_si256(hash, low)));
}

#define SEPARATE static __attribute__((__noinline__))

/* Of slots in pages. */
AVX2 SEPARATE __m256i tags_in_pages(const struct xt2_image *img, const struct xt2_patch *p,
				    const u32 *number)
{
	u32 tags[LANES], i;

	for (i = 0; i < LANES; i++)
		tags[i] = xt2_patch_slot_at(img, p, number[i])->tags;
	return load(tags);
}

AVX2 static __always_inline int tags_at(const struct xt2_patch_slot *slots, u32 number)
{
	return (int)slots[number].tags;
}

AVX2 static __always_inline __m256i tags_of(const struct xt2_image *img, const struct xt2_patch *p,
					    const u32 *at)
{
	const struct xt2_patch_slot *slots = xt2_at(img, p->slot);

	if (unlikely(p->shift < XT2_SLOTS_LIST_SHIFT))
		return tags_in_pages(img, p, at);
	return _mm256_setr_epi32(tags_at(slots, at[0]), tags_at(slots, at[1]),
				 tags_at(slots, at[2]), tags_at(slots, at[3]),
				 tags_at(slots, at[4]), tags_at(slots, at[5]),
				 tags_at(slots, at[6]), tags_at(slots, at[7]));
}

/* Hashes of eight classes.  => a bit for each whose slot may have an entry with its hash */
AVX2 static __always_inline u32 look_up(const struct xt2_image *img, const struct xt2_patch *p,
					const struct packet *k, u32 first, bool wide, u32 *hashes)
{
	const __m256i hash = hash_all(p, k, first, wide);
	__m256i may;
	u32 at[LANES];

	store(hashes + first, hash);
	store(at, _mm256_srl_epi32(hash, _mm_cvtsi32_si128((int)p->shift)));
	may = may_have(tags_of(img, p, at), hash);
	return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(may)) << first;
}

AVX2 static __always_inline bool any_wide(const struct xt2_patch *p)
{
	const __m128i words = _mm_loadu_si128((const __m128i *)p->words);

	return _mm_movemask_epi8(_mm_cmpgt_epi8(words, _mm_set1_epi8(1)));
}

/* A word of each field, in the order of their lanes. */
AVX2 static __always_inline __m256i lanes_of(u32 sport, u64 src, u64 dst, u64 mac, u64 in, u64 out,
					     u32 mark, u32 dport)
{
	return _mm256_setr_epi32((int)sport, (int)src, (int)dst, (int)mac, (int)in, (int)out,
				 (int)mark, (int)dport);
}

#define ASKS_LONG (XT2_ASKS_IN | XT2_ASKS_OUT | XT2_ASKS_MAC)

/* The first words of the packet's fields, if the index asks for neither names nor MAC addresses. */
AVX2 static __always_inline void fill_short(struct packet *k, const struct xt2_keys *keys,
					    const struct xt2_pkt *pkt)
{
	const u32 proto = (u32)pkt->proto << 16;
	const bool four = pkt->family == XT2_IPV4;

	k->word[0] = lanes_of(proto | keys->key[XT2_KEY_SPORT], four ? pkt->src4 : pkt->src[0],
			      four ? pkt->dst4 : pkt->dst[0], 0, 0, 0, pkt->mark,
			      proto | keys->key[XT2_KEY_DPORT]);
}

/* Then the other words of addresses; the classes have no bits of other fields' ones, which may be any. */
AVX2 static __always_inline void fill_addresses(struct packet *k, const struct xt2_pkt *pkt)
{
	const __m128i src = _mm_loadu_si128((const __m128i *)pkt->src);
	const __m128i dst = _mm_loadu_si128((const __m128i *)pkt->dst);
	const __m128i low = _mm_unpacklo_epi32(src, dst), high = _mm_unpackhi_epi32(src, dst);

	k->word[1] = _mm256_castsi128_si256(_mm_shuffle_epi32(low, _MM_SHUFFLE(0, 3, 2, 0)));
	k->word[2] = _mm256_castsi128_si256(_mm_shuffle_epi32(high, _MM_SHUFFLE(0, 1, 0, 0)));
	k->word[3] = _mm256_castsi128_si256(_mm_shuffle_epi32(high, _MM_SHUFFLE(0, 3, 2, 0)));
}

/* The packet's fields; those of names and MAC addresses only if the index asks for them. */
AVX2 static __always_inline void fill(struct packet *k, const struct xt2_search *s,
				      const struct xt2_pkt *pkt, bool wide)
{
	static const u64 none[2];
	const struct xt2_keys *keys = &s->keys;
	const u32 proto = (u32)pkt->proto << 16;
	const u64 *in = keys->have & XT2_ASKS_IN ? keys->in : none;
	const u64 *out = keys->have & XT2_ASKS_OUT ? keys->out : none;
	const u64 mac = keys->have & XT2_ASKS_MAC ? keys->mac : 0;
	const bool four = pkt->family == XT2_IPV4;
	const u64 *src = four ? none : pkt->src, *dst = four ? none : pkt->dst;

	k->word[0] = lanes_of(proto | keys->key[XT2_KEY_SPORT], four ? pkt->src4 : src[0],
			      four ? pkt->dst4 : dst[0], mac, in[0], out[0], pkt->mark,
			      proto | keys->key[XT2_KEY_DPORT]);
	if (!wide)
		return;
	k->word[1] =
		lanes_of(0, src[0] >> 32, dst[0] >> 32, mac >> 32, in[0] >> 32, out[0] >> 32, 0, 0);
	k->word[2] = lanes_of(0, src[1], dst[1], 0, in[1], out[1], 0, 0);
	k->word[3] = lanes_of(0, src[1] >> 32, dst[1] >> 32, 0, in[1] >> 32, out[1] >> 32, 0, 0);
}

_Static_assert(XT2_FIELD_SPORT % XT2_FIELD_LANES == 0 && XT2_FIELD_SRC == 1 && XT2_FIELD_DST == 2 &&
		       XT2_FIELD_MAC == 3 && XT2_FIELD_IN == 4 && XT2_FIELD_OUT == 5 &&
		       XT2_FIELD_MARK == 6 && XT2_FIELD_DPORT == 7,
	       "lanes of fields");

/* Of all classes; the common cases below leave out what they do not need. */
AVX2 static __always_inline u32 look_up_all(const struct xt2_image *img, const struct xt2_patch *p,
					    const struct packet *k, bool wide, u32 *hashes)
{
	u32 may = look_up(img, p, k, 0, wide, hashes);

	if (p->classes > LANES)
		may |= look_up(img, p, k, LANES, wide, hashes);
	return _bzhi_u32(may, p->classes);
}

AVX2 SEPARATE u32 look_up_long(const struct xt2_image *img, const struct xt2_patch *p,
			       struct xt2_search *s, const struct xt2_pkt *pkt)
{
	const bool wide = any_wide(p);
	struct packet k;

	fill(&k, s, pkt, wide);
	return look_up_all(img, p, &k, wide, s->merge.hash);
}

AVX2 SEPARATE u32 look_up_wide(const struct xt2_image *img, const struct xt2_patch *p,
			       struct xt2_search *s, const struct xt2_pkt *pkt)
{
	struct packet k;

	fill_short(&k, &s->keys, pkt);
	fill_addresses(&k, pkt);
	return look_up_all(img, p, &k, true, s->merge.hash);
}

AVX2 SEPARATE u32 look_up_many(const struct xt2_image *img, const struct xt2_patch *p,
			       struct xt2_search *s, const struct xt2_pkt *pkt)
{
	struct packet k;

	fill_short(&k, &s->keys, pkt);
	return look_up_all(img, p, &k, false, s->merge.hash);
}

AVX2 u32 xt2_buckets_avx2(const struct xt2_image *img, const struct xt2_patch *p,
			  struct xt2_search *s, const struct xt2_pkt *pkt)
{
	struct packet k;

	if (unlikely(s->keys.have & ASKS_LONG))
		return look_up_long(img, p, s, pkt);
	if (pkt->family == XT2_IPV6 && any_wide(p))
		return look_up_wide(img, p, s, pkt);
	if (unlikely(p->classes > LANES))
		return look_up_many(img, p, s, pkt);
	fill_short(&k, &s->keys, pkt);
	return _bzhi_u32(look_up(img, p, &k, 0, false, s->merge.hash), p->classes);
}
#endif
