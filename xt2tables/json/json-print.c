/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-print.c - the JSON that is written: strings and numbers
 *
 * The output is ASCII.  Two kinds of strings: for messages, in which a byte
 * that is no UTF-8 shows as some character, and for rulesets, in which every
 * byte comes back: such a byte is U+F700 plus its value, from the private use
 * area, and so is each byte of a character that this would be taken for.
 */
#include <xt2/xt2.h>
#include "libxt2/printable.h"
#include "json-fields.h"
#include "xt2tables/cmd/cmd.h"

#define BYTE_FIRST 0xf780 /* the byte 0x80 */
#define BYTE_LAST  0xf7ff

#define NUMBER_MAX ((1ull << 53) - 1) /* the largest that every reader of JSON gets right */

static void put_point(FILE *to, unsigned int point)
{
	if (point > 0xffff)
		fprintf(to, "\\u%04x\\u%04x", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
	else if (point == '"' || point == '\\')
		fprintf(to, "\\%c", (int)point);
	else if (point < 0x20 || point > 0x7e)
		fprintf(to, "\\u%04x", point);
	else
		fputc((int)point, to);
}

/* @byte: what to add to a byte that is no UTF-8 */
static void put_string(FILE *to, const char *s, unsigned int byte)
{
	unsigned int point;
	int n;

	fputc('"', to);
	for (; *s; s++) {
		n = xt2_utf8(s, &point);
		if (n && !(byte && point >= BYTE_FIRST && point <= BYTE_LAST)) {
			put_point(to, point);
			s += n - 1;
		} else {
			point = (unsigned char)*s;
			put_point(to, point < 0x80 ? point : byte + point);
		}
	}
	fputc('"', to);
}

void xt2_json_string(FILE *to, const char *before, const char *s)
{
	fputs(before, to);
	put_string(to, s, 0);
}

void xt2_json_bytes(FILE *to, const char *s)
{
	put_string(to, s, BYTE_FIRST - 0x80);
}

/* The two lead bytes of these characters in UTF-8 are followed by one with 6 bits of the byte. */
size_t xt2_json_bytes_back(char *s, size_t size)
{
	unsigned char *from = (unsigned char *)s, *end = from + size, *to = from;

	while (from < end) {
		if (end - from >= 3 && from[0] == 0xef && (from[1] & 0xfe) == 0x9e) {
			*to++ = 0x80 | (from[1] & 1) << 6 | (from[2] & 0x3f);
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return (size_t)((char *)to - s);
}

void xt2_json_number(FILE *to, const char *name, __u64 v)
{
	const char *quote = v > NUMBER_MAX ? "\"" : "";

	fprintf(to, "\"%s\":%s%llu%s", name, quote, (unsigned long long)v, quote);
}

static void member(FILE *to, const char *before, const char *value)
{
	if (*value)
		xt2_json_string(to, before, value);
}

void xt2_json_error(FILE *to, const struct xt2_err *err)
{
	xt2_json_string(to, "{\"code\":", xt2_code_name(err->code));
	member(to, ",\"file\":", err->file);
	if (err->line)
		fprintf(to, ",\"line\":%u", err->line);
	if (err->column)
		fprintf(to, ",\"column\":%u", err->column);
	member(to, ",\"message\":", err->message);
	member(to, ",\"rule\":", err->rule);
	member(to, ",\"hint\":", err->hint);
	fputc('}', to);
}
