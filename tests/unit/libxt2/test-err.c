/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-err.c - libxt2/err.c */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/err.h"
#include "tests/lib/unit-program.h"

/* What xt2_err_print() prints must be this text. */
static void prints(const struct xt2_err *err, const char *text)
{
	char *buf = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&buf, &size);

	assert_non_null(f);
	xt2_err_print(err, f);
	fclose(f);
	assert_string_equal(buf, text);
	free(buf);
}

static void whole_report(void **state)
{
	struct xt2_err err = {
		.code = XT2_E_TABLE,
		.line = 4,
		.column = 13,
		.file = "rules.v4",
		.rule = "-A INPUT -j MASQUERADE",
		.message = "target MASQUERADE is not valid in table 'filter'",
		.hint = "move the rule to '*nat' chain POSTROUTING",
	};

	prints(&err, "rules.v4:4:13: error[E_TABLE]: target MASQUERADE is not valid in table "
		     "'filter'\n"
		     "   4 | -A INPUT -j MASQUERADE\n"
		     "     |             ^^^^^^^^^^\n"
		     "   hint: move the rule to '*nat' chain POSTROUTING\n");
}

static void parts_may_be_missing(void **state)
{
	struct xt2_err err = { .code = XT2_E_IMAGE, .message = "too short" };

	prints(&err, "error[E_IMAGE]: too short\n");
	strcpy(err.file, "a.xt2");
	prints(&err, "a.xt2: error[E_IMAGE]: too short\n");
	err.line = 12345;
	strcpy(err.rule, "COMMIT");
	prints(&err, "a.xt2:12345: error[E_IMAGE]: too short\n12345 | COMMIT\n");
	err.line = 0;
	prints(&err, "a.xt2: error[E_IMAGE]: too short\n     | COMMIT\n");
	err = (struct xt2_err){ .code = XT2_E_SYSTEM, .errnum = ENOSPC };
	prints(&err, "error[E_SYSTEM]: No space left on device\n");
}

static void caret_follows_the_text(void **state)
{
	struct xt2_err err = { .code = XT2_E_SYNTAX, .line = 1, .column = 9, .message = "m" };

	strcpy(err.rule, "-A\t\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\xbc x"); /* ae oe ue ue */
	prints(&err, "1:9: error[E_SYNTAX]: m\n"
		     "   1 | -A\t\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\xbc x\n"
		     "     |   \t   ^^\n");
	strcpy(err.rule, "-A X");
	err.column = 5;
	prints(&err, "1:5: error[E_SYNTAX]: m\n   1 | -A X\n     |     ^\n");
	err.column = 4000;
	prints(&err, "1:4000: error[E_SYNTAX]: m\n   1 | -A X\n     |     ^\n");
}

static void terminals_are_not_obeyed(void **state)
{
	struct xt2_err err = { .code = XT2_E_SYNTAX, .message = "bad '\x1b[2J'" };

	strcpy(err.rule, "-A \x1b]0;x\x07 \x7f\n");
	strcpy(err.file, "\r");
	strcpy(err.hint, "\b");
	prints(&err, "\\r: error[E_SYNTAX]: bad '\\x1b[2J'\n"
		     "     | -A \\x1b]0;x\\x07 \\x7f\\n\n"
		     "   hint: \\x08\n");
}

/* 0x80 to 0x9f are controls, as bytes of their own and as characters. */
static void nor_are_eight_bit_controls(void **state)
{
	struct xt2_err err = { .code = XT2_E_SYNTAX, .line = 1, .column = 4, .message = "m" };

	strcpy(err.rule, "-A \x9b"
			 "2J\xc2\x9b"
			 "2J\xff X");
	prints(&err, "1:4: error[E_SYNTAX]: m\n"
		     "   1 | -A \\x9b2J\\xc2\\x9b2J\\xff X\n"
		     "     |    ^^^^^^^^^^^^^^^^^^^^\n");
	err.column = 13;
	prints(&err, "1:13: error[E_SYNTAX]: m\n"
		     "   1 | -A \\x9b2J\\xc2\\x9b2J\\xff X\n"
		     "     |                         ^\n");
}

static void every_code_has_a_name(void **state)
{
	int code;

	for (code = XT2_E_SYNTAX; code <= XT2_E_BLOB; code++) {
		assert_non_null(xt2_code_name(code));
		assert_int_equal(strncmp(xt2_code_name(code), "E_", 2), 0);
		assert_string_not_equal(xt2_code_name(code), xt2_code_name(code - 1));
	}
	assert_string_equal(xt2_code_name(XT2_E_OPTION), "E_OPTION");
	assert_string_equal(xt2_code_name(-1), xt2_code_name(1000));
}

static void setting_replaces_everything(void **state)
{
	char text[2000];
	struct xt2_err err;

	memset(&err, 0xff, sizeof(err));
	assert_int_equal(xt2_err_set(&err, XT2_E_LIMIT, EFBIG, "%d of %s", 7, "x"), -EFBIG);
	assert_string_equal(err.message, "7 of x");
	assert_int_equal(err.code, XT2_E_LIMIT);
	assert_int_equal(err.errnum, EFBIG);
	assert_int_equal(err.line | err.column | err.file[0] | err.rule[0] | err.hint[0], 0);
	memset(text, 'y', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	xt2_err_set(&err, XT2_E_LIMIT, EFBIG, "%s", text);
	xt2_err_file(&err, text);
	xt2_err_hint(&err, text);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	assert_int_equal(strlen(err.file), sizeof(err.file) - 1);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
	assert_int_equal(xt2_err_set(NULL, XT2_E_LIMIT, EFBIG, "x"), -EFBIG);
	xt2_err_file(NULL, "x");
	xt2_err_hint(NULL, "x");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(whole_report),
	cmocka_unit_test(parts_may_be_missing),
	cmocka_unit_test(caret_follows_the_text),
	cmocka_unit_test(terminals_are_not_obeyed),
	cmocka_unit_test(nor_are_eight_bit_controls),
	cmocka_unit_test(every_code_has_a_name),
	cmocka_unit_test(setting_replaces_everything),
};

UNITS(tests)
