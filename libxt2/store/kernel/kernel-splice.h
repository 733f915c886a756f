/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-splice.h - a table of the kernel module's is edited in its place: see kernel-splice.c */
#ifndef XT2_LIBXT2_STORE_KERNEL_KERNEL_SPLICE_H
#define XT2_LIBXT2_STORE_KERNEL_KERNEL_SPLICE_H

#include "kernel-link.h"
#include "libxt2/store/store.h"

/*
 * xt2_kernel_splice_ - send what differs between two images of a table, in a transaction
 * @old: as the kernel has it; counters of its rules are not read
 * @img: as it shall be
 * @keep: of each rule of img, in the order of chains, tails included: 1 more than the number of the one of old
 *	whose counters go on; 0: it starts with its own
 * => 1: sent; 0: nothing was sent, for too much differs or it cannot be said as edits; -errno: see err
 */
int xt2_kernel_splice_(struct xt2_kernel_link *link, const struct xt2_mapping *old,
		       const struct xt2_mapping *img, const __u32 *keep, struct xt2_err *err);

/* Edits of a table, in a transaction.  => 0, -errno */
int xt2_kernel_edits_(struct xt2_kernel_link *link, const struct xt2_store_edits *edits,
		      struct xt2_err *err);

/* The image in pieces, each in a message of its own.  => 0, -errno */
int xt2_kernel_send_(struct xt2_kernel_link *link, __u8 command, const void *data, size_t size,
		     struct xt2_err *err);

#endif
