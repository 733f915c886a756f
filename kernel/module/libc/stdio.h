/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_MODULE_STDIO_H
#define XT2_MODULE_STDIO_H
#include <linux/kernel.h>
typedef struct xt2_no_file FILE; /* of declarations only */
#endif
