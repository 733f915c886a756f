/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-address.c - addresses of plain lines
 *
 * What inet_pton() takes is taken here, but for IPv4 at the end of IPv6, and
 * nothing else is: no names, no octal numbers, no lists.
 */
#include "config.h"
#include "fast-line.h"

/* Bits of the bytes of 16 that are no digits. */
static inline u32 others(const char *at)
{
	const u64 tops = 0x0002040810204081ull; /* brings them together, into the highest byte */
	u64 first = xt2_fast_others(xt2_fast_word(at));
	u64 second = xt2_fast_others(xt2_fast_word(at + XT2_FAST_WORD));

	return (u32)(first * tops >> 56) | (u32)(second * tops >> 56) << 8;
}

/* One to three digits.  => their number; 256 or more: it is none of a quad */
static inline u32 octet(const char *at, u32 digits)
{
	static const u32 least[] = { 0, 10, 100 };
	u32 word, v;

	if (digits - 1 > 2)
		return ~0u;
	memcpy(&word, at, sizeof(word));
	word = (le32toh(word) & 0x0f0f0f0f) << 8 * (4 - digits);
	v = (word >> 24) + (word >> 16 & 0xff) * 10 + (word >> 8 & 0xff) * 100;
	return v < least[digits - 1] ? ~0u : v; /* leading zeros are octal elsewhere */
}

/* 192.0.2.1, without waiting for each number's end */
bool xt2_fast_quad(struct xt2_fast *p, u64 *addr)
{
	const char *at = p->at;
	u32 end[4], i, other = others(at) | 0xf0000, start = 0, v = 0, wrong = 0;

	for (i = 0; i < 4; i++) {
		u32 one;

		end[i] = (u32)__builtin_ctz(other);
		other &= other - 1;
		one = octet(at + start, end[i] - start);
		wrong |= one;
		v = v << 8 | one;
		start = end[i] + 1;
	}
	if (wrong > 255 || at[end[0]] != '.' || at[end[1]] != '.' || at[end[2]] != '.')
		return false;
	p->at = at + end[3];
	*addr = v;
	return true;
}

/* 24, at the end of a word; nothing is taken otherwise */
static bool prefix(struct xt2_fast *p, u32 max, u32 *len)
{
	const char *start = p->at;
	u64 v;

	if (!xt2_fast_number(p, max, &v) || !xt2_fast_ends(*p->at)) {
		p->at = start;
		return false;
	}
	*len = (u32)v;
	return true;
}

bool xt2_fast_address4(struct xt2_fast *p, struct xt2_address *a)
{
	u32 len = 32;
	u64 addr, mask;

	if (!xt2_fast_quad(p, &addr))
		return false;
	if (xt2_fast_take(p, '/') && !prefix(p, 32, &len)) {
		if (!xt2_fast_quad(p, &mask))
			return false;
	} else {
		mask = ~0ull << (32 - len);
	}
	memcpy(a->addr, &(u32){ htobe32((u32)(addr & mask)) }, sizeof(u32));
	memcpy(a->mask, &(u32){ htobe32((u32)mask) }, sizeof(u32));
	return true;
}

/* One to four digits; four are by far the most common. */
static inline bool group_of(struct xt2_fast *p, u32 *value)
{
	const u8 *at = (const u8 *)p->at;
	u32 a = xt2_fast_digits[at[0]], b, c, d;

	if (a && (b = xt2_fast_digits[at[1]]) && (c = xt2_fast_digits[at[2]]) &&
	    (d = xt2_fast_digits[at[3]])) {
		*value = (a - 1) << 12 | (b - 1) << 8 | (c - 1) << 4 | (d - 1);
		p->at += 4;
		return true;
	}
	return xt2_fast_hex(p, 3, value);
}

/* 2001:db8::1; the groups after a gap are the last ones */
bool xt2_fast_groups(struct xt2_fast *p, u64 *addr)
{
	u16 group[8], all[8] = { 0 };
	u32 n = 0, behind, v;
	int gap = -1;

	if (p->at[0] == ':') {
		if (p->at[1] != ':')
			return false;
		p->at += 2;
		gap = 0;
	}
	while (n < 8 && group_of(p, &v)) {
		group[n++] = __builtin_bswap16((u16)v);
		if (*p->at != ':')
			break;
		p->at++;
		if (xt2_fast_digits[(u8)*p->at])
			continue;
		if (*p->at != ':' || gap >= 0)
			return false;
		p->at++;
		gap = (int)n;
	}
	if ((gap < 0) != (n == 8))
		return false;
	if (gap < 0) {
		memcpy(addr, group, sizeof(group));
		return true;
	}
	behind = n - (u32)gap;
	memcpy(all, group, (u32)gap * sizeof(*all));
	memcpy(all + 8 - behind, group + gap, behind * sizeof(*all));
	memcpy(addr, all, sizeof(all));
	return true;
}

/* The first bits of 64; raw. */
static u64 ones(u32 bits)
{
	return bits ? __builtin_bswap64(~0ull << (64 - bits)) : 0;
}

bool xt2_fast_address6(struct xt2_fast *p, struct xt2_address *a)
{
	u32 len = 128;
	u64 addr[2], mask[2];

	if (!xt2_fast_groups(p, addr))
		return false;
	if (xt2_fast_take(p, '/') && !prefix(p, 128, &len)) {
		if (!xt2_fast_groups(p, mask))
			return false;
	} else {
		mask[0] = ones(len < 64 ? len : 64);
		mask[1] = ones(len < 64 ? 0 : len - 64);
	}
	addr[0] &= mask[0];
	addr[1] &= mask[1];
	memcpy(a->addr, addr, sizeof(addr));
	memcpy(a->mask, mask, sizeof(mask));
	return true;
}
