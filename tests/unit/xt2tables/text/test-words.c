/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-words.c - xt2tables/text/words.c: how many words a line may have, and how long they may be */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/text/line.h"
#include "xt2tables/text/text.h"

/* => what is said against a line of a file; the caller frees it */
static char *said(const char *line)
{
	struct xt2_text_options opt = { .family = XT2_IPV4 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors = { 0 };
	char path[] = "/tmp/test-words.XXXXXX", *message;
	FILE *f = fdopen(mkstemp(path), "w");

	assert_non_null(f);
	fprintf(f, "*filter\n%s\nCOMMIT\n", line);
	assert_int_equal(fclose(f), 0);
	xt2_text_load(path, rs, &opt, &errors);
	unlink(path);
	message = strdup(errors.count ? errors.list[0].message : "");
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
	return message;
}

static void says(const char *line, const char *part, bool whether)
{
	char *message = said(line);

	if (!strstr(message, part) == whether)
		fail_msg("%.60s...: %s", line, message);
	free(message);
}

static void good(const char *line)
{
	char *message = said(line);

	assert_string_equal(message, "");
	free(message);
}

/* The program's name is the first of 252. */
static void words_are_counted(void **state)
{
	char line[2 * XT2_WORDS_MAX + 16] = "-A INPUT";
	int n;

	for (n = 2; n < XT2_WORDS_MAX - 1; n++)
		strcat(line, " x");
	says(line, "Parser cannot handle more arguments", false);
	strcat(line, " x");
	says(line, "Parser cannot handle more arguments", true);
}

static void words_are_measured(void **state)
{
	char line[XT2_WORD_MAX + 32] = "-A ";
	size_t n = strlen(line);

	memset(line + n, 'x', XT2_WORD_MAX);
	says(line, "Parameter too long", false);
	line[n + XT2_WORD_MAX] = 'x';
	says(line, "Parameter too long", true);
}

static void quotes_make_words(void **state)
{
	good("-A INPUT -m comment --comment \"a b\"");
	good("-A INPUT -m comment --comment \"a \\\" b\" -j ACCEPT");
	good("-A INPUT -j \"ACCEPT\"-p tcp"); /* a closing quote ends the word */
	says("-A INPUT -m comment --comment \"a b", "a quote is not closed", true);
	says("-A INPUT -m comment --comment \"a b\\\"", "a quote is not closed", true);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(words_are_counted),
	cmocka_unit_test(words_are_measured),
	cmocka_unit_test(quotes_make_words),
};

UNITS(tests)
