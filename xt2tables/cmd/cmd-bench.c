/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-bench.c - xt2 bench: what a ruleset costs
 *
 * Each base chain that packets can come to is measured with packets of its
 * own: those of a capture, or ones that are drawn for its rules.
 */
#include "engine/index/patched.h"
#include "libxt2/evaluate/reach.h"
#include "bench.h"
#include "xt2tables/text/nearest.h"
#include "index-report.h"
#include "replay.h"
#include "xt2tables/text/text.h"

#define PACKETS	     8192
#define PACKETS_MOST (1u << 24)
#define ROUNDS	     9
#define ROUNDS_MOST  100000
#define BUILDS	     3 /* of indexes: the best of them */

struct bench {
	struct xt2_input in;
	struct xt2_host host;
	const char *hook, *table, *capture;
	unsigned long long packets, rounds, seed;
	bool json;
	struct xt2_captured_list captured;
	bool more; /* the capture has more packets */

	/* of the image */
	unsigned long long rules, indexed_rules, rule_bytes, index_bytes;
	__u32 chains, indexed;
	double load, build; /* s */
	unsigned int shown; /* base chains */
	FILE *to; /* all at once in the end, if it is JSON: there is none after an error */
	unsigned int unsupported; /* base chains with rules that cannot be evaluated */
};

static double now(clockid_t clock)
{
	return (double)xt2_clock_ns(clock) / 1e9;
}

/* --- the image ---------------------------------------------------------------- */

static int count_chain(struct bench *b, const struct xt2_chain *c, int family)
{
	if (c->lookup && !xt2_chain_patch(c) && xt2_index_made(c, family) < 0)
		return -ENOMEM;
	b->chains++;
	b->rules += c->rules - 1;
	b->rule_bytes += c->used;
	if (c->lookup) {
		b->indexed++;
		b->indexed_rules += c->rules - 1;
		b->index_bytes += xt2_chain_index(c)->size;
	}
	return 0;
}

/* Figures of all chains, and the time that their indexes take. => 0, -ENOMEM */
static int survey(struct bench *b)
{
	const struct xt2_image *img = b->in.map.image;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	unsigned int k;
	__u32 i;

	for (k = 0; root && k < BUILDS; k++) {
		double t = now(CLOCK_THREAD_CPUTIME_ID);

		b->rules = b->indexed_rules = b->rule_bytes = b->index_bytes = 0;
		b->chains = b->indexed = 0;
		xt2_image_for_each_chain(c, i, img, root)
			if (count_chain(b, c, xt2_image_table(img, root, c->table)->family) < 0)
				return -ENOMEM;
		t = now(CLOCK_THREAD_CPUTIME_ID) - t;
		b->build = k && b->build < t ? b->build : t;
	}
	return 0;
}

/* --- the capture -------------------------------------------------------------- */

/* => XT2_EXIT_* */
static int read_capture(struct bench *b)
{
	struct xt2_err err = { 0 };
	struct xt2_capture *cap = xt2_capture_open(b->capture, &err);
	int got;

	if (!cap)
		return xt2_fail(&err);
	got = xt2_captured_read(cap, b->packets, &b->captured, &err);
	xt2_capture_close(cap);
	b->more = got > 0;
	if (got >= 0)
		return XT2_EXIT_OK;
	return err.code ? xt2_fail(&err) : xt2_no_memory("bench");
}

/* The packets of the capture that the base chain's hook would see. => 0, -ENOMEM */
static int take_captured(const struct bench *b, const struct xt2_bench_base *base,
			 struct xt2_bench_packets *p)
{
	size_t i;

	for (i = 0; i < b->captured.n; i++)
		if (xt2_bench_add(p, base, &b->host, &b->captured.at[i]) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

/* --- what is said -------------------------------------------------------------- */

static void say_rules_json(const struct bench *b)
{
	xt2_json_string(b->to, "{\"file\":", b->in.path);
	fprintf(b->to,
		",\"rules\":%llu,\"chains\":%u,\"indexed_chains\":%u,\"indexed_rules\":%llu,"
		"\"rule_bytes\":%llu,\"index_bytes\":%llu,\"load_seconds\":%.6f,"
		"\"index_seconds\":%.6f",
		b->rules, b->chains, b->indexed, b->indexed_rules, b->rule_bytes, b->index_bytes,
		b->load, b->build);
	if (b->capture)
		xt2_json_string(b->to, ",\"capture\":", b->capture);
	else
		fprintf(b->to, ",\"seed\":%llu", b->seed);
	fputs(",\"places\":[", b->to);
}

static void say_rules(const struct bench *b)
{
	const double rules = b->rules ? (double)b->rules : 1;
	const double indexed = b->indexed_rules ? (double)b->indexed_rules : 1;

	printf("rules:    %llu in %u chains, %u with an index\n", b->rules, b->chains, b->indexed);
	printf("size:     %llu bytes of rules, %.1f a rule\n", b->rule_bytes,
	       (double)b->rule_bytes / rules);
	if (b->indexed)
		printf("          %llu bytes of indexes, %.1f a rule of their chains\n",
		       b->index_bytes, (double)b->index_bytes / indexed);
	printf("time:     %.2f ms to load", b->load * 1e3);
	if (b->indexed)
		printf("; %.2f ms to make the indexes, %.0f ns a rule of their chains",
		       b->build * 1e3, b->build * 1e9 / indexed);
	putchar('\n');
	if (b->capture)
		xt2_print_line(stdout, "packets:  %s%s", b->capture,
			       b->more ? ", the first of it; see --packets" : "");
	else
		printf("packets:  drawn, seed %llu: three of four for a rule, the others at "
		       "random\n",
		       b->seed);
}

static void say_rate(double ns)
{
	printf("  %10.1f ns %7.2f M/s", ns, 1e3 / ns);
}

static void say_rate_json(FILE *to, const char *name, double ns)
{
	fprintf(to, ",\"%s\":{\"ns\":%.2f,\"packets_per_second\":%.0f}", name, ns, 1e9 / ns);
}

static void say_base_json(const struct bench *b, const struct xt2_bench_run *run)
{
	const struct xt2_bench_base *p = run->base;

	fprintf(b->to, "%s{\"family\":\"%s\",\"table\":", b->shown ? "," : "",
		xt2_family_name(p->family));
	xt2_json_string(b->to, "", p->table);
	fprintf(b->to,
		",\"hook\":\"%s\",\"rules\":%u,\"packets\":%zu,\"accepted\":%llu,\"parse_ns\":%.2f",
		xt2_hook_name(p->family, p->hook), p->rules, run->packets->n, run->accepted,
		run->ns[XT2_BENCH_PARSE]);
	say_rate_json(b->to, "linear", run->ns[XT2_BENCH_LINEAR]);
	say_rate_json(b->to, "indexed", run->ns[XT2_BENCH_INDEXED]);
	say_rate_json(b->to, "batched", run->ns[XT2_BENCH_BATCHED]);
	fputc('}', b->to);
}

static void base_name(const struct xt2_bench_base *p, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s/%s", xt2_family_name(p->family), p->table,
		 xt2_hook_name(p->family, p->hook));
}

static void say_base(const struct bench *b, const struct xt2_bench_run *run)
{
	char name[128], shown[4 * sizeof(name)];

	if (!b->shown)
		printf("\n%-26s %7s %7s  %-23s  %-23s  in batches of %-9d  parsing alone\n",
		       "a packet at", "rules", "packets", "rule after rule", "with indexes",
		       XT2_BATCH);
	base_name(run->base, name, sizeof(name));
	xt2_show(name, shown, sizeof(shown));
	printf("%-26s %7u %7zu", shown, run->base->rules, run->packets->n);
	say_rate(run->ns[XT2_BENCH_LINEAR]);
	say_rate(run->ns[XT2_BENCH_INDEXED]);
	say_rate(run->ns[XT2_BENCH_BATCHED]);
	printf("  %10.1f ns\n", run->ns[XT2_BENCH_PARSE]);
	fflush(stdout);
}

/* --- base chains ----------------------------------------------------------------- */

/* => rules of all chains that packets can get to, or -ENOMEM */
static long long reachable(const struct bench *b, const struct xt2_bench_base *base)
{
	const struct xt2_chain *c;
	struct xt2_reach w;
	long long rules = xt2_reach_begin(&w, b->in.map.image);

	if (!rules) {
		xt2_reach_add(&w, base->chain);
		xt2_reach_for_each(c, &w) rules += xt2_chain_length(w.img, c) - 1;
	}
	xt2_reach_end(&w);
	return rules;
}

/* => XT2_EXIT_* */
static int measure(struct bench *b, const struct xt2_bench_base *base,
		   const struct xt2_bench_packets *packets)
{
	struct xt2_bench_run run = { .img = b->in.map.image,
				     .size = b->in.map.size,
				     .base = base,
				     .packets = packets,
				     .writes = xt2_image_writes(b->in.map.image),
				     .seed = b->seed,
				     .rounds = (unsigned int)b->rounds };
	int ret = xt2_bench_run(&run);

	if (ret == -EUCLEAN)
		return XT2_EXIT_NO;
	if (ret < 0)
		return xt2_input_no_evaluator(&b->in, -ret);
	if (b->json)
		say_base_json(b, &run);
	else
		say_base(b, &run);
	b->shown++;
	return XT2_EXIT_OK;
}

static int bench_base(struct bench *b, const struct xt2_bench_base *base)
{
	struct xt2_bench_packets packets = { .list = NULL };
	char name[128];
	int ret, unsupported;

	base_name(base, name, sizeof(name));
	unsupported = xt2_image_unsupported(b->in.map.image, base->family, base->hook, base->table,
					    NULL, NULL);
	if (unsupported < 0)
		return xt2_no_memory("bench");
	if (unsupported) {
		xt2_print_line(stderr,
			       "note: %s is not measured: %d of its rules cannot be evaluated",
			       name, unsupported);
		b->unsupported++;
		return XT2_EXIT_OK;
	}
	if (b->capture)
		ret = take_captured(b, base, &packets);
	else
		ret = xt2_bench_draw(&packets, b->in.map.image, base, &b->host, b->packets,
				     b->seed);
	if (ret < 0)
		ret = xt2_no_memory("bench");
	else if (packets.n)
		ret = measure(b, base, &packets);
	else
		xt2_print_line(stderr, "note: %s is not measured: it would see no packet", name);
	xt2_bench_packets_free(&packets);
	return ret;
}

/* All base chains that were asked for; empty ones only by name. => XT2_EXIT_* */
static int bench_bases(struct bench *b)
{
	const struct xt2_image *img = b->in.map.image;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	int ret = XT2_EXIT_OK;
	__u32 i;

	if (!root)
		return XT2_EXIT_OK;
	xt2_image_for_each_hook(h, i, img, root) {
		struct xt2_bench_base base = { .family = h->family,
					       .hook = h->hook,
					       .table = xt2_image_table(img, root, h->table)->name,
					       .chain = h->chain };
		const char *hook = xt2_hook_name(h->family, h->hook);
		long long rules;

		if (h->family == XT2_BRIDGE || (b->hook && strcmp(b->hook, hook)) ||
		    (b->table && strcmp(b->table, base.table)))
			continue;
		rules = reachable(b, &base);
		if (rules < 0)
			return xt2_no_memory("bench");
		base.rules = (__u32)rules;
		if (!rules && !b->hook)
			continue;
		ret = bench_base(b, &base);
		if (ret != XT2_EXIT_OK)
			break;
	}
	return ret;
}

/* Is what was asked for there? => XT2_EXIT_OK, XT2_EXIT_USAGE */
static int asked(const struct bench *b)
{
	static const char *const hooks[] = { "INPUT", "PREROUTING", "FORWARD", "OUTPUT",
					     "POSTROUTING" };
	char why[512], say[XT2_NEAREST_SIZE];
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(hooks); i++)
		if (!xt2_input_table(&b->in, b->hook ? b->hook : hooks[i], b->table, why,
				     sizeof(why)))
			return XT2_EXIT_OK;
	if (!b->hook)
		snprintf(why, sizeof(why), "the rules have no table '%s'%s", b->table,
			 xt2_nearest_table(b->in.rs, b->in.family, b->table, say) ? "" : say);
	return xt2_usage("bench", "%s", why);
}

/* => XT2_EXIT_* */
static int bench(struct bench *b)
{
	int ret;

	if (b->json)
		say_rules_json(b);
	else
		say_rules(b);
	ret = bench_bases(b);
	if (ret != XT2_EXIT_OK || b->shown)
		return ret;
	if (b->unsupported) {
		xt2_input_unsupported(&b->in, b->hook, b->table);
		return XT2_EXIT_UNSUPPORTED;
	}
	fputs("note: there are no rules that packets come to\n", stderr);
	return ret;
}

static int run(struct bench *b)
{
	char *text = NULL;
	size_t size;
	int ret = asked(b);

	if (ret == XT2_EXIT_OK && b->capture)
		ret = read_capture(b);
	if (ret == XT2_EXIT_OK && survey(b) < 0)
		ret = xt2_no_memory("bench");
	if (ret != XT2_EXIT_OK)
		return ret;
	if (!b->json)
		return bench(b);
	b->to = open_memstream(&text, &size);
	if (!b->to)
		return xt2_no_memory("bench");
	ret = bench(b);
	fputs("]}\n", b->to);
	if (fclose(b->to) == EOF)
		ret = xt2_no_memory("bench");
	else if (ret == XT2_EXIT_OK)
		fputs(text, stdout);
	free(text);
	return ret;
}

/* --- arguments -------------------------------------------------------------------- */

static const char help[] =
	"Usage: xt2 bench RULES [CAPTURE] [-4|-6|--arp] [--hook HOOK] [--table T] [OPTIONS]\n\n"
	"Tells what a ruleset costs: nanoseconds for a packet at each hook, rule after rule,\n"
	"with the indexes of long chains, and in batches; the time to load it, and its size.\n"
	"RULES is iptables-save text or an image.  Before anything is measured, verdicts and\n"
	"counters of the three are compared.\n\n"
	"Without a CAPTURE, packets are drawn: three of four have what some rule asks for.\n\n"
	"  -4, -6, --arp          the family of the rules, unless they are an image\n"
	"  -H, --hook HOOK        only this hook, also if it has no rules\n"
	"  -t, --table T          only this table\n"
	"      --packets N        so many packets at most (8192)\n"
	"      --rounds N         the best of so many rounds (9)\n"
	"      --seed N           draw other packets (1)\n"
	"      --json             JSON\n"
	"      --resolve          host names in the rules may be looked up\n" XT2_HOST_HELP
	"\nExit codes: 0 ok, 1 results differ, 2 the rules, the capture or the arguments are\n"
	"wrong, 3 the rules cannot be evaluated, 4 out of a resource.\n";

/* A number from 1 up to the row's value; 0: without a limit. */
static int number(const struct xt2_given *g)
{
	const unsigned long long most = g->row->value ? (unsigned long long)g->row->value : ~0ull;
	unsigned long long *n = g->field;

	if (!xt2_number(g->arg, 0, n) || !*n || *n > most)
		return xt2_usage("bench", "--%s: '%s' is not a number from 1 to %llu", g->row->name,
				 g->arg, most);
	return XT2_EXIT_OK;
}

static const struct xt2_option rows[] = {
	XT2_FAMILY_ROWS(struct bench, in.family),
	XT2_WORD("hook", 'H', struct bench, hook),
	XT2_WORD("table", 't', struct bench, table),
	{ "packets", 0, true, offsetof(struct bench, packets), PACKETS_MOST, number },
	{ "rounds", 0, true, offsetof(struct bench, rounds), ROUNDS_MOST, number },
	{ "seed", 0, true, offsetof(struct bench, seed), 0, number },
	XT2_FLAG("json", 0, struct bench, json),
	XT2_FLAG("resolve", 0, struct bench, in.resolve),
	XT2_HOST_ROWS(struct bench, host),
	XT2_ROWS_END,
};

/* => -1: go on; XT2_EXIT_* */
static int arguments(struct bench *b, int argc, char **argv)
{
	int ret = xt2_options("bench", help, rows, b, argc, argv);

	if (ret >= 0)
		return ret;
	if (optind == argc || argc - optind > 2)
		return xt2_usage("bench", optind == argc ? "which rules? Give a file"
							 : "more than one capture");
	b->in.path = argv[optind];
	b->capture = argv[optind + 1]; /* NULL if there is none */
	return xt2_input_and_capture(&b->in, b->capture) ? XT2_EXIT_USAGE : -1;
}

int xt2_bench_main(int argc, char **argv)
{
	struct bench b = { .packets = PACKETS, .rounds = ROUNDS, .seed = 1 };
	int ret;

	xt2_host_init(&b.host);
	ret = arguments(&b, argc, argv);
	if (ret >= 0)
		return ret;
	xt2_input_sandbox(&b.in);
	b.load = now(CLOCK_MONOTONIC);
	ret = xt2_input_load(&b.in);
	b.load = now(CLOCK_MONOTONIC) - b.load;
	if (ret != XT2_EXIT_OK)
		return ret;
	ret = run(&b);
	xt2_captured_free(&b.captured);
	xt2_input_close(&b.in);
	return ret;
}
