/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdlib.h - what the library's files want of a C library: see ../libc.c */
#ifndef XT2_MODULE_STDLIB_H
#define XT2_MODULE_STDLIB_H

#include <linux/types.h>

void *xt2_malloc(size_t n);
void *xt2_calloc(size_t n, size_t size);
void *xt2_realloc(void *p, size_t n);
void xt2_free(const void *p);

#define malloc(n)     xt2_malloc(n)
#define calloc(n, s)  xt2_calloc(n, s)
#define realloc(p, n) xt2_realloc(p, n)
#define free(p)	      xt2_free(p)

void xt2_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b));
#define qsort(base, n, size, compare) xt2_qsort(base, n, size, compare)

#endif
