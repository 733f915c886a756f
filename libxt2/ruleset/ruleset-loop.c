/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruleset-loop.c - name the chains that jump in a circle
 *
 * The engine refuses loops; this finds one again, for people.  As there, a
 * chain is looked at up to its first rule without conditions that gives a
 * verdict or returns.  Depth first from the base chains, with the way in an
 * array of our own.
 */
#include "config.h"
#include "libxt2/err.h"
#include "ruleset.h"
#include "engine/rule.h"

#include <stdlib.h>

enum color {
	UNSEEN,
	ON_THE_WAY,
	DONE,
};

struct step {
	u32 chain;
	u32 at; /* next rule */
};

struct search {
	const struct xt2_ruleset *rs;
	u8 *color; /* by chain */
	struct step *way;
	u32 n;
};

static void enter(struct search *s, u32 chain)
{
	s->color[chain] = ON_THE_WAY;
	s->way[s->n++] = (struct step){ .chain = chain };
}

/* => the chain that the next branching rule names, or XT2_NONE at the end */
static u32 advance(struct search *s)
{
	struct step *step = &s->way[s->n - 1];
	const struct xt2_rule_list *l = &s->rs->chain[step->chain].rules;

	while (step->at < l->n) {
		const struct xt2_rule *r = xt2_list_rule(l, step->at++);

		if (xt2_rule_branches(r))
			return xt2_rule_jumps(r);
		if (xt2_rule_ends(r))
			break;
	}
	s->color[step->chain] = DONE;
	s->n--;
	return XT2_NONE;
}

/* => a chain that is on the way and was met again, or XT2_NONE */
static u32 search_from(struct search *s, u32 base)
{
	if (s->color[base] == UNSEEN)
		enter(s, base);
	while (s->n) {
		u32 to = advance(s);

		if (to == XT2_NONE || s->color[to] == DONE)
			continue;
		if (s->color[to] == ON_THE_WAY)
			return to;
		enter(s, to);
	}
	return XT2_NONE;
}

/* "A -> B -> A", or its first part and "..." */
static void circle_print(const struct search *s, u32 from, char *buf, size_t size)
{
	size_t len = 0;
	u32 i = 0;

	while (s->way[i].chain != from)
		i++;
	for (; i < s->n; i++) {
		bool fits = len + 2 * (XT2_NAME_SIZE + 4) + 8 <= size;

		len += (size_t)snprintf(buf + len, size - len, "%s -> ",
					fits ? s->rs->chain[s->way[i].chain].name : "...");
		if (!fits)
			break;
	}
	snprintf(buf + len, size - len, "%s", s->rs->chain[from].name);
}

static void circle_report(const struct search *s, u32 from, struct xt2_err *err)
{
	const struct step *last = &s->way[s->n - 1];
	const struct xt2_chain_ *c = &s->rs->chain[last->chain];
	const struct xt2_table_ *t = &s->rs->table[c->table];
	char circle[320];

	circle_print(s, from, circle, sizeof(circle));
	xt2_err_set(err, XT2_E_LOOP, ELOOP, "chains of table '%s' jump in a circle: %s", t->name,
		    circle);
	xt2_err_file(err, t->source);
	xt2_err_hint(err, "remove one of these jumps");
	err->line = c->rules.line[xt2_list_slot_(&c->rules, last->at - 1)];
}

int xt2_loop_report_(const struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct search s = { .rs = rs };
	u32 i, met = XT2_NONE;

	if (!err)
		return -ELOOP;
	xt2_err_set(err, XT2_E_LOOP, ELOOP, "chains jump in a circle");
	s.color = calloc(rs->chains, 1);
	s.way = malloc(rs->chains * sizeof(*s.way));
	for (i = 0; s.color && s.way && met == XT2_NONE && i < rs->chains; i++) {
		if (rs->chain[i].live && rs->chain[i].hook != XT2_HOOK_NONE)
			met = search_from(&s, i);
	}
	if (met != XT2_NONE)
		circle_report(&s, met, err);
	free(s.color);
	free(s.way);
	return -ELOOP;
}
