/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-store.h - what the kernel module says of its tables */
#ifndef XT2_LIBXT2_STORE_KERNEL_KERNEL_STORE_H
#define XT2_LIBXT2_STORE_KERNEL_KERNEL_STORE_H

#include <xt2/format.h>
#include "libxt2/store/store.h"

struct xt2_kernel_head {
	char name[XT2_NAME_SIZE];
	__u8 family; /* enum xt2_family */
	__u64 size; /* bytes of the image */
	__u64 faults; /* packets that were dropped since they could not be evaluated */
	__u64 uncounted; /* that rules have not counted for lack of memory */
};

typedef void (*xt2_kernel_seen)(void *data, const struct xt2_kernel_head *head);

/*
 * xt2_kernel_tables - the tables that there are
 * @s: locked
 * @generation: out
 * => 0, -errno
 */
int xt2_kernel_tables(const struct xt2_store *s, __u64 *generation, xt2_kernel_seen seen,
		      void *data, struct xt2_err *err);

/* xt2_kernel_detach - all tables go: all packets pass.  @s: locked for a change  => 0, -errno */
int xt2_kernel_detach(struct xt2_store *s, struct xt2_err *err);

#endif
