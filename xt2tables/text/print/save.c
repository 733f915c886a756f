/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save.c - tables as iptables-save and arptables-save print them
 *
 * The newest table comes first, as in /proc/net/ip_tables_names.  arptables'
 * text, and that of ebtables, has no COMMIT and no counters of policies; an
 * empty line ends it.
 *
 * Lines gather in a buffer, with what only libxtables can print of a rule
 * (print-cache.c).  Rules of ARP and of bridges go to the stream, behind what
 * has gathered.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "xt2tables/text/bridge/bridge.h"
#include "print-cache.h"
#include "rule-print.h"
#include "print-fast.h"
#include "xt2tables/text/line.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/text/sets.h"
#include "xt2tables/text/text.h"
#include "engine/image.h"
#include "libxt2/ruleset/inplace.h"

#define GATHER_MAX (128u << 10) /* no more than this is left to gather */

struct saving {
	struct xt2_printer printer;
	struct xt2_rule_text text;
	struct xt2_print_known *known; /* NULL: none is asked for yet */
	int table;
	bool counters;
	char *at; /* the end of the text so far */
	char gathered[GATHER_MAX + XT2_RULE_TEXT_ROOM];
};

static void print_now(FILE *to, const char *what)
{
	time_t now = time(NULL);
	char buf[32];

	if (ctime_r(&now, buf))
		fprintf(to, "# %s on %s", what, buf);
}

static void write_gathered(struct saving *s)
{
	fwrite(s->gathered, 1, (size_t)(s->at - s->gathered), s->printer.to);
	s->at = s->gathered;
}

/* => where the next line goes, with room for it */
static char *make_room(struct saving *s)
{
	if (s->at >= s->gathered + GATHER_MAX)
		write_gathered(s);
	return s->at;
}

static char *put_counters(char *p, const struct xt2_ruleset *rs, int chain)
{
	__u64 packets = 0, bytes = 0;

	if (xt2_chain_hook(rs, chain) >= 0)
		xt2_chain_counters(rs, chain, &packets, &bytes);
	p = xt2_put_number(xt2_put(p, " ["), packets);
	p = xt2_put_number(xt2_put(p, ":"), bytes);
	return xt2_put(p, "]");
}

static const char *policy_name(const struct saving *s, int chain)
{
	const struct xt2_ruleset *rs = s->printer.rs;

	const int policy = xt2_chain_policy(rs, chain);

	return policy < 0 ? "-" : xt2_target_name((u8)policy);
}

static void print_chain(struct saving *s, int chain)
{
	const char *name = xt2_chain_name(s->printer.rs, chain), *policy = policy_name(s, chain);
	const int family = s->printer.family;
	char *p = make_room(s);

	*p++ = ':';
	p = xt2_put_bytes(p, name, strlen(name));
	*p++ = ' ';
	p = xt2_put_bytes(p, policy, strlen(policy));
	if (family != XT2_BRIDGE && (family != XT2_ARP || s->counters))
		p = put_counters(p, s->printer.rs, chain);
	*p++ = '\n';
	s->at = p;
}

/* A match, or the target, that libxtables prints. */
static void print_part(struct saving *s, const struct xt2_rule *r, const struct xt2_match *m)
{
	const char *text;
	size_t len;

	if (!s->known)
		s->known = xt2_print_known_new(s->printer.rs, s->printer.family);
	if (!s->known)
		xt2_no_memory();
	text = xt2_print_known(s->known, r, m, &len);
	if (len > (size_t)(s->gathered + sizeof(s->gathered) - s->at)) {
		write_gathered(s);
		fwrite(text, 1, len, s->printer.to);
		return;
	}
	s->at = xt2_put_bytes(s->at, text, len);
}

/* " -c 1 2", of -S */
static void put_after(struct saving *s, __u64 packets, __u64 bytes)
{
	char *p = make_room(s);

	p = xt2_put_number(xt2_put(p, " -c "), packets);
	s->at = xt2_put_number(xt2_put(p, " "), bytes);
}

/* A rule that has a part for libxtables, or counters in its middle. */
static void print_parts(struct saving *s, int chain, const struct xt2_rule *r)
{
	const char *room = s->gathered + sizeof(s->gathered);
	char *end = xt2_rule_text_head(&s->text, r, make_room(s), room);
	const struct xt2_match *m;

	if (!end) {
		write_gathered(s);
		xt2_print_rule(&s->printer, chain, r, s->counters);
		return;
	}
	s->at = end;
	xt2_rule_for_each_match(m, r) {
		end = xt2_rule_text_match(&s->text, m, s->at, room);
		if (end)
			s->at = end;
		else
			print_part(s, r, m);
	}
	if (s->printer.counters_after)
		put_after(s, r->packets, r->bytes);
	end = xt2_rule_text_target(&s->text, r, s->at, room);
	if (end)
		s->at = end;
	else
		print_part(s, r, NULL);
	*make_room(s) = '\n';
	s->at++;
}

static void fetch_instance(const struct xt2_ruleset *rs, unsigned int number)
{
	const struct xt2_instance *in = xt2_instance_get(rs, number);

	xt2_prefetch(in);
	xt2_prefetch(xt2_instance_data(in));
}

/* What this rule names will be printed next: in large rulesets it may be anywhere. */
static void fetch(const struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	const u32 to = xt2_rule_jumps(r);
	const struct xt2_match *m;

	if (to != XT2_NONE)
		xt2_prefetch(&rs->chain[to]);
	else if (XT2_TARGET_KIND(r->target) == XT2_T_NAT)
		fetch_instance(rs, XT2_TARGET_ARG(r->target));
	if (rs->instances)
		xt2_rule_for_each_match(m, r)
			if (m->type == XT2_M_COMMENT)
				fetch_instance(rs, m->arg);
}

static void print_line(struct saving *s, int chain, const struct xt2_rule *r)
{
	char *end = NULL;

	if (!s->printer.counters_after)
		end = xt2_rule_text(&s->text, r, make_room(s), s->gathered + sizeof(s->gathered));
	if (end)
		s->at = end;
	else
		print_parts(s, chain, r);
}

static void print_rules(struct saving *s, int chain)
{
	const struct xt2_ruleset *rs = s->printer.rs;
	struct xt2_list_walk w = xt2_list_walk(xt2_chain_list(rs, chain));
	const struct xt2_rule *r = xt2_list_next(&w), *next;

	xt2_rule_text_chain(&s->text, chain);
	for (; r; r = next) {
		next = xt2_list_next(&w);
		if (next)
			fetch(rs, next);
		if (rs->inplace)
			r = xt2_inplace_counted(rs, r);
		if (r)
			print_line(s, chain, r);
	}
}

static void print_table(void *arg)
{
	struct saving *s = arg;
	const struct xt2_ruleset *rs = s->printer.rs;
	int chain;

	fprintf(s->printer.to, "*%s\n", xt2_table_name(rs, s->table));
	xt2_table_for_each_chain(chain, rs, s->table)
		print_chain(s, chain);
	xt2_table_for_each_chain(chain, rs, s->table)
		print_rules(s, chain);
}

static struct saving *saving_new(FILE *to, const struct xt2_ruleset *rs, int table, bool counters)
{
	struct saving *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->table = table;
	s->counters = counters;
	s->known = NULL;
	s->at = s->gathered;
	xt2_print_begin(&s->printer, to, rs, xt2_table_family(rs, table));
	xt2_rule_text_begin(&s->text, rs, s->printer.family, counters);
	return s;
}

/* Also if it throws, what could be printed is written.  => 0, -EOPNOTSUPP */
static int saving_run(struct saving *s, void (*print)(void *arg), void *arg,
		      struct xt2_failure *failure)
{
	int ret = xt2_try(print, arg, failure) ? -EOPNOTSUPP : 0;

	write_gathered(s);
	if (s->known)
		xt2_print_known_free(s->known);
	free(s);
	return ret;
}

static int save_table(FILE *to, const struct xt2_ruleset *rs, int table, bool counters,
		      struct xt2_failure *failure)
{
	const int family = xt2_table_family(rs, table);
	const bool bare = family == XT2_ARP || family == XT2_BRIDGE; /* no COMMIT */
	struct saving *s = saving_new(to, rs, table, counters);
	int ret;

	if (!s)
		return -ENOMEM;
	if (!bare)
		print_now(to, "Generated by xt2tables-save v" PACKAGE_VERSION);
	ret = saving_run(s, print_table, s, failure);
	if (ret)
		return ret;
	fputs(bare ? "\n" : "COMMIT\n", to);
	if (!bare)
		print_now(to, "Completed");
	return 0;
}

/* --- -S ------------------------------------------------------------------------ */

struct rules_list {
	struct saving *s;
	int chain; /* < 0: all */
	unsigned int rule; /* 0: all */
};

/* "-P INPUT ACCEPT", "-N chain" */
static void list_head(struct saving *s, int chain)
{
	const char *name = xt2_chain_name(s->printer.rs, chain), *policy = policy_name(s, chain);
	const bool base = xt2_chain_hook(s->printer.rs, chain) >= 0;
	__u64 packets = 0, bytes = 0;
	char *p = xt2_put_bytes(make_room(s), base ? "-P " : "-N ", 3);

	s->at = xt2_put_bytes(p, name, strlen(name));
	if (base) {
		*s->at++ = ' ';
		s->at = xt2_put_bytes(s->at, policy, strlen(policy));
		xt2_chain_counters(s->printer.rs, chain, &packets, &bytes);
		if (s->printer.counters_after)
			put_after(s, packets, bytes);
	}
	*s->at++ = '\n';
}

static void list_chain_rules(const struct rules_list *l, int chain)
{
	const struct xt2_rule *r;

	if (!l->rule) {
		print_rules(l->s, chain);
		return;
	}
	r = xt2_rule_get(l->s->printer.rs, chain, l->rule - 1);
	xt2_rule_text_chain(&l->s->text, chain);
	if (r)
		print_line(l->s, chain, r);
}

static void list_rules(void *arg)
{
	const struct rules_list *l = arg;
	const struct xt2_ruleset *rs = l->s->printer.rs;
	int chain;

	if (l->chain >= 0) {
		if (!l->rule)
			list_head(l->s, l->chain);
		list_chain_rules(l, l->chain);
		return;
	}
	xt2_table_for_each_chain(chain, rs, l->s->table)
		list_head(l->s, chain);
	xt2_table_for_each_chain(chain, rs, l->s->table)
		list_chain_rules(l, chain);
}

int xt2_text_list_rules(FILE *to, const struct xt2_ruleset *rs, int table, const char *chain,
			unsigned int rule, bool counters)
{
	const int number = chain ? xt2_chain_find(rs, table, chain) : -1;
	struct rules_list l = { .chain = number, .rule = rule };

	if (chain && number < 0)
		return -ENOENT;
	l.s = saving_new(to, rs, table, false);
	if (!l.s)
		return -ENOMEM;
	l.s->printer.counters_after = counters;
	return saving_run(l.s, list_rules, &l, xt2_text_failure_());
}

/* --- all of a family ------------------------------------------------------------- */

int xt2_text_save(FILE *to, const struct xt2_ruleset *rs, int family, const char *table,
		  bool counters)
{
	struct xt2_failure *failure = xt2_text_failure_();
	int found = 0, ret, i;

	if (!xt2_sets_check(rs, family, table, failure->message, sizeof(failure->message)))
		return -EOPNOTSUPP;
	ret = xt2_libxt_setup(family, xt2_line_options(family), false);
	for (i = xt2_ruleset_tables(rs) - 1; !ret && i >= 0; i--) {
		if (!xt2_table_among(rs, i, family, table))
			continue;
		found = 1;
		ret = save_table(to, rs, i, counters, failure);
	}
	if (!ret && table && !found)
		ret = -ENOENT;
	if (!ret && ferror(to))
		ret = -EIO;
	return ret;
}
