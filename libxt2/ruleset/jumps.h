/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jumps.h - the jumps between a ruleset's chains, and the loops that they make
 *
 * As mark_source_chains() of Linux: depth first, without recursion, from a
 * base chain; a jump back to a chain that is being walked is a loop.  The
 * jumps are listed once and can be walked from each base chain in turn.
 */
#ifndef XT2_LIBXT2_RULESET_JUMPS_H
#define XT2_LIBXT2_RULESET_JUMPS_H

#include "ruleset.h"

/* A rule that jumps or goes to a chain. */
struct xt2_jump {
	u32 to;
	u32 rule; /* its number in its chain, from 0 */
};

struct xt2_jumps_chain {
	struct xt2_jump *jump;
	u32 jumps, room;
	u32 next; /* jump to follow next; an open chain was left by the one before it */
	u32 from; /* open: the chain that we came from */
	bool open; /* on the way from the base chain to here */
	bool seen; /* from this base chain */
};

struct xt2_jumps {
	struct xt2_jumps_chain *chain; /* by number */
	u32 chains;
	u32 at; /* where the walk is, or XT2_NONE */
	struct xt2_arena_ lists; /* most of them are short */
};

/* => 0, -ENOMEM; xt2_jumps_end() in either case */
int xt2_jumps_begin(struct xt2_jumps *w, u32 chains);
void xt2_jumps_end(struct xt2_jumps *w);

/* List a chain's next rule, if it jumps.  => 0, -ENOMEM */
int xt2_jumps_add(struct xt2_jumps *w, u32 chain, u32 rule, const struct xt2_rule *r);

/* Walk from this chain. */
void xt2_jumps_start(struct xt2_jumps *w, u32 base);

/*
 * xt2_jumps_next - the next jump that leads to a chain for the first time, or back
 * @from: out: the chain that has the jump
 * @loop: out: the jump leads back to an open chain, else into a chain that is walked now
 * => NULL: the walk is over
 */
const struct xt2_jump *xt2_jumps_next(struct xt2_jumps *w, u32 *from, bool *loop);

#endif
