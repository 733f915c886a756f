/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells.c - the state of matches in a ruleset: a cell each, or a memory that rules share
 *
 * Rules share a memory by its name, as in the kernel.  Which memories there are is found out
 * when the first one is asked for, by a look at all rules; then they are kept in a list.
 * A memory stays in it although its last rule has gone, until the ruleset is written.
 *
 * A memory does as the rule said that was the first to have it: recent's mask, hashlimit's rate.
 *
 * Source: net/netfilter/xt_recent.c recent_mt_check(), net/netfilter/xt_hashlimit.c htable_find_get()
 */
#include "config.h"
#include "extensions/state/memory.h"
#include "ruleset.h"

#include <stdint.h>
#include <stdlib.h>

struct memory {
	u32 first; /* cell */
	int family;
	bool added; /* by lines, one after the other: see xt2_memory_added_() */
	struct xt2_match *m; /* of one of its rules */
};

struct xt2_memories_ {
	u32 n;
	struct memory memory[XT2_MEMORIES_MAX];
};

static const char *name_of(const struct xt2_match *m)
{
	if (m->type == XT2_M_HASHLIMIT)
		return ((const struct xt2_match_hashlimit *)m)->name;
	return ((const struct xt2_match_recent *)m)->name;
}

bool xt2_memory_same_(const struct xt2_match *a, int a_family, const struct xt2_match *b,
		      int b_family)
{
	if (a->type == XT2_M_HASHLIMIT && a_family != b_family)
		return false;
	return a->type == b->type && !strcmp(name_of(a), name_of(b));
}

void xt2_memory_init_(const struct xt2_match *m, u64 *cell)
{
	const struct xt2_match_recent *recent = (const struct xt2_match_recent *)m;
	const struct xt2_match_hashlimit *limit = (const struct xt2_match_hashlimit *)m;
	u64 *config = cell + XT2_MEMORY_CONFIG;

	*config = 1;
	if (m->type == XT2_M_RECENT) {
		config[1] = recent->mask[0];
		config[2] = recent->mask[1];
		return;
	}
	config[XT2_HASHLIMIT_AVG] = limit->avg;
	config[XT2_HASHLIMIT_BURST] = limit->burst;
	config[XT2_HASHLIMIT_MODE] = limit->mode | (u64)(m->flags >> 5) << 32;
	config[XT2_HASHLIMIT_EXPIRE] = limit->expire | (u64)limit->src_mask << 32 |
				       (u64)limit->dst_mask << 40;
}

void xt2_memory_clear_(u64 *cell)
{
	memset(cell, 0, XT2_MEMORY_CONFIG * sizeof(*cell));
	memset(cell + XT2_MEMORY_LOGS, 0, (XT2_MEMORY_CELLS - XT2_MEMORY_LOGS) * sizeof(*cell));
}

void xt2_memory_settle_(u64 *cell)
{
	if (cell[XT2_MEMORY_STATE] >> 32)
		xt2_memory_finish(cell, cell[XT2_MEMORY_STATE]);
	memset(cell + XT2_MEMORY_LOGS, 0, (XT2_MEMORY_DATA - XT2_MEMORY_LOGS) * sizeof(*cell));
	cell[XT2_MEMORY_CLAIMS] = 0;
}

/* --- those that there are ------------------------------------------------------ */

void xt2_memories_forget_(struct xt2_ruleset *rs)
{
	while (rs->memories && rs->memories->n)
		free(rs->memories->memory[--rs->memories->n].m);
	free(rs->memories);
	rs->memories = NULL;
}

static const struct memory *find(const struct xt2_ruleset *rs, int family,
				 const struct xt2_match *m)
{
	const struct xt2_memories_ *all = rs->memories;
	u32 i;

	for (i = 0; i < all->n; i++)
		if (xt2_memory_same_(all->memory[i].m, all->memory[i].family, m, family))
			return &all->memory[i];
	return NULL;
}

static int keep(struct xt2_ruleset *rs, int family, const struct xt2_match *m, u32 first,
		bool added)
{
	struct xt2_memories_ *all = rs->memories;
	struct xt2_match *copy;

	if (all->n == XT2_MEMORIES_MAX)
		return -E2BIG;
	copy = malloc(m->size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, m, m->size);
	all->memory[all->n++] = (struct memory){ first, family, added, copy };
	return 0;
}

static int look_at_chain(struct xt2_ruleset *rs, int family, int chain)
{
	struct xt2_list_walk w = xt2_list_walk(&rs->chain[chain].rules);
	const struct xt2_match *m;
	const struct xt2_rule *r;
	int ret = 0;

	while (!ret && (r = xt2_list_next(&w)))
		xt2_rule_for_each_match(m, r)
			if (!ret && xt2_match_info(m->type) & XT2_EXT_MEMORY &&
			    !find(rs, family, m))
				ret = keep(rs, family, m, m->arg, false);
	return ret;
}

static int look(struct xt2_ruleset *rs)
{
	int table, chain, ret = rs->cells ? xt2_ruleset_complete_(rs) : 0;

	if (ret)
		return ret;
	rs->memories = calloc(1, sizeof(*rs->memories));
	if (!rs->memories)
		return -ENOMEM;
	for (table = 0; rs->cells && table < (int)rs->tables; table++)
		for (chain = -1; !ret && (chain = xt2_chain_next(rs, table, chain)) >= 0;)
			ret = look_at_chain(rs, rs->table[table].family, chain);
	if (ret)
		xt2_memories_forget_(rs);
	return ret;
}

bool xt2_memory_added_(const struct xt2_ruleset *rs, u32 first)
{
	const struct xt2_memories_ *all = rs->memories;
	u32 i;

	for (i = 0; all && i < all->n; i++)
		if (all->memory[i].first == first)
			return all->memory[i].added;
	return false;
}

/* --- one more -------------------------------------------------------------------- */

/* => number of the first one of so many new cells, which are 0 */
static int grow(struct xt2_ruleset *rs, u32 align, u32 n)
{
	const u32 first = (rs->cells + align - 1) / align * align;

	if (rs->cells > INT32_MAX - align - n)
		return -E2BIG;
	while (rs->cells < first + n) {
		if (xt2_grow_(&rs->cell, rs->cells, &rs->cell_cap, sizeof(*rs->cell)))
			return -ENOMEM;
		rs->cell[rs->cells++] = 0;
	}
	return (int)first;
}

/* @known: set if rules have it already */
static int memory_add(struct xt2_ruleset *rs, int family, const struct xt2_match *m, bool *known)
{
	const struct memory *have;
	int first, ret = rs->memories ? 0 : look(rs);

	if (ret)
		return ret;
	have = find(rs, family, m);
	*known = have;
	if (have)
		return (int)have->first;
	if (rs->cells > (XT2_MEMORIES_MAX - 1) * XT2_MEMORY_CELLS)
		return -E2BIG;
	first = grow(rs, XT2_MEMORY_CELLS, XT2_MEMORY_CELLS);
	ret = first < 0 ? first : keep(rs, family, m, (u32)first, true);
	if (ret)
		return ret;
	xt2_memory_init_(m, rs->cell + first);
	return first;
}

int xt2_cell_add(struct xt2_ruleset *rs)
{
	if (rs->cells == INT32_MAX)
		return -E2BIG;
	return grow(rs, 1, 1);
}

int xt2_cells_add(struct xt2_ruleset *rs, int family, const struct xt2_match *m)
{
	bool known;

	if (!(xt2_match_info(m->type) & XT2_EXT_MEMORY))
		return xt2_cell_add(rs);
	return memory_add(rs, family, m, &known);
}

int xt2_cells_copy_(struct xt2_ruleset *rs, int family, const struct xt2_match *m, const u64 *cell)
{
	const bool memory = xt2_match_info(m->type) & XT2_EXT_MEMORY;
	bool known = false;
	int first = memory ? memory_add(rs, family, m, &known) : xt2_cell_add(rs);

	if (first >= 0 && memory && !known) /* its own rules have said what it does */
		rs->memories->memory[rs->memories->n - 1].added = false;
	if (first >= 0 && !known)
		memcpy(rs->cell + first, cell, (memory ? XT2_MEMORY_CELLS : 1) * sizeof(*cell));
	return first;
}
