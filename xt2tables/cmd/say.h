/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.h - a text that grows in a buffer, and is cut at its end */
#ifndef XT2_XT2TABLES_CMD_SAY_H
#define XT2_XT2TABLES_CMD_SAY_H

#include <stddef.h>

struct xt2_say {
	char *at;
	size_t size, len;
};

/* Append to the text, as printf(). */
void xt2_say(struct xt2_say *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
