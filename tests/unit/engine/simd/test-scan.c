/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-scan.c - engine/simd/scan.c: the way that was chosen is taken */
#include "engine/simd/vectors.h"
#include "tests/unit/scan-case.h"

static void scalar(void **unused)
{
	assert_int_equal(xt2_scan_choose(XT2_SCAN_SCALAR), 0);
	try_way(xt2_scan_scalar);
	try_way(xt2_scan_vector);
}

/* The processor's best is what is taken unless another was chosen; what it has not got cannot be. */
static void choice(void **unused)
{
	enum xt2_scan_way best = xt2_scan_best(), way;

	for (way = XT2_SCAN_SCALAR; way < XT2_SCAN_WAYS; way++) {
		assert_int_equal(xt2_scan_choose(way), way <= best ? 0 : -ENOTSUP);
		assert_non_null(xt2_scan_name(way));
	}
	assert_null(xt2_scan_name(XT2_SCAN_WAYS));
}

/* Before anybody has chosen. */
static void first_choice(void **unused)
{
	try_way(xt2_scan_vector);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(first_choice),
	cmocka_unit_test(scalar),
	cmocka_unit_test(choice),
};

UNITS(tests)
