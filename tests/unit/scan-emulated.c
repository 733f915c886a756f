/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan-emulated.c - engine/simd/scan-avx512.c as it is, for any processor
 *
 * Its <immintrin.h> is tests/lib/emulated/immintrin.h.
 */
#include "scan-emulated.h"

#define xt2_scan_avx512 emulated_scan_avx512
#include "engine/simd/scan-avx512.c"
