/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left-order.c - matches that may come after a step that changes what they look at
 *
 * What a step changes is modelled as far as the programs know it.  A question was asked before,
 * and the size of segments that a target clamps is known when the companion does it.  So each
 * chain has what may have been changed when packets come to it, and when they return from it:
 * the least that rules and jumps agree with, by going through all chains until nothing is added.
 */
#include "bpf-left.h"
#include "engine/order.h"
#include "engine/rule.h"

struct order {
	const struct xt2_image *img;
	const struct xt2_root *root;
	const u8 *reached;
	u8 *in, *out; /* by chain: enum xt2_left_change */
	bool more;
};

static void add(struct order *o, u8 *to, u32 changes)
{
	if (changes & ~(u32)*to) {
		*to |= (u8)changes;
		o->more = true;
	}
}

/* => what may have been changed after the rule, given what was before it */
static u32 pass_rule(struct order *o, const struct xt2_chain *c, const struct xt2_rule *r, u32 now)
{
	const u32 to = XT2_TARGET_ARG(r->target);

	now |= xt2_left_changes_(o->img, r);
	if (!xt2_rule_branches(r))
		return now;
	add(o, &o->in[to], now);
	if (XT2_TARGET_KIND(r->target) == XT2_T_GOTO)
		add(o, &o->out[c->index], o->out[to]);
	return now | o->out[to];
}

static void pass_chain(struct order *o, const struct xt2_chain *c)
{
	u32 now = o->in[c->index];
	const struct xt2_rule *r;

	xt2_chain_for_each_rule(r, c)
		now = pass_rule(o, c, r, now);
	add(o, &o->out[c->index], now);
}

static void tell(struct order *o, const struct xt2_chain *c,
		 void (*found)(void *arg, const struct xt2_chain *c, u32 rule,
			       const struct xt2_match *m),
		 void *arg)
{
	u32 now = o->in[c->index], number = 0;
	const struct xt2_match *m;
	const struct xt2_rule *r;

	xt2_chain_for_each_rule(r, c) {
		number++;
		xt2_rule_for_each_match(m, r)
			if (now & xt2_left_looks_at_(o->img, m))
				found(arg, c, number, m);
		now = pass_rule(o, c, r, now);
		if (xt2_rule_ends(r))
			break;
	}
}

int xt2_left_order_(const struct xt2_image *img, const u8 *reached,
		    void (*found)(void *arg, const struct xt2_chain *c, u32 rule,
				  const struct xt2_match *m),
		    void *arg)
{
	struct order o = { .img = img, .root = xt2_image_root(img), .reached = reached };
	const struct xt2_chain *c;
	u32 i;

	if (!xt2_left_count_(img))
		return 0;
	o.in = calloc(2 * (o.root->chains + 1ull), 1);
	if (!o.in)
		return -ENOMEM;
	o.out = o.in + o.root->chains + 1;
	do {
		o.more = false;
		xt2_image_for_each_chain(c, i, img, o.root)
			if (reached[i])
				pass_chain(&o, c);
	} while (o.more);
	xt2_image_for_each_chain(c, i, img, o.root)
		if (reached[i])
			tell(&o, c, found, arg);
	free(o.in);
	return 0;
}
