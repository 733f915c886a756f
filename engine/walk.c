/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.c - how deep and how long a packet's way through the chains can be
 *
 * First all chains in their order, as far as that goes; then depth first, with
 * the way back kept in the caller's scratch: an open chain remembers the rule
 * where the walk left it.  When the chain that a rule names is done, the rule
 * is read once more and takes over that chain's result.  Each rule is read at
 * most three times.
 */
#include "walk.h"
#include "order.h"

#define WALK_DONE 1 /* no rule is at this offset */

static u64 add(u64 a, u64 b)
{
	return a + b < a ? ~0ull : a + b;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static void enter(struct xt2_walk *w, u32 index, u32 parent)
{
	struct xt2_walk_chain *wc = &w->chains[index];
	const struct xt2_chain __img *c = xt2_image_chain(w->img, w->root, index);
	struct xt2_in_order o;

	wc->visits = 1;
	xt2_order_begin(&o, w->img, c);
	wc->rule = xt2_offset(w->img, xt2_order_next(&o));
	wc->parent = parent;
}

static void leave(struct xt2_walk_chain *wc)
{
	wc->visits = larger(wc->visits, wc->best);
	wc->rule = WALK_DONE;
}

/* A rule of chain wc goes to chain to, about which all is known. */
static void fold(struct xt2_walk_chain *wc, const struct xt2_walk_chain *to, bool jump)
{
	if (jump)
		wc->visits = add(wc->visits, to->visits);
	else
		wc->best = larger(wc->best, add(wc->visits, to->visits));
	wc->depth = (u32)larger(wc->depth, to->depth + jump);
}

/* Prefetch the chain that the next rule goes to: it is needed next. */
static void fetch_next(const struct xt2_walk *w, const struct xt2_rule __img *r)
{
	u32 to;

	r = xt2_rule_next(r); /* there is one: a chain's tail does not branch */
	if (!xt2_rule_branches(r))
		return;
	to = XT2_TARGET_ARG(r->target);
	xt2_prefetch(&w->chains[to]);
	xt2_prefetch(xt2_image_chain(w->img, w->root, to));
}

/*
 * Go on in a chain as far as results are there.
 * => 1: the chain is done; 0: *to has to be walked first
 */
static int advance(struct xt2_walk *w, u32 index, u32 *to)
{
	struct xt2_walk_chain *wc = &w->chains[index];
	const struct xt2_chain __img *c = xt2_image_chain(w->img, w->root, index);
	const struct xt2_rule __img *r = xt2_at(w->img, wc->rule);
	struct xt2_in_order o;

	xt2_order_seek(&o, w->img, c, r);
	for (; r && xt2_can_loop; r = xt2_order_next(&o)) {
		if (xt2_rule_ends(r))
			break;
		if (!xt2_rule_branches(r))
			continue;
		*to = XT2_TARGET_ARG(r->target);
		if (w->chains[*to].rule != WALK_DONE) {
			wc->rule = xt2_offset(w->img, r);
			if (!o.list)
				fetch_next(w, r);
			return 0;
		}
		fold(wc, &w->chains[*to], XT2_TARGET_KIND(r->target) == XT2_T_JUMP);
	}
	leave(wc);
	return 1;
}

/*
 * Finish the chains that only name finished chains, in the order of the image,
 * which reads memory in order.  Most chains are of this kind if they are listed
 * by name.  The others are left as they were.
 */
static void walk_along(struct xt2_walk *w)
{
	const struct xt2_chain __img *c;
	u32 i, to;

	xt2_image_for_each_chain(c, i, w->img, w->root) {
		enter(w, i, XT2_WALK_NONE);
		if (!advance(w, i, &to))
			memset(&w->chains[i], 0, sizeof(w->chains[i]));
	}
}

static int walk_from(struct xt2_walk *w, u32 start)
{
	u32 to, at = start;

	if (w->chains[start].rule == WALK_DONE)
		return 0;
	enter(w, start, XT2_WALK_NONE);
	while (at != XT2_WALK_NONE && xt2_can_loop) {
		if (advance(w, at, &to)) {
			at = w->chains[at].parent;
			continue;
		}
		if (w->chains[to].rule) {
			w->loop = to;
			return -ELOOP;
		}
		enter(w, to, at);
		at = to;
	}
	return 0;
}

int xt2_walk_hooks(struct xt2_walk *w)
{
	const struct xt2_hook __img *h;
	u32 i;
	int err;

	walk_along(w);
	xt2_image_for_each_hook(h, i, w->img, w->root) {
		err = walk_from(w, h->chain);
		if (err)
			return err;
	}
	return 0;
}

void xt2_walk_store(const struct xt2_walk *w)
{
	struct xt2_root __img *root = (struct xt2_root __img *)w->root;
	const struct xt2_walk_chain *wc;
	const struct xt2_hook __img *h;
	u32 i;

	root->depth = 0;
	root->visits = 0;
	xt2_image_for_each_hook(h, i, w->img, w->root) {
		wc = &w->chains[h->chain];
		((struct xt2_hook __img *)h)->depth = wc->depth;
		((struct xt2_hook __img *)h)->visits = wc->visits;
		root->depth = (u32)larger(root->depth, wc->depth);
		root->visits = larger(root->visits, wc->visits);
	}
}

bool xt2_walk_covers(const struct xt2_walk *w)
{
	const struct xt2_walk_chain *wc;
	const struct xt2_hook __img *h;
	u32 i;

	xt2_image_for_each_hook(h, i, w->img, w->root) {
		wc = &w->chains[h->chain];
		if (h->depth < wc->depth || h->visits < wc->visits || h->depth > w->root->depth ||
		    h->visits > w->root->visits)
			return false;
	}
	return true;
}
