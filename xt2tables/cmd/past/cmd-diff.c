/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-diff.c - xt2 diff: what changed between two generations of a ruleset
 *
 * As lines that iptables understands, in an order in which they make the newer generation of the
 * older one.  What stays is found by libxt2/ruleset/table-difference.c, which is told to
 * make that change on a copy.
 */
#include "xt2tables/cmd/cmd.h"
#include <errno.h>
#include <string.h>
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-difference.h"
#include "past.h"
#include "xt2tables/text/text.h"

/* A generation. */
struct side {
	__u64 generation;
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
};

struct diff {
	struct xt2_place place;
	bool commands;
	struct xt2_where where;
	struct side old, now, copy; /* copy: of the old one, which becomes the new one */
	__u32 *start; /* by chain of now: where its rules are in was[] */
	__u32 *was; /* by rule, a policy after the last: its position in the old chain; XT2_NONE */
	int table, old_table; /* that is printed */
	bool headed, any; /* its name is printed; anything is */
	char *text; /* of a rule */
	size_t room;
	int ret;
};

static const char help[] =
	"Usage: xt2 diff [--commands] [--image FILE | --live] GENERATION [GENERATION]\n\n"
	"Prints what changed from one generation of an image, or of what is live, to another, by\n"
	"default the one that is there now: - what went and + what came, as lines of iptables.\n\n"
	"      --commands         lines for xt2 edit, which make that change\n" XT2_IMAGE_HELP
	"\nExit codes: 0 nothing changed, 1 something did (or nothing is live), 2 an argument or the image is wrong, or\n"
	"does not have the generation any more, 3 not possible here, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_FLAG("commands", 0, struct diff, commands),
	XT2_PLACE_ROWS(struct diff, place),
	XT2_ROWS_END,
};

/* --- lines ------------------------------------------------------------------------- */

/* The table, before its first line. */
static void print_head(struct diff *d)
{
	static const char *const families[] = {
		[XT2_IPV4] = "ipv4", [XT2_ARP] = "arp", [XT2_BRIDGE] = "bridge", [XT2_IPV6] = "ipv6"
	};
	const char *space = d->commands ? "" : "  ";

	if (!d->any && !d->commands)
		printf("--- generation %llu\n+++ generation %llu\n",
		       (unsigned long long)d->old.generation,
		       (unsigned long long)d->now.generation);
	d->any = true;
	if (d->headed)
		return;
	d->headed = true;
	printf("%sfamily %s\n", space, families[xt2_table_family(d->now.rs, d->table)]);
	xt2_print_line(stdout, "%s*%s", space, xt2_table_name(d->now.rs, d->table));
}

/* "+ -N web", or "-N web"; @more: what follows, or NULL */
static void print_chain(struct diff *d, char sign, const char *command, const char *name,
			const char *more)
{
	print_head(d);
	if (d->commands)
		printf("%s %s%s%s\n", command, name, more ? " " : "", more ? more : "");
	else
		xt2_print_line(stdout, "%c %s %s%s%s", sign, command, name, more ? " " : "",
			       more ? more : "");
}

/* => what follows "-A CHAIN" of a rule; NULL: it cannot be printed, see d->ret */
static const char *rule_text(struct diff *d, const struct xt2_ruleset *rs, int chain, __u32 at)
{
	const size_t head = strlen("-A ") + strlen(xt2_chain_name(rs, chain));
	int n = xt2_text_rule(rs, chain, at, d->text, d->room);
	char *more;

	if (n >= 0 && (size_t)n >= d->room) {
		more = realloc(d->text, (size_t)n + 1);
		d->text = more ? more : d->text;
		d->room = more ? (size_t)n + 1 : d->room;
		n = more ? xt2_text_rule(rs, chain, at, d->text, d->room) : -ENOMEM;
	}
	if (n >= (int)head)
		return d->text + head;
	xt2_print_line(stderr, "xt2 diff: %s",
		       *xt2_text_why() ? xt2_text_why() : strerror(n < 0 ? -n : EINVAL));
	d->ret = n == -ENOMEM ? XT2_EXIT_RESOURCE : XT2_EXIT_UNSUPPORTED;
	return NULL;
}

/* A rule of the old generation goes, which is number at by then. */
static void print_gone(struct diff *d, int chain, __u32 rule, __u32 at)
{
	const char *name = xt2_chain_name(d->old.rs, chain), *text;
	char number[16];

	if (d->commands) {
		snprintf(number, sizeof(number), "%u", at + 1);
		print_chain(d, '-', "-D", name, number);
		return;
	}
	text = rule_text(d, d->old.rs, chain, rule);
	if (!text)
		return;
	print_head(d);
	xt2_print_line(stdout, "- -D %s%s", name, text);
}

/* A rule of the new generation comes; @last: there are no rules after it. */
static void print_new(struct diff *d, int chain, __u32 rule, bool last)
{
	const char *text = rule_text(d, d->now.rs, chain, rule);
	const char *name = xt2_chain_name(d->now.rs, chain);
	char number[16] = "";

	if (!text)
		return;
	print_head(d);
	if (!last)
		snprintf(number, sizeof(number), " %u", rule + 1);
	if (d->commands)
		printf("-%c %s%s%s\n", last ? 'A' : 'I', name, number, text);
	else
		xt2_print_line(stdout, "+ -%c %s%s%s", last ? 'A' : 'I', name, number, text);
}

/* --- chains ------------------------------------------------------------------------ */

/* => the same chain of the other ruleset; < 0: it is not there */
static int other_chain(const struct xt2_ruleset *rs, int chain, const struct xt2_ruleset *other,
		       int table)
{
	const int hook = xt2_chain_hook(rs, chain);

	return hook >= 0 ? xt2_chain_base(other, table, hook)
			 : xt2_chain_find(other, table, xt2_chain_name(rs, chain));
}

static void diff_policy(struct diff *d, int old, int chain, bool stays)
{
	static const char *const names[] = {
		[XT2_T_ACCEPT] = "ACCEPT", [XT2_T_DROP] = "DROP", [XT2_T_RETURN] = "RETURN"
	};
	const bool has = xt2_chain_hook(d->now.rs, chain) >= 0 ||
			 xt2_table_family(d->now.rs, d->table) == XT2_BRIDGE;
	const char *name = xt2_chain_name(d->now.rs, chain);
	const int policy = xt2_chain_policy(d->now.rs, chain);
	const int was = old < 0 ? XT2_T_RETURN : xt2_chain_policy(d->old.rs, old);

	if (!has || stays || policy < 0 || policy == was)
		return;
	if (old >= 0 && was >= 0 && !d->commands)
		print_chain(d, '-', "-P", name, names[was]);
	print_chain(d, '+', "-P", name, names[policy]);
}

/* => the position of the first old rule that stays from rule j of the new chain on */
static __u32 next_stay(const __u32 *was, __u32 j, __u32 n, __u32 olds)
{
	while (j < n && was[j] == XT2_NONE)
		j++;
	return j == n ? olds : was[j];
}

/* Rules in order: what went before what came. */
static void diff_chain(struct diff *d, int chain)
{
	const int old = other_chain(d->now.rs, chain, d->old.rs, d->old_table);
	const __u32 n = xt2_chain_rules(d->now.rs, chain);
	const __u32 olds = old < 0 ? 0 : xt2_chain_rules(d->old.rs, old);
	const __u32 *was = d->was + d->start[chain];
	__u32 i = 0, j, until = 0;

	for (j = 0; j <= n && d->ret == XT2_EXIT_OK; j++) {
		if (!j || was[j - 1] != XT2_NONE)
			until = next_stay(was, j, n, olds);
		for (; i < until && d->ret == XT2_EXIT_OK; i++)
			print_gone(d, old, i, j);
		if (j < n && was[j] == XT2_NONE)
			print_new(d, chain, j, i == olds);
		else
			i++;
	}
	if (d->ret == XT2_EXIT_OK)
		diff_policy(d, old, chain, was[n] != XT2_NONE);
}

/* Chains that only the old generation has: first all of their rules, then they. */
static void diff_gone(struct diff *d)
{
	__u32 i;
	int chain;

	xt2_table_for_each_chain(chain, d->old.rs, d->old_table) {
		if (other_chain(d->old.rs, chain, d->now.rs, d->table) >= 0)
			continue;
		if (d->commands && xt2_chain_rules(d->old.rs, chain))
			print_chain(d, '-', "-F", xt2_chain_name(d->old.rs, chain), NULL);
		for (i = 0; !d->commands && i < xt2_chain_rules(d->old.rs, chain); i++)
			print_gone(d, chain, i, 0);
	}
	xt2_table_for_each_chain(chain, d->old.rs, d->old_table)
		if (other_chain(d->old.rs, chain, d->now.rs, d->table) < 0)
			print_chain(d, '-', "-X", xt2_chain_name(d->old.rs, chain), NULL);
}

static void stays(void *data, int chain, unsigned int at, int old_chain, unsigned int old_at)
{
	const struct diff *d = data;

	d->was[d->start[chain] + at] = old_at;
}

/* => XT2_EXIT_* */
static int diff_table(struct diff *d)
{
	const struct xt2_difference_options options = { .any = true, .stays = stays, .data = d };
	const struct xt2_ruleset *now = d->now.rs;
	int chain, ret;

	d->headed = false;
	d->old_table = xt2_table_find(d->old.rs, xt2_table_family(now, d->table),
				      xt2_table_name(now, d->table));
	ret = xt2_table_difference(d->copy.rs, now, d->table, &options);
	if (ret < 0)
		return xt2_no_memory("diff");
	xt2_table_for_each_chain(chain, now, d->table)
		if (other_chain(now, chain, d->old.rs, d->old_table) < 0)
			print_chain(d, '+', "-N", xt2_chain_name(now, chain), NULL);
	xt2_table_for_each_chain(chain, now, d->table)
		if (d->ret == XT2_EXIT_OK)
			diff_chain(d, chain);
	if (d->ret == XT2_EXIT_OK)
		diff_gone(d);
	return d->ret;
}

/* --- together ---------------------------------------------------------------------- */

/* => XT2_EXIT_* */
static int load(struct diff *d, struct side *s)
{
	struct xt2_err err = { 0 };

	if (!s->map.image && xt2_store_generation(&d->where.store, s->generation, &s->map, &err))
		return err.code == XT2_E_UNKNOWN ? xt2_fail(&err) : xt2_place_fail(&d->where, &err);
	s->rs = xt2_ruleset_new();
	return s->rs && !xt2_ruleset_load(s->rs, s->map.image, s->map.size) ? XT2_EXIT_OK
									    : xt2_no_memory("diff");
}

/* Room to be told what stays.  => XT2_EXIT_* */
static int alloc(struct diff *d)
{
	__u32 i, n = 0;

	d->room = 4096;
	d->text = malloc(d->room);
	d->start = calloc(d->now.rs->chains + 1ull, sizeof(*d->start));
	for (i = 0; d->start && i < d->now.rs->chains; i++) {
		d->start[i] = n;
		n += xt2_chain_rules(d->now.rs, (int)i) + 1;
	}
	d->was = malloc((n + 1ull) * sizeof(*d->was));
	if (!d->text || !d->start || !d->was)
		return xt2_no_memory("diff");
	memset(d->was, 0xff, n * sizeof(*d->was));
	return XT2_EXIT_OK;
}

/* => XT2_EXIT_OK: they are the same; XT2_EXIT_NO: they differ; XT2_EXIT_* */
static int diff(struct diff *d)
{
	int ret = load(d, &d->old);

	d->copy = d->old;
	if (ret == XT2_EXIT_OK)
		ret = load(d, &d->copy);
	if (ret == XT2_EXIT_OK)
		ret = load(d, &d->now);
	if (ret == XT2_EXIT_OK &&
	    (xt2_tables_meet(d->old.rs, d->now.rs) || xt2_tables_meet(d->copy.rs, d->now.rs)))
		ret = xt2_no_memory("diff");
	if (ret == XT2_EXIT_OK)
		ret = alloc(d);
	for (; ret == XT2_EXIT_OK && d->table < xt2_ruleset_tables(d->now.rs); d->table++)
		ret = diff_table(d);
	return ret == XT2_EXIT_OK && d->any ? XT2_EXIT_NO : ret;
}

static void release(struct diff *d)
{
	xt2_ruleset_free(d->copy.rs);
	xt2_ruleset_free(d->old.rs);
	xt2_ruleset_free(d->now.rs);
	xt2_image_close(&d->old.map); /* the copy has the same */
	xt2_image_close(&d->now.map);
	free(d->start);
	free(d->was);
	free(d->text);
}

/* => XT2_EXIT_OK; XT2_EXIT_* */
static int arguments(struct diff *d, char **left)
{
	struct xt2_where *w = &d->where;
	int ret = xt2_place_end(&d->place, w, "diff");

	if (ret != XT2_EXIT_OK)
		return ret;
	if (!left[0] || (left[1] && left[2]))
		return xt2_usage("diff", "one or two generations are needed");
	if (!xt2_where_generation(left[0], &d->old.generation) ||
	    (left[1] && !xt2_where_generation(left[1], &d->now.generation)))
		return xt2_usage("diff", "a generation is a number");
	xt2_place_sandbox(w);
	if (left[1])
		return XT2_EXIT_OK;
	ret = xt2_place_look(w);
	d->now.generation = w->generation;
	xt2_where_close(w);
	return ret;
}

int xt2_diff_main(int argc, char **argv)
{
	struct diff d = { .where.name = "xt2 diff" };
	int ret = xt2_options("diff", help, rows, &d, argc, argv);

	if (ret >= 0)
		return ret;
	ret = arguments(&d, argv + optind);
	if (ret == XT2_EXIT_OK)
		ret = diff(&d);
	release(&d);
	return ret;
}
