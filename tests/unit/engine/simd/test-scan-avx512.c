/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-scan-avx512.c - engine/simd/scan-avx512.c
 *
 * The way that this processor has not got is tried all the same: see
 * scan-emulated.c.
 */
#include "tests/unit/scan-case.h"
#include "tests/unit/scan-emulated.h"

static void finds_what_a_loop_finds(void **unused)
{
	if (xt2_scan_best() < XT2_SCAN_AVX512)
		skip();
#ifdef __x86_64__
	try_way(xt2_scan_avx512);
#endif
}

static void emulated(void **unused)
{
#ifdef __x86_64__
	try_way(emulated_scan_avx512);
#else
	skip();
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_what_a_loop_finds),
	cmocka_unit_test(emulated),
};

UNITS(tests)
