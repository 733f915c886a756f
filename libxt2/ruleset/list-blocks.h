/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list-blocks.h - the blocks of a long list that changes at many places; not installed */
#ifndef XT2_LIBXT2_RULESET_LIST_BLOCKS_H
#define XT2_LIBXT2_RULESET_LIST_BLOCKS_H

#include "list.h"

#define XT2_BLOCK_RULES_ 256u
#define XT2_BLOCK_PART_	 192u /* rules of a block that is a part of the list's arrays */
#define XT2_BLOCK_JOIN_	 192u /* two neighbours with so many rules, or fewer, become one */

struct xt2_block_ {
	const struct xt2_rule **rule;
	u32 *line;
	u32 room; /* XT2_BLOCK_RULES_: malloc'ed by rule; less: a part of the arrays */
};

struct xt2_blocks_ {
	struct xt2_block_ *block;
	u32 *count; /* rules of each block, never 0 */
	u32 *sum; /* a Fenwick tree of the counts, from 1; XT2_NONE from n + 1 on */
	u32 n, cap; /* blocks; cap: a power of two, at least 2 */
	struct xt2_block_ spare; /* for the next block that needs more room; rule: NULL if none */
	struct xt2_rule_list arrays; /* of the list before; blocks may be parts of them */
};

/* Move a list with rules to blocks, and reserve memory.  => 0; -ENOMEM: it stays in arrays */
int xt2_blocks_make_(struct xt2_rule_list *l);
void xt2_blocks_free_(struct xt2_blocks_ *b);

/* => the block of a position, which has a rule; *at becomes the rule's position in the block */
u32 xt2_blocks_find_(const struct xt2_blocks_ *b, u32 *at);

/* Memory for one more rule, whose block may need more room.  => 0, -ENOMEM */
int xt2_blocks_reserve_(struct xt2_blocks_ *b);
/* Memory is reserved. */
void xt2_blocks_insert_(struct xt2_blocks_ *b, u32 at, const struct xt2_rule *r, u32 line);
void xt2_blocks_delete_(struct xt2_blocks_ *b, u32 at);

#endif
