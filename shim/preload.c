/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload.c - libxt2-shim.so: the shim inside the program itself
 *
 * For kernels and containers in which a process can't supervise another; no
 * use to static programs.  The functions of libc that iptables asks the kernel
 * with are interposed; whatever is not a firewall's goes on to libc.
 *
 * Nobody watches over the program here, so no lock is held between its calls.
 * What it was told about a table is noted, and a SET_REPLACE of a table that
 * is no longer the same is refused with EAGAIN; iptables excludes others by a
 * lock of its own meanwhile.
 */
#include "interpose.h"
#include "kernel-sets.h"
#include "proc-files.h"
#include "task.h"

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBC(name) ((__typeof__(name) *)libc(#name))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct xt2_shim_store *store;

/* A program whose libc has no such function cannot have called it. */
static void *libc(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static struct xt2_shim_store *the_store(void)
{
	if (!store)
		store = xt2_shim_store_new(xt2_image_path(NULL));
	return store;
}

/* --- memory ------------------------------------------------------------- */

/*
 * By the kernel's hand, which answers EFAULT where a copy of our own would die.
 * Where a filter forbids that we have no choice.
 */
static int fetch(void *data, __u64 from, void *to, size_t size)
{
	pid_t self = getpid();
	int ret = xt2_task_fetch(&self, from, to, size);

	if (!ret || errno == EFAULT)
		return ret;
	memcpy(to, (const void *)(uintptr_t)from, size);
	return 0;
}

static int put(void *data, __u64 to, const void *from, size_t size)
{
	pid_t self = getpid();
	int ret = xt2_task_put(&self, to, from, size);

	if (!ret || errno == EFAULT)
		return ret;
	memcpy((void *)(uintptr_t)to, from, size);
	return 0;
}

/* --- sockopts ----------------------------------------------------------- */

static int not_a_socket(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -EBADF;
	return S_ISSOCK(st.st_mode) ? 0 : -ENOTSOCK;
}

static int locked_call(struct xt2_call *call, struct xt2_err *err)
{
	int ret;

	if (!the_store())
		return -ENOMEM;
	if (call->set) {
		ret = xt2_shim_store_lock(store, -1, err);
		if (ret < 0)
			return ret;
	}
	ret = xt2_shim_store_call(store, call, err);
	xt2_shim_store_unlock(store);
	return ret;
}

/* => what the call returns */
static int answer(int fd, struct xt2_call *call)
{
	struct xt2_kernel_sets kernel;
	const struct xt2_sockopt_caller caller = {
		.compat = sizeof(void *) == 4,
		.read = fetch,
		.write = put,
		.sets = xt2_kernel_sets(&kernel, 0, fd),
	};
	int ret = not_a_socket(fd), saved = errno;
	struct xt2_err err = { .code = XT2_OK };

	call->who = (__u64)getpid();
	call->caller = &caller;
	if (!ret && (__s32)call->len < 0)
		ret = -EINVAL;
	if (!ret) {
		pthread_mutex_lock(&mutex);
		ret = locked_call(call, &err);
		pthread_mutex_unlock(&mutex);
	}
	xt2_kernel_sets_end(&kernel);
	if (ret < 0 && err.code && err.file[0]) /* which the program cannot say */
		xt2_err_print(&err, stderr);
	errno = ret < 0 ? -ret : saved;
	return ret < 0 ? -1 : 0;
}

OURS int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct xt2_call call = {
		.set = 1, .level = level, .name = name, .value = (uintptr_t)value, .len = len
	};

	if (!xt2_sockopt_family(level, name, 1))
		return LIBC(setsockopt)(fd, level, name, value, len);
	return answer(fd, &call);
}

OURS int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct xt2_call call = { .level = level, .name = name, .value = (uintptr_t)value };

	if (!xt2_sockopt_family(level, name, 0))
		return LIBC(getsockopt)(fd, level, name, value, len);
	if (fetch(NULL, (uintptr_t)len, &call.len, sizeof(call.len))) {
		errno = EFAULT;
		return -1;
	}
	if (answer(fd, &call))
		return -1;
	*len = call.len;
	return 0;
}

/* Who may not have the raw socket gets one that is good for asking. */
OURS int socket(int domain, int type, int protocol)
{
	int fd = LIBC(socket)(domain, type, protocol);

	if (fd >= 0 || (errno != EPERM && errno != EACCES) || (type & 0xf) != SOCK_RAW ||
	    (domain != AF_INET && domain != AF_INET6) ||
	    (protocol != IPPROTO_RAW && protocol != PF_INET))
		return fd;
	return LIBC(socket)(AF_UNIX, SOCK_DGRAM | (type & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0);
}

/* --- files of the kernel ---------------------------------------------------- */

/* => is it one of ours?  *fd: the answer to an open(), errno with it */
static int our_file(const char *path, int flags, int *fd)
{
	int family = path ? xt2_names_file(path) : -1, got = -ENOENT;

	if (family < 0)
		return 0;
	if (family) {
		pthread_mutex_lock(&mutex);
		got = the_store() ? xt2_names_open(store, family) : -ENOMEM;
		pthread_mutex_unlock(&mutex);
	}
	if (got < 0)
		errno = -got;
	else if (!(flags & O_CLOEXEC))
		fcntl(got, F_SETFD, 0);
	*fd = got < 0 ? -1 : got;
	return 1;
}

static FILE *our_stream(const char *mode, int fd)
{
	return fd < 0 ? NULL : fdopen(fd, mode);
}

/* Functions of two names, the second for offsets of 64 bits. */
#define FOPEN(name)                                                                                \
	OURS FILE *name(const char *path, const char *mode)                                        \
	{                                                                                          \
		int fd, flags = strchr(mode, 'e') ? O_CLOEXEC : 0;                                 \
                                                                                                   \
		return our_file(path, flags, &fd) ? our_stream(mode, fd) : LIBC(name)(path, mode); \
	}
#define OPEN(name)                                                                      \
	OURS int name(const char *path, int flags, ...)                                 \
	{                                                                               \
		mode_t mode;                                                            \
		int fd;                                                                 \
                                                                                        \
		MODE(mode, flags);                                                      \
		return our_file(path, flags, &fd) ? fd : LIBC(name)(path, flags, mode); \
	}
#define OPENAT(name)                                                                            \
	OURS int name(int folder, const char *path, int flags, ...)                             \
	{                                                                                       \
		mode_t mode;                                                                    \
		int fd;                                                                         \
                                                                                                \
		MODE(mode, flags);                                                              \
		return our_file(path, flags, &fd) ? fd : LIBC(name)(folder, path, flags, mode); \
	}

FOPEN(fopen)
FOPEN(fopen64)
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
