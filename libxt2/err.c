/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.c - what went wrong, for people
 *
 * The caller owns the record; the library fills it in and never prints on its
 * own.  Texts come from files that may be hostile, so they are printed as
 * printable.h has it.  Columns count bytes; the caret line counts what is
 * shown of them, so that it stays aligned.
 */
#include "config.h"
#include "err.h"
#include "printable.h"

#include <errno.h>
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

int xt2_err_set(struct xt2_err *err, int code, int errnum, const char *fmt, ...)
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

int xt2_err_no_memory(struct xt2_err *err, const char *purpose)
{
	return xt2_err_set(err, XT2_E_SYSTEM, ENOMEM, "no memory%s", purpose);
}

int xt2_err_path(struct xt2_err *err, int errnum, const char *path)
{
	return xt2_err_set(err, XT2_E_SYSTEM, errnum, "%s: %s", path, strerror(errnum));
}

int xt2_file_error(struct xt2_err *err, int errnum, const char *verb, const char *path)
{
	xt2_err_set(err, XT2_E_SYSTEM, errnum, "cannot %s: %s", verb, strerror(errnum));
	xt2_err_file(err, path);
	return -errnum;
}

void xt2_err_file(struct xt2_err *err, const char *file)
{
	if (err)
		snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
}

void xt2_err_hint(struct xt2_err *err, const char *hint)
{
	if (err)
		snprintf(err->hint, sizeof(err->hint), "%s", hint);
}

/* The places that a text takes, up to some byte of it, as blanks or carets. */
static void print_below(const char *from, const char *end, char c, FILE *to)
{
	char shown[XT2_SHOWN_MAX_];
	size_t n, i;

	while (from < end) {
		n = xt2_shown_(from, shown);
		if (*from == '\t') {
			fputc('\t', to);
		} else {
			for (i = shown[0] == *from ? 1 : strlen(shown); i; i--)
				fputc(c, to);
		}
		from += n;
	}
}

/* Below the word that starts at column (from 1). */
static void print_caret(const char *rule, unsigned int column, FILE *to)
{
	size_t len = strlen(rule);
	const char *word;

	if (column > len + 1)
		column = (unsigned int)len + 1;
	word = rule + column - 1;
	fputs("     | ", to);
	print_below(rule, word, ' ', to);
	if (*word && *word != ' ' && *word != '\t')
		print_below(word, word + strcspn(word, " \t"), '^', to);
	else
		fputc('^', to);
	fputc('\n', to);
}

static void print_rule(const struct xt2_err *err, FILE *to)
{
	if (err->line)
		fprintf(to, "%4u | ", err->line);
	else
		fputs("     | ", to);
	xt2_print_shown(to, err->rule);
	fputc('\n', to);
	if (err->column)
		print_caret(err->rule, err->column, to);
}

void xt2_err_print(const struct xt2_err *err, FILE *to)
{
	if (err->file[0]) {
		xt2_print_shown(to, err->file);
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
	xt2_print_shown(to, err->message[0] ? err->message : strerror(err->errnum));
	fputc('\n', to);
	if (err->rule[0])
		print_rule(err, to);
	if (err->hint[0]) {
		fputs("   hint: ", to);
		xt2_print_shown(to, err->hint);
		fputc('\n', to);
	}
}
