/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost-send.c - packets of a capture for the ruleset of a network namespace
 *
 * Raw IP goes out through a raw socket, so it meets OUTPUT; if that drops it,
 * the call fails with EPERM, and neither a device nor a queue is in the way.
 * Ethernet is put on the device in0, whose other end receives it in the same
 * call, so it meets PREROUTING, INPUT or FORWARD.
 */
#include "cost.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Let sockets be those of this namespace from now on. */
static void enter(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		cost_exit(4, "%s: %s", path, strerror(errno));
	close(fd);
}

static int open_device(const char *device)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), one = 1;

	to.sll_ifindex = (int)if_nametoindex(device);
	if (fd < 0 || !to.sll_ifindex ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&to, sizeof(to)))
		cost_exit(4, "%s: %s", device, strerror(errno));
	return fd;
}

int cost_sender(const char *name, const struct cost_packet *p)
{
	int fd;

	enter(name);
	if (p->mac)
		return open_device("in0");
	fd = socket(p->family == XT2_IPV4 ? AF_INET : AF_INET6, SOCK_RAW, IPPROTO_RAW);
	if (fd < 0)
		cost_exit(4, "socket: %s", strerror(errno));
	return fd;
}

void cost_send(int fd, const struct cost_packet *p)
{
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	ssize_t r;

	if (p->mac) {
		r = send(fd, p->frame, p->frame_size, 0);
	} else if (p->family == XT2_IPV4) {
		memcpy(&to4.sin_addr, p->bytes + 16, 4);
		r = sendto(fd, p->bytes, p->len, 0, (struct sockaddr *)&to4, sizeof(to4));
	} else {
		memcpy(&to6.sin6_addr, p->bytes + 24, 16);
		r = sendto(fd, p->bytes, p->len, 0, (struct sockaddr *)&to6, sizeof(to6));
	}
	if (r < 0 && errno != EPERM)
		cost_exit(1, "a packet does not get to the rules: %s", strerror(errno));
}
