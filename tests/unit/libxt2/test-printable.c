/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-printable.c - libxt2/printable.c: what is shown of bytes from outside */
#include <stdlib.h>
#include <string.h>
#include "libxt2/printable.h"
#include "tests/lib/unit-program.h"

static void shows(const char *text, const char *want)
{
	char buf[256], *printed = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&printed, &size);

	assert_non_null(f);
	assert_int_equal(xt2_show(text, buf, sizeof(buf)), strlen(want));
	assert_string_equal(buf, want);
	xt2_print_shown(f, text);
	xt2_print_line(f, "%s", text);
	fclose(f);
	assert_int_equal(size, 2 * strlen(want) + 1);
	assert_memory_equal(printed, want, strlen(want));
	assert_memory_equal(printed + strlen(want), want, strlen(want));
	assert_int_equal(printed[size - 1], '\n');
	free(printed);
}

static void text_is_shown_or_its_bytes(void **state)
{
	char small[8];

	shows("", "");
	shows(" a~\t\\x1b", " a~\t\\x1b");
	shows("Gr\xc3\xbc\xc3\x9f"
	      "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
	      "Gr\xc3\xbc\xc3\x9f"
	      "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
	shows("\xc2\x80|\xc2\x9f|\xc2\xa0", "\\xc2\\x80|\\xc2\\x9f|\xc2\xa0");
	/* turn the direction: U+202A to U+202E, U+2066 to U+2069, U+200E */
	shows("\xe2\x80\xaa\xe2\x80\xae", "\\xe2\\x80\\xaa\\xe2\\x80\\xae");
	shows("\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
	shows("\xe2\x80\x8e", "\\xe2\\x80\\x8e");
	/* end a line: U+2028, U+2029 */
	shows("\xe2\x80\xa8\xe2\x80\xa9\n\r", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9\\n\\r");
	/* too long, cut off, a surrogate, too large, no character */
	shows("\xc0\xaf\xe2\x80", "\\xc0\\xaf\\xe2\\x80");
	shows("\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
	shows("\xef\xbf\xbf\xef\xbb\xbf", "\\xef\\xbf\\xbf\\xef\\xbb\\xbf");
	assert_int_equal(xt2_show("abc\x1b"
				  "d",
				  small, sizeof(small)),
			 7);
	assert_string_equal(small, "abc\\x1b");
	assert_int_equal(xt2_show("abcd\x1b", small, sizeof(small)), 4);
	assert_string_equal(small, "abcd");
}

static void code_points_are_read(void **state)
{
	static const struct {
		const char *bytes;
		int length;
		unsigned int point;
	} rows[] = {
		{ "a", 0, 0 }, /* ASCII */
		{ "\302\200", 2, 0x80 },
		{ "\337\277", 2, 0x7ff },
		{ "\340\240\200", 3, 0x800 },
		{ "\357\277\275", 3, 0xfffd },
		{ "\360\220\200\200", 4, 0x10000 },
		{ "\364\217\277\277", 4, 0x10ffff },
		{ "\301\277", 0, 0 }, /* more bytes than it takes */
		{ "\340\237\277", 0, 0 },
		{ "\360\217\277\277", 0, 0 },
		{ "\364\220\200\200", 0, 0 }, /* above the last one */
		{ "\355\240\200", 0, 0 }, /* a surrogate */
		{ "\200", 0, 0 },
		{ "\302a", 0, 0 },
		{ "\340\240", 0, 0 },
	};
	unsigned int point, i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		point = 0;
		assert_int_equal(xt2_utf8(rows[i].bytes, &point), rows[i].length);
		if (rows[i].length)
			assert_int_equal(point, rows[i].point);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(text_is_shown_or_its_bytes),
	cmocka_unit_test(code_points_are_read),
};

UNITS(tests)
