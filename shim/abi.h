/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abi.h - the system calls that the supervisor sees, by architecture */
#ifndef XT2_SHIM_ABI_H
#define XT2_SHIM_ABI_H

#include <linux/filter.h>
#include <linux/seccomp.h>

enum xt2_syscall {
	XT2_SYS_SETSOCKOPT,
	XT2_SYS_GETSOCKOPT,
	XT2_SYS_SOCKET,
	XT2_SYS_SOCKETCALL,
	XT2_SYS_OPEN,
	XT2_SYS_OPENAT,
	XT2_SYS_OPENAT2,
	XT2_SYSCALLS, /* not one of them */
};

#define XT2_FILTER_MAX 512

/*
 * xt2_abi_filter - a seccomp filter that asks the supervisor about calls that may be ours
 * @code: room for XT2_FILTER_MAX instructions
 * => number of instructions; 0: this architecture is not known
 */
unsigned int xt2_abi_filter(struct sock_filter *code);

/* Which call is it?  @compat: set to 1 for a 32-bit program on x86. */
enum xt2_syscall xt2_abi_syscall(const struct seccomp_data *data, int *compat);

#endif
