/* SPDX-License-Identifier: GPL-2.0-or-later */
/* supervisor.h - answers the firewall sockopts of other processes */
#ifndef XT2_SHIM_SUPERVISOR_H
#define XT2_SHIM_SUPERVISOR_H

#include "shim-store.h"

struct xt2_supervisor;

/*
 * xt2_supervisor_new - supervise the processes behind a seccomp listener
 * @store: where the answers come from; not owned
 * @listener: descriptor; owned
 * @library: path of a file that every process can open to be read, wherever its root is; not owned
 * @verbose: print why a call failed, too
 * => NULL and errno: ENOMEM; EOPNOTSUPP: the kernel's notifications can't do enough
 */
struct xt2_supervisor *xt2_supervisor_new(struct xt2_shim_store *store, int listener,
					  const char *library, int verbose);
void xt2_supervisor_free(struct xt2_supervisor *sv);

/*
 * xt2_supervisor_run - answer until there is nobody left to ask, or other is readable
 * => 1: other is readable; 0: nobody is left; -errno
 */
int xt2_supervisor_run(struct xt2_supervisor *sv, int other);

#endif
