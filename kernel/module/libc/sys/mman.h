/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/mman.h - large memory: pages of the kernel's, zeroed */
#ifndef XT2_MODULE_MMAN_H
#define XT2_MODULE_MMAN_H

#include <linux/vmalloc.h>

#define MAP_FAILED    NULL
#define MAP_PRIVATE   0
#define MAP_ANONYMOUS 0
#define PROT_READ     0
#define PROT_WRITE    0
#define MADV_HUGEPAGE 0

#define mmap(at, n, prot, flags, fd, off) __vmalloc(n, GFP_KERNEL_ACCOUNT | __GFP_ZERO)
#define munmap(p, n)			  vfree(p)
#define madvise(p, n, advice)		  ((void)(p), (void)(n))

#endif
