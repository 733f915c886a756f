/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ways.c - libxt2/change/ways.c; tests/prop/edit-in-place compares random changes with a walk */
#include "engine/walk.h"
#include "tests/unit/inplace-case.h"

/* A rule that leads from a chain to another.  @source: 0: for all packets */
static int lead(const struct inplace_case *c, int from, int to, u8 kind, u32 source)
{
	struct rule_build b;

	rule_begin(&b);
	if (source)
		rule_source(&b, source, 32);
	return xt2_rule_append(c->rs, from, rule_end(&b, XT2_TARGET(kind, (u32)to)), 0);
}

static int make(const struct inplace_case *c, const char *name)
{
	const int chain = xt2_chain_add(c->rs, 0, name);

	assert_true(chain > 0);
	return chain;
}

static const struct xt2_hook *hook_of(const struct inplace_case *c, int chain)
{
	const struct xt2_root *root = xt2_image_root(c->img);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, c->img, root)
		if (h->chain == (u32)chain)
			return h;
	fail();
	return NULL;
}

static const struct xt2_way *way_of(const struct inplace_case *c, int chain)
{
	return xt2_pages_get(&c->rs->inplace->way, (u32)chain);
}

static void bounds_rise_to_the_hook(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const int a = make(&c, "a"), b = make(&c, "b");

	assert_int_equal(lead(&c, c.input, a, XT2_T_JUMP, 1), 0);
	assert_int_equal(lead(&c, a, b, XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	assert_int_equal(hook_of(&c, c.input)->depth, 2);
	assert_int_equal(hook_of(&c, c.input)->visits, 3);
	assert_int_equal(lead(&c, b, c.other, XT2_T_JUMP, 1), 0);
	assert_int_equal(lead(&c, b, c.other, XT2_T_JUMP, 2), 0);
	inplace_commit(&c);
	assert_int_equal(hook_of(&c, c.input)->depth, 3);
	assert_int_equal(hook_of(&c, c.input)->visits, 5);
	assert_int_equal(way_of(&c, c.other)->references, 2);
	assert_int_equal(way_of(&c, c.other)->from, 1u << XT2_INPUT);
	assert_int_equal(xt2_rule_delete(c.rs, b, 1), 0);
	inplace_commit(&c);
	assert_int_equal(way_of(&c, c.other)->references, 1);
	inplace_close(&c);
}

/* No rule comes, and yet a packet may get further. */
static void a_rule_that_ended_the_chain_goes(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const int a = make(&c, "a");
	struct rule_build b;

	rule_begin(&b);
	assert_int_equal(xt2_rule_append(c.rs, a, rule_end(&b, XT2_T_RETURN), 0), 0);
	assert_int_equal(lead(&c, a, c.other, XT2_T_JUMP, 1), 0);
	assert_int_equal(lead(&c, c.input, a, XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	assert_int_equal(xt2_rule_delete(c.rs, a, 0), 0);
	inplace_commit(&c);
	assert_true(hook_of(&c, c.input)->depth >= 2);
	assert_true(hook_of(&c, c.input)->visits >= 3);
	inplace_close(&c);
}

/* Between the same two chains, and a packet may push a frame more. */
static void a_goto_becomes_a_jump(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const int a = make(&c, "a");

	assert_int_equal(lead(&c, c.input, a, XT2_T_JUMP, 1), 0);
	assert_int_equal(lead(&c, a, c.other, XT2_T_GOTO, 1), 0);
	inplace_commit(&c);
	assert_int_equal(xt2_rule_delete(c.rs, a, 0), 0);
	assert_int_equal(lead(&c, a, c.other, XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	assert_true(hook_of(&c, c.input)->depth >= 2);
	inplace_close(&c);
}

static void loops_that_no_hook_reaches_stay(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const int a = make(&c, "a"), b = make(&c, "b");
	u32 root;

	assert_int_equal(lead(&c, a, b, XT2_T_JUMP, 1), 0);
	assert_int_equal(lead(&c, b, a, XT2_T_GOTO, 1), 0);
	inplace_commit(&c);
	assert_int_equal(lead(&c, c.input, b, XT2_T_JUMP, 1), 0);
	assert_int_equal(xt2_inplace_commit(c.rs, NULL, &root, NULL), -ELOOP);
	assert_int_equal(xt2_inplace_abort(c.rs), 0);
	assert_int_equal(xt2_rule_delete(c.rs, b, 0), 0);
	inplace_commit(&c);
	assert_int_equal(lead(&c, c.input, b, XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	inplace_close(&c);
}

/* More chains than a record has room for lead to one that leads further. */
static void many_parents(void **unused)
{
	struct inplace_case c = inplace_open(20, true);
	char name[16];
	u32 i;

	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "some%03u", i);
		assert_int_equal(lead(&c, c.input, xt2_chain_find(c.rs, 0, name), XT2_T_JUMP, 1),
				 0);
		assert_int_equal(lead(&c, xt2_chain_find(c.rs, 0, name), c.longer, XT2_T_JUMP, 1),
				 0);
	}
	inplace_commit(&c);
	assert_true(hook_of(&c, c.input)->visits >= 41);
	assert_int_equal(lead(&c, c.longer, c.other, XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	assert_true(hook_of(&c, c.input)->visits >= 61);
	assert_true(hook_of(&c, c.input)->depth >= 3);
	inplace_close(&c);
}

static u64 entries_of(const struct inplace_case *c, int chain)
{
	return xt2_ways_entries(&c->rs->inplace->ways, c->img, xt2_image_root(c->img), (u32)chain);
}

static void entries_multiply_along_the_ways(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	int chain[4], i;

	(void)unused;
	for (i = 0; i < 4; i++)
		chain[i] = make(&c, (const char *[]){ "a", "b", "d", "e" }[i]);
	for (i = 0; i < 6; i++)
		assert_int_equal(lead(&c, chain[i / 2], chain[i / 2 + 1], XT2_T_JUMP, (u32)i + 1),
				 0);
	inplace_commit(&c);
	assert_int_equal(entries_of(&c, c.input), 1);
	assert_int_equal(entries_of(&c, chain[3]), 0); /* nothing leads there from a hook */
	assert_int_equal(lead(&c, c.input, chain[0], XT2_T_JUMP, 1), 0);
	inplace_commit(&c);
	assert_int_equal(entries_of(&c, chain[3]), 8);
	assert_int_equal(lead(&c, c.input, chain[2], XT2_T_GOTO, 2), 0);
	inplace_commit(&c);
	assert_int_equal(entries_of(&c, chain[3]), 10);
	for (i = 0; i < 3; i++)
		assert_int_equal(lead(&c, i ? chain[i - 1] : c.input, chain[3], XT2_T_JUMP, 9), 0);
	inplace_commit(&c);
	assert_int_equal(entries_of(&c, chain[2]), 5);
	assert_int_equal(entries_of(&c, chain[3]), ~0ull); /* from too many chains */
	inplace_close(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bounds_rise_to_the_hook),
	cmocka_unit_test(a_rule_that_ended_the_chain_goes),
	cmocka_unit_test(a_goto_becomes_a_jump),
	cmocka_unit_test(loops_that_no_hook_reaches_stay),
	cmocka_unit_test(many_parents),
	cmocka_unit_test(entries_multiply_along_the_ways),
};

UNITS(tests)
