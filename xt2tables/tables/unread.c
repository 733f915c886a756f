/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unread.c - a command that is carried out where the rules are
 *
 * The kernel module edits a table in its place, so there is no need to read 100,000 rules for one more.
 * The command's rule is made in a ruleset that has no more than the chains which it names; the kernel knows
 * whether there are such chains, and such a position.  Whatever it refuses, and whatever is less
 * simple, is done by reading the table: that way knows iptables' words for what is wrong.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <xt2/netlink.h>
#include "unread.h"
#include "xt2tables/text/alone.h"
#include "libxt2/ruleset/ruleset.h"

#define EDITS_MAX 3

struct unread {
	struct xt2_alone *alone;
	struct xt2_ruleset *rs; /* the rule that comes, or that is looked for */
	struct xt2_store_edit edit[EDITS_MAX];
	__u32 n;
};

static bool is_simple(const struct xt2_line *l)
{
	if (!l->command || !strchr("AIDRNXE", l->command) || !l->chain || l->zero ||
	    l->given & XT2_OPT_BIT(XT2_OPT_VERBOSE))
		return false;
	return strlen(l->chain) < XT2_NAME_SIZE && !xt2_verdict_named(l->chain) &&
	       (l->command != 'E' ||
		(strlen(l->newname) < XT2_NAME_SIZE && !xt2_verdict_named(l->newname)));
}

/* Does the command say a rule? */
static bool has_rule(const struct xt2_line *l)
{
	return strchr("AIDR", l->command) && !l->by_number;
}

static int make_chain(struct xt2_ruleset *rs, const char *name)
{
	if (xt2_chain_find(rs, 0, name) >= 0)
		return 0;
	return xt2_chain_add(rs, 0, name) < 0 ? -1 : 0;
}

static void add(struct unread *u, struct xt2_store_edit edit)
{
	u->edit[u->n++] = edit;
}

/* An extension is meant only if there is no chain of its name: that comes and goes, or it is there. */
static void add_no_chain(struct unread *u, const char *name)
{
	add(u, (struct xt2_store_edit){ .edit = XT2_EDIT_NEW, .chain = name });
	add(u, (struct xt2_store_edit){ .edit = XT2_EDIT_GONE, .chain = name });
}

/* The rule is appended to its chain, in which there is no other.  => how many there are, for the addresses */
static int make_rules(struct unread *u)
{
	struct xt2_line *l = &u->alone->load.line;
	const char command = l->command;
	const bool extension = *l->jump && l->ext.target && !xt2_verdict_named(l->jump);
	struct xt2_failure f;
	int ret;

	if (*l->jump && !extension && !xt2_verdict_named(l->jump) && make_chain(u->rs, l->jump))
		return -1;
	if (extension)
		add_no_chain(u, l->jump);
	l->command = 'A';
	ret = xt2_alone_run(u->alone, u->rs, &f);
	l->command = command;
	u->alone->load.chain = -1;
	u->alone->stage = XT2_ALONE_WORDS; /* it may be run again, on the real ruleset */
	return ret ? -1 : (int)xt2_chain_rules(u->rs, xt2_chain_find(u->rs, 0, l->chain));
}

static int make_edit(struct unread *u)
{
	const struct xt2_line *l = &u->alone->load.line;
	struct xt2_store_edit edit = { .edit = XT2_EDIT_RULES, .chain = l->chain };
	const int rules = has_rule(l) ? make_rules(u) : 0;

	if (rules < 0 || (has_rule(l) && l->command != 'A' && rules != 1))
		return -1;
	edit.at = l->number ? l->number - 1 : 0;
	switch (l->command) {
	case 'A': edit.append = true; break;
	case 'D': edit.find = !l->by_number; break;
	case 'N': edit.edit = XT2_EDIT_NEW; break;
	case 'X': edit.edit = XT2_EDIT_GONE; break;
	case 'E':
		edit.edit = XT2_EDIT_NAME;
		edit.to = l->newname;
		break;
	}
	edit.deletes = l->command == 'D' || l->command == 'R';
	edit.inserts = l->command == 'D' ? 0 : (__u32)rules;
	add(u, edit);
	return 0;
}

/* => 0: ready; -1: not this way */
static int prepare(struct unread *u)
{
	const struct xt2_line *l = &u->alone->load.line;

	u->rs = xt2_ruleset_new();
	if (!u->rs || xt2_table_add(u->rs, l->family, l->table, NULL) < 0)
		return -1;
	return make_chain(u->rs, l->chain) || make_edit(u) ? -1 : 0;
}

int xt2_unread(struct xt2_where *w, void *alone)
{
	struct unread u = { .alone = alone };
	struct xt2_err err = { 0 };
	int ret = 1;

	if (w->store.kind != XT2_STORE_KERNEL || !is_simple(&u.alone->load.line))
		return 1;
	if (!prepare(&u))
		ret = xt2_store_edit_unread(&w->store,
					    &(struct xt2_store_edits){ u.rs, u.edit, u.n }, &err);
	if (!ret)
		w->generation = w->store.generation;
	xt2_ruleset_free(u.rs);
	return ret ? 1 : 0;
}
