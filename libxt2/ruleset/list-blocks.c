/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list-blocks.c - the blocks of a long list that changes at many places
 *
 * A change moves at most a block's rules.  The block of a position is found in
 * a Fenwick tree of the blocks' counts (Fenwick, "A new data structure for
 * cumulative frequency tables", 1994): 4 bytes a block, which the caches hold
 * for a million rules.  When a block comes or goes, the sums after it are made
 * again: microseconds for a million rules, and a block has some 64 changes
 * before.
 *
 * A list moves to blocks without moving a rule: its arrays are cut into parts.
 * A part that gets more rules than it had moves to a block with more room.  A
 * full block is split in halves; one that is emptied leaves, and neighbours
 * with few rules join.  So two neighbours have more than XT2_BLOCK_JOIN_ rules,
 * but for those at the ends of the arrays, and a list takes about 32 bytes a
 * rule at most, and its arrays.
 */
#include "config.h"
#include "list-blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HALF	    (XT2_BLOCK_RULES_ / 2)
#define INDEX_LEAST 8u

/* --- the index --------------------------------------------------------- */

/* How many counts the sum at this place has, which end there. */
static u32 reach(u32 i)
{
	return i & -i;
}

/* The counts from a block on have changed, or their number. */
static void sums_make(struct xt2_blocks_ *b, u32 from)
{
	u32 i, j;

	for (i = from + 1; i <= b->n; i++) {
		b->sum[i] = b->count[i - 1];
		for (j = i - 1; j != i - reach(i); j -= reach(j))
			b->sum[i] += b->sum[j];
	}
	if (b->n < b->cap)
		b->sum[b->n + 1] = XT2_NONE;
}

static void count_change(struct xt2_blocks_ *b, u32 k, u32 change)
{
	b->count[k] += change;
	for (k++; k <= b->n; k += reach(k))
		b->sum[k] += change;
}

u32 xt2_blocks_find_(const struct xt2_blocks_ *b, u32 *at)
{
	u32 k = 0, left = *at, step;

	for (step = b->cap / 2; step; step /= 2) {
		const u32 sum = b->sum[k + step];
		const bool after = sum <= left;

		k += after ? step : 0;
		left -= after ? sum : 0;
	}
	*at = left;
	return k;
}

static int index_reserve(struct xt2_blocks_ *b, u32 n)
{
	u32 cap = b->cap ? b->cap : INDEX_LEAST, i;
	void *p;

	while (cap < n)
		cap *= 2;
	if (cap == b->cap)
		return 0;
	p = realloc(b->block, cap * sizeof(*b->block));
	if (!p)
		return -ENOMEM;
	b->block = p;
	p = realloc(b->count, cap * sizeof(*b->count));
	if (!p)
		return -ENOMEM;
	b->count = p;
	p = realloc(b->sum, (cap + 1ull) * sizeof(*b->sum));
	if (!p)
		return -ENOMEM;
	b->sum = p;
	for (i = b->n + 1; i <= cap; i++)
		b->sum[i] = XT2_NONE;
	b->cap = cap;
	return 0;
}

/* --- blocks ------------------------------------------------------------ */

/* Rules of one block to another place, of the same block or of another. */
static void rules_move(const struct xt2_block_ *to, u32 at, const struct xt2_block_ *from,
		       u32 first, u32 n)
{
	memmove(to->rule + at, from->rule + first, n * sizeof(*to->rule));
	memmove(to->line + at, from->line + first, n * sizeof(*to->line));
}

/* A block is no longer needed. */
static void memory_leave(struct xt2_blocks_ *b, const struct xt2_block_ *block)
{
	if (block->room < XT2_BLOCK_RULES_)
		return;
	if (b->spare.rule)
		free(block->rule);
	else
		b->spare = *block;
}

static struct xt2_block_ spare_take(struct xt2_blocks_ *b)
{
	const struct xt2_block_ spare = b->spare;

	b->spare.rule = NULL;
	return spare;
}

/* The spare block becomes the k-th one, which is still empty; sums_make() is to follow. */
static void block_enter(struct xt2_blocks_ *b, u32 k)
{
	memmove(b->block + k + 1, b->block + k, (b->n - k) * sizeof(*b->block));
	memmove(b->count + k + 1, b->count + k, (b->n - k) * sizeof(*b->count));
	b->block[k] = spare_take(b);
	b->count[k] = 0;
	b->n++;
}

/* sums_make() is to follow. */
static void block_leave(struct xt2_blocks_ *b, u32 k)
{
	memory_leave(b, &b->block[k]);
	b->n--;
	memmove(b->block + k, b->block + k + 1, (b->n - k) * sizeof(*b->block));
	memmove(b->count + k, b->count + k + 1, (b->n - k) * sizeof(*b->count));
}

/* A part of the arrays gets more room. */
static void block_grow(struct xt2_blocks_ *b, u32 k)
{
	const struct xt2_block_ more = spare_take(b);

	rules_move(&more, 0, &b->block[k], 0, b->count[k]);
	b->block[k] = more;
}

static void block_split(struct xt2_blocks_ *b, u32 k)
{
	block_enter(b, k + 1);
	rules_move(&b->block[k + 1], 0, &b->block[k], HALF, HALF);
	b->count[k] = b->count[k + 1] = HALF;
	sums_make(b, k);
}

/* A block and the next one become one, if they have few rules and one of them has the room. */
static bool block_join(struct xt2_blocks_ *b, u32 k)
{
	struct xt2_block_ *one = &b->block[k], *next = one + 1;
	const u32 n = b->count[k], more = b->count[k + 1];

	if (n + more > XT2_BLOCK_JOIN_ || (n + more > one->room && n + more > next->room))
		return false;
	if (n + more <= one->room) {
		rules_move(one, n, next, 0, more);
		block_leave(b, k + 1);
	} else {
		rules_move(next, n, next, 0, more);
		rules_move(next, 0, one, 0, n);
		block_leave(b, k);
	}
	b->count[k] = n + more;
	sums_make(b, k);
	return true;
}

/* --- lists ------------------------------------------------------------- */

void xt2_blocks_free_(struct xt2_blocks_ *b)
{
	u32 i;

	for (i = 0; i < b->n; i++)
		if (b->block[i].room == XT2_BLOCK_RULES_)
			free(b->block[i].rule);
	free(b->block);
	free(b->count);
	free(b->sum);
	free(b->spare.rule);
	xt2_list_arrays_free_(&b->arrays);
	free(b);
}

int xt2_blocks_reserve_(struct xt2_blocks_ *b)
{
	const size_t rules = XT2_BLOCK_RULES_ * sizeof(*b->spare.rule);
	char *p;

	if (index_reserve(b, b->n + 1))
		return -ENOMEM;
	if (b->spare.rule)
		return 0;
	p = malloc(rules + XT2_BLOCK_RULES_ * sizeof(*b->spare.line));
	if (!p)
		return -ENOMEM;
	b->spare.rule = (const struct xt2_rule **)p;
	b->spare.line = (u32 *)(p + rules);
	b->spare.room = XT2_BLOCK_RULES_;
	return 0;
}

/* Rules that are contiguous in the arrays become blocks. */
static void parts_add(struct xt2_blocks_ *b, const struct xt2_rule_list *l, u32 slot, u32 n)
{
	u32 part;

	for (; n; n -= part) {
		part = n < XT2_BLOCK_PART_ ? n : XT2_BLOCK_PART_;
		b->block[b->n] = (struct xt2_block_){ l->rule + slot, l->line + slot, part };
		b->count[b->n++] = part;
		slot += part;
	}
}

int xt2_blocks_make_(struct xt2_rule_list *l)
{
	struct xt2_blocks_ *b = calloc(1, sizeof(*b));
	const u32 n = l->n;

	if (!b)
		return -ENOMEM;
	if (index_reserve(b, n / XT2_BLOCK_PART_ + 2) || xt2_blocks_reserve_(b)) {
		xt2_blocks_free_(b);
		return -ENOMEM;
	}
	parts_add(b, l, 0, l->gap);
	parts_add(b, l, l->gap + l->cap - n, n - l->gap);
	sums_make(b, 0);
	b->arrays = *l;
	*l = (struct xt2_rule_list){ .blocks = b, .n = n, .gap = XT2_NONE };
	return 0;
}

struct xt2_list_place_ xt2_blocks_place_(const struct xt2_blocks_ *b, u32 at)
{
	const struct xt2_block_ *block = &b->block[xt2_blocks_find_(b, &at)];

	return (struct xt2_list_place_){ block->rule + at, block->line + at };
}

/* => the block that gets a rule at a position; *at becomes the rule's position there */
static u32 room_find(struct xt2_blocks_ *b, u32 *at)
{
	u32 k = xt2_blocks_find_(b, at);

	if (k == b->n) { /* the end of the list, while the index has room */
		k--;
		*at = b->count[k];
	}
	if (b->count[k] < b->block[k].room)
		return k;
	if (b->block[k].room < XT2_BLOCK_RULES_) {
		block_grow(b, k);
		return k;
	}
	if (k == b->n - 1 && *at == XT2_BLOCK_RULES_) { /* appended: the full one stays full */
		block_enter(b, ++k);
		sums_make(b, k);
		*at = 0;
		return k;
	}
	block_split(b, k);
	if (*at <= HALF)
		return k;
	*at -= HALF;
	return k + 1;
}

void xt2_blocks_insert_(struct xt2_blocks_ *b, u32 at, const struct xt2_rule *r, u32 line)
{
	const u32 k = room_find(b, &at);
	const struct xt2_block_ *block = &b->block[k];

	rules_move(block, at + 1, block, at, b->count[k] - at);
	block->rule[at] = r;
	block->line[at] = line;
	count_change(b, k, 1);
}

void xt2_blocks_delete_(struct xt2_blocks_ *b, u32 at)
{
	const u32 k = xt2_blocks_find_(b, &at);
	const struct xt2_block_ *block = &b->block[k];

	rules_move(block, at, block, at + 1, b->count[k] - at - 1);
	count_change(b, k, -1u);
	if (!b->count[k]) {
		block_leave(b, k);
		sums_make(b, k);
		return;
	}
	if (k + 1 == b->n || !block_join(b, k)) {
		if (k)
			block_join(b, k - 1);
	}
}
