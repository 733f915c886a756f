/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-list.c - libxt2/ruleset/list.c: lists of rules in arrays, and the memory of their rules */
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/ruleset-case.h"

/* Rules of a list are told apart by their targets, and lines are 100 more. */
static struct xt2_rule rules[64];
static struct xt2_rule_list l;

static void put(u32 at, u32 number)
{
	assert_int_equal(xt2_list_grow_(&l, at), 0);
	xt2_list_insert_(&l, at, &rules[number], 100 + number);
}

static void fill(u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		put(i, i);
}

static void is(u32 n, const u32 *numbers)
{
	struct xt2_list_walk w = xt2_list_walk(&l);
	u32 i;

	assert_int_equal(l.n, n);
	for (i = 0; i < n; i++) {
		assert_ptr_equal(xt2_list_rule(&l, i), &rules[numbers[i]]);
		assert_int_equal(xt2_list_line(&l, i), 100 + numbers[i]);
		assert_ptr_equal(xt2_list_next(&w), &rules[numbers[i]]);
		assert_int_equal(xt2_list_walk_line(&w), 100 + numbers[i]);
	}
	assert_int_equal(w.at, n); /* and no part goes farther */
	assert_null(xt2_list_next(&w));
	assert_null(xt2_list_next(&w)); /* it stays at the end */
}

#define IS(...)                                         \
	do {                                            \
		const u32 want[] = { __VA_ARGS__ };     \
                                                        \
		is(sizeof(want) / sizeof(*want), want); \
	} while (0)

static int none(void **state)
{
	xt2_list_free_(&l);
	return 0;
}

static void rules_are_inserted_anywhere(void **state)
{
	fill(4);
	IS(0, 1, 2, 3);
	assert_int_equal(l.cap, 4);
	put(0, 4);
	put(1, 5);
	IS(4, 5, 0, 1, 2, 3);
	put(5, 6);
	put(2, 7);
	IS(4, 5, 7, 0, 1, 2, 6, 3);
	assert_int_equal(l.cap, 8);
	put(8, 8); /* full: the next one doubles */
	IS(4, 5, 7, 0, 1, 2, 6, 3, 8);
	assert_int_equal(l.cap, 16);
}

static void the_gap_moves_both_ways(void **state)
{
	fill(5);
	put(1, 5);
	assert_int_equal(l.gap, 2);
	IS(0, 5, 1, 2, 3, 4);
	put(4, 6);
	assert_int_equal(l.gap, 5);
	IS(0, 5, 1, 2, 6, 3, 4);
	xt2_list_delete_(&l, 4);
	assert_int_equal(l.gap, 4);
	IS(0, 5, 1, 2, 3, 4);
	xt2_list_delete_(&l, 5);
	assert_int_equal(l.gap, 5);
	IS(0, 5, 1, 2, 3);
}

static void rules_are_deleted(void **state)
{
	fill(5);
	xt2_list_delete_(&l, 2);
	IS(0, 1, 3, 4);
	xt2_list_delete_(&l, 0);
	IS(1, 3, 4);
	xt2_list_delete_(&l, 2);
	IS(1, 3);
	xt2_list_delete_(&l, 1);
	xt2_list_delete_(&l, 0);
	is(0, NULL);
	put(0, 5);
	IS(5);
}

/* Rules after the gap stay at the end of the longer arrays. */
static void room_is_reserved(void **state)
{
	u32 cap;

	fill(6);
	cap = l.cap;
	put(2, 6);
	assert_int_equal(xt2_list_reserve_(&l, cap), 0);
	assert_int_equal(l.cap, cap);
	assert_int_equal(xt2_list_reserve_(&l, cap + 1), 0);
	assert_int_equal(l.cap, cap + 1);
	IS(0, 1, 6, 2, 3, 4, 5);
	assert_int_equal(xt2_list_reserve_(&l, 1), 0);
	assert_int_equal(l.cap, cap + 1);
}

static void lists_have_a_limit(void **state)
{
	const u32 most = (u32)-1 / 4 + 1;
	struct xt2_rule_list full = { .n = most, .cap = most, .gap = most };

	assert_int_equal(xt2_list_grow_(&full, most), -ENOMEM);
	assert_int_equal(full.cap, most);
}

static void lent_arrays_are_given_up_for_longer_ones(void **state)
{
	struct xt2_ruleset *rs = *state;
	unsigned int n;
	u32 i;

	assert_int_equal(xt2_list_lend_(rs, &l, 3), 0);
	assert_true(l.lent);
	assert_int_equal(xt2_list_reserve_(&l, 3), 0); /* there is room */
	assert_true(l.lent);
	for (i = 0; i < 3; i++)
		put(i, i);
	assert_true(l.lent);
	for (n = 1; n <= 2; n++) { /* the arrays of its own */
		fail_alloc(n);
		assert_int_equal(xt2_list_grow_(&l, l.n), -ENOMEM);
		fail_alloc(0);
		assert_true(l.lent);
	}
	for (n = 3; n <= 4; n++) { /* then more of them */
		fail_alloc(n == 3 ? 3 : 2);
		assert_int_equal(xt2_list_grow_(&l, l.n), -ENOMEM);
		fail_alloc(0);
		assert_false(l.lent);
		IS(0, 1, 2);
	}
	put(1, 3);
	IS(0, 3, 1, 2);
	assert_int_equal(l.cap, 6);
	none(state);
	assert_int_equal(xt2_list_lend_(rs, &l, 2), 0);
	none(state); /* what was lent stays with the ruleset */
}

/* A rule of the loaded image is copied before it is written to; one in the arena is not. */
static void rules_of_the_image_are_copied(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_rule *own;

	rules[1].size = rules[1].target_offset = sizeof(rules[1]);
	rules[1].target = DROP;
	rs->image = (const u8 *)rules;
	rs->image_size = sizeof(rules);
	fill(3);
	fail_alloc(1);
	assert_null(xt2_list_own_(rs, &l, 1));
	fail_alloc(0);
	assert_ptr_equal(xt2_list_rule(&l, 1), &rules[1]);
	own = xt2_list_own_(rs, &l, 1);
	assert_ptr_not_equal(own, &rules[1]);
	assert_memory_equal(own, &rules[1], sizeof(rules[1]));
	assert_ptr_equal(xt2_list_rule(&l, 1), own);
	assert_ptr_equal(xt2_list_own_(rs, &l, 1), own);
	assert_int_equal(rs->rules.live, sizeof(*own));
	xt2_rule_forget_(rs, &rules[2]); /* the image's */
	assert_int_equal(rs->rules.dead, 0);
	xt2_rule_forget_(rs, own);
	assert_int_equal(rs->rules.dead, sizeof(*own));
	assert_int_equal(rs->rules.live, 0);
	rs->image = NULL;
	rs->image_size = 0;
}

static void forget(struct xt2_ruleset *rs, struct xt2_rule_list *list, u32 n)
{
	while (n--) {
		xt2_rule_forget_(rs, xt2_list_rule(list, 0));
		xt2_list_delete_(list, 0);
	}
}

/* Memory is moved if 64 KiB of it are dead, and no less than what is alive. */
static void dead_rules_are_given_back(void **state)
{
	struct xt2_ruleset *rs = *state;
	const u32 size = sizeof(struct xt2_rule), some = ((1 << 16) + size - 1) / size;
	int chain = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct xt2_rule_list *list = &rs->chain[chain].rules;
	u32 i;

	for (i = 0; i < 3 * some; i++)
		assert_int_equal(append(rs, chain, XT2_TARGET(XT2_T_MARK, i)), 0);
	forget(rs, list, some);
	xt2_rules_compact_(rs); /* more are alive */
	assert_int_equal(rs->rules.dead, some * size);
	forget(rs, list, (some + 1) / 2);
	xt2_rules_compact_(rs);
	assert_int_equal(rs->rules.dead, 0);
	assert_int_equal(rs->rules.live, list->n * size);
	for (i = 0; i < list->n; i++)
		assert_int_equal(XT2_TARGET_ARG(xt2_list_rule(list, i)->target),
				 3 * some - list->n + i);
	forget(rs, list, some - 1); /* fewer bytes than are worth it */
	xt2_rules_compact_(rs);
	assert_int_equal(rs->rules.dead, (some - 1) * size);
	xt2_rules_drop_(rs, list);
	assert_int_equal(list->n, 0);
	assert_int_equal(rs->rules.live, 0);
	xt2_rules_compact_(rs);
	assert_int_equal(rs->rules.dead, 0);
}

/* In a ruleset with a large image, it takes more dead bytes. */
static void a_large_image_is_not_walked_for_few_rules(void **state)
{
	static const u8 image[16 * 3 << 16];
	struct xt2_ruleset *rs = *state;
	const u32 size = sizeof(struct xt2_rule);
	int chain = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct xt2_rule_list *list = &rs->chain[chain].rules;
	u32 dead;

	rs->image = image;
	rs->image_size = sizeof(image);
	for (dead = 0; dead + size < 3 << 16; dead += size) {
		assert_int_equal(append(rs, chain, DROP), 0);
		forget(rs, list, 1);
		xt2_rules_compact_(rs);
		assert_int_equal(rs->rules.dead, dead + size);
	}
	assert_int_equal(append(rs, chain, DROP), 0);
	forget(rs, list, 1);
	xt2_rules_compact_(rs);
	assert_int_equal(rs->rules.dead, 0);
	rs->image = NULL;
	rs->image_size = 0;
}

#define LIST(name) cmocka_unit_test_teardown(name, none)

static int gone(void **state)
{
	none(state);
	return teardown(state);
}

static const struct CMUnitTest tests[] = {
	LIST(rules_are_inserted_anywhere),
	LIST(the_gap_moves_both_ways),
	LIST(rules_are_deleted),
	LIST(room_is_reserved),
	LIST(lists_have_a_limit),
	cmocka_unit_test_setup_teardown(lent_arrays_are_given_up_for_longer_ones, setup, gone),
	cmocka_unit_test_setup_teardown(rules_of_the_image_are_copied, setup, gone),
	cmocka_unit_test_setup_teardown(dead_rules_are_given_back, setup, gone),
	cmocka_unit_test_setup_teardown(a_large_image_is_not_walked_for_few_rules, setup, gone),
};

UNITS(tests)
