/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compiler.h - words for the compiler that all environments share; the kernel's headers have some of them as well */
#ifndef XT2_ENGINE_COMPILER_H
#define XT2_ENGINE_COMPILER_H

#undef likely
#undef unlikely
#undef __always_inline /* some only ask for it */

#define likely(x)	  __builtin_expect(!!(x), 1)
#define unlikely(x)	  __builtin_expect(!!(x), 0)
#define XT2_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __fallthrough	  __attribute__((__fallthrough__))
#define __always_inline	  inline __attribute__((__always_inline__))

#endif
