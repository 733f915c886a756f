/* SPDX-License-Identifier: GPL-2.0-or-later */
/* put.c - what is too long for put.h */
#include "config.h"
#include "put.h"

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
 * one zero more are those that have another one behind them.
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

char *xt2_put_addr6(char *p, const void *addr)
{
	u32 i, start, len, end = 8, zeros = 0;
	u16 word[8];

	memcpy(word, addr, sizeof(word));
	for (i = 0; i < 8; i++) {
		word[i] = be16toh(word[i]);
		zeros |= (u32)!word[i] << i;
	}
	len = zero_run(zeros, &start);
	if (len && ends_in_addr4(word, start, len))
		end = 6;
	if (len) {
		for (i = 0; i < start; i++) {
			p = xt2_put_hex16(p, word[i]);
			*p++ = ':';
		}
		if (!start)
			*p++ = ':';
		*p++ = ':';
		i = start + len;
	} else {
		i = 0;
	}
	for (; i < end; i++) {
		p = xt2_put_hex16(p, word[i]);
		*p++ = ':';
	}
	if (end == 6)
		return xt2_put_addr4(p, (u32)word[6] << 16 | word[7]);
	return len && start + len == 8 ? p : p - 1;
}
