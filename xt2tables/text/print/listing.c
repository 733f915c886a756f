/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.c - chains and rules as iptables -L lists them
 *
 * Columns, blanks and words are iptables' own, since programs read them.  One
 * chain that is asked for is looked up, and no other is visited.  A line is put
 * together before it is printed: what a terminal would obey in it is escaped.
 *
 * A rule that -v reports while it is added or deleted has the same parts in
 * another layout, without columns.
 */
#include "config.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/printable.h"
#include "listing.h"
#include "xt2tables/text/line.h"
#include "engine/image.h"

/* The parts of a rule that have columns. */
struct columns {
	const struct xt2_match *src, *dst, *in, *out, *proto, *fragment;
};

struct lister {
	struct xt2_printer p; /* p.to: the line in memory */
	const struct xt2_listing *how;
	bool table; /* columns; else the layout of -A -v */
	char *text; /* the line */
	size_t len;
};

static bool inverted(const struct xt2_match *m)
{
	return m && m->flags & XT2_MATCH_INVERT;
}

/* --- addresses ----------------------------------------------------------------- */

static void put_word(const struct lister *l, const char *word)
{
	fprintf(l->p.to, l->table ? "%-19s " : "%s ", word);
}

static void address4(const struct lister *l, const struct xt2_match *m, char *text, size_t size)
{
	struct in_addr addr = { 0 }, mask = { 0 };

	if (m)
		xt2_print_address4(m, &addr, &mask);
	if (!mask.s_addr && !l->how->numeric) {
		snprintf(text, size, "anywhere");
		return;
	}
	snprintf(text, size, "%s",
		 l->how->numeric ? xtables_ipaddr_to_numeric(&addr)
				 : xtables_ipaddr_to_anyname(&addr));
	strncat(text, xtables_ipmask_to_numeric(&mask), size - strlen(text) - 1);
}

static void address6(const struct lister *l, const struct xt2_match *m, char *text, size_t size)
{
	const struct xt2_match_addr6_mask *k = (const struct xt2_match_addr6_mask *)m;
	struct in6_addr addr = { 0 }, mask = { 0 };

	if (m) {
		memcpy(&addr, k->addr, sizeof(addr));
		memset(&mask, 0xff, sizeof(mask));
		if (m->type == XT2_M_SRC6_MASK || m->type == XT2_M_DST6_MASK)
			memcpy(&mask, k->mask, sizeof(mask));
	}
	if (IN6_IS_ADDR_UNSPECIFIED(&addr) && !l->how->numeric) {
		snprintf(text, size, "anywhere");
		return;
	}
	snprintf(text, size, "%s",
		 l->how->numeric ? xtables_ip6addr_to_numeric(&addr)
				 : xtables_ip6addr_to_anyname(&addr));
	strncat(text, xtables_ip6mask_to_numeric(&mask), size - strlen(text) - 1);
}

static void put_address(const struct lister *l, const struct xt2_match *m, bool source)
{
	char text[1100]; /* the longest name of a host, and a mask */

	fputc(inverted(m) ? '!' : ' ', l->p.to);
	if (l->p.family == XT2_IPV6)
		address6(l, m, text, sizeof(text));
	else
		address4(l, m, text, sizeof(text));
	if (source || l->table)
		put_word(l, text);
	else
		fprintf(l->p.to, "-> %s", text);
}

/* --- rules --------------------------------------------------------------------- */

static void put_iface(const struct lister *l, const struct xt2_match *m, const char *what)
{
	char name[XT2_IFACE_TEXT] = "", text[XT2_IFACE_TEXT + 1];

	if (m)
		xt2_print_iface(m, name);
	snprintf(text, sizeof(text), "%s%s", inverted(m) ? "!" : "",
		 *name		   ? name
		 : l->how->numeric ? "*"
				   : "any");
	if (l->table)
		fprintf(l->p.to, *what == 'i' ? " %-6s " : "%-6s ", text);
	else
		fprintf(l->p.to, "%s %s ", what, text);
}

/* The name that libxtables has itself. */
static const char *own_proto_name(unsigned int number)
{
	const struct xtables_pprot *p = xtables_chain_protos;

	while (p->name && p->num != number)
		p++;
	return p->name;
}

/* A protocol's number in columns without names, else its name if it has one. */
static void put_proto(const struct lister *l, const struct xt2_match *m)
{
	const unsigned int number = m ? m->arg : 0;
	const char *name = NULL;

	if (!l->table)
		name = own_proto_name(number);
	else if (!l->how->numeric)
		name = xt2_libxt_proto_name(number);
	fputc(inverted(m) && number ? '!' : ' ', l->p.to);
	if (name)
		fprintf(l->p.to, l->table ? "%-4s " : "%s ", name);
	else
		fprintf(l->p.to, l->table ? "%-4u " : "%u ", number);
}

static void put_fragment(const struct lister *l, const struct xt2_match *m)
{
	if (!l->table)
		fputs("opt ", l->p.to);
	fputc(inverted(m) ? '!' : '-', l->p.to);
	fputc(m ? 'f' : '-', l->p.to);
	fputc(' ', l->p.to);
}

/* Fills in the column that a match has.  => false: it has none */
static bool column_of(struct columns *c, const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_SRC4:
	case XT2_M_SRC4_MASK:
	case XT2_M_SRC6:
	case XT2_M_SRC6_MASK: c->src = m; return true;
	case XT2_M_DST4:
	case XT2_M_DST4_MASK:
	case XT2_M_DST6:
	case XT2_M_DST6_MASK: c->dst = m; return true;
	case XT2_M_IN:
	case XT2_M_IN_MASK: c->in = m; return true;
	case XT2_M_OUT:
	case XT2_M_OUT_MASK: c->out = m; return true;
	case XT2_M_PROTO: c->proto = m; return true;
	case XT2_M_FRAGMENT: c->fragment = m; return true;
	}
	return false;
}

static void put_matches(struct lister *l, const struct xt2_rule *r)
{
	const struct xt2_match *m;
	struct xt2_native n;
	struct columns c;

	xt2_rule_for_each_match(m, r) {
		if (column_of(&c, m))
			continue;
		xt2_print_native_match(&l->p, m, &n);
		xt2_libxt_list_match(l->p.to, &l->p.entry, n.name, n.revision, n.payload, n.size,
				     l->how->numeric);
	}
}

/* The columns of a rule. */
static void put_columns(struct lister *l, const struct xt2_rule *r, unsigned int number,
			const char *target)
{
	struct columns c = { NULL };
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		column_of(&c, m);
	if (l->how->numbers && l->table)
		fprintf(l->p.to, "%-4u ", number);
	if (l->how->verbose && !l->how->uncounted) {
		xt2_listing_number(l->p.to, r->packets, l->how->exact ? 8 : 5, l->how->exact);
		xt2_listing_number(l->p.to, r->bytes, l->how->exact ? 8 : 5, l->how->exact);
	}
	fprintf(l->p.to, l->table ? "%-9s " : "%s ", target);
	put_proto(l, c.proto);
	put_fragment(l, c.fragment);
	if (l->how->verbose) {
		put_iface(l, c.in, "in");
		put_iface(l, c.out, "out");
	}
	put_address(l, c.src, true);
	put_address(l, c.dst, false);
}

static void put_rule(struct lister *l, const struct xt2_rule *r, unsigned int number)
{
	struct xt2_native n;

	if (l->p.family == XT2_ARP) {
		xt2_listing_arp_rule(&l->p, r, l->how->numbers ? number : 0, l->how);
		return;
	}
	xt2_print_rule_begin(&l->p, r);
	xt2_print_native_target(&l->p, r, &n);
	put_columns(l, r, number, n.name);
	if (!l->table)
		fputs("  ", l->p.to);
	if (XT2_TARGET_KIND(r->target) == XT2_T_GOTO)
		fputs("[goto] ", l->p.to);
	put_matches(l, r);
	if (n.revision < 0)
		return;
	xt2_print_native_target(&l->p, r, &n); /* the matches have taken its place */
	xt2_libxt_list_target(l->p.to, &l->p.entry, n.name, n.revision, n.payload, n.size,
			      l->how->numeric);
}

/* --- lines --------------------------------------------------------------------- */

struct line_job {
	struct lister *l;
	const struct xt2_rule *r;
	unsigned int number;
};

static void run_rule(void *arg)
{
	struct line_job *job = arg;

	put_rule(job->l, job->r, job->number);
}

/* The match bpf prints a zero byte after its program, which terminals leave out. */
static void put_line(const struct lister *l, FILE *to)
{
	const char *at = l->text, *end = at + l->len;

	for (;; fputc('\0', to)) {
		xt2_print_shown(to, at);
		at += strlen(at) + 1;
		if (at > end)
			break;
	}
	fputc('\n', to);
}

/* A rule as a line; the memory of the line is given back before a failure is thrown again. */
static void print_rule(struct lister *l, FILE *to, const struct xt2_rule *r, unsigned int number)
{
	struct line_job job = { l, r, number };
	struct xt2_failure f;
	bool thrown, lost;

	l->p.to = open_memstream(&l->text, &l->len);
	if (!l->p.to)
		xt2_no_memory();
	thrown = xt2_try(run_rule, &job, &f);
	lost = ferror(l->p.to);
	lost |= fclose(l->p.to) || !l->text;
	if (!thrown && !lost)
		put_line(l, to);
	free(l->text);
	if (thrown)
		xt2_rethrow(&f);
	if (lost)
		xt2_no_memory();
}

void xt2_listing_rule(FILE *to, const struct xt2_ruleset *rs, int family, const struct xt2_rule *r)
{
	const struct xt2_listing how = { .numeric = true, .verbose = true, .uncounted = true };
	struct lister l = { .how = &how };

	xt2_print_begin(&l.p, NULL, rs, family);
	print_rule(&l, to, r, 0);
}

/* --- chains -------------------------------------------------------------------- */

static void put_head(const struct lister *l, FILE *to, int chain)
{
	const int policy = xt2_chain_policy(l->p.rs, chain);
	__u64 packets = 0, bytes = 0;

	fputs("Chain ", to);
	xt2_print_shown(to, xt2_chain_name(l->p.rs, chain));
	if (policy < 0) {
		fprintf(to, " (%d references)\n", xt2_chain_references(l->p.rs, chain));
		return;
	}
	fprintf(to, " (policy %s", xt2_target_name((__u8)policy));
	if (l->how->verbose) {
		xt2_chain_counters(l->p.rs, chain, &packets, &bytes);
		fputc(' ', to);
		xt2_listing_number(to, packets, 0, l->how->exact);
		fputs("packets, ", to);
		xt2_listing_number(to, bytes, 0, l->how->exact);
		fputs("bytes", to);
	}
	fputs(")\n", to);
}

static void put_titles(const struct xt2_listing *how, FILE *to)
{
	if (how->numbers)
		fputs("num  ", to);
	if (how->verbose)
		fprintf(to, how->exact ? "%8s %10s " : "%5s %5s ", "pkts", "bytes");
	fprintf(to, "%-9s  prot opt", "target");
	if (how->verbose)
		fprintf(to, " %-6s %-6s ", "in", "out");
	fprintf(to, " %-19s  %-19s \n", "source", "destination");
}

static void list_chain(struct lister *l, FILE *to, int chain, unsigned int rule)
{
	const unsigned int n = xt2_chain_rules(l->p.rs, chain);
	unsigned int i;

	if (!rule) {
		put_head(l, to, chain);
		if (l->p.family != XT2_ARP)
			put_titles(l->how, to);
	}
	for (i = rule ? rule - 1 : 0; i < (rule && rule < n ? rule : n); i++)
		print_rule(l, to, xt2_rule_get(l->p.rs, chain, i), i + 1);
}

bool xt2_listing_print(FILE *to, const struct xt2_ruleset *rs, int table, const char *chain,
		       unsigned int rule, const struct xt2_listing *how)
{
	struct lister l = { .how = how, .table = true };
	bool first = true;
	int c;

	xt2_print_begin(&l.p, NULL, rs, xt2_table_family(rs, table));
	if (chain) {
		c = xt2_chain_find(rs, table, chain);
		if (c >= 0)
			list_chain(&l, to, c, rule);
		return c >= 0;
	}
	xt2_table_for_each_chain(c, rs, table) {
		if (!first)
			fputc('\n', to);
		first = false;
		list_chain(&l, to, c, rule);
	}
	return true;
}
