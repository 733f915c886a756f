/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left-plan.c - which steps and questions a ruleset has
 *
 * Equal ones are one: they are numbered in the order in which a walk from the hooks meets them,
 * which is the same for the same image.  The walk also fills in the table in which the programs find
 * the number of a rule or match.  Rules that come later find the number in the list of those that
 * have companions.
 */
#include "bpf-left.h"
#include "bpf-bound.h"
#include "bpf-stops.h"
#include "engine/order.h"
#include "extensions/target/target.h"
#include "libxt2/evaluate/reach.h"
#include "libxt2/grow.h"
#include "translators/ext/translate.h"
#include "translators/ext/xt-sets.h"

#define FAR 256u /* places of the table of numbers that are looked at */

struct walk {
	struct xt2_left_plan *plan;
	const struct xt2_image *img;
	struct xt2_live_ruleset *fill; /* or NULL */
	struct xt2_stops stops;
	u8 family;
	u32 table; /* enum xt2_program */
	u32 hook;
	int ret;
};

/* --- the kernel's form -------------------------------------------------------- */

static struct xt2_left_ext *new_ext(const char *name, u8 revision, const void *data, u32 size)
{
	struct xt2_left_ext *e = calloc(1, sizeof(*e) + size);

	if (!e)
		return NULL;
	memcpy(e->name, name, strnlen(name, sizeof(e->name) - 1));
	e->revision = revision;
	e->size = size;
	memcpy(e->data, data, size);
	return e;
}

static struct xt2_left_ext *of_instance(const struct walk *w, u32 number)
{
	const struct xt2_instance *in = xt2_image_instance(w->img, xt2_image_root(w->img), number);

	return new_ext(in->name, in->revision, xt2_instance_data(in), in->size);
}

static struct xt2_left_ext *of_match(const struct walk *w, const struct xt2_match *m)
{
	u64 payload[XT2_LEFT_DATA_MAX / 8] = { 0 };
	const struct xt2_row *row;
	int n;

	if (m->type == XT2_M_FOREIGN)
		return of_instance(w, m->arg);
	n = xt2_match_unpack(w->family, m, &row, payload, sizeof(payload));
	return n < 0 ? NULL : new_ext(row->name, row->revision, payload, (u32)n);
}

/* The kernel looks at the protocol of the rule, too. */
static bool wants_proto(const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	return kind == XT2_T_TCPMSS || kind == XT2_T_ECN || kind == XT2_T_CT;
}

static struct xt2_left_ext *of_target(const struct walk *w, const struct xt2_rule *r)
{
	u64 payload[XT2_LEFT_DATA_MAX / 8] = { 0 };
	const struct xt2_row *row;
	struct xt2_left_ext *e;
	int n;

	if (XT2_TARGET_KIND(r->target) == XT2_T_FOREIGN) {
		e = of_instance(w, XT2_TARGET_ARG(r->target));
	} else {
		n = xt2_target_unpack(w->family, r, &row, payload, sizeof(payload));
		e = n < 0 ? NULL : new_ext(row->name, row->revision, payload, (u32)n);
	}
	if (e)
		e->proto = wants_proto(r) ? (u8)xt2_rule_proto(r) : 0;
	return e;
}

/* --- items ---------------------------------------------------------------------- */

static bool same(const struct xt2_left_ext *a, const struct xt2_left_ext *b)
{
	return a->size == b->size && a->revision == b->revision && a->proto == b->proto &&
	       !strcmp(a->name, b->name) && !memcmp(a->data, b->data, a->size);
}

/*
 * e: becomes the list's, or is freed; offset: of what it is of; before: those up to there are others
 * => the item; NULL: no memory
 */
static struct xt2_left_item *add_item_after(struct xt2_left_item **list, u32 *n, u32 *cap,
					    struct xt2_left_ext *e, u32 offset, u32 before)
{
	struct xt2_left_item *item;
	u32 i;

	for (i = before; e && i < *n; i++)
		if (same((*list)[i].ext, e)) {
			free(e);
			return &(*list)[i];
		}
	if (!e || xt2_grow_(list, *n, cap, sizeof(**list))) {
		free(e);
		return NULL;
	}
	item = &(*list)[*n];
	*item = (struct xt2_left_item){ .ext = e, .number = (*n)++, .offset = offset };
	return item;
}

static struct xt2_left_item *add_item(struct xt2_left_item **list, u32 *n, u32 *cap,
				      struct xt2_left_ext *e, u32 offset)
{
	return add_item_after(list, n, cap, e, offset, 0);
}

/* => the place of what is at an offset, or a free one; NULL: that would be far */
static struct xt2_left *place_of(const struct xt2_live_ruleset *l, u32 offset)
{
	struct xt2_left *left = xt2_live_at_(l->left), *at;
	u32 i;

	for (i = 0; i <= FAR; i++) {
		at = &left[(XT2_LEFT_HASH(offset) + i) & l->left_mask];
		if (!at->offset || at->offset == offset)
			return at;
	}
	return NULL;
}

/* The programs find this number for what is at the offset.  => false: there is no room */
static bool set_number(const struct xt2_live_ruleset *l, u32 offset, u32 number)
{
	struct xt2_left *at = place_of(l, offset);

	if (!at)
		return false;
	at->number = number;
	__atomic_store_n(&at->offset, offset, __ATOMIC_RELEASE);
	return true;
}

static void tell(struct walk *w, const void *p, u32 number)
{
	if (w->fill && !set_number(w->fill, xt2_offset(w->img, p), number + 1))
		w->ret = -ENOMEM;
}

static bool raises(const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	return (kind == XT2_T_TTL || kind == XT2_T_HL) && XT2_TARGET_ARG(r->target) & 0xff;
}

/* Does the kernel's target decide? */
static bool is_last(const struct xt2_left_ext *ext)
{
	return !strcmp(ext->name, "NFQUEUE") || !strcmp(ext->name, "TPROXY");
}

static void step(struct walk *w, const struct xt2_rule *r)
{
	struct xt2_left_plan *p = w->plan;
	struct xt2_left_item *item = add_item(&p->step, &p->steps, &p->steps_cap, of_target(w, r),
					      xt2_offset(w->img, r));

	if (!item) {
		w->ret = -ENOMEM;
		return;
	}
	item->hooks[w->table] |= (u8)(1u << w->hook);
	p->step_hooks[w->table] |= (u8)(1u << w->hook);
	p->hops |= raises(r);
	tell(w, r,
	     raises(r) ? XT2_STEP_HOPS : item->number | (is_last(item->ext) ? XT2_STEP_LAST : 0));
}

static void question(struct walk *w, const struct xt2_match *m)
{
	struct xt2_left_plan *p = w->plan;
	struct xt2_left_item *item = add_item(&p->ask[w->table], &p->asks[w->table],
					      &p->asks_cap[w->table], of_match(w, m),
					      xt2_offset(w->img, m));

	if (!item || item->number >= XT2_QUESTIONS) {
		w->ret = item ? -E2BIG : -ENOMEM;
		return;
	}
	item->hooks[w->table] |= (u8)(1u << w->hook);
	p->ask_hooks[w->table] |= (u8)(1u << w->hook);
	tell(w, m, item->number);
}

/* Each rule's "connlimit" counts for itself. */
static bool counts_for_itself(const struct xt2_left_ext *e)
{
	return !strcmp(e->name, "connlimit");
}

/* => the item; NULL: no memory */
static struct xt2_left_item *add_stop(struct xt2_left_plan *p, u32 table, struct xt2_left_ext *e,
				      u32 offset)
{
	u32 i, before = 0;

	for (i = 0; e && counts_for_itself(e) && i < p->stops[table]; i++) {
		if (p->stop[table][i].offset == offset) {
			free(e);
			return &p->stop[table][i];
		}
		before = i + 1;
	}
	return add_item_after(&p->stop[table], &p->stops[table], &p->stops_cap[table], e, offset,
			      before);
}

static void stop(struct walk *w, const struct xt2_match *m)
{
	struct xt2_left_item *item =
		add_stop(w->plan, w->table, of_match(w, m), xt2_offset(w->img, m));

	if (!item || item->number >= XT2_STOP_QUESTION) {
		w->ret = item ? -E2BIG : -ENOMEM;
		return;
	}
	item->hooks[w->table] |= (u8)(1u << w->hook);
	tell(w, m,
	     item->number | XT2_STOP_NUMBER |
		     xt2_question_rules_(item->ext, w->family) << XT2_STOP_RULES);
}

static void look_at_match(struct walk *w, const struct xt2_match *m)
{
	if (xt2_stops_has_(&w->stops, w->img, m))
		stop(w, m);
	else if (xt2_left_is_question_(w->img, m))
		question(w, m);
}

static void look(struct walk *w, const struct xt2_chain *c, u32 rules)
{
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;

	xt2_chain_for_each(r, &o, w->img, c) {
		if (!rules-- || w->ret)
			break;
		xt2_rule_for_each_match(m, r)
			if (!w->ret)
				look_at_match(w, m);
		if (!w->ret && xt2_left_is_step_(w->img, r))
			step(w, r);
	}
}

static int walk_hook(struct walk *w, const struct xt2_hook *h)
{
	const struct xt2_chain *c;
	struct xt2_reach reach;
	const u32 most = xt2_stops_most_(&w->stops, h->chain);
	int ret = xt2_reach_begin(&reach, w->img);

	if (!ret) {
		xt2_reach_add(&reach, h->chain);
		xt2_reach_for_each(c, &reach) look(w, c, reach.chain[c->index].rules);
	}
	xt2_reach_end(&reach);
	if (!ret && most) {
		w->plan->most[w->table][w->hook] = (u8)most;
		w->plan->step_hooks[w->table] |= (u8)(1u << w->hook);
	}
	return ret ? ret : w->ret;
}

/* The hop counts come after all other steps. */
static int number_hops(struct walk *w)
{
	struct xt2_left *left;
	u32 i;

	w->plan->hops_at = w->plan->steps;
	if (w->plan->steps + (w->plan->hops ? 256 : 0) >= XT2_STEP_DROP)
		return -E2BIG;
	if (!w->fill || !w->plan->hops)
		return 0;
	left = xt2_live_at_(w->fill->left);
	for (i = 0; i <= w->fill->left_mask; i++)
		if (left[i].number == XT2_STEP_HOPS + 1)
			left[i].number = XT2_STEP_HOPS + w->plan->hops_at + 1;
	return 0;
}

int xt2_left_plan_(struct xt2_left_plan *plan, const struct xt2_image *img, u8 family,
		   struct xt2_live_ruleset *fill)
{
	struct walk w = { .plan = plan, .img = img, .family = family, .fill = fill };
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	int ret = 0;
	u32 i;

	memset(plan, 0, sizeof(*plan));
	ret = xt2_stops_find_(&w.stops, img);
	xt2_image_for_each_hook(h, i, img, root) {
		if (ret || h->family != family || !xt2_live_hooked(img, h))
			continue;
		w.table = (u32)xt2_live_table_(xt2_image_table(img, root, h->table)->name);
		w.hook = h->hook;
		ret = walk_hook(&w, h);
	}
	xt2_stops_free_(&w.stops);
	return ret ? ret : number_hops(&w);
}

static void free_items(struct xt2_left_item *list, u32 n)
{
	while (n)
		free(list[--n].ext);
	free(list);
}

void xt2_left_plan_free_(struct xt2_left_plan *plan)
{
	u32 i;

	free_items(plan->step, plan->steps);
	for (i = 0; i < XT2_PROGRAMS; i++) {
		free_items(plan->ask[i], plan->asks[i]);
		free_items(plan->stop[i], plan->stops[i]);
	}
	memset(plan, 0, sizeof(*plan));
}

/* --- what has companions ------------------------------------------------------------ */

#define STOPS_OF(table) (XT2_PROGRAMS + 1 + (table)) /* of struct xt2_left_known */

static void know(struct xt2_live_ruleset *l, const struct xt2_left_item *item, u32 n, u32 six,
		 u32 table)
{
	struct xt2_left_known *known = xt2_live_at_(l->known), *k;
	u32 i;

	for (i = 0; i < n; i++) {
		k = &known[l->knowns++];
		*k = (struct xt2_left_known){ .offset = item[i].offset,
					      .number = place_of(l, item[i].offset)->number,
					      .six = (u8)six,
					      .table = (u8)table };
		memcpy(k->hooks, item[i].hooks, sizeof(k->hooks));
	}
}

static void know_all(struct xt2_live_ruleset *l, const struct xt2_left_plan *plan, u32 six)
{
	u32 table;

	know(l, plan->step, plan->steps, six, XT2_PROGRAMS);
	for (table = 0; table < XT2_PROGRAMS; table++) {
		know(l, plan->ask[table], plan->asks[table], six, table);
		know(l, plan->stop[table], plan->stops[table], six, STOPS_OF(table));
	}
}

static struct xt2_left_ext *of_known(const struct walk *w, const struct xt2_left_known *k)
{
	const void *p = xt2_at(w->img, k->offset);

	return k->table == XT2_PROGRAMS ? of_target(w, p) : of_match(w, p);
}

static struct xt2_left_item *add_known(struct walk *w, const struct xt2_left_known *k)
{
	struct xt2_left_plan *p = w->plan;
	struct xt2_left_ext *e = of_known(w, k);
	const u32 table = k->table;

	if (table == XT2_PROGRAMS)
		return add_item(&p->step, &p->steps, &p->steps_cap, e, k->offset);
	if (table < XT2_PROGRAMS)
		return add_item(&p->ask[table], &p->asks[table], &p->asks_cap[table], e, k->offset);
	return add_stop(p, table - STOPS_OF(0), e, k->offset);
}

static int plan_known(struct walk *w, const struct xt2_left_known *k)
{
	struct xt2_left_plan *p = w->plan;
	const bool step = k->table == XT2_PROGRAMS;
	struct xt2_left_item *item = add_known(w, k);

	if (!item)
		return -ENOMEM;
	memcpy(item->hooks, k->hooks, sizeof(item->hooks));
	p->hops |= step && raises(xt2_at(w->img, k->offset));
	return 0;
}

int xt2_left_plan_live_(struct xt2_left_plan *plan, const struct xt2_live_ruleset *l,
			const struct xt2_image *img, u8 family)
{
	struct walk w = { .plan = plan, .img = img, .family = family };
	const struct xt2_left_known *known = xt2_live_at_(l->known);
	const u32 six = family == XT2_IPV6;
	u32 i;
	int ret = 0;

	memset(plan, 0, sizeof(*plan));
	for (i = 0; l->left && i < l->knowns && !ret; i++)
		if (known[i].six == six)
			ret = plan_known(&w, &known[i]);
	for (i = 0; i < XT2_PROGRAMS; i++) {
		plan->step_hooks[i] = l->steps[i][six];
		plan->ask_hooks[i] = l->asks[i][six];
		memcpy(plan->most[i], l->stops[i][six], sizeof(plan->most[i]));
	}
	return ret ? ret : number_hops(&w);
}

/* --- rules that come ----------------------------------------------------------------- */

/* => the known one that is the same, at all of these hooks; NULL: there is none */
static const struct xt2_left_known *find_known(const struct walk *w,
					       const struct xt2_live_ruleset *l, u32 table,
					       u32 hooks, const struct xt2_left_ext *ext)
{
	const struct xt2_left_known *known = xt2_live_at_(l->known), *k;
	struct xt2_left_ext *e;
	u32 i;
	bool is;

	for (i = 0, k = known; l->left && i < l->knowns; i++, k++) {
		if (k->six != (w->family == XT2_IPV6) || k->table != table ||
		    hooks & ~(u32)k->hooks[w->table])
			continue;
		e = of_known(w, k);
		is = e && same(e, ext);
		free(e);
		if (is)
			return k;
	}
	return NULL;
}

/* => 0; 1: it has no companion */
static int come(const struct walk *w, const struct xt2_live_ruleset *l, u32 table, u32 hooks,
		struct xt2_left_ext *ext, const void *p)
{
	const struct xt2_left_known *k = ext ? find_known(w, l, table, hooks, ext) : NULL;

	free(ext);
	return !k || !set_number(l, xt2_offset(w->img, p), k->number);
}

int xt2_left_comes_(struct xt2_live_ruleset *l, const struct xt2_image *img,
		    const struct xt2_rule *r, u8 family, u32 table, u32 hooks)
{
	const struct walk w = { .img = img, .family = family, .table = table };
	const u32 six = family == XT2_IPV6;
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (xt2_left_has_effect_(img, m))
			return 1; /* where packets stop is found for a whole ruleset */
		if (xt2_left_is_question_(img, m) && come(&w, l, table, hooks, of_match(&w, m), m))
			return 1;
		l->looks[table][six] |= (u8)xt2_left_looks_at_(img, m);
	}
	if (xt2_left_is_step_(img, r) && come(&w, l, XT2_PROGRAMS, hooks, of_target(&w, r), r))
		return 1;
	l->changes[table][six] |= (u8)xt2_left_changes_(img, r);
	return !!(l->changes[table][six] & l->looks[table][six]);
}

/* --- what programs know -------------------------------------------------------------- */

/* All rules, also those that packets do not come to yet. */
static void look_at_all(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		const struct xt2_table *t = xt2_image_table(img, root, c->table);
		const u32 six = t->family == XT2_IPV6;
		const int table = xt2_live_table_(t->name);

		if (!xt2_live_has_program_(img, t))
			continue;
		xt2_chain_for_each_rule(r, c) {
			l->changes[table][six] |= (u8)xt2_left_changes_(img, r);
			xt2_rule_for_each_match(m, r)
				l->looks[table][six] |= (u8)xt2_left_looks_at_(img, m);
		}
	}
}

/* How many rules ask at each hook. */
static void count_questions(struct xt2_live_ruleset *l, const struct xt2_left_plan *plan, u32 six)
{
	const struct xt2_left_item *item;
	u32 table, hook, i;

	for (table = 0; table < XT2_PROGRAMS; table++)
		for (i = 0, item = plan->ask[table]; i < plan->asks[table]; i++, item++)
			for (hook = 0; hook <= XT2_POSTROUTING; hook++)
				if (item->hooks[table] >> hook & 1)
					l->questions[table][six][hook] += (u8)xt2_question_rules_(
						item->ext, xt2_nft_families_[six]);
}

int xt2_left_fill_(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	struct xt2_left_plan plan;
	int ret = 0;
	u32 i, table;

	if (l->left)
		look_at_all(l, img);
	for (i = 0; i < XT2_NFT_FAMILIES && !ret && l->left; i++) {
		ret = xt2_left_plan_(&plan, img, xt2_nft_families_[i], l);
		if (!ret) {
			know_all(l, &plan, i);
			count_questions(l, &plan, i);
			xt2_bound_count_(l, &plan, i);
		}
		for (table = 0; table < XT2_PROGRAMS; table++) {
			l->steps[table][i] = plan.step_hooks[table];
			l->asks[table][i] = plan.ask_hooks[table];
			l->needs |= plan.step_hooks[table] ? XT2_NEED_STEPS : 0;
			l->needs |= plan.ask_hooks[table] ? XT2_NEED_ANSWERS : 0;
			if (plan.stops[table]) {
				l->needs |= XT2_NEED_STOPS;
				__atomic_store_n(&xt2_live_state_()->stops, 1, __ATOMIC_RELEASE);
			}
			memcpy(l->stops[table][i], plan.most[table], sizeof(plan.most[table]));
			l->needs |= xt2_bound_any_(l, table, i) ? XT2_NEED_BOUND : 0;
		}
		xt2_left_plan_free_(&plan);
	}
	return ret;
}
