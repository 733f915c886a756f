/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-scan-avx2.c - engine/simd/scan-avx2.c */
#include "tests/unit/scan-case.h"

static void finds_what_a_loop_finds(void **unused)
{
	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
#ifdef __x86_64__
	try_way(xt2_scan_avx2);
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_what_a_loop_finds),
};

UNITS(tests)
