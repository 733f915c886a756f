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

#endif
