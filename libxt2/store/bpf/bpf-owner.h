/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-owner.h - the process that holds the lock of a folder */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_OWNER_H
#define XT2_LIBXT2_STORE_BPF_BPF_OWNER_H

#include <stdbool.h>

struct xt2_lock_owner_ {
	int pid;
	bool reads; /* it only looks, and lets others look */
	char command[128]; /* as it was started; empty: it has ended */
};

/*
 * xt2_lock_owner_ - the process that holds a flock(2) of a file
 * @fd: of the file
 * => false: there is none, or it is not visible here
 */
bool xt2_lock_owner_(int fd, struct xt2_lock_owner_ *owner);

#endif
