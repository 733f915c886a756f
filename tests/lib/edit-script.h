/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-script.h - random edits that can be done again, to any ruleset that is alike
 *
 * An edit names chains by their names, and what a rule needs by its place in a list, since
 * rulesets that are alike have other numbers.  It is drawn from the state of one ruleset, to
 * which it is done at once; its answer there is kept.
 */
#ifndef TESTS_EDIT_SCRIPT_H
#define TESTS_EDIT_SCRIPT_H

#include <stdint.h>
#include <stdio.h>
#include "world-rules.h"
#include "libxt2/ruleset/inplace.h"

#define SCRIPT_NAMES 24 /* user chains that a table may have */
#define SCRIPT_MOST  200 /* edits */

enum script_kind {
	SCRIPT_INSERT,
	SCRIPT_APPEND,
	SCRIPT_DELETE,
	SCRIPT_FIND,
	SCRIPT_FIND_DELETE,
	SCRIPT_REPLACE,
	SCRIPT_COUNTERS,
	SCRIPT_FLUSH,
	SCRIPT_POLICY,
	SCRIPT_POLICY_COUNTERS,
	SCRIPT_CHAIN_ADD,
	SCRIPT_CHAIN_RENAME,
	SCRIPT_CHAIN_DELETE,
	SCRIPT_TABLE_ADD,
	SCRIPT_TABLE_RESET,
	SCRIPT_READ, /* a rule */
	SCRIPT_LIST, /* the chains of a table */
	SCRIPT_DIGEST,
	SCRIPT_KINDS
};

static const u8 script_weight[SCRIPT_KINDS] = { 60, 30, 30, 8, 25, 12, 12, 2, 5,
						5,  7,	3,  5, 1,  1,  12, 2, 1 };

static const struct script_table {
	u8 family;
	const char *name;
} script_table[] = {
	{ XT2_IPV4, "filter" }, { XT2_IPV4, "nat" },	  { XT2_IPV6, "filter" },
	{ XT2_ARP, "filter" },	{ XT2_BRIDGE, "filter" }, { XT2_IPV4, "raw" },
};

#define SCRIPT_TABLES XT2_ARRAY_SIZE(script_table)

static const char *const script_text[] = { "why", "because", "", "for no reason that is known" };

struct script_edit {
	enum script_kind kind;
	u32 table; /* of script_table[] */
	int chain; /* below 0: the base chain of hook -1 - chain; else of this name */
	u32 at, line, other; /* other: a name, a policy */
	u64 packets, bytes;
	s64 answer; /* of the ruleset that it was drawn from */
	struct seed_rule rule;
};

struct script {
	struct world w;
	struct script_edit edit[SCRIPT_MOST];
	u32 n;
	u32 table, place; /* where the last edit was */
	int chain;
	bool calm; /* no chains and tables come and go, and no instances and cells come */
};

/* User chains: an order of names that is not that of numbers. */
static inline const char *script_name(u32 i)
{
	static char name[16];

	snprintf(name, sizeof(name), "%c%02u", 'a' + i * 7 % 26, i);
	return name;
}

/* => the number of the name; below 0: it is none */
static inline int script_number(const char *name)
{
	int i;

	for (i = 0; i < SCRIPT_NAMES; i++)
		if (!strcmp(name, script_name((u32)i)))
			return i;
	return -1;
}

/* --- rules ----------------------------------------------------------------- */

static inline int script_instance(struct xt2_ruleset *rs, u8 kind, u32 i)
{
	const char *text = script_text[i % XT2_ARRAY_SIZE(script_text)];

	if (kind == XT2_INSTANCE_COMMENT)
		return xt2_instance_add(rs, kind, 0, "comment", text, strlen(text));
	return xt2_instance_add(rs, kind, i & 1, i & 2 ? "MASQUERADE" : "strange", text,
				strlen(text));
}

/* => place in the list of the text of an instance */
static inline u32 script_text_of(const struct xt2_ruleset *rs, u32 instance)
{
	const struct xt2_instance *in = xt2_instance_get(rs, instance);
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(script_text); i++)
		if (in->size == strlen(script_text[i]) && !memcmp(in + 1, script_text[i], in->size))
			break;
	return i;
}

static inline bool script_has_instance(const struct xt2_rule *r)
{
	return xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE;
}

/* Numbers of a ruleset for those of the script.  => 0, -errno */
static inline int script_localize(struct xt2_ruleset *rs, int table, struct xt2_rule *r)
{
	const u32 to = xt2_rule_jumps(r);
	struct xt2_match *m;
	int n = 0;

	xt2_rule_for_each_match(m, r) {
		if (xt2_match_info(m->type) & XT2_EXT_CELL)
			n = xt2_cell_add(rs);
		else if (xt2_match_info(m->type) & XT2_EXT_INSTANCE)
			n = script_instance(rs,
					    m->type == XT2_M_COMMENT ? XT2_INSTANCE_COMMENT
								     : XT2_INSTANCE_MATCH,
					    m->arg);
		else
			continue;
		if (n < 0)
			return n;
		m->arg = (u32)n;
	}
	if (to == XT2_NONE && !script_has_instance(r))
		return 0;
	n = to == XT2_NONE ? script_instance(rs, XT2_INSTANCE_TARGET, XT2_TARGET_ARG(r->target))
			   : xt2_chain_find(rs, table, script_name(to));
	if (n >= 0)
		r->target = XT2_TARGET(XT2_TARGET_KIND(r->target), (u32)n);
	else if (to != XT2_NONE)
		r->target = XT2_TARGET(XT2_T_CONTINUE, 0);
	return to == XT2_NONE && n < 0 ? n : 0;
}

/* The other way. */
static inline void script_neutral(const struct xt2_ruleset *rs, const struct xt2_rule *from,
				  struct seed_rule *to)
{
	struct xt2_rule *r = seed_rule(to);
	const u32 chain = xt2_rule_jumps(from);
	struct xt2_match *m;
	u32 arg;

	memcpy(r, from, from->size);
	xt2_rule_for_each_match(m, r)
		if (xt2_match_info(m->type) & XT2_EXT_INSTANCE)
			m->arg = script_text_of(rs, m->arg);
	arg = XT2_TARGET_ARG(r->target);
	if (chain != XT2_NONE)
		arg = (u32)script_number(xt2_chain_name(rs, (int)chain));
	else if (script_has_instance(r))
		arg = script_text_of(rs, arg);
	r->target = XT2_TARGET(XT2_TARGET_KIND(r->target), arg);
}

/* Without data of a target, and with room. */
static inline bool script_takes_more(const struct xt2_rule *r)
{
	return r->size == r->target_offset && r->size < SEED_RULE_SIZE - 64;
}

static inline void script_draw_rule(struct script *s, struct script_edit *e)
{
	struct world *w = &s->w;
	const u8 family = script_table[e->table].family;
	const u32 cell = world_below(w, 3);

	w->family = family == XT2_IPV6 ? XT2_IPV6 : XT2_IPV4;
	w->jumps = world_often(w, 60);
	w->rule.first =
		!s->n || s->calm || world_often(w, 97) ? (u32)(e->chain < 0 ? 0 : e->chain + 1) : 0;
	w->rule.last = SCRIPT_NAMES;
	world_rule(w);
	if (family == XT2_ARP || family == XT2_BRIDGE) {
		const u32 target = seed_rule(&w->rule)->target;

		w->rule.family = family;
		seed_rule_begin(&w->rule, XT2_T_CONTINUE, 0);
		if (family == XT2_ARP)
			seed_base(&w->rule, &w->state);
		if (XT2_TARGET_KIND(target) <= XT2_T_RETURN ||
		    XT2_TARGET_KIND(target) == XT2_T_JUMP)
			seed_rule(&w->rule)->target = target;
	}
	if (script_takes_more(seed_rule(&w->rule)) && !s->calm) {
		if (world_often(w, 15))
			seed_match(&w->rule, XT2_M_COMMENT, 0, world_below(w, 4), NULL, 0);
		if (world_often(w, 4))
			seed_match(&w->rule, XT2_M_FOREIGN, 0, world_below(w, 4), NULL, 0);
		if (world_often(w, 8))
			seed_match(&w->rule, XT2_M_QUOTA, 0, 0, &(u64){ 1000 + cell }, 8);
		if (world_often(w, 3))
			seed_rule(&w->rule)->target = XT2_TARGET(XT2_T_FOREIGN, world_below(w, 4));
		if (e->table == 1 && world_often(w, 10))
			seed_rule(&w->rule)->target = XT2_TARGET(XT2_T_NAT, world_below(w, 4));
	}
	e->rule = w->rule;
	seed_rule(&e->rule)->packets = world_below(w, 3) * world_below(w, 1000);
	seed_rule(&e->rule)->bytes = world_below(w, 100000);
	e->line = world_often(w, 60) ? world_below(w, 1000) : 0;
}

/* --- doing ----------------------------------------------------------------- */

static inline int script_chain_of(const struct xt2_ruleset *rs, int table, int chain)
{
	if (chain < 0)
		return xt2_chain_base(rs, table, -1 - chain);
	return xt2_chain_find(rs, table, script_name((u32)chain));
}

static inline s64 script_mix(s64 sum, u64 more)
{
	return (s64)(((u64)sum * 31 + more) & INT64_MAX);
}

/* => what a rule says that needs no numbers */
static inline s64 script_read_rule(const struct xt2_ruleset *rs, int chain, u32 at)
{
	const struct xt2_rule *r = xt2_rule_get(rs, chain, at);

	if (!r)
		return -ENOENT;
	return script_mix(script_mix(script_mix(r->size, r->packets), r->bytes),
			  xt2_rule_line(rs, chain, at));
}

static inline s64 script_list(const struct xt2_ruleset *rs, int table)
{
	const char *name;
	s64 sum = 0;
	int c;

	xt2_table_for_each_chain(c, rs, table) {
		for (name = xt2_chain_name(rs, c); *name; name++)
			sum = script_mix(sum, (u64)*name);
		sum = script_mix(sum, (u64)xt2_chain_references(rs, c));
		sum = script_mix(sum, xt2_chain_rules(rs, c));
	}
	return sum;
}

static inline s64 script_digest(const struct xt2_ruleset *rs)
{
	u64 digest[XT2_DIGEST_SIZE / 8];
	const int ret = xt2_ruleset_digest(rs, (u8 *)digest);

	return ret ? ret : (s64)(digest[0] & INT64_MAX);
}

/* An edit with a rule.  => answer */
static inline s64 script_do_rule(struct xt2_ruleset *rs, const struct script_edit *e, int table,
				 int chain)
{
	struct seed_rule copy = e->rule;
	const struct xt2_rule *r = seed_rule(&copy);
	int ret = script_localize(rs, table, seed_rule(&copy));

	if (ret < 0)
		return ret;
	switch (e->kind) {
	case SCRIPT_INSERT: return xt2_rule_insert(rs, chain, e->at, r, e->line);
	case SCRIPT_APPEND: return xt2_rule_append(rs, chain, r, e->line);
	case SCRIPT_REPLACE: return xt2_rule_replace(rs, chain, e->at, r, e->line);
	default: break;
	}
	ret = xt2_rule_find(rs, chain, r);
	if (ret < 0 || e->kind == SCRIPT_FIND)
		return ret;
	return xt2_rule_delete(rs, chain, (u32)ret) ? -EIO : ret;
}

static inline s64 script_do_chain(struct xt2_ruleset *rs, const struct script_edit *e, int table,
				  int chain)
{
	switch (e->kind) {
	case SCRIPT_DELETE: return xt2_rule_delete(rs, chain, e->at);
	case SCRIPT_COUNTERS: return xt2_rule_set_counters(rs, chain, e->at, e->packets, e->bytes);
	case SCRIPT_FLUSH: return xt2_chain_flush(rs, chain);
	case SCRIPT_POLICY: return xt2_chain_set_policy(rs, chain, (int)e->other);
	case SCRIPT_POLICY_COUNTERS: return xt2_chain_set_counters(rs, chain, e->packets, e->bytes);
	case SCRIPT_CHAIN_ADD:
		chain = xt2_chain_add(rs, table, script_name(e->other));
		return chain < 0 ? chain : 0;
	case SCRIPT_CHAIN_RENAME: return xt2_chain_rename(rs, chain, script_name(e->other));
	case SCRIPT_CHAIN_DELETE: return xt2_chain_delete(rs, chain);
	case SCRIPT_READ: return script_read_rule(rs, chain, e->at);
	default: return script_do_rule(rs, e, table, chain);
	}
}

/* => the ruleset's answer: 0, a number or a sum; -errno */
static inline s64 script_do(struct xt2_ruleset *rs, const struct script_edit *e)
{
	const struct script_table *t = &script_table[e->table];
	const int table = xt2_table_find(rs, t->family, t->name);

	switch (e->kind) {
	case SCRIPT_TABLE_ADD:
		return xt2_table_add(rs, t->family, t->name, e->other ? "new.rules" : NULL) < 0;
	case SCRIPT_TABLE_RESET: return xt2_table_reset(rs, table, "other.rules");
	case SCRIPT_LIST: return script_list(rs, table);
	case SCRIPT_DIGEST: return script_digest(rs);
	default: return script_do_chain(rs, e, table, script_chain_of(rs, table, e->chain));
	}
}

/* --- drawing --------------------------------------------------------------- */

static inline enum script_kind script_draw_kind(struct script *s)
{
	u32 i, sum = 0, n;

	for (i = 0; i < SCRIPT_KINDS; i++)
		sum += script_weight[i];
	n = world_below(&s->w, sum);
	for (i = 0; n >= script_weight[i]; i++)
		n -= script_weight[i];
	return (enum script_kind)i;
}

static inline bool script_is_calm(enum script_kind kind)
{
	return kind <= SCRIPT_COUNTERS || kind == SCRIPT_POLICY || kind == SCRIPT_POLICY_COUNTERS ||
	       kind == SCRIPT_READ;
}

/* A table and a chain that are there, mostly those of the last edit. */
static inline void script_draw_chain(struct script *s, const struct xt2_ruleset *rs)
{
	struct world *w = &s->w;
	const struct script_table *t;
	int table, chain;
	u32 n;

	if (world_often(w, 70))
		return;
	do {
		s->table = world_below(w, SCRIPT_TABLES);
		t = &script_table[s->table];
		table = xt2_table_find(rs, t->family, t->name);
	} while (table < 0);
	n = world_below(w, SCRIPT_NAMES);
	chain = xt2_chain_next(rs, table, -1);
	while (n-- && xt2_chain_next(rs, table, chain) >= 0)
		chain = xt2_chain_next(rs, table, chain);
	s->chain = xt2_chain_hook(rs, chain) >= 0 ? -1 - xt2_chain_hook(rs, chain)
						  : script_number(xt2_chain_name(rs, chain));
	s->place = world_below(w, xt2_chain_rules(rs, chain) + 1);
}

/* A rule that is there, if there is one, for some of the edits that need one. */
static inline void script_draw_there(struct script *s, const struct xt2_ruleset *rs,
				     struct script_edit *e, int chain)
{
	const struct xt2_rule *r = xt2_rule_get(rs, chain, e->at);
	const struct xt2_match *m;

	if (r && s->calm)
		xt2_rule_for_each_match(m, r)
			if (xt2_match_info(m->type) & XT2_EXT_CELL)
				return;
	if ((e->kind == SCRIPT_FIND || e->kind == SCRIPT_FIND_DELETE) && r &&
	    world_often(&s->w, 90))
		script_neutral(rs, r, &e->rule);
	if (e->kind == SCRIPT_APPEND && r && world_often(&s->w, 15))
		script_neutral(rs, r, &e->rule);
}

/* Draw an edit, and do it. */
static inline void script_step(struct script *s, struct xt2_ruleset *rs)
{
	static const u8 policies[] = { XT2_T_ACCEPT, XT2_T_DROP, XT2_T_RETURN };
	struct script_edit *e = &s->edit[s->n++];
	struct world *w = &s->w;
	int chain;
	u32 n;

	script_draw_chain(s, rs);
	do
		e->kind = script_draw_kind(s);
	while (s->calm && !script_is_calm(e->kind));
	e->table = e->kind == SCRIPT_TABLE_ADD ? world_below(w, SCRIPT_TABLES) : s->table;
	e->chain = s->chain;
	chain = script_chain_of(
		rs, xt2_table_find(rs, script_table[s->table].family, script_table[s->table].name),
		s->chain);
	n = xt2_chain_rules(rs, chain);
	if (s->calm && n > 120 && (e->kind == SCRIPT_INSERT || e->kind == SCRIPT_APPEND))
		e->kind = SCRIPT_DELETE; /* no more and more rules */
	if (world_often(w, 40))
		s->place = world_below(w, n + 1);
	e->at = s->place > n ? n : s->place;
	e->packets = world_below(w, 3) * world_below(w, 1000);
	e->bytes = world_below(w, 1000);
	script_draw_rule(s, e);
	script_draw_there(s, rs, e, chain);
	e->other = world_below(w, SCRIPT_NAMES);
	if (e->kind == SCRIPT_POLICY)
		e->other = policies[world_below(w, XT2_ARRAY_SIZE(policies))];
	e->answer = script_do(rs, e);
}

/* Many rules that are equal, so that they are a rule group, or not. */
static inline void script_fill(struct script *s, struct xt2_ruleset *rs, u32 n)
{
	struct script_edit *e = &s->edit[0];
	u32 again = 0;

	*e = (struct script_edit){ .kind = SCRIPT_APPEND, .table = s->table, .chain = s->chain };
	while (n--) {
		if (!again || !--again)
			script_draw_rule(s, e);
		if (!again && world_often(&s->w, 2)) {
			again = 2 + world_below(&s->w, world_often(&s->w, 70) ? 12 : 150);
			seed_rule(&e->rule)->size = seed_rule(&e->rule)->target_offset;
			seed_rule(&e->rule)->target = XT2_T_CONTINUE;
		}
		script_do(rs, e);
	}
}

#endif
