/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-grow.c - libxt2/grow.c */
#include "libxt2/grow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"

static void it_grows_when_it_is_full(void **unused)
{
	u32 *list = NULL, cap = 0, n, *before;

	for (n = 0; n < 1000; n++) {
		before = list;
		assert_int_equal(xt2_grow_(&list, n, &cap, sizeof(*list)), 0);
		assert_true(cap > n);
		if (n && n < cap / 2)
			assert_ptr_equal(list, before);
		list[n] = n;
	}
	for (n = 0; n < 1000; n++)
		assert_int_equal(list[n], n);
	free(list);
}

static void sizes_do_not_wrap(void **unused)
{
	u32 element = 7, cap = 1u << 31;
	void *list = &element;

	assert_int_equal(xt2_grow_(&list, cap, &cap, 1), -ENOMEM);
	cap = 4;
	assert_int_equal(xt2_grow_(&list, cap, &cap, SIZE_MAX / 2), -ENOMEM);
	assert_ptr_equal(list, &element);
	assert_int_equal(cap, 4);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(it_grows_when_it_is_full),
	cmocka_unit_test(sizes_do_not_wrap),
};

UNITS(cases)
