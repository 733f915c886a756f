/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt-line.c - requests and replies through an ICMPv6 ping socket, one at a time
 *
 * As "ping -A": the next request goes out when the reply to the last one has
 * come, or its time is up.
 */
#include "rtt.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

int rtt_line_open(struct rtt_line *l)
{
	l->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	return l->fd < 0 ? -errno : 0;
}

/* Take in what has come.  => 1: the reply to this request; 0: something else; -errno */
static int receive(struct rtt_line *l, int number, uint64_t *now)
{
	struct sockaddr_in6 from = { 0 };
	socklen_t size = sizeof(from);
	uint8_t bytes[2048];
	uint64_t rtt;
	int which = 0, kind;
	ssize_t n;

	n = recvfrom(l->fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC,
		     (struct sockaddr *)&from, &size);
	*now = rtt_now();
	if (n < 0)
		return -errno;
	kind = rtt_received(&l->table, &from.sin6_addr, bytes, (size_t)n, *now, &rtt, &which);
	if (kind == RTT_REPLY && (uint32_t)which > l->warmup)
		l->times[l->replies++] = rtt;
	return (kind == RTT_REPLY || kind == RTT_BACKWARDS) && which == number;
}

/* Receive until the request is answered or its time is up.  => 0, -errno */
static int await(struct rtt_line *l, int number, uint64_t deadline)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	uint64_t now;
	int ret;

	for (;;) {
		ret = receive(l, number, &now);
		if (ret > 0)
			return 0;
		if (now >= deadline)
			break;
		if (!ret)
			continue;
		if (ret != -EAGAIN && ret != -EINTR)
			return ret;
		if (poll(&p, 1, (int)((deadline - now) / 1000000 + 1)) < 0 && errno != EINTR)
			return -errno;
	}
	rtt_give_up(&l->table, number);
	return 0;
}

int rtt_line_exchange(struct rtt_line *l)
{
	uint8_t payload[RTT_PAYLOAD], packet[RTT_PACKET];
	uint64_t now;
	ssize_t n;
	int number;

	if (getrandom(payload, sizeof(payload), 0) != (ssize_t)sizeof(payload))
		return -EIO;
	number = rtt_request(&l->table, payload, packet);
	if (number < 0)
		return number;
	now = rtt_now();
	rtt_sent(&l->table, number, now);
	n = sendto(l->fd, packet, sizeof(packet), 0, (const struct sockaddr *)&l->to,
		   sizeof(l->to));
	if (n < 0 && errno == EPERM) { /* the ruleset has dropped it */
		rtt_give_up(&l->table, number);
		return 0;
	}
	if (n != (ssize_t)sizeof(packet))
		return n < 0 ? -errno : -EIO;
	return await(l, number, now + l->timeout);
}
