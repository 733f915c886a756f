/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change-case.h - a chain that is edited, and a model of it
 *
 * The model is an array of the rules' numbers in their order; a rule has its number as
 * its count of packets.  A reader of its own walks the chain of an image, and compares
 * it with the model.
 */
#ifndef TESTS_UNIT_CHANGE_CASE_H
#define TESTS_UNIT_CHANGE_CASE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "engine/check.h"
#include "engine/index/patched.h"
#include "libxt2/change/patch-edit.h"
#include "libxt2/change/patch-entries.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/unit-program.h"
#include "tests/lib/world-rules.h"

#define CHANGE_RULES 80000u /* numbers of rules */
#define CHANGE_ROOM  (CHANGE_RULES * 256) /* bytes of them */

/* The order of the rules of a chain at some generation. */
struct change_model {
	u32 n;
	u32 id[CHANGE_RULES];
	u32 tail; /* kind */
};

struct change_case {
	struct xt2_image *img;
	struct xt2_space space;
	struct xt2_patch_edit edit;
	struct change_model now;
	u32 chain; /* offset of the one that is published */
	u64 generation; /* its */
	u32 ids; /* given out */
	u32 where[CHANGE_RULES]; /* offset of a rule */
	const struct xt2_rule *rule[CHANGE_RULES]; /* as it should be */
	void *scratch; /* of the check */
	u8 *room; /* for these: no allocation while some fail */
	u32 used; /* bytes */
	struct world w;
	u8 family;
};

enum change_shape { CHANGE_WORLD, CHANGE_ADDRESSES, CHANGE_GROUPS, CHANGE_SHAPES };

/* => a rule that only the shape decides, until the next call */
static inline struct xt2_rule *change_rule(struct change_case *c, enum change_shape shape)
{
	struct seed_rule *s = &c->w.rule;
	u32 addr[4] = { 0 };

	if (shape == CHANGE_WORLD || c->family == XT2_IPV6) {
		world_rule(&c->w);
		return seed_rule(s);
	}
	seed_rule_begin(s, shape == CHANGE_GROUPS ? XT2_T_CONTINUE : XT2_T_ACCEPT, 0);
	addr[0] = 0x0a000000 + world_below(&c->w, shape == CHANGE_GROUPS ? 20 : 1 << 20);
	seed_match(s, XT2_M_SRC4, 0, addr[0], NULL, 0);
	return seed_rule(s);
}

/* A new rule's number; the rule gets it. */
static inline u32 change_id(struct change_case *c, struct xt2_rule *r)
{
	const u32 id = c->ids++;

	assert_true(id < CHANGE_RULES);
	r->packets = id;
	r->bytes = 7 * (u64)id;
	assert_true(c->used + r->size <= CHANGE_ROOM);
	c->rule[id] = memcpy(c->room + c->used, r, r->size);
	c->used += r->size;
	return id;
}

static inline void change_append(struct change_case *c, struct xt2_ruleset *rs, int chain,
				 struct xt2_rule *r)
{
	const u32 id = change_id(c, r);

	assert_int_equal(xt2_rule_append(rs, chain, r, id), 0);
	c->now.id[c->now.n++] = id;
}

static inline void change_fill(struct change_case *c, struct xt2_ruleset *rs, int chain, u32 rules,
			       enum change_shape shape)
{
	struct seed_rule same;
	u64 quota = 1000;
	u32 i, n;

	/* Cells and instances that no rule names are not written. */
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "why", 3), 0);
	for (i = 0; i < WORLD_CELLS; i++) {
		xt2_cell_add(rs);
		seed_rule_begin(&c->w.rule, XT2_T_CONTINUE, 0);
		seed_match(&c->w.rule, XT2_M_QUOTA, 0, i, &quota, 8);
		seed_match(&c->w.rule, XT2_M_COMMENT, 0, 0, NULL, 0);
		change_append(c, rs, chain, seed_rule(&c->w.rule));
	}
	while (c->now.n < rules) {
		struct xt2_rule *r = change_rule(c, shape);

		n = 1;
		if (shape != CHANGE_ADDRESSES && world_often(&c->w, 10))
			n = 1 + world_below(&c->w, 25);
		if (n > 1) {
			r->size = r->target_offset;
			r->target = XT2_TARGET(XT2_T_CONTINUE, 0);
		}
		same = c->w.rule;
		for (; n && c->now.n < rules; n--)
			change_append(c, rs, chain, seed_rule(&same));
	}
}

/* Offsets of the compiled rules, and their bytes: writing them renumbers cells. */
static inline void change_locate(struct change_case *c)
{
	const struct xt2_rule *r;
	const struct xt2_root *root = xt2_image_root(c->img);
	struct xt2_chain *chain = NULL;
	u32 i, index;

	xt2_image_for_each_chain(chain, index, c->img, root)
		if (chain->hook == XT2_FORWARD)
			break;
	assert_non_null(chain);
	c->chain = xt2_offset(c->img, chain);
	i = 0;
	xt2_chain_for_each_rule(r, chain) {
		if (r == xt2_chain_tail(chain))
			break;
		assert_int_equal(r->packets, c->now.id[i]);
		assert_int_equal(r->size, c->rule[i]->size);
		c->rule[i] = memcpy(c->room + ((const u8 *)c->rule[i] - c->room), r, r->size);
		c->where[c->now.id[i++]] = xt2_offset(c->img, r);
	}
	assert_int_equal(i, c->now.n);
}

/* @room: bytes for changes */
static inline struct change_case *change_new(u64 seed, u8 family, enum change_shape shape,
					     u32 rules, const struct xt2_index_limits *limits,
					     u64 room)
{
	struct change_case *c = calloc(1, sizeof(*c));
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	struct xt2_err err;
	int table, chain;

	assert_non_null(c);
	assert_non_null(rs);
	c->room = malloc(CHANGE_ROOM);
	assert_non_null(c->room);
	c->family = family;
	c->w = (struct world){
		.state = seed * 2 + 1,
		.family = family,
		.stateful = 5,
		.spread = 1 + (u32)(seed % 2) * 200,
	};
	table = xt2_table_add(rs, family, "filter", NULL);
	assert_true(table >= 0);
	chain = xt2_chain_find(rs, table, "FORWARD");
	assert_true(chain >= 0);
	change_fill(c, rs, chain, rules, shape);
	assert_int_equal(xt2_ruleset_write_(rs, limits ? limits : &xt2_index_limits, &map, &err),
			 0);
	xt2_ruleset_free(rs);
	c->img = calloc(1, map.size + room);
	assert_non_null(c->img);
	memcpy(c->img, map.image, map.size);
	xt2_image_close(&map);
	c->scratch = malloc(xt2_check_scratch(c->img->size + room));
	assert_non_null(c->scratch);
	assert_int_equal(xt2_space_begin(&c->space, c->img, c->img->size + room), 0);
	change_locate(c);
	c->generation = 1;
	c->now.tail = XT2_T_ACCEPT;
	return c;
}

static inline void change_free(struct change_case *c)
{
	xt2_patch_abort(&c->edit); /* one that was not published */
	xt2_space_end(&c->space);
	free(c->img);
	free(c->room);
	free(c->scratch);
	free(c);
}

/* --- the reader ------------------------------------------------------------ */

struct change_reader {
	const struct change_case *c;
	const struct change_model *m;
	u32 n; /* rules that were read */
	const struct xt2_chain *compiled;
	const struct xt2_patch *patch;
	u32 part, item; /* the next item */
	s32 more; /* of the page's items so far */
	u64 last; /* key of the item before */
};

static inline void change_read_rule(struct change_reader *r, const struct xt2_rule *rule)
{
	const struct xt2_rule *want;

	assert_true(r->n < r->m->n);
	want = r->c->rule[r->m->id[r->n++]];
	assert_int_equal(rule->packets, want->packets);
	assert_memory_equal(rule, want, want->size);
}

/* => the next item, or NULL */
static inline const struct xt2_patch_item *change_item(struct change_reader *r)
{
	const struct xt2_patch_part *part =
		(const struct xt2_patch_part *)xt2_at(r->c->img, r->patch->part) + r->part;
	const struct xt2_patch_page *page;

	if (r->part == r->patch->parts)
		return NULL;
	page = xt2_at(r->c->img, part->page);
	assert_in_range(page->items, 1, XT2_PATCH_ITEMS);
	return &page->item[r->item];
}

/* An item was read: check its key and its page, and go to the next. */
static inline void change_next_item(struct change_reader *r, u32 label)
{
	const struct xt2_patch_part *part =
		(const struct xt2_patch_part *)xt2_at(r->c->img, r->patch->part) + r->part;
	const struct xt2_patch_page *page = xt2_at(r->c->img, part->page);
	const u32 at = page->item[r->item].at;
	const u64 key = (u64)at << 32 | label;

	assert_true(key > r->last);
	r->last = key;
	if (!r->item) {
		assert_int_equal(part->at, at);
		assert_int_equal(part->label, label);
	}
	r->more += page->item[r->item].rule ? 1 : -1;
	if (++r->item < page->items)
		return;
	assert_int_equal(part->more, r->more);
	r->part++;
	r->item = 0;
	r->more = 0;
}

/* Items at a place.  => is its rule deleted? */
static inline bool change_read_place(struct change_reader *r, u32 at, u32 *inserted, u32 *deleted)
{
	const struct xt2_patch_item *item;

	while ((item = change_item(r)) && item->at == at) {
		const struct xt2_inserted *in;

		if (!item->rule) {
			change_next_item(r, XT2_PATCH_END);
			(*deleted)++;
			return true;
		}
		in = xt2_at(r->c->img, item->rule - offsetof(struct xt2_inserted, rule));
		assert_int_equal(in->at, at);
		assert_int_equal(in->line, in->rule.packets);
		assert_int_equal(in->reserved, 0);
		assert_true(in->label != XT2_PATCH_END);
		change_next_item(r, in->label);
		change_read_rule(r, &in->rule);
		(*inserted)++;
	}
	return false;
}

/* The order of all rules is the model's. */
static inline void change_read_order(struct change_reader *r)
{
	u32 inserted = 0, deleted = 0, at;
	const struct xt2_rule *rule;

	xt2_chain_for_each_rule(rule, r->compiled) {
		at = xt2_offset(r->compiled, rule);
		if (r->patch && change_read_place(r, at, &inserted, &deleted)) {
			assert_true(at != r->compiled->tail);
			continue;
		}
		if (at != r->compiled->tail)
			change_read_rule(r, rule);
	}
	assert_int_equal(r->n, r->m->n);
	if (!r->patch)
		return;
	assert_null(change_item(r));
	assert_int_equal(r->patch->inserted, inserted);
	assert_int_equal(r->patch->deleted, deleted);
}

/* --- its hashes ------------------------------------------------------------ */

/* Is an inserted rule in a class by this hash?  => the class's number */
static inline u32 change_class(const struct change_reader *r, const struct xt2_rule *rule, u32 hash)
{
	u32 i, j, word[XT2_CLASS_WORDS], bits[XT2_CLASS_WORDS];
	struct xt2_box box;
	u64 value[2], mask[2];

	xt2_box_of(&box, rule);
	for (i = 0; i < r->patch->classes; i++) {
		struct xt2_patch_class c;

		xt2_patch_class_get(r->patch, i, &c);
		for (j = 0; j < XT2_CLASS_FIELDS; j++) {
			memset(value, 0, sizeof(value));
			memset(mask, 0, sizeof(mask));
			if (c.field[j] != XT2_FIELD_NONE)
				xt2_box_field(&box, c.field[j], value, mask);
			xt2_field_words(word + j * XT2_FIELD_WORDS, value);
			xt2_field_words(bits + j * XT2_FIELD_WORDS, mask);
		}
		for (j = 0; j < XT2_CLASS_WORDS && !(c.mask[j] & ~bits[j]); j++)
			;
		if (j == XT2_CLASS_WORDS && c.rules && xt2_patch_hash(r->patch, i, word) == hash)
			return i;
	}
	fail_msg("a rule is filed by a hash that it does not have");
	return 0;
}

/* What an entry's hash should be.  => and count it */
static inline void change_read_entry(const struct change_reader *r, const struct xt2_patch_entry *e,
				     u32 *rules, u32 *counts, u8 *seen)
{
	const u32 unit = e->unit & ~XT2_PATCH_FLAGS, flags = e->unit & XT2_PATCH_FLAGS;
	const struct xt2_rule *rule;
	struct xt2_box box;

	assert_true(flags <= XT2_PATCH_SPLIT);
	counts[flags]++;
	if (flags != XT2_PATCH_INSERTED) {
		assert_int_equal(e->hash, xt2_patch_hash_place(unit));
		assert_int_equal(e->at, unit);
		assert_true(!e->never && !e->ports);
		return;
	}
	rule = xt2_at(r->c->img, unit);
	rules[change_class(r, rule, e->hash)]++;
	xt2_box_of(&box, rule);
	assert_int_equal(e->at, xt2_inserted_of(rule)->at);
	assert_int_equal(e->never, xt2_box_never(&box) & 0xf);
	assert_int_equal(e->ports, xt2_box_ports(&box));
	assert_true(rule->packets < r->c->ids && !seen[rule->packets]);
	seen[rule->packets] = 1;
}

static inline bool change_has_entry(const struct change_reader *r, u32 unit)
{
	const u32 hash = xt2_patch_hash_place(unit & ~XT2_PATCH_FLAGS);
	u32 at = xt2_patch_slot_of(r->c->img, r->patch, hash)->bucket, i;

	while (at) {
		const struct xt2_patch_bucket *b = xt2_at(r->c->img, at);

		for (i = 0; i < b->entries; i++)
			if (b->entry[i].unit == unit)
				return true;
		at = b->next;
	}
	return false;
}

/* Deleted rules and split groups: each has its entry.  => number of the groups */
static inline u32 change_read_marks(const struct change_reader *r)
{
	const struct xt2_index *ix = xt2_chain_index(r->compiled);
	const struct xt2_run *run = ix ? xt2_at(ix, ix->run) : NULL;
	const struct xt2_patch_part *part = xt2_at(r->c->img, r->patch->part);
	u32 i, j, splits = 0, k;

	for (i = 0; i < r->patch->parts; i++) {
		const struct xt2_patch_page *page = xt2_at(r->c->img, part[i].page);

		for (j = 0; j < page->items; j++)
			if (!page->item[j].rule)
				assert_true(
					change_has_entry(r, page->item[j].at | XT2_PATCH_DELETED));
	}
	for (k = 0; ix && k < ix->runs; k++) {
		u32 in = 0;

		for (i = 0; i < r->patch->parts && !in; i++) {
			const struct xt2_patch_page *page = xt2_at(r->c->img, part[i].page);

			for (j = 0; j < page->items; j++)
				in += page->item[j].rule && page->item[j].at > run[k].rule &&
				      page->item[j].at < run[k].end;
		}
		if (in)
			assert_true(change_has_entry(r, run[k].rule | XT2_PATCH_SPLIT));
		splits += !!in;
	}
	return splits;
}

/* Every inserted rule is found once, and there is nothing else. */
static inline void change_read_entries(const struct change_reader *r)
{
	const struct xt2_patch *p = r->patch;
	const struct xt2_patch_slot *slot;
	u32 rules[XT2_PATCH_CLASSES] = { 0 }, counts[3] = { 0 }, i, j, at, tags;
	u8 *seen = calloc(1, CHANGE_RULES);

	assert_non_null(seen);
	assert_in_range(p->shift, 1, 31);
	for (i = 0; i < xt2_patch_slots(p); i++) {
		slot = xt2_patch_slot_at(r->c->img, p, i);
		tags = 0;
		for (at = slot->bucket; at;) {
			const struct xt2_patch_bucket *b = xt2_at(r->c->img, at);

			assert_in_range(b->entries, 1, XT2_PATCH_ENTRIES);
			assert_int_equal(b->reserved, 0);
			for (j = 0; j < b->entries; j++) {
				assert_int_equal(b->entry[j].hash >> p->shift, i);
				tags |= xt2_patch_tag(b->entry[j].hash);
				assert_true(!j || b->entry[j - 1].at <= b->entry[j].at);
				change_read_entry(r, &b->entry[j], rules, counts, seen);
			}
			at = b->next;
		}
		assert_int_equal(slot->tags, tags);
	}
	for (i = 0; i < r->m->n; i++) /* those of the compiled chain do not have entries */
		seen[r->m->id[i]] = 0;
	for (i = 0; i < CHANGE_RULES; i++)
		assert_false(seen[i]);
	free(seen);
	for (i = 0; i < XT2_PATCH_CLASSES; i++)
		assert_int_equal(rules[i], i < p->classes ? p->rules[i] : 0);
	assert_int_equal(counts[XT2_PATCH_INSERTED], p->inserted);
	assert_int_equal(counts[XT2_PATCH_DELETED], p->deleted);
	assert_int_equal(counts[XT2_PATCH_SPLIT], change_read_marks(r));
	assert_int_equal(p->splits, counts[XT2_PATCH_SPLIT]);
}

static inline void change_read_extent(const struct xt2_patched *p, const struct change_model *m,
				      const struct xt2_chain *compiled)
{
	const struct xt2_index *ix = xt2_at(p, p->chain.lookup);
	const struct xt2_index *old = xt2_chain_index(compiled);

	assert_int_equal(p->chain.used, offsetof(struct xt2_patched, ix));
	assert_int_equal(p->chain.rules, 2);
	assert_int_equal(p->chain.tail, offsetof(struct xt2_patched, tail));
	assert_int_equal(p->chain.lookup, offsetof(struct xt2_patched, ix));
	assert_int_equal(p->chain.size, sizeof(*p));
	assert_int_equal(p->chain.index, compiled->index);
	assert_int_equal(p->chain.table, compiled->table);
	assert_int_equal(p->chain.hook, compiled->hook);
	assert_int_equal(p->guard.target, XT2_T_PATCHED);
	assert_int_equal(p->tail.target, m->tail);
	assert_int_equal(ix->units, m->n);
	assert_int_equal(ix->ahead, XT2_CANDIDATES);
	assert_int_equal(ix->runs | ix->run | ix->heads | ix->reserved, 0);
	assert_int_equal(ix->size, ix->body + sizeof(struct xt2_patch));
	assert_int_equal(ix->asks & (old ? old->asks : 0), old ? old->asks : 0);
}

/* The chain at an offset is that of the model. */
static inline void change_read(const struct change_case *c, u32 chain, const struct change_model *m)
{
	struct change_reader r = { .c = c, .m = m, .compiled = xt2_at(c->img, chain) };
	const struct xt2_index *ix = xt2_chain_index(r.compiled);

	if (ix && ix->kind == XT2_INDEX_PATCH) {
		r.patch = xt2_at(ix, ix->body);
		r.compiled = xt2_at(c->img, r.patch->compiled);
		change_read_extent(xt2_at(c->img, chain), m, r.compiled);
	} else {
		assert_int_equal(xt2_chain_tail(r.compiled)->target, m->tail);
	}
	change_read_order(&r);
	if (r.patch)
		change_read_entries(&r);
}

/* --- edits of both --------------------------------------------------------- */

static inline void change_moved(void *arg, u32 from, u32 to)
{
	struct change_case *c = arg;
	const struct xt2_rule *r = xt2_at(c->img, to);

	assert_int_equal(c->where[r->packets], from);
	c->where[r->packets] = to;
}

static inline int change_begin(struct change_case *c)
{
	int err = xt2_patch_begin(&c->edit, &c->space, c->chain, c->generation + 1);

	c->edit.moved = change_moved;
	c->edit.arg = c;
	return err;
}

/* => offset of the rule at a position; behind the last one: of the compiled tail */
static inline u32 change_where(const struct change_case *c, u32 position)
{
	if (position < c->now.n)
		return c->where[c->now.id[position]];
	return xt2_offset(c->img, xt2_chain_tail(c->edit.compiled));
}

static inline int change_insert(struct change_case *c, u32 position, struct xt2_rule *r)
{
	struct change_model *m = &c->now;
	u32 id = change_id(c, r), where = 0;
	int err = xt2_patch_insert(&c->edit, change_where(c, position), r, id, &where);

	if (err)
		return err;
	assert_true(m->n < CHANGE_RULES);
	memmove(&m->id[position + 1], &m->id[position], (m->n - position) * sizeof(*m->id));
	m->id[position] = id;
	m->n++;
	c->where[id] = where;
	return 0;
}

static inline int change_delete(struct change_case *c, u32 position)
{
	struct change_model *m = &c->now;
	int err = xt2_patch_delete(&c->edit, change_where(c, position));

	if (err)
		return err;
	m->n--;
	memmove(&m->id[position], &m->id[position + 1], (m->n - position) * sizeof(*m->id));
	return 0;
}

/* The chain table names another chain: the image is a valid one. */
static inline void change_publish(struct change_case *c)
{
	const struct xt2_root *root = xt2_image_root(c->img);
	const u32 *dir = xt2_at(c->img, root->chain_dir);
	const struct xt2_chain *chain = xt2_at(c->img, c->chain);
	u32 *page = xt2_at(c->img, dir[chain->index / XT2_CHAIN_PAGE]);
	struct xt2_check_err err = { 0 };

	page[chain->index % XT2_CHAIN_PAGE] = c->chain;
	if (xt2_check(c->img, c->img->size, c->scratch, &err))
		fail_msg("%s at %llu", err.what, (unsigned long long)err.offset);
	xt2_space_commit(&c->space, ++c->generation);
}

static inline int change_end(struct change_case *c)
{
	int err = xt2_patch_end(&c->edit, &c->chain);

	if (!err)
		change_publish(c);
	return err;
}

/* The seed of a random test, from XT2_SEED or the clock. */
static inline u64 change_seed(const char *test)
{
	const char *given = getenv("XT2_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);

	print_message("XT2_SEED=%llu build/tests/unit/run-change %s\n", (unsigned long long)seed,
		      test);
	return seed;
}

#endif
