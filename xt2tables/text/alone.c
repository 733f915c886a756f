/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alone.c - one command, as on iptables' command line
 *
 * The words are understood before there is a ruleset, as iptables reads its
 * arguments before it takes the lock; only then the table is looked up, and the
 * chain that a rule jumps to.  The grammar, the commands and the checks are
 * those of text (restore.c), which has a table and a file around its lines.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "alone.h"
#include "commands.h"
#include "hook-rules.h"

struct xt2_alone *xt2_alone_new(bool (*own_option)(void *data, int c, const char *arg), void *own)
{
	struct xt2_alone *a = calloc(1, sizeof(*a));
	struct xt2_line *l;

	if (!a)
		return NULL;
	l = &a->load.line;
	a->load.opt = &a->opt;
	a->load.chain = -1;
	l->alone = true;
	l->own_option = own_option;
	l->own = own;
	l->program = "";
	return a;
}

void xt2_alone_free(struct xt2_alone *a)
{
	if (!a)
		return;
	xt2_line_free(&a->load.line);
	free(a);
}

int xt2_alone_words(struct xt2_alone *a, int count, char **words)
{
	struct xt2_words *w = &a->load.line.words;
	int i;

	if (count > XT2_WORDS_MAX)
		return -E2BIG;
	for (i = 0; i < count; i++)
		w->word[i] = words[i];
	w->word[count] = NULL;
	w->count = count;
	return 0;
}

struct cut {
	struct xt2_words *words;
	const char *line;
	size_t len;
};

static void cut(void *arg)
{
	const struct cut *c = arg;

	if (memchr(c->line, '\0', c->len))
		xt2_bad_text("there is a zero byte in the line");
	xt2_words_cut(c->words, c->line, c->len);
}

int xt2_alone_cut(struct xt2_alone *a, const char *line, size_t len, struct xt2_failure *failure)
{
	struct cut c = { &a->load.line.words, line, len };

	a->stage = XT2_ALONE_WORDS;
	return xt2_try(cut, &c, failure);
}

static void parse(void *arg)
{
	struct xt2_alone *a = arg;
	struct xt2_line *l = &a->load.line;

	if (xt2_libxt_setup(l->family, xt2_line_options_alone(l->family), a->opt.resolve))
		xt2_throw(XT2_E_SYSTEM, OTHER_PROBLEM, "Failed to initialize xtables");
	xt2_line_parse(l);
}

int xt2_alone_parse(struct xt2_alone *a, int family, const char *table, struct xt2_failure *failure)
{
	a->stage = XT2_ALONE_WORDS;
	a->opt.family = family;
	a->load.line.family = family;
	a->load.line.table = table;
	a->load.chain = -1;
	return xt2_try(parse, a, failure);
}

bool xt2_alone_changes(const struct xt2_alone *a)
{
	const struct xt2_line *l = &a->load.line;

	return l->command && (l->zero || !strchr("LSChV", l->command));
}

/* A table that is named comes into being, as it does in the kernel. */
static int table_of(const struct xt2_alone *a, struct xt2_ruleset *rs)
{
	const int family = a->opt.family;
	const char *name = a->load.line.table;
	int table = xt2_table_find(rs, family, name);

	if (table >= 0)
		return table;
	if (!xt2_table_hooks(family, name))
		xt2_throw(XT2_E_UNKNOWN, VERSION_PROBLEM,
			  "can't initialize %s table `%s': "
			  "Table does not exist (do you need to insmod?)",
			  a->load.line.program, name);
	table = xt2_table_add(rs, family, name, NULL);
	if (table < 0)
		xt2_throw(XT2_E_SYSTEM, RESOURCE_PROBLEM, "%s: %s", name, strerror(-table));
	return table;
}

static void run(void *arg)
{
	static const char rules[] = "AIDRC";
	struct xt2_alone *a = arg;
	struct xt2_load *load = &a->load;
	struct xt2_line *l = &load->line;

	l->table_number = table_of(a, load->rs);
	if (strchr(rules, l->command) && !l->by_number)
		xt2_line_resolve(l);
	load->say = l->given & XT2_OPT_BIT(XT2_OPT_VERBOSE) && !a->silent ? stdout : NULL;
	a->stage = XT2_ALONE_RULES;
	xt2_commands_run(load);
}

int xt2_alone_run(struct xt2_alone *a, struct xt2_ruleset *rs, struct xt2_failure *failure)
{
	a->load.rs = rs;
	a->load.line.rs = rs;
	return xt2_try(run, a, failure);
}

/* --- the whole table ------------------------------------------------------------- */

struct check {
	struct xt2_alone *a;
	int table;
	struct xt2_failure first;
};

/* The first of them is told; of a loop first, which is what the kernel looks for first. */
static void found(void *data, int chain, unsigned int rule, int code, const char *message,
		  const char *hint)
{
	struct check *c = data;

	if (c->first.code && (code != XT2_E_LOOP || c->first.code == XT2_E_LOOP))
		return;
	c->first.code = code;
	snprintf(c->first.message, sizeof(c->first.message), "%s (rule %u of chain %s)", message,
		 rule + 1, xt2_chain_name(c->a->load.rs, chain));
	snprintf(c->first.hint, sizeof(c->first.hint), "%s", hint);
}

int xt2_alone_check(struct xt2_alone *a, struct xt2_ruleset *rs, int table,
		    struct xt2_failure *failure)
{
	struct check c = { .a = a, .table = table };
	int ret;

	a->load.rs = rs;
	a->stage = XT2_ALONE_RULES;
	ret = xt2_reach_check(rs, table, found, &c);
	if (!ret)
		return 0;
	if (ret < 0) {
		c.first.code = XT2_E_SYSTEM;
		c.first.errnum = -ret;
		snprintf(c.first.message, sizeof(c.first.message), "%s", strerror(-ret));
	}
	c.first.status = ret < 0 ? RESOURCE_PROBLEM : OTHER_PROBLEM;
	*failure = c.first;
	return -1;
}

static bool check_rule(void *data, const struct xt2_ruleset *rs, int chain,
		       const struct xt2_rule *r, unsigned int hooks)
{
	return xt2_reach_refuses(rs, xt2_chain_table(rs, chain), r, hooks);
}

static int check_table(void *data, const struct xt2_ruleset *rs, int table)
{
	struct xt2_alone_checks *c = data;

	return xt2_alone_check(c->alone, c->alone->load.rs, table, &c->failure);
}

const struct xt2_commit_check *xt2_alone_checks(struct xt2_alone_checks *checks,
						struct xt2_alone *a)
{
	checks->check = (struct xt2_commit_check){ check_rule, check_table, checks };
	checks->alone = a;
	return &checks->check;
}

void xt2_alone_end(struct xt2_alone *a)
{
	xt2_line_end(&a->load.line);
}
