/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2-cycles - what the evaluation of a packet costs, layout by layout
 *
 * The layouts that "Xtables2: Love for blobs" (Netfilter Workshop 2010) set
 * side by side, in one program with the engine that came of it, on its
 * rulesets: 100 chains of 1,000 rules, and trees of chains with 67,892 and
 * 662,160 rules.  First every layout gets the same packets, and every rule's
 * counter is compared with a walk that knows no layout; then rounds alternate
 * between the layouts:
 *
 *	warm	the same packet, again and again
 *	mixed	packets to all ends of a tree
 *	cold	one packet after more memory was read than the caches hold
 *
 * A factor is the median over the rounds of what two layouts took in the same
 * round.  Then what each match and target adds to a rule.
 */
#include "cycles.h"

#include <getopt.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COLD	 5 /* packets of a round */
#define WARM_NS	 1000000 /* of a round */
#define TRIES	 5 /* to have the CPU alone */
#define ROUNDS	 101 /* at most */
#define RULESETS XT2_ARRAY_SIZE(rulesets)

static const char usage[] =
	"usage: xt2-cycles [--rounds N] [--cpu N] [--ruleset NAME] [--csv FILE]\n"
	"                  [--no-layouts] [--no-extensions]\n"
	"\n"
	"  --rounds N       alternating rounds, 1 to 101 (21)\n"
	"  --cpu N          CPU to stay on (the last one)\n"
	"  --ruleset NAME   only this one: equal, tree, bigtree, small\n"
	"  --csv FILE       the figures as a table for programs, too\n"
	"  --no-layouts     only the extensions\n"
	"  --no-extensions  only the layouts\n"
	"\n"
	"Exit codes: 0 ok, 1 a layout or match did not do what it should, 2 usage,\n"
	"4 out of memory.\n";

enum {
	XT1,
	XT1_NOW,
	LISTS,
	LISTS_OLD,
	PACKED,
	PACKED_DENSE,
	PACKED_OBJECT,
	PACKED_FAR,
	PACKED_QUOTA,
	XT2,
	LAYOUTS
};

#define LAYOUT(title, with, how, which)                                    \
	{                                                                  \
		.name = title, .build = with, .run = how, .variant = which \
	}

static struct layout layouts[LAYOUTS] = {
	[XT1] = LAYOUT("xt1, counter in the entry", stream_build, stream_run, INLINE),
	[XT1_NOW] = LAYOUT("xt1, counter per CPU", stream_build, stream_run, DENSE),
	[LISTS] = LAYOUT("lists, loaded in order", lists_build, lists_run, IN_ORDER),
	[LISTS_OLD] = LAYOUT("lists, scattered", lists_build, lists_run, SCATTERED),
	[PACKED] = LAYOUT("packed, counter inline", packed_build, packed_run_inline, INLINE),
	[PACKED_DENSE] = LAYOUT("packed, pointer, dense", packed_build, packed_run_pointer, DENSE),
	[PACKED_OBJECT] =
		LAYOUT("packed, pointer to object", packed_build, packed_run_pointer, OBJECT),
	[PACKED_FAR] = LAYOUT("packed, objects scattered", packed_build, packed_run_pointer,
			      OBJECT_SCATTERED),
	[PACKED_QUOTA] = LAYOUT("packed, quota upcounting", packed_build, packed_run_quota, QUOTA),
	[XT2] = LAYOUT("xt2, the engine", engine_build, engine_run, INLINE),
};

enum mode { WARM, MIXED, COLD_, MODES };
static const char *const modes[MODES] = { "warm", "mixed", "cold" };

/* Ticks per packet of each round. */
struct result {
	double rounds[MODES][ROUNDS];
};

struct bench {
	struct rules rules;
	struct result result[LAYOUTS];
	struct xt2_pkt pkt;
	double per_ns;
	int rounds;
	u32 next; /* packet of the cold runs */
	FILE *csv;
};

static bool has_mode(const struct bench *b, int mode)
{
	return mode != MIXED || b->rules.packets > 1;
}

static void address(struct bench *b, u32 i)
{
	memcpy(b->pkt.src, b->rules.packet[i].src, 16);
	memcpy(b->pkt.dst, b->rules.packet[i].dst, 16);
}

static void packet_init(struct bench *b)
{
	b->pkt = (struct xt2_pkt){ .family = XT2_IPV6, .len = 104, .proto = 58, .l4 = XT2_L4_OK };
	b->pkt.hook = XT2_INPUT;
	memcpy(b->pkt.in, "lo", 2);
}

/* --- do they all do the same? -------------------------------------------------------- */

static u64 wrong_counters(const struct rules *r, const struct layout *l, const u64 *hits)
{
	u64 wrong = 0;
	u32 i;

	for (i = 0; i < r->count; i++)
		wrong += !l->packets[i] || *l->packets[i] != hits[i];
	return wrong;
}

/* => layouts whose counters differ from the walk's */
static int compare(struct bench *b)
{
	u64 *hits = calloc(b->rules.count, sizeof(*hits));
	u32 i, most = b->rules.packets < 500 ? b->rules.packets : 500;
	int k, bad = 0;

	if (!hits)
		exit(4);
	for (i = 0; i < most; i++)
		rules_walk(&b->rules, &b->rules.packet[i], hits);
	for (k = 0; k < LAYOUTS; k++) {
		struct layout *l = &layouts[k];
		u64 wrong;

		for (i = 0; i < most; i++) {
			address(b, i);
			l->run(l, &b->pkt);
		}
		wrong = wrong_counters(&b->rules, l, hits);
		if (!wrong)
			continue;
		printf("%s: %llu counters are WRONG\n", l->name, (unsigned long long)wrong);
		bad++;
	}
	free(hits);
	return bad;
}

/* --- measuring ----------------------------------------------------------------------- */

static u64 warm(struct bench *b, struct layout *l)
{
	u64 start, one, i, n;

	address(b, 0);
	l->run(l, &b->pkt);
	start = ticks();
	l->run(l, &b->pkt);
	one = ticks() - start;
	n = 1 + (u64)(WARM_NS * b->per_ns) / (one ? one : 1);
	start = ticks();
	for (i = 0; i < n; i++)
		l->run(l, &b->pkt);
	return (ticks() - start) / n;
}

static u64 mixed(struct bench *b, struct layout *l)
{
	u64 start = ticks();
	u32 i;

	for (i = 0; i < b->rules.packets; i++) {
		address(b, i);
		l->run(l, &b->pkt);
	}
	return (ticks() - start) / b->rules.packets;
}

static u64 cold_one(struct bench *b, struct layout *l)
{
	u64 start;

	address(b, b->next % b->rules.packets);
	cache_evict();
	start = ticks();
	l->run(l, &b->pkt);
	return ticks() - start;
}

/* Again, if another process had the CPU meanwhile; at worst the best of some. */
static double undisturbed(u64 (*way)(struct bench *, struct layout *), struct bench *b,
			  struct layout *l)
{
	u64 least = ~0ull;
	int i;

	for (i = 0; i < TRIES; i++) {
		u64 before = cpu_lost(), t = way(b, l);

		if (cpu_lost() == before)
			return (double)t;
		least = t < least ? t : least;
	}
	return (double)least;
}

/* => median; all layouts get the same packets in a round */
static double cold(struct bench *b, struct layout *l, int number)
{
	double list[COLD];
	u32 i;

	for (i = 0; i < COLD; i++) {
		b->next = (u32)number * COLD + i;
		list[i] = undisturbed(cold_one, b, l);
	}
	return median_of(list, COLD);
}

static void measure(struct bench *b)
{
	int i, k;

	for (i = 0; i < b->rounds; i++)
		for (k = 0; k < LAYOUTS; k++) {
			int which = i % 2 ? LAYOUTS - 1 - k : k;
			struct layout *l = &layouts[which];
			struct result *r = &b->result[which];

			r->rounds[WARM][i] = undisturbed(warm, b, l);
			if (has_mode(b, MIXED))
				r->rounds[MIXED][i] = undisturbed(mixed, b, l);
			r->rounds[COLD_][i] = cold(b, l, i);
		}
}

static double median(const struct bench *b, int layout, int mode)
{
	double list[ROUNDS];

	memcpy(list, b->result[layout].rounds[mode], sizeof(list));
	return median_of(list, (size_t)b->rounds);
}

static double best(const struct bench *b, int layout, int mode)
{
	const double *list = b->result[layout].rounds[mode];
	double least = list[0];
	int i;

	for (i = 1; i < b->rounds; i++)
		least = list[i] < least ? list[i] : least;
	return least;
}

/* How many times the base's time a layout takes. */
static double factor(const struct bench *b, int layout, int base, int mode)
{
	double list[ROUNDS];
	int i;

	for (i = 0; i < b->rounds; i++)
		list[i] = b->result[layout].rounds[mode][i] / b->result[base].rounds[mode][i];
	return median_of(list, (size_t)b->rounds);
}

/* --- tables --------------------------------------------------------------------------- */

static double memory(int layout, int base)
{
	return (double)layouts[layout].bytes / (double)layouts[base].bytes;
}

static void print_memory(const struct bench *b)
{
	int k;

	printf("\n  %-28s %12s %10s %8s %8s\n", "memory", "bytes", "a rule", "xt1 =", "packed =");
	for (k = 0; k < LAYOUTS; k++)
		printf("  %-28s %12zu %10.1f %8.2f %8.2f\n", layouts[k].name, layouts[k].bytes,
		       (double)layouts[k].bytes / b->rules.count, memory(k, XT1),
		       memory(k, PACKED));
}

static void print_mode(const struct bench *b, int m)
{
	const double rule = b->per_ns * b->rules.executed; /* ticks that are a ns for each */
	int k;

	printf("\n  %-28s %12s %10s %12s %8s %8s %8s\n", modes[m], "best cycles", "ns a rule",
	       "median", "ns", "xt1 =", "packed =");
	for (k = 0; k < LAYOUTS; k++) {
		double least = best(b, k, m), usual = median(b, k, m);

		printf("  %-28s %12.0f %10.2f %12.0f %8.2f %8.2f %8.2f\n", layouts[k].name, least,
		       least / rule, usual, usual / rule, factor(b, k, XT1, m),
		       factor(b, k, PACKED, m));
		if (b->csv)
			fprintf(b->csv, "%s,\"%s\",%s,%u,%u,%.2f,%zu,%.0f,%.0f,%.3f,%.3f,%.3f,\n",
				b->rules.name, layouts[k].name, modes[m], b->rules.count,
				b->rules.chains, b->rules.executed, layouts[k].bytes, least, usual,
				b->per_ns, factor(b, k, XT1, m), factor(b, k, PACKED, m));
	}
}

/* What was published, beside what comes out here. */
static const struct {
	const char *what, *published;
	int layout, base;
	bool memory;
} findings[] = {
	{ "lists against packed: time", "2.8", LISTS, PACKED, false },
	{ "lists, scattered, against packed", "2.8", LISTS_OLD, PACKED, false },
	{ "lists against packed: memory", "2.7", LISTS, PACKED, true },
	{ "counter by pointer against inline", "1.15-1.83", PACKED_OBJECT, PACKED, false },
	{ "the same, objects scattered", "", PACKED_FAR, PACKED, false },
	{ "the same, counters dense", "", PACKED_DENSE, PACKED, false },
	{ "quota against counter inline", "slowest", PACKED_QUOTA, PACKED, false },
	{ "quota against counter by pointer", "slower", PACKED_QUOTA, PACKED_OBJECT, false },
	{ "xt2 against xt1: time", "1.09", XT2, XT1, false },
	{ "xt2 against xt1: memory", "", XT2, XT1, true },
};

/* fan 0: chains of equal rules, "rules" in each; else a tree with so many rules in all */
static const struct {
	const char *name, *title;
	u32 chains, rules, fan;
	const char *executed; /* as published */
	bool usual;
} rulesets[] = {
	{ "equal", "100 chains x 1,000 rules", 100, 1000, 0, NULL, true },
	{ "tree", "a tree of 67,892 rules in 18,329 chains", 18329, 67892, 13, "53", true },
	{ "bigtree", "a tree of 662,160 rules in 151,426 chains", 151426, 662160, 16, "77", true },
	{ "small", "10 chains x 10 rules", 10, 10, 0, NULL, false },
};

/* Of each ruleset; 0: was not measured. */
static double factors[RULESETS][XT2_ARRAY_SIZE(findings)][MODES];

static void note_findings(const struct bench *b, size_t ruleset)
{
	size_t i;
	int m;

	for (i = 0; i < XT2_ARRAY_SIZE(findings); i++)
		for (m = 0; m < MODES; m++)
			if (has_mode(b, m))
				factors[ruleset][i][m] =
					findings[i].memory
						? memory(findings[i].layout, findings[i].base)
						: factor(b, findings[i].layout, findings[i].base,
							 m);
}

static void print_findings(void)
{
	size_t i, k;
	int m;

	printf("\nexpansion factors: what was published, and what came out here\n\n  %-34s %9s", "",
	       "published");
	for (k = 0; k < RULESETS; k++)
		for (m = 0; m < MODES; m++)
			if (factors[k][0][m] > 0)
				printf(" %7s", m == WARM ? rulesets[k].name : "");
	printf("\n  %-34s %9s", "", "");
	for (k = 0; k < RULESETS; k++)
		for (m = 0; m < MODES; m++)
			if (factors[k][0][m] > 0)
				printf(" %7s", modes[m]);
	for (i = 0; i < XT2_ARRAY_SIZE(findings); i++) {
		printf("\n  %-34s %9s", findings[i].what, findings[i].published);
		for (k = 0; k < RULESETS; k++)
			for (m = 0; m < MODES; m++)
				if (factors[k][0][m] > 0)
					printf(" %7.2f", factors[k][i][m]);
	}
	putchar('\n');
}

/* --- rulesets --------------------------------------------------------------------------- */

/* => layouts that were wrong */
static int bench_run(struct bench *b, size_t which)
{
	int k, m, bad;

	memset(&b->rules, 0, sizeof(b->rules));
	if (rulesets[which].fan)
		rules_tree(&b->rules, rulesets[which].chains, rulesets[which].rules,
			   rulesets[which].fan, 2000);
	else
		rules_equal(&b->rules, rulesets[which].chains, rulesets[which].rules);
	b->rules.name = rulesets[which].name;
	printf("\n%s: %u rules in all, %.1f executed per packet", rulesets[which].title,
	       b->rules.count, b->rules.executed);
	if (rulesets[which].executed)
		printf(" (published: about %s)", rulesets[which].executed);
	putchar('\n');
	for (k = 0; k < LAYOUTS; k++) {
		layouts[k].packets = calloc(b->rules.count, sizeof(u64 *));
		if (!layouts[k].packets)
			exit(4);
		layouts[k].build(&layouts[k], &b->rules);
	}
	bad = compare(b);
	for (k = 0; k < LAYOUTS; k++) {
		free(layouts[k].packets);
		layouts[k].packets = NULL;
	}
	if (!bad) {
		measure(b);
		print_memory(b);
		for (m = 0; m < MODES; m++)
			if (has_mode(b, m))
				print_mode(b, m);
		note_findings(b, which);
	}
	for (k = 0; k < LAYOUTS; k++)
		heap_free(&layouts[k].heap);
	rules_free(&b->rules);
	fflush(stdout);
	return bad;
}

static void print_machine(const struct bench *b, unsigned int cpu)
{
	char line[256], model[200] = "?";
	FILE *f = fopen("/proc/cpuinfo", "r");
	struct utsname u;
	double load = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "model name : %199[^\n]", model) == 1)
			break;
	if (f)
		fclose(f);
	if (uname(&u) || getloadavg(&load, 1) != 1)
		load = 0;
	printf("%s, Linux %s, CPU %u, %.1f ticks a microsecond, load average %.1f\n", model,
	       u.release, cpu, b->per_ns * 1000, load);
	printf("cold: %zu MiB are read before each packet\n", cache_evict() >> 20);
	printf("%d rounds, in which all take turns; factors are medians of them\n", b->rounds);
}

struct options {
	const char *ruleset;
	int cpu;
	bool layouts, extensions;
};

static int number(const char *text, int least, int most)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end || v < least || v > most) {
		fputs(usage, stderr);
		exit(2);
	}
	return (int)v;
}

static void parse(struct options *o, struct bench *b, int argc, char **argv)
{
	static const struct option list[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "cpu", required_argument, NULL, 'p' },
		{ "ruleset", required_argument, NULL, 's' },
		{ "csv", required_argument, NULL, 'c' },
		{ "no-layouts", no_argument, NULL, 'l' },
		{ "no-extensions", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", list, NULL)) != -1)
		switch (c) {
		case 'r': b->rounds = number(optarg, 1, ROUNDS); break;
		case 'p': o->cpu = number(optarg, 0, 1023); break;
		case 's': o->ruleset = optarg; break;
		case 'c':
			b->csv = fopen(optarg, "w");
			if (!b->csv) {
				perror(optarg);
				exit(4);
			}
			break;
		case 'l': o->layouts = false; break;
		case 'e': o->extensions = false; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs(usage, stderr); exit(2);
		}
	if (optind != argc) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct bench b = { .rounds = 21 };
	struct options o = { NULL, (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, true, true };
	int bad = 0, found = 0;
	size_t i;

	parse(&o, &b, argc, argv);
	if (cpu_pin((unsigned int)o.cpu))
		fprintf(stderr, "xt2-cycles: cannot stay on CPU %d\n", o.cpu);
	b.per_ns = ticks_calibrate(50);
	packet_init(&b);
	print_machine(&b, (unsigned int)o.cpu);
	if (b.csv)
		fputs("ruleset,layout,caches,rules,chains,executed,bytes,best cycles,median cycles,"
		      "ticks a ns,to xt1,to packed,added ns a rule\n",
		      b.csv);
	for (i = 0; i < XT2_ARRAY_SIZE(rulesets); i++) {
		if (o.ruleset ? strcmp(o.ruleset, rulesets[i].name) : !rulesets[i].usual)
			continue;
		found = 1;
		if (o.layouts)
			bad |= bench_run(&b, i);
	}
	if (!found) {
		fputs(usage, stderr);
		return 2;
	}
	if (o.layouts && !bad)
		print_findings();
	if (o.extensions)
		bad |= extensions_measure(b.per_ns, b.rounds, b.csv);
	if (b.csv && fclose(b.csv)) {
		perror("xt2-cycles: csv");
		return 4;
	}
	return bad != 0;
}
