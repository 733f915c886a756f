/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.c - what went wrong, for people
 *
 * The caller owns the record; the library fills it in and never prints on its
 * own.  A rule's text comes from files that may be hostile, so control
 * characters never reach the terminal.  Columns count bytes; the caret line
 * leaves out the continuation bytes of UTF-8, so that it stays aligned.
 */
#include "config.h"
#include "err.h"

#include <stdarg.h>
#include <string.h>

static const char *const code_names[] = {
	[XT2_OK] = "OK",
	[XT2_E_SYNTAX] = "E_SYNTAX",
	[XT2_E_OPTION] = "E_OPTION",
	[XT2_E_UNKNOWN] = "E_UNKNOWN",
	[XT2_E_TABLE] = "E_TABLE",
	[XT2_E_LOOP] = "E_LOOP",
	[XT2_E_IMAGE] = "E_IMAGE",
	[XT2_E_CAPTURE] = "E_CAPTURE",
	[XT2_E_UNSUPPORTED] = "E_UNSUPPORTED",
	[XT2_E_LIMIT] = "E_LIMIT",
	[XT2_E_SYSTEM] = "E_SYSTEM",
	[XT2_E_BLOB] = "E_BLOB",
};

const char *xt2_code_name(int code)
{
	const int n = sizeof(code_names) / sizeof(code_names[0]);

	return code >= 0 && code < n ? code_names[code] : "E_UNNAMED";
}

int xt2_err_set_(struct xt2_err *err, int code, int errnum, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -errnum;
	memset(err, 0, sizeof(*err));
	err->code = code;
	err->errnum = errnum;
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return -errnum;
}

void xt2_err_file_(struct xt2_err *err, const char *file)
{
	if (err)
		snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
}

void xt2_err_hint_(struct xt2_err *err, const char *hint)
{
	if (err)
		snprintf(err->hint, sizeof(err->hint), "%s", hint);
}

static int is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

static int is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Text as it is, but without what a terminal would obey. */
static void print_plain(const char *text, FILE *to)
{
	for (; *text; text++)
		fputc(is_control((unsigned char)*text) ? '?' : *text, to);
}

/* Below the word that starts at column (from 1). */
static void print_caret(const char *rule, unsigned int column, FILE *to)
{
	size_t len = strlen(rule);
	size_t i;

	if (column > len + 1)
		column = (unsigned int)len + 1;
	fputs("     | ", to);
	for (i = 0; i < column - 1; i++) {
		if (!is_continuation((unsigned char)rule[i]))
			fputc(rule[i] == '\t' ? '\t' : ' ', to);
	}
	fputc('^', to);
	for (i = column; i < len && rule[i] != ' ' && rule[i] != '\t'; i++) {
		if (!is_continuation((unsigned char)rule[i]))
			fputc('^', to);
	}
	fputc('\n', to);
}

static void print_rule(const struct xt2_err *err, FILE *to)
{
	if (err->line)
		fprintf(to, "%4u | ", err->line);
	else
		fputs("     | ", to);
	print_plain(err->rule, to);
	fputc('\n', to);
	if (err->column)
		print_caret(err->rule, err->column, to);
}

void xt2_err_print(const struct xt2_err *err, FILE *to)
{
	if (err->file[0]) {
		print_plain(err->file, to);
		fputc(':', to);
	}
	if (err->line) {
		fprintf(to, "%u:", err->line);
		if (err->column)
			fprintf(to, "%u:", err->column);
	}
	if (err->file[0] || err->line)
		fputc(' ', to);
	fprintf(to, "error[%s]: ", xt2_code_name(err->code));
	print_plain(err->message[0] ? err->message : strerror(err->errnum), to);
	fputc('\n', to);
	if (err->rule[0])
		print_rule(err, to);
	if (err->hint[0]) {
		fputs("   hint: ", to);
		print_plain(err->hint, to);
		fputc('\n', to);
	}
}
