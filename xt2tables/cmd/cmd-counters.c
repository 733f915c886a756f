/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-counters.c - xt2 counters: what the rules have counted
 *
 * A line for each rule, and for each policy of a base chain, which is the rule after a
 * chain's last.  Watching is reading again and again: nothing is kept
 * open or locked between two rounds, so a watcher never blocks other commands.
 */
#include "engine/order.h"
#include "engine/rule.h"
#include "libxt2/ruleset/pair.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

#define TEXT	  4096 /* of a rule */
#define SECOND	  1000000000ll
#define ROUND_MAX 1e6 /* seconds */

struct options {
	struct xt2_input in;
	const char *table, *chain; /* NULL: all */
	int family; /* 0: all */
	unsigned long long top, rounds; /* 0: no end */
	long long watch; /* ns; 0: once */
};

struct row {
	int chain;
	unsigned int at;
	__u64 packets, bytes;
};

/* A reading: rules as they were at a time. */
struct reading {
	struct xt2_input in;
	struct row *row;
	size_t rows;
	long long time; /* ns */
};

/* --- reading ---------------------------------------------------------------- */

static bool wanted_table(const struct options *o, const struct xt2_ruleset *rs, int table)
{
	return (!o->family || o->family == xt2_table_family(rs, table)) &&
	       (!o->table || !strcmp(o->table, xt2_table_name(rs, table)));
}

static void add_chain(struct reading *r, int chain)
{
	const struct xt2_ruleset *rs = r->in.rs;
	unsigned int i, n = xt2_chain_rules(rs, chain);

	for (i = 0; i < n; i++) {
		const struct xt2_rule *rule = xt2_rule_get(rs, chain, i);

		r->row[r->rows++] = (struct row){ chain, i, rule->packets, rule->bytes };
	}
	if (xt2_chain_hook(rs, chain) >= 0) {
		r->row[r->rows] = (struct row){ .chain = chain, .at = n };
		xt2_chain_counters(rs, chain, &r->row[r->rows].packets, &r->row[r->rows].bytes);
		r->rows++;
	}
}

/* With a row of NULL: only how many there are. */
static void add_rows(struct reading *r, const struct options *o)
{
	const struct xt2_ruleset *rs = r->in.rs;
	int table, chain, tables = xt2_ruleset_tables(rs);

	for (table = 0; table < tables; table++) {
		if (!wanted_table(o, rs, table))
			continue;
		xt2_table_for_each_chain(chain, rs, table) {
			if (o->chain && strcmp(o->chain, xt2_chain_name(rs, chain)))
				continue;
			if (r->row)
				add_chain(r, chain);
			else
				r->rows += xt2_chain_rules(rs, chain) + 1;
		}
	}
}

static void close_reading(struct reading *r)
{
	xt2_input_close(&r->in);
	free(r->row);
	r->row = NULL;
}

/* Are what --table and --chain name there?  => XT2_EXIT_OK, XT2_EXIT_USAGE */
static int asked(const struct reading *r, const struct options *o)
{
	char say[XT2_NEAREST_SIZE];

	if (o->table && !xt2_nearest_table(r->in.rs, o->family, o->table, say))
		return xt2_usage("counters", "%s has no table '%s'%s", r->in.path, o->table, say);
	if (o->chain && !xt2_nearest_chain(r->in.rs, o->family, o->table, o->chain, say))
		return xt2_usage("counters", "%s has no chain '%s'%s%s%s", r->in.path, o->chain,
				 o->table ? " in table " : "", o->table ? o->table : "", say);
	return XT2_EXIT_OK;
}

/* => XT2_EXIT_* */
static int read_counters(struct reading *r, const struct options *o)
{
	int ret;

	*r = (struct reading){ .in = o->in };
	ret = xt2_input_open(&r->in);
	if (ret != XT2_EXIT_OK)
		return ret;
	r->time = (long long)xt2_clock_ns(CLOCK_MONOTONIC);
	add_rows(r, o);
	r->row = malloc((r->rows + 1) * sizeof(*r->row));
	r->rows = 0;
	if (!r->row) {
		close_reading(r);
		return xt2_no_memory("counters");
	}
	add_rows(r, o);
	return XT2_EXIT_OK;
}

/* The first reading: what comes and goes later is no mistake of the arguments.  => XT2_EXIT_* */
static int begin(struct reading *r, const struct options *o)
{
	int ret = read_counters(r, o);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = asked(r, o);
	if (ret != XT2_EXIT_OK)
		close_reading(r);
	return ret;
}

/* --- printing --------------------------------------------------------------- */

static void print_place(const struct xt2_ruleset *rs, const struct row *row)
{
	int table = xt2_chain_table(rs, row->chain);

	printf("%s ", xt2_family_name(xt2_table_family(rs, table)));
	xt2_print_shown(stdout, xt2_table_name(rs, table));
	putchar(' ');
	xt2_print_shown(stdout, xt2_chain_name(rs, row->chain));
	putchar(' ');
	if (row->at < xt2_chain_rules(rs, row->chain))
		printf("%u", row->at + 1);
	else
		printf("policy");
	printf(" %llu %llu", row->packets, row->bytes);
}

static void print_text(const struct xt2_ruleset *rs, const struct row *row)
{
	char text[TEXT];
	int ret;

	if (row->at == xt2_chain_rules(rs, row->chain))
		ret = snprintf(text, sizeof(text), "-P %s %s", xt2_chain_name(rs, row->chain),
			       xt2_chain_policy(rs, row->chain) == XT2_T_DROP ? "DROP" : "ACCEPT");
	else
		ret = xt2_text_rule(rs, row->chain, row->at, text, sizeof(text));
	if (ret < 0)
		return;
	putchar(' ');
	xt2_print_shown(stdout, text);
}

/* The most packets first; equal ones stay in the ruleset's order. */
static int by_packets(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->packets != y->packets)
		return x->packets > y->packets ? -1 : 1;
	if (x->chain != y->chain)
		return x->chain < y->chain ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* @ns: since the reading before; 0: there is none, and the rows are totals */
static void print_rows(const struct reading *r, const struct options *o, struct row *row, size_t n,
		       long long ns)
{
	size_t i;

	if (o->top) {
		qsort(row, n, sizeof(*row), by_packets);
		n = n < o->top ? n : o->top;
	}
	for (i = 0; i < n; i++) {
		print_place(r->in.rs, &row[i]);
		if (ns)
			printf(" %.1f %.1f", (double)row[i].packets * SECOND / (double)ns,
			       (double)row[i].bytes * SECOND / (double)ns);
		if (o->top)
			print_text(r->in.rs, &row[i]);
		putchar('\n');
	}
}

/* --- watching --------------------------------------------------------------- */

/* What a rule had counted before.  @was: its offset then; 0: it is new */
static struct row count_before(const struct reading *before, u32 was)
{
	const struct xt2_rule *r = was ? xt2_at(before->in.map.image, was) : NULL;

	return (struct row){ .packets = r ? r->packets : 0, .bytes = r ? r->bytes : 0 };
}

/* => for each chain the number of rules before it, and after the last chain their total */
static u32 *count_rules(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	u32 *first = malloc((root->chains + 1ull) * sizeof(*first)), n = 0, i;
	const struct xt2_chain *c;

	if (!first)
		return NULL;
	xt2_image_for_each_chain(c, i, img, root) {
		first[i] = n;
		n += xt2_chain_length(img, c);
	}
	first[root->chains] = n;
	return first;
}

struct watching {
	const struct options *o;
	struct reading before, now;
	u32 *first; /* see count_rules() */
	u32 *was; /* see pair.h */
	struct row *changed;
	size_t changes;
};

static void find_changes(struct watching *w)
{
	struct row row, old;
	size_t i;

	w->changes = 0;
	for (i = 0; i < w->now.rows; i++) {
		row = w->now.row[i];
		old = count_before(&w->before, w->was[w->first[row.chain] + row.at]);
		if (old.packets <= row.packets) { /* else it has begun anew */
			row.packets -= old.packets;
			row.bytes -= old.bytes;
		}
		w->changed[w->changes] = row;
		w->changes += row.packets || row.bytes;
	}
}

static int compare(struct watching *w)
{
	const struct xt2_image *img = w->now.in.map.image;

	w->changed = malloc((w->now.rows + 1) * sizeof(*w->changed));
	w->first = count_rules(img);
	if (!w->changed || !w->first)
		return -ENOMEM;
	w->was = malloc((w->first[xt2_image_root(img)->chains] + 1ull) * sizeof(*w->was));
	if (!w->was || xt2_image_pair(w->before.in.map.image, img, NULL, w->was))
		return -ENOMEM;
	find_changes(w);
	return 0;
}

/* => XT2_EXIT_* */
static int print_changes(struct watching *w)
{
	const long long ns = w->now.time - w->before.time;
	int ret = compare(w);

	if (!ret) {
		printf("# %.3f\n", (double)ns / SECOND);
		print_rows(&w->now, w->o, w->changed, w->changes, ns);
	} else {
		xt2_no_memory("counters");
	}
	free(w->changed);
	free(w->first);
	free(w->was);
	w->changed = NULL;
	w->first = w->was = NULL;
	return ret || fflush(stdout) ? XT2_EXIT_RESOURCE : XT2_EXIT_OK;
}

static void sleep_until(long long ns)
{
	const struct timespec t = { .tv_sec = ns / SECOND, .tv_nsec = ns % SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static int watch(const struct options *o)
{
	struct watching w = { .o = o };
	int ret = begin(&w.before, o);
	unsigned long long round = 0;
	long long next;

	if (ret != XT2_EXIT_OK)
		return ret;
	next = w.before.time;
	while (ret == XT2_EXIT_OK && (!o->rounds || round++ < o->rounds)) {
		next += o->watch;
		sleep_until(next);
		ret = read_counters(&w.now, o);
		if (ret != XT2_EXIT_OK)
			break;
		ret = print_changes(&w);
		close_reading(&w.before);
		w.before = w.now;
	}
	close_reading(&w.before);
	return ret;
}

/* --- the command ------------------------------------------------------------ */

static int show(const struct options *o)
{
	struct reading r;
	int ret = begin(&r, o);

	if (ret != XT2_EXIT_OK)
		return ret;
	print_rows(&r, o, r.row, r.rows, 0);
	close_reading(&r);
	return XT2_EXIT_OK;
}

static const char help[] =
	"Usage: xt2 counters [OPTIONS] [--live [--netns NAME] [--pin DIR] | FILE]\n\n"
	"Prints counters, a line for each rule and policy: family, table, chain, the rule's number\n"
	"or \"policy\", packets and bytes.  FILE is an image, or iptables-save text (-4, the\n"
	"default) or ip6tables-save text (-6) with counters; without it, --live is meant.\n\n"
	"  -4, -6                 only this family\n"
	"  -t, --table T          only this table\n"
	"      --chain C          only chains of this name\n"
	"      --top N            the N rules with the most packets, and what they say\n"
	"      --watch S          every S seconds what changed since: packets, bytes,\n"
	"                         and both per second\n"
	"      --count N          end after N times\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, 2 the file is wrong, or has no such table or\n"
	"chain, 3 not possible here or not permitted, 4 out of a resource.\n";

/* A number from 1. */
static int number(const struct xt2_given *g)
{
	if (!xt2_count(g))
		return xt2_usage("counters", "--%s: a number from 1, not '%s'", g->row->name,
				 g->arg);
	return XT2_EXIT_OK;
}

static int seconds(const struct xt2_given *g)
{
	long long *ns = g->field;
	char *end;
	double s = strtod(g->arg, &end);

	*ns = s > 0 && s <= ROUND_MAX ? (long long)(s * SECOND) : 0;
	if (*end || !*ns)
		return xt2_usage("counters", "--watch: a number of seconds, not '%s'", g->arg);
	return XT2_EXIT_OK;
}

static const struct xt2_option rows[] = {
	XT2_IP_ROWS(struct options, family),
	XT2_WORD("table", 't', struct options, table),
	XT2_WORD("chain", 0, struct options, chain),
	{ "top", 0, true, offsetof(struct options, top), 0, number },
	{ "watch", 0, true, offsetof(struct options, watch), 0, seconds },
	{ "count", 0, true, offsetof(struct options, rounds), 0, number },
	XT2_INPUT_ROWS(struct options, in),
	XT2_ROWS_END,
};

int xt2_counters_main(int argc, char **argv)
{
	struct options o = { .in.rules_only = true };
	int ret = xt2_options("counters", help, rows, &o, argc, argv);

	if (ret >= 0)
		return ret;
	if (optind == argc)
		o.in.live = true;
	o.in.family = o.family;
	ret = xt2_input_path(&o.in, "counters", argv + optind);
	if (ret != XT2_EXIT_OK)
		return ret;
	if (o.watch && !o.in.live)
		return xt2_usage("counters", "--watch is for the live ruleset");
	if (o.rounds && !o.watch)
		return xt2_usage("counters", "--count is for --watch");
	xt2_input_sandbox(&o.in);
	return o.watch ? watch(&o) : show(&o);
}
