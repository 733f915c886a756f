/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-rule.c - the options of a rule as text, both ways
 *
 * A rule comes and goes as a line of iptables-save, but in memory: so options
 * and names may have bytes that end a line there.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "engine/check.h"
#include "engine/image.h"
#include "xt2tables/text/bridge/bridge.h"
#include "json-rule.h"
#include "xt2tables/text/text.h"

#define COUNTERS "counters are members of the rule, not options"

/*
 * "-p all" of an IPv6 rule, which looks for the upper-layer header all the
 * same.  iptables-save leaves it out, and so loses a test.
 */
static bool any_protocol(const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (m->type == XT2_M_PROTO && !m->arg && m->flags & XT2_MATCH_INVERT)
			return true;
	}
	return false;
}

/* Where the options begin in "-A CHAIN options"; the name may be quoted. */
static const char *behind_chain(const char *text, const char *chain)
{
	const char *p = text + strlen("-A ");

	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			p += *p == '\\' && p[1];
		p += *p == '"';
	} else {
		p += strlen(chain);
	}
	return p + strspn(p, " ");
}

int xt2_json_rule_options(const struct xt2_ruleset *rs, int chain, unsigned int at, char **options)
{
	bool v6 = xt2_table_family(rs, xt2_chain_table(rs, chain)) == XT2_IPV6;
	const char *all = v6 && any_protocol(xt2_rule_get(rs, chain, at)) ? "-p all " : "";
	int len = xt2_text_rule(rs, chain, at, NULL, 0), ret;
	char *text, *buf;

	if (len < 0)
		return len;
	text = malloc((size_t)len + 1);
	buf = malloc((size_t)len + strlen(all) + 1);
	ret = text && buf ? xt2_text_rule(rs, chain, at, text, (size_t)len + 1) : -ENOMEM;
	if (ret >= 0)
		strcpy(stpcpy(buf, all), behind_chain(text, xt2_chain_name(rs, chain)));
	free(text);
	if (ret < 0) {
		free(buf);
		return ret;
	}
	*options = buf;
	return 0;
}

/* "-A CHAIN options", the name quoted as it is printed. */
static char *command_of(const char *chain, const char *options)
{
	char *line = malloc(strlen(options) + 2 * XT2_NAME_SIZE + 8), *to = line;

	if (!line)
		return NULL;
	to = stpcpy(to, "-A \"");
	for (; *chain; chain++) {
		if (*chain == '"' || *chain == '\\')
			*to++ = '\\';
		*to++ = *chain;
	}
	to = stpcpy(to, "\" ");
	strcpy(to, options);
	return line;
}

static void append_rule(struct xt2_json_parser *p)
{
	struct xt2_line *l = &p->load.line;
	const struct xt2_rule_bounds bounds = { (__u8)l->family, ~0u, ~0u, ~0u };
	const struct xt2_rule *r;
	const char *what;
	int ret;

	xt2_line_parse(l);
	if (l->command != 'A')
		xt2_bad_text("this is a rule of another family");
	if (l->given & XT2_OPT_BIT(XT2_OPT_COUNTERS))
		xt2_bad_text(COUNTERS);
	if (l->src.count != 1 || l->dst.count != 1)
		xt2_bad_text("with several addresses these are several rules");
	r = xt2_line_pack(l, p->rs, 0, 0);
	if (xt2_check_rule(r, r->size, &bounds, &what))
		xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "the kernel would refuse this rule: %s",
			  what);
	ret = xt2_rule_append(p->rs, p->chain, r, 0);
	if (ret < 0)
		xt2_throw(XT2_E_SYSTEM, RESOURCE_PROBLEM, "%s", strerror(-ret));
}

/* Bridges have a parser of their own, which takes a whole line. */
static void append_bridge(struct xt2_json_parser *p)
{
	unsigned int at = xt2_chain_rules(p->rs, p->chain);
	const struct xt2_rule *r;

	xt2_bridge_line(&p->load);
	if (xt2_chain_rules(p->rs, p->chain) != at + 1)
		xt2_bad_text("this is a rule of another chain");
	r = xt2_rule_get(p->rs, p->chain, at);
	if (r->packets || r->bytes)
		xt2_bad_text(COUNTERS);
}

static void run_rule(void *arg)
{
	struct xt2_json_parser *p = arg;

	xt2_words_cut(&p->load.line.words, p->command, strlen(p->command));
	if (p->opt.family == XT2_BRIDGE)
		append_bridge(p);
	else
		append_rule(p);
}

static void run_check(void *arg)
{
	struct xt2_json_parser *p = arg;

	xt2_bridge_check(&p->load);
}

static int try(struct xt2_json_parser *p, void (*run)(void *arg), struct xt2_failure *failure)
{
	memset(failure, 0, sizeof(*failure));
	if (!xt2_try(run, p, failure))
		return 0;
	return failure->status == RESOURCE_PROBLEM ? -ENOMEM : -EINVAL;
}

int xt2_json_parser_begin(struct xt2_json_parser *p, struct xt2_ruleset *rs, int table)
{
	struct xt2_line *l = &p->load.line;

	p->rs = rs;
	p->opt.family = xt2_table_family(rs, table);
	p->opt.counters = true;
	p->load.path = "";
	p->load.rs = rs;
	p->load.opt = &p->opt;
	p->load.chain = -1;
	l->rs = rs;
	l->family = p->opt.family;
	l->table_number = table;
	l->table = xt2_table_name(rs, table);
	l->program = "iptables-restore";
	return xt2_libxt_setup(l->family, xt2_line_options(l->family), false);
}

int xt2_json_rule_append(struct xt2_json_parser *p, int chain, const char *options,
			 struct xt2_failure *failure)
{
	int ret;

	p->chain = chain;
	p->command = command_of(xt2_chain_name(p->rs, chain), options);
	if (!p->command)
		return -ENOMEM;
	ret = try(p, run_rule, failure);
	xt2_line_end(&p->load.line);
	free(p->command);
	return ret;
}

int xt2_json_parser_check(struct xt2_json_parser *p, struct xt2_failure *failure)
{
	return p->opt.family == XT2_BRIDGE ? try(p, run_check, failure) : 0;
}

void xt2_json_parser_free(struct xt2_json_parser *p)
{
	xt2_line_free(&p->load.line);
}
