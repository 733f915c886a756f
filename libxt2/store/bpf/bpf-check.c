/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-check.c - which rules a BPF netfilter program can carry out
 *
 * It sees packets of IPv4 and IPv6 at five hooks, and answers accept or drop.
 * Nothing that a rule says is left out: what can't be done is refused by name.
 * What no packet can reach does nothing, and may be whatever it is: so may a
 * table for which there is no program, or that does nothing, such as an empty nat, if it has no
 * rule that is reached and no policy but ACCEPT.  It is kept, and no program is at its hooks.
 */
#include "libxt2/store/companion/bpf-nat.h"
#include "libxt2/store/companion/bpf-stops.h"
#include "engine/rule.h"

/* --- what packets reach ---------------------------------------------------- */

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	u8 *seen; /* by chain: packets can get there */
	u32 *todo, left; /* such chains that were not looked into yet */
	xt2_refused found;
	void *data;
	struct xt2_stops stops;
	int refusals;
	bool stop; /* the caller has enough */
};

static void reach(struct walk *w, u32 chain)
{
	if (w->seen[chain])
		return;
	w->seen[chain] = 1;
	w->todo[w->left++] = chain;
}

static void reach_all(struct walk *w)
{
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_hook(h, i, w->img, w->root)
		reach(w, h->chain);
	while (w->left) {
		c = xt2_image_chain(w->img, w->root, w->todo[--w->left]);
		xt2_chain_for_each_rule(r, c) {
			if (xt2_rule_branches(r))
				reach(w, XT2_TARGET_ARG(r->target));
			if (xt2_rule_ends(r))
				break;
		}
	}
}

/* --- what is refused --------------------------------------------------------- */

/* The reason, without table, chain and rule. */
static void explain(const struct xt2_live_refusal *r, char *buf, size_t size)
{
	size_t at;

	switch (r->reason) {
	case XT2_LIVE_NO_TABLE:
		snprintf(buf, size, "a live ruleset cannot have table %s of %s with ", r->name,
			 xt2_family_name(r->family));
		at = strlen(buf);
		if (r->count)
			snprintf(buf + at, size - at, "rules (%llu)", (unsigned long long)r->count);
		else
			snprintf(buf + at, size - at, "policy DROP");
		break;
	case XT2_LIVE_NO_MATCH:
		snprintf(buf, size, "a live ruleset cannot match %s", r->name);
		break;
	case XT2_LIVE_CHANGED:
		snprintf(
			buf, size,
			"a live ruleset cannot match %s after a rule of the table that changes what it looks at",
			r->name);
		break;
	case XT2_LIVE_ASKS:
		snprintf(
			buf, size,
			"the kernel would be asked %llu different matches about each packet, and %u are many",
			(unsigned long long)r->count, XT2_LIVE_ASKS_MAX);
		break;
	case XT2_LIVE_BOUND:
		snprintf(
			buf, size,
			"this %s is one of %llu different targets that the kernel has in one table alone, and %u are possible",
			r->name, (unsigned long long)r->count, XT2_ACT_BOUND_MAX);
		break;
	case XT2_LIVE_STOPS:
		snprintf(
			buf, size,
			"a packet may have to wait %llu times, in chains %u deep, until the kernel has answered matches such as %s; %u times and %u deep are possible",
			(unsigned long long)r->count, r->depth, r->name, XT2_STOPS, XT2_STOP_DEPTH);
		break;
	case XT2_LIVE_NO_TARGET: snprintf(buf, size, "a live ruleset cannot do %s", r->name); break;
	case XT2_LIVE_TOO_LONG:
		snprintf(buf, size,
			 "chains lead to chains in too many ways: a packet may enter %llu, %u deep",
			 (unsigned long long)r->count, r->depth);
		break;
	case XT2_LIVE_TOO_MANY:
		snprintf(buf, size, "a packet may meet %llu rules, in chains that it enters again",
			 (unsigned long long)r->count);
	}
}

/* r has its reason and its name.  rule: 0 is the policy */
static void refuse(struct walk *w, struct xt2_live_refusal r, const struct xt2_chain *c,
		   unsigned int rule)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, c->table);
	char why[256];

	w->refusals++;
	if (w->stop || !w->found)
		return;
	r.family = t->family;
	r.table = t->name;
	r.chain = xt2_image_chain_cold(w->img, w->root, c->index)->name;
	r.rule = rule;
	explain(&r, why, sizeof(why));
	r.why = why;
	w->stop = w->found(w->data, &r) != 0;
}

static const char *instance_name(const struct walk *w, u32 i)
{
	return xt2_image_instance(w->img, w->root, i)->name;
}

static bool is_refused_match(const struct xt2_match *m)
{
	return m->type == XT2_M_FOREIGN ||
	       xt2_match_info(m->type) & (XT2_EXT_NATIVE | XT2_EXT_FOREIGN);
}

static bool is_refused_target(const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	return kind == XT2_T_FOREIGN || kind == XT2_T_QUEUE ||
	       xt2_target_info(kind) & (XT2_EXT_NATIVE | XT2_EXT_FOREIGN);
}

/* => the name of a match that can't be done, or NULL */
static const char *refused_match(const struct walk *w, const struct xt2_match *m)
{
	if (xt2_left_is_question_(w->img, m) || xt2_stops_has_(&w->stops, w->img, m))
		return NULL;
	if (m->type == XT2_M_FOREIGN)
		return instance_name(w, m->arg);
	return is_refused_match(m) ? xt2_match_name(m->type) : NULL;
}

/* A companion carries out most of NAT's, and REJECT in filter: see act.h. */
static const char *refused_target(const struct walk *w, const struct xt2_table *t,
				  const struct xt2_rule *r)
{
	const u32 arg = XT2_TARGET_ARG(r->target);
	u8 kind = XT2_TARGET_KIND(r->target);

	if (kind == XT2_T_NAT && xt2_nat_can_(xt2_image_instance(w->img, w->root, arg), t->family))
		return NULL;
	if (kind == XT2_T_NFQUEUE && xt2_live_table_(t->name) == XT2_NAT)
		return "NFQUEUE"; /* NAT itself would not go on */
	if (xt2_left_is_step_(w->img, r))
		return NULL;
	if (kind == XT2_T_FOREIGN || kind == XT2_T_NAT)
		return instance_name(w, arg);
	if (kind == XT2_T_REJECT && xt2_live_table_(t->name) != XT2_FILTER)
		return "REJECT";
	return is_refused_target(r) ? xt2_target_name(kind) : NULL;
}

bool xt2_live_can_(const struct xt2_image *img, const struct xt2_table *t, const struct xt2_rule *r)
{
	const struct walk w = { .img = img, .root = xt2_image_root(img) };
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (refused_match(&w, m))
			return false;
	return !refused_target(&w, t, r);
}

static void check_rule(struct walk *w, const struct xt2_chain *c, const struct xt2_rule *r,
		       unsigned int number)
{
	const struct xt2_match *m;
	const char *name;

	xt2_rule_for_each_match(m, r) {
		name = refused_match(w, m);
		if (name)
			refuse(w,
			       (struct xt2_live_refusal){ .reason = XT2_LIVE_NO_MATCH,
							  .name = name },
			       c, number);
	}
	name = refused_target(w, xt2_image_table(w->img, w->root, c->table), r);
	if (name)
		refuse(w, (struct xt2_live_refusal){ .reason = XT2_LIVE_NO_TARGET, .name = name },
		       c, number);
}

static void check_chain(struct walk *w, const struct xt2_chain *c)
{
	const struct xt2_rule *r;
	unsigned int number = 0;

	xt2_chain_for_each_rule(r, c) {
		check_rule(w, c, r, ++number);
		if (xt2_rule_ends(r))
			break;
	}
}

/* Does a chain of a table without a program do anything?  *rules: how many of its rules */
static bool has_effect(const struct xt2_chain *c, u64 *rules)
{
	const struct xt2_rule *r;
	bool effect = XT2_TARGET_KIND(xt2_chain_tail(c)->target) == XT2_T_DROP;

	xt2_chain_for_each_rule(r, c) {
		if (r == xt2_chain_tail(c))
			break;
		effect = true;
		++*rules;
		if (xt2_rule_ends(r))
			break;
	}
	return effect;
}

/* A table without a program must not have any effect. */
static void check_idle(struct walk *w, u32 table)
{
	struct xt2_live_refusal refusal = { .reason = XT2_LIVE_NO_TABLE };
	const struct xt2_chain *c, *first = NULL;
	u32 i;

	xt2_image_for_each_chain(c, i, w->img, w->root) {
		u64 before = refusal.count;

		if (c->table != table || !w->seen[i] || !has_effect(c, &refusal.count))
			continue;
		if (!first || (!before && refusal.count)) /* rather a rule than a policy */
			first = c;
	}
	if (!first)
		return;
	refusal.name = xt2_image_table(w->img, w->root, table)->name;
	refuse(w, refusal, first, refusal.count ? 1 : 0);
}

static void check_table(struct walk *w, u32 table)
{
	const struct xt2_chain *c;
	u32 i;

	if (!xt2_live_has_program_(w->img, xt2_image_table(w->img, w->root, table))) {
		check_idle(w, table);
		return;
	}
	xt2_image_for_each_chain(c, i, w->img, w->root) {
		if (c->table == table && w->seen[i])
			check_chain(w, c);
	}
}

/* --- how long a packet's way may be --------------------------------------------- */

static void check_hook_ways(struct walk *w, const struct xt2_hook *h, u64 rules)
{
	struct xt2_live_refusal r = { .name = xt2_hook_name(h->family, h->hook) };

	if (!xt2_live_hooked(w->img, h))
		return;
	if (h->visits > xt2_image_visits_max(w->img)) {
		r.reason = XT2_LIVE_TOO_LONG;
		r.count = h->visits;
		r.depth = h->depth;
	} else if (rules > XT2_LIVE_RULES_MAX) {
		r.reason = XT2_LIVE_TOO_MANY;
		r.count = rules;
	} else {
		return;
	}
	refuse(w, r, xt2_image_chain(w->img, w->root, h->chain), 0);
}

/* => 0, -ENOMEM */
static int check_ways(struct walk *w)
{
	u64 *rules = calloc(w->root->hooks + 1, sizeof(*rules));
	const struct xt2_hook *h;
	u32 i;
	int ret = rules ? xt2_live_meets_(w->img, false, rules) : -ENOMEM;

	if (!ret)
		xt2_image_for_each_hook(h, i, w->img, w->root)
			check_hook_ways(w, h, rules[i]);
	free(rules);
	return ret;
}

/* --- what is left to companions ------------------------------------------------ */

static void on_changed(void *walk, const struct xt2_chain *c, u32 rule, const struct xt2_match *m)
{
	struct walk *w = walk;
	const char *name = m->type == XT2_M_FOREIGN ? instance_name(w, m->arg)
						    : xt2_match_name(m->type);

	if (xt2_live_has_program_(w->img, xt2_image_table(w->img, w->root, c->table)) &&
	    !xt2_stops_has_(&w->stops, w->img, m))
		refuse(w, (struct xt2_live_refusal){ .reason = XT2_LIVE_CHANGED, .name = name }, c,
		       rule);
}

/* A plan ends at a question for which a table has no number: that is one at some hook of it. */
static void check_hook_asks(struct walk *w, const struct xt2_hook *h,
			    const struct xt2_left_plan *plan)
{
	const u32 table = (u32)xt2_live_table_(xt2_image_table(w->img, w->root, h->table)->name);
	struct xt2_live_refusal r = { .reason = XT2_LIVE_ASKS,
				      .name = xt2_hook_name(h->family, h->hook) };
	u32 i;

	for (i = 0; i < plan->asks[table]; i++)
		r.count += plan->ask[table][i].hooks[table] >> h->hook & 1;
	if (r.count && plan->asks[table] > XT2_QUESTIONS)
		r.count = plan->asks[table];
	if (r.count > XT2_LIVE_ASKS_MAX)
		refuse(w, r, xt2_image_chain(w->img, w->root, h->chain), 0);
}

static void check_hook_stops(struct walk *w, const struct xt2_hook *h,
			     const struct xt2_left_plan *plan)
{
	const u32 table = (u32)xt2_live_table_(xt2_image_table(w->img, w->root, h->table)->name);
	struct xt2_live_refusal r = { .reason = XT2_LIVE_STOPS,
				      .count = plan->most[table][h->hook],
				      .depth = h->depth };
	u32 i;

	if (!r.count || (r.count <= XT2_STOPS && r.depth <= XT2_STOP_DEPTH))
		return;
	for (i = 0; i < plan->stops[table] && !r.name; i++)
		if (plan->stop[table][i].hooks[table] >> h->hook & 1)
			r.name = plan->stop[table][i].ext->name;
	refuse(w, r, xt2_image_chain(w->img, w->root, h->chain), 0);
}

/* @offset: of a rule */
static void refuse_at(struct walk *w, struct xt2_live_refusal r, u32 offset)
{
	const struct xt2_chain *c;
	const struct xt2_rule *rule;
	struct xt2_in_order o;
	u32 i, n;

	xt2_image_for_each_chain(c, i, w->img, w->root) {
		n = 0;
		xt2_chain_for_each(rule, &o, w->img, c) {
			n++;
			if (xt2_offset(w->img, rule) == offset)
				refuse(w, r, c, n);
		}
	}
}

/* Such a target has a bit of a note. */
static void check_bound(struct walk *w, const struct xt2_left_plan *plan)
{
	struct xt2_live_refusal r = { .reason = XT2_LIVE_BOUND };
	const struct xt2_left_item *last = NULL;
	u32 i;

	for (i = 0; i < plan->steps; i++)
		if (xt2_step_is_bound_(plan->step[i].ext) && r.count++ == XT2_ACT_BOUND_MAX)
			last = &plan->step[i];
	if (!last)
		return;
	r.name = last->ext->name;
	refuse_at(w, r, last->offset);
}

/* => 0, -ENOMEM */
static int check_left(struct walk *w)
{
	struct xt2_left_plan plan;
	const struct xt2_hook *h;
	int ret = xt2_left_order_(w->img, w->seen, on_changed, w);
	u32 i, family;

	for (family = 0; family < XT2_NFT_FAMILIES && !ret && xt2_left_count_(w->img); family++) {
		ret = xt2_left_plan_(&plan, w->img, xt2_nft_families_[family], NULL);
		xt2_image_for_each_hook(h, i, w->img, w->root)
			if (h->family == xt2_nft_families_[family] && xt2_live_hooked(w->img, h)) {
				check_hook_asks(w, h, &plan);
				check_hook_stops(w, h, &plan);
			}
		check_bound(w, &plan);
		xt2_left_plan_free_(&plan);
		ret = ret == -E2BIG ? 0 : ret;
	}
	return ret;
}

/* --- for everybody ----------------------------------------------------------------- */

int xt2_live_refusals(const struct xt2_image *img, xt2_refused found, void *data)
{
	struct walk w = { .img = img, .root = xt2_image_root(img), .found = found, .data = data };
	int ret = -ENOMEM;
	u32 i;

	if (!w.root)
		return 0;
	if (xt2_stops_find_(&w.stops, img))
		return -ENOMEM;
	w.seen = calloc(w.root->chains + 1, sizeof(*w.seen));
	w.todo = calloc(w.root->chains + 1, sizeof(*w.todo));
	if (w.seen && w.todo) {
		reach_all(&w);
		for (i = 0; i < w.root->tables; i++)
			check_table(&w, i);
		ret = check_ways(&w);
		if (!ret)
			ret = check_left(&w);
		if (!ret)
			ret = w.refusals;
	}
	xt2_stops_free_(&w.stops);
	free(w.seen);
	free(w.todo);
	return ret;
}

struct first {
	struct xt2_err err;
	bool forced, found;
};

/* Keeps the first that matters. */
static int first_refusal(void *data, const struct xt2_live_refusal *r)
{
	const bool limit = xt2_live_is_limit(r->reason);
	struct first *first = data;

	if (first->forced && xt2_live_yields(r))
		return 0;
	first->found = true;
	xt2_err_set(&first->err, limit ? XT2_E_LIMIT : XT2_E_UNSUPPORTED,
		    limit ? E2BIG : EOPNOTSUPP, "%s %s, chain %s, rule %u: %s",
		    xt2_family_name(r->family), r->table, r->chain, r->rule, r->why);
	if (xt2_live_yields(r))
		xt2_err_hint(&first->err, "xt2 apply --force takes up to 64, and then changes do");
	return 1;
}

unsigned int xt2_live_tables_(const struct xt2_image *img)
{
	const struct xt2_table *t;
	unsigned int tables = 0;
	u32 i;

	xt2_image_for_each_table(t, i, img, xt2_image_root(img)) {
		if (xt2_live_has_program_(img, t))
			tables |= 1u << xt2_live_table_(t->name);
	}
	return tables;
}

int xt2_live_check(const struct xt2_image *img, bool forced, unsigned int *used,
		   struct xt2_err *err)
{
	struct first first = { .forced = forced };
	int ret;

	if (!xt2_image_root(img))
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "there is no ruleset");
	if (xt2_image_is_patched(img))
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "a chain was edited in place: it has to be compiled first");
	ret = xt2_live_refusals(img, first_refusal, &first);
	if (ret < 0)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret, "no memory to check the rules");
	if (first.found) {
		if (err)
			*err = first.err;
		return -first.err.errnum;
	}
	if (used)
		*used = xt2_live_tables_(img);
	return 0;
}

/* --- what the rules ask for -------------------------------------------------------- */

/* What a target asks for. */
static u32 target_need(const struct xt2_rule *r)
{
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_LOG:
	case XT2_T_NFLOG: return XT2_NEED_LOG;
	case XT2_T_REJECT: return XT2_NEED_ACT;
	}
	return xt2_live_target_tracks_(r);
}

/* What a match asks for. */
static u32 match_need(const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_IN:
	case XT2_M_OUT:
	case XT2_M_IN_MASK:
	case XT2_M_OUT_MASK: return XT2_NEED_NAMES;
	case XT2_M_DEVGROUP: return XT2_NEED_GROUPS;
	case XT2_M_PKTTYPE: return XT2_NEED_TYPE;
	case XT2_M_LIMIT: return XT2_NEED_CLOCK;
	case XT2_M_HASHLIMIT: return XT2_NEED_CLOCK | XT2_NEED_RANDOM; /* the seed of its hash */
	case XT2_M_RECENT: return XT2_NEED_CLOCK | XT2_NEED_NAMES; /* where the TTL is one less */
	case XT2_M_TIME: return XT2_NEED_DATE;
	case XT2_M_MAC:
	case XT2_M_EUI64: return XT2_NEED_ETHER;
	case XT2_M_STATISTIC: return XT2_NEED_RANDOM;
	/* Offsets from the rule, chains of headers, options of any length. */
	case XT2_M_U32:
	case XT2_M_IPV6HEADER:
	case XT2_M_DCCP:
	case XT2_M_SCTP: return XT2_NEED_BYTES;
	}
	return xt2_live_need_tracking_(m);
}

/* What a program has to be loaded with. */
static u32 load_need(const struct xt2_match *m)
{
	const u32 info = xt2_match_info(m->type);

	return (info & XT2_EXT_MEMORY ? XT2_NEED_MEMORY : 0) |
	       (info & XT2_EXT_RARE ? XT2_NEED_RARE : 0);
}

u32 xt2_live_rule_needs_(const struct xt2_rule *r)
{
	u32 needs = target_need(r);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		needs |= match_need(m) | load_need(m);
	return needs;
}

void xt2_live_want_(struct xt2_live_ruleset *l, const char *table, u8 family, u32 needs)
{
	const int program = xt2_live_table_(table);

	if (program >= 0)
		l->wants[program][family == XT2_IPV6] |= needs;
}

static u32 chain_needs(const struct xt2_chain *c)
{
	const struct xt2_rule *r;
	u32 needs = 0;

	xt2_chain_for_each_rule(r, c)
		needs |= xt2_live_rule_needs_(r);
	return needs;
}

void xt2_live_find_needs_(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_table *t;
	const struct xt2_chain *c;
	u32 i, needs;

	l->needs = 0;
	memset(l->wants, 0, sizeof(l->wants));
	xt2_image_for_each_chain(c, i, img, root) {
		t = xt2_image_table(img, root, c->table);
		needs = chain_needs(c);
		l->needs |= needs;
		xt2_live_want_(l, t->name, t->family, needs);
	}
}
