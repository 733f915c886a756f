/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.h - the chains and rules of an image that packets can come to
 *
 * The caller names the chains to start from; the walk visits them and every
 * chain that their rules lead to, each once, in the order in which rules lead
 * there.  A chain is read up to the first rule that no packet gets past.
 *
 *	if (!xt2_reach_begin(&w, image)) {
 *		xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
 *		xt2_reach_for_each(c, &w)
 *			use(c, w.chain[c->index].rules);
 *	}
 *	xt2_reach_end(&w);
 */
#ifndef XT2_LIBXT2_EVALUATE_REACH_H
#define XT2_LIBXT2_EVALUATE_REACH_H

#include "engine/rule.h"

#define XT2_REACH_START (~(u32)0)

/* What the walk knows of a chain. */
struct xt2_reach_chain {
	const struct xt2_rule *rule; /* the first rule that leads here; NULL for a start */
	u32 from; /* its chain, or XT2_REACH_START */
	u32 rules; /* visited: rules that packets can come to, the tail included; 0: not reached */
	u32 queued; /* not of this chain: the chain that is visited as the n-th */
};

struct xt2_reach {
	const struct xt2_image *img;
	const struct xt2_root *root; /* NULL: there are no chains */
	bool (*ends)(const struct xt2_rule *r); /* does no packet get past this rule? */
	struct xt2_reach_chain *chain; /* by chain index */
	u32 found, visited; /* chains */
};

/*
 * xt2_reach_begin - no chain is reached yet
 *
 * Rules end a chain as the kernel sees it (xt2_rule_ends()); set ends for another meaning.
 * => 0, -ENOMEM; xt2_reach_end() in either case
 */
int xt2_reach_begin(struct xt2_reach *w, const struct xt2_image *img);
void xt2_reach_end(struct xt2_reach *w);

/* Start from this chain, unless it was found before. */
void xt2_reach_add(struct xt2_reach *w, u32 chain);

/* Start from the base chains of a hook; @family: -1 for any; @table: NULL for any */
void xt2_reach_hooks(struct xt2_reach *w, int family, int hook, const char *table);

/* => the next chain, read up to its end; NULL: there are no more */
const struct xt2_chain *xt2_reach_next(struct xt2_reach *w);

#define xt2_reach_for_each(c, w) while (((c) = xt2_reach_next(w)) != NULL)

/* => true if a table is of this family (-1: any) and has this name (NULL: any) */
bool xt2_reach_table(const struct xt2_reach *w, u32 table, int family, const char *name);

#endif
