/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-counter-units.c - xt2tables/text/print/counter-units.c: the edges of each unit */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/text/print/listing.h"

static void is(__u64 number, int width, bool exact, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	xt2_listing_number(to, number, width, exact);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static void edges(void **state)
{
	is(0, 5, false, "    0 ");
	is(99999, 5, false, "99999 ");
	is(100000, 5, false, " 100K ");
	is(9999499, 5, false, "9999K ");
	is(9999500, 5, false, "  10M ");
	is(9999499499, 5, false, "9999M ");
	is(9999499500, 5, false, "  10G ");
	is(9999499499499, 5, false, "9999G ");
	is(9999499499500, 5, false, "  10T ");
	is(~(__u64)0, 5, false, "18446744T ");
}

static void forms(void **state)
{
	is(100000, 0, false, "100K ");
	is(7, 0, false, "7 ");
	is(100000, 8, true, "  100000 ");
	is(~(__u64)0, 8, true, "18446744073709551615 ");
	is(100000, 0, true, "100000 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(edges),
	cmocka_unit_test(forms),
};

UNITS(tests)
