/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace-commit.c - write what has changed of a ruleset that is edited in its image
 *
 * Nothing that the generation before names is written to, but for room after the cells.
 * Chains come first, then names, instances, cells, tables and hooks, then the
 * root; last, whether chains loop is checked, for what changed if that is enough.
 */
#include "config.h"
#include "inplace.h"

#include <stdlib.h>
#include "engine/check.h"
#include "engine/index/patched.h"
#include "engine/index/search.h"
#include "engine/rule.h"
#include "engine/walk.h"
#include "libxt2/change/retire.h"
#include "libxt2/err.h"

#define INDEX_MIN 4u /* rules of a short chain that may get an index: a run of them */
#define CELL_ROOM 64u

struct commit {
	struct xt2_ruleset *rs;
	struct xt2_inplace_ *in;
	struct xt2_root root; /* as it will be */
	struct xt2_hook *hook; /* sorted; room for all */
	const struct xt2_commit_check *check; /* or NULL */
};

static void *at(const struct commit *k, u32 offset)
{
	return xt2_at(k->in->img, offset);
}

/* => offset of a copy of so many bytes; 0: no room */
static u32 put(struct commit *k, const void *bytes, u64 size)
{
	const u32 offset = xt2_space_alloc(&k->in->space, size);

	if (offset)
		memcpy(at(k, offset), bytes, size);
	return offset;
}

static int retire(struct commit *k, u32 offset, u64 size)
{
	return offset && size ? xt2_space_retire(&k->in->space, offset, size) : 0;
}

/* --- a chain that is compiled --------------------------------------------------- */

static u64 rules_bytes(const struct xt2_rule_list *l)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	const struct xt2_rule *r;
	u64 bytes = 0;

	while ((r = xt2_list_next(&w)))
		bytes += r->size;
	return bytes;
}

/* What a chain ends in; its counters go on in their slot, unless they were set.  => 0, -errno */
static int make_tail(struct commit *k, const struct xt2_chain_ *c, u32 number,
		     struct xt2_rule *tail)
{
	const struct xt2_chain *now = xt2_inplace_now_(k->in, c, number);
	const struct xt2_rule *old = now ? xt2_chain_tail(now) : NULL;
	struct xt2_rule made = xt2_chain_end_(c);
	int ret = 0;

	if (k->in->slots && old && !c->recounted) {
		made.packets = old->packets;
		made.bytes = 0;
	} else if (k->in->slots) {
		if (old)
			xt2_inplace_gone_(k->rs, old);
		ret = xt2_inplace_slot_(k->in, &made);
	}
	*tail = made;
	return ret;
}

/* Header, rules and tail; => where an index would follow; *ret: -errno if there are no slots */
static u8 *write_rules(struct commit *k, const struct xt2_chain_ *from, u32 number,
		       struct xt2_chain *c, int *ret)
{
	struct xt2_rule tail;
	struct xt2_list_walk w = xt2_list_walk(&from->rules);
	const struct xt2_rule *r;
	u8 *p = (u8 *)(c + 1);

	*c = (struct xt2_chain){
		.rules = from->rules.n + 1,
		.index = number,
		.table = (u16)from->table,
		.hook = from->hook,
	};
	*ret = make_tail(k, from, number, &tail);
	while ((r = xt2_list_next(&w))) {
		memcpy(p, r, r->size);
		if (!*ret && !xt2_in_image_(k->rs, r))
			*ret = xt2_inplace_slot_(k->in, (struct xt2_rule *)p);
		p += r->size;
	}
	c->tail = (u32)(p - (u8 *)c);
	memcpy(p, &tail, sizeof(tail));
	p += sizeof(tail);
	c->used = c->size = (u32)(p - (u8 *)c);
	return p;
}

/* => bytes of an index for a chain, at the end of its rules; 0: it has none */
static u32 build_index(const struct commit *k, const struct xt2_chain_ *from, struct xt2_chain *c,
		       u8 *p)
{
	const u64 need = xt2_index_scratch(c->rules);
	void *scratch = xt2_room_alloc_(need);
	struct xt2_index_limits limits = xt2_index_limits;
	u32 size;

	if (!scratch)
		return 0; /* the chain is as right without */
	limits.single = k->in->slots; /* a group's slot could not be split without a wait */
	size = xt2_index_build(c, (u8)k->rs->table[from->table].family, &limits,
			       (struct xt2_index *)p, xt2_index_bound(c->rules), scratch);
	xt2_room_free_(scratch, need);
	return size;
}

/* Source lines, if there are any.  => 0, -ENOSPC */
static int write_lines(struct commit *k, const struct xt2_chain_ *from, struct xt2_chain *c)
{
	struct xt2_list_walk w = xt2_list_walk(&from->rules);
	u32 i, any = 0, *line;

	while (xt2_list_next(&w))
		any |= xt2_list_walk_line(&w);
	if (!any)
		return 0;
	c->lines = xt2_space_alloc(&k->in->space, (u64)c->rules * sizeof(u32));
	if (!c->lines)
		return -ENOSPC;
	line = at(k, c->lines);
	w = xt2_list_walk(&from->rules);
	for (i = 0; xt2_list_next(&w); i++)
		line[i] = xt2_list_walk_line(&w);
	line[i++] = 0;
	if (i % 2)
		line[i] = 0; /* up to the next structure */
	return 0;
}

/* => 0; -ENOSPC, -ENOMEM, -EFBIG */
static int compile(struct commit *k, const struct xt2_chain_ *from, u32 number, u32 *offset)
{
	const u32 n = from->rules.n;
	const bool indexed = n >= INDEX_MIN || n > xt2_index_limits.plain;
	const u64 bytes =
		sizeof(struct xt2_chain) + rules_bytes(&from->rules) + sizeof(struct xt2_rule);
	const u64 room = bytes + (indexed ? xt2_index_bound(n + 1) : 0);
	struct xt2_chain *c;
	u32 size;
	int ret;
	u8 *p;

	if (room > XT2_SIZE_MAX)
		return -EFBIG;
	c = xt2_room_alloc_(room);
	if (!c)
		return -ENOMEM;
	p = write_rules(k, from, number, c, &ret);
	size = !ret && indexed ? build_index(k, from, c, p) : 0;
	if (size) {
		c->lookup = c->used;
		c->size += size;
	}
	*offset = ret || write_lines(k, from, c) ? 0 : put(k, c, c->size);
	xt2_room_free_(c, room);
	return *offset || ret ? ret : -ENOSPC;
}

/* --- chains ---------------------------------------------------------------------- */

/* What finds rules in a compiled extent goes with it. */
static int drop_finder(struct commit *k, u32 number)
{
	const struct xt2_way *way = xt2_pages_get(&k->in->way, number);
	struct xt2_way *own;
	const struct xt2_finder *f;
	int ret;

	if (!k->in->has_ways || !way || !way->finder)
		return 0;
	f = at(k, way->finder);
	ret = retire(k, way->finder, f->size);
	own = ret ? NULL : xt2_pages_own(&k->in->way, number);
	if (!own)
		return ret ? ret : -ENOSPC;
	own->finder = 0;
	return 0;
}

/* The chain as this transaction found or left it goes, but for its number. */
static int drop_extent(struct commit *k, const struct xt2_chain_ *c, u32 number)
{
	const struct xt2_chain *now = xt2_inplace_now_(k->in, c, number);
	int ret = now ? drop_finder(k, number) : 0;

	return ret || !now ? ret : xt2_chain_retire(&k->in->space, xt2_offset(k->in->img, now));
}

static int set_offset(struct commit *k, u32 number, u32 offset)
{
	u32 *own;

	if (xt2_pages_grow(&k->in->chain, k->rs->chains))
		return -ENOMEM;
	own = xt2_pages_own(&k->in->chain, number);
	if (!own)
		return -ENOSPC;
	*own = offset;
	return 0;
}

/* Only the policy of a long chain has changed: that is a patch as well. */
static int patch_policy(struct commit *k, struct xt2_chain_ *c)
{
	const int ret = xt2_inplace_open_(k->rs, c);

	return ret > 0 ? xt2_inplace_unpatch_(k->rs, c) : ret;
}

static bool same_tail(const struct commit *k, const struct xt2_chain_ *c, u32 number)
{
	const struct xt2_rule *tail = xt2_chain_tail(xt2_inplace_now_(k->in, c, number));

	return XT2_TARGET_KIND(tail->target) == c->policy && !c->recounted;
}

/* A chain whose rules, if they changed, are a list. */
static int write_list(struct commit *k, struct xt2_chain_ *c, u32 number)
{
	u32 offset;
	int ret = compile(k, c, number, &offset);

	if (!ret)
		ret = drop_extent(k, c, number);
	return ret ? ret : set_offset(k, number, offset);
}

static int write_chain(struct commit *k, struct xt2_chain_ *c, u32 number)
{
	int ret = 0;

	if (!c->live) {
		if (xt2_inplace_now_(k->in, c, number))
			xt2_inplace_gone_(k->rs,
					  xt2_chain_tail(xt2_inplace_now_(k->in, c, number)));
		ret = drop_extent(k, c, number);
		return ret || !xt2_inplace_before_(k->in, number) ? ret : set_offset(k, number, 0);
	}
	if (c->edit)
		ret = xt2_inplace_unpatch_(k->rs, c);
	else if (c->unread && !c->offset && !same_tail(k, c, number))
		ret = patch_policy(k, c);
	if (ret)
		return ret;
	if (!c->unread)
		return write_list(k, c, number);
	if (!c->offset)
		return 0; /* it has another name */
	ret = make_tail(k, c, number, xt2_chain_tail(at(k, c->offset)));
	return ret ? ret : set_offset(k, number, c->offset);
}

static int write_chains(struct commit *k)
{
	struct xt2_inplace_ *in = k->in;
	int ret = 0;
	u32 i;

	for (i = 0; i < in->changes && !ret; i++)
		ret = write_chain(k, &k->rs->chain[in->changed[i]], in->changed[i]);
	return ret;
}

/* --- names ------------------------------------------------------------------------- */

/* => has a number another chain's name, or none, since the generation before? */
static bool is_renamed(const struct commit *k, u32 number, const struct xt2_chain *before)
{
	const struct xt2_chain_ *c = &k->rs->chain[number];

	return !before || !c->live || before->table != c->table ||
	       memcmp(xt2_image_chain_cold(k->in->img, k->in->root, number)->name, c->name,
		      XT2_NAME_SIZE);
}

static int name_goes(struct commit *k, u32 number)
{
	const struct xt2_chain *before = xt2_inplace_before_(k->in, number);

	if (!before || !is_renamed(k, number, before))
		return 0;
	return xt2_names_delete(&k->in->names, before->table,
				xt2_image_chain_cold(k->in->img, k->in->root, number)->name,
				number);
}

static int name_comes(struct commit *k, u32 number)
{
	const struct xt2_chain *before = xt2_inplace_before_(k->in, number);
	const struct xt2_chain_ *c = &k->rs->chain[number];
	struct xt2_chain_cold *cold;

	if (!c->live || !is_renamed(k, number, before))
		return 0;
	if (xt2_pages_grow(&k->in->cold, k->rs->chains))
		return -ENOMEM;
	cold = xt2_pages_own(&k->in->cold, number);
	if (!cold)
		return -ENOSPC;
	memcpy(cold->name, c->name, XT2_NAME_SIZE);
	if (!k->rs->table[c->table].by_name)
		xt2_chains_know_(k->rs); /* whether the order of numbers will mean something */
	if (!k->rs->table[c->table].as_came)
		k->rs->table[c->table].by_name = true;
	return xt2_names_add(&k->in->names, c->table, c->name, number);
}

static int write_names(struct commit *k)
{
	struct xt2_inplace_ *in = k->in;
	int ret = xt2_inplace_names_(in);
	u32 i;

	for (i = 0; i < in->changes && !ret; i++)
		ret = name_goes(k, in->changed[i]);
	for (i = 0; i < in->changes && !ret; i++)
		ret = name_comes(k, in->changed[i]);
	return ret ? ret : in->error;
}

/* --- instances and cells -------------------------------------------------------------- */

static int write_instance(struct commit *k, u32 i)
{
	const struct xt2_instance *in = k->rs->instance[i];
	u32 offset, *own;
	u64 size;

	if (!xt2_inplace_is_used_(k->in, i))
		return 0;
	size = sizeof(*in) + in->size;
	offset = xt2_space_alloc(&k->in->space, size);
	own = offset ? xt2_pages_own(&k->in->instance, i) : NULL;
	if (!own)
		return -ENOSPC;
	memset((u8 *)at(k, offset) + size, 0, -size % XT2_ALIGN);
	memcpy(at(k, offset), in, size);
	*own = offset;
	return 0;
}

static int write_instances(struct commit *k)
{
	struct xt2_ruleset *rs = k->rs;
	u32 i, n = rs->instances;
	int ret;

	while (n > k->in->instances && !xt2_inplace_is_used_(k->in, n - 1))
		n--;
	ret = xt2_pages_grow(&k->in->instance, n);
	for (i = k->in->instances; i < n && !ret; i++)
		ret = write_instance(k, i);
	k->root.instances = n;
	return ret;
}

/* A larger array; readers of the one before change cells there until they are done. */
static int more_cells(struct commit *k)
{
	const u32 room = k->rs->cells + k->rs->cells / 4 + CELL_ROOM, old = k->in->cells;
	const u32 offset = xt2_space_alloc(&k->in->space, (u64)room * sizeof(u64));
	u64 *cell = at(k, offset);
	u32 i;

	if (!offset)
		return -ENOSPC;
	for (i = 0; i < old; i++)
		cell[i] = xt2_cell_load(xt2_image_cell(k->in->img, k->in->root, i));
	memset(cell + old, 0, (u64)(room - old) * sizeof(*cell));
	if (retire(k, k->in->root->cell, (u64)k->in->edits.cell_room * sizeof(*cell)))
		return -ENOMEM;
	k->root.cell = offset;
	k->in->edits.cell_room = room;
	return 0;
}

static int write_cells(struct commit *k)
{
	struct xt2_ruleset *rs = k->rs;
	u64 *cell;
	u32 i;
	int ret = 0;

	if (rs->cells == k->in->cells)
		return 0;
	if (rs->cells > k->in->edits.cell_room)
		ret = more_cells(k);
	if (ret)
		return ret;
	cell = at(k, k->root.cell);
	for (i = k->in->cells; i < rs->cells; i++)
		cell[i] = rs->cell[i];
	k->root.cells = rs->cells;
	return 0;
}

/* --- tables and hooks --------------------------------------------------------------------- */

/* => the instance of a file's name; XT2_NONE: none; it is made if it is not there: see *ret */
static u32 source_of(struct commit *k, const struct xt2_table_ *t, const struct xt2_table *old,
		     int *ret)
{
	const u32 was = old ? old->source : XT2_NONE;
	const struct xt2_instance *in =
		was == XT2_NONE ? NULL : xt2_image_instance(k->in->img, k->in->root, was);
	const size_t size = t->source ? strlen(t->source) : 0;

	if (!t->source)
		return XT2_NONE;
	if (in && in->size == size && !memcmp(xt2_instance_data(in), t->source, size))
		return was;
	*ret = xt2_instance_add(k->rs, XT2_INSTANCE_SOURCE, 0, NULL, t->source, size);
	if (*ret < 0)
		return XT2_NONE;
	xt2_inplace_use_instance_(k->in, (u32)*ret);
	return (u32)*ret;
}

/* As they will be. */
static int list_tables(struct commit *k, struct xt2_table *list)
{
	const struct xt2_root *root = k->in->root;
	struct xt2_ruleset *rs = k->rs;
	int ret = 0;
	u32 i;

	for (i = 0; i < rs->tables && ret >= 0; i++) {
		const struct xt2_table_ *t = &rs->table[i];

		list[i] = (struct xt2_table){ .family = (u8)t->family,
					      .flags = t->by_name ? XT2_TABLE_BY_NAME : 0 };
		memcpy(list[i].name, t->name, sizeof(list[i].name));
		list[i].source = source_of(
			k, t, i < root->tables ? xt2_image_table(k->in->img, root, i) : NULL, &ret);
	}
	return ret < 0 ? ret : 0;
}

static int put_tables(struct commit *k, const struct xt2_table *list)
{
	const struct xt2_root *root = k->in->root;
	const u64 old_size = (u64)root->tables * sizeof(*list);

	k->root.tables = k->rs->tables;
	if (k->root.tables == root->tables && !memcmp(list, at(k, root->table), old_size))
		return 0;
	k->root.table = put(k, list, k->root.tables * sizeof(*list));
	return k->root.table ? retire(k, root->table, old_size) : -ENOSPC;
}

static int write_tables(struct commit *k)
{
	struct xt2_table *list = malloc((k->rs->tables + 1ull) * sizeof(*list));
	int ret = list ? list_tables(k, list) : -ENOMEM;

	if (!ret)
		ret = put_tables(k, list);
	free(list);
	return ret;
}

static void insert_hook(struct commit *k, const struct xt2_hook *h)
{
	u32 i;

	for (i = k->root.hooks++; i && xt2_hook_before(h, &k->hook[i - 1]); i--)
		k->hook[i] = k->hook[i - 1];
	k->hook[i] = *h;
}

/* The hook entries, with those of new tables; a base chain enters itself. */
static int make_hooks(struct commit *k)
{
	const struct xt2_root *root = k->in->root;
	u32 table, hook;

	k->hook = calloc(root->hooks + (k->rs->tables - root->tables) * XT2_HOOKS_MAX + 1ull,
			 sizeof(*k->hook));
	if (!k->hook)
		return -ENOMEM;
	if (root->hooks)
		memcpy(k->hook, at(k, root->hook), root->hooks * sizeof(*k->hook));
	for (table = root->tables; table < k->rs->tables; table++) {
		const struct xt2_table_ *t = &k->rs->table[table];

		for (hook = 0; hook < XT2_HOOKS_MAX; hook++)
			if (t->hooks & 1u << hook &&
			    xt2_ways_base(&k->in->ways, t->base[hook], hook))
				return -ENOSPC;
			else if (t->hooks & 1u << hook)
				insert_hook(k, &(struct xt2_hook){ .family = (u8)t->family,
								   .hook = (u8)hook,
								   .table = (u16)table,
								   .priority = t->priority[hook],
								   .chain = t->base[hook],
								   .visits = 1 });
	}
	if (!k->root.visits && k->root.hooks)
		k->root.visits = 1;
	return 0;
}

/* @anew: they will be written to */
static int write_hooks(struct commit *k, bool anew)
{
	const struct xt2_root *root = k->in->root;
	const u64 size = (u64)k->root.hooks * sizeof(*k->hook);

	if (!anew && k->root.hooks == root->hooks && !memcmp(k->hook, at(k, root->hook), size))
		return 0;
	k->root.hook = put(k, k->hook, size);
	if (!k->root.hook)
		return -ENOSPC;
	return retire(k, root->hook, (u64)root->hooks * sizeof(*k->hook));
}

/* --- the root -------------------------------------------------------------------------------- */

static int write_arrays(struct commit *k)
{
	struct xt2_inplace_ *in = k->in;
	const u32 chains = k->rs->chains; /* with those that came and went */
	int ret = xt2_pages_grow(&in->chain, chains);

	if (!ret)
		ret = xt2_pages_grow(&in->cold, chains);
	if (!ret)
		ret = xt2_pages_grow(&in->way, chains);
	if (!ret)
		ret = xt2_pages_end(&in->chain, &k->root.chain_dir);
	if (!ret)
		ret = xt2_pages_end(&in->cold, &k->root.chain_cold);
	if (!ret)
		ret = xt2_pages_end(&in->instance, &k->root.instance);
	if (!ret)
		ret = xt2_pages_end(&in->name, &in->edits.name);
	k->root.chains = chains;
	return ret;
}

/* --- what the caller checks ---------------------------------------------------------------- */

static int check_table(const struct commit *k, u32 table)
{
	return k->check->table(k->check->data, k->rs, (int)table) ? -ECANCELED : 0;
}

/* All tables in which something changed. */
static int check_tables(const struct commit *k)
{
	bool seen[XT2_TABLES_MAX] = { false };
	int ret = 0;
	u32 i;

	for (i = 0; k->check && i < k->in->changes && !ret; i++) {
		const u32 table = k->rs->chain[k->in->changed[i]].table;

		if (table < k->rs->tables && !seen[table]) /* else it was taken back */
			ret = check_table(k, table);
		seen[table] = true;
	}
	return ret;
}

static unsigned int hooks_of(const struct commit *k, u32 chain)
{
	const struct xt2_way *way = xt2_pages_get(&k->in->way, chain);

	return way ? way->from : 0;
}

/* => may a rule of a chain be wrong, to which more hooks lead than before? */
static bool suspect_chain(const struct commit *k, u32 chain)
{
	const struct xt2_rule_list *l;
	const struct xt2_rule *r;
	struct xt2_list_walk w;

	if (!xt2_chain_get_(k->rs, (int)chain))
		return false;
	l = xt2_chain_list(k->rs, (int)chain);
	w = xt2_list_walk(l);
	while ((r = xt2_list_next(&w)))
		if (k->check->rule(k->check->data, k->rs, (int)chain, r, hooks_of(k, chain)))
			return true;
	return false;
}

/* => the table of a rule that may be wrong; XT2_NONE: there is none */
static u32 suspect(const struct commit *k)
{
	const struct xt2_inplace_ *in = k->in;
	u32 grown, i;

	for (i = 0; i < in->bounds; i++) {
		const struct xt2_bound_ *b = &in->bound[i];

		if (k->rs->chain[b->chain].live &&
		    k->check->rule(k->check->data, k->rs, (int)b->chain, b->rule,
				   hooks_of(k, b->chain)))
			return k->rs->chain[b->chain].table;
	}
	for (i = 0; (grown = xt2_ways_grown(&in->ways, i)) != XT2_NONE; i++)
		if (suspect_chain(k, grown))
			return k->rs->chain[grown].table;
	return XT2_NONE;
}

/* Of what changed; hooks that may lead to a chain no longer are counted, so all is looked at. */
static int check_changes(const struct commit *k)
{
	const u32 table = k->check ? suspect(k) : XT2_NONE;

	if (k->in->error)
		return k->in->error;
	return table == XT2_NONE ? 0 : check_table(k, table);
}

/* Whether there are loops, and how far chains lead: of all of it, exactly. */
static int walk_all(struct commit *k, struct xt2_root *root)
{
	struct xt2_walk w = { .img = k->in->img, .root = root };
	int ret;

	w.chains = calloc(root->chains + 1ull, sizeof(*w.chains));
	if (!w.chains)
		return -ENOMEM;
	ret = xt2_walk_hooks(&w);
	if (!ret)
		xt2_walk_store(&w);
	free(w.chains);
	k->in->walked = true;
	return ret ? ret : xt2_ways_build(&k->in->ways, k->in->img, root);
}

/* The ways of what changed; of all, if that is not enough. */
static int check_ways(struct commit *k)
{
	struct xt2_root *root = &k->root;
	int ret = xt2_ways_commit(&k->in->ways, k->in->img, root, k->hook);

	const bool doubt = ret == XT2_WAYS_DOUBT;

	if (ret >= 0)
		ret = doubt ? check_tables(k) : check_changes(k);
	if (!ret)
		ret = write_hooks(k, doubt);
	return ret || !doubt ? ret : walk_all(k, root);
}

/* Nothing is known of chains that went. */
static int forget_ways(struct commit *k)
{
	struct xt2_inplace_ *in = k->in;
	struct xt2_way *way;
	u32 i;

	for (i = 0; i < in->changes; i++) {
		const u32 chain = in->changed[i];

		if (k->rs->chain[chain].live || chain >= in->way.count)
			continue;
		way = xt2_pages_own(&in->way, chain);
		if (!way)
			return -ENOSPC;
		*way = (struct xt2_way){ 0 };
	}
	return xt2_pages_grow(&in->way, k->rs->chains);
}

static int write_root(struct commit *k, u32 *offset)
{
	struct xt2_inplace_ *in = k->in;
	const struct xt2_root *old = in->root;
	struct xt2_commit *record = NULL;
	int ret = forget_ways(k);

	if (!ret)
		ret = xt2_inplace_owners_(k->rs);
	if (!ret)
		ret = xt2_pages_end(&in->way, &in->edits.way);

	if (!ret)
		ret = retire(k, xt2_offset(in->img, old), sizeof(*old));
	if (!ret && in->trusted) /* else they may be anywhere */
		ret = retire(k, old->edits, sizeof(in->edits));
	if (!ret)
		ret = xt2_inplace_record_(k->rs, k->root.generation, &record);
	if (ret)
		return ret;
	in->edits.generation = k->root.generation;
	in->edits.garbage = in->garbage + in->space.spare + in->space.waiting + in->recorded;
	k->root.edits = put(k, &in->edits, sizeof(in->edits));
	*offset = k->root.edits ? put(k, &k->root, sizeof(k->root)) : 0;
	if (!*offset)
		return -ENOSPC;
	if (record)
		record->root = *offset;
	if (record)
		record->size = in->img->size;
	return 0;
}

static bool is_changed(const struct xt2_ruleset *rs)
{
	const struct xt2_inplace_ *in = rs->inplace;

	return in->changes || rs->tables != in->tables || in->resourced || in->prepared;
}

static int write_all(struct commit *k, u32 *root)
{
	int ret = write_names(k); /* tables' flags depend on it */

	if (!ret)
		ret = write_chains(k);
	if (!ret)
		ret = write_tables(k); /* which may add instances */
	if (!ret)
		ret = write_instances(k);
	if (!ret)
		ret = write_cells(k);
	if (!ret)
		ret = make_hooks(k);
	if (!ret)
		ret = write_arrays(k);
	if (!ret)
		ret = check_ways(k);
	return ret ? ret : write_root(k, root);
}

static int report(const struct commit *k, int ret, struct xt2_err *err)
{
	switch (ret) {
	case -ECANCELED: return ret;
	case -ELOOP: return xt2_loop_report_(k->rs, err);
	case -ENOMEM: return xt2_err_no_memory(err, " to change the ruleset");
	case -ENOSPC:
		return xt2_err_set(err, XT2_E_LIMIT, ENOSPC,
				   "the image has no room for the change");
	case -EFBIG:
		return xt2_err_set(err, XT2_E_LIMIT, EFBIG,
				   "the ruleset is larger than an image can be (4 GiB)");
	}
	return xt2_err_set(err, XT2_E_IMAGE, -ret, "the ruleset cannot be changed: %s",
			   strerror(-ret));
}

int xt2_inplace_commit(struct xt2_ruleset *rs, const struct xt2_commit_check *check, u32 *root,
		       struct xt2_err *err)
{
	struct commit k = { .rs = rs, .in = rs->inplace, .check = check };
	int ret = k.in->error;

	if (!ret && !is_changed(rs)) {
		*root = 0;
		return 0;
	}
	k.in->walked = false;
	k.root = *k.in->root;
	if (k.root.generation < k.in->passed)
		k.root.generation = k.in->passed;
	k.root.generation++;
	if (!ret)
		ret = xt2_inplace_ways_(rs);
	if (!ret)
		ret = write_all(&k, root);
	free(k.hook);
	if (!ret)
		return 0;
	xt2_inplace_fail_(k.in, ret);
	return report(&k, ret, err);
}
