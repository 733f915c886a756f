/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-patch-slots.c - libxt2/change/patch-slots.c: slots in pages, of which an edit copies
 * those that it changes
 */
#include "tests/unit/change-case.h"

#define LIST_MOST 16384u /* inserted rules whose slots are a list */
#define RULES	  40000u
#define PAGES	  32u /* of the slots of more */

static struct change_case *begin(void)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, RULES, NULL, 64u << 20);

	assert_int_equal(change_begin(c), 0);
	return c;
}

/* Rules of other addresses, in front of all. */
static void insert(struct change_case *c, u32 rules)
{
	for (; rules; rules--) {
		c->w.rule.family = c->family;
		seed_rule_begin(&c->w.rule, XT2_T_DROP, 0);
		seed_match(&c->w.rule, XT2_M_SRC4, 0, 0x0a000000 + c->now.n * 256, NULL, 0);
		assert_int_equal(change_insert(c, 0, seed_rule(&c->w.rule)), 0);
	}
}

static void publish(struct change_case *c)
{
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
}

static const struct xt2_patch *patch_of(const struct change_case *c)
{
	return xt2_chain_patch(xt2_at(c->img, c->chain));
}

static const u32 *pages_of(const struct change_case *c)
{
	assert_int_equal(xt2_patch_slot_pages(patch_of(c)), PAGES);
	return xt2_at(c->img, patch_of(c)->slot);
}

/* A chain whose slots have just become pages. */
static struct change_case *paged(void)
{
	struct change_case *c = begin();

	insert(c, LIST_MOST);
	publish(c);
	assert_int_equal(xt2_patch_slot_pages(patch_of(c)), 0);
	assert_int_equal(change_begin(c), 0);
	insert(c, 1);
	publish(c);
	return c;
}

static void test_one_page_is_copied(void **unused)
{
	static struct change_model before;
	struct change_case *c = paged();
	u32 old[PAGES], i, changed = 0, chain = c->chain;

	before = c->now;
	memcpy(old, pages_of(c), sizeof(old));
	assert_int_equal(change_begin(c), 0);
	insert(c, 1);
	publish(c);
	for (i = 0; i < PAGES; i++)
		changed += pages_of(c)[i] != old[i];
	assert_int_equal(changed, 1);
	change_read(c, chain, &before); /* the generation before */
	assert_int_equal(change_begin(c), 0);
	assert_int_equal(change_delete(c, 0), 0);
	publish(c);
	change_free(c);
}

/* Edits of one transaction copy a page once; given back, the image grows no more. */
static void test_pages_are_given_back(void **unused)
{
	struct change_case *c = paged();
	u64 size = 0;
	u32 i;

	for (i = 0; i < 40; i++) {
		assert_int_equal(change_begin(c), 0);
		insert(c, 20);
		assert_int_equal(change_delete(c, 0), 0);
		while (c->now.n > RULES + LIST_MOST + 1)
			assert_int_equal(change_delete(c, i % c->now.n), 0);
		publish(c);
		xt2_space_reclaim(&c->space, c->generation);
		if (i == 19)
			size = c->img->size;
	}
	assert_int_equal(c->img->size, size);
	change_free(c);
}

static void test_abort_gives_all_back(void **unused)
{
	static struct change_model before;
	struct change_case *c = paged();
	const u64 spare = c->space.spare, size = c->img->size;
	const u32 ids = c->ids, used = c->used;
	u32 turn;

	before = c->now;
	for (turn = 0; turn < 3; turn++) {
		assert_int_equal(change_begin(c), 0);
		insert(c, turn == 2 ? LIST_MOST : 100); /* the third has twice as many pages */
		xt2_patch_abort(&c->edit);
		xt2_space_abort(&c->space);
		assert_int_equal(c->img->size, size);
		assert_int_equal(c->space.spare, spare);
		c->now = before;
		c->ids = ids;
		c->used = used;
		change_read(c, c->chain, &c->now);
	}
	change_free(c);
}

/* Pages of the generation before are doubled, and those of the transaction itself. */
static void test_doubled(void **unused)
{
	static struct change_model before;
	struct change_case *c = paged();
	const u32 chain = c->chain;

	before = c->now;
	assert_int_equal(change_begin(c), 0);
	insert(c, LIST_MOST);
	assert_int_equal(c->edit.patch.shift, XT2_SLOTS_LIST_SHIFT - 2);
	publish(c);
	change_read(c, chain, &before);
	change_free(c);
	c = begin();
	insert(c, 2 * LIST_MOST + 1);
	publish(c);
	assert_int_equal(patch_of(c)->shift, XT2_SLOTS_LIST_SHIFT - 2);
	change_free(c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_one_page_is_copied),
	cmocka_unit_test(test_pages_are_given_back),
	cmocka_unit_test(test_abort_gives_all_back),
	cmocka_unit_test(test_doubled),
};

UNITS(cases)
