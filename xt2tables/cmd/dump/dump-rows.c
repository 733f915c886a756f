/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump-rows.c - rows of xt2 dump, as text or as JSON */
#include <stdarg.h>
#include "dump.h"

void xt2_row(struct xt2_rows *rows, const void *at, unsigned int indent, const char *what,
	     __u64 size)
{
	unsigned long long off = (unsigned long long)((const __u8 *)at - (const __u8 *)rows->base);

	if (rows->json)
		printf("%s{\"offset\":%llu,\"what\":\"%s\",\"size\":%llu", rows->some ? ",\n" : "",
		       off, what, (unsigned long long)size);
	else
		printf("%8llx  %*s%s: %llu bytes", off, indent, "", what, (unsigned long long)size);
	rows->some = true;
}

static void word(const struct xt2_rows *rows, const char *v)
{
	if (rows->json)
		xt2_json_string(stdout, "", v);
	else
		xt2_print_shown(stdout, v);
}

void xt2_row_add(const struct xt2_rows *rows, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	for (; *format; format += strspn(format, " ")) {
		n = (int)strcspn(format, " ");
		printf(rows->json ? ",\"%.*s\":" : ", %.*s ", n, format);
		format += n + 2; /* after " %" */
		switch (*format) {
		case 's': word(rows, va_arg(args, const char *)); break;
		case 'u': printf("%u", va_arg(args, unsigned int)); break;
		case 'd': printf("%d", va_arg(args, int)); break;
		case 'l': printf("%llu", va_arg(args, unsigned long long)); break;
		default: printf("%.1f", va_arg(args, double));
		}
		format += strcspn(format, " ");
	}
	va_end(args);
}

void xt2_row_bytes(const struct xt2_rows *rows, const void *bytes, size_t n)
{
	const __u8 *b = bytes;
	size_t i;

	if (!n)
		return;
	fputs(rows->json ? ",\"bytes\":\"" : ",", stdout);
	for (i = 0; i < n; i++)
		printf("%s%02x", rows->json || i % 8 ? "" : " ", b[i]);
	if (rows->json)
		putchar('"');
}

void xt2_row_end(const struct xt2_rows *rows)
{
	fputs(rows->json ? "}" : "\n", stdout);
}
