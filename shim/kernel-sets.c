/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-sets.c - names and numbers of ipsets, from the running kernel
 *
 * By SO_IP_SET, as iptables itself asks; the kernel wants CAP_NET_ADMIN for it.
 * Each network namespace has sets of its own.  A call is about the namespace of
 * its socket, so the question is asked there, on a socket of ours: the caller's
 * may be one of IPv6, which can't be asked.
 *
 * The functions of libc are not used for it: libxt2-shim.so and the programs
 * with libxtables have their own of these names.
 *
 * Source: ip_set_sockfn_get() in net/netfilter/ipset/ip_set_core.c
 */
#include "kernel-sets.h"
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/netfilter/ipset/ip_set.h>

/* --- whose sets ----------------------------------------------------------- */

static int our_socket(void)
{
	int fd = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* => a socket in their namespace, -errno */
static int socket_in(int theirs, int ours)
{
	int fd;

	if (setns(theirs, CLONE_NEWNET))
		return -errno;
	fd = our_socket();
	if (setns(ours, CLONE_NEWNET)) /* else all that follows would go wrong */
		abort();
	return fd;
}

/* => a socket that can be asked, -errno */
static int open_beside(int fd)
{
	int theirs = xt2_netns_of(fd), ours = -1;
	int asked = theirs < 0 ? theirs : our_socket();

	if (asked >= 0) {
		ours = xt2_netns_of(asked);
		if (ours < 0 || !xt2_netns_same(theirs, ours)) {
			close(asked);
			asked = ours < 0 ? ours : socket_in(theirs, ours);
		}
	}
	if (ours >= 0)
		close(ours);
	if (theirs >= 0)
		close(theirs);
	return asked;
}

/* => the socket to ask, -errno */
static int the_socket(struct xt2_kernel_sets *sets)
{
	int fd = sets->socket;

	if (sets->asked != -EAGAIN)
		return sets->asked;
	if (sets->process)
		fd = xt2_netns_borrow(sets->process, fd);
	sets->asked = fd < 0 ? fd : open_beside(fd);
	if (sets->process && fd >= 0)
		close(fd);
	return sets->asked;
}

/* --- questions --------------------------------------------------------------- */

/* => 0, -errno; -ENOENT also where the kernel knows no ipsets at all */
static int ask(struct xt2_kernel_sets *sets, unsigned int op, struct ip_set_req_get_set *request)
{
	socklen_t size = sizeof(*request);
	int fd = the_socket(sets);

	if (fd < 0)
		return fd;
	request->op = op;
	request->version = IPSET_PROTOCOL_MIN;
	if (!syscall(SYS_getsockopt, fd, SOL_IP, SO_IP_SET, request, &size))
		return 0;
	return errno == ENOPROTOOPT ? -ENOENT : -errno;
}

static int name(void *data, __u16 number, char *to)
{
	struct ip_set_req_get_set request = { .set.index = number };
	int ret = ask(data, IP_SET_OP_GET_BYINDEX, &request);

	if (ret < 0)
		return ret == -EINVAL ? -ENOENT : ret; /* more than it can have */
	request.set.name[IPSET_MAXNAMELEN - 1] = '\0';
	if (!request.set.name[0])
		return -ENOENT;
	memcpy(to, request.set.name, IPSET_MAXNAMELEN);
	return 0;
}

static int number(void *data, const char *of)
{
	struct ip_set_req_get_set request = { .op = 0 };
	int ret;

	memcpy(request.set.name, of, strnlen(of, IPSET_MAXNAMELEN - 1));
	ret = ask(data, IP_SET_OP_GET_BYNAME, &request);
	if (ret < 0)
		return ret;
	return request.set.index == IPSET_INVALID_ID ? -ENOENT : request.set.index;
}

const struct xt2_sockopt_sets *xt2_kernel_sets(struct xt2_kernel_sets *sets, pid_t process,
					       int socket)
{
	*sets = (struct xt2_kernel_sets){
		.how = { name, number, sets },
		.process = process,
		.socket = socket,
		.asked = -EAGAIN,
	};
	return &sets->how;
}

void xt2_kernel_sets_end(struct xt2_kernel_sets *sets)
{
	if (sets->asked >= 0)
		close(sets->asked);
}
