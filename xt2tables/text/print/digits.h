/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digits.h - words written into a buffer, as fast as saving many rules asks
 *
 * Each function writes at p and returns where the next word starts; the caller
 * has made room, XT2_PUT_ROOM bytes more than the longest text: whole words
 * are stored, and what is too much is written over by what comes next.  Numbers
 * have no branches that depend on how many digits they have.
 */
#ifndef XT2_XT2TABLES_TEXT_PRINT_DIGITS_H
#define XT2_XT2TABLES_TEXT_PRINT_DIGITS_H

#include <endian.h>
#include <string.h>
#include "engine/env.h"

#define XT2_PUT_ROOM  8 /* bytes after the text that may be overwritten */
#define XT2_PUT_ADDR6 45 /* bytes of the longest IPv6 address */

/* A string literal. */
#define xt2_put(p, text) ((char *)memcpy(p, text, sizeof(text) - 1) + sizeof(text) - 1)

static inline char *xt2_put_bytes(char *p, const void *bytes, size_t n)
{
	return (char *)memcpy(p, bytes, n) + n;
}

/* The eight decimal digits of a number below 10^8, the first in the lowest byte. */
static inline u64 xt2_put_digits_(u32 n)
{
	u64 fours = n / 10000 | (u64)(n % 10000) << 32;
	u64 hundreds = fours * 10486 >> 20 & 0x7f0000007full;
	u64 twos = hundreds | (fours - hundreds * 100) << 16;
	u64 tens = twos * 103 >> 10 & 0xf000f000f000full;

	return tens | (twos - tens * 10) << 8;
}

/* All eight digits of a number below 10^8. */
static inline char *xt2_put_eight(char *p, u32 n)
{
	u64 text = htole64(xt2_put_digits_(n) | 0x3030303030303030ull);

	memcpy(p, &text, sizeof(text));
	return p + 8;
}

/* A number below 10^8. */
static inline char *xt2_put_small(char *p, u32 n)
{
	u64 digits = xt2_put_digits_(n);
	u32 zeros = (u32)__builtin_ctzll(digits | 1ull << 56) / 8; /* bytes of leading ones */
	u64 text = htole64((digits | 0x3030303030303030ull) >> 8 * zeros);

	memcpy(p, &text, sizeof(text));
	return p + 8 - zeros;
}

/* "%llu" */
static inline char *xt2_put_number(char *p, u64 n)
{
	const u32 limit = 100000000;

	if (likely(n < limit))
		return xt2_put_small(p, (u32)n);
	if (n / limit < limit)
		p = xt2_put_small(p, (u32)(n / limit));
	else
		p = xt2_put_eight(xt2_put_small(p, (u32)(n / limit / limit)),
				  (u32)(n / limit % limit));
	return xt2_put_eight(p, (u32)(n % limit));
}

/* The four hexadecimal digits of a number, the first in the lowest byte. */
static inline u32 xt2_put_hex_digits_(u16 n)
{
	u32 bytes = n >> 8 | (u32)(n & 0xff) << 16;
	u32 digits = (bytes >> 4 & 0xf000f) | (bytes & 0xf000f) << 8;
	u32 letters = (digits + 0x06060606) >> 4 & 0x01010101; /* 1 for a to f */

	return digits + 0x30303030 + letters * ('a' - '0' - 10);
}

static inline char *xt2_put_hex4_(char *p, u16 n)
{
	u32 text = htole32(xt2_put_hex_digits_(n));

	memcpy(p, &text, sizeof(text));
	return p + 4;
}

/* "%x" of 16 bits */
static inline char *xt2_put_hex16(char *p, u16 n)
{
	u32 zeros = ((u32)__builtin_clz(n | 1u) - 16) / 4;
	u32 text = htole32(xt2_put_hex_digits_(n) >> 8 * zeros);

	memcpy(p, &text, sizeof(text));
	return p + 4 - zeros;
}

/* "%x" of 32 bits */
static inline char *xt2_put_hex(char *p, u32 n)
{
	if (n <= 0xffff)
		return xt2_put_hex16(p, (u16)n);
	return xt2_put_hex4_(xt2_put_hex16(p, (u16)(n >> 16)), (u16)n);
}

/* Texts of the numbers of one byte, with a dot after each. */
extern const char xt2_put_octets_[256][4];

static inline char *xt2_put_octet_(char *p, u8 n)
{
	memcpy(p, xt2_put_octets_[n], 4);
	return p + 2 + (n > 9) + (n > 99);
}

/* An IPv4 address, in host order. */
static inline char *xt2_put_addr4(char *p, u32 addr)
{
	p = xt2_put_octet_(p, (u8)(addr >> 24));
	p = xt2_put_octet_(p, (u8)(addr >> 16));
	p = xt2_put_octet_(p, (u8)(addr >> 8));
	return xt2_put_octet_(p, (u8)addr) - 1;
}

/* A number of one byte. */
static inline char *xt2_put_byte(char *p, u8 n)
{
	return xt2_put_octet_(p, n) - 1;
}

/* An IPv6 address of 16 raw bytes, as inet_ntop() writes it. */
char *xt2_put_addr6(char *p, const void *addr);

#endif
