/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt1-cost - what the kernel's tables cost per packet
 *
 * Sends one packet again and again through a raw socket of the current network
 * namespace, whose OUTPUT policy is DROP: every packet runs through all rules
 * and ends in EPERM, on one CPU, without a device.  Prints the nanoseconds per
 * packet of the best window and of the median one; the cost of an empty ruleset
 * is to be subtracted.  What drops may be anything: the rtt programs measure
 * other hosts with it.
 *
 *	xt1-cost -4|-6 SOURCE DESTINATION WINDOWS PACKETS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

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
};

static void open4(struct target *t, const char *source, const char *destination)
{
	struct sockaddr_in *to = (struct sockaddr_in *)&t->to;
	struct iphdr *ip = (struct iphdr *)t->bytes;

	t->fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	t->size = sizeof(*ip) + 20;
	ip->tot_len = htons(t->size);
	if (inet_pton(AF_INET, source, &ip->saddr) != 1 ||
	    inet_pton(AF_INET, destination, &ip->daddr) != 1)
		exit(2);
	to->sin_family = AF_INET;
	to->sin_addr.s_addr = ip->daddr;
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

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	struct target t = { 0 };
	double *times;
	int windows, packets, w, i;

	if (argc != 6) {
		fputs("usage: xt1-cost -4|-6 SOURCE DESTINATION WINDOWS PACKETS\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "-6"))
		open6(&t, argv[2], argv[3]);
	else
		open4(&t, argv[2], argv[3]);
	if (t.fd < 0) {
		perror("xt1-cost: socket");
		return 4;
	}
	windows = atoi(argv[4]);
	packets = atoi(argv[5]);
	times = windows > 0 && packets > 0 ? calloc((size_t)windows, sizeof(*times)) : NULL;
	if (!times)
		return 2;
	for (w = 0; w < windows; w++) {
		double start = now();

		for (i = 0; i < packets; i++)
			if (sendto(t.fd, t.bytes, t.size, 0, (struct sockaddr *)&t.to, t.to_size) >=
				    0 ||
			    errno != EPERM) {
				fprintf(stderr, "xt1-cost: not dropped: %s\n", strerror(errno));
				return 1;
			}
		times[w] = (now() - start) / packets;
	}
	qsort(times, (size_t)windows, sizeof(*times), compare);
	printf("%.1f %.1f\n", times[0], times[windows / 2]);
	free(times);
	return 0;
}
