/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt-ping - round-trip times, as "ping -6 -A" has them, measured suspiciously
 *
 * Sends an echo request through an ICMPv6 ping socket, waits for its reply,
 * sends the next one.  Round-trip times are from before the request's system
 * call to after the reply's, on a clock that cannot be set; what counts as a
 * reply is in rtt.h.  The kernel must let the group use ping sockets:
 * net.ipv4.ping_group_range of this network namespace.
 *
 *	rtt-ping [-c COUNT] [-w WARMUP] [-t MILLISECONDS] ADDRESS
 *
 * Prints a line with the number of packets sent, lost, and received of each
 * kind (warm-up included), then a line per reply: nanoseconds.
 */
#include "rtt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char usage[] = "usage: rtt-ping [-c COUNT] [-w WARMUP] [-t MILLISECONDS] ADDRESS\n"
			    "  -c  packets that are measured (500)\n"
			    "  -w  packets before them that are not (20)\n"
			    "  -t  how long to wait for a reply (2000)\n";

static void die(const char *what, int error)
{
	fprintf(stderr, "rtt-ping: %s: %s\n", what, strerror(-error));
	exit(4);
}

static void open_line(struct rtt_line *l)
{
	int ret = rtt_line_open(l);

	if (ret == -EACCES || ret == -EPERM) {
		fputs("rtt-ping: no ping sockets for this group: "
		      "sysctl net.ipv4.ping_group_range='0 2147483647'\n",
		      stderr);
		exit(3);
	}
	if (ret)
		die("socket", ret);
}

static void print(const struct rtt_line *l)
{
	uint32_t i;
	int k;

	printf("sent %u lost %llu", l->table.count, (unsigned long long)l->table.lost);
	for (k = 0; k < RTT_KINDS; k++)
		printf(" %s %llu", rtt_kind_name(k), (unsigned long long)l->table.kinds[k]);
	putchar('\n');
	for (i = 0; i < l->replies; i++)
		printf("%llu\n", (unsigned long long)l->times[i]);
}

/* => the number, which is in [least, most], or exits */
static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || v < least || v > most) {
		fprintf(stderr, "rtt-ping: %s: not a number from %u to %u\n%s", text, least, most,
			usage);
		exit(2);
	}
	return (uint32_t)v;
}

/* => packets that are measured */
static uint32_t options(struct rtt_line *l, int argc, char **argv)
{
	uint32_t count = 500;
	int c;

	while ((c = getopt(argc, argv, "c:w:t:h")) != -1)
		switch (c) {
		case 'c': count = number(optarg, 1, 10000000); break;
		case 'w': l->warmup = number(optarg, 0, 1000000); break;
		case 't': l->timeout = number(optarg, 1, 600000) * 1000000ull; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs(usage, stderr); exit(2);
		}
	if (optind != argc - 1 || inet_pton(AF_INET6, argv[optind], &l->to.sin6_addr) != 1) {
		fputs(usage, stderr);
		exit(2);
	}
	return count;
}

int main(int argc, char **argv)
{
	struct rtt_line l = {
		.to.sin6_family = AF_INET6,
		.warmup = 20,
		.timeout = 2000000000ull,
	};
	uint32_t count = options(&l, argc, argv), i;

	open_line(&l);
	l.times = calloc(count, sizeof(*l.times));
	if (!l.times || rtt_init(&l.table, &l.to.sin6_addr, count + l.warmup))
		die("table", -ENOMEM);
	for (i = 0; i < count + l.warmup; i++) {
		int ret = rtt_line_exchange(&l);

		if (ret)
			die("exchange", ret);
	}
	print(&l);
	rtt_free(&l.table);
	free(l.times);
	close(l.fd);
	return 0;
}
