/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-run.c - packets through one base chain, in each way
 *
 * First all packets go each way from the same start, and results, counters and
 * state are compared: the whole image, in which nothing else changes.  Then the
 * ways take turns, so that what else the machine does hits all of them, and of
 * each the best round counts.  Time is that of the thread on a processor.
 */
#include "engine/order.h"
#include "bench.h"
#include "xt2tables/packet/packet.h"

#define ROUND_LEAST 5e6 /* ns that a round of one mode takes at least */
#define ROUND_MOST  1e8 /* and about at most: otherwise only some of the packets */
#define PACKETS_MIN 64 /* that a round has, if there are as many */

struct bench {
	struct xt2_bench_run *run;
	struct xt2_evaluator *ev;
	struct xt2_pkt pkt[XT2_BATCH];
	struct xt2_pkt *pkts[XT2_BATCH];
	__u64 now[XT2_BATCH];
	struct xt2_result result[XT2_BATCH];
	size_t step[XT2_BENCH_MODES]; /* each step-th packet is in a round */
	unsigned int times[XT2_BENCH_MODES]; /* that a round has them */
};

static double used(void)
{
	return (double)xt2_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What a host does for each packet: everything is parsed again. */
static void take(struct bench *b, size_t packet, unsigned int at)
{
	const struct xt2_bench_packet *p = &b->run->packets->list[packet];
	struct xt2_pkt *pkt = &b->pkt[at];

	*pkt = p->pkt;
	if (b->run->writes) {
		memcpy(pkt->data, p->bytes, pkt->caplen);
		pkt->room = XT2_BENCH_ROOM;
	}
	xt2_pkt_parse(pkt, p->pkt.family);
	b->now[at] = p->now;
}

/* A pass over the packets; results: of all of them, or NULL. => packets */
static size_t pass(struct bench *b, int mode, size_t step, struct xt2_result *results)
{
	const struct xt2_bench_run *run = b->run;
	const unsigned int batch = mode == XT2_BENCH_BATCHED ? XT2_BATCH : 1;
	const size_t packets = run->packets->n;
	const char *table = run->base->table;
	size_t i = 0, n = 0;
	unsigned int k;

	while (i < packets) {
		struct xt2_result *to = results ? results + i : b->result;

		for (k = 0; k < batch && i < packets; k++, i += step)
			take(b, i, k);
		if (mode == XT2_BENCH_BATCHED)
			xt2_evaluate_batch(b->ev, run->base->hook, table, b->pkts, b->now, k,
					   results != NULL, to);
		else if (mode != XT2_BENCH_PARSE)
			xt2_evaluate(b->ev, run->base->hook, table, b->pkt, b->now[0],
				     results != NULL, to);
		else
			__asm__ volatile("" : : "r"(b->pkt) : "memory");
		n += k;
	}
	return n;
}

/* --- the same? --------------------------------------------------------------- */

static bool same_result(const struct xt2_result *a, const struct xt2_result *b)
{
	return a->verdict == b->verdict && a->arg == b->arg && a->table == b->table &&
	       a->chain == b->chain && a->rule == b->rule && a->hotdrop == b->hotdrop &&
	       a->faults == b->faults && a->events == b->events;
}

static const char *mode_name(int mode)
{
	switch (mode) {
	case XT2_BENCH_LINEAR: return "rule after rule";
	case XT2_BENCH_INDEXED: return "with indexes";
	}
	return "in batches";
}

static void say_result(int mode, const struct xt2_result *r)
{
	char by[128] = "";

	if (r->table)
		snprintf(by, sizeof(by), " by %s/%s:%u", r->table, r->chain, r->rule);
	xt2_print_line(stderr, "  %s: %s%s%s, events %u", mode_name(mode),
		       xt2_verdict_name(r->verdict), by, r->hotdrop ? ", malformed" : "",
		       r->events);
}

/* => true if they are the same */
static bool same_results(const struct bench *b, int mode, const struct xt2_result *linear,
			 const struct xt2_result *other)
{
	char text[256];
	size_t i;

	for (i = 0; i < b->run->packets->n; i++) {
		if (same_result(&linear[i], &other[i]))
			continue;
		xt2_packet_describe(&b->run->packets->list[i].pkt, text, sizeof(text));
		xt2_print_line(stderr, "xt2 bench: results differ for packet %zu: %s", i + 1, text);
		say_result(XT2_BENCH_LINEAR, &linear[i]);
		say_result(mode, &other[i]);
		return false;
	}
	return true;
}

bool xt2_bench_differs(const struct xt2_image *a, const struct xt2_image *b, char *text,
		       size_t size)
{
	const struct xt2_root *root = xt2_image_root(a);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	__u32 i;

	text[0] = '\0';
	if (!memcmp(a, b, a->size))
		return false;
	xt2_image_for_each_chain(c, i, a, root) {
		unsigned int number = 1;

		xt2_chain_for_each(r, &o, a, c) {
			const struct xt2_rule *s =
				(const void *)((const __u8 *)b +
					       ((const __u8 *)r - (const __u8 *)a));

			if (r->packets != s->packets || r->bytes != s->bytes) {
				snprintf(text, size, "%s/%s:%u: %llu packets and %llu",
					 xt2_image_table(a, root, c->table)->name,
					 xt2_image_chain_cold(a, root, c->index)->name, number,
					 r->packets, s->packets);
				return true;
			}
			number++;
		}
	}
	return true;
}

static bool same_counters(const struct bench *b, int mode, const struct xt2_image *linear)
{
	char text[256];

	if (!xt2_bench_differs(linear, b->run->img, text, sizeof(text)))
		return true;
	xt2_print_line(stderr, "xt2 bench: counters differ, %s and %s: %s",
		       mode_name(XT2_BENCH_LINEAR), mode_name(mode),
		       text[0] ? text : "what matches remember");
	return false;
}

/* All packets from the same start.  How long it took says how long a round is to be. */
static void compare_pass(struct bench *b, int mode, const void *start, struct xt2_result *results)
{
	const size_t n = b->run->packets->n;
	double t;

	memcpy(b->run->img, start, b->run->size);
	xt2_evaluator_seed(b->ev, b->run->seed);
	xt2_evaluator_linear(b->ev, mode == XT2_BENCH_LINEAR);
	t = used();
	pass(b, mode, 1, results);
	t = used() - t;
	xt2_image_fold(b->run->img);
	b->times[mode] = t < ROUND_LEAST ? (unsigned int)(ROUND_LEAST / (t + 1e3)) + 1 : 1;
	b->step[mode] = t > ROUND_MOST ? (size_t)(t / ROUND_MOST) + 1 : 1;
	if (b->step[mode] > n / PACKETS_MIN)
		b->step[mode] = n < PACKETS_MIN ? 1 : n / PACKETS_MIN;
}

/* => 0, -EUCLEAN, -ENOMEM */
static int compare(struct bench *b, const void *start)
{
	const size_t n = b->run->packets->n;
	struct xt2_result *linear = calloc(n, sizeof(*linear));
	struct xt2_result *other = calloc(n, sizeof(*other));
	void *counted = malloc(b->run->size);
	int mode, ret = linear && other && counted ? 0 : -ENOMEM;
	size_t i;

	if (!ret) {
		compare_pass(b, XT2_BENCH_LINEAR, start, linear);
		memcpy(counted, b->run->img, b->run->size);
		for (i = 0; i < n; i++)
			b->run->accepted += linear[i].verdict == XT2_ACCEPT;
	}
	for (mode = XT2_BENCH_INDEXED; !ret && mode <= XT2_BENCH_BATCHED; mode++) {
		compare_pass(b, mode, start, other);
		if (!same_results(b, mode, linear, other) || !same_counters(b, mode, counted))
			ret = -EUCLEAN;
	}
	b->step[XT2_BENCH_PARSE] = 1;
	b->times[XT2_BENCH_PARSE] = b->times[XT2_BENCH_BATCHED];
	free(linear);
	free(other);
	free(counted);
	return ret;
}

/* --- how fast? ---------------------------------------------------------------- */

static double round_of(struct bench *b, int mode)
{
	size_t n = 0;
	unsigned int i;
	double t;

	xt2_evaluator_linear(b->ev, mode == XT2_BENCH_LINEAR);
	t = used();
	for (i = 0; i < b->times[mode]; i++)
		n += pass(b, mode, b->step[mode], NULL);
	return (used() - t) / (double)n;
}

static void measure(struct bench *b)
{
	double *best = b->run->ns;
	unsigned int round;
	int mode;

	for (mode = 0; mode < XT2_BENCH_MODES; mode++)
		best[mode] = 1e300;
	for (round = 0; round < b->run->rounds; round++)
		for (mode = 0; mode < XT2_BENCH_MODES; mode++) {
			double ns = round_of(b, mode);

			best[mode] = ns < best[mode] ? ns : best[mode];
		}
}

int xt2_bench_run(struct xt2_bench_run *run)
{
	struct bench *b = calloc(1, sizeof(*b));
	void *start = malloc(run->size);
	unsigned int i;
	int ret = -ENOMEM;

	if (b && start) {
		b->run = run;
		for (i = 0; i < XT2_BATCH; i++)
			b->pkts[i] = &b->pkt[i];
		memcpy(start, run->img, run->size);
		b->ev = xt2_evaluator_new(run->img, run->size);
		ret = b->ev ? compare(b, start) : -errno;
		if (!ret)
			measure(b);
		xt2_evaluator_free(b->ev);
		memcpy(run->img, start, run->size);
	}
	free(start);
	free(b);
	return ret;
}
