/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-list-blocks.c - libxt2/ruleset/list-blocks.c: long lists, against a plain array
 *
 * Each rule that comes gets the next number as its line, and one of a few
 * pointers by it, so that a place that mixes up rules shows.
 *
 * XT2_SEED=N runs a printed seed of random edits again, XT2_EDITS=N sets how many.
 */
#include "libxt2/ruleset/list-blocks.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/ruleset-case.h"

#include <time.h>

#define MOST  20000u /* rules of a list: some 100 blocks */
#define SMALL (XT2_LIST_FAR_ + 100)

static const struct xt2_rule rules[61];
static struct xt2_rule_list l;
static u32 lines[MOST]; /* the oracle */
static u32 n, came;

static const struct xt2_rule *rule_of(u32 line)
{
	return &rules[line % (sizeof(rules) / sizeof(*rules))];
}

static void oracle_put(u32 at)
{
	memmove(lines + at + 1, lines + at, (n - at) * sizeof(*lines));
	lines[at] = came++;
	n++;
}

static void oracle_take(u32 at)
{
	n--;
	memmove(lines + at, lines + at + 1, (n - at) * sizeof(*lines));
}

static void put(u32 at)
{
	assert_int_equal(xt2_list_grow_(&l, at), 0);
	xt2_list_insert_(&l, at, rule_of(came), came);
	oracle_put(at);
}

static void take(u32 at)
{
	xt2_list_delete_(&l, at);
	oracle_take(at);
}

static void fill(u32 to)
{
	while (n < to)
		put(n);
}

static void same_at(u32 at)
{
	assert_int_equal(xt2_list_line(&l, at), lines[at]);
	assert_ptr_equal(xt2_list_rule(&l, at), rule_of(lines[at]));
}

static u32 sum_of(const struct xt2_blocks_ *b, u32 i)
{
	u32 from = i & (i - 1), sum = 0;

	while (i-- > from)
		sum += b->count[i];
	return sum;
}

/* What list-blocks.h says, and that there are no more blocks than list-blocks.c says. */
static void sound(const struct xt2_blocks_ *b)
{
	u32 i, rules_of_all = 0;

	assert_int_equal(b->cap & (b->cap - 1), 0);
	assert_in_range(b->n, 1, b->cap);
	for (i = 0; i < b->n; i++) {
		assert_in_range(b->block[i].room, 1, XT2_BLOCK_RULES_);
		assert_in_range(b->count[i], 1, b->block[i].room);
		assert_int_equal(b->sum[i + 1], sum_of(b, i + 1));
		rules_of_all += b->count[i];
	}
	for (; i < b->cap; i++)
		assert_int_equal(b->sum[i + 1], XT2_NONE);
	assert_int_equal(rules_of_all, n);
	assert_in_range(b->n, 1, 2 * n / XT2_BLOCK_JOIN_ + 4);
}

static void same(void)
{
	struct xt2_list_walk w = xt2_list_walk(&l);
	u32 i;

	assert_int_equal(l.n, n);
	for (i = 0; i < n; i++) {
		same_at(i);
		assert_ptr_equal(xt2_list_next(&w), rule_of(lines[i]));
		assert_int_equal(xt2_list_walk_line(&w), lines[i]);
	}
	assert_null(xt2_list_next(&w));
	if (xt2_list_in_blocks_(&l))
		sound(l.blocks);
}

static int empty(void **state)
{
	xt2_list_free_(&l);
	n = came = 0;
	return 0;
}

/* --- blocks ------------------------------------------------------------ */

/* Parts of 192 before and after the gap; a rule that comes takes a part to a block of its own. */
static void arrays_are_cut_into_blocks(void **state)
{
	fill(1000);
	assert_false(xt2_list_in_blocks_(&l));
	put(1000 - XT2_LIST_FAR_); /* as far as a gap moves */
	assert_false(xt2_list_in_blocks_(&l));
	put(1001);
	same();
	take(0); /* farther */
	assert_true(xt2_list_in_blocks_(&l));
	same();
	assert_int_equal(l.blocks->n, 6);
	assert_int_equal(l.blocks->count[0], XT2_BLOCK_PART_ - 1);
	assert_ptr_equal(l.blocks->block[0].rule, l.blocks->arrays.rule);
	put(5); /* there is room again */
	assert_ptr_equal(l.blocks->block[0].rule, l.blocks->arrays.rule);
	put(5);
	assert_ptr_not_equal(l.blocks->block[0].rule, l.blocks->arrays.rule);
	assert_int_equal(l.blocks->block[0].room, XT2_BLOCK_RULES_);
	assert_int_equal(l.blocks->n, 6);
	same();
}

static void arrays_with_a_gap_are_cut_on_both_sides(void **state)
{
	u32 i;

	fill(1000);
	for (i = 0; i < 400; i++)
		put(600);
	for (i = 0; i < 10; i++)
		take(600);
	assert_false(xt2_list_in_blocks_(&l));
	put(0);
	assert_int_equal(l.blocks->count[3], 600 % XT2_BLOCK_PART_);
	assert_int_equal(l.blocks->count[4], XT2_BLOCK_PART_);
	assert_int_equal(l.blocks->n, 9);
	same();
}

static void full_blocks_are_split(void **state)
{
	u32 blocks, i;

	fill(SMALL);
	put(0);
	blocks = l.blocks->n;
	for (i = l.blocks->count[0]; i < XT2_BLOCK_RULES_; i++)
		put(i / 2);
	assert_int_equal(l.blocks->n, blocks);
	put(XT2_BLOCK_RULES_ / 2 + 1);
	assert_int_equal(l.blocks->n, blocks + 1);
	assert_int_equal(l.blocks->count[0], XT2_BLOCK_RULES_ / 2);
	assert_int_equal(l.blocks->count[1], XT2_BLOCK_RULES_ / 2 + 1);
	same();
	while (l.blocks->count[0] < XT2_BLOCK_RULES_)
		put(0);
	put(XT2_BLOCK_RULES_ / 2); /* the end of the first half */
	assert_int_equal(l.blocks->count[0], XT2_BLOCK_RULES_ / 2 + 1);
	same();
}

static void appended_blocks_stay_full(void **state)
{
	u32 last;

	fill(SMALL);
	put(0);
	fill(5000);
	last = l.blocks->n - 1;
	assert_int_equal(l.blocks->count[last - 1], XT2_BLOCK_RULES_);
	assert_int_equal(l.blocks->count[last - 2], XT2_BLOCK_RULES_);
	same();
}

/* At the end of the list the search must not leave the index, full or not. */
static void the_index_grows(void **state)
{
	u32 full = 0;

	fill(SMALL);
	put(0);
	while (n < MOST) {
		full += l.blocks->n == l.blocks->cap;
		put(n);
		if (l.blocks->n == l.blocks->cap || l.blocks->n == l.blocks->cap / 2 + 1)
			sound(l.blocks);
	}
	assert_true(full);
	assert_true(l.blocks->cap >= 64);
	same();
}

/* => how many rules of a block were taken before there was one block less */
static u32 take_until_joined(u32 k)
{
	const u32 blocks = l.blocks->n;
	u32 at = 0, taken, i;

	for (i = 0; i < k; i++)
		at += l.blocks->count[i];
	for (taken = 0; l.blocks->n == blocks; taken++)
		take(at);
	same();
	return taken;
}

static void neighbours_with_few_rules_join(void **state)
{
	u32 part = XT2_BLOCK_PART_, i;

	fill(3 * part + 36);
	put(0);
	assert_int_equal(l.blocks->count[0], part + 1);
	assert_int_equal(take_until_joined(2), 36); /* with the next one */
	assert_int_equal(l.blocks->n, 3);
	assert_int_equal(l.blocks->count[2], part);
	for (i = 0; i < 100; i++)
		take(n - 1);
	assert_int_equal(take_until_joined(1), part - 100); /* with the next one */
	assert_int_equal(l.blocks->count[1], part);
	for (i = 0; i < 100; i++)
		take(0);
	assert_int_equal(take_until_joined(1), part + 1 - 100); /* with the last */
	assert_int_equal(l.blocks->n, 1);
	assert_int_equal(l.blocks->block[0].room, XT2_BLOCK_RULES_);
	while (n < XT2_BLOCK_RULES_)
		put(100);
	assert_int_equal(l.blocks->n, 1);
	same();
}

/* The end of a part of the arrays has no room; the block after it may. */
static void one_of_two_neighbours_has_the_room(void **state)
{
	const u32 part = XT2_BLOCK_PART_;

	fill(5 * part);
	take(3 * part); /* the gap gets there in steps */
	take(part + 4);
	assert_false(xt2_list_in_blocks_(&l));
	put(n);
	assert_true(xt2_list_in_blocks_(&l));
	assert_int_equal(l.blocks->count[1], 4);
	assert_int_equal(l.blocks->count[2], part);
	assert_int_equal(take_until_joined(2), 4);
	assert_int_equal(l.blocks->count[1], part);
	assert_int_equal(l.blocks->block[1].room, part);
}

static void a_list_that_is_emptied_is_in_arrays(void **state)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		fill(2000);
		put(0);
		assert_true(xt2_list_in_blocks_(&l));
		while (n)
			take(i == 0 ? 0 : i == 1 ? n - 1 : n / 2);
		assert_false(xt2_list_in_blocks_(&l));
		same();
	}
	fill(5);
	same();
}

/* --- memory ------------------------------------------------------------ */

static void lent_arrays_are_not_freed(void **state)
{
	struct xt2_ruleset *rs = *state;

	assert_int_equal(xt2_list_lend_(rs, &l, SMALL), 0);
	fill(SMALL);
	assert_true(l.lent);
	put(0);
	assert_true(xt2_list_in_blocks_(&l));
	assert_true(l.blocks->arrays.lent);
	same();
}

/* Without memory for blocks, a change is slow. */
static void a_list_may_stay_in_arrays(void **state)
{
	unsigned int i;

	fill(SMALL);
	assert_true(l.n < l.cap);
	for (i = 1;; i++) {
		fail_alloc(i);
		put(i);
		if (!fail_alloc_happened())
			break;
		fail_alloc(i);
		take(n - 1);
		assert_true(fail_alloc_happened());
		fail_alloc(0);
		assert_false(xt2_list_in_blocks_(&l));
		same();
	}
	fail_alloc(0);
	assert_int_equal(i, 6);
	assert_true(xt2_list_in_blocks_(&l));
	same();
}

/* A full one needs memory for either. */
static void a_full_list_needs_memory(void **state)
{
	unsigned int i;

	fill(SMALL);
	fill(l.cap);
	for (i = 1;; i++) {
		fail_alloc(i);
		if (!xt2_list_grow_(&l, 0))
			break;
		fail_alloc(0);
		same();
	}
	fail_alloc(0);
	same();
	put(0);
	same();
}

/* No block is split that could not be, and nothing has changed. */
static void blocks_need_memory(void **state)
{
	u32 failed = 0, which, i;

	fill(SMALL);
	put(0);
	for (i = 0; i < 3000; i++) {
		const u32 at = i * 7919 % (n + 1);

		for (which = 1; which <= 4; which++) {
			fail_alloc(which);
			if (!xt2_list_grow_(&l, at))
				break;
			failed++;
		}
		fail_alloc(0);
		put(at);
	}
	assert_true(failed > 10);
	same();
}

/* --- random edits ------------------------------------------------------ */

static u64 dice;

/* => less than below, which is not 0 */
static u32 random_below(u32 below)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (u32)(dice >> 33) % below;
}

static void dice_begin(void)
{
	const char *given = getenv("XT2_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);

	print_message("XT2_SEED=%llu\n", (unsigned long long)seed);
	dice = seed * 2 + 1;
}

/* Where edits are: anywhere, at the front, at the end, at one place, around one. */
static u32 place(u32 kind, u32 range)
{
	switch (kind) {
	case 0: return 0;
	case 1: return range - 1;
	case 2: return range / 3;
	case 3: return range / 2 + random_below(range / 50 + 1);
	}
	return random_below(range);
}

static void random_edits(void **state)
{
	const char *given = getenv("XT2_EDITS");
	u32 edits = given ? (u32)atoi(given) : 200000, kind = 4, more = 70, i;

	dice_begin();
	for (i = 0; i < edits; i++) {
		if (!random_below(2000)) {
			kind = random_below(8);
			more = random_below(2) ? random_below(101) : n < MOST / 2 ? 85 : 20;
			same();
		}
		if (n < MOST && (!n || random_below(100) < more))
			put(place(kind, n + 1));
		else
			take(place(kind, n));
		if (n)
			same_at(random_below(n));
		assert_int_equal(l.n, n);
	}
	same();
	while (n)
		take(random_below(n));
	same();
}

/* --- a ruleset with a chain in blocks ----------------------------------- */

/* The targets of the chain's rules have their lines, too. */
static void chain_is(const struct xt2_ruleset *rs, int chain)
{
	u32 i;

	assert_int_equal(xt2_chain_rules(rs, chain), n);
	for (i = 0; i < n; i++) {
		assert_int_equal(XT2_TARGET_ARG(xt2_rule_get(rs, chain, i)->target), lines[i]);
		assert_int_equal(xt2_rule_line(rs, chain, i), lines[i]);
	}
}

static void chain_edit(struct xt2_ruleset *rs, int chain, u32 i)
{
	const u32 at = i * 7919 % (n + 1);
	struct rule_build b;
	const struct xt2_rule *r = rule_plain(&b, XT2_TARGET(XT2_T_MARK, came));

	if (i % 5 < 3 || at == n) {
		assert_int_equal(xt2_rule_insert(rs, chain, at, r, came), 0);
		oracle_put(at);
	} else if (i % 5 == 3) {
		assert_int_equal(xt2_rule_delete(rs, chain, at), 0);
		oracle_take(at);
	} else {
		assert_int_equal(xt2_rule_replace(rs, chain, at, r, came), 0);
		lines[at] = came++;
	}
}

/* Written, loaded, cloned and moved in memory it has the same rules. */
static void a_ruleset_has_chains_in_blocks(void **state)
{
	struct xt2_ruleset *rs = *state, *other;
	int chain = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct xt2_mapping map;
	u32 i;

	for (i = 0; i < 5000; i++)
		chain_edit(rs, chain, i);
	assert_true(xt2_list_in_blocks_(&rs->chain[chain].rules));
	chain_is(rs, chain);
	other = xt2_ruleset_clone(rs);
	chain_is(other, chain);
	xt2_ruleset_free(other);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	other = xt2_ruleset_new();
	assert_int_equal(xt2_ruleset_load(other, map.image, map.size), 0);
	chain_is(other, xt2_chain_base(other, FILTER, XT2_INPUT));
	xt2_ruleset_free(other);
	xt2_image_close(&map);
	while (rs->rules.dead) { /* until they move */
		assert_int_equal(xt2_rule_delete(rs, chain, n / 2), 0);
		oracle_take(n / 2);
	}
	assert_true(xt2_list_in_blocks_(&rs->chain[chain].rules));
	chain_is(rs, chain);
}

#define LIST(name) cmocka_unit_test_teardown(name, empty)

static int gone(void **state)
{
	empty(state);
	return teardown(state);
}

static const struct CMUnitTest tests[] = {
	LIST(arrays_are_cut_into_blocks),
	LIST(arrays_with_a_gap_are_cut_on_both_sides),
	LIST(full_blocks_are_split),
	LIST(appended_blocks_stay_full),
	LIST(the_index_grows),
	LIST(neighbours_with_few_rules_join),
	LIST(one_of_two_neighbours_has_the_room),
	LIST(a_list_that_is_emptied_is_in_arrays),
	cmocka_unit_test_setup_teardown(lent_arrays_are_not_freed, setup, gone),
	LIST(a_list_may_stay_in_arrays),
	LIST(a_full_list_needs_memory),
	LIST(blocks_need_memory),
	LIST(random_edits),
	cmocka_unit_test_setup_teardown(a_ruleset_has_chains_in_blocks, setup, gone),
};

UNITS(tests)
