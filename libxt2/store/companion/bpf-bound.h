/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-bound.h - steps that the kernel binds to a table's name: bpf-bound.c; not installed */
#ifndef XT2_LIBXT2_STORE_COMPANION_BPF_BOUND_H
#define XT2_LIBXT2_STORE_COMPANION_BPF_BOUND_H

#include "bpf-left.h"

/* A hook at which packets may meet some. */
struct xt2_bound_place {
	struct xt2_nft *b; /* a transaction that has begun */
	const struct xt2_live *host;
	const struct xt2_left_plan *plan;
	int *done; /* programs, by bit; < 0: not loaded; the caller closes them after the transaction */
	u32 region, table, hook; /* table: enum xt2_program */
	u8 family;
};

/* Is it such a step, which packets may meet at the hook? */
bool xt2_bound_at_(const struct xt2_left_item *item, u32 table, u32 hook);

/* => which of the bits of a note says that this step is due */
u32 xt2_bound_bit_(const struct xt2_left_plan *plan, u32 number);

/*
 * xt2_bound_put_ - a chain that does those of a hook, if there are any
 * @at: what is being put
 * => 0; -E2BIG: more than bits; -errno
 */
int xt2_bound_put_(const struct xt2_bound_place *p, s32 priority, const struct xt2_left_ext **at);

/* How many there are at each hook. */
void xt2_bound_count_(struct xt2_live_ruleset *l, const struct xt2_left_plan *plan, u32 six);

bool xt2_bound_any_(const struct xt2_live_ruleset *l, u32 table, u32 six);

/* Is one of the live ruleset's missing? */
bool xt2_bound_lacks_(const struct xt2_live_ruleset *l, u32 region, u32 six);

/* Take those of a region away. */
void xt2_bound_drop_(u8 family, u32 region);

#endif
