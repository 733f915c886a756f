/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fail-alloc.c - let allocations of the code under test fail */
#include "fail-alloc.h"

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static unsigned int countdown;
static int happened;

void fail_alloc(unsigned int n)
{
	countdown = n;
	happened = 0;
}

int fail_alloc_happened(void)
{
	return happened;
}

static int fails(void)
{
	if (!countdown || --countdown)
		return 0;
	happened = 1;
	errno = ENOMEM;
	return 1;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}
