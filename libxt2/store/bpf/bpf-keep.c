/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-keep.c - what a ruleset keeps of the one that was live before
 *
 * Packets go on counting in the old ruleset for a while after the new one is
 * live.  So the new one says which rule of the old one each of its rules was;
 * as long as it names the old ruleset, a rule's count is what both have.  When no
 * program can be in the old one any more, its sums are assigned to the
 * counters that the new one has for the time before, and then it is forgotten.
 * Everything lives in the arena, and the step is idempotent.
 *
 * State needs nothing of the kind.  Cells are the arena's, not the ruleset's: a
 * rule that stays has the same cell in both, and packets in either change it by
 * compare-and-swap.  Cells that no rule of the live ruleset names are free.  A memory that
 * rules share stays where it is if any rule of the ruleset before has the name.
 */
#include "bpf-private.h"
#include "engine/order.h"
#include "libxt2/ruleset/pair.h"
#include "libxt2/ruleset/ruleset.h"

#define NONE	  (~0u)
#define BITS	  64u
#define PAGE	  4096u
#define CELL_SIZE sizeof(u64)

#define READ_TRIES 1000u /* to find a memory unchanged */

_Static_assert(XT2_ARENA_CELLS + XT2_CELLS_MAX * CELL_SIZE == XT2_ARENA_PAGES * (u64)PAGE,
	       "cells end with the arena");

static struct xt2_image *image_of(const struct xt2_live_ruleset *l)
{
	return xt2_live_at_(l->image);
}

static u32 number_of(const struct xt2_rule *r)
{
	return (u32)(r->packets / sizeof(struct xt2_counter));
}

/* => of the rule's run; 0: it is in none */
static u32 run_number_of(const struct xt2_rule *r)
{
	return (u32)(r->bytes / sizeof(struct xt2_counter));
}

/* --- counters ------------------------------------------------------------ */

static void add(struct xt2_counter *sum, const struct xt2_counter *c)
{
	sum->packets += __atomic_load_n(&c->packets, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);
}

struct xt2_counter xt2_live_slots_sum_(const struct xt2_live_ruleset *l, u32 n)
{
	struct xt2_counter sum = { 0 };
	u32 slot;

	for (slot = 0; slot < l->slots; slot++)
		add(&sum, xt2_live_counters_(l, slot) + n);
	return sum;
}

/* => the rule that this one was in the ruleset before; NULL: it is new, or there is none */
static const struct xt2_rule *rule_before(const struct xt2_live_ruleset *l, u32 n)
{
	const struct xt2_live_ruleset *from = xt2_live_at_(l->from);
	const u32 *pairs = xt2_live_at_(l->pairs);

	return l->from && pairs[n] ? xt2_at(image_of(from), pairs[n]) : NULL;
}

struct xt2_counter xt2_live_counter_(const struct xt2_live_ruleset *l, u32 n)
{
	const struct xt2_rule *was = rule_before(l, n);
	struct xt2_counter sum = xt2_live_slots_sum_(l, n), before;

	if (was) { /* no ruleset is made before the one before is forgotten */
		before = xt2_live_count_(xt2_live_at_(l->from), was);
		add(&sum, &before);
	} else {
		add(&sum, xt2_live_counters_(l, l->slots) + n);
	}
	return sum;
}

struct xt2_counter xt2_live_count_(const struct xt2_live_ruleset *l, const struct xt2_rule *r)
{
	struct xt2_counter sum = xt2_live_counter_(l, number_of(r)), run;

	if (run_number_of(r)) {
		run = xt2_live_slots_sum_(l, run_number_of(r));
		add(&sum, &run);
	}
	return sum;
}

static void fold_counters(struct xt2_live_ruleset *l)
{
	const struct xt2_live_ruleset *from = xt2_live_at_(l->from);
	struct xt2_counter *before = xt2_live_counters_(l, l->slots);
	const struct xt2_rule *was;
	u32 n;

	for (n = 0; n < l->rules; n++) {
		was = rule_before(l, n);
		if (was)
			before[n] = xt2_live_count_(from, was);
	}
}

int xt2_live_fold_(struct xt2_live *host)
{
	struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	u64 *have = &xt2_live_state_()->region_size[!host->region];
	int ret;

	if (!host->ruleset || !l->from)
		return 0;
	ret = xt2_live_wait_(host);
	if (ret)
		return ret;
	fold_counters(l);
	__atomic_store_n(&l->from, 0, __ATOMIC_RELEASE);
	if (l->edited || xt2_live_state_()->trial != XT2_TRIAL_NONE) /* it may come back */
		return 0;
	if (!xt2_live_release_(host, XT2_ARENA_REGION(!host->region), *have))
		*have = 0; /* else when the region is needed */
	return 0;
}

static int pair_rules(const struct xt2_live_ruleset *l, const struct xt2_live_ruleset *from,
		      const __u8 *start)
{
	const struct xt2_root *root = xt2_image_root(image_of(l));
	bool want[XT2_TABLES_MAX], any = false;
	u32 i;

	for (i = 0; i < root->tables && i < XT2_TABLES_MAX; i++) {
		want[i] = start && start[i] == XT2_LIVE_KEEP;
		any |= want[i];
	}
	if (!any)
		return 0; /* the memory is zeroed */
	return xt2_image_pair(image_of(from), image_of(l), want, xt2_live_at_(l->pairs));
}

/* --- cells --------------------------------------------------------------- */

struct cells {
	u64 *used; /* a bit for each of the arena's cells that count */
	u32 next; /* those before this one are in use */
	u32 end; /* after the last one in use */
	u32 room; /* cells that used has bits for */
	u8 *taken; /* by cell of the new ruleset: it was not there before */
	struct {
		const struct xt2_match *m;
		int family;
	} memory[XT2_MEMORIES_MAX]; /* of the ruleset before, by number; NULL: no rule has it */
};

static u64 *arena_cell(u32 i)
{
	return (u64 *)xt2_live_at_(XT2_ARENA_CELLS) + i;
}

static const struct xt2_root *root_of(const struct xt2_live_ruleset *l)
{
	return xt2_at(image_of(l), l->root);
}

/* Of an installed ruleset: the number after the last of the arena's cells that it has. */
static u32 cells_of(const struct xt2_live_ruleset *l)
{
	return root_of(l)->cells;
}

static bool has_cell(const struct xt2_match *m)
{
	return xt2_match_info(m->type) & XT2_EXT_CELL;
}

static bool has_memory(const struct xt2_match *m)
{
	return xt2_match_info(m->type) & XT2_EXT_MEMORY;
}

/* => cells of a match that has some */
static u32 cells_needed(const struct xt2_match *m)
{
	return has_memory(m) ? XT2_MEMORY_CELLS : 1;
}

static int family_of(const struct xt2_image *img, const struct xt2_root *root,
		     const struct xt2_chain *c)
{
	return xt2_image_table(img, root, c->table)->family;
}

static void mark(struct cells *cells, u32 first, u32 n)
{
	for (; n--; first++)
		cells->used[first / BITS] |= 1ull << first % BITS;
}

static void mark_match(struct cells *cells, const struct xt2_match *m, int family)
{
	const u32 number = m->arg / XT2_MEMORY_CELLS;

	if (!has_memory(m)) {
		mark(cells, m->arg, 1);
	} else if (!cells->memory[number].m) {
		cells->memory[number].m = m;
		cells->memory[number].family = family;
		mark(cells, m->arg, XT2_MEMORY_CELLS);
	}
}

static void mark_used(struct cells *cells, const struct xt2_live_ruleset *from)
{
	const struct xt2_root *root = root_of(from);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i;

	xt2_image_for_each_chain(c, i, image_of(from), root)
		xt2_chain_for_each(r, &o, image_of(from), c)
			xt2_rule_for_each_match(m, r)
				if (has_cell(m))
					mark_match(cells, m, family_of(image_of(from), root, c));
}

/* @more: cells that will be taken */
static int cells_init(struct cells *cells, const struct xt2_live_ruleset *from, u32 more)
{
	u64 room = (from ? cells_of(from) : 0) + (u64)more + XT2_MEMORY_CELLS;

	*cells = (struct cells){ .end = from ? cells_of(from) : 0 };
	if (more >= XT2_MEMORY_CELLS) /* memories begin at multiples of their cells */
		room += (u64)more / XT2_MEMORY_CELLS * XT2_MEMORY_CELLS;
	if (room > XT2_CELLS_MAX + 2ull * XT2_MEMORY_CELLS * XT2_MEMORIES_MAX)
		return -E2BIG;
	cells->room = (u32)room;
	cells->used = calloc(room / BITS + 1, sizeof(u64));
	cells->taken = calloc(more + 1ull, 1);
	if (!cells->used || !cells->taken) {
		free(cells->used);
		free(cells->taken);
		return -ENOMEM;
	}
	if (from)
		mark_used(cells, from);
	return 0;
}

static u32 cells_take(struct cells *cells)
{
	u32 i;

	while (!~cells->used[cells->next / BITS])
		cells->next = (cells->next / BITS + 1) * BITS;
	while (cells->used[cells->next / BITS] >> cells->next % BITS & 1)
		cells->next++;
	i = cells->next++;
	if (cells->end < cells->next)
		cells->end = cells->next;
	return i;
}

static bool is_free(const struct cells *cells, u32 memory)
{
	const u32 word = memory * (XT2_MEMORY_CELLS / BITS);
	u32 i;

	for (i = 0; i < XT2_MEMORY_CELLS / BITS; i++)
		if (cells->used[word + i])
			return false;
	return true;
}

/* => number of a memory's first cell; NONE: there are too many */
static u32 memory_take(struct cells *cells)
{
	u32 i;

	for (i = 0; i < XT2_MEMORIES_MAX && (i + 1) * XT2_MEMORY_CELLS <= cells->room; i++) {
		if (!is_free(cells, i))
			continue;
		mark(cells, i * XT2_MEMORY_CELLS, XT2_MEMORY_CELLS);
		if (cells->end < (i + 1) * XT2_MEMORY_CELLS)
			cells->end = (i + 1) * XT2_MEMORY_CELLS;
		return i * XT2_MEMORY_CELLS;
	}
	return NONE;
}

/* => first cell of the memory that rules before shared by this name; NONE */
static u32 memory_before(const struct cells *cells, const struct xt2_match *m, int family)
{
	u32 i;

	for (i = 0; i < XT2_MEMORIES_MAX; i++)
		if (cells->memory[i].m &&
		    xt2_memory_same_(cells->memory[i].m, cells->memory[i].family, m, family))
			return i * XT2_MEMORY_CELLS;
	return NONE;
}

/* A memory's cells get these numbers and those after them. */
static void number_memory(u32 *number, const struct xt2_match *m, u32 first)
{
	u32 i;

	for (i = 0; first != NONE && i < XT2_MEMORY_CELLS; i++)
		number[m->arg + i] = first + i;
}

static void keep_memory(const struct cells *cells, const struct xt2_live_ruleset *l,
			const struct xt2_match *m, int family, bool keeps, bool fresh)
{
	struct xt2_image *img = image_of(l);
	u32 *number = xt2_live_at_(l->cell_numbers);

	if (keeps && number[m->arg] == NONE)
		number_memory(number, m, memory_before(cells, m, family));
	if (fresh)
		xt2_memory_clear_(xt2_image_cell(img, xt2_image_root(img), m->arg));
}

/* Which cells stay where they are, and how the others start. */
static void keep_rule(const struct xt2_live_ruleset *l, const struct xt2_rule *r,
		      const struct xt2_rule *was, bool fresh)
{
	struct xt2_image *img = image_of(l);
	u32 *number = xt2_live_at_(l->cell_numbers);
	const struct xt2_match *m, *old;

	xt2_rule_for_each_match(m, r) {
		if (!has_cell(m) || has_memory(m))
			continue;
		old = was ? xt2_at(was, xt2_offset(r, m)) : NULL;
		if (old && number[m->arg] == NONE)
			number[m->arg] = old->arg;
		if (fresh)
			*xt2_image_cell(img, xt2_image_root(img), m->arg) = 0;
	}
}

static void keep_memories(const struct cells *cells, const struct xt2_live_ruleset *l,
			  const __u8 *start, bool all)
{
	const struct xt2_image *img = image_of(l);
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		const bool keeps = all || (start && start[c->table] == XT2_LIVE_KEEP);
		const bool fresh = start && start[c->table] != XT2_LIVE_FILE;

		xt2_chain_for_each_rule(r, c)
			xt2_rule_for_each_match(m, r)
				if (has_memory(m))
					keep_memory(cells, l, m, family_of(img, root, c), keeps,
						    fresh);
	}
}

static void keep_cells(const struct xt2_live_ruleset *l, const __u8 *start)
{
	const struct xt2_image *img = image_of(l);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i, n = 0;

	memset(xt2_live_at_(l->cell_numbers), 0xff, cells_of(l) * sizeof(u32));
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		bool fresh = start && start[c->table] != XT2_LIVE_FILE;

		xt2_chain_for_each_rule(r, c)
			keep_rule(l, r, rule_before(l, n++), fresh);
	}
}

int xt2_live_reserve_cells_(struct xt2_live *host, u32 cells)
{
	u64 *have = &xt2_live_state_()->cells_size;
	u64 size = (cells * CELL_SIZE + PAGE - 1) / PAGE * PAGE;

	if (size <= *have)
		return 0;
	/* What is there is that of a process that was killed. */
	if (xt2_live_release_(host, XT2_ARENA_CELLS + *have, size - *have) ||
	    xt2_live_reserve_(host, XT2_ARENA_CELLS + *have, size - *have))
		return -ENOMEM;
	*have = size;
	return 0;
}

static void name_cells(struct xt2_image *img, const u32 *number)
{
	const struct xt2_chain *c;
	struct xt2_match *m;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each_rule(r, c) {
			xt2_rule_for_each_match(m, r) {
				if (has_cell(m))
					m->arg = number[m->arg];
			}
		}
	}
}

static void set_cells(struct xt2_image *img, u64 offset, u32 cells)
{
	struct xt2_root *root = xt2_at(img, img->root);

	root->cell = (u32)offset;
	root->cells = cells;
}

/*
 * Places in the arena for those that were not there before.
 * => cells that the arena has to have; above XT2_CELLS_MAX: it cannot
 */
static u64 take_cells(const struct xt2_live_ruleset *l, struct cells *cells)
{
	const struct xt2_image *img = image_of(l);
	const struct xt2_root *root = xt2_image_root(img);
	u32 *number = xt2_live_at_(l->cell_numbers), i, first;
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	u64 most = cells->end;

	for (i = 0; i < root->cells; i++)
		most += cells->taken[i] = number[i] == NONE;
	if (most > XT2_CELLS_MAX)
		return most;
	xt2_image_for_each_chain(c, i, img, root)
		xt2_chain_for_each_rule(r, c)
			xt2_rule_for_each_match(m, r) {
				if (!has_memory(m) || number[m->arg] != NONE)
					continue;
				first = memory_take(cells);
				if (first == NONE)
					return ~0ull;
				number_memory(number, m, first);
			}
	for (i = 0; i < root->cells; i++)
		if (number[i] == NONE)
			number[i] = cells_take(cells);
	return cells->end > most ? cells->end : most;
}

static int number_cells(struct xt2_live *host, const struct xt2_live_ruleset *l,
			struct cells *cells, struct xt2_err *err)
{
	struct xt2_image *img = image_of(l);
	const struct xt2_root *root = xt2_image_root(img);
	const u64 most = take_cells(l, cells);
	u32 *number = xt2_live_at_(l->cell_numbers), i;

	if (most > XT2_CELLS_MAX)
		return xt2_err_set(err, XT2_E_LIMIT, EFBIG,
				   "more than %u matches with state, new and old ones, or than "
				   "%u names in their memory",
				   XT2_CELLS_MAX, XT2_MEMORIES_MAX);
	if (xt2_live_reserve_cells_(host, (u32)most))
		return xt2_err_set(err, XT2_E_SYSTEM, ENOMEM,
				   "no memory for the state of %u matches in the kernel",
				   root->cells);
	for (i = 0; i < root->cells; i++)
		if (cells->taken[i])
			*arena_cell(number[i]) = *xt2_image_cell(img, root, i);
	name_cells(img, number);
	set_cells(img, XT2_ARENA_CELLS - l->image, cells->end);
	return 0;
}

int xt2_live_keep_(struct xt2_live *host, struct xt2_live_ruleset *l, const __u8 *start,
		   const __u32 *was, struct xt2_err *err)
{
	struct xt2_live_ruleset *from = host->ruleset ? xt2_live_at_(host->ruleset) : NULL;
	struct cells cells;
	int ret = 0;

	l->from = host->ruleset;
	l->edited = was != NULL;
	if (from && was)
		memcpy(xt2_live_at_(l->pairs), was, l->rules * sizeof(*was));
	else if (from)
		ret = pair_rules(l, from, start);
	if (!ret)
		ret = cells_init(&cells, from, cells_of(l));
	if (ret)
		return xt2_err_no_memory(err, " to compare rulesets");
	keep_cells(l, start);
	keep_memories(&cells, l, start, was != NULL);
	ret = number_cells(host, l, &cells, err);
	free(cells.used);
	free(cells.taken);
	return ret;
}

/* Is this the first match that names its cells?  @seen: a bit for each memory */
static bool is_first(u64 *seen, const struct xt2_match *m)
{
	const u32 number = m->arg / XT2_MEMORY_CELLS % XT2_MEMORIES_MAX;
	const u64 bit = 1ull << number % BITS, had = seen[number / BITS] & bit;

	if (has_memory(m))
		seen[number / BITS] |= bit;
	return !has_memory(m) || !had;
}

u64 xt2_live_cells_(const struct xt2_live_ruleset *l)
{
	u64 seen[XT2_MEMORIES_MAX / BITS] = { 0 }, n = 0;
	const struct xt2_root *root = root_of(l);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i;

	xt2_image_for_each_chain(c, i, image_of(l), root)
		xt2_chain_for_each(r, &o, image_of(l), c)
			xt2_rule_for_each_match(m, r)
				if (has_cell(m) && is_first(seen, m))
					n += cells_needed(m);
	return n;
}

/* Cells of the arena, as they are at one time if nobody changes them without end. */
static void read_memory(u64 *to, u32 first)
{
	const u64 *from = arena_cell(first);
	u32 tries = 0, i;
	u64 state;

	do {
		state = __atomic_load_n(from, __ATOMIC_ACQUIRE);
		for (i = 0; i < XT2_MEMORY_CELLS; i++)
			to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (++tries < READ_TRIES && (state >> 32 || xt2_cell_load(from) != state));
	to[XT2_MEMORY_STATE] = state;
	xt2_memory_settle_(to);
}

/* Cells of the arena get a number of the copy, if they have none yet. */
static void take_cell(struct xt2_image *copy, struct xt2_match *m, u32 *number, u32 *n)
{
	u64 *cell = xt2_at(copy, copy->size);

	if (!number[m->arg]) {
		if (has_memory(m))
			read_memory(cell + *n, m->arg);
		else
			cell[*n] = __atomic_load_n(arena_cell(m->arg), __ATOMIC_RELAXED);
		number[m->arg] = *n + 1;
		*n += cells_needed(m);
	}
	m->arg = number[m->arg] - 1;
}

/* The memories, or all others. */
static void take_cells_of(struct xt2_image *copy, bool memories, u32 *number, u32 *n)
{
	const struct xt2_root *root = xt2_image_root(copy);
	const struct xt2_chain *c;
	struct xt2_in_order o;
	struct xt2_match *m;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, copy, root)
		xt2_chain_for_each(r, &o, copy, c)
			xt2_rule_for_each_match(m, r)
				if (has_cell(m) && has_memory(m) == memories)
					take_cell(copy, m, number, n);
}

int xt2_live_read_cells_(struct xt2_image *copy)
{
	const struct xt2_root *root = xt2_image_root(copy);
	u32 n = 0, *number = calloc(root->cells + 1ull, sizeof(*number));

	if (!number)
		return -ENOMEM;
	take_cells_of(copy, true, number, &n); /* at multiples of what they take */
	take_cells_of(copy, false, number, &n);
	free(number);
	set_cells(copy, n ? copy->size : 0, n);
	copy->size += n * CELL_SIZE;
	return 0;
}
