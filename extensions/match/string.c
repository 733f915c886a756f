/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * string.c - does the packet contain these bytes?
 *
 * As xt_string, for a packet in one piece: from and to are offsets from the
 * network header, and a pattern must begin at or after from and end at or
 * before to.  Over one piece both of the kernel's algorithms find the first
 * occurrence, so both are done here in time linear in the packet, after Knuth,
 * Morris and Pratt; the table is made on the stack, a byte for each byte of
 * the pattern.
 *
 * With one exception.  Ignoring case, the kernel compares upper-case Latin-1,
 * where U+00FF becomes U+00DF, and that becomes U+00BF.  Its bm skips by
 * tables that know only a letter and its lower-case form, so it may jump over
 * such an occurrence.  Patterns with these letters carry bm's shifts, and
 * find_skipping() jumps as the kernel does.
 *
 * Source: net/core/skbuff.c skb_find_text(), lib/ts_bm.c, lib/ts_kmp.c,
 * lib/ctype.c.
 */
#include "payload.h"

static u8 upper(u8 c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7))
		return c - 0x20;
	return c;
}

static u8 lower(u8 c)
{
	if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7))
		return c + 0x20;
	return c;
}

static u8 fold(u8 c, bool icase)
{
	return icase ? upper(c) : c;
}

/* border[i]: longest proper prefix of pat[0..i] that is its suffix, too */
static void borders(const u8 __img *pat, u32 len, bool icase, u8 *border)
{
	u32 i, k = 0;

	border[0] = 0;
	for (i = 1; i < len && xt2_can_loop; i++) {
		while (k && fold(pat[k], icase) != fold(pat[i], icase) && xt2_can_loop)
			k = border[k - 1];
		if (fold(pat[k], icase) == fold(pat[i], icase))
			k++;
		border[i] = k;
	}
}

static bool find(const struct xt2_match_string __img *k, const u8 *text, u32 n)
{
	bool icase = k->head.flags & XT2_STRING_ICASE;
	u32 i, q = 0, len = k->len;
	const u8 __img *pat = k->byte;
	u8 border[XT2_STRING_MAX], c;

	if (n < len)
		return false;
	borders(pat, len, icase, border);
	for (i = 0; i < n && xt2_can_loop; i++) {
		c = fold(text[i], icase);
		while (q && fold(pat[q], icase) != c && xt2_can_loop)
			q = border[q - 1];
		if (fold(pat[q], icase) == c && ++q == len)
			return true;
	}
	return false;
}

/* How far bm moves on for a byte, seen from the pattern's end. */
static s32 shift_of(const u8 __img *pat, u32 len, u8 c)
{
	u32 i;
	u8 p;

	for (i = len - 1; i-- > 0 && xt2_can_loop;) {
		p = upper(pat[i]);
		if (p == c || lower(p) == c)
			return len - 1 - i;
	}
	return len;
}

static bool find_skipping(const struct xt2_match_string __img *k, const u8 *text, u32 n)
{
	const u8 __img *pat = k->byte, *shifts = k->byte + k->len;
	u32 at, i, len = k->len;
	s32 by;

	for (at = len - 1; at < n && xt2_can_loop; at += by) {
		for (i = 0; i < len && xt2_can_loop; i++)
			if (upper(text[at - i]) != upper(pat[len - 1 - i]))
				break;
		if (i == len)
			return true;
		by = shift_of(pat, len, text[at - i]) - (s32)i;
		if (by < shifts[i])
			by = shifts[i];
	}
	return false;
}

int xt2_string_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_string __img *k = (const void __img *)m;
	u32 from = m->arg & 0xffff, to = m->arg >> 16, end;
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *text;
	bool found;

	if (to > pkt->len)
		to = pkt->len;
	if (from >= to)
		return xt2_answer(m, false);
	end = to < pkt->caplen ? to : pkt->caplen;
	if (end < from)
		end = from;
	text = xt2_pkt_at(pkt, from, end - from);
	if (m->flags & XT2_STRING_SHIFTS)
		found = text && find_skipping(k, text, end - from);
	else
		found = text && find(k, text, end - from);
	if (!found && end < to)
		pkt->cut = 1;
	return xt2_answer(m, found);
}

/* Bytes of len, pattern and shifts are used; padding is zero. */
static bool padding_zero(const struct xt2_match_string __img *k, u32 used)
{
	u32 i, end = k->head.size - sizeof(k->head) - 1;

	for (i = used; i < end && xt2_can_loop; i++)
		if (k->byte[i])
			return false;
	return true;
}

int xt2_string_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_string __img *k = (const void __img *)m;
	u8 flags = m->flags & ~XT2_MATCH_INVERT;
	u32 used, i;

	if (m->size <= sizeof(*m) || !k->len || k->len > XT2_STRING_MAX)
		return -EINVAL;
	if (flags & ~(XT2_STRING_ICASE | XT2_STRING_KMP | XT2_STRING_SHIFTS))
		return -EINVAL;
	if (flags & XT2_STRING_SHIFTS && flags != (XT2_STRING_SHIFTS | XT2_STRING_ICASE))
		return -EINVAL;
	if ((m->arg & 0xffff) > m->arg >> 16)
		return -EINVAL;
	used = k->len * (flags & XT2_STRING_SHIFTS ? 2 : 1);
	if (m->size != (sizeof(*m) + 1 + used + 7) / 8 * 8)
		return -EINVAL;
	for (i = k->len; i < used && xt2_can_loop; i++)
		if (!k->byte[i] || k->byte[i] > k->len)
			return -EINVAL;
	return padding_zero(k, used) ? 0 : -EINVAL;
}
