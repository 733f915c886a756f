/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interpose.h - for libraries that stand in for functions of libc */
#ifndef XT2_SHIM_INTERPOSE_H
#define XT2_SHIM_INTERPOSE_H

#include <fcntl.h>
#include <stdarg.h>

#define OURS __attribute__((visibility("default")))

static inline mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

/* The mode that open(2) has been given, or 0, in a function with "..." after flags. */
#define MODE(mode, flags)                    \
	do {                                 \
		va_list args;                \
		va_start(args, flags);       \
		mode = mode_of(flags, args); \
		va_end(args);                \
	} while (0)

#endif
