/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-patch-labels.c - libxt2/change/patch-labels.c */
#include "tests/unit/change-case.h"

#define PLACE 100 /* position of the compiled rule that all are inserted before */

static u32 moves;

static void count_move(void *arg, u32 from, u32 to)
{
	moves++;
	change_moved(arg, from, to);
}

static struct change_case *begin(u32 rules)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, rules, NULL, 32u << 20);

	assert_int_equal(change_begin(c), 0);
	c->edit.moved = count_move;
	moves = 0;
	return c;
}

static void end(struct change_case *c)
{
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* => the label of the rule that is inserted at a position */
static u32 insert(struct change_case *c, u32 position)
{
	assert_int_equal(change_insert(c, position, change_rule(c, CHANGE_ADDRESSES)), 0);
	return xt2_edit_inserted_(&c->edit, change_where(c, position))->label;
}

static void test_labels(void **unused)
{
	struct change_case *c = begin(200);

	assert_int_equal(insert(c, PLACE), 0x80000000u);
	assert_int_equal(insert(c, PLACE), 0x7ffff000u);
	assert_int_equal(insert(c, PLACE + 2), 0x80001000u);
	assert_int_equal(insert(c, PLACE + 1), 0x7ffff800u);
	assert_int_equal(insert(c, PLACE + 5), 0x80000000u); /* before another rule */
	assert_int_equal(insert(c, PLACE + 3), 0x80000800u);
	assert_int_equal(insert(c, c->now.n), 0x80000000u); /* before the tail */
	assert_int_equal(insert(c, c->now.n), 0x80001000u);
	assert_int_equal(moves, 0);
	end(c);
}

/* Before all others: down to label 0, and then all of them change. */
static void test_before_all(void **unused)
{
	struct change_case *c = begin(36000);
	u32 label = 0x80000000u, last, n = 0;

	assert_int_equal(insert(c, PLACE), label);
	/* As after half a million of them. */
	label = 0x2000000;
	xt2_edit_inserted_(&c->edit, change_where(c, PLACE))->label = label;
	c->edit.part[0].label = label;
	while (label) {
		last = label;
		label = insert(c, PLACE);
		n++;
		assert_int_equal(label, last > 0x1000 ? last - 0x1000 : last / 2);
	}
	assert_int_equal(n, 0x1fff + 13);
	assert_int_equal(moves, 0);
	change_free(c);
}

/* There is no label between the first two any more. */
static void test_between(void **unused)
{
	struct change_case *c = begin(4000);
	u32 i, n = 0;

	insert(c, PLACE);
	insert(c, PLACE + 1);
	for (; !moves; n++)
		insert(c, PLACE + 1);
	assert_int_equal(n, 13); /* 0x1000 was halved 12 times */
	for (i = 0; i < 2000; i++)
		insert(c, PLACE + 1);
	assert_true(moves < 2000 * 8);
	end(c);
}

static void test_around_one(void **unused)
{
	struct change_case *c = begin(6000);
	u32 i, at = PLACE;

	insert(c, at);
	for (i = 0; i < 3000; i++) { /* each beside the one before */
		insert(c, at + i % 2);
		at += i % 2;
	}
	assert_true(moves > 0 && moves < 3000 * 8);
	end(c);
}

/* A published record stays as it is when its rule gets another label. */
static void test_generation_before(void **unused)
{
	static struct change_model before;
	struct change_case *c = begin(4000);
	u32 i, chain;

	for (i = 0; i < 300; i++)
		insert(c, PLACE + i / 2);
	assert_int_equal(change_end(c), 0);
	before = c->now;
	chain = c->chain;
	assert_int_equal(change_begin(c), 0);
	c->edit.moved = count_move;
	moves = 0;
	for (i = 0; i < 300; i++)
		insert(c, PLACE + 150);
	assert_true(moves > 0);
	assert_int_equal(change_end(c), 0);
	change_read(c, chain, &before);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

static void test_random(void **unused)
{
	const u64 seed = change_seed("patch-labels");
	struct change_case *c = begin(4000);
	u32 i, n = 1;

	c->w.state = seed * 2 + 1;
	insert(c, PLACE);
	for (i = 0; i < 3000; i++, n++)
		insert(c, PLACE + (world_often(&c->w, 50) ? n / 2 : world_below(&c->w, n + 1)));
	end(c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_labels),	cmocka_unit_test(test_before_all),
	cmocka_unit_test(test_between), cmocka_unit_test(test_around_one),
	cmocka_unit_test(test_random),	cmocka_unit_test(test_generation_before),
};

UNITS(cases)
