/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests-avx2.h - the tests of a rule, four at a time
 *
 * Most rules test addresses, the protocol and a port, each of them or not, and
 * which of these the next rule has is hard to predict.  So here all tests of 8
 * bytes are done together, and nothing depends on their kind: a table names the
 * packet's number that a test asks for, and it is compared as an address and as
 * a port, one of which counts.
 */
#ifndef XT2_ENGINE_SIMD_TESTS_AVX2_H
#define XT2_ENGINE_SIMD_TESTS_AVX2_H

#include "engine/match.h"
#include <immintrin.h>

#define AVX2 __attribute__((__target__("avx2,bmi,popcnt")))

#define TESTS_MAX      4u
#define HEADER_LONGEST 20u /* of TCP */

/* Places in the vector of a packet's numbers; those of ports follow by the form's number. */
enum number { NONE, SRC4, DST4, PROTO, PORTS, SPORT, DPORT };

_Static_assert(PORTS + XT2_PORTS_SRC == SPORT && PORTS + XT2_PORTS_DST == DPORT, "ports");
_Static_assert(offsetof(struct xt2_pkt, dport) == offsetof(struct xt2_pkt, sport) + 2 &&
		       offsetof(struct xt2_pkt, src4) == offsetof(struct xt2_pkt, sport) + 4 &&
		       offsetof(struct xt2_pkt, dst4) == offsetof(struct xt2_pkt, sport) + 8,
	       "numbers of a packet are next to each other");

/* Tables of 16 bytes, in both halves. */
#define TABLE_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                 \
	_mm256_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a, b, c, d, e, f, g, h, \
			 i, j, k, l, m, n, o, p)

/*
 * A type's place in a table: type + type / 8, of which the low four bits
 * count.  TCP and UDP have places next to each other, and their tests are
 * the same.
 */
#define PLACE(type) ((type) + (type) / 8)
#define PLACES(src4, dst4, proto, ports) \
	TABLE_OF(0, src4, dst4, 0, ports, ports, 0, 0, 0, 0, 0, 0, 0, 0, proto, 0)

_Static_assert(PLACE(XT2_M_SRC4) == 1 && PLACE(XT2_M_DST4) == 2 && PLACE(XT2_M_PROTO) == 14 &&
		       PLACE(XT2_M_TCP) == 0x24 && PLACE(XT2_M_UDP) == 0x25,
	       "places of types");

/* The packet's numbers, by enum number: ports as themselves and, above, their complement. */
AVX2 static __always_inline __m256i numbers_of(const struct xt2_pkt *pkt)
{
	const __m256i place = _mm256_setr_epi8(-1, -1, -1, -1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
					       15, -1, -1, -1, -1, 0, 1, 0, 1, 2, 3, 2, 3, -1, -1,
					       -1, -1);
	const __m256i flip = _mm256_setr_epi32(0, 0, 0, 0, 0, -0x10000, -0x10000, 0);
	__m128i own = _mm_loadu_si128((const __m128i *)&pkt->sport);

	own = _mm_insert_epi32(own, pkt->proto, 3);
	return _mm256_xor_si256(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(own), place), flip);
}

/*
 * The place that a number is for.  Of another one are types that share a place,
 * and forms without a number; no test of ports is known if the header that one
 * might want is cut off.
 */
AVX2 static __always_inline __m256i places_due(const struct xt2_pkt *pkt)
{
#define DUE(ports)                                                                            \
	{                                                                                     \
		-1, PLACE(XT2_M_SRC4) & ~1, PLACE(XT2_M_DST4), PLACE(XT2_M_PROTO), -1, ports, \
			ports, -1, -1, -1, -1, -1, -1, -1, -1, -1                             \
	}
	static const char due[2][16] = { DUE(PLACE(XT2_M_TCP)), DUE(-1) };
	bool is_short = (u64)pkt->thoff + HEADER_LONGEST > pkt->caplen;

	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)due[is_short]));
}

/* n: of them, if each has 8 bytes, up to four.  => enum xt2_answer, or XT2_UNSURE */
AVX2 static __always_inline int small_tests(const struct xt2_match *m, u32 n,
					    const struct xt2_pkt *pkt)
{
	const __m256i test = _mm256_loadu_si256((const __m256i *)m);
	const __m256i type = _mm256_and_si256(test, _mm256_set1_epi64x(0xff));
	const __m256i place = _mm256_add_epi32(type, _mm256_srli_epi32(type, 3));
	const __m256i flags = _mm256_srli_epi32(test, 8), arg = _mm256_srli_epi64(test, 32);
	const __m256i form = _mm256_and_si256(
		flags, _mm256_shuffle_epi8(PLACES(0, 0, 0, XT2_PORTS_FORM), place));
	const __m256i which = _mm256_add_epi32(
		_mm256_shuffle_epi8(PLACES(SRC4, DST4, PROTO, PORTS), place), form);
	const __m256i due = _mm256_shuffle_epi8(places_due(pkt), which);
	const __m256i known =
		_mm256_cmpeq_epi8(due, _mm256_and_si256(place, _mm256_set1_epi64x(0xfe)));
	const __m256i number = _mm256_permutevar8x32_epi32(numbers_of(pkt), which);
	const __m256i shift = _mm256_and_si256(flags, _mm256_set1_epi64x(XT2_ADDR4_SHIFT));
	const __m256i same = _mm256_cmpeq_epi64(
		_mm256_srlv_epi64(_mm256_xor_si256(number, arg), shift), _mm256_setzero_si256());
	const __m256i port = _mm256_xor_si256(arg, _mm256_set1_epi64x(0xffff0000));
	const __m256i within = _mm256_cmpeq_epi64(_mm256_max_epu16(number, port), number);
	const __m256d holds = _mm256_blendv_pd(_mm256_castsi256_pd(same),
					       _mm256_castsi256_pd(within),
					       _mm256_castsi256_pd(_mm256_slli_epi64(which, 61)));
	const __m256d met = _mm256_xor_pd(holds, _mm256_castsi256_pd(_mm256_slli_epi64(flags, 56)));
	const u32 there = (1u << n) - 1;
	const u32 other =
		there & ~(u32)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(known, 56)));
	const u32 missed = there & ~(u32)_mm256_movemask_pd(met);

	if (unlikely(other))
		return XT2_UNSURE;
	return missed ? XT2_MISS : XT2_HIT;
}

/* => does a test of an IPv6 address hold? */
static __always_inline bool addr6_holds(const struct xt2_match *m, const struct xt2_pkt *pkt)
{
	static const __u64 all[2] = { ~0ull, ~0ull };
	const __u64 *addr = (const __u64 *)(m + 1);
	const __u64 *mask = m->type >= XT2_M_SRC6_MASK ? addr + 2 : all;
	const u64 *a = m->type == XT2_M_SRC6 || m->type == XT2_M_SRC6_MASK ? pkt->src : pkt->dst;

	return xt2_addr6_within(addr, mask, a) != xt2_inverted(m);
}

static __always_inline bool is_addr6(const struct xt2_match *m)
{
	return m->type >= XT2_M_SRC6 && m->type <= XT2_M_DST6_MASK;
}

/* All of a rule's tests.  pkt: one to use an index for.  => enum xt2_answer, or XT2_UNSURE */
AVX2 static __always_inline int tests_at(const struct xt2_rule *r, const struct xt2_pkt *pkt)
{
	const struct xt2_match *m = (const struct xt2_match *)(r + 1);
	const u8 *end = (const u8 *)r + r->target_offset;
	u32 n;

	if (pkt->family == XT2_IPV6)
		for (; (const u8 *)m < end && is_addr6(m); m = xt2_match_next(m))
			if (!addr6_holds(m, pkt))
				return XT2_MISS;
	n = (u32)(end - (const u8 *)m) / sizeof(*m);
	return likely(n <= TESTS_MAX) ? small_tests(m, n, pkt) : XT2_UNSURE;
}

#endif
