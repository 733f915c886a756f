/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - the processes of "xt2 run"
 *
 *   xt2 run ----- supervisor ----- COMMAND ----- whatever it starts
 *   waits         answers          behind the filter
 *
 * The supervisor is an ancestor of all that it looks into, since a kernel may
 * allow that to ancestors only, and adopts processes whose parents end.  It is
 * a process of its own so that "xt2 run" ends with COMMAND, while daemons that
 * COMMAND has left behind still get answers.
 *
 * Ends: if the supervisor is killed, its child is killed too, and calls of
 * other processes that it should have answered fail with ENOSYS; nothing hangs,
 * and nothing reaches the kernel's tables.  Signals of the terminal reach all
 * processes by themselves; others are passed on to COMMAND.
 */
#include "run.h"
#include "abi.h"
#include "supervisor.h"
#include "config.h"
#include "libxt2/err.h"
#include "libxt2/printable.h"
#include "libxt2/ruleset/ruleset.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHIM	       "libxt2-shim.so"
#define RETRY	       "libxt2-retry.so"
#define NOT_FOUND      127
#define NOT_EXECUTABLE 126

/* Signals that are passed on. */
static const int passed[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH,
};

/* Signals that stop the command, but must not stop answers. */
static const int ignored[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE };

struct family {
	int report; /* to who waits: the exit status as an int, or -errno */
	int signals; /* signalfd */
	pid_t command; /* 0: it has ended */
	char retry[PATH_MAX]; /* the library to preload; "": none */
	sigset_t mask; /* of signals, for the command */
	void (*on_child)(int); /* its SIGCHLD: who ignores that has no children to wait for */
};

/* --- libraries to preload -------------------------------------------------- */

/* => 0, -ENOENT: the library is neither beside this program nor where it belongs */
static int find_library(const char *name, char *path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		*slash = '\0';
		if (snprintf(path, PATH_MAX, "%s/.libs/%s", self, name) < PATH_MAX &&
		    !access(path, R_OK))
			return 0;
	}
	snprintf(path, PATH_MAX, "%s/%s", XT2_LIBDIR, name);
	return access(path, R_OK) ? -ENOENT : 0;
}

/* Behind what the variable has, unless it has it already. */
static void append(const char *variable, const char *word)
{
	const char *others = getenv(variable);
	char *list;

	if (others && strstr(others, word))
		return;
	if (asprintf(&list, "%s%s%s", others ? others : "", others && *others ? ":" : "", word) < 0)
		return;
	setenv(variable, list, 1);
	free(list);
}

/* AddressSanitizer as a library refuses to start after others unless it is told to. */
static void preload_retry(const char *path)
{
	append("LD_PRELOAD", path);
	append("ASAN_OPTIONS", "verify_asan_link_order=0");
}

/* --- the command --------------------------------------------------------- */

static int status_of_exec(int error)
{
	return error == ENOENT || error == ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE;
}

static int cannot_exec(const char *command, int error)
{
	xt2_print_line(stderr, "xt2 run: %s: %s", command, strerror(error));
	return status_of_exec(error);
}

/*
 * Root need not give up set-user-ID programs for the filter.  A thread that
 * has been received is not interrupted by signals, if the kernel can do that:
 * the call would be made twice.
 * => listener, -1 and errno; *once: the kernel can do that
 */
static int install_filter(int *once)
{
	static const unsigned long flags[] = {
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		SECCOMP_FILTER_FLAG_NEW_LISTENER,
	};
	struct sock_filter code[XT2_FILTER_MAX];
	struct sock_fprog program = { (unsigned short)xt2_abi_filter(code), code };
	int fd, i;

	for (i = 0; i < 4; i++) {
		if (i == 2 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
			return -1;
		fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i % 2], &program);
		*once = i % 2 == 0;
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* A descriptor and a number over a socket. */
static int send_listener(int to, int fd, int number)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { &number, sizeof(number) };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(number) ? 0 : -errno;
}

/* => descriptor, -errno */
static int receive_listener(int from)
{
	char control[CMSG_SPACE(sizeof(int))];
	int number = EIO, fd = -1;
	struct iovec data = { &number, sizeof(number) };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) <= 0)
		return -EIO;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd >= 0 ? fd : -number;
}

/* The process that becomes COMMAND: filter, leave to go on, exec. */
static void command(const struct xt2_run *run, int channel, const struct family *f)
{
	int fd, once, number = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = install_filter(&once);
	if (send_listener(channel, fd, fd < 0 ? errno : 0) ||
	    read(channel, &number, sizeof(number)) != (ssize_t)sizeof(number))
		_exit(NOT_EXECUTABLE);
	close(fd);
	signal(SIGCHLD, f->on_child);
	sigprocmask(SIG_SETMASK, &f->mask, NULL);
	if (once && *f->retry)
		preload_retry(f->retry);
	execvp(run->argv[0], run->argv);
	number = errno;
	send_listener(channel, -1, number);
	_exit(status_of_exec(number));
}

/* --- the supervisor ------------------------------------------------------- */

static void report(int to, int status)
{
	if (write(to, &status, sizeof(status)) < 0)
		return; /* nobody is interested any more */
}

/* Its status is known, its output is not ours to keep open. */
static void command_ended(struct family *f, int status)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	report(f->report, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	close(f->report);
	f->report = -1;
	f->command = 0;
}

static void reap(struct family *f)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == f->command)
			command_ended(f, status);
}

/* From the terminal, COMMAND has got it as well. */
static int from_terminal(const struct signalfd_siginfo *si)
{
	return si->ssi_code == SI_KERNEL;
}

static void on_signal(struct family *f)
{
	struct signalfd_siginfo si;

	while (read(f->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			reap(f);
		else if (f->command && !from_terminal(&si))
			kill(f->command, (int)si.ssi_signo);
	}
}

/* Starts COMMAND.  => 0, -errno: the filter is not to be had */
static int start(const struct xt2_run *run, struct family *f, struct xt2_shim_store *store,
		 struct xt2_supervisor **sv)
{
	int channel[2], listener, go = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel))
		return -errno;
	f->command = fork();
	if (f->command < 0)
		return -errno;
	if (!f->command) {
		close(channel[0]);
		command(run, channel[1], f);
	}
	close(channel[1]);
	listener = receive_listener(channel[0]);
	if (listener < 0)
		return listener;
	*sv = xt2_supervisor_new(store, listener, f->retry, run->verbose);
	if (!*sv)
		return -errno;
	if (send(channel[0], &go, sizeof(go), MSG_NOSIGNAL) != (ssize_t)sizeof(go))
		return -EIO;
	listener = receive_listener(channel[0]); /* ends when COMMAND has begun */
	close(channel[0]);
	if (listener != -EIO)
		cannot_exec(run->argv[0], -listener);
	return 0;
}

static struct xt2_shim_store *new_store(const struct xt2_run *run)
{
	return run->image ? xt2_shim_edit_new(run->image) : xt2_shim_live_new(&run->live);
}

static void supervise(const struct xt2_run *run, struct family *f, struct xt2_shim_store *store)
{
	struct xt2_supervisor *sv = NULL;
	size_t i;
	int ret;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	f->on_child = signal(SIGCHLD, SIG_DFL);
	ret = start(run, f, store, &sv);
	if (ret < 0) {
		report(f->report, ret);
		_exit(0); /* and with it a child that waits for leave */
	}
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN); /* not before: it would be so for COMMAND */
	while ((ret = xt2_supervisor_run(sv, f->signals)) == 1)
		on_signal(f);
	/* Nobody is left to be answered; the last to end may be COMMAND. */
	xt2_supervisor_free(sv);
	xt2_shim_store_free(store);
	while (f->command) {
		struct pollfd p = { .fd = f->signals, .events = POLLIN };

		if (poll(&p, 1, -1) > 0)
			on_signal(f);
	}
	_exit(0);
}

/* --- who waits ------------------------------------------------------------ */

static void pass_on(int signals, pid_t to)
{
	struct signalfd_siginfo si;

	while (read(signals, &si, sizeof(si)) == (ssize_t)sizeof(si))
		if (si.ssi_signo != SIGCHLD && !from_terminal(&si))
			kill(to, (int)si.ssi_signo);
}

/* => what the supervisor reports; -EIO: it has ended without a word */
static int wait_for(int from, int signals, pid_t supervisor)
{
	struct pollfd p[2] = { { .fd = from, .events = POLLIN },
			       { .fd = signals, .events = POLLIN } };
	int status;

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents)
			pass_on(signals, supervisor);
		if (p[0].revents)
			break;
	}
	return read(from, &status, sizeof(status)) == (ssize_t)sizeof(status) ? status : -EIO;
}

/* => descriptor of the signals to pass on, which are blocked from now on; -1 */
static int block_signals(sigset_t *before)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaddset(&set, passed[i]);
	if (sigprocmask(SIG_BLOCK, &set, before))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * @store: what was loaded for the check need not be loaded again; freed
 * => as xt2_run(); -errno also if there can be no supervisor
 */
static int run_supervised(const struct xt2_run *run, struct xt2_shim_store *store)
{
	struct family f = { .report = -1 };
	pid_t supervisor;
	int ends[2], ret;

	if (run->no_retry || find_library(RETRY, f.retry) || strpbrk(f.retry, ": "))
		*f.retry = '\0'; /* it is not missed where it cannot be had */
	f.signals = block_signals(&f.mask);
	ret = f.signals < 0 || pipe2(ends, O_CLOEXEC) ? -errno : 0;
	supervisor = ret ? -1 : fork();
	if (!supervisor) {
		close(ends[0]);
		f.report = ends[1];
		supervise(run, &f, store);
	}
	if (!ret && supervisor < 0)
		ret = -errno;
	xt2_shim_store_free(store);
	if (ret)
		return ret;
	close(ends[1]);
	ret = wait_for(ends[0], f.signals, supervisor);
	close(ends[0]);
	close(f.signals);
	sigprocmask(SIG_SETMASK, &f.mask, NULL);
	return ret;
}

/* --- the other way ---------------------------------------------------------- */

static int run_preloaded(const struct xt2_run *run, struct xt2_err *err)
{
	const char *others = getenv("LD_PRELOAD");
	char path[PATH_MAX], list[2 * PATH_MAX];

	if (find_library(SHIM, path))
		return xt2_err_set(err, XT2_E_SYSTEM, ENOENT, "%s is not installed in %s", SHIM,
				   XT2_LIBDIR);
	snprintf(list, sizeof(list), "%s%s%s", path, others && *others ? ":" : "",
		 others ? others : "");
	setenv("LD_PRELOAD", list, 1);
	execvp(run->argv[0], run->argv);
	return cannot_exec(run->argv[0], errno);
}

/* --- all of it ------------------------------------------------------------- */

/*
 * The lock that iptables takes, beside the image.  If nothing can be written
 * there, nothing can be changed either, and any file will do to be locked.
 * => 0; -ELOOP, -EISDIR: something is there that nobody should lock
 */
static int set_lock_file(const char *image, struct xt2_err *err)
{
	char path[PATH_MAX + 16];
	struct xt2_err why;
	int fd;

	snprintf(path, sizeof(path), "%s.xtables.lock", image);
	fd = xt2_lock_open(path, &why);
	if (fd == -ELOOP || fd == -EISDIR) {
		*err = why;
		return fd;
	}
	setenv("XTABLES_LOCKFILE", fd >= 0 ? path : "/dev/null", 1);
	if (fd >= 0)
		close(fd);
	return 0;
}

/* => 0 and a path that means the same in other folders, -errno */
static int absolute_path(const char *image, char *path, struct xt2_err *err)
{
	char cwd[PATH_MAX] = "";
	struct stat st;
	char *slash;
	int n, ret;

	if (!*image)
		return xt2_shim_fail(err, image, ENOENT, "cannot open an image without a name");
	if (*image != '/' && !getcwd(cwd, sizeof(cwd) - 1))
		return xt2_shim_fail(err, image, errno, "cannot find the current folder");
	n = snprintf(path, PATH_MAX, "%s%s%s", cwd, *image == '/' ? "" : "/", image);
	if (n >= PATH_MAX)
		return xt2_shim_fail(err, image, ENAMETOOLONG, "cannot open");
	slash = strrchr(path, '/');
	if (slash == path)
		return 0;
	*slash = '\0';
	ret = stat(path, &st) ? xt2_shim_fail(err, image, errno, "cannot open the folder") : 0;
	*slash = '/';
	return ret;
}

/* => 0: the ruleset is good, or there is none yet; -errno: and no store */
static int check_store(const struct xt2_run *run, struct xt2_shim_store **store,
		       struct xt2_err *err)
{
	int ret;

	*store = new_store(run);
	if (!*store)
		return xt2_shim_fail(err, run->image ? run->image : "the live ruleset", ENOMEM,
				     "cannot open");
	ret = xt2_shim_store_load(*store, err);
	if (ret >= 0)
		return 0;
	xt2_shim_store_free(*store);
	return ret;
}

/* => as xt2_run() */
static int run_live(const struct xt2_run *run, struct xt2_err *err)
{
	struct xt2_store place = { .kind = XT2_STORE_LIVE,
				   .netns = run->netns,
				   .pin = run->live.pin };
	struct xt2_shim_store *store;
	int ret = xt2_store_lock(&place, XT2_STORE_LOOK, -1, err);

	xt2_store_unlock(&place);
	if (ret == -ENOENT) /* nothing is live yet; this process is in the namespace */
		ret = 0;
	if (!ret)
		ret = check_store(run, &store, err);
	if (ret < 0)
		return ret;
	ret = run_supervised(run, store);
	if (ret == -EIO)
		return xt2_err_set(err, XT2_E_SYSTEM, EIO, "the supervisor was killed");
	return ret < 0 ? xt2_err_set(err, XT2_E_UNSUPPORTED, -ret, "there can be no supervisor: %s",
				     strerror(-ret))
		       : ret;
}

int xt2_run(const struct xt2_run *run, struct xt2_err *err)
{
	struct xt2_run absolute = *run;
	struct xt2_shim_store *store = NULL;
	char path[PATH_MAX];
	int ret;

	memset(err, 0, sizeof(*err));
	if (!run->image)
		return run_live(run, err);
	ret = absolute_path(run->image, path, err);
	absolute.image = path;
	if (!ret)
		ret = check_store(&absolute, &store, err);
	if (!ret) {
		ret = set_lock_file(path, err);
		if (ret < 0 || run->preload)
			xt2_shim_store_free(store);
	}
	if (ret < 0)
		return ret;
	setenv("XT2_IMAGE", path, 1);
	ret = run->preload ? -EOPNOTSUPP : run_supervised(&absolute, store);
	if (ret >= 0)
		return ret;
	if (ret == -EIO)
		return xt2_err_set(err, XT2_E_SYSTEM, EIO, "the supervisor was killed");
	if (run->verbose && !run->preload)
		fprintf(stderr, "xt2 run: no supervisor here (%s): preloading " SHIM "\n",
			strerror(-ret));
	return run_preloaded(&absolute, err);
}
