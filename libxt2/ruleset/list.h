/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - the list of a chain's rules; not installed
 *
 * Most lists are two arrays with one gap, where the last change was: reading is an addition, and
 * appending and inserting at one place cost the same.  There may be very many short ones, so the
 * ruleset's arena can lend the arrays.  A list of which more than XT2_LIST_FAR_ rules would have
 * to move at once moves to blocks (list-blocks.h), and stays there until it is empty.
 *
 * A walk reads a list in order at the cost of an array, whichever it is; no rule may be inserted
 * or deleted meanwhile.  Reading by position takes the logarithm of a list in blocks.
 */
#ifndef XT2_LIBXT2_RULESET_LIST_H
#define XT2_LIBXT2_RULESET_LIST_H

#include <stdbool.h>
#include <stdlib.h>
#include "engine/image.h"

#define XT2_NONE (~(u32)0)

#define XT2_LIST_FAR_ 512u /* 6 KiB are moved in the time of some searches in blocks */

struct xt2_blocks_;

/* In arrays 12 bytes a rule, at most twice that while growing; in blocks see list-blocks.c. */
struct xt2_rule_list {
	union {
		const struct xt2_rule **rule;
		struct xt2_blocks_ *blocks;
	};
	u32 *line;
	u32 n, cap; /* cap: of the arrays; 0 in blocks */
	u32 gap; /* rules before the gap; XT2_NONE: the list is in blocks */
	bool lent; /* by the ruleset's arena; else malloc'ed */
};

/* The place of a rule in a list. */
struct xt2_list_place_ {
	const struct xt2_rule **rule;
	u32 *line;
};

/* --- reading --------------------------------------------------------------- */

static inline bool xt2_list_in_blocks_(const struct xt2_rule_list *l)
{
	return l->gap == XT2_NONE;
}

/* Of a list in arrays. */
static inline u32 xt2_list_slot_(const struct xt2_rule_list *l, u32 at)
{
	return at < l->gap ? at : at + (l->cap - l->n);
}

struct xt2_list_place_ xt2_blocks_place_(const struct xt2_blocks_ *b, u32 at);

static inline struct xt2_list_place_ xt2_list_place_(const struct xt2_rule_list *l, u32 at)
{
	if (unlikely(xt2_list_in_blocks_(l)))
		return xt2_blocks_place_(l->blocks, at);
	at = xt2_list_slot_(l, at);
	return (struct xt2_list_place_){ l->rule + at, l->line + at };
}

static inline const struct xt2_rule *xt2_list_rule(const struct xt2_rule_list *l, u32 at)
{
	return *xt2_list_place_(l, at).rule;
}

static inline u32 xt2_list_line(const struct xt2_rule_list *l, u32 at)
{
	return *xt2_list_place_(l, at).line;
}

/* The rules of a list in order, by the parts that are contiguous in memory. */
struct xt2_list_walk {
	const struct xt2_rule_list *list;
	const struct xt2_rule **rule; /* of this part */
	const u32 *line;
	u32 next, end; /* in this part */
	u32 at; /* the position after it in the list */
};

/* Go on to the next part; there is one. */
void xt2_list_walk_on(struct xt2_list_walk *w);

/* A list that was only appended to is one part. */
static inline struct xt2_list_walk xt2_list_walk(const struct xt2_rule_list *l)
{
	const u32 whole = l->gap == l->n ? l->n : 0;

	return (struct xt2_list_walk){ l, l->rule, l->line, 0, whole, whole };
}

/* => the next rule, or NULL */
static inline const struct xt2_rule *xt2_list_next(struct xt2_list_walk *w)
{
	if (unlikely(w->next == w->end)) {
		if (w->at == w->list->n)
			return NULL;
		xt2_list_walk_on(w);
	}
	return w->rule[w->next++];
}

/* => the line of the rule that came last */
static inline u32 xt2_list_walk_line(const struct xt2_list_walk *w)
{
	return w->line[w->next - 1];
}

/* --- changes --------------------------------------------------------------- */

/* Room for cap rules in all, in the arrays of a list that is not in blocks.  => 0, -ENOMEM */
int xt2_list_reserve_(struct xt2_rule_list *l, u32 cap);
/* Room for a rule at a position of a full list.  => 0; -ENOMEM: the list has the same rules */
int xt2_list_extend_(struct xt2_rule_list *l, u32 at);

/* Room for one more rule, at a position.  => 0, -ENOMEM */
static inline int xt2_list_grow_(struct xt2_rule_list *l, u32 at)
{
	return l->n < l->cap ? 0 : xt2_list_extend_(l, at);
}

/* xt2_list_insert_() where the gap is not. */
void xt2_list_insert_apart_(struct xt2_rule_list *l, u32 at, const struct xt2_rule *r, u32 line);

/* There is room at this position. */
static inline void xt2_list_insert_(struct xt2_rule_list *l, u32 at, const struct xt2_rule *r,
				    u32 line)
{
	if (unlikely(at != l->gap)) {
		xt2_list_insert_apart_(l, at, r, line);
		return;
	}
	l->rule[at] = r;
	l->line[at] = line;
	l->gap++;
	l->n++;
}

/* The arrays of a list go; the list still names them. */
static inline void xt2_list_arrays_free_(const struct xt2_rule_list *l)
{
	if (l->lent)
		return;
	free(l->rule);
	free(l->line);
}

void xt2_list_delete_(struct xt2_rule_list *l, u32 at);
void xt2_list_free_(struct xt2_rule_list *l);

#endif
