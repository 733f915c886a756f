/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-patch-items.c - libxt2/change/patch-items.c: pages are filled, halved, joined and shared */
#include "tests/unit/change-case.h"

#define RULES 8000

static struct change_case *begin(void)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, RULES, NULL, 8u << 20);

	assert_int_equal(change_begin(c), 0);
	return c;
}

static void insert(struct change_case *c, u32 position)
{
	assert_int_equal(change_insert(c, position, change_rule(c, CHANGE_ADDRESSES)), 0);
}

static void publish(struct change_case *c)
{
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
}

static const struct xt2_patch *patch_of(const struct change_case *c)
{
	const struct xt2_chain *chain = xt2_at(c->img, c->chain);

	return (const struct xt2_patch *)(xt2_chain_index(chain) + 1);
}

static const struct xt2_patch_part *part_of(const struct change_case *c, u32 part)
{
	return (const struct xt2_patch_part *)xt2_at(c->img, patch_of(c)->part) + part;
}

static u32 items_of(const struct change_case *c, u32 part)
{
	return ((const struct xt2_patch_page *)xt2_at(c->img, part_of(c, part)->page))->items;
}

static void test_appended_pages_are_full(void **unused)
{
	struct change_case *c = begin();
	u32 i;

	for (i = 0; i < 2 * XT2_PATCH_ITEMS + 1; i++)
		insert(c, c->now.n);
	publish(c);
	assert_int_equal(patch_of(c)->parts, 3);
	assert_int_equal(items_of(c, 0), XT2_PATCH_ITEMS);
	assert_int_equal(items_of(c, 1), XT2_PATCH_ITEMS);
	assert_int_equal(items_of(c, 2), 1);
	change_free(c);
}

static void test_full_page_is_halved(void **unused)
{
	const u32 half = XT2_PATCH_ITEMS / 2;
	const u32 positions[] = {
		0, 1, half, half + 1, half + 2, XT2_PATCH_ITEMS - 2, XT2_PATCH_ITEMS - 1
	};
	u32 i, j;

	for (i = 0; i < XT2_ARRAY_SIZE(positions); i++) {
		struct change_case *c = begin();

		for (j = 0; j < XT2_PATCH_ITEMS; j++)
			insert(c, RULES + j);
		insert(c, RULES + positions[i]);
		publish(c);
		assert_int_equal(patch_of(c)->parts, 2);
		assert_int_equal(items_of(c, 0) + items_of(c, 1), XT2_PATCH_ITEMS + 1);
		assert_in_range(items_of(c, 0), half, half + 2);
		change_free(c);
	}
}

/* Deleting in any order leaves few pages. */
static void test_small_pages_are_joined(void **unused)
{
	struct change_case *c = begin();
	u32 i;

	for (i = 0; i < 20 * XT2_PATCH_ITEMS; i++)
		insert(c, RULES + i);
	publish(c);
	assert_int_equal(patch_of(c)->parts, 20);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 20 * XT2_PATCH_ITEMS - 160; i++) {
		const u32 n = c->now.n - RULES;

		assert_int_equal(change_delete(c, RULES + i * 127 % n), 0);
	}
	publish(c);
	assert_in_range(patch_of(c)->parts, 1, 4);
	assert_int_equal(change_begin(c), 0);
	while (c->now.n > RULES)
		assert_int_equal(change_delete(c, RULES), 0);
	publish(c);
	assert_int_equal(patch_of(c)->parts, 0);
	assert_int_equal(patch_of(c)->part, 0);
	change_free(c);
}

#define CHANGED (4 * XT2_PATCH_ITEMS + 50)

/* One edit writes one page; in the same transaction it is written in place. */
static void test_pages_are_shared(void **unused)
{
	static struct change_model before;
	struct change_case *c = begin();
	u32 page[10], i, changed = 0, chain;
	u64 size;

	for (i = 0; i < 10 * XT2_PATCH_ITEMS; i++)
		insert(c, RULES + i);
	for (i = 0; i < 2; i++)
		assert_int_equal(change_delete(c, RULES + CHANGED), 0);
	publish(c);
	before = c->now;
	chain = c->chain;
	assert_int_equal(patch_of(c)->parts, 10);
	for (i = 0; i < 10; i++)
		page[i] = part_of(c, i)->page;
	size = c->img->size;
	assert_int_equal(change_begin(c), 0);
	insert(c, RULES + CHANGED);
	insert(c, RULES + CHANGED + 1);
	publish(c);
	for (i = 0; i < 10; i++)
		changed += part_of(c, i)->page != page[i];
	assert_int_equal(changed, 1);
	assert_int_not_equal(part_of(c, 4)->page, page[4]);
	/* Page, extent, lists, two records, two buckets. */
	assert_true(c->img->size - size <= 2048 + 800 + 160 + 16384 + 2 * 64 + 2 * 256);
	change_read(c, chain, &before);
	change_free(c);
}

static void test_deleted_rules(void **unused)
{
	struct change_case *c = begin();
	u32 i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(change_delete(c, i * 3 % c->now.n), 0);
	for (i = 0; i < 100; i++)
		insert(c, i * 5);
	publish(c);
	assert_int_equal(patch_of(c)->deleted, 1000);
	change_free(c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_appended_pages_are_full), cmocka_unit_test(test_full_page_is_halved),
	cmocka_unit_test(test_small_pages_are_joined),	cmocka_unit_test(test_pages_are_shared),
	cmocka_unit_test(test_deleted_rules),
};

UNITS(cases)
