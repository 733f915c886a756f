/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.c - one row for each kind of program that can run here
 *
 * The filter is made from the rows.  It sees numbers only, never strings or
 * structures, so it lets through what cannot be ours and asks about the rest:
 * sockopts in the range of the families', raw sockets of the kind that the
 * tools open, files opened to be read.  All else costs no more than the filter,
 * and most of that is cached by the kernel.
 *
 * What cannot be asked about must not get by either.  Programs of a kind that
 * has layouts of its own (x32, 32-bit ARM), or whose memory this program cannot
 * address, have their sockopts answered ENOSYS rather than misread.  So is
 * io_uring: the kernel makes the calls of a ring (IORING_OP_URING_CMD can be a
 * setsockopt) where no filter sees them, and programs with rings know how to do
 * without on kernels that have none.
 */
#include "abi.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define NONE	   (~0u)
#define X32	   0x40000000u
#define OPT_FIRST  64 /* IPT_SO_SET_REPLACE */
#define OPT_LAST   131 /* EBT_SO_GET_INIT_ENTRIES */
#define OPT_SETS   83 /* SO_IP_SET, which is none of them */
#define TYPE_MASK  0xf /* of a socket, without SOCK_CLOEXEC and SOCK_NONBLOCK */
#define SUB_SOCKET 1 /* of socketcall(2) */
#define SUB_SETOPT 14
#define SUB_GETOPT 15

struct abi {
	__u32 arch;
	int compat;
	__u32 nr[XT2_SYSCALLS];
	__u32 refused[4]; /* sockopts that get no answers; 0: no more */
};

#define SILENT                                           \
	{                                                \
		NONE, NONE, NONE, NONE, NONE, NONE, NONE \
	}
#define X32_SOCKOPTS X32 | 541, X32 | 542

#if defined(__x86_64__)
static const struct abi abis[] = {
	{ AUDIT_ARCH_X86_64, 0, { 54, 55, 41, NONE, 2, 257, 437 }, { X32_SOCKOPTS } },
	{ AUDIT_ARCH_I386, 1, { 366, 365, 359, 102, 5, 295, 437 }, { 0 } },
};
#elif defined(__i386__)
static const struct abi abis[] = {
	{ AUDIT_ARCH_I386, 1, { 366, 365, 359, 102, 5, 295, 437 }, { 0 } },
	{ AUDIT_ARCH_X86_64, 0, SILENT, { 54, 55, X32_SOCKOPTS } },
};
#elif defined(__aarch64__)
static const struct abi abis[] = {
	{ AUDIT_ARCH_AARCH64, 0, { 208, 209, 198, NONE, NONE, 56, 437 }, { 0 } },
	{ AUDIT_ARCH_ARM, 1, SILENT, { 294, 295 } },
};
#elif defined(__riscv) && __riscv_xlen == 64
static const struct abi abis[] = {
	{ AUDIT_ARCH_RISCV64, 0, { 208, 209, 198, NONE, NONE, 56, 437 }, { 0 } },
	{ AUDIT_ARCH_RISCV32, 1, SILENT, { 208, 209 } },
};
#else
static const struct abi abis[0];
#endif

#define ABIS (sizeof(abis) / sizeof(abis[0]))

/* --- the filter --------------------------------------------------------- */

#define NR		  offsetof(struct seccomp_data, nr)
#define ARCH		  offsetof(struct seccomp_data, arch)
#define ARG(n)		  offsetof(struct seccomp_data, args[n]) /* its low half */
#define LOAD(at)	  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define AND(k)		  BPF_STMT(BPF_ALU | BPF_AND | BPF_K, k)
#define JUMP(op, k, t, f) BPF_JUMP(BPF_JMP | BPF_##op | BPF_K, k, t, f)
#define RET(k)		  BPF_STMT(BPF_RET | BPF_K, k)
#define ASK		  RET(SECCOMP_RET_USER_NOTIF)
#define ALLOW		  RET(SECCOMP_RET_ALLOW)
#define REFUSE		  RET(SECCOMP_RET_ERRNO | ENOSYS)

#define SOCKOPT(answer)                                                                      \
	{                                                                                    \
		LOAD(ARG(1)), JUMP(JEQ, IPPROTO_IP, 1, 0), JUMP(JEQ, IPPROTO_IPV6, 0, 5),    \
			LOAD(ARG(2)), JUMP(JGE, OPT_FIRST, 0, 3), JUMP(JGT, OPT_LAST, 2, 0), \
			JUMP(JEQ, OPT_SETS, 1, 0), answer, ALLOW                             \
	}

static const struct sock_filter sockopt[] = SOCKOPT(ASK);
static const struct sock_filter refused_sockopt[] = SOCKOPT(REFUSE);

static const struct sock_filter raw_socket[] = {
	LOAD(ARG(0)),
	JUMP(JEQ, AF_INET, 1, 0),
	JUMP(JEQ, AF_INET6, 0, 7),
	LOAD(ARG(1)),
	AND(TYPE_MASK),
	JUMP(JEQ, SOCK_RAW, 0, 4),
	LOAD(ARG(2)),
	JUMP(JEQ, IPPROTO_RAW, 1, 0),
	JUMP(JEQ, PF_INET, 0, 1), /* ebtables takes it for a protocol */
	ASK,
	ALLOW,
};

static const struct sock_filter socketcall[] = {
	LOAD(ARG(0)),
	JUMP(JEQ, SUB_SOCKET, 2, 0),
	JUMP(JEQ, SUB_SETOPT, 1, 0),
	JUMP(JEQ, SUB_GETOPT, 0, 1),
	ASK,
	ALLOW,
};

#define OPEN(flags)                                                                \
	{                                                                          \
		LOAD(ARG(flags)), AND(O_ACCMODE | O_CREAT | O_DIRECTORY | O_PATH), \
			JUMP(JEQ, O_RDONLY, 0, 1), ASK, ALLOW                      \
	}

static const struct sock_filter open_file[] = OPEN(1);
static const struct sock_filter openat_file[] = OPEN(2);
static const struct sock_filter openat2_file[] = { ASK };

/* io_uring_setup(), io_uring_enter(), io_uring_register(): the same numbers everywhere. */
static const struct sock_filter rings[] = {
	LOAD(NR), AND(~X32), JUMP(JGE, 425, 0, 2), JUMP(JGT, 427, 1, 0), REFUSE,
};

#define TAIL(array) array, sizeof(array) / sizeof((array)[0])

static const struct {
	const struct sock_filter *code;
	unsigned int n;
} tails[XT2_SYSCALLS] = {
	[XT2_SYS_SETSOCKOPT] = { TAIL(sockopt) },   [XT2_SYS_GETSOCKOPT] = { TAIL(sockopt) },
	[XT2_SYS_SOCKET] = { TAIL(raw_socket) },    [XT2_SYS_SOCKETCALL] = { TAIL(socketcall) },
	[XT2_SYS_OPEN] = { TAIL(open_file) },	    [XT2_SYS_OPENAT] = { TAIL(openat_file) },
	[XT2_SYS_OPENAT2] = { TAIL(openat2_file) },
};

/* "If the call's number is this one": over the tail if not. */
static unsigned int block(struct sock_filter *code, __u32 nr, const struct sock_filter *tail,
			  unsigned int n)
{
	const struct sock_filter head[] = { LOAD(NR), JUMP(JEQ, nr, 0, (__u8)n) };

	memcpy(code, head, sizeof(head));
	memcpy(code + 2, tail, n * sizeof(*tail));
	return n + 2;
}

static unsigned int row(struct sock_filter *code, const struct abi *abi)
{
	const struct sock_filter end[] = { ALLOW };
	unsigned int i, n = 0;

	for (i = 0; i < XT2_SYSCALLS; i++)
		if (abi->nr[i] != NONE)
			n += block(code + n, abi->nr[i], tails[i].code, tails[i].n);
	for (i = 0; i < sizeof(abi->refused) / sizeof(abi->refused[0]) && abi->refused[i]; i++)
		n += block(code + n, abi->refused[i], TAIL(refused_sockopt));
	memcpy(code + n, rings, sizeof(rings));
	n += sizeof(rings) / sizeof(rings[0]);
	memcpy(code + n, end, sizeof(end));
	return n + 1;
}

unsigned int xt2_abi_filter(struct sock_filter *code)
{
	const struct sock_filter last[] = { ALLOW };
	unsigned int i, n = 0;

	for (i = 0; i < ABIS; i++) {
		unsigned int size = row(code + n + 3, &abis[i]);
		const struct sock_filter head[] = {
			LOAD(ARCH),
			JUMP(JEQ, abis[i].arch, 1, 0),
			BPF_STMT(BPF_JMP | BPF_JA, size),
		};

		memcpy(code + n, head, sizeof(head));
		n += size + 3;
	}
	memcpy(code + n, last, sizeof(last));
	return ABIS ? n + 1 : 0;
}

/* --- what was called ---------------------------------------------------- */

enum xt2_syscall xt2_abi_syscall(const struct seccomp_data *data, int *compat)
{
	unsigned int i, call;

	for (i = 0; i < ABIS; i++) {
		if (abis[i].arch != data->arch)
			continue;
		*compat = abis[i].compat;
		for (call = 0; call < XT2_SYSCALLS; call++)
			if (abis[i].nr[call] == (__u32)data->nr && abis[i].nr[call] != NONE)
				return call;
	}
	return XT2_SYSCALLS;
}
