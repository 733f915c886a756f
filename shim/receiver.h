/* SPDX-License-Identifier: GPL-2.0-or-later */
/* receiver.h - takes calls from the kernel as soon as they are made: see receiver.c */
#ifndef XT2_SHIM_RECEIVER_H
#define XT2_SHIM_RECEIVER_H

#include "abi.h"
#include <sys/types.h>

#define XT2_RECEIVER_PATH_MAX 512 /* of a path that is looked at, and its NUL */

struct xt2_receiver;

/* A call that waits for an answer. */
struct xt2_request {
	__u64 id;
	pid_t tid;
	enum xt2_syscall call; /* XT2_SYSCALLS: not ours; of XT2_SYS_SOCKETCALL, what is in it */
	int compat;
	__u64 arg[6];
};

/*
 * xt2_receiver_new - receive from a seccomp listener, from now on
 * @listener: descriptor; not owned
 * @library: path of a file whose opening is ours; not owned
 * => NULL and errno: ENOMEM, EMFILE, EAGAIN: no thread
 */
struct xt2_receiver *xt2_receiver_new(int listener, const char *library);
void xt2_receiver_free(struct xt2_receiver *r);

/* Is every call for the supervisor, or only what is ours?  At first, the latter. */
void xt2_receiver_all(struct xt2_receiver *r, int all);

/* => a descriptor that is readable while there are calls; it belongs to the receiver */
int xt2_receiver_ready(const struct xt2_receiver *r);

/* The oldest call.  => 1: it is in *rq; 0: there is none */
int xt2_receiver_next(struct xt2_receiver *r, struct xt2_request *rq);

#endif
