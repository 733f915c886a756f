/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-cost - what a packet costs in a program, the ways of evaluation in turn
 *
 * Each mode has a copy of the image, so counters of its own.  First every mode
 * evaluates the same packets: if a verdict or a counter of a rule or a policy
 * is not that of the first mode, the exit code is 1.  Then rounds alternate
 * between the modes.  What is measured begins with a packet's bytes: it is
 * parsed, evaluated, counted.  Time is that of the thread on its CPU.
 *
 * A mode that takes longer than the budget of a round gets so many of the
 * packets, the first ones, as fit.
 */
#include "config.h"
#include "cost.h"
#include "engine/eval.h"
#include "engine/index/search.h"
#include "engine/rule.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK	   256
#define ROUNDS_MAX 1000

struct side;

struct mode {
	const char *name, *what;
	void (*run)(struct side *side, const struct cost_packet *list, size_t n, __u8 *verdicts);
};

#define BATCH 16

/* One mode at work. */
struct side {
	const struct mode *mode;
	struct xt2_mapping map;
	struct xt2_evaluator *ev;
	struct xt2_pkt pkt;
	int hook;
	struct xt2_pkt packets[BATCH];
	size_t count; /* packets of a round */
	double times[ROUNDS_MAX]; /* ns a packet */
};

struct options {
	const char *modes, *hook, *counters, *only;
	double budget; /* ns */
	size_t verify;
	int rounds, fixed, ask;
};

/* --- modes -------------------------------------------------------------------------- */

/* What targets may have changed, and what each packet has of its own. */
static int parse(struct xt2_pkt *pkt, const struct cost_packet *p)
{
	pkt->data = p->bytes;
	pkt->caplen = p->caplen;
	pkt->len = p->len;
	pkt->mac = p->mac;
	pkt->mac_len = p->mac ? 14 : 0;
	pkt->mark = pkt->priority = 0;
	pkt->notrack = pkt->ct_template = pkt->trace = 0;
	return xt2_pkt_parse(pkt, (__u8)p->family);
}

/* The function's name is what callgrind is told to look at. */
__attribute__((noinline)) static void run_parse(struct side *side, const struct cost_packet *list,
						size_t n, __u8 *verdicts)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int r = parse(&side->pkt, &list[i]);

		if (verdicts)
			verdicts[i] = (__u8)r;
		__asm__ volatile("" ::"r"(&side->pkt) : "memory");
	}
}

static void evaluate(struct side *side, const struct cost_packet *list, size_t n, __u8 *verdicts)
{
	struct xt2_result res;
	size_t i;

	for (i = 0; i < n; i++) {
		if (parse(&side->pkt, &list[i]))
			continue;
		xt2_evaluate(side->ev, side->hook, NULL, &side->pkt, i, 0, &res);
		if (verdicts)
			verdicts[i] = (__u8)res.verdict;
	}
}

__attribute__((noinline)) static void run_linear(struct side *side, const struct cost_packet *list,
						 size_t n, __u8 *verdicts)
{
	xt2_evaluator_linear(side->ev, 1);
	evaluate(side, list, n, verdicts);
}

__attribute__((noinline)) static void run_indexed(struct side *side, const struct cost_packet *list,
						  size_t n, __u8 *verdicts)
{
	evaluate(side, list, n, verdicts);
}

__attribute__((noinline)) static void run_batch(struct side *side, const struct cost_packet *list,
						size_t n, __u8 *verdicts)
{
	struct xt2_result results[BATCH];
	struct xt2_pkt *pkts[BATCH];
	__u64 now[BATCH];
	size_t at, i, count;

	for (at = 0; at < n; at += count) {
		count = n - at < BATCH ? n - at : BATCH;
		for (i = 0; i < count; i++) {
			pkts[i] = &side->packets[i];
			now[i] = at + i;
			parse(pkts[i], &list[at + i]);
		}
		xt2_evaluate_batch(side->ev, side->hook, NULL, pkts, now, (unsigned int)count, 0,
				   results);
		if (verdicts)
			for (i = 0; i < count; i++)
				verdicts[at + i] = (__u8)results[i].verdict;
	}
}

static const struct mode modes[] = {
	{ "parse", "parsing alone", run_parse },
	{ "linear", "rule after rule", run_linear },
	{ "indexed", "with the indexes of chains", run_indexed },
	{ "batch", "the same, 16 packets a call", run_batch },
	{ NULL, NULL, NULL },
};

static int is_parsing(const struct side *side)
{
	return side->mode->run == run_parse;
}

/* --- counters ----------------------------------------------------------------------- */

typedef void counter_fn(void *data, const char *chain, unsigned int rule, __u64 packets,
			__u64 bytes);

/* Every counter of a side: rules from 1, a policy is rule 0. */
static void each_counter(const struct side *side, counter_fn *found, void *data)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int table, chain;
	unsigned int i;

	if (!rs || xt2_ruleset_load(rs, side->map.image, side->map.size))
		cost_exit(4, "counters cannot be read");
	for (table = 0; table < xt2_ruleset_tables(rs); table++)
		for (chain = -1; (chain = xt2_chain_next(rs, table, chain)) >= 0;) {
			const char *name = xt2_chain_name(rs, chain);
			__u64 packets, bytes;

			for (i = 0; i < xt2_chain_rules(rs, chain); i++) {
				const struct xt2_rule *r = xt2_rule_get(rs, chain, i);

				found(data, name, i + 1, r->packets, r->bytes);
			}
			if (xt2_chain_hook(rs, chain) < 0)
				continue;
			xt2_chain_counters(rs, chain, &packets, &bytes);
			found(data, name, 0, packets, bytes);
		}
	xt2_ruleset_free(rs);
}

struct counted {
	__u64 *list; /* packets, bytes, packets, bytes, ... */
	size_t n, size, wrong;
	__u64 hits; /* of rules */
	size_t rules;
};

static void keep_counter(void *data, const char *chain, unsigned int rule, __u64 packets,
			 __u64 bytes)
{
	struct counted *c = data;

	(void)chain;
	if (c->n + 2 > c->size) {
		c->size = c->size ? 2 * c->size : 4096;
		c->list = reallocarray(c->list, c->size, sizeof(*c->list));
		if (!c->list)
			cost_exit(4, "no memory for counters");
	}
	c->list[c->n++] = packets;
	c->list[c->n++] = bytes;
	c->rules += rule > 0;
	c->hits += rule ? packets : 0;
}

static void compare_counter(void *data, const char *chain, unsigned int rule, __u64 packets,
			    __u64 bytes)
{
	struct counted *c = data;

	if (c->list[c->n] != packets || c->list[c->n + 1] != bytes) {
		if (c->wrong++ < 10)
			fprintf(stderr, "%s %u: %llu packets, %llu bytes; should be %llu, %llu\n",
				chain, rule, packets, bytes, c->list[c->n], c->list[c->n + 1]);
	}
	c->n += 2;
}

static void print_counter(void *data, const char *chain, unsigned int rule, __u64 packets,
			  __u64 bytes)
{
	if (rule)
		fprintf(data, "%s %u %llu %llu\n", chain, rule, packets, bytes);
	else
		fprintf(data, "%s policy %llu %llu\n", chain, packets, bytes);
}

static void write_counters(const struct side *side, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		cost_exit(4, "%s: %s", path, strerror(errno));
	each_counter(side, print_counter, f);
	if (ferror(f) | fclose(f))
		cost_exit(4, "%s: cannot be written", path);
}

/* --- indexes ------------------------------------------------------------------------ */

/* => ns to make this chain's index anew, beside the image; best of three */
static double index_time(const struct xt2_chain *c, __u8 family)
{
	__u64 rules = c->rules, room = xt2_index_bound((__u32)rules);
	void *scratch = calloc(1, xt2_index_scratch((__u32)rules)), *at = malloc(room);
	double best = 0, start;
	int i;

	if (!scratch || !at)
		cost_exit(4, "no memory for an index");
	for (i = 0; i < 3; i++) {
		memset(at, 0, room);
		start = cost_used();
		xt2_index_build(c, family, &xt2_index_limits, at, room, scratch);
		start = cost_used() - start;
		if (!i || start < best)
			best = start;
	}
	free(scratch);
	free(at);
	return best;
}

static void print_indexes(const struct xt2_image *image)
{
	const struct xt2_root *root = xt2_image_root(image);
	const struct xt2_chain *c;
	double time = 0;
	__u64 bytes = 0;
	__u32 i;

	xt2_image_for_each_chain(c, i, image, root) {
		const struct xt2_index *ix = xt2_chain_index(c);

		if (!ix)
			continue;
		bytes += ix->size;
		time += index_time(c, xt2_image_table(image, root, c->table)->family);
	}
	printf("index-bytes %llu\nbuild %.0f\n", bytes, time);
}

/* --- sides -------------------------------------------------------------------------- */

static int named(const char *list, const char *name)
{
	size_t size = strlen(name);
	const char *p = list;

	while ((p = strstr(p, name)) != NULL) {
		if ((p == list || p[-1] == ',') && (!p[size] || p[size] == ','))
			return 1;
		p += size;
	}
	return 0;
}

static struct side *open_side(const struct mode *mode, const char *image, int family,
			      const struct options *o)
{
	struct side *side = calloc(1, sizeof(*side));
	struct xt2_err err = { 0 };
	int i;

	if (!side)
		cost_exit(4, "no memory");
	if (xt2_image_open(image, &side->map, &err) < 0) {
		xt2_err_print(&err, stderr);
		exit(2);
	}
	side->mode = mode;
	side->hook = xt2_hook_number(family, o->hook);
	if (side->hook < 0)
		cost_exit(2, "%s: no such hook", o->hook);
	side->ev = xt2_evaluator_new(side->map.image, side->map.size);
	if (!side->ev)
		cost_exit(4, "%s: %s", image, strerror(errno));
	memcpy(side->pkt.out, "lo", 2);
	for (i = 0; i < BATCH; i++)
		memcpy(side->packets[i].out, "lo", 2);
	return side;
}

/* ns for these packets */
static double timed(struct side *side, const struct cost_packet *list, size_t n, __u8 *verdicts)
{
	double start = cost_used();

	side->mode->run(side, list, n, verdicts);
	return cost_used() - start;
}

/* So many packets that a round stays in the budget. */
static void fit(struct side *side, const struct cost_packet *list, size_t n, double budget)
{
	double used = 0;
	size_t at, step;

	for (at = 0; at < n && used < budget; at += step) {
		step = n - at < CHUNK ? n - at : CHUNK;
		used += timed(side, list + at, step, NULL);
	}
	side->count = at;
}

/* => verdicts and counters that are not those of the first mode */
static size_t verify(struct side **sides, size_t nsides, const struct cost_packet *list, size_t n)
{
	__u8 *verdicts = calloc(2, n);
	struct counted c = { 0 };
	size_t wrong = 0, first = nsides, i, k;

	if (!verdicts)
		cost_exit(4, "no memory");
	for (k = 0; k < nsides; k++) {
		__u8 *mine = verdicts + (first == nsides ? 0 : n);

		if (is_parsing(sides[k]))
			continue;
		sides[k]->mode->run(sides[k], list, n, mine);
		if (first == nsides) {
			first = k;
			each_counter(sides[k], keep_counter, &c);
			continue;
		}
		for (i = 0; i < n; i++)
			wrong += verdicts[i] != mine[i];
		c.n = c.wrong = 0;
		each_counter(sides[k], compare_counter, &c);
		wrong += c.wrong;
		if (wrong)
			fprintf(stderr, "%s: not the verdicts and counters of %s\n",
				sides[k]->mode->name, sides[first]->mode->name);
	}
	if (first < nsides)
		printf("rules %zu\nhits %.3f\n", c.rules, (double)c.hits / (double)n);
	free(c.list);
	free(verdicts);
	return wrong;
}

static void print_times(struct side **sides, size_t nsides, int rounds)
{
	size_t k;

	for (k = 0; k < nsides; k++) {
		double median = cost_median(sides[k]->times, (size_t)rounds);

		printf("%s %.2f %.2f %zu\n", sides[k]->mode->name, sides[k]->times[0], median,
		       sides[k]->count);
	}
}

static void rounds(struct side **sides, size_t nsides, const struct cost_packet *list, int n)
{
	int round;
	size_t k;

	for (round = 0; round < n; round++)
		for (k = 0; k < nsides; k++) {
			struct side *s = sides[round % 2 ? nsides - 1 - k : k];

			s->times[round] = timed(s, list, s->count, NULL) / (double)s->count;
		}
	print_times(sides, nsides, n);
}

static void measure(struct side **sides, size_t nsides, const struct cost_packet *list, size_t n,
		    const struct options *o)
{
	size_t k;

	for (k = 0; k < nsides; k++) {
		sides[k]->count = n;
		if (!o->fixed)
			fit(sides[k], list, n, o->budget);
	}
	if (!o->ask)
		rounds(sides, nsides, list, o->rounds);
	while (o->ask && cost_asked())
		rounds(sides, nsides, list, o->rounds);
}

/* --- options ------------------------------------------------------------------------ */

static void usage(FILE *to)
{
	const struct mode *m;

	fputs("Usage: index-cost [OPTION]... IMAGE CAPTURE\n"
	      "What a packet costs in nanoseconds: best round, median, packets a round.\n"
	      "  -m, --modes A,B    of these, instead of all:\n",
	      to);
	for (m = modes; m->name; m++)
		fprintf(to, "                     %-10s %s\n", m->name, m->what);
	fputs("  -H, --hook HOOK    base chains that packets meet (OUTPUT)\n"
	      "  -r, --rounds N     (7)\n"
	      "  -A, --ask          a line on standard input for so many rounds\n"
	      "  -b, --budget MS    of a mode in a round (200); a slow one gets fewer packets\n"
	      "  -a, --all          all packets in each round, however long it takes\n"
	      "  -v, --verify N     compare verdicts and counters after N packets (all of them)\n"
	      "  -c, --counters F   write the first mode's counters after those packets\n",
	      to);
}

static int options(struct options *o, int argc, char **argv)
{
	static const struct option list[] = {
		{ "modes", required_argument, NULL, 'm' },
		{ "hook", required_argument, NULL, 'H' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "budget", required_argument, NULL, 'b' },
		{ "ask", no_argument, NULL, 'A' },
		{ "all", no_argument, NULL, 'a' },
		{ "verify", required_argument, NULL, 'v' },
		{ "counters", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "m:H:r:Ab:av:c:h", list, NULL)) >= 0) {
		switch (c) {
		case 'm': o->modes = optarg; break;
		case 'H': o->hook = optarg; break;
		case 'r': o->rounds = atoi(optarg); break;
		case 'b': o->budget = atof(optarg) * 1e6; break;
		case 'A': o->ask = 1; break;
		case 'a': o->fixed = 1; break;
		case 'v': o->verify = strtoul(optarg, NULL, 10); break;
		case 'c': o->counters = optarg; break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (argc - optind != 2 || o->rounds < 0 || o->rounds > ROUNDS_MAX || !(o->budget > 0)) {
		usage(stderr);
		exit(2);
	}
	return optind;
}

int main(int argc, char **argv)
{
	struct options o = { .hook = "OUTPUT", .rounds = 7, .budget = 2e8, .verify = (size_t)-1 };
	struct side *sides[sizeof(modes) / sizeof(*modes)];
	int at = options(&o, argc, argv);
	struct cost_packet *list;
	size_t n = cost_packets(argv[at + 1], &list), nsides = 0, wrong = 0;
	const struct mode *m;

	for (m = modes; m->name; m++)
		if (!o.modes || named(o.modes, m->name))
			sides[nsides++] = open_side(m, argv[at], list[0].family, &o);
	if (!nsides)
		cost_exit(2, "%s: no such mode", o.modes);
	printf("bytes %zu\n", sides[0]->map.size);
	print_indexes(sides[0]->map.image);
	if (o.verify)
		wrong = verify(sides, nsides, list, o.verify < n ? o.verify : n);
	if (o.counters)
		write_counters(sides[nsides > 1 && is_parsing(sides[0])], o.counters);
	if (o.rounds)
		measure(sides, nsides, list, n, &o);
	return wrong > 0;
}
