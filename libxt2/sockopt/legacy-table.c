/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-table.c - a table from the kernel's binary format
 *
 * The blob is checked as a whole by the translators, so its rules are trusted
 * and go straight into memory of their own: the table's new chains are built
 * beside the old ones, and only when nothing can fail any more they take their
 * place.  Every rule is touched once.
 */
#include "config.h"
#include "libxt2/err.h"
#include "legacy-sets.h"
#include "legacy-table.h"

#include <stdlib.h>

struct reader {
	struct xt2_ruleset *rs;
	struct xt2_err *err;
	u32 table;
	bool added; /* the table did not exist */
	bool keep; /* the counters of the blob */
	bool for_module; /* see xt2_table_read_for_module_() */
	bool sorted; /* user chains so far, by name */
	u64 came; /* new chains came at this time or later */
	u32 instances, cells; /* that there were */
	struct xt2_arena_ rules, payloads;
	struct xt2_asked_sets_ sets;
	struct xt2_chain_ base[XT2_HOOKS_MAX]; /* new rules, tail and references */
	u32 *number; /* of the ruleset's chains, by the blob's */
	u32 put; /* chains of the blob that have theirs */
	void *scratch;
	struct xt2_legacy l;
	struct xt2_legacy_sink sink;
};

/* --- errors ------------------------------------------------------------ */

static int code_of(int ret)
{
	switch (ret) {
	case -ENOENT: return XT2_E_UNKNOWN;
	case -ELOOP: return XT2_E_LOOP;
	case -ENOMEM: return XT2_E_LIMIT; /* of the blob's numbers; none is allocated for it */
	case -EAGAIN: return XT2_E_SYSTEM;
	}
	return XT2_E_BLOB;
}

static int refuse(const struct reader *r, int ret, const struct xt2_legacy_err *e)
{
	const char *field = e->field ? e->field : "";
	const char *colon = e->field ? ": " : "";
	char entry[48] = "header";

	if (!e->what)
		return xt2_err_set(r->err, code_of(ret), -ret, "%s", strerror(-ret));
	if (e->entry)
		snprintf(entry, sizeof(entry), "entry %u", e->entry);
	xt2_err_set(r->err, code_of(ret), -ret, "%s, byte %u: %s%s%s", entry, e->offset, field,
		    colon, e->what);
	if (e->stricter)
		xt2_err_hint(r->err, "the kernel would take this table; xt2 cannot represent it");
	return ret;
}

static int no_memory(const struct reader *r)
{
	return xt2_err_no_memory(r->err, " for the table");
}

/* --- the translators' questions ---------------------------------------- */

static int new_instance(void *data, u8 kind, u8 revision, const char *name, const void *payload,
			u32 size)
{
	struct reader *r = data;
	int ret = xt2_sets_read_(&r->sets, kind, revision, name, &payload, &size);

	return ret < 0 ? ret
		       : xt2_instance_put_(r->rs, &r->payloads, kind, revision, name, payload,
					   size);
}

static int new_cell(void *data, u8 family, const struct xt2_match *m)
{
	return xt2_cells_add(((struct reader *)data)->rs, family, m);
}

/* --- chains ------------------------------------------------------------ */

/* The names of user chains: no two of them, and none like a base chain's. */
static int name_check(struct reader *r, const char *name, const char *last)
{
	u32 same = xt2_chain_named_(r->rs, r->table, name);
	const struct xt2_chain_ *c = same == XT2_NONE ? NULL : &r->rs->chain[same];

	if (last && strcmp(last, name) > 0)
		r->sorted = false;
	if (!c || (c->hook == XT2_HOOK_NONE && c->came < r->came))
		return 0;
	xt2_err_set(r->err, XT2_E_BLOB, EINVAL, "two chains are called %s", name);
	xt2_err_hint(r->err, "the kernel would take this table; xt2 cannot represent it");
	return -EINVAL;
}

/* Every chain of the blob gets a number; user chains come into being. */
static int chains_put(struct reader *r)
{
	struct xt2_ruleset *rs = r->rs;
	const char *last = NULL;
	struct xt2_legacy_chain c;

	r->came = rs->came;
	r->number = calloc(r->l.chains + 1, sizeof(*r->number));
	if (!r->number || xt2_chains_reserve_(rs, r->l.chains))
		return no_memory(r);
	for (; r->put < r->l.chains; r->put++) {
		xt2_legacy_chain(&r->l, r->put, &c);
		if (c.hook != XT2_HOOK_NONE) {
			r->number[r->put] = rs->table[r->table].base[c.hook];
			continue;
		}
		if (name_check(r, c.name, last))
			return -EINVAL;
		r->number[r->put] = xt2_chain_put_(rs, XT2_NONE, r->table, XT2_HOOK_NONE, c.name);
		last = rs->chain[r->number[r->put]].name;
	}
	return 0;
}

/* --- rules ------------------------------------------------------------- */

/* => where the new contents of a chain are collected, by the ruleset's number */
static struct xt2_chain_ *collected(struct reader *r, u32 number)
{
	struct xt2_chain_ *c = &r->rs->chain[number];

	return c->hook == XT2_HOOK_NONE ? c : &r->base[c->hook];
}

static int rule_add(struct reader *r, struct xt2_rule_list *l, const struct xt2_rule *rule)
{
	struct xt2_rule *copy = xt2_rule_copy_(&r->rules, rule);

	if (!copy)
		return -ENOMEM;
	if (!r->keep)
		copy->packets = copy->bytes = 0;
	xt2_list_insert_(l, l->n, copy, 0);
	if (xt2_rule_jumps(copy) != XT2_NONE)
		collected(r, xt2_rule_jumps(copy))->references++;
	return 0;
}

static int rule_refuse(const struct reader *r, const struct xt2_legacy_chain *c, u32 rule, int ret)
{
	const char *name = c->hook == XT2_HOOK_NONE ? c->name : xt2_hook_name(r->l.family, c->hook);

	if (ret == -ENOMEM)
		return no_memory(r);
	if (r->sets.error) {
		xt2_err_set(r->err, XT2_E_UNSUPPORTED, -ret, "table %s, chain %s, rule %u: %s",
			    r->l.table, name, rule, r->sets.why);
		xt2_err_hint(r->err, r->sets.hint);
		return ret;
	}
	if (ret != -E2BIG)
		return xt2_err_set(r->err, XT2_E_BLOB, -ret, "chain %s, rule %u: %s", name, rule,
				   strerror(-ret));
	return xt2_err_set(r->err, XT2_E_LIMIT, EINVAL,
			   "chain %s, rule %u: larger than an image can hold", name, rule);
}

static int chain_read(struct reader *r, u32 number)
{
	const struct xt2_rule *rule = (const struct xt2_rule *)r->sink.rule;
	struct xt2_chain_ *to = collected(r, r->number[number]);
	struct xt2_legacy_chain c;
	u32 i;
	int ret;

	xt2_legacy_chain(&r->l, number, &c);
	if (xt2_list_reserve_(&to->rules, c.rules - 1))
		return no_memory(r);
	for (i = 1; i <= c.rules; i++) {
		ret = xt2_legacy_rule(&r->l, &c, &r->sink);
		if (ret > 0 && i < c.rules)
			ret = rule_add(r, &to->rules, rule);
		if (ret < 0)
			return rule_refuse(r, &c, i, ret);
	}
	to->policy = XT2_TARGET_KIND(rule->target);
	to->packets = r->keep ? rule->packets : 0;
	to->bytes = r->keep ? rule->bytes : 0;
	return 0;
}

static int rules_read(struct reader *r)
{
	u32 i;
	int ret = 0;

	r->sink.instance = new_instance;
	r->sink.cell = new_cell;
	r->sink.data = r;
	r->sink.chain = r->number;
	for (i = 0; !ret && i < r->l.chains; i++)
		ret = chain_read(r, i);
	return ret;
}

/* --- all or nothing ---------------------------------------------------- */

/* The old chains go, the new ones take their place. */
static void commit(struct reader *r)
{
	struct xt2_ruleset *rs = r->rs;
	struct xt2_table_ *t = &rs->table[r->table];
	const struct xt2_chain_ *fresh;
	u32 i;

	for (i = 0; i < rs->chains; i++) {
		struct xt2_chain_ *c = &rs->chain[i];

		if (!c->live || c->table != r->table || c->came >= r->came)
			continue;
		xt2_rules_drop_(rs, &c->rules);
		if (c->hook == XT2_HOOK_NONE) {
			xt2_chain_remove_(rs, i);
			continue;
		}
		fresh = &r->base[c->hook];
		c->rules = fresh->rules;
		c->policy = fresh->policy;
		c->packets = fresh->packets;
		c->bytes = fresh->bytes;
		c->references = fresh->references;
	}
	t->as_came = !r->sorted;
	rs->order->sorted = false;
	free(t->source);
	t->source = NULL;
	xt2_arena_join_(&rs->rules, &r->rules);
	xt2_arena_join_(&rs->payloads, &r->payloads);
	xt2_rules_compact_(rs);
}

static void undo(struct reader *r)
{
	struct xt2_ruleset *rs = r->rs;
	int hook;

	while (r->put-- > 0) {
		struct xt2_chain_ *c = &rs->chain[r->number[r->put]];

		if (c->hook != XT2_HOOK_NONE)
			continue;
		xt2_list_free_(&c->rules);
		xt2_chain_remove_(rs, r->number[r->put]);
	}
	for (hook = 0; hook < XT2_HOOKS_MAX; hook++)
		xt2_list_free_(&r->base[hook].rules);
	xt2_arena_free_(&r->rules);
	xt2_arena_free_(&r->payloads);
	rs->instances = r->instances;
	rs->cells = r->cells;
	xt2_memories_forget_(rs);
	if (r->added)
		xt2_table_undo_(rs);
}

/* The blob's own faults, then what it says about the table that it replaces. */
static int check(struct reader *r, int family, int compat, const void *blob, u64 len)
{
	struct xt2_legacy_err e = { 0 };
	u64 scratch = xt2_legacy_scratch((u8)family, compat, len);
	u32 hooks, entries;
	int table, ret;

	if (!scratch)
		return xt2_err_set(r->err, XT2_E_UNKNOWN, EAFNOSUPPORT, "no such family");
	r->scratch = xt2_alloc_large_(scratch);
	if (!r->scratch)
		return no_memory(r);
	ret = xt2_legacy_check(&r->l, (u8)family, compat, blob, len, r->scratch, &e);
	if (ret)
		return refuse(r, ret, &e);
	r->l.for_module = r->for_module;
	hooks = xt2_table_hooks(family, r->l.table);
	table = xt2_table_find(r->rs, family, r->l.table);
	entries = table < 0 ? xt2_entries_initial_(family, hooks)
			    : xt2_entries_count_(r->rs, table);
	ret = xt2_legacy_check_table(&r->l, hooks, r->keep ? r->l.num_counters : entries, &e);
	return ret ? refuse(r, ret, &e) : 0;
}

static int table_get(struct reader *r)
{
	int table = xt2_table_find(r->rs, r->l.family, r->l.table);

	if (table < 0) {
		table = xt2_table_add(r->rs, r->l.family, r->l.table, NULL);
		if (table < 0)
			return no_memory(r);
		r->added = true;
	}
	r->table = (u32)table;
	return 0;
}

static int old_counters(const struct reader *r, struct xt2_replaced_ *old)
{
	const u32 n = r->l.num_counters;

	old->count = calloc(n ? n : 1, sizeof(*old->count));
	if (!old->count)
		return no_memory(r);
	old->n = n;
	old->to = r->l.counters;
	if (n)
		xt2_entries_counters_(r->rs, (int)r->table, old->count);
	return 0;
}

static int replace(struct reader *r, struct xt2_replaced_ *old)
{
	struct xt2_replaced_ kept = { 0 };
	int ret = table_get(r);

	if (ret)
		return ret;
	ret = old ? old_counters(r, &kept) : 0;
	if (!ret)
		ret = chains_put(r);
	if (!ret)
		ret = rules_read(r);
	if (ret) {
		undo(r);
		free(kept.count);
		return ret;
	}
	commit(r);
	if (old)
		*old = kept;
	return (int)r->table;
}

static struct reader *reader_new(struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct reader *r = malloc(sizeof(*r));

	if (!r) {
		xt2_err_no_memory(err, " for the table");
		return NULL;
	}
	memset(r, 0, offsetof(struct reader, l));
	r->rs = rs;
	r->err = err;
	r->sorted = true;
	r->instances = rs->instances;
	r->cells = rs->cells;
	return r;
}

static int read_table(struct reader *r, int family, int compat, const void *blob, u64 len,
		      struct xt2_replaced_ *old)
{
	int ret = check(r, family, compat, blob, len);

	if (!ret)
		ret = replace(r, old);
	xt2_memories_forget_(r->rs); /* the blob's order is the kernel's */
	free(r->number);
	free(r->scratch);
	free(r);
	return ret;
}

int xt2_table_replace_(struct xt2_ruleset *rs, int family, int compat,
		       const struct xt2_sockopt_sets *sets, const void *blob, u64 len,
		       int keep_counters, struct xt2_replaced_ *old, struct xt2_err *err)
{
	struct reader *r = reader_new(rs, err);

	if (!r)
		return -ENOMEM;
	r->sets.host = sets;
	r->keep = keep_counters;
	return read_table(r, family, compat, blob, len, old);
}

int xt2_table_read_for_module_(struct xt2_ruleset *rs, int family, const void *blob, u64 len,
			       struct xt2_err *err)
{
	struct reader *r = reader_new(rs, err);

	if (!r)
		return -ENOMEM;
	r->keep = r->for_module = true;
	return read_table(r, family, 0, blob, len, NULL);
}

int xt2_table_read_replace(struct xt2_ruleset *rs, int family, int compat, const void *blob,
			   size_t len, int keep_counters, struct xt2_err *err)
{
	return xt2_table_replace_(rs, family, compat, NULL, blob, len, keep_counters, NULL, err);
}
