/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ruleset-loop.c - name the chains of a loop, which the engine only refuses */
#include "config.h"
#include "libxt2/err.h"
#include "jumps.h"
#include "engine/rule.h"

static int list(const struct xt2_ruleset *rs, struct xt2_jumps *w)
{
	const struct xt2_rule *r;
	struct xt2_list_walk walk;
	u32 i, j;

	for (i = 0; i < rs->chains; i++) {
		if (!rs->chain[i].live)
			continue;
		walk = xt2_list_walk(&rs->chain[i].rules);
		for (j = 0; (r = xt2_list_next(&walk)); j++) {
			if (xt2_jumps_add(w, i, j, r))
				return -ENOMEM;
			if (xt2_rule_ends(r))
				break;
		}
	}
	return 0;
}

/* => the chain of a jump that closes a loop, which is the last one that it followed, or XT2_NONE */
static u32 search(const struct xt2_ruleset *rs, struct xt2_jumps *w)
{
	bool loop;
	u32 i, from;

	for (i = 0; i < rs->chains; i++) {
		if (!rs->chain[i].live || rs->chain[i].hook == XT2_HOOK_NONE)
			continue;
		xt2_jumps_start(w, i);
		while (xt2_jumps_next(w, &from, &loop))
			if (loop)
				return from;
	}
	return XT2_NONE;
}

/* The jump by which the walk has left a chain. */
static const struct xt2_jump *left_by(const struct xt2_jumps *w, u32 chain)
{
	return &w->chain[chain].jump[w->chain[chain].next - 1];
}

/* "A -> B -> A", or its first part and "..." */
static void circle_print(const struct xt2_ruleset *rs, const struct xt2_jumps *w, u32 last,
			 char *buf, size_t size)
{
	const u32 first = left_by(w, last)->to;
	u32 chain = first;
	size_t len = 0;

	do {
		bool fits = len + 2 * (XT2_NAME_SIZE + 4) + 8 <= size;

		len += (size_t)snprintf(buf + len, size - len, "%s -> ",
					fits ? rs->chain[chain].name : "...");
		chain = fits ? left_by(w, chain)->to : first;
	} while (chain != first);
	snprintf(buf + len, size - len, "%s", rs->chain[first].name);
}

static void circle_report(const struct xt2_ruleset *rs, const struct xt2_jumps *w, u32 last,
			  struct xt2_err *err)
{
	const struct xt2_chain_ *c = &rs->chain[last];
	const struct xt2_table_ *t = &rs->table[c->table];
	char circle[320];

	circle_print(rs, w, last, circle, sizeof(circle));
	xt2_err_set(err, XT2_E_LOOP, ELOOP, "chains of table '%s' jump in a circle: %s", t->name,
		    circle);
	xt2_err_file(err, t->source);
	xt2_err_hint(err, "remove one of these jumps");
	err->line = xt2_list_line(&c->rules, left_by(w, last)->rule);
}

int xt2_loop_report_(const struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct xt2_jumps w;
	u32 last;

	if (!err)
		return -ELOOP;
	xt2_err_set(err, XT2_E_LOOP, ELOOP, "chains jump in a circle");
	if (xt2_ruleset_complete_(rs))
		return -ELOOP;
	if (!xt2_jumps_begin(&w, rs->chains) && !list(rs, &w)) {
		last = search(rs, &w);
		if (last != XT2_NONE)
			circle_report(rs, &w, last, err);
	}
	xt2_jumps_end(&w);
	return -ELOOP;
}
