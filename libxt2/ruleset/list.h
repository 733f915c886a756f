/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - the list of a chain's rules; not installed
 *
 * A list is two arrays with one gap, where the last change was: reading is an addition, and
 * appending and inserting at one place cost the same.  There may be very many short ones, so the
 * ruleset's arena can lend the arrays.
 *
 * A walk reads a list in order; no rule may be inserted or deleted meanwhile.
 */
#ifndef XT2_LIBXT2_RULESET_LIST_H
#define XT2_LIBXT2_RULESET_LIST_H

#include <stdbool.h>
#include "engine/image.h"

#define XT2_NONE (~(u32)0)

/* 12 bytes a rule, at most twice that while growing. */
struct xt2_rule_list {
	const struct xt2_rule **rule;
	u32 *line;
	u32 n, cap;
	u32 gap; /* rules before the gap */
	bool lent; /* by the ruleset's arena; else malloc'ed */
};

/* The place of a rule in a list. */
struct xt2_list_place_ {
	const struct xt2_rule **rule;
	u32 *line;
};

/* --- reading --------------------------------------------------------------- */

static inline u32 xt2_list_slot_(const struct xt2_rule_list *l, u32 at)
{
	return at < l->gap ? at : at + (l->cap - l->n);
}

static inline struct xt2_list_place_ xt2_list_place_(const struct xt2_rule_list *l, u32 at)
{
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

/* Room for cap rules in all.  => 0, -ENOMEM */
int xt2_list_reserve_(struct xt2_rule_list *l, u32 cap);
/* Room for more rules in a full list.  => 0, -ENOMEM */
int xt2_list_double_(struct xt2_rule_list *l);

/* Room for one more rule.  => 0, -ENOMEM */
static inline int xt2_list_grow_(struct xt2_rule_list *l)
{
	return l->n < l->cap ? 0 : xt2_list_double_(l);
}

/* Move the gap to a position. */
void xt2_list_gap_(struct xt2_rule_list *l, u32 at);

/* There is room. */
static inline void xt2_list_insert_(struct xt2_rule_list *l, u32 at, const struct xt2_rule *r,
				    u32 line)
{
	if (at != l->gap)
		xt2_list_gap_(l, at);
	l->rule[at] = r;
	l->line[at] = line;
	l->gap++;
	l->n++;
}

void xt2_list_delete_(struct xt2_rule_list *l, u32 at);
void xt2_list_free_(struct xt2_rule_list *l);

#endif
