/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass-cost - what a ruleset costs a packet, rulesets in turn
 *
 * Sends one packet again and again through a raw socket of a network namespace
 * whose OUTPUT policy is DROP: every packet runs through all rules and ends in
 * EPERM, on one CPU, without a device.  What the rest of the way costs is in
 * the figure: that of an empty ruleset is to be subtracted.
 *
 *	pass-cost -4|-6 SOURCE DESTINATION[+N] WINDOWS PACKETS [NAMESPACE...]
 *
 * With +N, IPv4 only, each packet goes to one of N addresses from DESTINATION on, the same for all
 * namespaces.  It is of UDP, from port 1024 to 80; the connection that it would begin ends with it.
 *
 * Prints a line for each window: nanoseconds per packet, for each namespace of
 * those that "ip netns" knows, or for the current one.  They take turns, back
 * and forth, so what slows the machine down slows them all; a window begins
 * with EARLY packets more that are not timed, after the others' cache misses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EARLY 16

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

struct target {
	int fd;
	unsigned char bytes[64];
	size_t size;
	struct sockaddr_storage to;
	socklen_t to_size;
	unsigned int first, others, random; /* of others + 1 addresses of IPv4 the first one */
};

static void set_destination(struct target *t, unsigned int address)
{
	((struct iphdr *)t->bytes)->daddr = htonl(address);
	((struct sockaddr_in *)&t->to)->sin_addr.s_addr = htonl(address);
}

static void open4(struct target *t, const char *source, const char *destination)
{
	struct sockaddr_in *to = (struct sockaddr_in *)&t->to;
	struct iphdr *ip = (struct iphdr *)t->bytes;
	struct udphdr *udp = (struct udphdr *)(ip + 1);
	char first[INET_ADDRSTRLEN] = "";
	int others = 1;

	t->fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	t->size = sizeof(*ip) + 20;
	ip->tot_len = htons(t->size);
	udp->source = htons(1024);
	udp->dest = htons(80);
	udp->len = htons(20);
	sscanf(destination, "%15[0-9.]+%d", first, &others);
	if (inet_pton(AF_INET, source, &ip->saddr) != 1 ||
	    inet_pton(AF_INET, first, &ip->daddr) != 1 || others < 1)
		exit(2);
	to->sin_family = AF_INET;
	t->first = ntohl(ip->daddr);
	t->others = (unsigned int)others - 1;
	set_destination(t, t->first);
	t->to_size = sizeof(*to);
}

static void open6(struct target *t, const char *source, const char *destination)
{
	struct sockaddr_in6 *to = (struct sockaddr_in6 *)&t->to;
	struct ip6_hdr *ip = (struct ip6_hdr *)t->bytes;

	t->fd = socket(AF_INET6, SOCK_RAW, IPPROTO_RAW);
	ip->ip6_flow = htonl(6u << 28);
	ip->ip6_nxt = IPPROTO_UDP;
	ip->ip6_hlim = 64;
	ip->ip6_plen = htons(20);
	t->size = sizeof(*ip) + 20;
	if (inet_pton(AF_INET6, source, &ip->ip6_src) != 1 ||
	    inet_pton(AF_INET6, destination, &ip->ip6_dst) != 1)
		exit(2);
	to->sin6_family = AF_INET6;
	to->sin6_addr = ip->ip6_dst;
	t->to_size = sizeof(*to);
}

/* Let sockets be those of this namespace from now on. */
static void enter(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror(path);
		exit(4);
	}
	close(fd);
}

static void open_target(struct target *t, char **argv)
{
	if (!strcmp(argv[1], "-6"))
		open6(t, argv[2], argv[3]);
	else
		open4(t, argv[2], argv[3]);
	if (t->fd < 0) {
		perror("pass-cost: socket");
		exit(4);
	}
}

static void choose(struct target *t)
{
	if (!t->others)
		return;
	t->random = t->random * 1664525 + 1013904223;
	set_destination(t, t->first + (t->random >> 8) % (t->others + 1));
}

/* => nanoseconds per packet */
static double window(struct target *t, int packets)
{
	double start = 0;
	int i;

	for (i = -EARLY; i < packets; i++) {
		if (!i)
			start = now();
		choose(t);
		if (sendto(t->fd, t->bytes, t->size, 0, (const struct sockaddr *)&t->to,
			   t->to_size) >= 0 ||
		    errno != EPERM) {
			fprintf(stderr, "pass-cost: not dropped: %s\n", strerror(errno));
			exit(1);
		}
	}
	return (now() - start) / packets;
}

int main(int argc, char **argv)
{
	int windows, packets, count = argc > 6 ? argc - 6 : 1, w, i;
	struct target *targets = calloc((size_t)count, sizeof(*targets));
	double *times = calloc((size_t)count, sizeof(*times));

	windows = argc < 6 ? 0 : atoi(argv[4]);
	packets = argc < 6 ? 0 : atoi(argv[5]);
	if (windows < 1 || packets < 1) {
		fputs("usage: pass-cost -4|-6 SOURCE DESTINATION[+N] WINDOWS PACKETS [NAMESPACE...]\n",
		      stderr);
		return 2;
	}
	if (!targets || !times)
		return 4;
	for (i = 0; i < count; i++) {
		if (argc > 6)
			enter(argv[6 + i]);
		open_target(&targets[i], argv);
	}
	for (w = 0; w < windows; w++) {
		for (i = 0; i < count; i++) {
			int which = w % 2 ? count - 1 - i : i;

			times[which] = window(&targets[which], packets);
		}
		for (i = 0; i < count; i++)
			printf(i ? " %.1f" : "%.1f", times[i]);
		putchar('\n');
	}
	free(targets);
	free(times);
	return 0;
}
