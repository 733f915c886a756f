/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsupported.c - the rules of an image that cannot be evaluated
 *
 * Matches and targets without an implementation in the engine are kept, so
 * that a ruleset can be saved again, but a packet that comes to one of them
 * has no known verdict.
 */
#include "config.h"
#include "reach.h"
#include "unsupported.h"
#include "engine/order.h"
#include <xt2/xt2.h>

const char *xt2_rule_unevaluated(const struct xt2_image *img, const struct xt2_root *root,
				 const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (!(xt2_match_info(m->type) & XT2_EXT_FOREIGN))
			continue;
		if (m->type < XT2_M_TCP) /* a base test of bridges */
			return xt2_match_name(m->type);
		return xt2_image_instance(img, root, m->arg)->name;
	}
	if (xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_FOREIGN)
		return xt2_image_instance(img, root, XT2_TARGET_ARG(r->target))->name;
	return NULL;
}

/* Nothing evaluates the tables of bridges, so a rule of them must not be passed over. */
static bool bridged(const struct xt2_reach *w, const struct xt2_chain *c, const struct xt2_rule *r)
{
	return xt2_reach_table(w, c->table, XT2_BRIDGE, NULL) &&
	       (r != xt2_chain_tail(c) || XT2_TARGET_KIND(r->target) == XT2_T_DROP);
}

/*
 * Report a chain's rules, as far as the walk has come.
 * => rules that cannot be evaluated; *stop is set if the caller has enough
 */
static int chain_report(const struct xt2_reach *w, const struct xt2_chain *c,
			int (*found)(void *data, const struct xt2_unsupported *at), void *data,
			bool *stop)
{
	struct xt2_unsupported at = {
		.table = xt2_image_table(w->img, w->root, c->table)->name,
		.chain = xt2_image_chain_cold(w->img, w->root, c->index)->name,
	};
	const struct xt2_rule *r;
	struct xt2_in_order o;
	int n = 0;

	xt2_chain_for_each(r, &o, w->img, c) {
		if (at.rule++ == w->chain[c->index].rules || *stop)
			break;
		at.extension = xt2_rule_unevaluated(w->img, w->root, r);
		if (!at.extension && bridged(w, c, r))
			at.extension = "bridge";
		if (!at.extension)
			continue;
		n++;
		*stop = found && found(data, &at);
	}
	return n;
}

int xt2_image_unsupported(const struct xt2_image *image, int family, int hook, const char *table,
			  int (*found)(void *data, const struct xt2_unsupported *at), void *data)
{
	const struct xt2_chain *c;
	struct xt2_reach w;
	bool stop = false;
	int n = xt2_reach_begin(&w, image);
	u32 i;

	if (n || !w.root)
		goto out;
	xt2_reach_hooks(&w, family, hook, table);
	xt2_reach_for_each(c, &w);
	xt2_image_for_each_chain(c, i, w.img, w.root) {
		if (hook < 0 && xt2_reach_table(&w, c->table, family, table))
			w.chain[i].rules = xt2_chain_length(w.img, c);
		if (!stop)
			n += chain_report(&w, c, found, data, &stop);
	}
out:
	xt2_reach_end(&w);
	return n;
}
