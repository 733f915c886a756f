/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail-nth.c - let an allocation of each setsockopt() fail
 *
 * Preloaded into a tool.  FAIL_NTH is the number of the allocation, from 1.  A file that
 * FAIL_NOTE names exists afterwards if an allocation of that number was there to fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	int (*real)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
	const char *nth = getenv("FAIL_NTH"), *note = getenv("FAIL_NOTE");
	char left[16] = "";
	int nth_fd, ret, saved;

	nth_fd = nth ? open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC) : -1;
	if (nth_fd < 0 || write(nth_fd, nth, strlen(nth)) < 0)
		return real(fd, level, option, value, len);
	ret = real(fd, level, option, value, len);
	saved = errno;
	if (pread(nth_fd, left, sizeof(left) - 1, 0) > 0 && atoi(left) == 0 && note)
		close(open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	if (write(nth_fd, "0", 1) < 0)
		abort();
	close(nth_fd);
	errno = saved;
	return ret;
}
