// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libc.c - the part of a C library that the files of libxt2 use
 *
 * They run in the context of a system call, may sleep, and what they allocate is charged to
 * the caller.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>
#include <stdlib.h>
#include "libc/string.h"
#include "libxt2/err.h"

/* Before each block, for realloc(). */
struct head {
	size_t n;
	u64 pad; /* blocks are for any type */
};

void *xt2_malloc(size_t n)
{
	struct head *h = n <= INT_MAX ? kvmalloc(sizeof(*h) + n, GFP_KERNEL_ACCOUNT) : NULL;

	if (!h)
		return NULL;
	h->n = n;
	return h + 1;
}

void *xt2_calloc(size_t n, size_t size)
{
	void *p = size && n > INT_MAX / size ? NULL : xt2_malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

void xt2_free(const void *p)
{
	if (p)
		kvfree((struct head *)p - 1);
}

void *xt2_realloc(void *p, size_t n)
{
	void *to = xt2_malloc(n);

	if (!to || !p)
		return to;
	memcpy(to, p, min(n, ((struct head *)p - 1)->n));
	xt2_free(p);
	return to;
}

void xt2_qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	sort(base, n, size, compare, NULL);
}

const char *xt2_strerror(int errnum)
{
	switch (errnum) {
	case ENOMEM: return "no memory";
	case ENOENT: return "not there";
	case EINVAL: return "not valid";
	case E2BIG: return "too large";
	case ELOOP: return "a loop";
	case EOPNOTSUPP: return "not supported";
	}
	return "refused";
}
