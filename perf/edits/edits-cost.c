/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edits-cost - what an edit costs in a program, while the ruleset can be evaluated
 *
 * The image becomes a ruleset that is shared with readers, and the chain with most rules is
 * edited: rules of the chain itself are inserted, replace others, and are deleted again.  Each
 * edit is a transaction, and its time is that of the change and the commit together, with
 * whatever a commit has to do then.  Time is what the writer used of its CPU: it waits for
 * nobody, and other programs are not its fault.  What all threads used, compactions included,
 * and the clock's time stand beside it.
 *
 *	edits-cost [--edits N] [--near N] [--bulk N] [--seed S] IMAGE
 *
 * Prints a line for each place and kind: nanoseconds an edit, those of the longest one,
 * nanoseconds of all threads an edit, those of the clock, edits.
 */
#include "config.h"
#include "perf/cost/cost.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/share/share-tables.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
	u64 edits, near, bulk, seed;
};

struct work {
	struct xt2_tables *tables;
	struct xt2_ruleset *rs; /* of these */
	int chain; /* the one with most rules */
	u64 random; /* state */
	struct xt2_rule **pool; /* copies of its rules, in random order */
	u32 pooled, next;
};

struct place {
	const char *name;
	/* => position of a rule of n, or for one */
	u32 (*position)(struct work *w, u32 n);
};

struct kind {
	const char *name;
	int (*change)(struct work *w, u32 at);
	u32 more; /* positions beyond those of rules */
};

/* --- edits ---------------------------------------------------------------------------- */

static u32 below(struct work *w, u32 n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return n ? (u32)((w->random >> 32) * n >> 32) : 0;
}

static const struct xt2_rule *any_rule(struct work *w)
{
	return w->pool[w->next++ % w->pooled];
}

static int insert(struct work *w, u32 at)
{
	return xt2_rule_insert(w->rs, w->chain, at, any_rule(w), 0);
}

static int remove_one(struct work *w, u32 at)
{
	return xt2_rule_delete(w->rs, w->chain, at);
}

static int replace(struct work *w, u32 at)
{
	return xt2_rule_replace(w->rs, w->chain, at, any_rule(w), 0);
}

static u32 front(struct work *w, u32 n)
{
	(void)w;
	(void)n;
	return 0;
}

static u32 back(struct work *w, u32 n)
{
	(void)w;
	return n - 1;
}

static u32 middle(struct work *w, u32 n)
{
	(void)w;
	return n / 2;
}

static const struct place places[] = { { "random", below },
				       { "front", front },
				       { "back", back },
				       { "near", middle },
				       { NULL, NULL } };

static const struct kind kinds[] = { { "-insert", insert, 1 },
				     { "-replace", replace, 0 },
				     { "-delete", remove_one, 0 },
				     { NULL, NULL, 0 } };

/* --- measuring -------------------------------------------------------------------------- */

static double used_by_all(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void commit(struct work *w)
{
	struct xt2_err err;

	if (xt2_tables_commit(w->tables, &err))
		cost_exit(1, "a commit failed: %s", err.message);
}

static void change(struct work *w, const struct place *p, const struct kind *k)
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

/* So many transactions of one edit. */
static void measure(struct work *w, const struct place *p, const struct kind *k, u64 edits)
{
	const struct times begin = times_now();
	double longest = 0, before = begin.writer, now;
	u64 i;

	for (i = 0; i < edits; i++) {
		change(w, p, k);
		commit(w);
		now = cost_used();
		if (now - before > longest)
			longest = now - before;
		before = now;
	}
	if (edits)
		report(p->name, k->name, &begin, longest, edits);
}

/* One transaction of many edits, one kind after the other. */
static void measure_bulk(struct work *w, u64 edits)
{
	const struct times begin = times_now();
	u64 i;

	if (!edits)
		return;
	for (i = 0; i < edits; i++)
		change(w, &places[0], &kinds[i % 3]);
	commit(w);
	report("bulk", "", &begin, cost_used() - begin.writer, edits);
}

static void run(struct work *w, const struct options *o)
{
	const struct place *p;
	const struct kind *k;

	for (p = places; p->name; p++)
		for (k = kinds; k->name; k++)
			measure(w, p, k, p->position == middle ? o->near : o->edits);
	measure_bulk(w, o->bulk);
}

/* --- preparing -------------------------------------------------------------------------- */

static void *must(void *p)
{
	if (!p)
		cost_exit(4, "no memory");
	return p;
}

/* The chain with most rules, and copies of these. */
static void choose(struct work *w, const struct xt2_ruleset *rs)
{
	int table, chain;
	u32 i, most = 0;

	for (table = 0; table < xt2_ruleset_tables(rs); table++) {
		xt2_table_for_each_chain(chain, rs, table) {
			if (xt2_chain_rules(rs, chain) <= most)
				continue;
			most = xt2_chain_rules(rs, chain);
			w->chain = chain;
		}
	}
	if (!most)
		cost_exit(2, "the image has no rules");
	w->pooled = most < 65536 ? most : 65536;
	w->pool = must(calloc(w->pooled, sizeof(struct xt2_rule *)));
	for (i = 0; i < w->pooled; i++) {
		const struct xt2_rule *r = xt2_rule_get(rs, w->chain, below(w, most));

		w->pool[i] = memcpy(must(malloc(r->size)), r, r->size);
		if (xt2_rule_jumps(r) !=
		    XT2_NONE) /* packets may not pass through any number of chains */
			w->pool[i]->target = XT2_TARGET(XT2_T_CONTINUE, 0);
	}
}

static void start(struct work *w, const char *path)
{
	struct xt2_ruleset *rs = must(xt2_ruleset_new());
	struct xt2_mapping map;
	struct xt2_err err;
	struct times begin;

	if (xt2_image_open(path, &map, &err))
		cost_exit(2, "%s: %s", path, err.message);
	if (xt2_ruleset_load(rs, map.image, map.size))
		cost_exit(4, "no memory");
	choose(w, rs);
	begin = times_now();
	w->tables = xt2_tables_new(rs, &err);
	if (!w->tables)
		cost_exit(4, "%s", err.message);
	report("start", "", &begin, cost_used() - begin.writer, xt2_chain_rules(rs, w->chain));
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	w->rs = xt2_tables_ruleset(w->tables);
}

static void stop(struct work *w)
{
	u32 i;

	for (i = 0; i < w->pooled; i++)
		free(w->pool[i]);
	free(w->pool);
	xt2_tables_free(w->tables);
}

static u64 number(const char *text)
{
	char *end;
	u64 n = strtoull(text, &end, 10);

	if (!*text || *text == '-' || *end || n > 1u << 30)
		cost_exit(2, "no number: %s", text);
	return n;
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
		case 'e': o->edits = number(optarg); break;
		case 'n': o->near = number(optarg); break;
		case 'b': o->bulk = number(optarg); break;
		case 's': o->seed = number(optarg); break;
		default: exit(2);
		}
	}
	if (optind + 1 != argc)
		cost_exit(2,
			  "usage: edits-cost [--edits N] [--near N] [--bulk N] [--seed S] IMAGE");
}

int main(int argc, char **argv)
{
	struct options o = { .edits = 20000, .near = 1000, .bulk = 10000, .seed = 1 };
	struct work w = { .chain = -1 };

	arguments(&o, argc, argv);
	w.random = o.seed * 0x9e3779b97f4a7c15ull + 1;
	start(&w, argv[optind]);
	run(&w, &o);
	stop(&w);
	return 0;
}
