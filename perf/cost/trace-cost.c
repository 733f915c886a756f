/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace-cost - what the rulesets of network namespaces cost the packets of a capture
 *
 * How they get there is told in cost-send.c, and is in the figure: that of a namespace with an
 * empty ruleset is to be subtracted.
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

#include <stdlib.h>

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

static void window(struct space *s, const struct cost_packet *list, size_t n)
{
	double start = cost_now();
	int i;

	for (i = 0; i < WINDOW; i++) {
		cost_send(s->fd, &list[s->at]);
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
		list[i] = (struct space){ .name = argv[3 + i],
					  .fd = cost_sender(argv[3 + i], &packets[0]) };
	while (cost_asked())
		one_round(list, count, packets, n, budget);
	free(list);
	free(packets);
	return 0;
}
