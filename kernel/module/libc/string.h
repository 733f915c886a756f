/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_MODULE_STRING_H
#define XT2_MODULE_STRING_H
#include <linux/string.h>
const char *xt2_strerror(int errnum); /* see ../libc.c */
#define strerror(e) xt2_strerror(e)
#endif
