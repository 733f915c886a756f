/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grow.h - arrays that grow; not installed */
#ifndef XT2_LIBXT2_GROW_H
#define XT2_LIBXT2_GROW_H

#include <stddef.h>
#include "engine/env.h"

/* Make room for one more element; *cap elements of size bytes are at *array.  => 0, -ENOMEM */
int xt2_grow_(void *array, u32 n, u32 *cap, size_t size);

#endif
