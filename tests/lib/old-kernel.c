/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old-kernel.c - let bpf(2) answer as an older kernel does
 *
 * For LD_PRELOAD.  OLD_KERNEL is what the kernel lacks: "netfilter" programs,
 * "arenas", "programs" that say more than a few instructions, which stands for what
 * its verifier doesn't know, or "bpf", the whole of it.  "memory" is no old kernel,
 * but one that has none left for maps.  "companions": nf_tables does not know iptables' matches.
 * "preemption": its types say that no global function may be called with preemption off.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MATCH "match" /* the name of an expression in a message */

struct btf;

/* Newer than the kernel's headers may be. */
enum { PROG_TYPE_NETFILTER = 32, MAP_TYPE_ARENA = 33, FEW = 16 };

const char *btf__name_by_offset(const struct btf *types, unsigned int offset);

/* => the error of a kernel without this; 0: it has it */
static int lacks(const char *what, long command, const union bpf_attr *attr)
{
	if (!strcmp(what, "bpf"))
		return ENOSYS;
	if (command == BPF_MAP_CREATE) {
		if (!strcmp(what, "memory"))
			return ENOMEM;
		return !strcmp(what, "arenas") && attr->map_type == MAP_TYPE_ARENA ? EINVAL : 0;
	}
	if (command != BPF_PROG_LOAD || attr->prog_type != PROG_TYPE_NETFILTER)
		return 0;
	if (!strcmp(what, "netfilter") || (!strcmp(what, "programs") && attr->insn_cnt > FEW))
		return EINVAL;
	return 0;
}

/* Of libbpf, which compares the names of the kernel's types with those that a program asks for. */
const char *btf__name_by_offset(const struct btf *types, unsigned int offset)
{
	static const char *(*next)(const struct btf *, unsigned int);
	const char *what = getenv("OLD_KERNEL"), *name;

	if (!next)
		next = (const char *(*)(const struct btf *, unsigned int))dlsym(RTLD_NEXT,
										__func__);
	name = next(types, offset);
	if (!what || strcmp(what, "preemption") || !name || strcmp(name, "bpf_subprog_info"))
		return name;
	fputs("old kernel: preemption\n", stderr);
	return "another";
}

long syscall(long number, ...)
{
	long (*next)(long number, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	const char *what = getenv("OLD_KERNEL");
	long a[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && what)
		errno = lacks(what, a[0], (const union bpf_attr *)a[1]);
	if (number == SYS_bpf && what && errno)
		return -1;
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to,
	       socklen_t to_size)
{
	ssize_t (*next)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) =
		(ssize_t(*)(int, const void *, size_t, int, const struct sockaddr *,
			    socklen_t))dlsym(RTLD_NEXT, "sendto");
	const char *what = getenv("OLD_KERNEL");

	if (what && !strcmp(what, "companions") && memmem(data, size, MATCH, sizeof(MATCH))) {
		errno = ENOENT;
		return -1;
	}
	return next(fd, data, size, flags, to, to_size);
}
