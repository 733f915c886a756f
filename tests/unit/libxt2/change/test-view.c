/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-view.c - libxt2/change/view.c
 *
 * Chains are edited at random.  After each few edits, while the edit is open, when it is
 * published and when a later one is taken back, the view is compared with a plain array.
 */
#include "tests/unit/change-case.h"
#include "libxt2/change/view.h"

static const struct xt2_index_limits plain = { ~0u, 0, 0, 0, false };
static const struct xt2_index_limits pairs = { 0, 0, 0, 0, false };
static const struct xt2_index_limits *const kinds[] = { &plain, &pairs, NULL };

/* --- equal rules, found by reading all ------------------------------------- */

struct asked {
	struct xt2_rule *rule;
	bool strict; /* numbers of cells and instances make a difference */
	u32 calls;
};

static void forget_numbers(struct xt2_rule *r)
{
	struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (xt2_match_info(m->type) & (XT2_EXT_CELL | XT2_EXT_INSTANCE))
			m->arg = 0;
}

static bool same(void *arg, const struct xt2_rule *candidate)
{
	u64 a[SEED_RULE_SIZE / 8], b[SEED_RULE_SIZE / 8];
	struct xt2_rule *r = (struct xt2_rule *)a, *s = (struct xt2_rule *)b;
	struct asked *asked = arg;

	asked->calls++;
	if (candidate->size != asked->rule->size)
		return false;
	memcpy(r, candidate, candidate->size);
	memcpy(s, asked->rule, candidate->size);
	r->packets = r->bytes = s->packets = s->bytes = 0;
	if (!asked->strict) {
		forget_numbers(r);
		forget_numbers(s);
	}
	return !memcmp(r, s, candidate->size);
}

static int find_slowly(const struct change_case *c, struct asked *asked)
{
	u32 i;

	for (i = 0; i < c->now.n; i++)
		if (same(asked, c->rule[c->now.id[i]]))
			return (int)i;
	return -ENOENT;
}

/* A rule that is there, or was, or one with another number, or a new one. */
static void check_find(struct change_case *c, const struct xt2_view *v)
{
	u64 room[SEED_RULE_SIZE / 8];
	struct asked asked = { (struct xt2_rule *)room, world_often(&c->w, 50), 0 };
	const struct xt2_rule *r = change_rule(c, CHANGE_WORLD);
	struct xt2_match *m;

	if (world_often(&c->w, 90))
		r = c->rule[world_below(&c->w, c->ids)];
	memcpy(room, r, r->size);
	xt2_rule_for_each_match(m, asked.rule)
		if (xt2_match_info(m->type) & XT2_EXT_CELL && world_often(&c->w, 50))
			m->arg = world_below(&c->w, WORLD_CELLS);
	asked.rule->packets = 1;
	assert_int_equal(xt2_view_find(v, asked.rule, same, &asked), find_slowly(c, &asked));
}

/* --- the whole view -------------------------------------------------------- */

static u32 offset(const struct change_case *c, const struct xt2_rule *r)
{
	return xt2_offset(c->img, r);
}

static void check_walk(const struct change_case *c, const struct xt2_view *v, u32 from, u32 most)
{
	const u32 tail = offset(c, xt2_chain_tail(v->compiled));
	struct xt2_in_order o;
	u32 i;

	xt2_view_walk(v, from, &o);
	for (i = from; i < c->now.n && i < from + most; i++)
		assert_int_equal(offset(c, xt2_order_next(&o)), c->where[c->now.id[i]]);
	if (i < c->now.n)
		return;
	if (i == c->now.n)
		assert_int_equal(offset(c, xt2_order_next(&o)), tail);
	assert_null(xt2_order_next(&o));
	assert_null(xt2_order_next(&o));
}

static void check_numbers(const struct change_case *c, const struct xt2_view *v, u32 step)
{
	const u32 tail = offset(c, xt2_chain_tail(v->compiled));
	u32 i;

	assert_int_equal(xt2_view_length(v), c->now.n);
	for (i = 0; i < c->now.n; i += step) {
		const u32 rule = c->where[c->now.id[i]];

		assert_int_equal(xt2_view_nth(v, i), rule);
		assert_int_equal(xt2_view_number(v, rule), i);
		assert_int_equal(xt2_view_number(v, rule + 8), XT2_VIEW_NONE);
	}
	assert_int_equal(xt2_view_nth(v, c->now.n), tail);
	assert_int_equal(xt2_view_nth(v, ~0u), tail);
	assert_int_equal(xt2_view_number(v, tail), c->now.n);
	assert_int_equal(xt2_view_number(v, 0), XT2_VIEW_NONE);
	assert_int_equal(xt2_view_number(v, 8), XT2_VIEW_NONE);
	assert_int_equal(xt2_view_number(v, (u32)c->img->size), XT2_VIEW_NONE);
	assert_int_equal(xt2_view_number(v, ~7u), XT2_VIEW_NONE);
}

static void check(struct change_case *c, const struct xt2_view *v)
{
	struct xt2_view slow = *v;
	u32 i;

	check_numbers(c, v, 1);
	check_walk(c, v, 0, ~0u);
	check_walk(c, v, c->now.n, 1);
	check_walk(c, v, c->now.n + 1, 1);
	for (i = 0; i < 20; i++) {
		check_walk(c, v, world_below(&c->w, c->now.n + 1), 200);
		check_find(c, v);
	}
	slow.finder = NULL;
	check_numbers(c, &slow, 1 + c->now.n / 20);
	check_walk(c, &slow, c->now.n / 2, 10);
	check_find(c, &slow);
}

/* Rules that were deleted are not there, whatever deleted them. */
static void check_gone(const struct xt2_view *v, const u32 *gone, u32 n)
{
	while (n--)
		assert_int_equal(xt2_view_number(v, gone[n]), XT2_VIEW_NONE);
}

/* --- random edits ---------------------------------------------------------- */

#define GONE 20u

static u32 position(struct change_case *c, u32 n)
{
	return world_often(&c->w, 50) ? world_below(&c->w, n) : n * 2 / 3;
}

/* Some edits; a group or a full patch may refuse one.  => rules that were deleted */
static u32 edit(struct change_case *c, u32 edits, u32 deletions, u32 *gone)
{
	u64 room[SEED_RULE_SIZE / 8];
	u32 n = 0, at, where;
	int err;

	for (; edits; edits--) {
		if (c->now.n && world_often(&c->w, deletions)) {
			at = position(c, c->now.n);
			where = change_where(c, at);
			err = change_delete(c, at);
			if (!err && n < GONE)
				gone[n++] = where;
		} else {
			const struct xt2_rule *r = change_rule(c, CHANGE_WORLD);

			if (world_often(&c->w, 50))
				r = c->rule[world_below(&c->w, c->ids)];
			memcpy(room, r, r->size);
			err = change_insert(c, position(c, c->now.n + 1), (struct xt2_rule *)room);
			n = 0; /* the place of one that is gone may be used again */
		}
		assert_true(!err || err == -E2BIG);
	}
	return n;
}

static void run(u64 seed, u32 rules)
{
	static struct change_model before;
	static u32 where[CHANGE_RULES];
	struct change_case *c = change_new(seed, seed % 2 ? XT2_IPV4 : XT2_IPV6,
					   (enum change_shape)(seed % 3), rules, kinds[seed % 3],
					   16u << 20);
	struct xt2_finder *f = malloc(xt2_finder_size(xt2_at(c->img, c->chain)));
	u32 gone[GONE], turn, i, n = 0;
	struct xt2_view v;

	print_message("seed %llu\n", (unsigned long long)seed);
	assert_non_null(f);
	xt2_finder_build(f, xt2_at(c->img, c->chain));
	for (turn = 0; turn < 8; turn++) {
		xt2_view_chain(&v, c->img, xt2_at(c->img, c->chain), f);
		check(c, &v);
		before = c->now;
		memcpy(where, c->where, sizeof(where));
		assert_int_equal(change_begin(c), 0);
		for (i = world_below(&c->w, 5); i; i--) {
			n = edit(c, world_below(&c->w, turn % 3 ? 20 : 300), seed % 90, gone);
			xt2_view_edit(&v, &c->edit, f);
			check(c, &v);
			check_gone(&v, gone, n);
		}
		if (turn % 4 != 3) {
			assert_int_equal(change_end(c), 0);
			xt2_space_reclaim(&c->space, c->generation);
			continue;
		}
		xt2_patch_abort(&c->edit);
		xt2_space_abort(&c->space);
		c->now = before;
		memcpy(c->where, where, sizeof(where));
	}
	free(f);
	change_free(c);
}

static void test_random(void **unused)
{
	const u64 seed = change_seed("view");
	const u32 images = getenv("XT2_SHORT") ? 6 : 24;
	u32 i;

	for (i = 0; i < images; i++)
		run(seed + i, WORLD_CELLS + (i % 4 ? (i * 641) % 900 : (i * 1327) % 5000));
}

/* --- one by one ------------------------------------------------------------ */

/* Deleting the first of many equal rules, again and again, asks for few of them. */
static void test_many_are_equal(void **unused)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, 200, &plain, 8u << 20);
	struct xt2_finder *f = malloc(xt2_finder_size(xt2_at(c->img, c->chain)));
	struct asked asked = { .strict = true };
	u64 room[SEED_RULE_SIZE / 8];
	struct xt2_view v;
	u32 i, first;

	assert_non_null(f);
	xt2_finder_build(f, xt2_at(c->img, c->chain));
	assert_int_equal(change_begin(c), 0);
	asked.rule = memcpy(room, change_rule(c, CHANGE_ADDRESSES), 40);
	for (i = 0; i < 150; i++)
		assert_int_equal(change_insert(c, 170 + i, asked.rule), 0);
	xt2_view_edit(&v, &c->edit, f);
	for (i = 0; i < 150; i++) {
		asked.calls = 0;
		assert_int_equal(xt2_view_find(&v, asked.rule, same, &asked), 170);
		assert_in_range(asked.calls, 1, 40);
		assert_int_equal(change_delete(c, 170), 0);
		xt2_view_edit(&v, &c->edit, f);
	}
	assert_int_equal(xt2_view_find(&v, asked.rule, same, &asked), -ENOENT);
	memcpy(room, c->rule[c->now.id[100]], 40); /* rules that were compiled come before others */
	first = (u32)find_slowly(c, &asked);
	for (i = 0; i < 50; i++)
		assert_int_equal(change_insert(c, first + i % 2 + 1, asked.rule), 0);
	xt2_view_edit(&v, &c->edit, f);
	asked.calls = 0;
	assert_int_equal(xt2_view_find(&v, asked.rule, same, &asked), first);
	assert_int_equal(asked.calls, 1);
	free(f);
	change_free(c);
}

/* A rule that takes the place and the label of one that is gone is not that one. */
static void test_gone_for_another(void **unused)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, 200, &plain, 8u << 20);
	struct xt2_view v;
	u32 gone;

	assert_int_equal(change_begin(c), 0);
	assert_int_equal(change_insert(c, 100, change_rule(c, CHANGE_ADDRESSES)), 0);
	gone = change_where(c, 100);
	assert_int_equal(change_delete(c, 100), 0);
	assert_int_equal(change_insert(c, 100, change_rule(c, CHANGE_ADDRESSES)), 0);
	assert_int_not_equal(change_where(c, 100), gone);
	assert_int_equal(xt2_edit_inserted_(&c->edit, change_where(c, 100))->label,
			 xt2_edit_inserted_(&c->edit, gone)->label);
	xt2_view_edit(&v, &c->edit, NULL);
	assert_int_equal(xt2_view_number(&v, gone), XT2_VIEW_NONE);
	assert_int_equal(xt2_view_number(&v, change_where(c, 100)), 100);
	change_free(c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_gone_for_another),
	cmocka_unit_test(test_many_are_equal),
};

UNITS(cases)
