/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err-print.c - print what went wrong, with a caret below the word
 *
 * Texts come from files that may be hostile, so they are printed as
 * printable.h has it.  Columns count bytes; the caret line counts what is
 * shown of them, so that it stays aligned.
 */
#include "config.h"
#include "err.h"
#include "printable.h"

#include <string.h>

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
