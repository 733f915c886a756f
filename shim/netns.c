/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netns.c - whose network namespace a call is about: see netns.h */
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/sockios.h>

int xt2_netns_borrow(pid_t process, int theirs)
{
	int pid = (int)syscall(SYS_pidfd_open, process, 0), fd;

	if (pid < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, pid, theirs, 0);
	if (fd < 0)
		fd = -errno;
	close(pid);
	return fd;
}

int xt2_netns_of(int socket)
{
	int ns = ioctl(socket, SIOCGSKNS);

	return ns < 0 ? -errno : ns;
}

int xt2_netns_same(int a, int b)
{
	struct stat first, second;

	return !fstat(a, &first) && !fstat(b, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* => a descriptor, -errno */
static int open_namespace(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* => a descriptor of the namespace of a process's socket, or of a thread; -errno */
static int theirs_of(pid_t process, pid_t tid, int socket)
{
	char path[64];
	int fd, ns;

	if (socket < 0) {
		snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)tid);
		return open_namespace(path);
	}
	fd = xt2_netns_borrow(process, socket);
	if (fd < 0)
		return fd;
	ns = xt2_netns_of(fd);
	close(fd);
	return ns;
}

int xt2_netns_elsewhere(pid_t process, pid_t tid, int socket)
{
	int ours = open_namespace("/proc/thread-self/ns/net"), theirs, ret;

	if (ours < 0)
		return ours;
	theirs = theirs_of(process, tid, socket);
	ret = theirs < 0 ? theirs : !xt2_netns_same(ours, theirs);
	if (theirs >= 0)
		close(theirs);
	close(ours);
	return ret;
}
