/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retire.h - give up a chain and all that belongs to it; not installed */
#ifndef XT2_LIBXT2_CHANGE_RETIRE_H
#define XT2_LIBXT2_CHANGE_RETIRE_H

#include "space.h"

/*
 * xt2_chain_retire - give up a chain's extents, lines and patch
 * @chain: offset of a checked chain, compiled or patched
 *
 * As xt2_space_retire(): whoever reads the generation before still finds all of it.
 * => 0, -ENOMEM: the transaction has to be aborted
 */
int xt2_chain_retire(struct xt2_space *s, u32 chain);

/* A chain that is given up a little at a time, between transactions. */
struct xt2_retiring {
	u32 chain; /* offset; 0: there is none */
	u32 finder; /* of its compiled extent, or 0 */
	u32 part, slot; /* of its patch: those before are done */
};

/*
 * xt2_retire_some - give up some places of a chain that the current generation no longer names
 *
 * So a large patch takes no commit's time.  Without memory places are lost until the image is
 * written anew.
 */
void xt2_retire_some(struct xt2_space *s, struct xt2_retiring *r);

#endif
