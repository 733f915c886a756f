/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-bench-run.c - xt2_bench_differs()
 *
 * xt2 bench compares images that it has evaluated.  Here are some that differ,
 * as they must not after that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"

#include "xt2tables/cmd/bench.h"
#include "tests/unit/sample-image.h"

static struct sample one, two;
static char text[128];

static int make(void **state)
{
	(void)state;
	return sample_make(&one) || sample_make(&two);
}

static bool differ(void)
{
	return xt2_bench_differs(one.img, two.img, text, sizeof(text));
}

static void test_equal(void **state)
{
	(void)state;
	assert_false(differ());
}

static void test_packets(void **state)
{
	(void)state;
	sample_rule(&two, 0, 1)->packets += 5;
	assert_true(differ());
	assert_non_null(strstr(text, "/INPUT:2: 0 packets and 5"));
}

static void test_bytes(void **state)
{
	(void)state;
	sample_rule(&one, 4, 0)->bytes++;
	assert_true(differ());
	assert_non_null(strstr(text, "/TWO:1: "));
}

/* What matches remember is in no rule. */
static void test_cell(void **state)
{
	(void)state;
	(*(u64 *)sample_at(&two, two.root->cell))++;
	assert_true(differ());
	assert_string_equal(text, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_equal, make),
	cmocka_unit_test_setup(test_packets, make),
	cmocka_unit_test_setup(test_bytes, make),
	cmocka_unit_test_setup(test_cell, make),
};

UNITS(tests)
