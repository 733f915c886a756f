/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump-rows.c - rows of xt2 dump, as text or as JSON */
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

void xt2_row_number(const struct xt2_rows *rows, const char *name, unsigned long long v)
{
	printf(rows->json ? ",\"%s\":%llu" : ", %s %llu", name, v);
}

void xt2_row_signed(const struct xt2_rows *rows, const char *name, int v)
{
	printf(rows->json ? ",\"%s\":%d" : ", %s %d", name, v);
}

void xt2_row_tenths(const struct xt2_rows *rows, const char *name, double v)
{
	printf(rows->json ? ",\"%s\":%.1f" : ", %s %.1f", name, v);
}

void xt2_row_word(const struct xt2_rows *rows, const char *name, const char *v)
{
	if (rows->json) {
		printf(",\"%s\":", name);
		xt2_json_string(stdout, v);
	} else {
		printf(", %s ", name);
		xt2_print_shown(stdout, v);
	}
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
