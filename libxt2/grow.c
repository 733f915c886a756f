/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grow.c - arrays that grow */
#include "config.h"
#include "grow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define GROW_FIRST 8u

int xt2_grow_(void *array, u32 n, u32 *cap, size_t size)
{
	u32 more = *cap ? *cap * 2 : GROW_FIRST;
	void **p = array;
	void *grown;

	if (n < *cap)
		return 0;
	if (more <= *cap || more > SIZE_MAX / size)
		return -ENOMEM;
	grown = realloc(*p, more * size);
	if (!grown)
		return -ENOMEM;
	*p = grown;
	*cap = more;
	return 0;
}
