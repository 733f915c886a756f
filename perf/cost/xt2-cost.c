/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2-cost - what an image costs per packet, in one thread, counters exact
 *
 * Evaluates the packets of a capture, in memory, again and again: parsing and
 * all tables of a hook, or one.  Prints the nanoseconds per packet of the best
 * window, and of parsing alone.
 *
 *	xt2-cost IMAGE HOOK TABLE CAPTURE WINDOWS ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xt2/xt2.h>

struct packet {
	__u8 *bytes;
	__u32 caplen, wire;
	__u64 time;
	int family;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void die(const struct xt2_err *err)
{
	xt2_err_print(err, stderr);
	exit(2);
}

static size_t load(const char *path, struct packet **list)
{
	struct xt2_err err = { 0 };
	struct xt2_capture *cap = xt2_capture_open(path, &err);
	struct xt2_captured c;
	size_t n = 0;
	int r;

	if (!cap)
		die(&err);
	*list = NULL;
	while ((r = xt2_capture_next(cap, &c, &err)) > 0) {
		struct packet *p;

		if (!(n & (n - 1)))
			*list = realloc(*list, (n ? 2 * n : 1) * sizeof(**list));
		if (!*list)
			exit(4);
		p = &(*list)[n++];
		p->caplen = c.caplen - c.network;
		p->wire = c.len - c.network;
		p->time = c.time;
		p->family = c.family;
		p->bytes = malloc(p->caplen + 1);
		if (!p->bytes)
			exit(4);
		memcpy(p->bytes, c.frame + c.network, p->caplen);
	}
	if (r < 0)
		die(&err);
	xt2_capture_close(cap);
	return n;
}

static int parse(const struct packet *p, struct xt2_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	if (xt2_pkt_receive(p->family, p->bytes, p->caplen, p->wire, &pkt->len) != XT2_SEEN)
		return -1;
	pkt->data = p->bytes;
	pkt->caplen = p->caplen;
	memcpy(pkt->in, "eth0", 4);
	return xt2_pkt_parse(pkt, p->family);
}

int main(int argc, char **argv)
{
	struct xt2_err err = { 0 };
	struct xt2_mapping map;
	struct xt2_evaluator *ev;
	struct packet *list;
	struct xt2_result res;
	struct xt2_pkt pkt;
	double best = 1e18, parsing = 1e18;
	size_t n, i;
	int windows, rounds, w, k, hook;

	if (argc != 7) {
		fputs("usage: xt2-cost IMAGE HOOK TABLE CAPTURE WINDOWS ROUNDS\n", stderr);
		return 2;
	}
	if (xt2_image_open(argv[1], &map, &err) < 0)
		die(&err);
	ev = xt2_evaluator_new(map.image, map.size);
	n = load(argv[4], &list);
	if (!ev || !n)
		return 4;
	hook = xt2_hook_number(list[0].family, argv[2]);
	windows = atoi(argv[5]);
	rounds = atoi(argv[6]);
	for (w = 0; w < windows; w++) {
		double start = now();

		for (k = 0; k < rounds; k++)
			for (i = 0; i < n; i++)
				if (!parse(&list[i], &pkt))
					xt2_evaluate(ev, hook, argv[3], &pkt, list[i].time, 0,
						     &res);
		start = (now() - start) / n / rounds;
		if (start < best)
			best = start;
		start = now();
		for (k = 0; k < rounds; k++)
			for (i = 0; i < n; i++) {
				if (parse(&list[i], &pkt))
					continue;
				__asm__ volatile("" ::"r"(&pkt) : "memory");
			}
		start = (now() - start) / n / rounds;
		if (start < parsing)
			parsing = start;
	}
	printf("%.1f %.1f\n", best, parsing);
	return 0;
}
