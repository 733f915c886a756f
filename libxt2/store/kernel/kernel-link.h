/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-link.h - a socket to the kernel module: see kernel-link.c */
#ifndef XT2_LIBXT2_STORE_KERNEL_KERNEL_LINK_H
#define XT2_LIBXT2_STORE_KERNEL_KERNEL_LINK_H

#include <libmnl/libmnl.h>
#include <linux/types.h>
#include <xt2/netlink.h>
#include <xt2/xt2.h>

#define XT2_MESSAGE_SIZE (XT2_NL_PIECE + 8192) /* more than any message has */

struct xt2_kernel_link {
	struct mnl_socket *socket;
	__u16 family; /* xt2's number */
	__u32 sequence;
	struct nlmsghdr *message; /* the next one, in a buffer of XT2_MESSAGE_SIZE bytes */
	char text[512]; /* why the kernel refused the last one; or empty */
};

/* => 0; -EOPNOTSUPP: the module is not there; -EPERM, -ENOMEM, -errno; err says why */
int xt2_kernel_open(struct xt2_kernel_link *k, struct xt2_err *err);

/* What was not committed is lost. */
void xt2_kernel_close(struct xt2_kernel_link *k);

/* A message of xt2's, to which attributes are added. */
void xt2_kernel_begin(struct xt2_kernel_link *k, __u8 command);

/*
 * Send it, and wait for the end of its answers.
 * @flags: NLM_F_DUMP, or 0
 * @seen: called for each message of xt2's but errors; its answer is MNL_CB_OK or MNL_CB_ERROR; NULL: none
 * => 0, -errno of the kernel, with its reason in err
 */
int xt2_kernel_ask(struct xt2_kernel_link *k, __u16 flags, mnl_cb_t seen, void *data,
		   struct xt2_err *err);

/* An attribute of a message, or NULL. */
const struct nlattr *xt2_kernel_attr(const struct nlmsghdr *h, __u16 type);
__u64 xt2_kernel_number(const struct nlmsghdr *h, __u16 type); /* 0: it has not */

#endif
