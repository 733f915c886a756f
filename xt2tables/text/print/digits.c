/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digits.c - what is too long for digits.h */
#include "config.h"
#include "digits.h"

#define DIGIT(n) ('0' + (n) % 10)
#define OCTET(n)                                       \
	{                                              \
		DIGIT((n) > 99	? (n) / 100            \
		      : (n) > 9 ? (n) / 10             \
				: (n)),                \
			(n) > 99  ? DIGIT((n) / 10)    \
			: (n) > 9 ? DIGIT(n)           \
				  : '.',               \
			(n) > 99 ? DIGIT(n) : '.', '.' \
	}
#define OCTETS4(n)  OCTET(n), OCTET((n) + 1), OCTET((n) + 2), OCTET((n) + 3)
#define OCTETS16(n) OCTETS4(n), OCTETS4((n) + 4), OCTETS4((n) + 8), OCTETS4((n) + 12)
#define OCTETS64(n) OCTETS16(n), OCTETS16((n) + 16), OCTETS16((n) + 32), OCTETS16((n) + 48)

const char xt2_put_octets_[256][4] = { OCTETS64(0), OCTETS64(64), OCTETS64(128), OCTETS64(192) };

/*
 * The longest run of two zeros or more, the first of equal ones: the runs of
 * one zero more are those that have another one after them.
 * => its length, 0: none
 */
static u32 zero_run(u32 zeros, u32 *start)
{
	u32 runs = zeros, longer = zeros & zeros >> 1, len = 0;

	for (; longer; longer &= zeros >> len) {
		runs = longer;
		len = len ? len + 1 : 2;
	}
	*start = (u32)__builtin_ctz(runs | 0x100);
	return len;
}

/* IPv4 in IPv6, as glibc sees it: ::192.0.2.1 and ::ffff:192.0.2.1 */
static bool ends_in_addr4(const u16 *word, u32 start, u32 len)
{
	return !start && (len == 6 || (len == 5 && word[5] == 0xffff));
}

/* => a bit for each of four words that is zero, the first is the lowest */
static u32 zero_words(u64 words)
{
	const u64 low = 0x7fff7fff7fff7fffull;
	u64 zero = ~(((words & low) + low) | words) >> 15 & 0x0001000100010001ull;

	return zero * 0x0001000200040008ull >> 48 & 15;
}

/* Words, with a colon after each. */
static char *put_words(char *p, const u16 *word, u32 n)
{
	for (; n; n--) {
		p = xt2_put_hex16(p, be16toh(*word++));
		*p++ = ':';
	}
	return p;
}

char *xt2_put_addr6(char *p, const void *addr)
{
	u32 start, len, end = 8;
	u64 half[2];
	u16 word[8];

	memcpy(half, addr, sizeof(half));
	memcpy(word, addr, sizeof(word));
	len = zero_run(zero_words(le64toh(half[0])) | zero_words(le64toh(half[1])) << 4, &start);
	if (!len)
		return put_words(p, word, 8) - 1;
	if (ends_in_addr4(word, start, len))
		end = 6;
	p = put_words(p, word, start);
	if (!start)
		*p++ = ':';
	*p++ = ':';
	start += len;
	p = put_words(p, word + start, end - start);
	if (end == 6)
		return xt2_put_addr4(p, (u32)be16toh(word[6]) << 16 | be16toh(word[7]));
	return start == 8 ? p : p - 1;
}
