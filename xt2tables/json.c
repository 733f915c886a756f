/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - the little JSON that the commands write */
#include <xt2/xt2.h>
#include "xt2.h"

void xt2_json_string(FILE *to, const char *s)
{
	fputc('"', to);
	for (; *s; s++) {
		unsigned char c = *s;

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
