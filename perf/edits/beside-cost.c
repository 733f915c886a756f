/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside-cost - what packets cost while the ruleset is edited
 *
 *	beside-cost [--seconds N] [--seed S] IMAGE CAPTURE
 *	beside-cost [--seconds N] --namespace NAME CAPTURE
 *
 * In a program: one thread evaluates the packets of the capture, one at a time, on the first of
 * the processors that it may use; edits and what compiles chains anew are on the others.
 * Each packet belongs to one of three times: nothing is edited, there are edits, a chain is
 * compiled meanwhile.  Then the image with as many edits pending as a chain has when it begins to
 * be compiled anew is held against the same rules compiled: windows of packets in turn.
 *
 * In a network namespace: packets are sent for each line on standard input, as trace-cost sends
 * them; edits are made by others.
 *
 * Prints lines: a time, packets, then nanoseconds: median, 99 %, 99.9 %, longest; and
 * "pending", edits, then nanoseconds a packet, the best window: compiled, with the edits.
 */
#include "config.h"
#include "perf/edits/edits-work.h"

#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES (16u << 20) /* of a time; what comes after them is not kept */
#define WINDOW	256u
#define WINDOWS 2000u

enum time_of { QUIET, EDITED, COMPILED, TIMES, ENDED = TIMES };

static const char *const time_names[TIMES] = { "quiet", "edited", "compiled" };

struct samples {
	u32 *ns;
	size_t n;
};

struct beside {
	u64 seconds, seed;
	const char *space;
	struct cost_packet *packets;
	size_t count;
	struct edits_work work;
	int hook;
	int time; /* enum time_of; the writer sets it */
	struct samples samples[TIMES];
};

/* --- samples ------------------------------------------------------------------------ */

static void samples_open(struct samples *s)
{
	s->ns = malloc(SAMPLES * sizeof(*s->ns));
	if (!s->ns)
		cost_exit(4, "no memory");
	memset(s->ns, 1, SAMPLES * sizeof(*s->ns)); /* no page comes into being later */
	s->n = 0;
}

static void sample(struct samples *s, double ns)
{
	if (s->n < SAMPLES)
		s->ns[s->n++] = ns < (double)~0u ? (u32)ns : ~0u;
}

static int compare(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void samples_print(struct samples *s, const char *name)
{
	qsort(s->ns, s->n, sizeof(*s->ns), compare);
	if (s->n)
		printf("%s %zu %u %u %u %u\n", name, s->n, s->ns[s->n / 2], s->ns[s->n * 99 / 100],
		       s->ns[s->n * 999 / 1000], s->ns[s->n - 1]);
	s->n = 0;
}

/* --- in a program ------------------------------------------------------------------- */

static bool parse(struct xt2_pkt *pkt, const struct cost_packet *p)
{
	*pkt = (struct xt2_pkt){ .data = p->bytes, .caplen = p->caplen, .len = p->len };
	return !xt2_pkt_parse(pkt, (__u8)p->family);
}

/* This thread is on the first processor that the program may use, or on all others if there are any. */
static void pin(bool first)
{
	static cpu_set_t all; /* a thread begins with those of the one that made it */
	cpu_set_t mine;
	int i, chosen = -1;

	CPU_ZERO(&mine);
	if (!CPU_COUNT(&all) && sched_getaffinity(0, sizeof(all), &all))
		return;
	for (i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		if (chosen < 0)
			chosen = i;
		if ((i == chosen) == first)
			CPU_SET(i, &mine);
	}
	if (CPU_COUNT(&mine))
		sched_setaffinity(0, sizeof(mine), &mine);
}

static void *read_packets(void *data)
{
	struct beside *b = data;
	struct xt2_reader *reader = xt2_reader_new(b->work.tables);
	struct xt2_result result;
	struct xt2_pkt pkt;
	double begin, end;
	size_t i = 0;
	int time;

	if (!reader)
		cost_exit(4, "no memory for a reader");
	pin(true);
	while ((time = __atomic_load_n(&b->time, __ATOMIC_RELAXED)) != ENDED) {
		begin = cost_now();
		if (parse(&pkt, &b->packets[i]))
			xt2_reader_evaluate(reader, b->hook, NULL, &pkt, i, 0, &result);
		end = cost_now();
		if (time == __atomic_load_n(&b->time, __ATOMIC_RELAXED))
			sample(&b->samples[time], end - begin);
		i = i + 1 < b->count ? i + 1 : 0;
	}
	xt2_reader_free(reader);
	return NULL;
}

static void edit(struct edits_work *w)
{
	const struct edits_kind *k = &edits_kinds[w->next % 3];
	const u32 n = xt2_chain_rules(w->rs, w->chain);

	if (k->change(w, edits_below(w, n + k->more)))
		cost_exit(1, "an edit failed");
	w->next++;
	edits_commit(w);
}

static void set_time(struct beside *b, enum time_of time)
{
	__atomic_store_n(&b->time, time, __ATOMIC_RELAXED);
}

/* Edits as fast as they go: chains are compiled most of the time. */
static void edit_for(struct beside *b, double ns)
{
	const double end = cost_now() + ns;
	int going_on;

	while (cost_now() < end) {
		edit(&b->work);
		xt2_tables_compactions(b->work.tables, &going_on);
		set_time(b, going_on ? COMPILED : EDITED);
	}
}

static void rest(struct beside *b, double ns)
{
	const double end = cost_now() + ns;

	set_time(b, QUIET);
	while (cost_now() < end)
		sched_yield();
}

/* In turn, so that a machine that becomes slower is so for all. */
static void read_beside_edits(struct beside *b)
{
	const double turn = (double)b->seconds * 1e9 / 8;
	pthread_t thread;
	int i;

	for (i = 0; i < TIMES; i++)
		samples_open(&b->samples[i]);
	if (pthread_create(&thread, NULL, read_packets, b))
		cost_exit(4, "no thread");
	for (i = 0; i < 4; i++) {
		rest(b, turn);
		edit_for(b, turn);
	}
	set_time(b, ENDED);
	pthread_join(thread, NULL);
	for (i = 0; i < TIMES; i++) {
		samples_print(&b->samples[i], time_names[i]);
		free(b->samples[i].ns);
	}
}

/* --- with edits pending --------------------------------------------------------------- */

static struct xt2_evaluator *evaluator_of(struct xt2_mapping *map)
{
	struct xt2_evaluator *ev = xt2_evaluator_new(map->image, map->size);

	if (!ev)
		cost_exit(4, "no memory");
	return ev;
}

/* The same rules, compiled. */
static void compile(const struct xt2_mapping *from, struct xt2_mapping *to)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err;

	if (!rs || xt2_ruleset_load(rs, from->image, from->size))
		cost_exit(4, "no memory");
	if (xt2_ruleset_write(rs, to, &err))
		cost_exit(4, "%s", err.message);
	xt2_ruleset_free(rs);
}

static double window(const struct beside *b, struct xt2_evaluator *ev, size_t at)
{
	const double begin = cost_now();
	struct xt2_result result;
	struct xt2_pkt pkt;
	u32 i;

	for (i = 0; i < WINDOW; i++)
		if (parse(&pkt, &b->packets[(at + i) % b->count]))
			xt2_evaluate(ev, b->hook, NULL, &pkt, at + i, 0, &result);
	return (cost_now() - begin) / WINDOW;
}

/*
 * Each place of the capture by each in turn, and the best time of each: the figure is the mean
 * over all places.
 */
static void compare_pending(const struct beside *b, u32 edits)
{
	const size_t places = b->count / WINDOW ? b->count / WINDOW : 1;
	struct xt2_mapping maps[2]; /* compiled, with the edits */
	struct xt2_evaluator *ev[2];
	double sums[2] = { 0 }, ns, *best = malloc(2 * places * sizeof(*best));
	struct xt2_err err;
	size_t i, k;

	if (xt2_tables_snapshot(b->work.tables, &maps[1], &err))
		cost_exit(4, "%s", err.message);
	compile(&maps[1], &maps[0]);
	for (k = 0; k < 2; k++)
		ev[k] = evaluator_of(&maps[k]);
	for (i = 0; best && i < 2 * places; i++)
		best[i] = 1e18;
	for (i = 0; best && i < WINDOWS + 8 * places; i++)
		for (k = 0; k < 2; k++) {
			ns = window(b, ev[(i + k) % 2], i % places * WINDOW);
			if (ns < best[i % places * 2 + (i + k) % 2])
				best[i % places * 2 + (i + k) % 2] = ns;
		}
	for (i = 0; best && i < 2 * places; i++)
		sums[i % 2] += best[i];
	printf("pending %u %.1f %.1f\n", edits, sums[0] / (double)places, sums[1] / (double)places);
	free(best);
	for (k = 0; k < 2; k++) {
		xt2_evaluator_free(ev[k]);
		xt2_image_close(&maps[k]);
	}
}

/* Edits of a compiled chain, until it is to be compiled anew. */
static u32 fill(struct beside *b)
{
	const u32 most = xt2_chain_rules(b->work.rs, b->work.chain);
	u32 edits;
	int going_on;

	for (edits = 1; edits <= most; edits++) {
		edit(&b->work);
		xt2_tables_compactions(b->work.tables, &going_on);
		if (going_on)
			break;
	}
	return edits;
}

/* The hook at which packets meet the chain that is edited. */
static int hook_of(const struct edits_work *w)
{
	const int table = xt2_chain_table(w->rs, w->chain);
	int hook = xt2_chain_hook(w->rs, w->chain), chain;

	xt2_table_for_each_chain(chain, w->rs, table)
		if (hook < 0 && xt2_chain_rules(w->rs, chain))
			hook = xt2_chain_hook(w->rs, chain);
	return hook;
}

static void in_program(struct beside *b, const char *image)
{
	u32 edits;

	pin(false);
	edits_open(&b->work, image, b->seed);
	edits_share(&b->work);
	edits_choose(&b->work);
	b->hook = hook_of(&b->work);
	edits = fill(b);
	compare_pending(b, edits);
	read_beside_edits(b);
	edits_stop(&b->work);
}

/* --- in a network namespace ----------------------------------------------------------- */

static void in_namespace(struct beside *b)
{
	struct samples *s = &b->samples[QUIET];
	const int fd = cost_sender(b->space, &b->packets[0]);
	double end, begin;
	size_t i = 0;

	pin(true);
	samples_open(s);
	while (cost_asked()) {
		end = cost_now() + (double)b->seconds * 1e9;
		while ((begin = cost_now()) < end) {
			cost_send(fd, &b->packets[i]);
			sample(s, cost_now() - begin);
			i = i + 1 < b->count ? i + 1 : 0;
		}
		samples_print(s, "sent");
	}
	free(s->ns);
}

static void arguments(struct beside *b, int argc, char **argv)
{
	static const struct option list[] = {
		{ "seconds", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "namespace", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", list, NULL)) != -1) {
		switch (c) {
		case 't': b->seconds = edits_number(optarg); break;
		case 's': b->seed = edits_number(optarg); break;
		case 'n': b->space = optarg; break;
		default: exit(2);
		}
	}
	if (optind + (b->space ? 1 : 2) != argc || !b->seconds)
		cost_exit(2, "usage: beside-cost [--seconds N] [--seed S] IMAGE CAPTURE\n"
			     "       beside-cost [--seconds N] --namespace NAME CAPTURE");
}

int main(int argc, char **argv)
{
	struct beside b = { .seconds = 8, .seed = 1 };

	arguments(&b, argc, argv);
	b.count = cost_packets(argv[argc - 1], &b.packets);
	if (b.space)
		in_namespace(&b);
	else
		in_program(&b, argv[optind]);
	free(b.packets);
	return 0;
}
