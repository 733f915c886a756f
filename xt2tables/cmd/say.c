/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.c - a text that grows in a buffer: see say.h */
#include <stdarg.h>
#include <stdio.h>
#include "say.h"

void xt2_say(struct xt2_say *to, const char *format, ...)
{
	va_list args;
	int n;

	if (to->len + 1 >= to->size)
		return;
	va_start(args, format);
	n = vsnprintf(to->at + to->len, to->size - to->len, format, args);
	va_end(args);
	to->len += n > 0 ? (size_t)n : 0;
}
