/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - the little JSON that the commands write */
#include <xt2/xt2.h>
#include "xt2.h"

/* A sequence of UTF-8, in its shortest form.  => its bytes; 0: it is none */
static int utf8(const unsigned char *s, unsigned int *point)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int least;
	} forms[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	int n, i;

	for (n = 0; n < 3; n++)
		if ((s[0] & forms[n].mask) == forms[n].lead)
			break;
	if (n == 3)
		return 0;
	*point = s[0] & ~forms[n].mask & 0xff;
	for (i = 1; i <= n + 1; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	if (*point < forms[n].least || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return n + 2;
}

void xt2_json_string(FILE *to, const char *s)
{
	unsigned int point;
	int n;

	fputc('"', to);
	for (; *s; s++) {
		unsigned char c = *s;

		n = utf8((const unsigned char *)s, &point);
		if (n == 4)
			fprintf(to, "\\u%04x\\u%04x", 0xd7c0 + (point >> 10),
				0xdc00 + (point & 0x3ff));
		else if (n)
			fprintf(to, "\\u%04x", point);
		if (n) {
			s += n - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void member(FILE *to, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(to, ",\"%s\":", name);
	xt2_json_string(to, value);
}

void xt2_json_error(FILE *to, const struct xt2_err *err)
{
	fputs("{\"code\":", to);
	xt2_json_string(to, xt2_code_name(err->code));
	member(to, "file", err->file);
	if (err->line)
		fprintf(to, ",\"line\":%u", err->line);
	if (err->column)
		fprintf(to, ",\"column\":%u", err->column);
	member(to, "message", err->message);
	member(to, "rule", err->rule);
	member(to, "hint", err->hint);
	fputc('}', to);
}
