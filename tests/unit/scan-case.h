/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan-case.h - a scan of columns against a loop that compares one number at a time
 *
 * All numbers of columns and of blocks, from each block on, with ranges that
 * are empty, full, or end next to the key.
 */
#ifndef TESTS_UNIT_SCAN_CASE_H
#define TESTS_UNIT_SCAN_CASE_H

#include "engine/simd/scan.h"
#include "tests/lib/unit-program.h"

typedef u32 scan(const struct xt2_columns *c, const u16 *key, u32 block, u32 end, u32 *hits);

/* Everything that it finds is what the loop finds. */
void try_way(scan *way);

#endif
