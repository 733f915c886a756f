/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retry.c - libxt2-retry.so: makes calls again that a signal has ended
 *
 * A call that waits for the supervisor can be ended by a signal until it has been
 * received (see receiver.c).  It has done nothing then and can be made again.
 * Only a program itself can do that, so this library is preloaded into it; all
 * answers remain the supervisor's.  It makes again what the kernel by itself does
 * not end with EINTR: the calls of sockets, and the opening of regular files and
 * folders.  Who opens a pipe or a terminal may be waiting for the signal.
 *
 * Any program may get it, whatever its libc: it needs no library and no version
 * of a symbol.  A function that libc lacks, or all of them if there is no dlsym(3)
 * (glibc before 2.34, in a program without libdl), are system calls instead.
 */
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma weak dlsym
#pragma weak dlerror

enum function {
	SOCKET,
	GETSOCKOPT,
	SETSOCKOPT,
	OPEN,
	OPEN64,
	OPEN_2, /* these four: what _FORTIFY_SOURCE makes of open() */
	OPEN64_2,
	OPENAT,
	OPENAT64,
	OPENAT_2,
	OPENAT64_2,
	FOPEN,
	FOPEN64,
	FUNCTIONS
};

static const char *const names[FUNCTIONS] = {
	[SOCKET] = "socket",	   [GETSOCKOPT] = "getsockopt",	  [SETSOCKOPT] = "setsockopt",
	[OPEN] = "open",	   [OPEN64] = "open64",		  [OPEN_2] = "__open_2",
	[OPEN64_2] = "__open64_2", [OPENAT] = "openat",		  [OPENAT64] = "openat64",
	[OPENAT_2] = "__openat_2", [OPENAT64_2] = "__openat64_2", [FOPEN] = "fopen",
	[FOPEN64] = "fopen64",
};

static void *found[FUNCTIONS];

/* => NULL: there is none */
static void *next(enum function f)
{
	if (!found[f] && dlsym)
		found[f] = dlsym(RTLD_NEXT, names[f]);
	return found[f];
}

/* Early, since dlsym() takes a lock that others may have later.  What fails is nobody's error. */
__attribute__((constructor)) static void begin(void)
{
	enum function f;

	for (f = 0; f < FUNCTIONS; f++)
		next(f);
	if (dlerror)
		dlerror();
}

/* --- sockets -------------------------------------------------------------- */

OURS int socket(int domain, int type, int protocol)
{
	__typeof(socket) *libc = next(SOCKET);
	int ret;

	do
		ret = libc ? libc(domain, type, protocol)
			   : (int)syscall(SYS_socket, domain, type, protocol);
	while (ret < 0 && errno == EINTR);
	return ret;
}

OURS int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	__typeof(getsockopt) *libc = next(GETSOCKOPT);
	int ret;

	do
		ret = libc ? libc(fd, level, name, value, len)
			   : (int)syscall(SYS_getsockopt, fd, level, name, value, len);
	while (ret < 0 && errno == EINTR);
	return ret;
}

OURS int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	__typeof(setsockopt) *libc = next(SETSOCKOPT);
	int ret;

	do
		ret = libc ? libc(fd, level, name, value, len)
			   : (int)syscall(SYS_setsockopt, fd, level, name, value, len);
	while (ret < 0 && errno == EINTR);
	return ret;
}

/* --- files ------------------------------------------------------------------ */

/* After an error: can it only be a signal before the call was received?  Else errno stays. */
static int again(int folder, const char *path)
{
	struct statx st;

	if (errno != EINTR)
		return 0;
	if (!syscall(SYS_statx, folder, path, 0, STATX_TYPE, &st)) {
		errno = EINTR;
		return S_ISREG(st.stx_mode) || S_ISDIR(st.stx_mode);
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
		return 1; /* and so will it be opened: that's the error to be told */
	errno = EINTR;
	return 0;
}

static int open_again(enum function f, const char *path, int flags, mode_t mode)
{
	int (*libc)(const char *, int, ...) = next(f);
	int fd;

	do
		fd = libc ? libc(path, flags, mode)
			  : (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
	while (fd < 0 && again(AT_FDCWD, path));
	return fd;
}

static int openat_again(enum function f, int folder, const char *path, int flags, mode_t mode)
{
	int (*libc)(int, const char *, int, ...) = next(f);
	int fd;

	do
		fd = libc ? libc(folder, path, flags, mode)
			  : (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
	while (fd < 0 && again(folder, path));
	return fd;
}

/* Of two names, the second for offsets of 64 bits. */
#define OURS_OPEN(name, function)                               \
	OURS int name(const char *path, int flags, ...)         \
	{                                                       \
		mode_t mode;                                    \
                                                                \
		MODE(mode, flags);                              \
		return open_again(function, path, flags, mode); \
	}
#define OURS_OPENAT(name, function)                                       \
	OURS int name(int folder, const char *path, int flags, ...)       \
	{                                                                 \
		mode_t mode;                                              \
                                                                          \
		MODE(mode, flags);                                        \
		return openat_again(function, folder, path, flags, mode); \
	}

OURS_OPEN(open, OPEN)
OURS_OPEN(open64, OPEN64)
OURS_OPENAT(openat, OPENAT)
OURS_OPENAT(openat64, OPENAT64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

OURS int __open_2(const char *path, int flags)
{
	return open_again(OPEN_2, path, flags, 0);
}

OURS int __open64_2(const char *path, int flags)
{
	return open_again(OPEN64_2, path, flags, 0);
}

OURS int __openat_2(int folder, const char *path, int flags)
{
	return openat_again(OPENAT_2, folder, path, flags, 0);
}

OURS int __openat64_2(int folder, const char *path, int flags)
{
	return openat_again(OPENAT64_2, folder, path, flags, 0);
}

/* --- streams ------------------------------------------------------------------ */

static int flags_of(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;

	if (*mode != 'r')
		flags |= *mode == 'a' ? O_APPEND : O_TRUNC;
	for (; *mode && *mode != ','; mode++)
		switch (*mode) {
		case '+': flags = (flags & ~O_ACCMODE) | O_RDWR; break;
		case 'e': flags |= O_CLOEXEC; break;
		case 'x': flags |= O_EXCL; break;
		}
	return flags;
}

static FILE *open_stream(const char *path, const char *mode)
{
	int fd = open_again(OPEN, path, flags_of(mode), 0666);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !stream)
		syscall(SYS_close, fd);
	return stream;
}

static FILE *fopen_again(enum function f, const char *path, const char *mode)
{
	__typeof(fopen) *libc = next(f);
	FILE *stream;

	do
		stream = libc ? libc(path, mode) : open_stream(path, mode);
	while (!stream && again(AT_FDCWD, path));
	return stream;
}

OURS FILE *fopen(const char *path, const char *mode)
{
	return fopen_again(FOPEN, path, mode);
}

OURS FILE *fopen64(const char *path, const char *mode)
{
	return fopen_again(FOPEN64, path, mode);
}
