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
#include "libxt2/ruleset/ruleset.h"

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

/* A rule that has a part for libxtables. */
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

static void print_rules(struct saving *s, int chain)
{
	const struct xt2_ruleset *rs = s->printer.rs;
	struct xt2_list_walk w = xt2_list_walk(&rs->chain[chain].rules);
	const struct xt2_rule *r = xt2_list_next(&w), *next;
	char *end;

	xt2_rule_text_chain(&s->text, chain);
	for (; r; r = next) {
		next = xt2_list_next(&w);
		if (next)
			fetch(rs, next);
		end = xt2_rule_text(&s->text, r, make_room(s), s->gathered + sizeof(s->gathered));
		if (end)
			s->at = end;
		else
			print_parts(s, chain, r);
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

/* Also if it throws, what could be printed is written. */
static int save_table(FILE *to, const struct xt2_ruleset *rs, int table, bool counters,
		      struct xt2_failure *failure)
{
	const int family = xt2_table_family(rs, table);
	const bool bare = family == XT2_ARP || family == XT2_BRIDGE; /* no COMMIT */
	struct saving *s = malloc(sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->table = table;
	s->counters = counters;
	s->known = NULL;
	s->at = s->gathered;
	xt2_print_begin(&s->printer, to, rs, family);
	xt2_rule_text_begin(&s->text, rs, family, counters);
	if (!bare)
		print_now(to, "Generated by xt2tables-save v" PACKAGE_VERSION);
	ret = xt2_try(print_table, s, failure) ? -EOPNOTSUPP : 0;
	write_gathered(s);
	if (s->known)
		xt2_print_known_free(s->known);
	free(s);
	if (ret)
		return ret;
	fputs(bare ? "\n" : "COMMIT\n", to);
	if (!bare)
		print_now(to, "Completed");
	return 0;
}

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
