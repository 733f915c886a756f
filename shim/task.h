/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - the process that caused a notification: identity, memory, descriptors */
#ifndef XT2_SHIM_TASK_H
#define XT2_SHIM_TASK_H

#include <sys/types.h>
#include <xt2/sockopt.h>

struct xt2_task {
	pid_t tid; /* the thread that waits for an answer */
	pid_t process;
	uid_t user; /* effective */
	int our_users; /* its user namespace is that of this program */
	__u64 caps; /* effective, in its own user namespace */
};

/* => 0; -ESRCH: it has gone */
int xt2_task_read(struct xt2_task *task, pid_t tid);

/*
 * May it change firewalls, and send raw packets of its own?  The tables of the image belong
 * to the owner of this program, so its user has no less of a right
 * to them than root.
 */
int xt2_task_may_admin(const struct xt2_task *task);
/* The same of what is live, which is no one's. */
int xt2_task_may_live(const struct xt2_task *task);
int xt2_task_may_raw(const struct xt2_task *task);

/* Is this one of its sockets?  => 0, -EBADF, -ENOTSOCK */
int xt2_task_socket(const struct xt2_task *task, int fd);

/* The functions of struct xt2_sockopt_caller; data is a pid_t.  => 0; -EFAULT, errno says more */
int xt2_task_fetch(void *data, __u64 from, void *to, size_t size);
int xt2_task_put(void *data, __u64 to, const void *from, size_t size);

/* A string, cut to size - 1 bytes.  => its length, -EFAULT */
int xt2_task_string(pid_t tid, __u64 from, char *to, size_t size);

#endif
