/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe-preload.c - what a program can still do when it ends
 *
 * For LD_PRELOAD: the destructor tries what a sandbox should refuse, and some
 * that it must not, and says how each went: "probe: NAME ERRNO", 0 if it was
 * done.  It asks the kernel itself, without libc's or the program's help.
 * PROBE_FOLDER is a folder with a file "there"; PROBE_OUTPUT one for results.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void say(const char *name, long result)
{
	const int error = result < 0 ? errno : 0;

	dprintf(STDERR_FILENO, "probe: %s %d\n", name, error);
}

static const char *in(const char *folder, const char *file, char *path)
{
	snprintf(path, 4096, "%s/%s", getenv(folder), file);
	return path;
}

static void files(void)
{
	char a[4096], b[4096];

	say("read", open(in("PROBE_FOLDER", "there", a), O_RDONLY));
	say("libraries", open("/proc/self/maps", O_RDONLY));
	say("null", open("/dev/null", O_RDWR));
	say("write", open(in("PROBE_FOLDER", "there", a), O_WRONLY));
	say("make", open(in("PROBE_FOLDER", "new", a), O_WRONLY | O_CREAT, 0600));
	say("folder", syscall(SYS_mkdirat, AT_FDCWD, in("PROBE_FOLDER", "sub", a), 0700));
	say("link", syscall(SYS_symlinkat, "x", AT_FDCWD, in("PROBE_FOLDER", "link", a)));
	say("rename", syscall(SYS_renameat2, AT_FDCWD, in("PROBE_FOLDER", "there", a), AT_FDCWD,
			      in("PROBE_FOLDER", "gone", b), 0));
	say("truncate", truncate(in("PROBE_FOLDER", "there", a), 0));
	say("remove", syscall(SYS_unlinkat, AT_FDCWD, in("PROBE_FOLDER", "there", a), 0));
	say("chmod", syscall(SYS_fchmodat, AT_FDCWD, in("PROBE_FOLDER", "there", a), 0777));
	if (!getenv("PROBE_OUTPUT"))
		return;
	say("output", open(in("PROBE_OUTPUT", "probed", a), O_WRONLY | O_CREAT, 0600));
	say("replace",
	    syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, in("PROBE_OUTPUT", "probed.2", b), 0));
	say("withdraw", syscall(SYS_unlinkat, AT_FDCWD, b, 0));
}

static void calls(void)
{
	char *const none[] = { NULL };
	char byte = 0;
	struct iovec iov = { &byte, 1 };

	say("internet", syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0));
	say("netlink", syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0));
	say("unix", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	say("bind", syscall(SYS_bind, -1, NULL, 0) < 0 && errno == EPERM ? -1 : 0);
	say("signal", syscall(SYS_kill, getppid(), 0));
	say("oneself", syscall(SYS_kill, getpid(), 0));
	say("memory", syscall(SYS_process_vm_readv, getpid(), &iov, 1ul, &iov, 1ul, 0ul));
	say("namespace", syscall(SYS_unshare, 0));
	say("uring", syscall(425, 0, NULL) < 0 && errno == EPERM ? -1 : 0);
	say("bpf", syscall(SYS_bpf, -1, NULL, 0) < 0 && errno == EPERM ? -1 : 0);
	say("typing", ioctl(STDIN_FILENO, TIOCSTI, &byte) < 0 && errno == EPERM ? -1 : 0);
	say("debugger", syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL));
	say("program", syscall(SYS_execve, "/nowhere", none, none) < 0 && errno == EPERM ? -1 : 0);
}

__attribute__((destructor)) static void probe(void)
{
	const long landlock = syscall(444, NULL, 0, 1);

	if (!getenv("PROBE_FOLDER"))
		return;
	dprintf(STDERR_FILENO, "probe: landlock-abi %ld\n", landlock);
	calls();
	files();
}
