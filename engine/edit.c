/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit.c - change the rules of one chain by one splice
 *
 * First everything that could fail: the edits are checked, the bytes they
 * need are counted, and the chains are walked as if the edits were made.  Only
 * then bytes move.  Two places may have to grow, the chain's extent and its
 * line numbers, so what follows each of them moves once, and every offset of
 * the image is adjusted by what it was moved.
 *
 * Within the extent, the old rules from the first edited one on move to the
 * far end of the room and are dealt back in order, with the edits between
 * them; the room is large enough that no rule is overwritten before its turn.
 */
#include "edit.h"
#include "check.h"
#include "engine/index/search.h"
#include "rule.h"
#include "walk.h"

/* What the edits of a chain amount to. */
struct plan {
	struct xt2_image *img;
	struct xt2_root *root;
	struct xt2_chain *chain;
	const struct xt2_edit *edits;
	u32 n;
	u32 rules; /* afterwards */
	u32 used; /* bytes afterwards */
	u32 need; /* most bytes while rules are dealt back */
	u32 lines_size; /* bytes of line numbers afterwards, padded; 0: none */
	/* what follows these offsets moves by so much, first the lower one */
	u64 place[2];
	s64 by[2];
};

static u64 round8(u64 n)
{
	return (n + XT2_ALIGN - 1) & ~(u64)(XT2_ALIGN - 1);
}

/* Positions in order and in the chain; at each place, inserts come first. */
static int check_order(const struct plan *p)
{
	const struct xt2_edit *e, *before = NULL;

	for (e = p->edits; e < p->edits + p->n; before = e++) {
		if (e->op > XT2_EDIT_REPLACE || e->at >= p->chain->rules)
			return -EINVAL;
		if (e->op == XT2_EDIT_DELETE && e->at == p->chain->rules - 1)
			return -EINVAL;
		if (!before)
			continue;
		if (e->at < before->at || (e->at == before->at && before->op != XT2_EDIT_INSERT))
			return -EINVAL;
	}
	return 0;
}

static int check_rules(const struct plan *p)
{
	const struct xt2_rule_bounds bounds = {
		.family = xt2_image_table(p->img, p->root, p->chain->table)->family,
		.chains = p->root->chains,
		.cells = p->root->cells,
		.instances = p->root->instances,
	};
	const char *what;
	const struct xt2_edit *e;

	for (e = p->edits; e < p->edits + p->n; e++) {
		if (e->op == XT2_EDIT_DELETE)
			continue;
		if (xt2_check_rule(e->rule, e->rule->size, &bounds, &what) ||
		    xt2_check_refs_(p->img, p->root, e->rule, p->chain->table, &what))
			return -EINVAL;
		if (e->op == XT2_EDIT_REPLACE && e->at == p->chain->rules - 1 &&
		    !xt2_rule_is_tail(e->rule, bounds.family, p->chain->hook != XT2_HOOK_NONE))
			return -EINVAL;
	}
	return 0;
}

/*
 * Sizes: while dealing, what was added so far must fit besides all the old
 * rules that are still to come.
 */
static int count(struct plan *p)
{
	const struct xt2_rule *r = xt2_chain_first(p->chain);
	const struct xt2_edit *e;
	s64 grown = 0, most = 0;
	u64 rules = p->chain->rules;
	u32 number = 0;

	for (e = p->edits; e < p->edits + p->n; e++) {
		for (; number < e->at; number++)
			r = xt2_rule_next(r);
		if (e->op != XT2_EDIT_INSERT)
			grown -= r->size;
		if (e->op != XT2_EDIT_DELETE)
			grown += e->rule->size;
		if (grown > most)
			most = grown;
		rules += e->op == XT2_EDIT_INSERT;
		rules -= e->op == XT2_EDIT_DELETE;
	}
	if ((u64)(p->chain->used + most) > XT2_SIZE_MAX || rules > XT2_SIZE_MAX / sizeof(u32))
		return -ENOSPC;
	p->used = (u32)(p->chain->used + grown);
	p->need = (u32)(p->chain->used + most);
	p->rules = (u32)rules;
	return 0;
}

static bool wants_lines(const struct plan *p)
{
	u32 i;

	for (i = 0; i < p->n; i++)
		if (p->edits[i].op != XT2_EDIT_DELETE && p->edits[i].line)
			return true;
	return false;
}

/* Which bytes move, and how far. */
static int place(struct plan *p, u64 cap)
{
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(p->img, p->root, p->chain->index);
	u64 chain = (u64)((u8 *)p->chain - (u8 *)p->img) + p->chain->size;
	u64 old = cold->lines ? round8(p->chain->rules * sizeof(u32)) : 0;
	u64 lines = cold->lines ? cold->lines + old : p->img->size;
	u32 first = lines < chain;

	if (cold->lines || wants_lines(p))
		p->lines_size = (u32)round8(p->rules * sizeof(u32));
	p->place[first] = chain;
	p->by[first] = p->need > p->chain->size ? p->need - p->chain->size : 0;
	p->place[!first] = lines;
	p->by[!first] = (s64)p->lines_size - (s64)old;
	if (p->img->size + (u64)(p->by[0] + p->by[1]) > (cap < XT2_SIZE_MAX ? cap : XT2_SIZE_MAX))
		return -ENOSPC;
	return 0;
}

/* => where a byte is after the move */
static u64 moved(const struct plan *p, u64 off)
{
	u64 by = 0;

	if (off >= p->place[0])
		by += (u64)p->by[0];
	if (off >= p->place[1])
		by += (u64)p->by[1];
	return off + by;
}

/* Offset 0 says that there is nothing. */
static void adjust(const struct plan *p, u32 *off)
{
	if (*off)
		*off = (u32)moved(p, *off);
}

static void adjust_root(struct plan *p)
{
	struct xt2_root *root;

	p->img->root = moved(p, p->img->root);
	root = p->root = xt2_at(p->img, p->img->root);
	adjust(p, &root->table);
	adjust(p, &root->hook);
	adjust(p, &root->chain_dir);
	adjust(p, &root->chain_cold);
	adjust(p, &root->cell);
	adjust(p, &root->instance);
}

static void adjust_all(struct plan *p)
{
	struct xt2_root *root;
	struct xt2_chain_cold *cold;
	u32 i, *dir, *page, *offs;

	adjust_root(p);
	root = p->root;
	dir = xt2_at(p->img, root->chain_dir);
	for (i = 0; i < (root->chains + XT2_CHAIN_PAGE - 1) / XT2_CHAIN_PAGE; i++)
		adjust(p, &dir[i]);
	cold = xt2_at(p->img, root->chain_cold);
	for (i = 0; i < root->chains; i++) {
		if (!dir[i / XT2_CHAIN_PAGE])
			continue;
		page = xt2_at(p->img, dir[i / XT2_CHAIN_PAGE]);
		if (!page[i % XT2_CHAIN_PAGE])
			continue;
		adjust(p, &page[i % XT2_CHAIN_PAGE]);
		adjust(p, &cold[i].lines);
	}
	offs = xt2_at(p->img, root->instance);
	for (i = 0; i < root->instances; i++)
		adjust(p, &offs[i]);
}

/* Bytes that disappear are those in front of a place. */
static void move(const struct plan *p, u64 from, u64 end)
{
	if (from < end && moved(p, from) != from)
		memmove(xt2_at(p->img, moved(p, from)), xt2_at(p->img, from), end - from);
}

/*
 * Two runs of bytes move.  One that moves down goes first, from the front;
 * if the first moves up, the second must have made way for it.
 */
static void make_room(struct plan *p)
{
	u64 size = p->img->size;
	u64 end = p->by[1] < 0 ? p->place[1] - (u64)-p->by[1] : p->place[1];

	if (p->by[0] < 0) {
		move(p, p->place[0], end);
		move(p, p->place[1], size);
	} else {
		move(p, p->place[1], size);
		move(p, p->place[0], end);
	}
	p->img->size = size + (u64)(p->by[0] + p->by[1]);
}

/* Line numbers, first half, while there is the old room: what goes, goes. */
static void shrink_lines(const struct plan *p, u32 *lines)
{
	const struct xt2_edit *e = p->edits, *end = p->edits + p->n;
	u32 number, out = 0;

	for (number = 0; number < p->chain->rules; number++) {
		while (e < end && e->at == number && e->op == XT2_EDIT_INSERT)
			e++;
		if (e == end || e->at != number)
			lines[out++] = lines[number];
		else if (e++->op == XT2_EDIT_REPLACE)
			lines[out++] = e[-1].line;
	}
}

/* Second half, in the new room and from the end: what comes, comes. */
static void grow_lines(const struct plan *p, u32 *lines, u32 number, u32 left)
{
	const struct xt2_edit *e = p->edits + p->n;
	u32 out = p->rules;

	while (number--) {
		if (e > p->edits && e[-1].at == number && e[-1].op == XT2_EDIT_DELETE)
			e--;
		else
			lines[--out] = lines[--left];
		if (e > p->edits && e[-1].at == number && e[-1].op == XT2_EDIT_REPLACE)
			e--;
		while (e > p->edits && e[-1].at == number && e[-1].op == XT2_EDIT_INSERT)
			lines[--out] = (--e)->line;
	}
}

/* Line numbers of a chain that had none: those of the new rules. */
static void fresh_lines(const struct plan *p, u32 *lines)
{
	const struct xt2_edit *e;
	u32 number = 0, out = 0;

	for (e = p->edits; e < p->edits + p->n; e++) {
		out += e->at - number;
		number = e->at;
		if (e->op != XT2_EDIT_DELETE)
			lines[out++] = e->line;
		if (e->op != XT2_EDIT_INSERT)
			number++;
	}
}

static void deal_rules(const struct plan *p)
{
	struct xt2_chain *c = p->chain;
	struct xt2_rule *first = xt2_chain_first(c);
	const struct xt2_rule *r;
	struct xt2_rules it;
	u32 i, at, rest;
	u8 *to;

	for (i = 0; i < p->edits->at; i++)
		first = xt2_rule_next(first);
	at = (u32)((u8 *)first - (u8 *)c);
	rest = c->used - at;
	to = (u8 *)first;
	memmove((u8 *)c + p->need - rest, first, rest);
	it = (struct xt2_rules){
		.rule = (void *)((u8 *)c + p->need - rest),
		.end = (u8 *)c + p->need,
		.number = i,
		.edit = p->edits,
		.edit_end = p->edits + p->n,
	};
	xt2_rules_skip_deleted(&it);
	while ((r = xt2_rules_peek(&it))) {
		u32 size = r->size;

		/* the old rule may be overwritten by its own copy */
		xt2_rules_step(&it);
		memmove(to, r, size);
		c->tail = (u32)(to - (u8 *)c);
		to += size;
	}
	c->used = p->used;
	c->rules = p->rules;
	memset(to, 0, p->need - p->used);
}

static u32 inserts(const struct plan *p)
{
	u32 i, n = 0;

	for (i = 0; i < p->n; i++)
		n += p->edits[i].op == XT2_EDIT_INSERT;
	return n;
}

/* Nothing can fail any more. */
static void apply(struct plan *p, u32 index)
{
	struct xt2_chain_cold *cold =
		(struct xt2_chain_cold *)xt2_image_chain_cold(p->img, p->root, index);
	u32 rules = p->chain->rules, *lines = NULL;
	bool fresh = p->lines_size && !cold->lines;

	xt2_chain_drop_index(p->chain);
	if (cold->lines)
		shrink_lines(p, xt2_at(p->img, cold->lines));
	make_room(p);
	adjust_all(p);
	p->chain = xt2_image_chain(p->img, p->root, index);
	if (p->chain->size < p->need)
		p->chain->size = p->need;
	cold = (struct xt2_chain_cold *)xt2_image_chain_cold(p->img, p->root, index);
	if (fresh) {
		cold->lines = (u32)(p->img->size - p->lines_size);
		lines = xt2_at(p->img, cold->lines);
		memset(lines, 0, p->lines_size);
		fresh_lines(p, lines);
	} else if (cold->lines) {
		lines = xt2_at(p->img, cold->lines);
		grow_lines(p, lines, rules, p->rules - inserts(p));
	}
	if (lines && p->rules % 2)
		lines[p->rules] = 0;
	deal_rules(p);
}

int xt2_edit_chain(struct xt2_image *img, u64 cap, u32 chain, const struct xt2_edit *edits, u32 n,
		   void *scratch)
{
	struct plan p = {
		.img = img,
		.root = (struct xt2_root *)xt2_image_root(img),
		.edits = edits,
		.n = n,
	};
	struct xt2_walk w = { .img = img, .root = p.root, .edited = chain };
	int err;

	p.chain = p.root ? xt2_image_chain(img, p.root, chain) : NULL;
	if (!p.chain || cap < img->size)
		return -EINVAL;
	if (!n)
		return 0;
	err = check_order(&p);
	if (!err)
		err = check_rules(&p);
	if (!err)
		err = count(&p);
	if (!err)
		err = place(&p, cap);
	if (err)
		return err;
	w.chains = xt2_check_scratch_walk_(scratch, cap);
	memset(w.chains, 0, p.root->chains * sizeof(*w.chains));
	xt2_rules_begin(&w.rules, p.chain, edits, n);
	err = xt2_walk_hooks(&w);
	if (err)
		return err;
	apply(&p, chain);
	w.root = p.root;
	xt2_walk_store(&w);
	return 0;
}
