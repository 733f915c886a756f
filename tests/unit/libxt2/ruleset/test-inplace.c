/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-inplace.c - libxt2/ruleset/inplace.c */
#include "tests/lib/fail-alloc.h"
#include "tests/unit/inplace-case.h"

static void it_reads_what_it_is_asked_for(void **unused)
{
	struct inplace_case c = inplace_open(100, true);

	assert_int_equal(c.rs->inplace->knowns, 0);
	assert_int_equal(xt2_chain_find(c.rs, 0, "longer"), c.longer);
	assert_int_equal(xt2_chain_find(c.rs, 0, "other"), c.other);
	assert_int_equal(c.rs->inplace->knowns, 2);
	assert_int_equal(xt2_chain_rules(c.rs, c.longer), INPLACE_LONG);
	assert_true(c.rs->chain[c.longer].unread);
	assert_non_null(xt2_rule_get(c.rs, c.longer, 100));
	assert_true(c.rs->chain[c.longer].unread);
	assert_true(xt2_chain_find(c.rs, 0, "some050") > 0);
	assert_int_equal(c.rs->inplace->knowns, 3);
	assert_int_equal(xt2_chain_find(c.rs, 0, "nobody"), -ENOENT);
	inplace_close(&c);
}

static void an_abort_undoes_all(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u8 before[XT2_DIGEST_SIZE], after[XT2_DIGEST_SIZE];

	assert_int_equal(xt2_ruleset_digest(c.rs, before), 0);
	xt2_inplace_abort(c.rs);
	assert_int_equal(inplace_append(c.rs, c.longer, 1000), 0);
	assert_int_equal(inplace_append(c.rs, c.input, 1000), 0);
	assert_int_equal(xt2_chain_rename(c.rs, c.other, "new"), 0);
	assert_true(xt2_chain_add(c.rs, 0, "other") > 0);
	assert_true(xt2_table_add(c.rs, XT2_IPV6, "raw", "somewhere") > 0);
	assert_int_equal(xt2_inplace_abort(c.rs), 0);
	assert_int_equal(xt2_ruleset_tables(c.rs), 1);
	assert_int_equal(xt2_chain_find(c.rs, 0, "other"), c.other);
	assert_int_equal(xt2_chain_find(c.rs, 0, "new"), -ENOENT);
	assert_int_equal(xt2_ruleset_digest(c.rs, after), 0);
	assert_memory_equal(before, after, sizeof(before));
	inplace_close(&c);
}

/* Whoever wrote the image could have written anything there. */
static void edits_of_others_are_not_looked_at(void **unused)
{
	static const u32 places[] = { 8, 24, 0xfffffff0 };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(places); i++) {
		struct inplace_case c = inplace_open(0, false);
		const struct xt2_space *s = &c.rs->inplace->space;
		u32 j;

		((struct xt2_root *)xt2_image_root(c.img))->edits = places[i];
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
		assert_int_equal(inplace_append(c.rs, c.input, 1000), 0);
		inplace_commit(&c);
		for (j = 0; j < s->retired_n; j++)
			assert_int_not_equal(s->retired[j].offset, places[i]);
		xt2_space_reclaim(&c.rs->inplace->space, ~0ull);
		assert_int_equal(inplace_append(c.rs, c.longer, 1000), 0);
		inplace_commit(&c);
		inplace_close(&c);
	}
}

static void reading_alone_takes_no_room(void **unused)
{
	struct inplace_case c = inplace_open(0, false);
	const u64 size = c.img->size;
	u32 i, root;

	for (i = 0; i < 3; i++) {
		assert_int_equal(xt2_chain_references(c.rs, c.other), 0);
		assert_int_equal(xt2_inplace_commit(c.rs, NULL, &root, NULL), 0);
		assert_int_equal(root, 0);
		assert_int_equal(xt2_inplace_done(c.rs), 0);
		assert_int_equal(c.img->size, size);
	}
	inplace_close(&c);
}

static void a_clone_stands_alone(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u8 before[XT2_DIGEST_SIZE], after[XT2_DIGEST_SIZE];
	struct xt2_ruleset *clone = xt2_ruleset_clone(c.rs);

	assert_int_equal(xt2_ruleset_digest(clone, before), 0);
	memset((u8 *)c.img + sizeof(*c.img), 0, 1000); /* the image is another by now */
	memset(xt2_at(c.img, c.img->size / 2), 0, c.img->size / 2);
	assert_int_equal(xt2_ruleset_digest(clone, after), 0);
	assert_memory_equal(before, after, sizeof(before));
	xt2_ruleset_free(clone);
	free(c.img);
	c.rs->ops->end(c.rs);
	xt2_ruleset_free(c.rs);
}

static void it_can_be_swapped(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_ruleset *empty = xt2_ruleset_new();

	xt2_ruleset_swap(c.rs, empty);
	assert_int_equal(xt2_ruleset_tables(c.rs), 0);
	assert_ptr_equal(empty->inplace->rs, empty);
	xt2_ruleset_free(c.rs);
	c.rs = empty;
	assert_true(xt2_chain_add(c.rs, 0, "new") > 0);
	assert_int_equal(xt2_chain_rename(c.rs, c.other, "newer"), 0);
	inplace_commit(&c);
	assert_int_equal(xt2_chain_find(c.rs, 0, "newer"), c.other);
	inplace_close(&c);
}

static void without_memory_a_transaction_ends_another_time(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	int ret = -ENOMEM;
	u32 n, root;

	assert_true(xt2_table_add(c.rs, XT2_IPV4, "raw", "somewhere") > 0);
	assert_int_equal(xt2_inplace_commit(c.rs, NULL, &root, NULL), 0);
	c.img->root = root;
	for (n = 1; ret; n++) {
		fail_alloc(n);
		ret = xt2_inplace_done(c.rs);
		fail_alloc(0);
		assert_int_equal(xt2_inplace_error(c.rs), ret);
		assert_true(!ret || ret == -ENOMEM);
	}
	assert_true(n > 2);
	assert_string_equal(xt2_table_source(c.rs, 1), "somewhere");
	inplace_close(&c);
}

static void without_memory_no_chain_is_listed_that_is_not_read(void **unused)
{
	struct inplace_case c = inplace_open(10, true);
	bool failed = true;
	int chain;
	u32 n;

	for (n = 1; failed; n++) {
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
		fail_alloc(n);
		xt2_table_for_each_chain(chain, c.rs, 0)
			assert_non_null(xt2_chain_name(c.rs, chain));
		failed = fail_alloc_happened();
		fail_alloc(0);
		assert_int_equal(xt2_inplace_error(c.rs), failed ? -ENOMEM : 0);
	}
	inplace_close(&c);
}

static void without_memory_nothing_is_half_read(void **unused)
{
	struct inplace_case c = inplace_open(10, true);
	u8 digest[XT2_DIGEST_SIZE];
	int ret = -ENOMEM;
	u32 n;

	for (n = 1; ret; n++) {
		struct xt2_ruleset *clone;

		assert_int_equal(ret, -ENOMEM);
		fail_alloc(n);
		clone = xt2_ruleset_clone(c.rs);
		assert_int_equal(!clone, fail_alloc_happened());
		fail_alloc(0);
		xt2_ruleset_free(clone);
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
		fail_alloc(n);
		ret = xt2_ruleset_digest(c.rs, digest);
		fail_alloc(0);
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
	}
	assert_true(n > 3);
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(it_reads_what_it_is_asked_for),
	cmocka_unit_test(an_abort_undoes_all),
	cmocka_unit_test(edits_of_others_are_not_looked_at),
	cmocka_unit_test(reading_alone_takes_no_room),
	cmocka_unit_test(a_clone_stands_alone),
	cmocka_unit_test(it_can_be_swapped),
	cmocka_unit_test(without_memory_a_transaction_ends_another_time),
	cmocka_unit_test(without_memory_no_chain_is_listed_that_is_not_read),
	cmocka_unit_test(without_memory_nothing_is_half_read),
};

UNITS(cases)
