/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan-emulated.h - the scan with AVX-512 where there is no AVX-512 */
#ifndef TESTS_SCAN_EMULATED_H
#define TESTS_SCAN_EMULATED_H

#include "engine/index/find.h"

u32 emulated_scan_avx512(const struct xt2_columns *c, const u16 *key, u32 block, u32 end,
			 u32 *hits);

#endif
