/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace-rules.c - the rules of chains of a ruleset that is edited in its image
 *
 * A long chain is edited by a patch.  Where a patch cannot take a change, since it has
 * too many already, or since the place is in a large rule group, the chain becomes a list,
 * and is compiled anew by the commit.
 */
#include "config.h"
#include "inplace.h"

#include <stdlib.h>
#include "engine/index/patched.h"

/* Changes that a patch may have before the chain is compiled anew by whoever changes it. */
static u32 changes_max(const struct xt2_inplace_ *in, u32 rules)
{
	return in->log ? rules / 2 + XT2_SHORT_ : xt2_changes_usual(rules);
}

/* --- reading -------------------------------------------------------------------- */

/* => what finds the rules of a compiled chain; NULL: nothing does */
static const struct xt2_finder *finder_of(const struct xt2_inplace_ *in, u32 number,
					  const struct xt2_chain *compiled)
{
	const struct xt2_way *way = in->has_ways ? xt2_pages_get(&in->way, number) : NULL;
	const struct xt2_finder *f;

	if (!way || !way->finder || way->finder >= in->img->size)
		return NULL;
	f = xt2_at(in->img, way->finder);
	return xt2_finder_fits(f, in->img->size - way->finder, compiled) ? f : NULL;
}

void xt2_inplace_view_(const struct xt2_inplace_ *in, const struct xt2_chain_ *c, u32 number,
		       struct xt2_view *v)
{
	const struct xt2_chain *from;

	if (c->edit) {
		xt2_view_edit(v, c->edit, finder_of(in, number, c->edit->compiled));
		return;
	}
	from = xt2_inplace_now_(in, c, number);
	xt2_view_chain(v, in->img, from, finder_of(in, number, xt2_chain_compiled(in->img, from)));
}

static void view_of(const struct xt2_ruleset *rs, const struct xt2_chain_ *c, struct xt2_view *v)
{
	xt2_inplace_view_(rs->inplace, c, xt2_chain_number_(rs, c), v);
}

/* With all that it has counted, in its group or a slot.  => the rule, or a copy; NULL: no memory */
static const struct xt2_rule *counted(const struct xt2_ruleset *rs,
				      const struct xt2_chain *compiled, const struct xt2_rule *r)
{
	const struct xt2_counts n = xt2_inplace_counts_(rs->inplace, compiled, r);
	struct xt2_rule *copy;

	if (n.packets == r->packets && n.bytes == r->bytes)
		return r;
	copy = xt2_rule_copy_(&((struct xt2_ruleset *)rs)->rules, r);
	if (!copy) {
		xt2_inplace_fail_(rs->inplace, -ENOMEM);
		return NULL;
	}
	copy->packets = n.packets;
	copy->bytes = n.bytes;
	return copy;
}

const struct xt2_rule *xt2_inplace_counted(const struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	return rs->inplace->slots && xt2_in_image_(rs, r) ? counted(rs, NULL, r) : r;
}

const struct xt2_rule *xt2_inplace_rule_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
					 u32 at)
{
	struct xt2_view v;

	if (!c->unread)
		return xt2_inplace_counted(rs, xt2_list_rule(&c->rules, at));
	view_of(rs, c, &v);
	return counted(rs, v.compiled, xt2_at(v.img, xt2_view_nth(&v, at)));
}

u32 xt2_inplace_line_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c, u32 at)
{
	const struct xt2_rule *r;
	const u32 *lines;
	struct xt2_view v;

	view_of(rs, c, &v);
	r = xt2_at(v.img, xt2_view_nth(&v, at));
	if (!xt2_is_compiled(v.compiled, r))
		return xt2_inserted_of(r)->line;
	if (!v.compiled->lines)
		return 0;
	lines = xt2_at(v.img, v.compiled->lines);
	return lines[xt2_finder_number(v.finder, v.compiled, xt2_offset(v.compiled, r))];
}

struct sought {
	const struct xt2_ruleset *rs;
	const struct xt2_rule *rule;
};

static bool same(void *arg, const struct xt2_rule *candidate)
{
	const struct sought *s = arg;

	return xt2_rules_equal_(s->rs, candidate, s->rule);
}

int xt2_inplace_find_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		      const struct xt2_rule *rule)
{
	struct sought s = { rs, rule };
	struct xt2_view v;

	view_of(rs, c, &v);
	return xt2_view_find(&v, rule, same, &s);
}

/* --- opening and closing ---------------------------------------------------------- */

/* A long chain gets what finds its rules with its first change, if it has not. */
int xt2_inplace_finder_(struct xt2_inplace_ *in, u32 number, const struct xt2_chain *compiled)
{
	struct xt2_way *way;
	u32 at;

	if (compiled->rules <= XT2_FINDER_RULES || finder_of(in, number, compiled))
		return 0;
	at = xt2_space_alloc(&in->space, xt2_finder_size(compiled));
	way = at ? xt2_pages_own(&in->way, number) : NULL;
	if (!way)
		return -ENOSPC;
	xt2_finder_build(xt2_at(in->img, at), compiled);
	way->finder = at;
	return 0;
}

static int open_edit(struct xt2_inplace_ *in, struct xt2_chain_ *c, u32 number)
{
	const struct xt2_chain *from = xt2_inplace_before_(in, number);
	int ret;

	c->edit = malloc(sizeof(*c->edit));
	if (!c->edit)
		return -ENOMEM;
	ret = xt2_patch_begin(c->edit, &in->space, xt2_offset(in->img, from),
			      in->root->generation + 1);
	if (ret) {
		free(c->edit);
		c->edit = NULL;
		return ret;
	}
	return xt2_inplace_finder_(in, number, c->edit->compiled);
}

/* The list of a chain's rules, read or as the edit has left them.  => 0, -errno */
static int make_list(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	if (c->unread)
		xt2_inplace_read_(rs, c);
	return rs->inplace->error;
}

int xt2_inplace_open_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	struct xt2_inplace_ *in = rs->inplace;
	const bool changed = c->changed;
	int ret;

	if (in->error)
		return in->error;
	if (c->edit)
		return 1;
	if (xt2_inplace_ways_(rs))
		return in->error;
	xt2_chain_changes_(rs, c);
	if (c->rules.n <= XT2_SHORT_ || (changed && !c->unread) ||
	    !xt2_inplace_before_(in, xt2_chain_number_(rs, c)))
		return make_list(rs, c);
	if (!c->unread) { /* it was listed only to be read */
		const u32 n = c->rules.n;

		xt2_rules_drop_(rs, &c->rules);
		c->rules.n = n;
		c->unread = 1;
	}
	ret = open_edit(in, c, xt2_chain_number_(rs, c));
	return ret ? xt2_inplace_fail_(in, ret) : 1;
}

/* => is it better to compile the chain anew? */
static bool is_full(const struct xt2_inplace_ *in, const struct xt2_chain_ *c)
{
	return xt2_patch_items(c->edit) >= changes_max(in, c->edit->compiled->rules);
}

static void note_edit(const struct xt2_ruleset *rs, const struct xt2_chain_ *c, u32 at,
		      const struct xt2_rule *rule, u32 line)
{
	if (rs->inplace->log)
		xt2_log_note(rs->inplace->log, xt2_chain_number_(rs, c), at, rule, line);
}

/* An edit's answer.  => 1: done; 0: the rules are a list now; -errno */
static int answer(struct xt2_ruleset *rs, struct xt2_chain_ *c, int ret)
{
	if (ret == -E2BIG)
		return make_list(rs, c);
	return ret ? xt2_inplace_fail_(rs->inplace, ret) : 1;
}

/* --- changes ----------------------------------------------------------------------- */

/* => is the rule a compiled one?  Those do not move while the chain is edited. */
static bool is_compiled(const struct xt2_inplace_ *in, const struct xt2_chain_ *c, u32 rule)
{
	return xt2_is_compiled(c->edit->compiled, xt2_at(in->img, rule));
}

static int insert(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at, u32 before,
		  const struct xt2_rule *rule, u32 line)
{
	struct xt2_rule *copy;
	u32 where;
	int ret;

	if (!rs->inplace->slots)
		return xt2_patch_insert(c->edit, before, rule, line, &where);
	copy = xt2_rule_copy_(&rs->rules, rule);
	ret = copy ? xt2_inplace_slot_(rs->inplace, copy) : -ENOMEM;
	if (ret)
		return ret;
	ret = xt2_patch_insert(c->edit, before, copy, line, &where);
	if (ret == -E2BIG)
		rs->inplace->slots->retire(rs->inplace->slots->arg, (u32)copy->packets);
	if (!ret)
		note_edit(rs, c, at, copy, line);
	return ret;
}

int xt2_inplace_insert_(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at,
			const struct xt2_rule *rule, u32 line, u32 *next)
{
	struct xt2_view v;
	u32 before = 0;
	int ret = -E2BIG;

	if (!is_full(rs->inplace, c)) {
		view_of(rs, c, &v);
		before = xt2_view_nth(&v, at);
		ret = insert(rs, c, at, before, rule, line);
	}
	ret = answer(rs, c, ret);
	*next = ret > 0 && is_compiled(rs->inplace, c, before) ? before : 0;
	if (ret > 0) {
		c->rules.n++;
		xt2_rules_refer_(rs, c, rule, 1);
	}
	return ret;
}

int xt2_inplace_delete_(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at, u32 where)
{
	const struct xt2_rule *r;
	struct xt2_view v;
	int ret = -E2BIG;

	if (is_full(rs->inplace, c))
		return answer(rs, c, ret);
	if (!where) {
		view_of(rs, c, &v);
		where = xt2_view_nth(&v, at);
	}
	r = xt2_at(rs->inplace->img, where);
	ret = answer(rs, c, xt2_patch_delete(c->edit, where));
	if (ret > 0) {
		c->rules.n--;
		xt2_rules_refer_(rs, c, r, -1); /* its bytes are still there */
		xt2_inplace_gone_(rs, r);
		note_edit(rs, c, at, NULL, 0);
	}
	return ret;
}

void xt2_inplace_flush_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	const struct xt2_rule *r;
	struct xt2_in_order o;
	struct xt2_view v;
	u32 i;

	if (xt2_inplace_ways_(rs))
		return;
	view_of(rs, c, &v);
	xt2_view_walk(&v, 0, &o);
	for (i = 0; i < c->rules.n; i++) {
		r = xt2_order_next(&o);
		xt2_rules_refer_(rs, c, r, -1);
		xt2_inplace_gone_(rs, r);
	}
	if (c->edit)
		xt2_inplace_unpatch_(rs, c);
	c->rules = (struct xt2_rule_list){ 0 };
	c->unread = 0;
}
