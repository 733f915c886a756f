/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervisor.c - the firewall sockopts of other processes, answered from an image or what is live
 *
 * The kernel stops a thread at a call that the filter (abi.c) asks about, and
 * this program answers in the kernel's place or lets the call go on.  What it
 * decides about is read from the memory of a running process, which may change
 * it meanwhile: this is a convenience and no wall.  A process can harm nobody
 * by it that it could not harm anyway, since calls that go on are checked by
 * the kernel once more, and calls that are answered touch only an image that
 * the process' user owns.
 *
 * A change takes four calls, and other tools must not come between them, so a
 * process gets the lock of the store with its first question and loses it with
 * SET_ADD_COUNTERS, with its end, or when it has asked nothing for a while: it
 * may only be reading, and into a pager at that.  Other processes' calls wait
 * here, those of other supervisors at the lock.  If a process comes back late,
 * its notes in the store tell whether it still may replace the table.
 *
 * Order in the loop: ends of processes before calls.  Whoever waited for a
 * process finds the lock released when he goes on, since starting a program
 * takes calls that come through here.
 *
 * A thread of its own receives the calls; see receiver.c.
 */
#include "supervisor.h"
#include "abi.h"
#include "kernel-sets.h"
#include "netns.h"
#include "proc-files.h"
#include "receiver.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define IDLE_MS	 1000 /* a transaction ends after so long without a call */
#define RETRY_MS 5 /* between two tries for a lock that another program has */

/* Newer than the headers of some systems; linux/seccomp.h */
#define NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define NOTIF_SYNC_WAKE 1ull

struct watch {
	pid_t process;
	int fd;
};

struct xt2_supervisor {
	struct xt2_shim_store *store;
	int listener, verbose;
	const char *library;
	struct xt2_receiver *receiver;
	struct seccomp_notif_resp *resp;
	size_t resp_size;

	pid_t owner; /* of the lock; 0: nobody here */
	long long deadline; /* ms, of its transaction */
	struct xt2_request *waiting;
	size_t n_waiting;
	struct watch *watch; /* processes with notes in the store or the lock */
	size_t n_watch;
	struct pollfd *poll; /* FIXED and watches */
	struct xt2_err said; /* the last error printed */
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- answers ------------------------------------------------------------ */

static int valid(const struct xt2_supervisor *sv, __u64 id)
{
	return !ioctl(sv->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id);
}

/* If nobody waits for it any more, nobody misses it. */
static void respond(struct xt2_supervisor *sv, __u64 id, int error, __s64 value, __u32 flags)
{
	memset(sv->resp, 0, sv->resp_size);
	sv->resp->id = id;
	sv->resp->error = error;
	sv->resp->val = error ? 0 : value;
	sv->resp->flags = flags;
	ioctl(sv->listener, SECCOMP_IOCTL_NOTIF_SEND, sv->resp);
}

static void answer(struct xt2_supervisor *sv, const struct xt2_request *rq, int error)
{
	respond(sv, rq->id, error, 0, 0);
}

static void go_on(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	respond(sv, rq->id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

/* A descriptor as the call's result; fd is closed. */
static void give(struct xt2_supervisor *sv, const struct xt2_request *rq, int fd, __u32 flags)
{
	struct seccomp_notif_addfd add = {
		.id = rq->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (__u32)fd,
		.newfd_flags = flags & O_CLOEXEC,
	};
	int got = ioctl(sv->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);

	if (got < 0 && errno == EINVAL) { /* before 5.14: in two steps */
		add.flags = 0;
		got = ioctl(sv->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
		respond(sv, rq->id, got < 0 ? -errno : 0, got, 0);
	} else if (got < 0) {
		answer(sv, rq, -errno);
	}
	close(fd);
}

/* --- what is asked ------------------------------------------------------- */

/*
 * Is it about another network namespace, whose tables are the kernel's?  An image stands for those
 * of all.  @socket: descriptor; < 0: it is about that of the thread
 * => 1, 0; -errno: it cannot be told, and is not to be answered from what is live here
 */
static int elsewhere(const struct xt2_supervisor *sv, const struct xt2_task *task, int socket)
{
	return xt2_shim_store_is_live(sv->store)
		       ? xt2_netns_elsewhere(task->process, task->tid, socket)
		       : 0;
}

/* Is it about a table of the kernel's own, beside what is live?  => 1, 0 */
static int beside(const struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	const int set = rq->call == XT2_SYS_SETSOCKOPT, name = (int)rq->arg[2];
	const int family = xt2_sockopt_family((int)rq->arg[1], name, set);
	char table[XT2_NAME_SIZE];
	pid_t tid = rq->tid;

	if (xt2_shim_store_beside(sv->store, family, NULL))
		return 1;
	/* All structures but those of revisions begin with the table's name. */
	if (xt2_call_kind(&(struct xt2_call){ .set = set, .name = name }) == XT2_CALL_FREE ||
	    xt2_task_fetch(&tid, rq->arg[3], table, sizeof(table)))
		return 0;
	table[sizeof(table) - 1] = '\0';
	return xt2_shim_store_beside(sv->store, family, table);
}

static int may_admin(const struct xt2_supervisor *sv, const struct xt2_task *task)
{
	return xt2_shim_store_is_live(sv->store) ? xt2_task_may_live(task)
						 : xt2_task_may_admin(task);
}

/* --- files and sockets --------------------------------------------------- */

/*
 * What is preloaded is there for processes behind a chroot(2), in other mount
 * namespaces, and of other users as well.  A program of the other word size has no
 * use for it.
 */
static void open_library(struct xt2_supervisor *sv, const struct xt2_request *rq, __u32 flags)
{
	int fd = rq->compat ? -1 : open(sv->library, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		go_on(sv, rq);
	else
		give(sv, rq, fd, flags);
}

static void open_file(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	int at = rq->call != XT2_SYS_OPEN, family = -1, fd = -ENOENT;
	__u32 flags = rq->call == XT2_SYS_OPENAT2 ? O_CLOEXEC : (__u32)rq->arg[at + 1];
	char path[XT2_RECEIVER_PATH_MAX] = "";
	struct xt2_task task;

	if (xt2_task_string(rq->tid, rq->arg[at], path, sizeof(path)) > 0)
		family = xt2_names_file(path);
	if (*path && !strcmp(path, sv->library)) {
		open_library(sv, rq, flags);
		return;
	}
	if (family < 0 || xt2_task_read(&task, rq->tid) || !valid(sv, rq->id) ||
	    !may_admin(sv, &task) || elsewhere(sv, &task, -1) ||
	    xt2_shim_store_beside(sv->store, family, NULL)) {
		go_on(sv, rq);
		return;
	}
	if (family)
		fd = xt2_names_open(sv->store, family);
	if (fd < 0)
		answer(sv, rq, fd);
	else
		give(sv, rq, fd, flags);
}

/*
 * The tools ask by a raw socket, which takes CAP_NET_RAW.  Who has that gets
 * what he asked for, since he may want to send packets; who has not but may
 * change the image gets a socket that is good for asking only.
 */
static void open_socket(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	int domain = (int)rq->arg[0], type = (int)rq->arg[1];
	int flags = (type & SOCK_NONBLOCK) | SOCK_CLOEXEC, fd;
	struct xt2_task task;

	if (xt2_task_read(&task, rq->tid) || !valid(sv, rq->id) || xt2_task_may_raw(&task) ||
	    !may_admin(sv, &task)) {
		go_on(sv, rq);
		return;
	}
	fd = socket(domain, SOCK_DGRAM | flags, 0);
	if (fd < 0) /* no IPv6 here, say */
		fd = socket(AF_UNIX, SOCK_DGRAM | flags, 0);
	if (fd < 0)
		answer(sv, rq, -errno);
	else
		give(sv, rq, fd, type & SOCK_CLOEXEC ? O_CLOEXEC : 0);
}

/* --- transactions -------------------------------------------------------- */

static void watch(struct xt2_supervisor *sv, pid_t process)
{
	struct watch *w;
	size_t i;

	for (i = 0; i < sv->n_watch; i++)
		if (sv->watch[i].process == process)
			return;
	w = realloc(sv->watch, (sv->n_watch + 1) * sizeof(*w));
	if (!w)
		return;
	sv->watch = w;
	w[sv->n_watch].process = process;
	w[sv->n_watch].fd = (int)syscall(SYS_pidfd_open, process, 0);
	if (w[sv->n_watch].fd >= 0)
		sv->n_watch++;
}

static void release(struct xt2_supervisor *sv)
{
	xt2_shim_store_unlock(sv->store);
	sv->owner = 0;
	xt2_receiver_all(sv->receiver, 0);
}

/* => 0: it has the lock; -EAGAIN: later; -errno: no lock can be had */
static int begin(struct xt2_supervisor *sv, pid_t process, struct xt2_err *err)
{
	int ret;

	if (sv->owner && sv->owner != process)
		return -EAGAIN;
	if (!sv->owner) {
		ret = xt2_shim_store_lock(sv->store, 0, err);
		if (ret < 0)
			return ret;
		sv->owner = process;
		xt2_receiver_all(sv->receiver, 1);
	}
	sv->deadline = now_ms() + IDLE_MS;
	return 0;
}

static void gone(struct xt2_supervisor *sv, size_t i)
{
	pid_t process = sv->watch[i].process;

	xt2_shim_store_forget(sv->store, (__u64)process);
	if (sv->owner == process)
		release(sv);
	close(sv->watch[i].fd);
	sv->watch[i] = sv->watch[--sv->n_watch];
}

/* --- sockopts ------------------------------------------------------------ */

/* The caller's memory: nothing is believed or written once he has gone. */
struct memory {
	struct xt2_supervisor *sv;
	__u64 id;
	pid_t tid;
};

static int fetch(void *data, __u64 from, void *to, size_t size)
{
	struct memory *m = data;
	int ret = xt2_task_fetch(&m->tid, from, to, size);

	return ret || valid(m->sv, m->id) ? ret : -EFAULT;
}

static int put(void *data, __u64 to, const void *from, size_t size)
{
	struct memory *m = data;

	return valid(m->sv, m->id) ? xt2_task_put(&m->tid, to, from, size) : -EFAULT;
}

/* => 0, -errno of the call; 1: it must wait */
static int call_store(struct xt2_supervisor *sv, const struct xt2_request *rq, pid_t process,
		      struct xt2_err *err)
{
	struct memory memory = { sv, rq->id, rq->tid };
	struct xt2_kernel_sets kernel;
	const struct xt2_sockopt_caller caller = {
		.compat = rq->compat,
		.read = fetch,
		.write = put,
		.data = &memory,
		.sets = xt2_kernel_sets(&kernel, process, (int)rq->arg[0]),
	};
	struct xt2_call call = {
		.who = (__u64)process,
		.caller = &caller,
		.set = rq->call == XT2_SYS_SETSOCKOPT,
		.level = (int)rq->arg[1],
		.name = (int)rq->arg[2],
		.value = rq->arg[3],
		.len = (__u32)rq->arg[4],
	};
	int ret;

	if (!call.set && fetch(&memory, rq->arg[4], &call.len, sizeof(call.len)))
		return -EFAULT;
	if ((__s32)call.len < 0)
		return -EINVAL;
	if (xt2_call_kind(&call) != XT2_CALL_FREE) {
		watch(sv, process);
		ret = begin(sv, process, err);
		if (ret == -EAGAIN)
			return 1;
		if (ret < 0 && call.set) /* questions can be answered without */
			return ret;
	}
	ret = xt2_shim_store_call(sv->store, &call, err);
	xt2_kernel_sets_end(&kernel);
	if (!ret && !call.set && put(&memory, rq->arg[4], &call.len, sizeof(call.len)))
		ret = -EFAULT;
	if (sv->owner == process && xt2_call_kind(&call) == XT2_CALL_COUNTERS)
		release(sv);
	return ret;
}

/*
 * What is wrong with the file the tool cannot say; its own mistakes it can.
 * The tools ask twice.
 */
static void explain(struct xt2_supervisor *sv, const struct xt2_err *err)
{
	if (!err->code || !(err->file[0] || sv->verbose) || !memcmp(err, &sv->said, sizeof(*err)))
		return;
	xt2_err_print(err, stderr);
	sv->said = *err;
}

/* => 0: answered; 1: it must wait */
static int sockopt(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	struct xt2_task task;
	struct xt2_err err;
	int ret;

	memset(&err, 0, sizeof(err));
	ret = xt2_task_read(&task, rq->tid);
	if (!ret && !valid(sv, rq->id))
		ret = -ESRCH;
	if (!ret)
		ret = xt2_task_socket(&task, (int)rq->arg[0]);
	if (!ret)
		ret = elsewhere(sv, &task, (int)rq->arg[0]);
	if (!ret)
		ret = beside(sv, rq);
	if (ret > 0) {
		go_on(sv, rq);
		return 0;
	}
	if (!ret && !may_admin(sv, &task))
		ret = -EPERM;
	if (!ret)
		ret = call_store(sv, rq, task.process, &err);
	if (ret > 0)
		return ret;
	if (ret)
		explain(sv, &err);
	else
		memset(&sv->said, 0, sizeof(sv->said));
	answer(sv, rq, ret);
	return 0;
}

/* --- requests ------------------------------------------------------------ */

/* => 0: answered; 1: it must wait */
static int handle(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	switch (rq->call) {
	case XT2_SYS_SETSOCKOPT:
	case XT2_SYS_GETSOCKOPT: return sockopt(sv, rq);
	case XT2_SYS_SOCKET: open_socket(sv, rq); return 0;
	case XT2_SYS_OPEN:
	case XT2_SYS_OPENAT:
	case XT2_SYS_OPENAT2: open_file(sv, rq); return 0;
	default: go_on(sv, rq); return 0;
	}
}

static void wait_for_lock(struct xt2_supervisor *sv, const struct xt2_request *rq)
{
	struct xt2_request *w = realloc(sv->waiting, (sv->n_waiting + 1) * sizeof(*w));

	if (!w) {
		answer(sv, rq, -ENOMEM);
		return;
	}
	sv->waiting = w;
	w[sv->n_waiting++] = *rq;
}

/* Who waits, in the order in which they came, as far as it goes. */
static void retry(struct xt2_supervisor *sv)
{
	size_t i, left = 0, n = sv->n_waiting;

	for (i = 0; i < n; i++)
		if (valid(sv, sv->waiting[i].id) && handle(sv, &sv->waiting[i]))
			sv->waiting[left++] = sv->waiting[i];
	sv->n_waiting = left;
}

static void receive(struct xt2_supervisor *sv)
{
	struct xt2_request rq;

	if (xt2_receiver_next(sv->receiver, &rq) && handle(sv, &rq))
		wait_for_lock(sv, &rq);
}

/* --- the loop ------------------------------------------------------------ */

/* => ms until something must be done without being told; -1: never */
static int patience(const struct xt2_supervisor *sv)
{
	long long left;

	if (!sv->owner)
		return sv->n_waiting ? RETRY_MS : -1;
	left = sv->deadline - now_ms();
	return left > 0 ? (int)left : 0;
}

/* Places in the array for poll(2). */
enum {
	CALLS,
	OTHER,
	LISTENER, /* only to learn that nobody is left */
	FIXED
};

/* => number of descriptors, -ENOMEM */
static int prepare(struct xt2_supervisor *sv, int other)
{
	struct pollfd *p = realloc(sv->poll, (sv->n_watch + FIXED) * sizeof(*p));
	size_t i;

	if (!p)
		return -ENOMEM;
	sv->poll = p;
	p[CALLS] = (struct pollfd){ .fd = xt2_receiver_ready(sv->receiver), .events = POLLIN };
	p[OTHER] = (struct pollfd){ .fd = other, .events = POLLIN };
	p[LISTENER] = (struct pollfd){ .fd = sv->listener };
	for (i = 0; i < sv->n_watch; i++)
		p[FIXED + i] = (struct pollfd){ .fd = sv->watch[i].fd, .events = POLLIN };
	return (int)sv->n_watch + FIXED;
}

int xt2_supervisor_run(struct xt2_supervisor *sv, int other)
{
	int n, i;

	for (;;) {
		n = prepare(sv, other);
		if (n < 0)
			return n;
		if (poll(sv->poll, (nfds_t)n, patience(sv)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		for (i = n - 1; i >= FIXED; i--) /* backwards: gone() moves the last one */
			if (sv->poll[i].revents)
				gone(sv, (size_t)(i - FIXED));
		if (sv->owner && now_ms() >= sv->deadline)
			release(sv);
		if (sv->n_waiting && !sv->owner)
			retry(sv);
		if (sv->poll[CALLS].revents)
			receive(sv);
		else if (sv->poll[LISTENER].revents)
			return 0;
		if (sv->poll[OTHER].revents)
			return 1;
	}
}

/* ADDFD is the newest of what is needed (5.9); a wrong id is what it complains of. */
static int can_addfd(int listener)
{
	struct seccomp_notif_addfd add = { .srcfd = (__u32)listener };

	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 && errno == ENOENT;
}

struct xt2_supervisor *xt2_supervisor_new(struct xt2_shim_store *store, int listener,
					  const char *library, int verbose)
{
	struct xt2_supervisor *sv = calloc(1, sizeof(*sv));
	struct seccomp_notif_sizes sizes;

	if (!sv)
		return NULL;
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) || !can_addfd(listener)) {
		free(sv);
		errno = EOPNOTSUPP;
		return NULL;
	}
	sv->store = store;
	sv->listener = listener;
	sv->library = library;
	sv->verbose = verbose;
	sv->resp_size = sizeof(*sv->resp) + sizes.seccomp_notif_resp;
	/* Faster where it is known (6.6); no loss elsewhere. */
	ioctl(listener, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE);
	sv->resp = malloc(sv->resp_size);
	sv->receiver = sv->resp ? xt2_receiver_new(listener, library) : NULL;
	if (sv->receiver)
		return sv;
	sv->listener = -1;
	xt2_supervisor_free(sv);
	errno = ENOMEM;
	return NULL;
}

void xt2_supervisor_free(struct xt2_supervisor *sv)
{
	while (sv->n_watch)
		gone(sv, sv->n_watch - 1);
	xt2_receiver_free(sv->receiver);
	if (sv->listener >= 0)
		close(sv->listener);
	free(sv->watch);
	free(sv->waiting);
	free(sv->poll);
	free(sv->resp);
	free(sv);
}
