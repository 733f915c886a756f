/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/limits.h>
#include <linux/types.h>
#ifndef INT32_MAX
#define INT32_MAX 0x7fffffff
#endif
#ifndef UINT32_MAX
#define UINT32_MAX U32_MAX
#endif
