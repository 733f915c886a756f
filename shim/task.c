/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.c - looking into another process
 *
 * Everything is read by number, so the caller must ask the kernel whether the notification
 * is still valid after reading and before using the result.
 */
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define STATUS_MAX 4096

/* The number in a line of /proc/PID/status.  @skip: words before it */
static __u64 field(const char *status, const char *name, int skip, int base)
{
	const char *at = strstr(status, name);
	char *end;

	if (!at)
		return 0;
	at += strlen(name);
	while (skip--) {
		strtoull(at, &end, base);
		at = end;
	}
	return strtoull(at, NULL, base);
}

static int same_user_namespace(pid_t tid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)tid);
	return !stat("/proc/self/ns/user", &ours) && !stat(path, &theirs) &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

int xt2_task_read(struct xt2_task *task, pid_t tid)
{
	char status[STATUS_MAX], path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, status, sizeof(status) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -ESRCH;
	status[n] = '\0';
	task->tid = tid;
	task->process = (pid_t)field(status, "\nTgid:", 0, 10);
	task->user = (uid_t)field(status, "\nUid:", 1, 10);
	task->caps = field(status, "\nCapEff:", 0, 16);
	task->our_users = same_user_namespace(tid);
	return task->process ? 0 : -ESRCH;
}

/* What it may in a user namespace of its own says nothing here. */
static int has(const struct xt2_task *task, int cap)
{
	return task->our_users && (task->caps & (1ull << cap)) != 0;
}

int xt2_task_may_admin(const struct xt2_task *task)
{
	return task->user == geteuid() || has(task, CAP_NET_ADMIN);
}

int xt2_task_may_live(const struct xt2_task *task)
{
	return has(task, CAP_NET_ADMIN);
}

int xt2_task_may_raw(const struct xt2_task *task)
{
	return has(task, CAP_NET_RAW);
}

int xt2_task_socket(const struct xt2_task *task, int fd)
{
	char path[64], target[16];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)task->tid, fd);
	n = readlink(path, target, sizeof(target));
	if (n < 0)
		return errno == ENOENT ? -EBADF : 0; /* if we cannot know, it may be one */
	return n >= 8 && !memcmp(target, "socket:[", 8) ? 0 : -ENOTSOCK;
}

/* Only a part: the rest is not there. */
static int whole(ssize_t n, size_t size)
{
	if (n >= 0)
		errno = EFAULT;
	return n >= 0 && (size_t)n == size ? 0 : -EFAULT;
}

int xt2_task_fetch(void *data, __u64 from, void *to, size_t size)
{
	struct iovec ours = { to, size }, theirs = { (void *)(uintptr_t)from, size };
	ssize_t n;

	if (!size)
		return 0;
	n = process_vm_readv(*(pid_t *)data, &ours, 1, &theirs, 1, 0);
	return whole(n, size);
}

int xt2_task_put(void *data, __u64 to, const void *from, size_t size)
{
	struct iovec ours = { (void *)(uintptr_t)from, size };
	struct iovec theirs = { (void *)(uintptr_t)to, size };
	ssize_t n;

	if (!size)
		return 0;
	n = process_vm_writev(*(pid_t *)data, &ours, 1, &theirs, 1, 0);
	return whole(n, size);
}

int xt2_task_string(pid_t tid, __u64 from, char *to, size_t size)
{
	struct iovec ours = { to, size - 1 }, theirs = { (void *)(uintptr_t)from, size - 1 };
	ssize_t n = process_vm_readv(tid, &ours, 1, &theirs, 1, 0);

	if (n <= 0)
		return -EFAULT;
	to[n] = '\0'; /* shorter where its memory ends */
	return (int)strlen(to);
}
