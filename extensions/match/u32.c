/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * u32.c - words of the packet, masked, shifted, and used as offsets
 *
 * As xt_u32.  A test loads the word at its first number, counted from the
 * network header; & << and >> change it; @ moves the base on by it and loads
 * the word at the next number.  All tests must end within one of their
 * ranges.  A word that isn't wholly in the packet, or a base that overflows,
 * ends the match: not held, which an inversion turns into a hit.
 */
#include "payload.h"

/* => false: not in the packet */
static bool load(struct xt2_pkt *pkt, u32 base, u32 pos, u32 *val)
{
	const u8 *p;

	if (base > pkt->len || pkt->len - base < 4 || pos > pkt->len - base - 4)
		return false;
	p = xt2_pkt_at(pkt, base + pos, 4);
	if (!p)
		return false;
	*val = xt2_be32(p);
	return true;
}

/* The numbers and operators of a test.  => false: ran out of the packet */
static bool locate(struct xt2_pkt *pkt, const __u32 __img *w, u32 *val)
{
	u32 i, base = 0, v;

	if (!load(pkt, 0, w[1], &v))
		return false;
	for (i = xt2_zero + 1; i < XT2_U32_NUMBERS(w[0]) && xt2_can_loop; i++) {
		switch (XT2_U32_OP(w[0], i)) {
		case XT2_U32_AND: v &= w[1 + i]; break;
		case XT2_U32_LEFT: v <<= w[1 + i]; break;
		case XT2_U32_RIGHT: v >>= w[1 + i]; break;
		case XT2_U32_AT:
			if (base + v < base)
				return false;
			base += v;
			if (!load(pkt, base, w[1 + i], &v))
				return false;
			break;
		}
	}
	*val = v;
	return true;
}

static bool holds(struct xt2_pkt *pkt, const __u32 __img *w)
{
	const __u32 __img *range = w + XT2_U32_WORDS(w[0]) - 2 * XT2_U32_RANGES(w[0]);
	u32 i, val;

	if (!locate(pkt, w, &val))
		return false;
	for (i = xt2_zero; i < XT2_U32_RANGES(w[0]) && xt2_can_loop; i++)
		if (range[2 * i] <= val && val <= range[2 * i + 1])
			return true;
	return false;
}

int xt2_u32_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const __u32 __img *w = ((const struct xt2_match_u32 __img *)m)->word;
	u32 i;

	for (i = xt2_zero; i < m->arg && xt2_can_loop; i++) {
		if (!holds(xt2_ctx_pkt(ctx), w))
			return xt2_answer_xor(m, false);
		w += XT2_U32_WORDS(w[0]);
	}
	return xt2_answer_xor(m, true);
}

static bool test_valid(const __u32 __img *w)
{
	u32 i, op, numbers = XT2_U32_NUMBERS(w[0]);

	for (i = 1; i < XT2_U32_NUMBERS_MAX && xt2_can_loop; i++) {
		op = XT2_U32_OP(w[0], i);
		if (i >= numbers ? op != 0
				 : (op == XT2_U32_LEFT || op == XT2_U32_RIGHT) && w[1 + i] >= 32)
			return false;
	}
	return !(w[0] >> 28);
}

int xt2_u32_check(const struct xt2_match __img *m, u8 family)
{
	const __u32 __img *w = ((const struct xt2_match_u32 __img *)m)->word;
	u32 i, at = 0, end = (m->size - sizeof(*m)) / 4;

	if (m->arg > XT2_U32_TESTS_MAX)
		return -EINVAL;
	for (i = 0; i < m->arg && xt2_can_loop; i++) {
		if (at >= end || XT2_U32_NUMBERS(w[at]) > XT2_U32_NUMBERS_MAX ||
		    XT2_U32_RANGES(w[at]) > XT2_U32_RANGES_MAX || XT2_U32_WORDS(w[at]) > end - at ||
		    !test_valid(w + at))
			return -EINVAL;
		at += XT2_U32_WORDS(w[at]);
	}
	if (at & 1 && (at >= end || w[at++]))
		return -EINVAL;
	return at == end ? 0 : -EINVAL;
}
