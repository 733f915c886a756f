/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edits-cost - what an edit costs in a program, while the ruleset can be evaluated
 *
 * The image becomes a ruleset that is shared with readers, and the chain with most rules is
 * edited: rules of the chain itself are inserted, replace others, and are deleted again.  Each
 * edit is a transaction, and its time is that of the change and the commit together, with
 * whatever a commit has to do then.  Time is what the writer used of its CPU: other programs are
 * not its fault.  What all threads used, compactions included, and the clock's time stand beside
 * it.  To ask for the CPU's time takes as long as a tenth of an edit, so it is done for every 16th;
 * the longest edit took no more of it than those 16, and no more than the clock says.
 *
 *	edits-cost [--edits N] [--near N] [--bulk N] [--seed S] IMAGE
 *
 * Prints a line for each place and kind: nanoseconds an edit, those of the longest one,
 * nanoseconds of all threads an edit, those of the clock, edits.
 */
#include "config.h"
#include "perf/edits/edits-work.h"

#include <getopt.h>
#include <stdlib.h>
#include <time.h>

#define SOME 16u /* edits */

struct options {
	u64 edits, near, bulk, seed;
};

struct place {
	const char *name;
	/* => position of a rule of n, or for one */
	u32 (*position)(struct edits_work *w, u32 n);
};

static u32 front(struct edits_work *w, u32 n)
{
	(void)w;
	(void)n;
	return 0;
}

static u32 back(struct edits_work *w, u32 n)
{
	(void)w;
	return n - 1;
}

static u32 middle(struct edits_work *w, u32 n)
{
	(void)w;
	return n / 2;
}

static const struct place places[] = { { "random", edits_below },
				       { "front", front },
				       { "back", back },
				       { "near", middle },
				       { NULL, NULL } };

/* --- measuring -------------------------------------------------------------------------- */

static double used_by_all(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void change(struct edits_work *w, const struct place *p, const struct edits_kind *k)
{
	const u32 n = xt2_chain_rules(w->rs, w->chain);

	if (n + k->more && k->change(w, p->position(w, n + k->more)))
		cost_exit(1, "%s%s failed", p->name, k->name);
}

struct times {
	double writer, all, clock; /* ns */
};

static struct times times_now(void)
{
	return (struct times){ cost_used(), used_by_all(), cost_now() };
}

static void report(const char *place, const char *kind, const struct times *begin, double longest,
		   u64 edits)
{
	const struct times end = times_now();
	const double n = (double)edits;

	printf("%s%s %.0f %.0f %.0f %.0f %llu\n", place, kind, (end.writer - begin->writer) / n,
	       longest, (end.all - begin->all) / n, (end.clock - begin->clock) / n,
	       (unsigned long long)edits);
	fflush(stdout);
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* => ns of the longest of so many transactions of one edit, by the clock */
static double run_some(struct edits_work *w, const struct place *p, const struct edits_kind *k,
		       u64 edits)
{
	double longest = 0, before = cost_now(), now;

	for (; edits; edits--, before = now) {
		change(w, p, k);
		edits_commit(w);
		now = cost_now();
		longest = larger(longest, now - before);
	}
	return longest;
}

static void measure(struct edits_work *w, const struct place *p, const struct edits_kind *k,
		    u64 edits)
{
	const struct times begin = times_now();
	double longest = 0, before = begin.writer, now, clock;
	u64 i;

	for (i = 0; i < edits; i += SOME, before = now) {
		clock = run_some(w, p, k, edits - i < SOME ? edits - i : SOME);
		now = cost_used();
		longest = larger(longest, smaller(clock, now - before));
	}
	if (edits)
		report(p->name, k->name, &begin, longest, edits);
}

/* One transaction of many edits, one kind after the other. */
static void measure_bulk(struct edits_work *w, u64 edits)
{
	const struct times begin = times_now();
	u64 i;

	if (!edits)
		return;
	for (i = 0; i < edits; i++)
		change(w, &places[0], &edits_kinds[i % 3]);
	edits_commit(w);
	report("bulk", "", &begin, cost_used() - begin.writer, edits);
}

static void run(struct edits_work *w, const struct options *o)
{
	const struct place *p;
	const struct edits_kind *k;

	for (p = places; p->name; p++)
		for (k = edits_kinds; k->name; k++)
			measure(w, p, k, p->position == middle ? o->near : o->edits);
	measure_bulk(w, o->bulk);
}

static void arguments(struct options *o, int argc, char **argv)
{
	static const struct option list[] = {
		{ "edits", required_argument, NULL, 'e' },
		{ "near", required_argument, NULL, 'n' },
		{ "bulk", required_argument, NULL, 'b' },
		{ "seed", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", list, NULL)) != -1) {
		switch (c) {
		case 'e': o->edits = edits_number(optarg); break;
		case 'n': o->near = edits_number(optarg); break;
		case 'b': o->bulk = edits_number(optarg); break;
		case 's': o->seed = edits_number(optarg); break;
		default: exit(2);
		}
	}
	if (optind + 1 != argc)
		cost_exit(2,
			  "usage: edits-cost [--edits N] [--near N] [--bulk N] [--seed S] IMAGE");
}

static void start(struct edits_work *w, const char *path, u64 seed)
{
	struct times begin;
	double used;

	edits_open(w, path, seed);
	begin = times_now();
	edits_share(w);
	used = cost_used() - begin.writer;
	edits_choose(w);
	report("start", "", &begin, used, xt2_chain_rules(w->rs, w->chain));
}

int main(int argc, char **argv)
{
	struct options o = { .edits = 20000, .near = 1000, .bulk = 10000, .seed = 1 };
	struct edits_work w;

	arguments(&o, argc, argv);
	start(&w, argv[optind], o.seed);
	run(&w, &o);
	edits_stop(&w);
	return 0;
}
