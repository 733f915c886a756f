/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit-program.h - the unit tests of a folder in one program
 *
 * A test file ends with UNITS(), which names its cases; tests/lib/unit-program.c has
 * main(), which runs the cases of every file that is linked into the program.
 * tests/README.md says how to run one file or one case.
 */
#ifndef TESTS_LIB_UNITS_H
#define TESTS_LIB_UNITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct unit_file {
	const char *path; /* of the test file */
	const struct CMUnitTest *cases;
	size_t n;
	int (*setup)(void **state); /* before the first case; may be NULL */
	int (*teardown)(void **state); /* after the last case; may be NULL */
	struct unit_file *next;
};

void units_add(struct unit_file *file);

/* The cases of this file, an array, with what runs before and after all of them. */
#define UNITS_WITH(array, before, after)                                                       \
	static __attribute__((__constructor__)) void units_of_this_file(void)                  \
	{                                                                                      \
		static struct unit_file this_file = {                                          \
			__FILE__, array, sizeof(array) / sizeof(*(array)), before, after, NULL \
		};                                                                             \
                                                                                               \
		units_add(&this_file);                                                         \
	}
#define UNITS(array) UNITS_WITH(array, NULL, NULL)

#endif
