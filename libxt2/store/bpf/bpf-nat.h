/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-nat.h - NAT of live rulesets by companions; not installed */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_NAT_H
#define XT2_LIBXT2_STORE_BPF_BPF_NAT_H

#include "bpf-companion.h"

/* Is it a target that nf_tables has an expression for, with all that it says? */
bool xt2_nat_can_(const struct xt2_instance *in, u8 family);

/*
 * xt2_nat_put_ - the rule does what the target does
 * @source: the hook is one at which the source is changed
 * => 0, -ENOMEM, -EOPNOTSUPP: see xt2_nat_can_()
 */
int xt2_nat_put_(struct nftnl_rule *rule, const struct xt2_instance *in, u8 family, bool source);

/* --- which companions a ruleset needs (bpf-nat-plan.c) ------------------------ */

/* Hooks whose packets find their companions in one tree. */
enum xt2_nat_tree { XT2_NAT_DST, XT2_NAT_IN, XT2_NAT_POST, XT2_NAT_TREES };

struct xt2_nat_leaf {
	u32 number; /* of the target, from 0 */
	u32 instance;
};

/* Of a family. */
struct xt2_nat_plan {
	bool used; /* its nat table has an effect */
	u32 hooks; /* bits: where it is */
	u32 digits; /* of the numbers, of two bits each: 1 at least */
	struct {
		struct xt2_nat_leaf *leaf; /* in the order of their numbers */
		u32 leaves;
	} tree[XT2_NAT_TREES];
	u32 chains, uses; /* that all of it has in the kernel: rules, and jumps to chains */
};

/* => 0; -ENOMEM; then, too, xt2_nat_plan_free_() */
int xt2_nat_plan_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family);
void xt2_nat_plan_free_(struct xt2_nat_plan *plan);

/* => the tree of a hook */
enum xt2_nat_tree xt2_nat_tree_of_(u32 hook);

#endif
