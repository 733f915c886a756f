/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain-parts.c - words of random rules, for plain-rules.c */
#include "plain-parts.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xt2/xt2.h>

static u64 state;

void plain_begin(u64 seed)
{
	state = seed * 0x9e3779b97f4a7c15ull + 1;
}

u32 plain_roll(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)(state >> 11) % n;
}

/* --- text ---------------------------------------------------------------------- */

struct plain_file plain_file;

void plain_add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plain_file.len += (size_t)vsnprintf(plain_file.text + plain_file.len,
					    sizeof(plain_file.text) - plain_file.len, format, args);
	va_end(args);
}

/* Now and then, in an odd rule. */
bool plain_oddly(void)
{
	return plain_file.odd && !plain_roll(8);
}

const char *plain_space(void)
{
	static const char *const spaces[] = { " ", "  ", "\t", " \t " };

	return plain_roll(20) ? " " : pick(spaces);
}

const char *plain_not(void)
{
	return plain_roll(6) ? "" : plain_roll(20) ? "! " : "!\t ";
}

/* Of any length, as counters have. */
void plain_counter(void)
{
	static const char *const odd[] = { "00", "007",	      "18446744073709551616",
					   "1x", "12345678:", "" };
	u32 digits = 1 + plain_roll(plain_file.odd ? 20 : 19);

	if (plain_oddly()) {
		plain_add("%s", pick(odd));
		return;
	}
	if (!plain_roll(4)) {
		plain_add("0");
		return;
	}
	plain_add("%u", 1 + plain_roll(9));
	while (--digits)
		plain_add("%u", plain_roll(10));
}

/* --- parts --------------------------------------------------------------------- */

static void addr4(void)
{
	static const char *const odd[] = {
		"10.1",	       "10/8",
		"010.0.0.1",   "0x7f.0.0.1",
		"1.2.3.256",   "1.2.3.4/33",
		"localhost",   "1.2.3.4/-1",
		"1.2.3.4/",    "/8",
		"any/0",       "::1",
		"1.2.3",       "1.2.3.4,5.6.7.8/30",
		"1.2.3.4.5",   "1.2.3.4/24/24",
		"1.2.3.4/024", "1.2.3.4/0x18",
		"1..2.3",      "loopback",
		"0",	       "1.2.3.4/255.0",
		"00.0.0.0",    "999.1.1.1",
		".1.2.3",      "1.2.3.",
		"1234.1.1.1",  "1.2.3.0004",
		"1.2.3.4x",    "1.2.3:4",
		"1.2.3.4/32x", "1.2.3.4/00",
	};

	if (plain_oddly()) {
		plain_add("%s", pick(odd));
		return;
	}
	plain_add("%u.%u.%u.%u", plain_roll(256), plain_roll(256),
		  plain_roll(4) ? plain_roll(256) : 0, plain_roll(256));
	switch (plain_roll(8)) {
	case 0:
		plain_add("/%u.%u.%u.%u", plain_roll(2) * 255, plain_roll(256), plain_roll(256),
			  plain_roll(2) * 255);
		break;
	case 1: plain_add("/255.255.%u.0", 256 - (1u << plain_roll(9))); break;
	case 2: break;
	default: plain_add("/%u", plain_roll(33));
	}
}

static void addr6(void)
{
	static const char *const odd[] = {
		"::ffff:1.2.3.4",
		"1::2::3",
		"12345::",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"::/129",
		"ip6-localhost",
		":1",
		"1:",
		"1:2:3:4:5:6:7:8::",
		"::1,::2",
		"g::",
		"::/64/",
		"fe80::1%eth0",
		"1.2.3.4",
		"any/0",
		"::1/-1",
		"::1/0x40",
		":::",
		"1:2:3:4:5:6:7:8:",
	};
	static const char *const masks[] = { "ffff::", "ffff:ffff::ff", "::", "::1", "ff00::/8" };
	char text[INET6_ADDRSTRLEN];
	u16 group[8];
	u32 i, zero = plain_roll(4) ? plain_roll(9) : 9;

	if (plain_oddly()) {
		plain_add("%s", pick(odd));
		return;
	}
	for (i = 0; i < 8; i++)
		group[i] = (u16)(i >= zero || !plain_roll(4)
					 ? 0
					 : plain_roll(65536) >> 4 * plain_roll(4));
	if (plain_roll(8))
		plain_add("%s", inet_ntop(AF_INET6, group, text, sizeof(text)));
	else
		for (i = 0; i < 8; i++)
			plain_add(i & 1 ? ":%04x" : i ? ":%X" : "%x", group[i]);
	if (!plain_roll(8))
		plain_add("/%s", masks[plain_roll(plain_file.odd ? 5 : 4)]);
	else if (plain_roll(4))
		plain_add("/%u", plain_roll(129));
}

void plain_address(void)
{
	if (plain_file.family == XT2_IPV4)
		addr4();
	else
		addr6();
}

void plain_iface(void)
{
	static const char *const names[] = {
		"eth0", "lo",	    "br-lan", "wlan0.12", "abcdefghijklmno", "eth+",
		"+",	"tun12345", "a",      "abcdefg",  "abcdefgh+"
	};
	static const char *const odd[] = { "a/b",   "abcdefghijklmnop", "\"eth0\"", "!", "-x", "",
					   "eth0+1" };

	plain_add("%s", plain_oddly() ? pick(odd) : pick(names));
}

void plain_number(u32 max)
{
	static const char *const odd[] = { "-1",  "08", "0x1f", "65536", "99999999999999999999",
					   "1e3", "",	"ssh",	"http",	 "256",
					   "1 2" };

	if (plain_oddly())
		plain_add("%s", pick(odd));
	else
		plain_add("%u", plain_roll(3) ? plain_roll(max + 1) : plain_roll(2) * max);
}

static void port(void)
{
	plain_number(65535);
}

/* => true: the range is not empty */
void plain_ports(void)
{
	static const char *const odd[] = { ":", "5:3", "1:2:3", "1,2", "domain", "ssh:http", "5:5" };
	u32 first = plain_roll(65536);

	if (plain_oddly()) {
		plain_add("%s", pick(odd));
		return;
	}
	switch (plain_roll(5)) {
	case 0: plain_add("%u:%u", first, first + plain_roll(65536 - first)); break;
	case 1: plain_add(":%u", first); break;
	case 2: plain_add("%u:", first); break;
	default: port();
	}
}

void plain_list(const char *const *words, u32 n, u32 max)
{
	u32 i, count = 1 + plain_roll(max);

	for (i = 0; i < count; i++)
		plain_add("%s%s", i ? "," : "", words[plain_roll(n)]);
	if (plain_oddly())
		plain_add("%s", plain_roll(2) ? "," : ",,");
}
