/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printable.c - text from outside, as a terminal may have it
 *
 * Everything that prints for people comes through here.  The locale is not
 * asked: a program that shows rules has to show those of other people, and
 * what it shows goes into files and pipes as well.  What is no UTF-8 is shown
 * byte by byte, so that the bytes can be told; a terminal of another character
 * set sees controls in it (0x80 to 0x9f) as little as one of UTF-8 does.
 */
#include "config.h"
#include "printable.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define LINE 16384 /* room for a line that iptables-restore takes */

int xt2_utf8(const char *s, unsigned int *point)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int least;
	} forms[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	const unsigned char *b = (const unsigned char *)s;
	unsigned int p;
	int n, i;

	for (n = 0; n < 3; n++)
		if ((b[0] & forms[n].mask) == forms[n].lead)
			break;
	if (n == 3)
		return 0;
	p = b[0] & ~forms[n].mask & 0xff;
	for (i = 1; i <= n + 1; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		p = p << 6 | (b[i] & 0x3f);
	}
	if (p < forms[n].least || p > 0x10ffff || (p >= 0xd800 && p < 0xe000))
		return 0;
	*point = p;
	return n + 2;
}

/*
 * Controls, what turns the direction of a text, ends a line, or cannot be seen
 * at all (Unicode's categories Cc, Zl, Zp, and of Cf all but those that join
 * letters), and what is no character.
 */
static bool obeyed(unsigned int point)
{
	static const struct {
		unsigned int first, last;
	} ranges[] = {
		{ 0x80, 0x9f },	      { 0xad, 0xad },	  { 0x61c, 0x61c },   { 0x180e, 0x180e },
		{ 0x200b, 0x200b },   { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfdd0, 0xfdef },   { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return (point & 0xfffe) == 0xfffe;
}

static void byte_shown(unsigned char c, char *shown)
{
	switch (c) {
	case '\n': strcpy(shown, "\\n"); break;
	case '\r': strcpy(shown, "\\r"); break;
	default: sprintf(shown, "\\x%02x", c);
	}
}

size_t xt2_shown_(const char *s, char shown[XT2_SHOWN_MAX_])
{
	unsigned int point = 0;
	int n = xt2_utf8(s, &point), i;
	bool plain = n ? !obeyed(point) : (*s >= ' ' && *s <= '~') || *s == '\t';

	if (!n)
		n = 1;
	if (plain) {
		memcpy(shown, s, (size_t)n);
		shown[n] = '\0';
		return (size_t)n;
	}
	for (i = 0, *shown = '\0'; i < n; i++)
		byte_shown((unsigned char)s[i], shown + strlen(shown));
	return (size_t)n;
}

size_t xt2_show(const char *s, char *buf, size_t size)
{
	char shown[XT2_SHOWN_MAX_];
	size_t len = 0, n;

	while (*s) {
		s += xt2_shown_(s, shown);
		n = strlen(shown);
		if (len + n >= size)
			break;
		memcpy(buf + len, shown, n);
		len += n;
	}
	buf[len] = '\0';
	return len;
}

/* => bytes at the start of a text that need no second look */
static size_t plain_bytes(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~')
		n++;
	return n;
}

void xt2_print_shown(FILE *to, const char *s)
{
	char shown[XT2_SHOWN_MAX_];
	size_t n;

	while (*s) {
		n = plain_bytes(s);
		fwrite(s, 1, n, to);
		s += n;
		if (!*s)
			break;
		s += xt2_shown_(s, shown);
		fputs(shown, to);
	}
}

void xt2_print_line(FILE *to, const char *format, ...)
{
	char text[LINE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xt2_print_shown(to, text);
	fputc('\n', to);
}
