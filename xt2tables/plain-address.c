/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain-address.c - addresses of plain lines
 *
 * What inet_pton() takes is taken here, but for IPv4 at the end of IPv6, and
 * nothing else is: no names, no octal numbers, no lists.
 */
#include "config.h"
#include "plain-line.h"

/* clang-format off */
const u8 xt2_plain_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5,
	['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};
/* clang-format on */

/* 0 to 255, without leading zeros.  => behind it, or NULL */
static inline const char *byte(const char *at, u32 *value)
{
	u32 v = (u8)(at[0] - '0'), digit = (u8)(at[1] - '0');

	if (v > 9)
		return NULL;
	*value = v;
	if (digit > 9)
		return at + 1;
	*value = v * 10 + digit;
	if (!v)
		return NULL;
	digit = (u8)(at[2] - '0');
	if (digit > 9)
		return at + 2;
	*value = *value * 10 + digit;
	return *value < 256 ? at + 3 : NULL;
}

/* 192.0.2.1 */
bool xt2_plain_quad(struct xt2_plain *p, u64 *addr)
{
	const char *at = p->at;
	u32 v = 0, one;
	int i;

	for (i = 0; i < 4; i++) {
		if (i && *at++ != '.')
			return false;
		at = byte(at, &one);
		if (!at)
			return false;
		v = v << 8 | one;
	}
	p->at = at;
	*addr = v;
	return true;
}

/* 24, at the end of a word; nothing is taken otherwise */
static bool prefix(struct xt2_plain *p, u64 max, u64 *len)
{
	const char *at = p->at;

	if (xt2_plain_number(p, max, len) && xt2_plain_ends(*p->at))
		return true;
	p->at = at;
	return false;
}

bool xt2_plain_address4(struct xt2_plain *p, struct xt2_plain_address *a)
{
	u64 len = 32;

	if (!xt2_plain_quad(p, a->addr))
		return false;
	if (xt2_plain_take(p, '/') && !prefix(p, 32, &len)) {
		if (!xt2_plain_quad(p, a->mask))
			return false;
	} else {
		a->mask[0] = (u32)(~0ull << (32 - len));
	}
	a->addr[0] &= a->mask[0];
	return true;
}

/* One to four digits; four are by far the most common. */
static inline bool group_of(struct xt2_plain *p, u32 *value)
{
	const u8 *at = (const u8 *)p->at;
	u32 a = xt2_plain_digits[at[0]], b, c, d;

	if (a && (b = xt2_plain_digits[at[1]]) && (c = xt2_plain_digits[at[2]]) &&
	    (d = xt2_plain_digits[at[3]])) {
		*value = (a - 1) << 12 | (b - 1) << 8 | (c - 1) << 4 | (d - 1);
		p->at += 4;
		return true;
	}
	return xt2_plain_hex(p, 3, value);
}

/* 2001:db8::1; what is behind a gap stands at the end */
bool xt2_plain_groups(struct xt2_plain *p, u64 *addr)
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
		if (xt2_plain_digits[(u8)*p->at])
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
static u64 ones(u64 bits)
{
	return bits ? __builtin_bswap64(~0ull << (64 - bits)) : 0;
}

bool xt2_plain_address6(struct xt2_plain *p, struct xt2_plain_address *a)
{
	u64 len = 128;

	if (!xt2_plain_groups(p, a->addr))
		return false;
	if (xt2_plain_take(p, '/') && !prefix(p, 128, &len)) {
		if (!xt2_plain_groups(p, a->mask))
			return false;
	} else {
		a->mask[0] = ones(len < 64 ? len : 64);
		a->mask[1] = ones(len < 64 ? 0 : len - 64);
	}
	a->addr[0] &= a->mask[0];
	a->addr[1] &= a->mask[1];
	return true;
}
