/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-abi.c - shim/abi.c: the filter, run by an interpreter of our own */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "shim/abi.h"

#define ASK    SECCOMP_RET_USER_NOTIF
#define ALLOW  SECCOMP_RET_ALLOW
#define NOSYS  (SECCOMP_RET_ERRNO | ENOSYS)
#define X86_64 AUDIT_ARCH_X86_64
#define I386   AUDIT_ARCH_I386

static struct sock_filter code[XT2_FILTER_MAX];
static unsigned int size;

static unsigned int jump(const struct sock_filter *f, __u32 a)
{
	switch (BPF_OP(f->code)) {
	case BPF_JA: return f->k;
	case BPF_JEQ: return a == f->k ? f->jt : f->jf;
	case BPF_JGE: return a >= f->k ? f->jt : f->jf;
	case BPF_JGT: return a > f->k ? f->jt : f->jf;
	}
	fail_msg("jump %x", f->code);
	return 0;
}

/* => what the filter returns */
static __u32 filter(const struct seccomp_data *data)
{
	unsigned int at = 0;
	__u32 a = 0;

	for (;;) {
		const struct sock_filter *f = &code[at++];

		assert_true(at <= size);
		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			assert_int_equal(f->code, BPF_LD | BPF_W | BPF_ABS);
			assert_true(f->k + sizeof(a) <= sizeof(*data));
			memcpy(&a, (const char *)data + f->k, sizeof(a));
			break;
		case BPF_ALU:
			assert_int_equal(f->code, BPF_ALU | BPF_AND | BPF_K);
			a &= f->k;
			break;
		case BPF_JMP: at += jump(f, a); break;
		case BPF_RET: return f->k;
		default: fail_msg("instruction %x", f->code);
		}
	}
}

static const struct {
	__u32 arch, nr;
	__u64 arg[3];
	__u32 answer;
} cases[] = {
	/* setsockopt(), getsockopt(): level, name */
	{ X86_64, 54, { 3, IPPROTO_IP, 64 }, ASK },
	{ X86_64, 55, { 3, IPPROTO_IP, 131 }, ASK },
	{ X86_64, 55, { 3, IPPROTO_IPV6, 69 }, ASK },
	{ X86_64, 55, { 3, IPPROTO_IPV6 | 1ull << 32, 69 | 1ull << 32 }, ASK }, /* they are ints */
	{ X86_64, 54, { 3, IPPROTO_IP, 63 }, ALLOW },
	{ X86_64, 55, { 3, IPPROTO_IP, 82 }, ASK },
	{ X86_64, 55, { 3, IPPROTO_IP, 83 }, ALLOW }, /* ipsets: one for each rule with a set */
	{ X86_64, 55, { 3, IPPROTO_IP, 84 }, ASK },
	{ X86_64, 54, { 3, IPPROTO_IP, 132 }, ALLOW },
	{ X86_64, 54, { 3, SOL_SOCKET, 64 }, ALLOW },
	{ X86_64, 54, { 3, IPPROTO_TCP, 64 }, ALLOW },
	{ I386, 366, { 3, IPPROTO_IP, 64 }, ASK },
	{ I386, 365, { 3, IPPROTO_IPV6, 65 }, ASK },
	{ I386, 365, { 3, IPPROTO_IPV6, 63 }, ALLOW },
	{ I386, 54, { 3, IPPROTO_IP, 64 }, ALLOW }, /* ioctl() */
	{ X86_64, 366, { 3, IPPROTO_IP, 64 }, ALLOW },
	/* x32 */
	{ X86_64, 0x40000000 | 541, { 3, IPPROTO_IP, 64 }, NOSYS },
	{ X86_64, 0x40000000 | 542, { 3, IPPROTO_IPV6, 65 }, NOSYS },
	{ X86_64, 0x40000000 | 542, { 3, SOL_SOCKET, 65 }, ALLOW },
	{ X86_64, 0x40000000 | 41, { AF_INET, SOCK_RAW, IPPROTO_RAW }, ALLOW },
	/* io_uring */
	{ X86_64, 424, { 0, 0, 0 }, ALLOW },
	{ X86_64, 425, { 8, 0, 0 }, NOSYS },
	{ X86_64, 426, { 3, 1, 0 }, NOSYS },
	{ X86_64, 427, { 3, 0, 0 }, NOSYS },
	{ X86_64, 428, { 0, 0, 0 }, ALLOW },
	{ X86_64, 0x40000000 | 425, { 8, 0, 0 }, NOSYS },
	{ I386, 425, { 8, 0, 0 }, NOSYS },
	{ I386, 426, { 3, 1, 0 }, NOSYS },
	{ I386, 427, { 3, 0, 0 }, NOSYS },
	/* socket() */
	{ X86_64, 41, { AF_INET, SOCK_RAW, IPPROTO_RAW }, ASK },
	{ X86_64, 41, { AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW }, ASK },
	{ X86_64, 41, { AF_INET, SOCK_RAW, PF_INET }, ASK },
	{ X86_64, 41, { AF_INET, SOCK_RAW, IPPROTO_ICMP }, ALLOW },
	{ X86_64, 41, { AF_INET, SOCK_DGRAM, IPPROTO_RAW }, ALLOW },
	{ X86_64, 41, { AF_INET, SOCK_STREAM, 0 }, ALLOW },
	{ X86_64, 41, { AF_UNIX, SOCK_RAW, IPPROTO_RAW }, ALLOW },
	{ X86_64, 41, { AF_NETLINK, SOCK_RAW, 12 }, ALLOW },
	{ I386, 359, { AF_INET, SOCK_RAW, IPPROTO_RAW }, ASK },
	{ I386, 102, { 1, 0, 0 }, ASK },
	{ I386, 102, { 14, 0, 0 }, ASK },
	{ I386, 102, { 15, 0, 0 }, ASK },
	{ I386, 102, { 2, 0, 0 }, ALLOW },
	{ I386, 102, { 13, 0, 0 }, ALLOW },
	{ I386, 102, { 16, 0, 0 }, ALLOW },
	/* open(), openat(), openat2() */
	{ X86_64, 2, { 0, O_RDONLY, 0 }, ASK },
	{ X86_64, 2, { 0, O_RDONLY | O_CLOEXEC, 0 }, ASK },
	{ X86_64, 2, { 0, O_WRONLY, 0 }, ALLOW },
	{ X86_64, 2, { 0, O_RDWR, 0 }, ALLOW },
	{ X86_64, 257, { (__u64)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC }, ASK },
	{ X86_64, 257, { (__u64)AT_FDCWD, 0, O_RDONLY | O_CREAT }, ALLOW },
	{ X86_64, 257, { (__u64)AT_FDCWD, 0, O_RDONLY | O_DIRECTORY }, ALLOW },
	{ X86_64, 257, { (__u64)AT_FDCWD, 0, O_PATH }, ALLOW },
	{ X86_64, 437, { (__u64)AT_FDCWD, 0, 0 }, ASK },
	{ I386, 5, { 0, O_RDONLY, 0 }, ASK },
	{ I386, 295, { 0, 0, O_RDONLY }, ASK },
	{ I386, 295, { 0, 0, O_RDWR }, ALLOW },
	{ I386, 437, { 0, 0, 0 }, ASK },
	/* programs of other machines have no calls of ours */
	{ AUDIT_ARCH_AARCH64, 54, { 3, IPPROTO_IP, 64 }, ALLOW },
};

static void questions(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seccomp_data data = { .nr = (int)cases[i].nr, .arch = cases[i].arch };
		__u32 answer;

		memcpy(data.args, cases[i].arg, sizeof(cases[i].arg));
		answer = filter(&data);
		if (answer != cases[i].answer)
			fail_msg("case %zu (call %u): %x", i, cases[i].nr, answer);
	}
}

static int of_rings(int nr)
{
	return nr >= 425 && nr <= 427;
}

/* Whatever the arguments, other calls are nobody's business. */
static void all_others(void **state)
{
	static const __u32 arches[] = { X86_64, I386 };
	unsigned int i, asked = 0, sets = 0;
	int nr, compat;

	for (i = 0; i < 2; i++)
		for (nr = -1; nr < 2000; nr++) {
			const struct seccomp_data data = {
				.nr = nr,
				.arch = arches[i],
				.args = { 2, 3, 255 },
			};
			enum xt2_syscall call = xt2_abi_syscall(&data, &compat);

			if (call == XT2_SYSCALLS)
				assert_int_equal(filter(&data), of_rings(nr) ? NOSYS : ALLOW);
			else
				assert_int_equal(compat, arches[i] == I386);
			asked += call != XT2_SYSCALLS;
			sets += call == XT2_SYS_SETSOCKOPT;
		}
	assert_int_equal(asked, 6 + 7);
	assert_int_equal(sets, 2);
}

static int make_filter(void **state)
{
	size = xt2_abi_filter(code);
	return size > 0 && size <= XT2_FILTER_MAX ? 0 : -1;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions),
		cmocka_unit_test(all_others),
	};

	if (!xt2_abi_filter(code) || code[1].k != X86_64)
		return 77; /* the cases are those of x86-64 */
	return cmocka_run_group_tests(tests, make_filter, NULL);
}
