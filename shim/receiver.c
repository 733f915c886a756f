/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receiver.c - takes calls from the kernel as soon as they are made
 *
 * A thread that waits for an answer can be interrupted by a signal until its
 * call has been received, and only be killed from then on
 * (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV).  If it is interrupted, and the
 * signal's handler is not one that restarts calls, the call fails with EINTR,
 * which the kernel's own getsockopt(2) and open(2) of a file never say.  So
 * there is a thread that sleeps in the receiving ioctl(2) itself, not in poll(2)
 * before it, and receives calls however long the supervisor is busy with another
 * one.  What signals end earlier is made again by the caller: see retry.c.
 *
 * Almost all calls are those of programs that open files of their own, and go
 * on at once.  What is ours goes to the supervisor, by a ring: a semaphore
 * counts the places that are free, an eventfd those that are taken.  While
 * somebody has the lock everything does, so that who waited for him to end
 * starts no program before the supervisor knows that he has ended.
 */
#include "receiver.h"
#include "proc-files.h"
#include "task.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PLACES	 256 /* if they are all taken, calls wait in the kernel */
#define STOP	 SIGURG /* interrupts the thread; nobody sends it to it but we */
#define AGAIN_NS 10000000

struct xt2_receiver {
	int listener;
	const char *library;
	int taken; /* eventfd */
	sem_t free;
	atomic_int all, stop;
	pthread_t thread;
	unsigned int first, last; /* the supervisor's, the thread's */
	struct xt2_request request[PLACES];
	size_t notif_size; /* of what the kernel writes, and reads */
	struct seccomp_notif *notif;
	size_t resp_size;
	struct seccomp_notif_resp *resp;
};

/* --- is it ours? --------------------------------------------------------- */

/* The calls behind i386's socketcall(2). */
static const struct {
	enum xt2_syscall call;
	unsigned int args;
} subcalls[] = {
	[1] = { XT2_SYS_SOCKET, 3 },
	[14] = { XT2_SYS_SETSOCKOPT, 5 },
	[15] = { XT2_SYS_GETSOCKOPT, 5 },
};

/* => 0, -EFAULT */
static int unwrap(struct xt2_request *rq)
{
	__u64 sub = rq->arg[0];
	__u32 words[6];
	unsigned int i;

	if (sub >= sizeof(subcalls) / sizeof(subcalls[0]) || !subcalls[sub].args)
		return -EFAULT;
	if (xt2_task_fetch(&rq->tid, rq->arg[1], words, subcalls[sub].args * sizeof(*words)))
		return -EFAULT;
	for (i = 0; i < subcalls[sub].args; i++)
		rq->arg[i] = words[i];
	rq->call = subcalls[sub].call;
	return 0;
}

/* The kernel itself looks at few arguments of a socket that is none of ours. */
static int our_socket(const struct xt2_request *rq)
{
	int domain = (int)rq->arg[0], type = (int)rq->arg[1] & 0xf, protocol = (int)rq->arg[2];

	return (domain == AF_INET || domain == AF_INET6) && type == SOCK_RAW &&
	       (protocol == IPPROTO_RAW || protocol == PF_INET);
}

static int our_file(const struct xt2_receiver *r, const struct xt2_request *rq)
{
	char path[XT2_RECEIVER_PATH_MAX];
	__u64 from = rq->arg[rq->call != XT2_SYS_OPEN];

	return xt2_task_string(rq->tid, from, path, sizeof(path)) > 0 &&
	       (xt2_names_file(path) >= 0 || !strcmp(path, r->library));
}

static int ours(const struct xt2_receiver *r, struct xt2_request *rq)
{
	if (rq->call == XT2_SYS_SOCKETCALL && unwrap(rq))
		return 0; /* for the kernel to refuse */
	switch (rq->call) {
	case XT2_SYS_SETSOCKOPT:
	case XT2_SYS_GETSOCKOPT:
		return xt2_sockopt_family((int)rq->arg[1], (int)rq->arg[2],
					  rq->call == XT2_SYS_SETSOCKOPT) != 0;
	case XT2_SYS_SOCKET: return our_socket(rq);
	case XT2_SYS_OPEN:
	case XT2_SYS_OPENAT:
	case XT2_SYS_OPENAT2: return our_file(r, rq);
	default: return 0;
	}
}

/* --- the thread ---------------------------------------------------------- */

/* If nobody waits for it any more, nobody misses it. */
static void go_on(struct xt2_receiver *r)
{
	memset(r->resp, 0, r->resp_size);
	r->resp->id = r->notif->id;
	r->resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, r->resp);
}

/* The next call for the supervisor.  => 1; 0: it is time to stop */
static int next(struct xt2_receiver *r, struct xt2_request *rq)
{
	while (!atomic_load(&r->stop)) {
		memset(r->notif, 0, r->notif_size);
		if (ioctl(r->listener, SECCOMP_IOCTL_NOTIF_RECV, r->notif))
			continue; /* who had called was killed meanwhile */
		rq->id = r->notif->id;
		rq->tid = (pid_t)r->notif->pid;
		rq->compat = 0;
		rq->call = xt2_abi_syscall(&r->notif->data, &rq->compat);
		memcpy(rq->arg, r->notif->data.args, sizeof(rq->arg));
		if (!ours(r, rq))
			rq->call = XT2_SYSCALLS;
		if (rq->call != XT2_SYSCALLS || atomic_load(&r->all))
			return 1;
		go_on(r);
	}
	return 0;
}

static void *thread(void *data)
{
	struct xt2_receiver *r = data;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, STOP);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	for (;;) {
		while (sem_wait(&r->free))
			;
		if (!next(r, &r->request[r->last++ % PLACES]))
			return NULL;
		if (eventfd_write(r->taken, 1))
			abort();
	}
}

static void nothing(int signal)
{
}

/*
 * Before Linux 6.11 the thread sleeps on when nobody is left who could call.
 * The signal may come before it sleeps, so it is sent until the thread has ended.
 */
static void stop(struct xt2_receiver *r)
{
	struct timespec soon;

	atomic_store(&r->stop, 1);
	sem_post(&r->free);
	do {
		pthread_kill(r->thread, STOP);
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec += (soon.tv_nsec + AGAIN_NS) / 1000000000;
		soon.tv_nsec = (soon.tv_nsec + AGAIN_NS) % 1000000000;
	} while (pthread_timedjoin_np(r->thread, NULL, &soon));
}

/* --- what the supervisor sees ------------------------------------------------ */

void xt2_receiver_all(struct xt2_receiver *r, int all)
{
	atomic_store(&r->all, all);
}

int xt2_receiver_ready(const struct xt2_receiver *r)
{
	return r->taken;
}

int xt2_receiver_next(struct xt2_receiver *r, struct xt2_request *rq)
{
	eventfd_t one;

	if (eventfd_read(r->taken, &one))
		return 0;
	*rq = r->request[r->first++ % PLACES];
	sem_post(&r->free);
	return 1;
}

/* => 0, or -1 and errno */
static int begin(struct xt2_receiver *r)
{
	const struct sigaction interrupt = { .sa_handler = nothing };

	sigaction(STOP, &interrupt, NULL);
	r->taken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (r->taken < 0)
		return -1;
	errno = pthread_create(&r->thread, NULL, thread, r);
	if (!errno)
		return 0;
	close(r->taken);
	return -1;
}

struct xt2_receiver *xt2_receiver_new(int listener, const char *library)
{
	struct xt2_receiver *r = calloc(1, sizeof(*r));
	struct seccomp_notif_sizes sizes;

	if (!r)
		return NULL;
	r->listener = listener;
	r->library = library;
	sem_init(&r->free, 0, PLACES);
	if (!syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes)) {
		r->notif_size = sizeof(*r->notif) + sizes.seccomp_notif;
		r->notif = malloc(r->notif_size);
		r->resp_size = sizeof(*r->resp) + sizes.seccomp_notif_resp;
		r->resp = malloc(r->resp_size);
		if (r->notif && r->resp && !begin(r))
			return r;
	}
	free(r->notif);
	free(r->resp);
	free(r);
	return NULL;
}

void xt2_receiver_free(struct xt2_receiver *r)
{
	if (!r)
		return;
	stop(r);
	close(r->taken);
	sem_destroy(&r->free);
	free(r->notif);
	free(r->resp);
	free(r);
}
