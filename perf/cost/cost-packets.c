/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost-packets.c - a capture in memory, and time
 *
 * Packets lie one behind another in blocks, each on a cache line of its own, as
 * a ring of a network card would have them: what is measured reads them from
 * the front to the back.
 */
#include "cost.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK (1u << 20)
#define LINE  64u

void cost_exit(int code, const char *format, ...)
{
	va_list list;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(code);
}

/* => room for a packet, for ever */
static __u8 *room(size_t size)
{
	static __u8 *block;
	static size_t left;
	__u8 *p;

	size = (size + LINE - 1) & ~(size_t)(LINE - 1);
	if (size > left) {
		left = size > BLOCK ? size : BLOCK;
		block = aligned_alloc(LINE, left);
		if (!block)
			cost_exit(4, "no memory for packets");
	}
	p = block;
	block += size;
	left -= size;
	return p;
}

/* => 1 if the kernel would have a look at the packet */
static int keep(struct cost_packet *p, const struct xt2_captured *c)
{
	__u8 *frame;

	memset(p, 0, sizeof(*p));
	p->caplen = c->caplen - c->network;
	if (xt2_pkt_receive((__u8)c->family, c->frame + c->network, p->caplen, c->len - c->network,
			    &p->len) != XT2_SEEN)
		return 0;
	frame = room(c->caplen + 14);
	memcpy(frame, c->frame, c->caplen);
	p->frame = frame;
	p->frame_size = c->caplen;
	p->bytes = frame + c->network;
	if (c->mac)
		p->mac = memcpy(frame + c->caplen, c->mac, 14);
	p->family = c->family;
	return 1;
}

size_t cost_packets(const char *path, struct cost_packet **list)
{
	struct xt2_err err = { 0 };
	struct xt2_capture *cap = xt2_capture_open(path, &err);
	struct xt2_captured c;
	size_t n = 0, size = 0;
	int r = -1;

	*list = NULL;
	while (cap && (r = xt2_capture_next(cap, &c, &err)) > 0) {
		if (n == size) {
			size = size ? 2 * size : 1024;
			*list = reallocarray(*list, size, sizeof(**list));
			if (!*list)
				cost_exit(4, "no memory for packets");
		}
		n += (size_t)keep(&(*list)[n], &c);
	}
	if (r < 0) {
		xt2_err_print(&err, stderr);
		exit(2);
	}
	xt2_capture_close(cap);
	if (!n)
		cost_exit(2, "%s: no packet that a kernel would look at", path);
	return n;
}

int cost_asked(void)
{
	int c;

	putchar('\n');
	fflush(stdout);
	while ((c = getchar()) != EOF)
		if (c == '\n')
			return 1;
	return 0;
}

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double cost_now(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

double cost_used(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double cost_median(double *list, size_t n)
{
	qsort(list, n, sizeof(*list), compare);
	return (list[n / 2] + list[(n - 1) / 2]) / 2;
}
