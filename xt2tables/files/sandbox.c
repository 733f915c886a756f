/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.c - giving up what a command does not need
 *
 * Commands that read rulesets and captures, and at most write a file, drop
 * the rest before they read: should a file from outside take such a process
 * over after all, it cannot write but where its results go, start a program,
 * reach the network, get at other processes or the kernel's settings, or type
 * into the terminal; not as root either.
 *
 * Two walls, each if the kernel has it.  Landlock (Linux 5.13) leaves the file
 * system to be read; files can be written, made, renamed and removed only in
 * the folders of the outputs.  Reading is not restricted: plugins of libxtables
 * and the files of the name services are opened when a rule asks for them, and
 * systems differ in where they are.  A filter of seccomp refuses a list of
 * system calls with EPERM.  A list of what is allowed would be tighter, but
 * libc, libxtables' plugins and the sanitizers are other people's, and a new
 * version of them must not turn a check of rules into a crash.
 *
 * The kernel's headers may be older than it: what is asked of Landlock is
 * written out here, from include/uapi/linux/landlock.h of Linux 6.10.
 */
#include "config.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- files: Landlock --------------------------------------------------------- */

#define LANDLOCK_CREATE 444 /* system calls, the same number on all architectures */
#define LANDLOCK_ADD	445
#define LANDLOCK_ENTER	446

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE = 0x7f << 6, /* devices, folders, files, sockets, FIFOs, links */
	FS_MAKE_REG = 1 << 8,
	FS_REFER = 1 << 13, /* to another folder; ABI 2 */
	FS_TRUNCATE = 1 << 14, /* ABI 3 */
	FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
};

/* What is refused everywhere, what is not in the folder of an output, and not for an output. */
#define FS_HANDLED                                                                          \
	(FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE | FS_REFER | \
	 FS_TRUNCATE)
#define FS_FOLDER (FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_REFER | FS_TRUNCATE)
#define FS_FILE	  (FS_WRITE_FILE | FS_TRUNCATE)

struct landlock {
	int fd;
	uint64_t handled; /* of FS_HANDLED, what the kernel knows */
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* => false: the kernel has no Landlock, or it is switched off */
static bool landlock_create(struct landlock *l)
{
	const long abi = syscall(LANDLOCK_CREATE, NULL, 0, 1);

	if (abi < 1)
		return false;
	l->handled = FS_HANDLED;
	if (abi < 2)
		l->handled &= ~(uint64_t)FS_REFER;
	if (abi < 3)
		l->handled &= ~(uint64_t)FS_TRUNCATE;
	l->fd = (int)syscall(LANDLOCK_CREATE, &l->handled, sizeof(l->handled), 0);
	return l->fd >= 0;
}

/* => false: not done */
static bool landlock_allow(const struct landlock *l, const char *path, uint64_t what)
{
	struct landlock_beneath beneath = { what & l->handled, open(path, O_PATH | O_CLOEXEC) };
	bool done;

	if (beneath.parent < 0)
		return false;
	done = !syscall(LANDLOCK_ADD, l->fd, 1, &beneath, 0);
	close(beneath.parent);
	return done;
}

static bool allow_folder(const struct landlock *l, const char *file)
{
	const char *slash = strrchr(file, '/');
	char folder[PATH_MAX];

	if (!slash)
		return landlock_allow(l, ".", FS_FOLDER);
	if ((size_t)(slash - file) >= sizeof(folder))
		return false;
	memcpy(folder, file, (size_t)(slash - file));
	folder[slash - file] = '\0';
	return landlock_allow(l, slash == file ? "/" : folder, FS_FOLDER);
}

/*
 * A file is written by way of another in its folder; that of a symbolic link
 * is where it leads to.  What is no file is written itself.
 */
static bool allow_output(const struct landlock *l, const char *file)
{
	struct stat st;
	char *real;
	bool done;

	if (!stat(file, &st) && !S_ISREG(st.st_mode)) /* pipes of the shell are in no file system */
		return S_ISDIR(st.st_mode) || landlock_allow(l, file, FS_FILE) || errno == EBADFD;
	real = realpath(file, NULL);
	if (!real) /* there is none yet, or its folder is missing: the command will say so */
		return lstat(file, &st) && (allow_folder(l, file) || errno == ENOENT);
	done = allow_folder(l, real);
	free(real);
	return done;
}

/* Where an output leads to a place that cannot be told, all of this is left out. */
static void close_files(const struct xt2_sandbox *box)
{
	struct landlock l;
	bool done = true;
	unsigned int i;

	if (!landlock_create(&l))
		return;
	landlock_allow(&l, "/dev/null", FS_FILE); /* libraries write to it */
	for (i = 0; i < box->count; i++)
		if (box->outputs[i] && strcmp(box->outputs[i], "-"))
			done &= allow_output(&l, box->outputs[i]);
	if (done)
		syscall(LANDLOCK_ENTER, l.fd, 0);
	close(l.fd);
}

/* --- system calls: seccomp ------------------------------------------------------ */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#else
#define ARCH 0 /* no filter */
#endif

#define X32 0x40000000u /* the bit of a third ABI of x86-64, in its numbers */

/*
 * Refused whatever the arguments are.  Numbers above 423 are the same on all
 * architectures; others may be missing in one, and then the call is as well.
 */
static const unsigned int refused[] = {
	/* programs, and other processes */
	SYS_execve,
	SYS_execveat,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_setns,
	SYS_unshare,
	424, /* pidfd_send_signal */
	434, /* pidfd_open */
	438, /* pidfd_getfd */
	440, /* process_madvise */
	SYS_tkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_kcmp,
/* Of its own process the leak sanitizer is a debugger. */
#if !XT2_SANITIZED
	SYS_ptrace,
#endif
	/* network */
	SYS_listen,
	SYS_accept4,
#ifdef SYS_accept
	SYS_accept,
#endif
	/* the kernel */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_syslog,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	425, /* io_uring_setup: its calls pass no filter */
	426, /* io_uring_enter */
	427, /* io_uring_register */
#ifdef SYS_iopl
	SYS_iopl,
	SYS_ioperm,
#endif
	/* file systems, and what Landlock does not know of */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	428, /* open_tree */
	429, /* move_mount */
	430, /* fsopen */
	442, /* mount_setattr */
	SYS_open_by_handle_at,
	SYS_fchmodat,
	SYS_fchownat,
	452, /* fchmodat2 */
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_mknodat,
#ifdef SYS_chmod
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_mknod,
#endif
};

#define REFUSED	 (sizeof(refused) / sizeof(refused[0]))
#define CODE_MAX (2 * REFUSED + 40)

struct filter {
	struct sock_filter code[CODE_MAX];
	unsigned short len;
};

static void add(struct filter *f, unsigned short code, unsigned int k, unsigned int yes,
		unsigned int no)
{
	if (f->len == CODE_MAX)
		abort();
	f->code[f->len++] = (struct sock_filter){ code, (unsigned char)yes, (unsigned char)no, k };
}

static void load(struct filter *f, size_t offset)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned int)offset, 0, 0);
}

static void refuse(struct filter *f)
{
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

/* The number is loaded: an equal one is refused. */
static void refuse_call(struct filter *f, unsigned int number)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	refuse(f);
}

/*
 * A call is refused if an argument's low half is (@equal) or is not a value.
 * The number is loaded, before and after.
 */
static void refuse_argument(struct filter *f, unsigned int number, int arg, unsigned int value,
			    bool equal)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
	load(f, offsetof(struct seccomp_data, args[0]) + 8 * (size_t)arg);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, value, equal ? 0 : 1, equal ? 1 : 0);
	refuse(f);
	load(f, offsetof(struct seccomp_data, nr));
}

static void filter_make(struct filter *f, const struct xt2_sandbox *box)
{
	const unsigned int self = (unsigned int)getpid();
	size_t i;

	load(f, offsetof(struct seccomp_data, arch));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	refuse(f);
	load(f, offsetof(struct seccomp_data, nr));
	add(f, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
	refuse(f);
	for (i = 0; i < REFUSED; i++)
		refuse_call(f, refused[i]);
	/* abort() is a signal to oneself */
	refuse_argument(f, SYS_kill, 0, self, false);
	refuse_argument(f, SYS_tgkill, 0, self, false);
	/* what a terminal takes for typed */
	refuse_argument(f, SYS_ioctl, 1, TIOCSTI, true);
	refuse_argument(f, SYS_ioctl, 1, TIOCLINUX, true);
	if (!box->network && box->text)
		refuse_argument(f, SYS_socket, 0, AF_UNIX, false);
	else if (!box->network)
		refuse_call(f, SYS_socket);
	if (!box->network)
		refuse_call(f, SYS_bind);
	if (!box->network && !box->text)
		refuse_call(f, SYS_connect);
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Without SPEC_ALLOW older kernels make all code slower for a process with a filter. */
static void close_calls(const struct xt2_sandbox *box)
{
	struct filter f = { .len = 0 };
	struct sock_fprog program = { .filter = f.code };

	if (!ARCH)
		return;
	filter_make(&f, box);
	program.len = f.len;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program))
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

void xt2_sandbox_enter(const struct xt2_sandbox *box)
{
	static bool entered;
	const int before = errno;

	if (!entered && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		close_files(box);
		close_calls(box);
	}
	entered = true;
	errno = before;
}
