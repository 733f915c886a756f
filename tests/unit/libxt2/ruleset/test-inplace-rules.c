/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-inplace-rules.c - libxt2/ruleset/inplace-rules.c */
#include "engine/index/patched.h"
#include "engine/index/search.h"
#include "tests/unit/inplace-case.h"

static int find(struct inplace_case *c, int chain, u32 number)
{
	struct rule_build b;

	return xt2_rule_find(c->rs, chain, inplace_rule(&b, number));
}

static int insert(struct inplace_case *c, int chain, u32 at, u32 number)
{
	struct rule_build b;

	return xt2_rule_insert(c->rs, chain, at, inplace_rule(&b, number), number);
}

static void a_long_chain_is_patched(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct rule_build b;

	assert_int_equal(insert(&c, c.longer, 100, 1000), 0);
	assert_non_null(c.rs->chain[c.longer].edit);
	assert_int_equal(find(&c, c.longer, 1000), 100);
	assert_int_equal(xt2_rule_line(c.rs, c.longer, 100), 1000);
	assert_int_equal(find(&c, c.longer, 100), 101);
	assert_int_equal(xt2_rule_line(c.rs, c.longer, 101), 100);
	assert_int_equal(xt2_rule_delete(c.rs, c.longer, 0), 0);
	assert_int_equal(find(&c, c.longer, 0), -ENOENT);
	assert_int_equal(xt2_rule_set_counters(c.rs, c.longer, 5, 7, 70), 0);
	assert_int_equal(xt2_rule_get(c.rs, c.longer, 5)->packets, 7);
	assert_int_equal(xt2_rule_line(c.rs, c.longer, 5), 6);
	assert_int_equal(xt2_rule_replace(c.rs, c.longer, 6, inplace_rule(&b, 2000), 3), 0);
	assert_int_equal(find(&c, c.longer, 2000), 6);
	assert_int_equal(xt2_chain_rules(c.rs, c.longer), INPLACE_LONG);
	inplace_commit(&c);
	assert_int_equal(find(&c, c.longer, 1000), 99);
	inplace_close(&c);
}

static void a_chain_with_many_changes_is_compiled_anew(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const struct xt2_chain *chain;
	u32 i;

	for (i = 0; i < 100; i++)
		assert_int_equal(insert(&c, c.longer, i, 1000 + i), 0);
	assert_null(c.rs->chain[c.longer].edit);
	for (i = 0; i < 100; i++)
		assert_int_equal(find(&c, c.longer, 1000 + i), i);
	inplace_commit(&c);
	chain = xt2_image_chain(c.img, xt2_image_root(c.img), (u32)c.longer);
	assert_null(xt2_chain_patch(chain));
	assert_int_equal(find(&c, c.longer, 1050), 50);
	inplace_close(&c);
}

static void reading_all_in_between_changes_nothing(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u8 digest[XT2_DIGEST_SIZE];

	assert_int_equal(insert(&c, c.longer, 3, 1000), 0);
	assert_int_equal(xt2_ruleset_digest(c.rs, digest), 0);
	assert_int_equal(insert(&c, c.longer, 5, 1001), 0);
	assert_int_equal(find(&c, c.longer, 1000), 3);
	assert_int_equal(find(&c, c.longer, 1001), 5);
	inplace_commit(&c);
	assert_int_equal(find(&c, c.longer, 1001), 5);
	inplace_close(&c);
}

static void rules_that_come_and_go_leave_chains_in_the_image(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u32 i;

	for (i = 0; i < 3000; i++) /* of an ordinary ruleset, so much memory is compacted */
		assert_int_equal(inplace_append(c.rs, c.other, i), 0);
	assert_int_equal(xt2_chain_rules(c.rs, c.longer), INPLACE_LONG);
	assert_int_equal(xt2_chain_flush(c.rs, c.other), 0);
	assert_int_equal(inplace_append(c.rs, c.other, 1), 0);
	assert_int_equal(find(&c, c.longer, 100), 100);
	inplace_commit(&c);
	inplace_close(&c);
}

static void flush_of_a_patched_chain(void **unused)
{
	struct inplace_case c = inplace_open(0, true);

	assert_int_equal(insert(&c, c.longer, 3, 1000), 0);
	assert_int_equal(xt2_chain_flush(c.rs, c.longer), 0);
	assert_int_equal(xt2_chain_rules(c.rs, c.longer), 0);
	assert_int_equal(inplace_append(c.rs, c.longer, 5), 0);
	inplace_commit(&c);
	assert_int_equal(xt2_chain_rules(c.rs, c.longer), 1);
	inplace_close(&c);
}

/* A group of equal rules, which has counted. */
static void group(struct inplace_case *c)
{
	const struct xt2_chain *chain;
	const struct xt2_index *ix;
	u32 i;

	for (i = 0; i < 20; i++)
		assert_int_equal(inplace_append(c->rs, c->input, 1), 0);
	inplace_commit(c);
	chain = xt2_image_chain(c->img, xt2_image_root(c->img), (u32)c->input);
	ix = xt2_chain_index(chain);
	assert_non_null(ix);
	assert_int_equal(ix->runs, 1);
	((struct xt2_run *)xt2_at(ix, ix->run))->packets = 5;
}

static void what_a_group_has_counted_stays(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u32 i;

	group(&c);
	assert_int_equal(xt2_rule_get(c.rs, c.input, 3)->packets, 5);
	assert_int_equal(insert(&c, c.input, 10, 1000), 0);
	inplace_commit(&c);
	for (i = 0; i < 22; i++)
		assert_int_equal(xt2_rule_get(c.rs, c.input, i)->packets, i == 10 ? 0 : 5);
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_long_chain_is_patched),
	cmocka_unit_test(a_chain_with_many_changes_is_compiled_anew),
	cmocka_unit_test(reading_all_in_between_changes_nothing),
	cmocka_unit_test(rules_that_come_and_go_leave_chains_in_the_image),
	cmocka_unit_test(flush_of_a_patched_chain),
	cmocka_unit_test(what_a_group_has_counted_stays),
};

UNITS(cases)
