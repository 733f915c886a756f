/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail-alloc.h - let allocations of the code under test fail
 *
 * For programs that are linked with $(FAIL_ALLOC_WRAP) and
 * tests/lib/fail-alloc.c.  Shared libraries are not affected.
 */
#ifndef TESTS_FAIL_ALLOC_H
#define TESTS_FAIL_ALLOC_H

/* The n-th allocation from now on fails, once; 0: none does. */
void fail_alloc(unsigned int n);

/* => 1 if an allocation has failed since the last fail_alloc() */
int fail_alloc_happened(void);

#endif
