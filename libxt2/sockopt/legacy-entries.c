/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-entries.c - a table's entries: their number, counters and bytes
 *
 * What the kernel counts as an entry is more than rules: policies, and in ipt,
 * ip6t and arpt also the heads of user chains and the end of the table.
 * Everything here walks the chains in the order in which they are listed, so
 * numbers and counters fit the entries as they are written.
 */
#include "config.h"
#include "libxt2/err.h"
#include "legacy-entries.h"
#include "legacy-sets.h"
#include "translators/table/legacy-format.h"

#include <stdlib.h>

#define END_SCRATCH 4096 /* for the entry that xt2_legacy_write_end() adds */

/* Are there entries that are no rules? */
static bool has_more(int family)
{
	return family != XT2_BRIDGE;
}

#define for_each_chain(c, i, rs, table)                                              \
	for (i = xt2_chain_next(rs, table, -1); (c = xt2_chain_get_(rs, i)) != NULL; \
	     i = xt2_chain_next(rs, table, i))

u32 xt2_entries_initial_(int family, u32 hooks)
{
	return has_more(family) ? (u32)__builtin_popcount(hooks) + 1 : 0;
}

u32 xt2_entries_count_(const struct xt2_ruleset *rs, int table)
{
	const bool more = has_more(rs->table[table].family);
	const struct xt2_chain_ *c;
	u32 n = more ? 1 : 0;
	int i;

	for_each_chain(c, i, rs, table)
	{
		n += c->rules.n;
		if (more)
			n += c->hook == XT2_HOOK_NONE ? 2 : 1;
	}
	return n;
}

/* --- counters ---------------------------------------------------------- */

void xt2_entries_counters_(const struct xt2_ruleset *rs, int table, struct xt2_count_ *to)
{
	const bool more = has_more(rs->table[table].family);
	const struct xt2_chain_ *c;
	const struct xt2_rule *r;
	struct xt2_list_walk w;
	int i;

	for_each_chain(c, i, rs, table)
	{
		if (more && c->hook == XT2_HOOK_NONE)
			*to++ = (struct xt2_count_){ 0 };
		w = xt2_list_walk(&c->rules);
		while ((r = xt2_list_next(&w)))
			*to++ = (struct xt2_count_){ r->packets, r->bytes };
		if (more)
			*to++ = (struct xt2_count_){ c->packets, c->bytes };
	}
	if (more)
		*to = (struct xt2_count_){ 0 };
}

static bool is_zero(const struct xt2_count_ *count)
{
	return !count->packets && !count->bytes;
}

/* Rules of the image that will change get copies, which is all that can fail. */
static int rules_own(struct xt2_ruleset *rs, struct xt2_rule_list *l, const struct xt2_count_ *add)
{
	u32 j;

	for (j = 0; j < l->n; j++)
		if (!is_zero(&add[j]) && !xt2_list_own_(rs, l, j))
			return -ENOMEM;
	return 0;
}

static int rules_add(struct xt2_rule_list *l, const struct xt2_count_ *add)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	struct xt2_rule *r;
	int changed = 0;

	for (; (r = (struct xt2_rule *)xt2_list_next(&w)); add++) {
		if (is_zero(add))
			continue;
		r->packets += add->packets;
		r->bytes += add->bytes;
		changed = 1;
	}
	return changed;
}

static int tail_add(struct xt2_chain_ *c, const struct xt2_count_ *add)
{
	c->packets += add->packets;
	c->bytes += add->bytes;
	return !is_zero(add);
}

int xt2_entries_add_(struct xt2_ruleset *rs, int table, const struct xt2_count_ *add)
{
	const bool more = has_more(rs->table[table].family);
	const struct xt2_count_ *from = add;
	struct xt2_chain_ *c;
	int i, changed = 0;

	for_each_chain(c, i, rs, table)
	{
		from += more && c->hook == XT2_HOOK_NONE;
		if (rules_own(rs, &c->rules, from))
			return -ENOMEM;
		from += c->rules.n + more;
	}
	from = add;
	for_each_chain(c, i, rs, table)
	{
		from += more && c->hook == XT2_HOOK_NONE;
		changed |= rules_add(&c->rules, from);
		from += c->rules.n;
		if (more)
			changed |= tail_add(c, from++);
	}
	return changed;
}

/* --- bytes ------------------------------------------------------------- */

/* The ruleset that is written, and the source of names and numbers of its sets. */
struct source {
	const struct xt2_ruleset *rs;
	struct xt2_asked_sets_ sets;
};

static const struct xt2_instance *instance_get(void *data, u32 number)
{
	struct source *from = data;
	const struct xt2_instance *in = xt2_instance_get(from->rs, number);

	return in ? xt2_sets_write_(&from->sets, in) : NULL;
}

static int chain_write(const struct xt2_chain_ *c, u32 number, struct xt2_legacy_writer *w,
		       u32 *rule)
{
	const struct xt2_rule tail = xt2_chain_end_(c);
	int ret = xt2_legacy_write_chain(w, number, c->hook, c->name);
	struct xt2_list_walk walk = xt2_list_walk(&c->rules);
	const struct xt2_rule *r;

	while (!ret && (r = xt2_list_next(&walk))) {
		++*rule;
		ret = xt2_legacy_write_rule(w, r);
	}
	return ret ? ret : xt2_legacy_write_rule(w, &tail);
}

static int refuse(const struct source *from, int table, const struct xt2_chain_ *c, u32 rule,
		  const struct xt2_legacy_writer *w, struct xt2_err *err)
{
	const char *what = w->what ? w->what : strerror(-w->error);
	int code = w->error == -E2BIG ? XT2_E_LIMIT : XT2_E_UNSUPPORTED, error = w->error;
	char number[32] = "";

	if (from->sets.error) {
		what = from->sets.why;
		error = from->sets.error;
	}
	if (rule)
		snprintf(number, sizeof(number), ", rule %u", rule);
	xt2_err_set(err, code, -error, "table %s%s%s%s: %s", from->rs->table[table].name,
		    c ? ", chain " : "", c ? c->name : "", number, what);
	if (from->sets.error)
		xt2_err_hint(err, from->sets.hint);
	return error;
}

static int end_write(const struct source *from, int table, struct xt2_legacy_writer *w, u64 cap,
		     struct xt2_err *err)
{
	void *scratch = NULL;
	int ret;

	if (w->out && w->size <= cap) {
		scratch = xt2_alloc_large_(xt2_legacy_write_scratch(w) + END_SCRATCH);
		if (!scratch)
			return xt2_err_no_memory(err, " for the entries");
	}
	ret = xt2_legacy_write_end(w, scratch);
	free(scratch);
	return ret && ret != -ENOSPC ? refuse(from, table, NULL, 0, w, err) : ret;
}

/* The entries so far. */
static void said(const struct xt2_legacy_writer *w, struct xt2_entries_ *e)
{
	e->valid_hooks = w->valid_hooks;
	memcpy(e->hook_entry, w->hook_entry, sizeof(e->hook_entry));
	memcpy(e->underflow, w->underflow, sizeof(e->underflow));
	e->entries = w->entries;
	e->size = w->size;
}

static int table_write(struct source *from, int table, struct xt2_legacy_writer *w, u64 cap,
		       struct xt2_err *err)
{
	const struct xt2_ruleset *rs = from->rs;
	const struct xt2_chain_ *c;
	u32 rule = 0;
	int i, ret = 0;

	for_each_chain(c, i, rs, table)
	{
		rule = 0;
		ret = chain_write(c, (u32)i, w, &rule);
		if (ret)
			return refuse(from, table, c, rule, w, err);
	}
	return end_write(from, table, w, cap, err);
}

int xt2_entries_write_(const struct xt2_ruleset *rs, int table, int compat,
		       const struct xt2_sockopt_sets *sets, struct xt2_entries_ *e, void *out,
		       u64 cap, struct xt2_err *err)
{
	struct source from = { .rs = rs, .sets.host = sets };
	struct xt2_legacy_writer *w = malloc(sizeof(*w)); /* too large for a kernel's stack */
	u32 *place = malloc((rs->chains + 1) * sizeof(*place));
	int ret;

	if (!w || !place) {
		ret = xt2_err_no_memory(err, " for the entries");
		goto out;
	}
	ret = xt2_legacy_write_begin(w, (u8)rs->table[table].family, compat, out, cap, place,
				     rs->chains, instance_get, &from);
	if (ret)
		ret = xt2_err_set(err, XT2_E_UNKNOWN, -ret, "no such family");
	else
		ret = table_write(&from, table, w, cap, err);
	said(w, e);
out:
	free(place);
	free(w);
	return ret;
}

/* --- as a tool would send it ------------------------------------------- */

/* struct ipt_replace, ip6t_replace, arpt_replace; hook_entry is at 44 */
static u32 replace_header(int family, int compat)
{
	return 48 + 8 * XT2_ENTRIES_HOOKS(family) + (compat ? 4 : 8);
}

static void replace_fill(u8 *h, int family, const struct xt2_entries_ *e)
{
	const u32 hooks = XT2_ENTRIES_HOOKS(family);
	u32 i;

	for (i = 0; i < hooks; i++) {
		if (!(e->valid_hooks & 1u << i))
			continue;
		legacy_put32(h + 44 + 4 * i, e->hook_entry[i]);
		legacy_put32(h + 44 + 4 * (hooks + i), e->underflow[i]);
	}
	legacy_put32(h + 44 + 8 * hooks, xt2_entries_initial_(family, e->valid_hooks));
}

/* struct ebt_replace: pointers to the hooks' chains, relative to entries, which is 0 */
static u32 ebt_header(int compat)
{
	return compat ? 80 : 120;
}

static void ebt_fill(u8 *h, int compat, const struct xt2_entries_ *e)
{
	u32 i;

	for (i = 0; i < XT2_LEGACY_HOOKS; i++) {
		if (e->valid_hooks & 1u << i)
			legacy_put32(h + (compat ? 44 + 4 * i : 48 + 8 * i), e->hook_entry[i]);
	}
}

int xt2_table_write_replace(const struct xt2_ruleset *rs, int table, int compat,
			    const struct xt2_sockopt_sets *sets, void **blob, size_t *len,
			    struct xt2_err *err)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);
	struct xt2_entries_ e;
	u32 header;
	u8 *bytes;
	int ret;

	if (!t)
		return xt2_err_set(err, XT2_E_UNKNOWN, ENOENT, "no such table");
	ret = xt2_entries_write_(rs, table, compat, sets, &e, NULL, 0, err);
	if (ret != -ENOSPC)
		return ret;
	header = has_more(t->family) ? replace_header(t->family, compat) : ebt_header(compat);
	bytes = calloc(1, header + e.size);
	if (!bytes)
		return xt2_err_no_memory(err, " for the entries");
	ret = xt2_entries_write_(rs, table, compat, sets, &e, bytes + header, e.size, err);
	if (ret) {
		free(bytes);
		return ret;
	}
	memcpy(bytes, t->name, sizeof(t->name));
	legacy_put32(bytes + 32, e.valid_hooks);
	legacy_put32(bytes + 36, e.entries);
	legacy_put32(bytes + 40, (u32)e.size);
	if (has_more(t->family))
		replace_fill(bytes, t->family, &e);
	else
		ebt_fill(bytes, compat, &e);
	*blob = bytes;
	*len = header + e.size;
	return 0;
}
