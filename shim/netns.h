/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netns.h - whose network namespace a call is about: that of its socket */
#ifndef XT2_SHIM_NETNS_H
#define XT2_SHIM_NETNS_H

#include <sys/types.h>

/* A descriptor of another process, in this one.  => descriptor, -errno */
int xt2_netns_borrow(pid_t process, int theirs);

/* => a descriptor of a socket's network namespace, -errno */
int xt2_netns_of(int socket);

/* Are these descriptors of namespaces those of the same one? */
int xt2_netns_same(int a, int b);

/*
 * Is a process's socket in another network namespace than this process?
 * @socket: its descriptor; < 0: is the thread itself
 * => 1, 0; -errno: it cannot be told
 */
int xt2_netns_elsewhere(pid_t process, pid_t tid, int socket);

#endif
