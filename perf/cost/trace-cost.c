/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace-cost - what the rulesets of network namespaces cost the packets of a capture
 *
 * Raw IP goes out through a raw socket, so it meets OUTPUT; if that drops it,
 * the call fails with EPERM, and neither a device nor a queue is in the way.
 * Ethernet is put on the device in0, whose other end receives it in the same
 * call, so it meets PREROUTING, INPUT or FORWARD.  In both cases the way there
 * is in the figure: that of a namespace with an empty ruleset is to be
 * subtracted.
 *
 * Time is taken for windows of 256 packets, the namespaces in turn.  Each has
 * its own place in the capture, and begins again behind the last packet; a slow
 * one gets fewer windows.
 *
 *	trace-cost BUDGET CAPTURE NAMESPACE...
 *
 * For each line on standard input a round: a line for each namespace with the
 * best and the median window in nanoseconds a packet, and the packets sent so
 * far.
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
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WINDOW	    256
#define WINDOWS_MAX 1024 /* in a round */

struct space {
	const char *name;
	int fd;
	size_t at, sent;
	int windows; /* in a round; 0: not known yet */
	double times[WINDOWS_MAX];
	int taken;
};

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

static void open_space(struct space *s, const char *name, const struct cost_packet *p)
{
	s->name = name;
	enter(name);
	if (p->mac)
		s->fd = open_device("in0");
	else
		s->fd = socket(p->family == XT2_IPV4 ? AF_INET : AF_INET6, SOCK_RAW, IPPROTO_RAW);
	if (s->fd < 0)
		cost_exit(4, "socket: %s", strerror(errno));
}

static void send_packet(int fd, const struct cost_packet *p)
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

static void window(struct space *s, const struct cost_packet *list, size_t n)
{
	double start = cost_now();
	int i;

	for (i = 0; i < WINDOW; i++) {
		send_packet(s->fd, &list[s->at]);
		s->at = s->at + 1 < n ? s->at + 1 : 0;
	}
	s->times[s->taken++] = (cost_now() - start) / WINDOW;
	s->sent += WINDOW;
}

/* So many windows a round that they stay in the budget, at least one. */
static int fit(const struct space *s, double budget)
{
	double windows = budget / (s->times[0] * WINDOW);

	return windows < 1 ? 1 : windows > WINDOWS_MAX ? WINDOWS_MAX : (int)windows;
}

static void one_round(struct space *list, int count, const struct cost_packet *packets, size_t n,
		      double budget)
{
	int w, i, more = 1;

	for (i = 0; i < count; i++)
		list[i].taken = 0;
	for (w = 0; more; w++) {
		more = 0;
		for (i = 0; i < count; i++) {
			struct space *s = &list[w % 2 ? count - 1 - i : i];

			if (s->windows && w >= s->windows)
				continue;
			window(s, packets, n);
			if (!s->windows)
				s->windows = fit(s, budget);
			more |= w + 1 < s->windows;
		}
	}
	for (i = 0; i < count; i++) {
		double median = cost_median(list[i].times, (size_t)list[i].taken);

		printf("%s %.1f %.1f %zu\n", list[i].name, list[i].times[0], median, list[i].sent);
	}
}

int main(int argc, char **argv)
{
	int count = argc - 3, i;
	double budget = argc > 1 ? atof(argv[1]) * 1e6 : 0;
	struct cost_packet *packets;
	struct space *list;
	size_t n;

	if (count < 1 || !(budget > 0)) {
		fputs("usage: trace-cost MILLISECONDS CAPTURE NAMESPACE...\n", stderr);
		return 2;
	}
	n = cost_packets(argv[2], &packets);
	list = calloc((size_t)count, sizeof(*list));
	if (!list)
		return 4;
	for (i = 0; i < count; i++)
		open_space(&list[i], argv[3 + i], &packets[0]);
	while (cost_asked())
		one_round(list, count, packets, n, budget);
	free(list);
	free(packets);
	return 0;
}
