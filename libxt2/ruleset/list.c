/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.c - the lists of chains' rules, and the memory of rules
 *
 * This file only sees lists and bytes: rules.c knows the meaning of rules,
 * chains.c the chains that own the lists.
 */
#include "config.h"
#include "list-blocks.h"
#include "ruleset.h"

#include <stdlib.h>

#define LIST_FIRST    4u
#define COMPACT_MIN   (1u << 16) /* fewer dead bytes are not worth a copy */
#define COMPACT_IMAGE 16 /* nor is a smaller part of the image's size */

/* --- lists ------------------------------------------------------------- */

void xt2_list_walk_on(struct xt2_list_walk *w)
{
	const struct xt2_rule_list *l = w->list;
	u32 at = w->at, k;

	if (xt2_list_in_blocks_(l)) {
		k = xt2_blocks_find_(l->blocks, &at);
		w->rule = l->blocks->block[k].rule;
		w->line = l->blocks->block[k].line;
		w->end = l->blocks->count[k];
	} else {
		w->rule = l->rule + xt2_list_slot_(l, at);
		w->line = l->line + xt2_list_slot_(l, at);
		w->end = at < l->gap ? l->gap : l->n - at;
	}
	w->next = 0;
	w->at += w->end;
}

/* In arrays: would a change here move many rules? */
static bool is_far(const struct xt2_rule_list *l, u32 at)
{
	return (at < l->gap ? l->gap - at : at - l->gap) > XT2_LIST_FAR_;
}

static void gap_move(struct xt2_rule_list *l, u32 at)
{
	u32 room = l->cap - l->n;
	u32 from = at < l->gap ? at : l->gap + room;
	u32 to = at < l->gap ? at + room : l->gap;
	u32 n = at < l->gap ? l->gap - at : at - l->gap;

	if (n && room) {
		memmove(l->rule + to, l->rule + from, n * sizeof(*l->rule));
		memmove(l->line + to, l->line + from, n * sizeof(*l->line));
	}
	l->gap = at;
}

/* A change at a position is next.  => is the list in blocks?  Without memory for them it is slow */
static bool change_apart(struct xt2_rule_list *l, u32 at)
{
	if (xt2_list_in_blocks_(l) || (is_far(l, at) && !xt2_blocks_make_(l)))
		return true;
	gap_move(l, at);
	return false;
}

void xt2_list_insert_apart_(struct xt2_rule_list *l, u32 at, const struct xt2_rule *r, u32 line)
{
	if (!change_apart(l, at)) {
		xt2_list_insert_(l, at, r, line);
		return;
	}
	xt2_blocks_insert_(l->blocks, at, r, line);
	l->n++;
}

void xt2_list_delete_(struct xt2_rule_list *l, u32 at)
{
	if (!change_apart(l, at + 1)) {
		l->gap--;
		l->n--;
		return;
	}
	xt2_blocks_delete_(l->blocks, at);
	l->n--;
	if (!l->n)
		xt2_list_free_(l);
}

int xt2_list_lend_(struct xt2_ruleset *rs, struct xt2_rule_list *l, u32 cap)
{
	const size_t rules = cap * sizeof(*l->rule);
	char *p = xt2_arena_alloc_(&rs->lists, rules + cap * sizeof(*l->line));

	if (!p)
		return -ENOMEM;
	l->rule = (const struct xt2_rule **)p;
	l->line = (u32 *)(p + rules);
	l->cap = cap;
	l->lent = true;
	return 0;
}

/* Arrays of its own for a list whose arrays are lent. */
static int own_arrays(struct xt2_rule_list *l)
{
	const struct xt2_rule **rule = malloc((l->cap + 1ull) * sizeof(*rule));
	u32 *line = malloc((l->cap + 1ull) * sizeof(*line));

	if (!rule || !line) {
		free(rule);
		free(line);
		return -ENOMEM;
	}
	memcpy(rule, l->rule, l->cap * sizeof(*rule));
	memcpy(line, l->line, l->cap * sizeof(*line));
	l->rule = rule;
	l->line = line;
	l->lent = false;
	return 0;
}

int xt2_list_reserve_(struct xt2_rule_list *l, u32 cap)
{
	u32 after = l->n - l->gap; /* rules after the gap: at the end of the arrays */
	void *p;

	if (cap <= l->cap)
		return 0;
	if (l->lent && own_arrays(l))
		return -ENOMEM;
	p = realloc(l->rule, cap * sizeof(*l->rule));
	if (!p)
		return -ENOMEM;
	l->rule = p;
	p = realloc(l->line, cap * sizeof(*l->line));
	if (!p)
		return -ENOMEM;
	l->line = p;
	xt2_want_large_(l->rule, cap * sizeof(*l->rule));
	xt2_want_large_(l->line, cap * sizeof(*l->line));
	memmove(l->rule + (cap - after), l->rule + (l->cap - after), after * sizeof(*l->rule));
	memmove(l->line + (cap - after), l->line + (l->cap - after), after * sizeof(*l->line));
	l->cap = cap;
	return 0;
}

int xt2_list_extend_(struct xt2_rule_list *l, u32 at)
{
	if (l->n > (u32)-1 / 4)
		return -ENOMEM;
	if (xt2_list_in_blocks_(l))
		return xt2_blocks_reserve_(l->blocks);
	if (unlikely(is_far(l, at)) && !xt2_blocks_make_(l))
		return 0;
	return xt2_list_reserve_(l, l->cap ? l->cap * 2 : LIST_FIRST);
}

void xt2_list_free_(struct xt2_rule_list *l)
{
	if (xt2_list_in_blocks_(l))
		xt2_blocks_free_(l->blocks);
	else
		xt2_list_arrays_free_(l);
	*l = (struct xt2_rule_list){ 0 };
}

/* --- bytes ------------------------------------------------------------- */

void xt2_rule_forget_(struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	if (!xt2_in_image_(rs, r))
		xt2_arena_forget_(&rs->rules, r->size);
}

struct xt2_rule *xt2_list_own_(struct xt2_ruleset *rs, struct xt2_rule_list *l, u32 at)
{
	const struct xt2_rule **r = xt2_list_place_(l, at).rule;
	struct xt2_rule *own = (struct xt2_rule *)*r;

	if (!xt2_in_image_(rs, own))
		return own;
	own = xt2_rule_copy_(&rs->rules, own);
	if (own)
		*r = own;
	return own;
}

/* A chain's part of moving all rules to fresh memory. */
static u8 *rules_move(const struct xt2_ruleset *rs, struct xt2_rule_list *l, u8 *to)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	const struct xt2_rule *r;

	while ((r = xt2_list_next(&w))) {
		if (xt2_in_image_(rs, r))
			continue;
		memcpy(to, r, r->size);
		w.rule[w.next - 1] = (const struct xt2_rule *)to;
		to += r->size;
	}
	return to;
}

/* Rules that live are copied, and those of the image passed: dead ones have to pay for both. */
static bool is_worth_it(const struct xt2_ruleset *rs)
{
	const size_t dead = rs->rules.dead;

	return dead >= COMPACT_MIN && dead >= rs->rules.live &&
	       dead >= rs->image_size / COMPACT_IMAGE;
}

void xt2_rules_compact_(struct xt2_ruleset *rs)
{
	struct xt2_arena_ fresh = { 0 };
	u8 *to = NULL;
	u32 i;

	if (rs->ops || !is_worth_it(rs)) /* in place, it is freed with the transaction */
		return;
	if (rs->rules.live) {
		to = xt2_arena_alloc_(&fresh, rs->rules.live);
		if (!to)
			return; /* it only saves memory */
	}
	for (i = 0; i < rs->chains; i++) {
		if (rs->chain[i].live && !rs->chain[i].unread)
			to = rules_move(rs, &rs->chain[i].rules, to);
	}
	xt2_arena_free_(&rs->rules);
	rs->rules = fresh;
}

void xt2_rules_drop_(struct xt2_ruleset *rs, struct xt2_rule_list *l)
{
	struct xt2_list_walk w = xt2_list_walk(l);
	const struct xt2_rule *r;

	while ((r = xt2_list_next(&w)))
		xt2_rule_forget_(rs, r);
	xt2_list_free_(l);
}
