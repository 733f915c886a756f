/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-nearest.c - xt2tables/text/nearest.c: which name is suggested, and which names are listed */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/text/nearest.h"

/* What is said of a name, where these are right. */
static void says(const char *wanted, const char *const names[], const char *said)
{
	char buf[XT2_NEAREST_SIZE];
	struct xt2_nearest n;

	xt2_nearest_init(&n, wanted);
	for (; *names; names++)
		xt2_nearest_see(&n, *names);
	assert_string_equal(xt2_nearest_say(&n, buf), said);
}

#define SAYS(wanted, said, ...) says(wanted, (const char *const[]){ __VA_ARGS__ NULL }, said)

static void a_third_of_the_letters_may_be_wrong(void **state)
{
	SAYS("INPTU", ": did you mean 'INPUT'?", "INPUT", );
	SAYS("input", ": did you mean 'INPUT'?", "INPUT", );
	SAYS("abcd", ": did you mean 'abXX'?", "abXX", );
	SAYS("abcd", ": there is aXXX", "aXXX", );
	SAYS("abcd", ": did you mean 'abcdXX'?", "abcdXX", );
	SAYS("abcd", ": there is abcdXXX", "abcdXXX", );
	SAYS("abcd", ": did you mean 'ab'?", "ab", );
	SAYS("abcd", ": there is a", "a", );
	/* names that no chain can have are near to nothing */
	SAYS("a-name-of-thirty-two-characters!", ": there is a-name-of-thirty-two-characters",
	     "a-name-of-thirty-two-characters", );
}

static void the_first_of_the_nearest_is_named(void **state)
{
	SAYS("abcd", ": did you mean 'abcX'?", "abXX", "abcX", "abcY", );
	SAYS("abcd", ": did you mean 'abcd'?", "abcX", "abcd", "abXX", );
}

static void names_are_listed_if_none_is_near(void **state)
{
	char name[32], text[8 * XT2_NEAREST_SIZE];
	struct xt2_nearest n;
	int i;

	SAYS("a", "", );
	SAYS("abcdef", ": there are x, y, z", "x", "y", "z", );
	xt2_nearest_init(&n, "wanted");
	for (i = 0; i < 10; i++) { /* 148 of 160 bytes: ten names of 13, nine ", " */
		snprintf(name, sizeof(name), "0123456789-%02d", i);
		xt2_nearest_see(&n, name);
	}
	xt2_nearest_see(&n, "ten-bytes."); /* one too long, and then none is listed */
	xt2_nearest_see(&n, "x");
	assert_non_null(strstr(xt2_nearest_say(&n, text), "0123456789-09, and 2 more"));
	xt2_nearest_init(&n, "wanted");
	for (i = 0; i < 10; i++)
		xt2_nearest_see(&n, name);
	xt2_nearest_see(&n, "9-bytes..");
	assert_non_null(strstr(xt2_nearest_say(&n, text), "0123456789-09, 9-bytes.."));
	assert_null(strstr(text, "more"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_third_of_the_letters_may_be_wrong),
	cmocka_unit_test(the_first_of_the_nearest_is_named),
	cmocka_unit_test(names_are_listed_if_none_is_near),
};

UNITS(tests)
