/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - the rules of a chain in their order, be it patched or not
 *
 * All code that reads rules of an image goes through this, except the
 * evaluator of chains without a patch.
 */
#ifndef XT2_ENGINE_ORDER_H
#define XT2_ENGINE_ORDER_H

#include "image.h"
#include <xt2/patch.h>

/* Where a reader of a chain is; the chain must stay. */
struct xt2_in_order {
	const struct xt2_image __img *img;
	const struct xt2_chain __img *chain;
	const struct xt2_chain __img *compiled; /* the same, unless there is a patch */
	const struct xt2_patch_part __img *list; /* of changes; NULL: there is no patch */
	u32 parts; /* of the list */
	u32 at; /* place of the next compiled rule; ~0: the end */
	u32 stop; /* place of the next change, ~0: there are no more; without a patch the end */
	u32 part, item; /* of that change */
};

/* Before the first rule of a chain. */
void xt2_order_begin(struct xt2_in_order *o, const struct xt2_image __img *img,
		     const struct xt2_chain __img *chain);

/* After a rule of the chain. */
void xt2_order_seek(struct xt2_in_order *o, const struct xt2_image __img *img,
		    const struct xt2_chain __img *chain, const struct xt2_rule __img *r);

/*
 * Before the first rule of a chain that is edited, whose list of changes is not in the image;
 * the tail is the compiled chain's.
 */
void xt2_order_begin_edited(struct xt2_in_order *o, const struct xt2_image __img *img,
			    const struct xt2_chain __img *compiled,
			    const struct xt2_patch_part __img *list, u32 parts);

/* After a rule of the chain that o began with, its tail included. */
void xt2_order_after(struct xt2_in_order *o, const struct xt2_rule __img *r);

struct xt2_rule __img *xt2_order_next_patched(struct xt2_in_order *o);

/* => the next rule, the tail last; NULL: there are no more */
static inline struct xt2_rule __img *xt2_order_next(struct xt2_in_order *o)
{
	struct xt2_rule __img *r;

	if (unlikely(o->list))
		return xt2_order_next_patched(o);
	if (o->at >= o->stop)
		return NULL;
	r = xt2_at(o->chain, o->at);
	o->at += r->size;
	return r;
}

/* o: a struct xt2_in_order * to use */
#define xt2_chain_for_each(r, o, img, chain) \
	for (xt2_order_begin(o, img, chain); ((r) = xt2_order_next(o));)

/* => has some chain of an image a patch?  For code that reads compiled chains alone */
bool xt2_image_is_patched(const struct xt2_image __img *img);

/* => how many rules, the tail included */
u32 xt2_chain_length(const struct xt2_image __img *img, const struct xt2_chain __img *c);

/* => a rule's number in its chain, counted from 1; 0: it is not in the chain */
u32 xt2_rule_number(const struct xt2_image __img *img, const struct xt2_chain __img *c,
		    const struct xt2_rule __img *r);

#endif
