/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.c - the rules of a chain
 *
 * Nothing that a caller hands in is trusted: a rule is checked by the engine,
 * and what its numbers stand for is checked here.  A change first takes all
 * the memory that it needs and then cannot fail.  How many rules name a chain
 * is kept up to date with every change.
 */
#include "config.h"
#include "inplace-calls.h"
#include "engine/check.h"

/* --- checks ------------------------------------------------------------ */

static bool is_instance(const struct xt2_ruleset *rs, u32 i, u8 kind)
{
	return i < rs->instances && xt2_instance_at_(rs, i)->kind == kind;
}

/* A target that watches, in bridge tables; watchers follow the matches. */
static bool is_watcher(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		       const struct xt2_match *m)
{
	return m->type == XT2_M_FOREIGN && rs->table[c->table].family == XT2_BRIDGE &&
	       is_instance(rs, m->arg, XT2_INSTANCE_TARGET);
}

static int match_check(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		       const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_COMMENT: return is_instance(rs, m->arg, XT2_INSTANCE_COMMENT) ? 0 : -EINVAL;
	case XT2_M_FOREIGN:
		if (is_watcher(rs, c, m))
			return 0;
		return is_instance(rs, m->arg, XT2_INSTANCE_MATCH) ? 0 : -EINVAL;
	}
	return 0;
}

static int target_check(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
			const struct xt2_rule *r)
{
	u32 arg = XT2_TARGET_ARG(r->target);
	const struct xt2_chain_ *to;

	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_JUMP:
	case XT2_T_GOTO:
		to = xt2_chain_get_(rs, (int)arg);
		return to && to->table == c->table ? 0 : -EINVAL;
	case XT2_T_NAT:
		if (strcmp(rs->table[c->table].name, "nat"))
			return -EINVAL;
		__fallthrough;
	case XT2_T_FOREIGN: return is_instance(rs, arg, XT2_INSTANCE_TARGET) ? 0 : -EINVAL;
	}
	return 0;
}

static int rule_check(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		      const struct xt2_rule *rule)
{
	const struct xt2_rule_bounds bounds = {
		.family = (u8)rs->table[c->table].family,
		.chains = rs->chains,
		.cells = rs->cells,
		.instances = rs->instances,
	};
	const struct xt2_match *m;
	bool watching = false;

	if (xt2_check_rule(rule, rule->size, &bounds, NULL))
		return -EINVAL;
	xt2_rule_for_each_match(m, rule) {
		if (match_check(rs, c, m) || (watching && !is_watcher(rs, c, m)))
			return -EINVAL;
		watching = is_watcher(rs, c, m);
	}
	return target_check(rs, c, rule);
}

void xt2_rules_refer_(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r,
		      int change)
{
	u32 to = xt2_rule_jumps(r);

	if (to == XT2_NONE)
		return;
	if (unlikely(rs->ops))
		rs->ops->refer(rs, c, r, change);
	rs->chain[to].references += (u32)change;
}

/* => the chain, if it has a rule at this position, or NULL */
static struct xt2_chain_ *chain_of(const struct xt2_ruleset *rs, int chain, unsigned int at)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c && at < c->rules.n ? c : NULL;
}

/* A rule has left its chain. */
static void retire(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r)
{
	xt2_rules_refer_(rs, c, r, -1);
	xt2_rule_gone_(rs, r);
	xt2_rule_forget_(rs, r);
	xt2_rules_compact_(rs);
}

/* --- changes ----------------------------------------------------------- */

/* A valid rule, at a position that is there.  => 0, -ENOMEM */
static int insert(struct xt2_ruleset *rs, struct xt2_chain_ *c, unsigned int at,
		  const struct xt2_rule *rule, unsigned int line)
{
	const struct xt2_rule *copy;
	u32 next;
	int ret = xt2_chain_opens_(rs, c);

	xt2_rule_used_(rs, c, rule);
	if (ret > 0)
		ret = rs->ops->insert(rs, c, at, rule, line, &next);
	if (ret)
		return ret < 0 ? ret : 0;
	if (xt2_list_grow_(&c->rules, at))
		return -ENOMEM;
	copy = xt2_rule_copy_(&rs->rules, rule);
	if (!copy)
		return -ENOMEM;
	xt2_list_insert_(&c->rules, at, copy, line);
	xt2_rules_refer_(rs, c, copy, 1);
	return 0;
}

/* A change that has this answer brings a rule, and takes one away, if it succeeded. */
static int count_new(struct xt2_ruleset *rs, int ret)
{
	rs->changes.rules_new += !ret;
	return ret;
}

static int count_gone(struct xt2_ruleset *rs, int ret)
{
	rs->changes.rules_gone += !ret;
	return ret;
}

int xt2_rule_insert(struct xt2_ruleset *rs, int chain, unsigned int at, const struct xt2_rule *rule,
		    unsigned int line)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	if (!c || at > c->rules.n)
		return -ENOENT;
	xt2_chain_touch_(rs, c);
	return rule_check(rs, c, rule) ? -EINVAL : count_new(rs, insert(rs, c, at, rule, line));
}

int xt2_rule_put(struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule, unsigned int line)
{
	struct xt2_chain_ *c = &rs->chain[chain];
	struct xt2_rule_list *l = &c->rules;
	const struct xt2_rule *copy;

	xt2_chain_touch_(rs, c);
	if (unlikely(rs->inplace))
		return count_new(rs, insert(rs, c, l->n, rule, line));
	if (xt2_list_grow_(l, l->n))
		return -ENOMEM;
	copy = xt2_rule_copy_(&rs->rules, rule);
	if (!copy)
		return -ENOMEM;
	xt2_list_insert_(l, l->n, copy, line);
	if (xt2_rule_jumps(rule) != XT2_NONE)
		xt2_rules_refer_(rs, c, rule, 1);
	return count_new(rs, 0);
}

int xt2_rule_append(struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule,
		    unsigned int line)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return xt2_rule_insert(rs, chain, c ? c->rules.n : 0, rule, line);
}

/* where: its offset in the image; 0: not known.  => 0, -ENOMEM */
static int delete (struct xt2_ruleset *rs, struct xt2_chain_ *c, unsigned int at, u32 where)
{
	const struct xt2_rule *old;
	int ret = xt2_chain_opens_(rs, c);

	if (ret > 0)
		ret = rs->ops->delete (rs, c, at, where);
	if (ret)
		return ret < 0 ? ret : 0;
	old = xt2_list_rule(&c->rules, at);
	xt2_list_delete_(&c->rules, at);
	retire(rs, c, old);
	return 0;
}

/* A valid rule in the place of another.  => 0, -ENOMEM */
static int replace(struct xt2_ruleset *rs, struct xt2_chain_ *c, unsigned int at,
		   const struct xt2_rule *rule, unsigned int line)
{
	const struct xt2_rule *copy, *old;
	struct xt2_list_place_ place;
	u32 next;
	int ret = xt2_chain_opens_(rs, c);

	xt2_rule_used_(rs, c, rule);
	if (ret > 0) {
		ret = rs->ops->insert(rs, c, at, rule, line, &next);
		if (ret > 0)
			return delete (rs, c, at + 1, next);
	}
	if (ret < 0)
		return ret;
	copy = xt2_rule_copy_(&rs->rules, rule);
	if (!copy)
		return -ENOMEM;
	place = xt2_list_place_(&c->rules, at);
	old = *place.rule;
	*place.rule = copy;
	*place.line = line;
	xt2_rules_refer_(rs, c, copy, 1);
	retire(rs, c, old);
	return 0;
}

int xt2_rule_replace(struct xt2_ruleset *rs, int chain, unsigned int at,
		     const struct xt2_rule *rule, unsigned int line)
{
	struct xt2_chain_ *c = chain_of(rs, chain, at);

	if (!c)
		return -ENOENT;
	if (rule_check(rs, c, rule))
		return -EINVAL;
	xt2_chain_touch_(rs, c);
	return count_gone(rs, count_new(rs, replace(rs, c, at, rule, line)));
}

int xt2_rule_delete(struct xt2_ruleset *rs, int chain, unsigned int at)
{
	struct xt2_chain_ *c = chain_of(rs, chain, at);

	if (!c)
		return -ENOENT;
	xt2_chain_touch_(rs, c);
	return count_gone(rs, delete (rs, c, at, 0));
}

void xt2_rules_flush_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	struct xt2_list_walk w;
	const struct xt2_rule *r;

	rs->changes.rules_gone += c->rules.n;
	if (c->rules.n)
		xt2_chain_touch_(rs, c);
	if (unlikely(c->unread)) {
		rs->ops->flush(rs, c);
		return;
	}
	w = xt2_list_walk(&c->rules);
	while ((r = xt2_list_next(&w))) {
		xt2_rules_refer_(rs, c, r, -1);
		xt2_rule_gone_(rs, r);
	}
	xt2_rules_drop_(rs, &c->rules);
}

int xt2_rule_set_counters(struct xt2_ruleset *rs, int chain, unsigned int at, __u64 packets,
			  __u64 bytes)
{
	struct xt2_chain_ *c = chain_of(rs, chain, at);
	const struct xt2_rule *old = xt2_rule_get(rs, chain, at);
	struct xt2_rule *r;

	if (!c)
		return -ENOENT;
	if (!old)
		return -ENOMEM;
	if (old->packets == packets && old->bytes == bytes)
		return 0;
	r = rs->ops ? xt2_rule_copy_(&rs->rules, old) : xt2_list_own_(rs, &c->rules, at);
	if (!r)
		return -ENOMEM;
	r->packets = packets;
	r->bytes = bytes;
	return rs->ops ? replace(rs, c, at, r, xt2_rule_line(rs, chain, at)) : 0;
}

/* --- questions --------------------------------------------------------- */

const struct xt2_rule *xt2_rule_get(const struct xt2_ruleset *rs, int chain, unsigned int at)
{
	const struct xt2_chain_ *c = chain_of(rs, chain, at);

	if (c && unlikely(rs->ops))
		return rs->ops->rule(rs, c, at);
	return c ? xt2_list_rule(&c->rules, at) : NULL;
}

unsigned int xt2_rule_line(const struct xt2_ruleset *rs, int chain, unsigned int at)
{
	const struct xt2_chain_ *c = chain_of(rs, chain, at);

	if (c && unlikely(c->unread))
		return rs->ops->line(rs, c, at);
	return c ? xt2_list_line(&c->rules, at) : 0;
}

static bool instance_equal(const struct xt2_ruleset *rs, u32 a, u32 b)
{
	const struct xt2_instance *in = xt2_instance_at_(rs, b);

	return a == b || xt2_instance_says_(xt2_instance_at_(rs, a), in, in + 1);
}

static bool match_equal(const struct xt2_ruleset *rs, const struct xt2_match *a,
			const struct xt2_match *b)
{
	u32 info = xt2_match_info(a->type);

	if (a->type != b->type || a->flags != b->flags || a->size != b->size ||
	    memcmp(a + 1, b + 1, a->size - sizeof(*a)))
		return false;
	if (info & XT2_EXT_CELL)
		return true;
	return info & XT2_EXT_INSTANCE ? instance_equal(rs, a->arg, b->arg) : a->arg == b->arg;
}

static bool target_equal(const struct xt2_ruleset *rs, const struct xt2_rule *a,
			 const struct xt2_rule *b)
{
	u8 kind = XT2_TARGET_KIND(a->target);
	u32 i = XT2_TARGET_ARG(a->target);
	u32 j = XT2_TARGET_ARG(b->target);

	if (kind != XT2_TARGET_KIND(b->target) ||
	    memcmp(xt2_rule_target_data(a), xt2_rule_target_data(b), xt2_rule_target_size(a)))
		return false;
	return xt2_target_info(kind) & XT2_EXT_INSTANCE ? instance_equal(rs, i, j) : i == j;
}

bool xt2_rules_equal_(const struct xt2_ruleset *rs, const struct xt2_rule *a,
		      const struct xt2_rule *b)
{
	const struct xt2_match *m;

	if (a->size != b->size || a->target_offset != b->target_offset)
		return false;
	xt2_rule_for_each_match(m, a) {
		if (!match_equal(rs, m, xt2_at(b, xt2_offset(a, m))))
			return false;
	}
	return target_equal(rs, a, b);
}

int xt2_rule_find(const struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);
	const struct xt2_rule *r;
	struct xt2_list_walk w;
	int i;

	if (!c)
		return -ENOENT;
	if (rule_check(rs, c, rule))
		return -EINVAL;
	if (unlikely(c->unread))
		return rs->ops->find(rs, c, rule);
	w = xt2_list_walk(&c->rules);
	for (i = 0; (r = xt2_list_next(&w)); i++) {
		if (xt2_rules_equal_(rs, r, rule))
			return i;
	}
	return -ENOENT;
}
