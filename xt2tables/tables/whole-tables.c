/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-tables.c - tables that are restored as a whole, and of which only what differs is stored
 *
 * Of a text that is restored again and again little has changed since.  So it is read into tables
 * of its own, and these are compared with what is stored (libxt2/ruleset/table-difference.h).  A rule
 * stays only if it is on the same line of the same file as before, since messages tell lines; so a
 * line more in the middle has the whole of it stored, as does a text that is another one.
 */
#include <errno.h>
#include <string.h>
#include "libxt2/err.h"
#include "libxt2/ruleset/inplace.h"
#include "libxt2/ruleset/table-copy.h"
#include "libxt2/ruleset/table-difference.h"
#include "whole-tables.h"

/* Policies last until a text changes them. */
static int add_table(struct xt2_ruleset *rs, const struct xt2_ruleset *base, int table)
{
	int to = xt2_table_add(rs, xt2_table_family(base, table), xt2_table_name(base, table),
			       xt2_table_source(base, table));
	int hook, policy, ret = to < 0 ? to : 0;

	for (hook = 0; !ret && hook < XT2_HOOKS_MAX; hook++) {
		policy = xt2_chain_policy(base, xt2_chain_base(base, table, hook));
		if (policy >= 0)
			ret = xt2_chain_set_policy(rs, xt2_chain_base(rs, to, hook), policy);
	}
	if (!ret)
		memcpy(rs->table[to].priority, base->table[table].priority,
		       sizeof(rs->table[to].priority));
	return ret;
}

int xt2_whole_begin(struct xt2_store *store, struct xt2_ruleset **base, struct xt2_ruleset **rs,
		    struct xt2_err *err)
{
	int table, ret = xt2_store_edit(store, base, err);

	if (ret)
		return ret == -ENOENT ? 1 : ret;
	*rs = xt2_ruleset_new();
	ret = *rs ? 0 : -ENOMEM;
	for (table = 0; !ret && table < xt2_ruleset_tables(*base); table++)
		ret = add_table(*rs, *base, table);
	if (!ret) {
		(*rs)->generation = (*base)->generation;
		return 0;
	}
	xt2_ruleset_free(*rs);
	xt2_ruleset_free(*base);
	xt2_store_end_edit(store);
	*rs = *base = NULL;
	return xt2_err_no_memory(err, " for the ruleset");
}

/* => 0; 1: too much differs; -errno */
static int edit(struct xt2_store *store, struct xt2_ruleset *base, const struct xt2_ruleset *rs,
		const bool *changed, bool force, struct xt2_err *err)
{
	const struct xt2_difference_options all = { .counters = true,
						    .state = true,
						    .lines = true };
	int table, ret = 0;

	for (table = 0; !ret && table < xt2_ruleset_tables(rs); table++)
		if (changed[table])
			ret = xt2_table_difference(base, rs, table, &all);
	if (ret == -ENOSPC)
		return 1;
	if (ret < 0)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret, "cannot change the ruleset: %s",
				   strerror(-ret));
	if (!ret && !force && xt2_ruleset_trespass(base))
		return -ECANCELED;
	return ret ? ret : xt2_store_commit_edit(store, base, NULL, err);
}

int xt2_whole_commit(struct xt2_store *store, struct xt2_ruleset *base, struct xt2_ruleset *rs,
		     const bool *changed, bool force, struct xt2_err *err)
{
	int table, ret = edit(store, base, rs, changed, force, err);

	if (ret <= 0)
		return ret;
	if (xt2_inplace_abort(base))
		return xt2_err_no_memory(err, " for the ruleset");
	for (table = 0; ret > 0 && table < xt2_ruleset_tables(base); table++)
		if (!changed[table] && xt2_table_fill(rs, table, base, table))
			ret = xt2_err_no_memory(err, " for the ruleset");
	if (ret > 0 && xt2_owners_carry(rs, base, changed))
		ret = xt2_err_set(err, XT2_E_LIMIT, E2BIG, "the chains have too many owners");
	return ret;
}
