/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-sets.h - ipsets of the running kernel: see kernel-sets.c */
#ifndef XT2_SHIM_KERNEL_SETS_H
#define XT2_SHIM_KERNEL_SETS_H

#include <sys/types.h>
#include <xt2/sockopt.h>

/* During one call. */
struct xt2_kernel_sets {
	struct xt2_sockopt_sets how;
	pid_t process; /* whose the socket is; 0: this one */
	int socket;
	int asked; /* our own, in the socket's network namespace; or -errno, or -EAGAIN: not yet */
};

/*
 * xt2_kernel_sets - the sets that a call on a socket can mean
 * @socket: a descriptor of the process, which is examined when a set is asked for
 * => for struct xt2_sockopt_caller, until xt2_kernel_sets_end()
 */
const struct xt2_sockopt_sets *xt2_kernel_sets(struct xt2_kernel_sets *sets, pid_t process,
					       int socket);
void xt2_kernel_sets_end(struct xt2_kernel_sets *sets);

#endif
