/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs-avx2.c - search a tuple-pair index with vectors
 *
 * As xt2_index_spans(), and xt2_index_collect() for one candidate.  A vector
 * has a number for each class of a dimension, so their values are hashed as
 * fast as one.  Entries are compared without a branch, since a bucket's answer
 * is hard to predict.
 */
#include "config.h"
#include "scan.h"
#include "engine/index/pairs.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((__target__("avx2,bmi,bmi2,popcnt")))

_Static_assert(XT2_CLASSES == 8, "a vector");

/* Hashes and slots of all classes of a dimension for a packet. */
struct classes {
	u32 hash[XT2_CLASSES];
	u64 pairs, triples; /* as in struct xt2_hashes */
};

AVX2 static __always_inline __m256i load(const u32 *at)
{
	return _mm256_loadu_si256((const __m256i *)at);
}

AVX2 static __always_inline __m256i spread(u32 n)
{
	return _mm256_set1_epi32((int)n);
}

AVX2 static __always_inline __m256i fold(__m256i x, int bits)
{
	return _mm256_xor_si256(x, _mm256_srli_epi32(x, bits));
}

AVX2 static __always_inline __m256i times(__m256i x, u32 factor)
{
	return _mm256_mullo_epi32(x, spread(factor));
}

AVX2 static __always_inline __m256i masked(const struct xt2_index_dimension *d, const u32 *word,
					   u32 which)
{
	return _mm256_and_si256(spread(word[which]), load(d->mask[which]));
}

/* xt2_hash_class() of all classes; number: the dimension's, a constant */
AVX2 static __always_inline __m256i hash_all(const struct xt2_index_dimension *d, u32 number,
					     const u32 *word)
{
	const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i which = _mm256_add_epi32(spread(number * XT2_CLASSES), each);
	__m256i x = _mm256_add_epi32(masked(d, word, 0), times(which, XT2_HASH_WHICH));
	u32 i;

	x = times(x, XT2_HASH_FIRST);
	for (i = 1; unlikely(i < d->words); i++)
		x = times(_mm256_add_epi32(fold(x, 15), masked(d, word, i)), XT2_HASH_MORE);
	return fold(times(fold(x, 16), XT2_HASH_LAST), 15);
}

/* Places of the slots of all classes, in bytes from the index. */
AVX2 static __always_inline __m256i slot_places(const struct xt2_index_dimension *d, __m256i hash)
{
	const __m256i slot = _mm256_srlv_epi32(hash, load(d->shift));

	return _mm256_add_epi32(_mm256_add_epi32(slot, slot), load(d->slot));
}

static __always_inline int slot_at(const struct xt2_index *ix, u32 place)
{
	return *(const u16 *)xt2_at(ix, place);
}

AVX2 static __always_inline void look_up(const struct xt2_index *ix,
					 const struct xt2_index_dimension *d, u32 number,
					 const u32 *word, struct classes *c)
{
	const __m256i hash = hash_all(d, number, word);
	const __m128i apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
	const u64 there = ~0ull >> (64 - 8 * d->classes);
	__m128i slots = _mm_setzero_si128();
	u32 at[XT2_CLASSES];

	_mm256_storeu_si256((__m256i *)c->hash, hash);
	_mm256_storeu_si256((__m256i *)at, slot_places(d, hash));
	slots = _mm_insert_epi16(slots, slot_at(ix, at[0]), 0);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[1]), 1);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[2]), 2);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[3]), 3);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[4]), 4);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[5]), 5);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[6]), 6);
	slots = _mm_insert_epi16(slots, slot_at(ix, at[7]), 7);
	slots = _mm_shuffle_epi8(slots, apart);
	c->pairs = (u64)_mm_cvtsi128_si64(slots) & there;
	c->triples = (u64)_mm_extract_epi64(slots, 1) & there;
}

/* Buckets of the pairs in todo; more: is mixed into their hashes */
AVX2 static __always_inline u32 add_spans(const struct xt2_index *ix, const struct xt2_pairs *p,
					  const struct classes *a, const u32 *turned, u64 todo,
					  u32 more, struct xt2_span *span, u32 n)
{
	const struct xt2_index_bucket *bucket = xt2_at(ix, p->bucket);
	const u32 shift = p->shift;

	for (; todo; todo &= todo - 1) {
		u32 bit = (u32)__builtin_ctzll(todo);
		u32 hash = a->hash[bit / 8] ^ turned[bit % 8] ^ more;
		u64 b = *(const u64 *)&bucket[hash >> shift];

		span[n].entries = (u32)b; /* as one number, or compilers make a vector of it */
		span[n].hash = hash;
		n += b >> ((hash | 32) % 64) & 1; /* no branch: half of them are not */
	}
	return n;
}

AVX2 u32 xt2_spans_avx2(const struct xt2_index *ix, struct xt2_search *s, const struct xt2_pkt *pkt)
{
	const struct xt2_pairs *p = xt2_at(ix, ix->body);
	u32 word[XT2_FIELD_WORDS], turned[XT2_CLASSES], n = 0, third, i;
	struct classes a, b;
	u64 todo;

	xt2_index_field(s, pkt, p->dim[0].field, word);
	look_up(ix, &p->dim[0], 0, word, &a);
	xt2_index_field(s, pkt, p->dim[1].field, word);
	look_up(ix, &p->dim[1], 1, word, &b);
	for (i = 0; i < XT2_CLASSES; i++)
		turned[i] = xt2_hash_pair(0, b.hash[i]);
	todo = a.triples & xt2_turned(b.triples);
	if (todo) {
		xt2_index_field(s, pkt, p->dim[2].field, word);
		third = xt2_hash_class(&p->dim[2], 0, word, 2 * XT2_CLASSES);
		if (slot_at(ix,
			    p->dim[2].slot[0] + (third >> p->dim[2].shift[0]) * (u32)sizeof(u16)))
			n = add_spans(ix, p, &a, turned, todo, xt2_hash_pair(0, third), s->span, n);
	}
	todo = a.pairs & xt2_turned(b.pairs);
	s->spans = add_spans(ix, p, &a, turned, todo, 0, s->span, n);
	xt2_fetch_spans(ix, p, s);
	return s->spans;
}

/* --- candidates -------------------------------------------------------- */

#define AT_ONCE 4u /* entries of a bucket, in two vectors */

_Static_assert(AT_ONCE == XT2_ENTRIES_BEYOND + 1, "entries that are read");

/* struct xt2_probe for two entries */
struct probes {
	__m256i mask, ports, tag; /* the last: where entries have theirs */
	__m256i after;
};

AVX2 static __always_inline __m256i twice(u64 low, u64 high)
{
	return _mm256_broadcastsi128_si256(_mm_set_epi64x((long long)high, (long long)low));
}

AVX2 static __always_inline struct probes probes_of(const struct xt2_probe *probe, u32 after)
{
	return (struct probes){
		.mask = twice(probe->mask, ~0ull),
		.ports = twice(0, probe->ports & ~XT2_PORT_TOPS),
		.tag = twice(0xffffull << 32, 0),
		.after = spread(after | XT2_UNIT_FLAGS),
	};
}

/* Units of two entries where these let the packet through, else ~0: in the first word of each */
AVX2 static __always_inline __m256i units_of(__m256i e, __m256i tag, const struct probes *probes,
					     bool all)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i wrong = _mm256_and_si256(_mm256_xor_si256(e, tag), probes->mask), right;

	wrong = _mm256_subs_epu16(wrong, probes->ports);
	right = _mm256_cmpeq_epi64(_mm256_or_si256(wrong, _mm256_shuffle_epi32(wrong, 0x4e)), zero);
	if (!all) /* right and after */
		right = _mm256_andnot_si256(
			_mm256_cmpeq_epi32(_mm256_min_epu32(e, probes->after), e), right);
	return _mm256_or_si256(e, _mm256_xor_si256(right, _mm256_set1_epi32(-1)));
}

/* The tag's 16 bits everywhere: see spread() in bits-avx2.c. */
AVX2 static __always_inline __m256i tag_of(const struct xt2_span *span)
{
	__m256i all;

	__asm__("vpbroadcastw %1, %0" : "=x"(all) : "m"(span->hash));
	return all;
}

/*
 * The first four entries of each bucket, without a branch, then the others
 * of those few that have more or columns.  Entries after a bucket's last one are of
 * another bucket: if one lets the packet through, it is a candidate too many.
 * all: a constant; candidates may come anywhere.
 */
AVX2 static __always_inline u32 first_of(const struct xt2_index *ix, struct xt2_search *s,
					 u32 after, bool all)
{
	const struct xt2_pairs *p = xt2_at(ix, ix->body);
	const struct xt2_index_entry *entry = xt2_at(ix, p->entry), *e;
	const struct xt2_probe probe = xt2_probe_of(ix, &s->keys);
	const struct probes probes = probes_of(&probe, after);
	__m256i least = _mm256_set1_epi32(-1), tag;
	u32 i, in, nested = 0, more = 0, first;
	u8 rest[XT2_SPANS_MAX]; /* spans that are not done with four */
	__m128i half;

	for (i = 0; i < s->spans; i++) {
		in = s->span[i].entries;
		e = entry + (in >> XT2_BUCKET_FIRST);
		tag = _mm256_and_si256(tag_of(&s->span[i]), probes.tag);
		least = _mm256_min_epu32(least, units_of(load(&e[0].unit), tag, &probes, all));
		least = _mm256_min_epu32(least, units_of(load(&e[2].unit), tag, &probes, all));
		rest[more] = (u8)i;
		more += (in & (XT2_BUCKET_COUNT | XT2_BUCKET_NESTED)) > AT_ONCE;
	}
	half = _mm_min_epu32(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
	first = (u32)_mm_cvtsi128_si32(half);
	for (i = 0; i < more; i++) {
		const struct xt2_span *span = &s->span[rest[i]];

		in = span->entries;
		e = entry + (in >> XT2_BUCKET_FIRST);
		if (in & XT2_BUCKET_NESTED)
			s->columns[nested++] = rest[i];
		first = xt2_first_of_bucket(e + AT_ONCE, e + (in & XT2_BUCKET_COUNT),
					    (u64)xt2_hash_tag(span->hash) << 32, &probe, after,
					    first);
	}
	s->nested = nested;
	return xt2_found_first(s, first);
}

AVX2 u32 xt2_collect_avx2(const struct xt2_index *ix, struct xt2_search *s, u32 after)
{
	return after ? first_of(ix, s, after, false) : first_of(ix, s, 0, true);
}
#endif
