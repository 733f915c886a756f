/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enter-netns.c - go to a network namespace: its file under /run/netns is a handle of it */
#include "config.h"
#include "enter-netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libxt2/err.h"

int xt2_netns_enter_(const char *name, struct xt2_err *err)
{
	char path[256];
	int fd, ret;

	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), "/run/netns/%s", name) >= (int)sizeof(path))
		return xt2_err_set(err, XT2_E_SYNTAX, EINVAL,
				   "not the name of a network namespace: %s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xt2_err_set(err, XT2_E_SYNTAX, EINVAL, "network namespace %s: %s", name,
				   strerror(errno));
	ret = setns(fd, CLONE_NEWNET) ? errno : 0;
	close(fd);
	return ret ? xt2_err_set(err, XT2_E_SYSTEM, ret, "network namespace %s: %s", name,
				 strerror(ret))
		   : 0;
}
