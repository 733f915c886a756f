/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compact.c - compile a patched chain anew, beside its edits
 *
 * Between two changes the compiled rules are copied as they stand, in one piece.
 */
#include "compact.h"

#include <errno.h>
#include <stdlib.h>
#include "engine/index/patched.h"
#include "libxt2/grow.h"
#include "libxt2/ruleset/arena.h"

#define INDEX_MIN 4u /* rules of a chain that may get an index */

void xt2_compact_begin(struct xt2_compact *c, const struct xt2_image *img, u32 chain, u8 family)
{
	const struct xt2_chain *from = xt2_at(img, chain);

	*c = (struct xt2_compact){
		.img = img,
		.from = from,
		.compiled = xt2_chain_compiled(img, from),
		.family = family,
	};
}

void xt2_compact_end(struct xt2_compact *c)
{
	free(c->item);
	free(c->rules);
	if (c->chain)
		xt2_room_free_(c->chain, c->room);
	free(c->finder);
	free(c->line);
	*c = (struct xt2_compact){ 0 };
}

/* --- the patch ---------------------------------------------------------------- */

static int take_rule(struct xt2_compact *c, const struct xt2_rule *r)
{
	u64 cap = c->cap ? c->cap : 65536;
	u8 *more;

	while (cap < c->bytes + r->size)
		cap *= 2;
	if (cap > c->cap) {
		more = realloc(c->rules, cap);
		if (!more)
			return -ENOMEM;
		c->rules = more;
		c->cap = cap;
	}
	memcpy(c->rules + c->bytes, r, r->size);
	c->bytes += r->size;
	return 0;
}

static int take_item(struct xt2_compact *c, const struct xt2_patch_item *item)
{
	struct xt2_compact_item one = { .at = item->at, .rule = c->bytes };
	const struct xt2_rule *r;

	if (xt2_grow_(&c->item, c->items, &c->item_cap, sizeof(*c->item)))
		return -ENOMEM;
	if (item->rule) {
		r = xt2_at(c->img, item->rule);
		one.size = r->size;
		one.line = xt2_inserted_of(r)->line;
		if (take_rule(c, r))
			return -ENOMEM;
	}
	c->item[c->items++] = one;
	return 0;
}

int xt2_compact_take(struct xt2_compact *c)
{
	const struct xt2_patch *p = xt2_chain_patch(c->from);
	const struct xt2_patch_part *part = xt2_at(c->img, p->part);
	int ret = 0;
	u32 i, j;

	for (i = 0; i < p->parts && !ret; i++) {
		const struct xt2_patch_page *page = xt2_at(c->img, part[i].page);

		for (j = 0; j < page->items && !ret; j++)
			ret = take_item(c, &page->item[j]);
	}
	return ret;
}

/* --- rules --------------------------------------------------------------------- */

static const struct xt2_rule *compiled_rule(const struct xt2_compact *c, u32 at)
{
	return xt2_at(c->compiled, at);
}

/* How many rules and bytes the new chain will have; its tail included. */
static void measure(const struct xt2_compact *c, u32 *rules, u64 *bytes)
{
	u32 i;

	*rules = c->compiled->rules;
	*bytes = c->compiled->tail + sizeof(struct xt2_rule);
	for (i = 0; i < c->items; i++) {
		const struct xt2_compact_item *item = &c->item[i];

		*rules += item->size ? 1u : ~0u;
		*bytes += item->size ? item->size : -(u64)compiled_rule(c, item->at)->size;
	}
}

static u8 *copy_compiled(const struct xt2_compact *c, u8 *p, u32 from, u32 to)
{
	memcpy(p, compiled_rule(c, from), to - from);
	return p + (to - from);
}

/* => where an index would follow */
static u8 *write_rules(const struct xt2_compact *c, u32 rules)
{
	struct xt2_chain *chain = c->chain;
	u32 from = sizeof(*c->compiled), i;
	u8 *p = (u8 *)(chain + 1);

	for (i = 0; i < c->items; i++) {
		const struct xt2_compact_item *item = &c->item[i];

		p = copy_compiled(c, p, from, item->at);
		from = item->at;
		if (item->size) {
			memcpy(p, c->rules + item->rule, item->size);
			p += item->size;
		} else {
			from += compiled_rule(c, from)->size;
		}
	}
	p = copy_compiled(c, p, from, c->compiled->tail);
	*chain = (struct xt2_chain){
		.rules = rules,
		.tail = (u32)(p - (u8 *)chain),
		.index = c->compiled->index,
		.table = c->compiled->table,
		.hook = c->compiled->hook,
	};
	p = copy_compiled(c, p, c->compiled->tail, c->compiled->tail + sizeof(struct xt2_rule));
	chain->used = chain->size = (u32)(p - (u8 *)chain);
	return p;
}

/* The lines of the compiled rules from one place to another. */
static void copy_lines(struct xt2_compact *c, u32 **line, const u32 **old, u32 from, u32 to)
{
	for (; from < to; from += compiled_rule(c, from)->size)
		*(*line)++ = *old ? *(*old)++ : 0;
}

static bool has_lines(const struct xt2_compact *c)
{
	u32 i, any = c->compiled->lines;

	for (i = 0; i < c->items; i++)
		any |= c->item[i].line;
	return any;
}

static u64 lines_size(u32 rules)
{
	return ((u64)rules * sizeof(u32) + 7) & ~7ull;
}

/* Source lines, if there are any.  => 0, -ENOMEM */
static int write_lines(struct xt2_compact *c, u32 rules)
{
	const u32 *old = c->compiled->lines ? xt2_at(c->img, c->compiled->lines) : NULL;
	u32 from = sizeof(*c->compiled), i, *line;

	if (!has_lines(c))
		return 0;
	line = c->line = calloc(1, lines_size(rules));
	if (!line)
		return -ENOMEM;
	for (i = 0; i < c->items; i++) {
		const struct xt2_compact_item *item = &c->item[i];

		copy_lines(c, &line, &old, from, item->at);
		from = item->at;
		if (item->size) {
			*line++ = item->line;
		} else {
			from += compiled_rule(c, from)->size;
			old += old ? 1 : 0;
		}
	}
	copy_lines(c, &line, &old, from, c->compiled->tail);
	return 0;
}

/* --- index and finder ------------------------------------------------------------- */

static void write_index(const struct xt2_compact *c, u8 *p)
{
	const u64 need = xt2_index_scratch(c->chain->rules);
	struct xt2_index_limits limits = xt2_index_limits;
	void *scratch = xt2_room_alloc_(need);
	u32 size;

	if (!scratch)
		return; /* the chain is as right without */
	limits.single = true;
	size = xt2_index_build(c->chain, c->family, &limits, (struct xt2_index *)p,
			       xt2_index_bound(c->chain->rules), scratch);
	xt2_room_free_(scratch, need);
	if (!size)
		return;
	c->chain->lookup = c->chain->used;
	c->chain->size += size;
}

static int write_finder(struct xt2_compact *c)
{
	if (c->chain->rules <= XT2_FINDER_RULES)
		return 0;
	c->finder = malloc(xt2_finder_size(c->chain));
	if (!c->finder)
		return -ENOMEM;
	xt2_finder_build(c->finder, c->chain);
	return 0;
}

int xt2_compact_build(struct xt2_compact *c)
{
	u64 bytes;
	u32 rules;
	u8 *p;

	measure(c, &rules, &bytes);
	c->room = bytes + (rules > INDEX_MIN ? xt2_index_bound(rules) : 0);
	if (c->room > XT2_SIZE_MAX)
		return -EFBIG;
	c->chain = xt2_room_alloc_(c->room);
	if (!c->chain)
		return -ENOMEM;
	p = write_rules(c, rules);
	if (write_lines(c, rules) || write_finder(c))
		return -ENOMEM;
	if (rules > INDEX_MIN)
		write_index(c, p);
	return 0;
}

/* --- into the image ---------------------------------------------------------------- */

int xt2_compact_place(struct xt2_compact *c, struct xt2_space *space)
{
	const u64 generation = xt2_image_root(space->img)->generation;
	bool room;

	c->chain_at = xt2_space_alloc(space, c->chain->size);
	c->finder_at = c->finder ? xt2_space_alloc(space, c->finder->size) : 0;
	c->line_at = c->line ? xt2_space_alloc(space, lines_size(c->chain->rules)) : 0;
	room = c->chain_at && (!c->finder || c->finder_at) && (!c->line || c->line_at);
	if (!room) {
		xt2_space_abort(space);
		return -ENOSPC;
	}
	xt2_space_commit(space, generation);
	c->chain->lines = c->line_at;
	return 0;
}

static void copy_words(const struct xt2_compact *c, u32 at, const void *from, u64 size)
{
	u64 *to = (u64 *)((u8 *)c->img + at);
	const u64 *word = from;
	u64 i;

	for (i = 0; i < size / sizeof(*to); i++)
		__atomic_store_n(&to[i], word[i], __ATOMIC_RELAXED);
}

void xt2_compact_copy(const struct xt2_compact *c)
{
	copy_words(c, c->chain_at, c->chain, c->chain->size);
	if (c->finder)
		copy_words(c, c->finder_at, c->finder, c->finder->size);
	if (c->line)
		copy_words(c, c->line_at, c->line, lines_size(c->chain->rules));
}
