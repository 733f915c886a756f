/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruleset-write.c - pack a ruleset into an image
 *
 * Two passes over the rules.  The first counts, so that the writer's buffer
 * can be allocated at once, and numbers instances by their first use; without
 * instances and state it only asks how many bytes the rules have.  The second
 * copies each rule and puts in the new numbers.  Chains are numbered
 * in the order in which they are listed, so rulesets that print alike are
 * packed alike.  They are written in the order in which packets meet them: a
 * chain is followed by the one to which its first rule jumps, and by all to
 * which that one leads, so that a packet's way is in few places of memory.
 * Every match that has state gets a cell of its own, which starts
 * with the value of its old one: two rules never share state, even if one was
 * made from the other's bytes.
 */
#include "config.h"
#include "libxt2/err.h"
#include "ruleset.h"
#include "engine/check.h"
#include "engine/index/search.h"
#include "engine/write.h"

#include <stdlib.h>

#define SLACK	  4096u /* alignment of the parts of an image */
#define INDEX_MIN 4u /* rules of a short chain that may get an index: a run of them */

struct packer {
	const struct xt2_ruleset *rs;
	const struct xt2_index_limits *limits;
	u32 *chains; /* numbers in their new order */
	u32 *chain_new; /* by old number */
	u32 chain_count;
	u32 *todo, left; /* chains that are written next, the last one first */
	bool *met; /* by new number: it was among them */
	u32 *instances; /* likewise; the tables' sources come first */
	u32 *instance_new;
	u32 instance_count;
	u32 *source; /* instance of each table, XT2_NONE: none */
	u32 source_count;
	u32 hooks;
	u32 cells, cells_done;
	u32 memory[XT2_MEMORIES_MAX],
		memories; /* first cells of those that come before all others */
	const struct xt2_match *first[XT2_MEMORIES_MAX]; /* that names the memory */
	u32 longest; /* most rules in a chain, the tail included */
	u64 bytes; /* of rules, instances and lines */
	u64 indexes; /* bytes that indexes can take */
	u32 *lines; /* of a chain */
	void *scratch, *index_scratch;
	u64 index_size; /* bytes at index_scratch */
	struct xt2_writer w;
	struct xt2_err *err;
};

static void packer_free(struct packer *p)
{
	free(p->chains);
	free(p->chain_new);
	free(p->todo);
	free(p->met);
	free(p->instances);
	free(p->instance_new);
	free(p->source);
	free(p->lines);
	free(p->scratch);
	xt2_room_free_(p->index_scratch, p->index_size);
}

static int no_memory(const struct packer *p)
{
	return xt2_err_no_memory(p->err, " to pack the ruleset");
}

static u32 *numbers_alloc(u64 n)
{
	return calloc(n ? n : 1, sizeof(u32));
}

static int packer_init(struct packer *p)
{
	const struct xt2_ruleset *rs = p->rs;

	p->chains = numbers_alloc(rs->live);
	p->chain_new = numbers_alloc(rs->chains);
	p->todo = numbers_alloc(rs->live);
	p->met = calloc(rs->live + 1ull, sizeof(*p->met));
	p->instances = numbers_alloc((u64)rs->instances + rs->tables);
	p->instance_new = numbers_alloc(rs->instances);
	p->source = numbers_alloc(rs->tables);
	if (!p->chains || !p->chain_new || !p->todo || !p->met || !p->instances ||
	    !p->instance_new || !p->source)
		return no_memory(p);
	memset(p->instance_new, 0xff, rs->instances * sizeof(u32));
	return 0;
}

/* --- first pass -------------------------------------------------------- */

/* Tables that come from one file share its name. */
static void number_sources(struct packer *p)
{
	const struct xt2_table_ *t = p->rs->table;
	u32 i, j;

	for (i = 0; i < p->rs->tables; i++) {
		p->hooks += (u32)__builtin_popcount(t[i].hooks);
		p->source[i] = XT2_NONE;
		if (!t[i].source)
			continue;
		for (j = 0; j < i && (!t[j].source || strcmp(t[j].source, t[i].source)); j++)
			;
		p->source[i] = j < i ? p->source[j] : p->source_count++;
		p->bytes += sizeof(struct xt2_instance) + strlen(t[i].source) + 2 * XT2_ALIGN;
	}
	p->instance_count = p->source_count;
}

static void number_chains(struct packer *p)
{
	u32 table;
	int c;

	for (table = 0; table < p->rs->tables; table++) {
		xt2_table_for_each_chain(c, p->rs, (int)table) {
			p->chain_new[c] = p->chain_count;
			p->chains[p->chain_count++] = (u32)c;
		}
	}
}

static void use_instance(struct packer *p, u32 i)
{
	if (p->instance_new[i] != XT2_NONE)
		return;
	p->instance_new[i] = p->instance_count;
	p->instances[p->instance_count++] = i;
	p->bytes += sizeof(struct xt2_instance) + xt2_instance_at_(p->rs, i)->size + 2 * XT2_ALIGN;
}

/* => number of a memory in the new order; the number after the last one: it is not there */
static u32 memory_new(const struct packer *p, u32 first)
{
	u32 i;

	for (i = 0; i < p->memories && p->memory[i] != first; i++)
		;
	return i;
}

/* There are no more than fit: their first cells are multiples of what each takes. */
static void use_memory(struct packer *p, const struct xt2_match *m)
{
	if (memory_new(p, m->arg) < p->memories || p->memories == XT2_MEMORIES_MAX)
		return;
	p->first[p->memories] = m;
	p->memory[p->memories++] = m->arg;
	p->cells += XT2_MEMORY_CELLS;
}

static void count_rule(struct packer *p, const struct xt2_rule *r)
{
	const struct xt2_match *m;

	p->bytes += r->size;
	xt2_rule_for_each_match(m, r) {
		u32 info = xt2_match_info(m->type);

		if (info & XT2_EXT_MEMORY)
			use_memory(p, m);
		else if (info & XT2_EXT_CELL)
			p->cells++;
		else if (info & XT2_EXT_INSTANCE)
			use_instance(p, m->arg);
	}
	if (xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE)
		use_instance(p, XT2_TARGET_ARG(r->target));
}

static bool may_have_index(const struct packer *p, u32 rules)
{
	return rules >= INDEX_MIN || rules > p->limits->plain;
}

/*
 * Without instances and cells, rules need not be read one by one: their size is
 * at most that of the memory which holds the ruleset's rules.
 */
static bool count_at_once(struct packer *p)
{
	const struct xt2_ruleset *rs = p->rs;
	const u64 bytes = rs->rules.live + (rs->image ? rs->image_size : 0);

	if (rs->instances || rs->cells || bytes > XT2_SIZE_MAX / 4)
		return false;
	p->bytes += bytes;
	return true;
}

static void count(struct packer *p)
{
	const struct xt2_rule *r;
	struct xt2_list_walk w;
	bool counted;
	u32 i;

	number_sources(p);
	number_chains(p);
	counted = count_at_once(p);
	for (i = 0; i < p->chain_count; i++) {
		const struct xt2_rule_list *l = &p->rs->chain[p->chains[i]].rules;

		w = xt2_list_walk(l);
		while (!counted && (r = xt2_list_next(&w)))
			count_rule(p, r);
		p->bytes += l->n * sizeof(u32); /* lines */
		if (l->n + 1 > p->longest)
			p->longest = l->n + 1;
		if (may_have_index(p, l->n))
			p->indexes += xt2_index_bound(l->n + 1);
	}
}

/* => elements in complete pages, and room for the pages' offsets */
static u64 pages_bound(u64 count, u32 per_page)
{
	const u64 pages = count / per_page + 1;

	return pages * (per_page + 1);
}

/* At most so many bytes. */
static u64 capacity(const struct packer *p)
{
	const u64 chain =
		sizeof(struct xt2_chain) + sizeof(struct xt2_rule) + sizeof(u32) + XT2_ALIGN;
	const u64 words = sizeof(u32) * (pages_bound(p->chain_count, XT2_CHAIN_PAGE) +
					 pages_bound(p->instance_count, XT2_INSTANCE_PAGE));
	const u64 names =
		sizeof(struct xt2_chain_cold) * pages_bound(p->chain_count, XT2_COLD_PAGE);

	return SLACK + sizeof(struct xt2_image) + sizeof(struct xt2_root) +
	       p->rs->tables * sizeof(struct xt2_table) + p->hooks * sizeof(struct xt2_hook) +
	       words + names + p->chain_count * chain + (u64)p->cells * sizeof(u64) + p->bytes;
}

/* --- second pass ------------------------------------------------------- */

static void write_tables(struct packer *p)
{
	const struct xt2_ruleset *rs = p->rs;
	u32 i;
	int hook;

	for (i = 0; i < rs->tables; i++)
		xt2_write_table(&p->w, (u8)rs->table[i].family, rs->table[i].name, p->source[i]);
	for (i = 0; i < rs->tables; i++) {
		const struct xt2_table_ *t = &rs->table[i];

		for (hook = 0; hook < XT2_HOOKS_MAX; hook++) {
			if (t->hooks & 1u << hook)
				xt2_write_hook(&p->w, (u8)t->family, (u8)hook, (u16)i,
					       t->priority[hook], p->chain_new[t->base[hook]]);
		}
	}
}

static void write_instances(struct packer *p)
{
	const struct xt2_ruleset *rs = p->rs;
	u32 i, done = 0;

	for (i = 0; i < rs->tables; i++) {
		if (p->source[i] != done)
			continue;
		xt2_write_instance(&p->w, XT2_INSTANCE_SOURCE, 0, "", rs->table[i].source,
				   (u32)strlen(rs->table[i].source));
		done++;
	}
	for (i = done; i < p->instance_count; i++) {
		const struct xt2_instance *in = xt2_instance_at_(rs, p->instances[i]);

		xt2_write_instance(&p->w, in->kind, in->revision, in->name, xt2_instance_data(in),
				   in->size);
	}
}

static void meet(struct packer *p, u32 chain)
{
	if (p->met[chain])
		return;
	p->met[chain] = true;
	p->todo[p->left++] = chain;
}

/* Put in the image's numbers. */
static void renumber(struct packer *p, struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);
	u32 arg = XT2_TARGET_ARG(r->target);
	struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		u32 info = xt2_match_info(m->type);

		if (info & XT2_EXT_MEMORY) {
			m->arg = memory_new(p, m->arg) * XT2_MEMORY_CELLS;
		} else if (info & XT2_EXT_CELL) {
			xt2_write_cell(&p->w, p->cells_done, p->rs->cell[m->arg]);
			m->arg = p->cells_done++;
		} else if (info & XT2_EXT_INSTANCE) {
			m->arg = p->instance_new[m->arg];
		}
	}
	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO) {
		r->target = XT2_TARGET(kind, p->chain_new[arg]);
		meet(p, p->chain_new[arg]);
	} else if (xt2_target_info(kind) & XT2_EXT_INSTANCE) {
		r->target = XT2_TARGET(kind, p->instance_new[arg]);
	}
}

/*
 * In the kernel a memory does as the rule says that it met first.  It meets all of a table's
 * at once, in their order there, whichever was written down first.
 */
static void write_memories(struct packer *p)
{
	u32 i, j;

	for (i = 0; i < p->memories && !p->w.error; i++) {
		u64 *cell = (u64 *)(p->w.buf + p->w.root.cell) + (u64)i * XT2_MEMORY_CELLS;

		for (j = 0; j < XT2_MEMORY_CELLS; j++)
			cell[j] = p->rs->cell[p->memory[i] + j];
		xt2_memory_settle_(cell);
		if (!cell[XT2_MEMORY_STATE] && xt2_memory_added_(p->rs, p->memory[i]))
			xt2_memory_init_(p->first[i], cell);
	}
	p->cells_done = p->memories * XT2_MEMORY_CELLS;
}

static int write_rules(struct packer *p, const struct xt2_rule_list *l)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	const struct xt2_rule *r;
	int ret = 0;

	while (!ret && (r = xt2_list_next(&w))) {
		ret = xt2_write_rule(&p->w, r);
		if (!ret)
			renumber(p, xt2_written_rule(&p->w));
	}
	return ret;
}

/* => the source lines of a chain, its tail's too; NULL if there are none */
static const u32 *lines_of(struct packer *p, const struct xt2_rule_list *l)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	u32 i, any = 0;

	for (i = 0; xt2_list_next(&w); i++)
		any |= p->lines[i] = xt2_list_walk_line(&w);
	p->lines[l->n] = 0;
	return any ? p->lines : NULL;
}

static void write_chain(struct packer *p, u32 index)
{
	const struct xt2_chain_ *c = &p->rs->chain[p->chains[index]];
	const struct xt2_rule tail = xt2_chain_end_(c);

	if (xt2_write_chain_begin(&p->w, index, (u16)c->table, c->hook, c->name) ||
	    write_rules(p, &c->rules) || xt2_write_rule(&p->w, &tail))
		return;
	if (p->index_scratch && may_have_index(p, c->rules.n))
		xt2_write_index(&p->w, p->limits, p->index_scratch);
	xt2_write_chain_end(&p->w, lines_of(p, &c->rules), 0);
}

static void reverse(u32 *first, u32 n)
{
	u32 i, at;

	for (i = 0; i < n / 2; i++) {
		at = first[i];
		first[i] = first[n - 1 - i];
		first[n - 1 - i] = at;
	}
}

/* A chain, and all to which packets come from there, if they are not written yet. */
static void write_chains_from(struct packer *p, u32 chain)
{
	u32 before;

	meet(p, chain);
	while (p->left && !p->w.error) {
		before = --p->left;
		write_chain(p, p->todo[before]);
		reverse(p->todo + before, p->left - before); /* the first one is the next */
	}
}

/* --- together ---------------------------------------------------------- */

static int write_all(struct packer *p, void *buf, u64 cap, u64 *size)
{
	const struct xt2_ruleset *rs = p->rs;
	u32 i;

	xt2_write_begin(&p->w, buf, cap, rs->generation + 1, rs->tables, p->hooks, p->chain_count,
			p->instance_count, p->cells);
	write_tables(p);
	write_instances(p);
	write_memories(p);
	for (i = 0; i < p->chain_count && !p->w.error; i++)
		write_chains_from(p, i);
	return xt2_write_end(&p->w, p->scratch, size);
}

static int explain(const struct packer *p, int ret)
{
	switch (ret) {
	case -ELOOP: return xt2_loop_report_(p->rs, p->err);
	case -ENOSPC:
	case -EFBIG:
		return xt2_err_set(p->err, XT2_E_LIMIT, EFBIG,
				   "the ruleset is larger than an image can be (4 GiB)");
	}
	return xt2_err_set(p->err, XT2_E_IMAGE, -ret, "the ruleset cannot be packed: %s",
			   p->w.err.what ? p->w.err.what : strerror(-ret));
}

static int pack(struct packer *p, struct xt2_mapping *map)
{
	struct xt2_mapping m = { 0 };
	u64 cap = capacity(p);
	u64 size;
	int ret;

	if (cap > XT2_SIZE_MAX)
		return explain(p, -EFBIG);
	if (p->indexes && cap + p->indexes <= XT2_SIZE_MAX) { /* else chains stay plain */
		cap += p->indexes;
		p->index_size = xt2_index_scratch(p->longest);
		p->index_scratch = xt2_room_alloc_(p->index_size);
		if (!p->index_scratch)
			return no_memory(p);
	}
	p->lines = numbers_alloc(p->longest);
	p->scratch = malloc(xt2_check_scratch(cap)); /* little of it will be used */
	if (!p->lines || !p->scratch)
		return no_memory(p);
	ret = xt2_image_room_(cap, &m, p->err);
	if (ret)
		return ret;
	ret = write_all(p, m.image, cap, &size);
	if (ret) {
		xt2_image_close(&m);
		return explain(p, ret);
	}
	m.size = size;
	*map = m;
	return 0;
}

int xt2_ruleset_write_(const struct xt2_ruleset *rs, const struct xt2_index_limits *limits,
		       struct xt2_mapping *map, struct xt2_err *err)
{
	struct packer *p = calloc(1, sizeof(*p)); /* too large for a kernel's stack */
	int ret = xt2_ruleset_complete_(rs);

	if (!p || ret == -ENOMEM) {
		free(p);
		return xt2_err_no_memory(err, " for the image");
	}
	p->rs = rs;
	p->limits = limits;
	p->err = err;
	ret = ret ? explain(p, ret) : packer_init(p);
	if (!ret) {
		count(p);
		ret = pack(p, map);
	}
	packer_free(p);
	free(p);
	return ret;
}

int xt2_ruleset_write(const struct xt2_ruleset *rs, struct xt2_mapping *map, struct xt2_err *err)
{
	return xt2_ruleset_write_(rs, &xt2_index_limits, map, err);
}
