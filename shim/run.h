/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - run a command whose firewall is an image, or what is live */
#ifndef XT2_SHIM_RUN_H
#define XT2_SHIM_RUN_H

#include "shim-store.h"

struct xt2_run {
	const char *image; /* path; NULL: what is live */
	struct xt2_shim_live live;
	const char *netns; /* live: of this network namespace, as of ip-netns(8); NULL: this one */
	char **argv; /* command and arguments, NULL at the end */
	int no_retry; /* preload nothing while there is a supervisor */
	int preload; /* don't supervise, preload a library */
	int verbose; /* say on standard error what is done, and why calls failed */
};

/*
 * xt2_run - run a command until it ends
 *
 * XT2_IMAGE and XTABLES_LOCKFILE are set for the command if there is an image, LD_PRELOAD and
 * ASAN_OPTIONS added to.  If netns is set, this process goes there, and the command begins there.  Signals that this
 * program gets are passed on.  If the kernel can't let other processes be
 * supervised, a library is preloaded instead; then this does not return unless
 * the command cannot be started.  For what is live there must be a supervisor.
 * => the command's exit status, 128 + n if signal n ended it, 127: there is no
 *    such command, 126: it cannot be run; -errno: nothing was run, see err
 */
int xt2_run(const struct xt2_run *run, struct xt2_err *err);

#endif
