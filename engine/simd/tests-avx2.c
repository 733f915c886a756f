/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests-avx2.c - tests-avx2.h, for rules that were found otherwise than by bits */
#include "config.h"
#include "scan.h"

#ifdef __x86_64__
#include "tests-avx2.h"

AVX2 int xt2_tests_avx2(const struct xt2_rule *r, const struct xt2_pkt *pkt)
{
	return tests_at(r, pkt);
}
#endif
