/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook-rules.c - what the kernel checks when a table is complete
 *
 * From each hook all chains that a packet can get to are walked, as
 * mark_source_chains() of Linux does (libxt2/ruleset/jumps.h): jumps must not
 * make a loop, and an extension that is registered for some hooks must not be
 * reached from another.  Rules after an unconditional verdict are never
 * reached.  Chains that nothing reaches may loop.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hook-rules.h"
#include "engine/rule.h"
#include "libxt2/ruleset/jumps.h"
#include "translators/table/legacy-format.h"

struct spot { /* rules, one after the other, with an extension that is bound to hooks */
	const char *name;
	unsigned int hooks; /* where it is allowed */
	unsigned int rule, rules;
	bool reported;
};

struct node {
	struct spot *spot;
	u32 spots, room;
	bool reported; /* a loop through here was */
};

struct walk {
	const struct xt2_ruleset *rs;
	int table, family;
	struct node *node; /* by chain */
	struct xt2_jumps jumps; /* its arena also has the nodes' lists */
	int problems;
	unsigned int match_hooks[256], target_hooks[256]; /* where they are allowed, by kind */
	__u64 payload[512]; /* of an extension, in the legacy form */
	xt2_reach_report *report;
	void *data;
};

/* => bits of the hooks in which an extension is allowed; ~0: any */
static unsigned int hooks_of(int family, const char *name)
{
	const struct legacy_known *place = name ? legacy_known_named((u8)family, name) : NULL;

	return place && place->hooks ? place->hooks : ~0u;
}

static int spot_add(struct walk *w, struct node *n, const char *name, unsigned int hooks,
		    unsigned int rule)
{
	struct spot *last = n->spots ? &n->spot[n->spots - 1] : NULL;

	if (hooks == ~0u)
		return 0;
	if (last && last->rule + last->rules == rule && last->hooks == hooks &&
	    (last->name == name || !strcmp(last->name, name))) {
		last->rules++;
		return 0;
	}
	if (xt2_arena_grow(&w->jumps.lists, &n->spot, n->spots, &n->room, sizeof(*n->spot)))
		return -ENOMEM;
	n->spot[n->spots++] =
		(struct spot){ .name = name, .hooks = hooks, .rule = rule, .rules = 1 };
	return 0;
}

static int foreign_note(struct walk *w, struct node *n, unsigned int i, unsigned int at)
{
	const struct xt2_instance *in = xt2_instance_get(w->rs, i);

	if (!in)
		return 0;
	return spot_add(w, n, in->name,
			hooks_of(w->family, in->name) &
				~legacy_bad_hooks(in->name, xt2_instance_data(in)),
			at);
}

/* Matches whose hooks depend on their options are few: only they are unpacked. */
static int match_note(struct walk *w, struct node *n, const struct xt2_match *m, unsigned int at)
{
	unsigned int hooks = w->match_hooks[m->type];
	const struct xt2_row *row;

	if (m->type == XT2_M_FOREIGN)
		return foreign_note(w, n, m->arg, at);
	if ((m->type == XT2_M_DEVGROUP || m->type == XT2_M_PHYSDEV || m->type == XT2_M_ADDRTYPE) &&
	    xt2_match_unpack((__u8)w->family, m, &row, w->payload, sizeof(w->payload)) >= 0 &&
	    !(m->type == XT2_M_ADDRTYPE && !row->revision))
		hooks &= ~legacy_bad_hooks(row->name, w->payload);
	return spot_add(w, n, xt2_match_name(m->type), hooks, at);
}

static int target_note(struct walk *w, struct node *n, const struct xt2_rule *r, unsigned int at)
{
	unsigned int kind = XT2_TARGET_KIND(r->target), hooks = w->target_hooks[kind];
	const struct xt2_row *row;

	if (kind == XT2_T_FOREIGN || kind == XT2_T_NAT)
		return foreign_note(w, n, XT2_TARGET_ARG(r->target), at);
	if (kind == XT2_T_TCPMSS &&
	    xt2_target_unpack((__u8)w->family, r, &row, w->payload, sizeof(w->payload)) >= 0)
		hooks &= ~legacy_bad_hooks(row->name, w->payload);
	return spot_add(w, n, xt2_target_name((__u8)kind), hooks, at);
}

/* Where the extensions of one rule are allowed. */
static void hooks_know(struct walk *w, const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	const struct xt2_match *m;

	w->target_hooks[kind] = hooks_of(w->family, xt2_target_name(kind));
	xt2_rule_for_each_match(m, r)
		w->match_hooks[m->type] = hooks_of(w->family, xt2_match_name(m->type));
}

static int extensions_note(struct walk *w, struct node *n, const struct xt2_rule *r,
			   unsigned int at)
{
	const struct xt2_match *m;
	int ret = 0;

	xt2_rule_for_each_match(m, r)
		if (m->type >= XT2_M_TCP)
			ret |= match_note(w, n, m, at);
	if (XT2_TARGET_KIND(r->target) > XT2_T_QUEUE)
		ret |= target_note(w, n, r, at);
	return ret ? -ENOMEM : 0;
}

static int rule_note(struct walk *w, int chain, const struct xt2_rule *r, unsigned int at)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	int ret = extensions_note(w, &w->node[chain], r, at);

	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO)
		ret |= xt2_jumps_add(&w->jumps, (u32)chain, at, r);
	return ret ? -ENOMEM : 0;
}

static int chain_note(struct walk *w, int chain)
{
	struct xt2_list_walk rules = xt2_list_walk(xt2_chain_list(w->rs, chain));
	const struct xt2_rule *r;
	unsigned int at;

	for (at = 0; (r = xt2_list_next(&rules)); at++) {
		if (rule_note(w, chain, r, at))
			return -ENOMEM;
		if (xt2_rule_ends(r)) /* no later rule is ever reached */
			break;
	}
	return 0;
}

static void problem(struct walk *w, int chain, unsigned int rule, int code, const char *message,
		    const char *hint)
{
	w->problems++;
	w->report(w->data, chain, rule, code, message, hint);
}

static void loop_found(struct walk *w, int chain, const struct xt2_jump *jump)
{
	const char *from = xt2_chain_name(w->rs, chain);
	const char *to = xt2_chain_name(w->rs, (int)jump->to);
	char message[160], hint[160];

	if (w->node[jump->to].reported)
		return;
	w->node[jump->to].reported = true;
	snprintf(message, sizeof(message), "chains loop: %s leads back to %s", from, to);
	snprintf(hint, sizeof(hint), "take out this jump, or one on the way from %s to %s", to,
		 from);
	problem(w, chain, jump->rule, XT2_E_LOOP, message, hint);
}

static void hook_names(int family, unsigned int hooks, char *buf, size_t size)
{
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < XT2_HOOKS_MAX; i++)
		if (hooks & 1u << i && xt2_hook_name(family, (int)i))
			snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", *buf ? ", " : "",
				 xt2_hook_name(family, (int)i));
}

static void spots_check(struct walk *w, int chain, int hook)
{
	struct node *n = &w->node[chain];
	char names[96], message[224], hint[224];
	unsigned int i, j;

	for (i = 0; i < n->spots; i++) {
		struct spot *s = &n->spot[i];

		if (s->reported || s->hooks & 1u << hook)
			continue;
		s->reported = true;
		hook_names(w->family,
			   s->hooks & xt2_table_hooks(w->family, xt2_table_name(w->rs, w->table)),
			   names, sizeof(names));
		snprintf(message, sizeof(message), "%s cannot be used in a rule that %s reaches",
			 s->name, xt2_hook_name(w->family, hook));
		if (*names)
			snprintf(hint, sizeof(hint), "allowed from %s", names);
		else
			snprintf(hint, sizeof(hint), "no chain of table %s is allowed",
				 xt2_table_name(w->rs, w->table));
		for (j = 0; j < s->rules; j++)
			problem(w, chain, s->rule + j, XT2_E_TABLE, message, hint);
	}
}

static void hook_walk(struct walk *w, int base, int hook)
{
	const struct xt2_jump *jump;
	bool loop;
	u32 from;

	xt2_jumps_start(&w->jumps, (u32)base);
	spots_check(w, base, hook);
	while ((jump = xt2_jumps_next(&w->jumps, &from, &loop)) != NULL) {
		if (loop)
			loop_found(w, (int)from, jump);
		else
			spots_check(w, (int)jump->to, hook);
	}
}

static int walk_begin(struct walk *w)
{
	u32 chains = 0;
	int chain, i;

	for (i = 0; i < 256; i++) {
		w->match_hooks[i] = hooks_of(w->family, xt2_match_name((__u8)i));
		w->target_hooks[i] = hooks_of(w->family, xt2_target_name((__u8)i));
	}
	xt2_table_for_each_chain(chain, w->rs, w->table)
		if ((u32)chain >= chains)
			chains = (u32)chain + 1;
	w->node = calloc(chains + 1ull, sizeof(*w->node));
	if (xt2_jumps_begin(&w->jumps, chains) || !w->node)
		return -ENOMEM;
	xt2_table_for_each_chain(chain, w->rs, w->table)
		if (chain_note(w, chain))
			return -ENOMEM;
	return 0;
}

static void walk_end(struct walk *w)
{
	xt2_jumps_end(&w->jumps);
	free(w->node);
}

int xt2_reach_check(const struct xt2_ruleset *rs, int table, xt2_reach_report *report, void *data)
{
	struct walk w = {
		.rs = rs,
		.table = table,
		.family = xt2_table_family(rs, table),
		.report = report,
		.data = data,
	};
	int ret = walk_begin(&w), hook, base;

	for (hook = 0; !ret && hook < XT2_HOOKS_MAX; hook++) {
		base = xt2_chain_base(rs, table, hook);
		if (base >= 0)
			hook_walk(&w, base, hook);
	}
	walk_end(&w);
	return ret ? ret : w.problems;
}

bool xt2_reach_refuses(const struct xt2_ruleset *rs, int table, const struct xt2_rule *r,
		       unsigned int hooks)
{
	struct node node = { 0 };
	struct walk w = {
		.rs = rs,
		.table = table,
		.family = xt2_table_family(rs, table),
		.node = &node,
	};
	bool refuses;
	u32 i;

	hooks_know(&w, r);
	refuses = extensions_note(&w, &node, r, 0); /* no memory: look at all of the table */
	for (i = 0; i < node.spots; i++)
		refuses |= hooks & ~node.spot[i].hooks;
	xt2_jumps_end(&w.jumps);
	return refuses;
}
