/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table-copy.c - a table of one ruleset in another
 *
 * Chains, instances and cells get the numbers that are free there.
 */
#include "config.h"
#include "renumber.h"
#include "libxt2/change/owners.h"
#include "table-copy.h"

#include <stdio.h>
#include <stdlib.h>

struct copy {
	struct xt2_ruleset *to;
	const struct xt2_ruleset *from;
	int table; /* of to */
	u32 *chain; /* by chain of from */
	u32 *instance; /* likewise; XT2_NONE: not there yet */
	u64 *rule; /* room for one */
};

static int copy_instance(void *data, u32 *number)
{
	struct copy *c = data;
	const struct xt2_instance *in = xt2_instance_at_(c->from, *number);
	u32 *known = &c->instance[*number];
	int ret;

	if (*known == XT2_NONE) {
		ret = xt2_instance_put_(c->to, &c->to->payloads, in->kind, in->revision, in->name,
					xt2_instance_data(in), in->size);
		if (ret < 0)
			return ret;
		*known = (u32)ret;
	}
	*number = *known;
	return 0;
}

static int copy_cell(void *data, const struct xt2_match *m, u32 *number)
{
	struct copy *c = data;
	int cell =
		xt2_cells_copy_(c->to, c->to->table[c->table].family, m, c->from->cell + *number);

	if (cell < 0)
		return cell;
	*number = (u32)cell;
	return 0;
}

static int copied_chain(void *data, u32 *number)
{
	const struct copy *c = data;

	*number = c->chain[*number];
	return 0;
}

static int copy_rules(struct copy *c, int chain)
{
	struct xt2_list_walk w = xt2_list_walk(&c->from->chain[chain].rules);
	const struct xt2_renumber_ by = { copy_cell, copy_instance, copied_chain, c };
	struct xt2_rule *r = (struct xt2_rule *)c->rule;
	const struct xt2_rule *old;
	int ret = 0;

	while (!ret && (old = xt2_list_next(&w))) {
		memcpy(r, old, old->size);
		ret = xt2_rule_renumber_(r, &by);
		if (!ret)
			ret = xt2_rule_append(c->to, (int)c->chain[chain], r,
					      xt2_list_walk_line(&w));
	}
	return ret;
}

/* A chain without its rules. */
static int copy_chain(struct copy *c, int chain)
{
	const struct xt2_chain_ *old = &c->from->chain[chain];
	struct xt2_chain_ *now;
	int ret = old->hook == XT2_HOOK_NONE ? xt2_chain_add(c->to, c->table, old->name)
					     : xt2_chain_base(c->to, c->table, old->hook);

	if (ret < 0)
		return ret;
	c->chain[chain] = (u32)ret;
	now = &c->to->chain[ret];
	now->policy = old->policy;
	now->packets = old->packets;
	now->bytes = old->bytes;
	return 0;
}

static int copy_table(struct copy *c, int table)
{
	const struct xt2_ruleset *from = c->from;
	int chain, ret = 0;

	for (chain = -1; !ret && (chain = xt2_chain_next(from, table, chain)) >= 0;)
		ret = copy_chain(c, chain);
	for (chain = -1; !ret && (chain = xt2_chain_next(from, table, chain)) >= 0;)
		ret = copy_rules(c, chain);
	return ret;
}

int xt2_table_fill(struct xt2_ruleset *to, int to_table, const struct xt2_ruleset *from, int table)
{
	const struct xt2_table_ *t = &from->table[table];
	struct copy c = { .to = to, .from = from, .table = to_table };
	int ret = xt2_ruleset_complete_(from);

	if (ret)
		return ret;
	to->table[to_table].as_came = t->as_came;
	memcpy(to->table[to_table].priority, t->priority, sizeof(t->priority));
	c.chain = malloc((from->chains + 1ull) * sizeof(*c.chain));
	c.instance = malloc((from->instances + 1ull) * sizeof(*c.instance));
	c.rule = malloc(XT2_RULE_MAX);
	ret = -ENOMEM;
	if (c.chain && c.instance && c.rule) {
		memset(c.instance, 0xff, from->instances * sizeof(*c.instance));
		ret = copy_table(&c, table);
	}
	free(c.chain);
	free(c.instance);
	free(c.rule);
	return ret < 0 ? ret : 0;
}

int xt2_table_copy(struct xt2_ruleset *to, const struct xt2_ruleset *from, int table)
{
	const struct xt2_table_ *t = &from->table[table];
	int ret = xt2_table_add(to, t->family, t->name, t->source);

	return ret < 0 ? ret : xt2_table_fill(to, ret, from, table);
}

/* A chain of from is to be that of to.  => 0; -E2BIG */
static int carry(struct xt2_ruleset *to, int table, const struct xt2_ruleset *from, int chain,
		 bool changed)
{
	const char *owner = xt2_chain_owner(from, chain), *name = xt2_chain_name(from, chain);
	struct xt2_chain_ *now = xt2_chain_get_(to, xt2_chain_find(to, table, name));
	struct xt2_chain_ was = { .table = (u32)table };

	if (owner)
		was.owner = xt2_owner_number(to->owners, owner);
	if (owner && !was.owner)
		return -E2BIG;
	snprintf(was.name, sizeof(was.name), "%s", name);
	if (changed)
		xt2_chain_touch_(to, &was);
	if (now && now->hook == XT2_HOOK_NONE && (owner || !changed))
		now->owner = was.owner;
	return 0;
}

int xt2_owners_carry(struct xt2_ruleset *to, const struct xt2_ruleset *from, const bool *changed)
{
	int table, chain, ret = 0;

	if (!to->owners)
		to->owners = calloc(1, sizeof(*to->owners));
	if (!to->owners)
		return -ENOMEM;
	for (table = 0; table < xt2_ruleset_tables(from); table++)
		for (chain = -1; !ret && (chain = xt2_chain_next(from, table, chain)) >= 0;)
			if (xt2_chain_hook(from, chain) < 0)
				ret = carry(to, table, from, chain, changed[table]);
	return ret;
}

/* => 0; -E2BIG */
static int keep(struct xt2_ruleset *to, int table, const struct xt2_ruleset *from, int chain)
{
	const char *owner = xt2_chain_owner(from, chain), *name = xt2_chain_name(from, chain);
	struct xt2_chain_ *now = owner ? xt2_chain_get_(to, xt2_chain_find(to, table, name)) : NULL;
	u8 number;

	if (!now || now->hook != XT2_HOOK_NONE)
		return 0;
	number = xt2_owner_number(to->owners, owner);
	if (!number)
		return -E2BIG;
	now->owner = number;
	return 0;
}

int xt2_owners_keep(struct xt2_ruleset *to, const struct xt2_ruleset *from)
{
	int table, other, chain, ret = 0;

	if (!from->owners)
		return 0;
	if (!to->owners)
		to->owners = calloc(1, sizeof(*to->owners));
	if (!to->owners)
		return -ENOMEM;
	for (table = 0; table < xt2_ruleset_tables(from); table++) {
		other = xt2_table_find(to, xt2_table_family(from, table),
				       xt2_table_name(from, table));
		for (chain = -1; other >= 0 && !ret;) {
			chain = xt2_chain_next(from, table, chain);
			if (chain < 0)
				break;
			ret = keep(to, other, from, chain);
		}
	}
	return ret;
}
