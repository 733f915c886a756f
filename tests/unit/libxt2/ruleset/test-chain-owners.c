/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-chain-owners.c - libxt2/ruleset/chain-owners.c */
#include "tests/lib/fail-alloc.h"
#include "tests/unit/inplace-case.h"

/* => the chain, which belongs to the owner */
static int make_chain(struct xt2_ruleset *rs, const char *name, const char *owner)
{
	int chain;

	assert_int_equal(xt2_ruleset_act(rs, owner), 0);
	chain = xt2_chain_add(rs, 0, name);
	assert_true(chain >= 0);
	assert_int_equal(inplace_append(rs, chain, 1), 0);
	assert_int_equal(xt2_ruleset_act(rs, NULL), 0);
	return chain;
}

static void new_chains_belong_to_who_acts(void **data)
{
	struct xt2_ruleset *rs = xt2_ruleset_new(), *clone;
	int one, none;

	xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	one = make_chain(rs, "one", "me");
	none = make_chain(rs, "none", NULL);
	assert_string_equal(xt2_chain_owner(rs, one), "me");
	assert_null(xt2_chain_owner(rs, none));
	assert_null(xt2_chain_owner(rs, xt2_chain_base(rs, 0, XT2_INPUT)));
	assert_null(xt2_chain_owner(rs, 99));
	assert_null(xt2_ruleset_trespass(rs));
	clone = xt2_ruleset_clone(rs);
	xt2_ruleset_free(rs);
	assert_string_equal(xt2_chain_owner(clone, one), "me");
	xt2_ruleset_free(clone);
}

/* Each of these changes the chain. */
static void change(struct xt2_ruleset *rs, int chain, u32 how)
{
	struct rule_build b;

	switch (how) {
	case 0: inplace_append(rs, chain, 2); break;
	case 1: xt2_rule_replace(rs, chain, 0, inplace_rule(&b, 3), 0); break;
	case 2: xt2_rule_delete(rs, chain, 0); break;
	case 3: xt2_chain_flush(rs, chain); break;
	case 4: xt2_chain_rename(rs, chain, "renamed"); break;
	case 5: xt2_table_reset(rs, 0, NULL); break;
	case 6: xt2_rule_put(rs, chain, inplace_rule(&b, 3), 0); break;
	}
}

static void changes_of_others_are_noted(void **data)
{
	const struct xt2_trespass *t;
	struct xt2_ruleset *rs;
	u32 how, who;
	int chain;

	for (how = 0; how < 7; how++)
		for (who = 0; who < 3; who++) {
			rs = xt2_ruleset_new();
			xt2_table_add(rs, XT2_IPV4, "filter", NULL);
			chain = make_chain(rs, "one", "me");
			assert_int_equal(xt2_rule_set_counters(rs, chain, 0, 7, 7), 0);
			assert_null(xt2_ruleset_trespass(rs)); /* counters are anybody's */
			xt2_ruleset_act(rs, who == 0 ? NULL : who == 1 ? "you" : "me");
			change(rs, chain, how);
			t = xt2_ruleset_trespass(rs);
			assert_int_equal(t != NULL, who < 2);
			if (t) {
				assert_string_equal(t->table, "filter");
				assert_string_equal(t->chain, "one");
				assert_string_equal(t->owner, "me");
			}
			xt2_ruleset_free(rs);
		}
}

static void owners_stay_in_an_image(void **data)
{
	struct inplace_case c = inplace_open(70, true);
	struct xt2_ruleset *loaded;
	struct xt2_mapping map;
	u32 i;

	for (i = 0; i < 3; i++) {
		if (!i)
			make_chain(c.rs, "one", "me");
		if (i == 1) /* edits are not believed */
			assert_int_equal(inplace_append(c.rs, c.other, 9), 0);
		if (i == 2)
			xt2_chain_add(c.rs, 0, "two");
		inplace_commit(&c);
		loaded = inplace_load(&c, &map);
		assert_string_equal(xt2_chain_owner(loaded, xt2_chain_find(loaded, 0, "one")),
				    "me");
		assert_null(xt2_chain_owner(loaded, xt2_chain_find(loaded, 0, "other")));
		xt2_ruleset_free(loaded);
		xt2_image_close(&map);
		xt2_ruleset_free(c.rs);
		c.rs = xt2_ruleset_new();
		assert_int_equal(xt2_inplace_begin(c.rs, c.img, INPLACE_CAPACITY, i > 0), 0);
		assert_string_equal(xt2_chain_owner(c.rs, xt2_chain_find(c.rs, 0, "one")), "me");
		c.other = xt2_chain_find(c.rs, 0, "other");
	}
	xt2_ruleset_act(c.rs, "me");
	assert_int_equal(xt2_rule_delete(c.rs, xt2_chain_find(c.rs, 0, "one"), 0), 0);
	assert_int_equal(xt2_chain_delete(c.rs, xt2_chain_find(c.rs, 0, "one")), 0);
	inplace_commit(&c);
	xt2_chain_add(c.rs, 0, "one");
	inplace_commit(&c);
	assert_null(xt2_chain_owner(c.rs, xt2_chain_find(c.rs, 0, "one")));
	inplace_close(&c);
}

static void names_are_used_again(void **data)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	char name[16];
	u32 i;

	xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	make_chain(rs, "first", "first owner");
	for (i = 0; i < 3 * XT2_OWNERS_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_equal(xt2_ruleset_act(rs, name), 0);
	}
	assert_string_equal(xt2_chain_owner(rs, xt2_chain_find(rs, 0, "first")), "first owner");
	for (i = 1; i < XT2_OWNERS_MAX; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		make_chain(rs, name, name);
	}
	assert_int_equal(xt2_ruleset_act(rs, "one more"), -E2BIG);
	assert_int_equal(xt2_ruleset_act(rs, "c7"), 0);
	xt2_ruleset_free(rs);
}

static void chains_keep_their_owners(void **data)
{
	struct xt2_ruleset *from = xt2_ruleset_new(), *to = xt2_ruleset_new();

	xt2_table_add(from, XT2_IPV4, "raw", NULL);
	xt2_table_add(from, XT2_IPV4, "filter", NULL);
	assert_int_equal(xt2_owners_keep(to, from), 0);
	assert_int_equal(xt2_ruleset_act(from, "me"), 0);
	assert_true(xt2_chain_add(from, 1, "both") >= 0);
	assert_true(xt2_chain_add(from, 1, "INPUT2") >= 0);
	assert_true(xt2_chain_add(from, 0, "raw") >= 0);
	assert_int_equal(xt2_ruleset_act(from, NULL), 0);
	assert_true(xt2_chain_add(from, 1, "nobody") >= 0);
	xt2_table_add(to, XT2_IPV4, "filter", NULL); /* number 0 here */
	assert_int_equal(xt2_ruleset_act(to, "you"), 0);
	assert_true(xt2_chain_add(to, 0, "both") >= 0);
	assert_true(xt2_chain_add(to, 0, "raw") >= 0);
	assert_true(xt2_chain_add(to, 0, "nobody") >= 0);
	assert_int_equal(xt2_owners_keep(to, from), 0);
	assert_string_equal(xt2_chain_owner(to, xt2_chain_find(to, 0, "both")), "me");
	assert_string_equal(xt2_chain_owner(to, xt2_chain_find(to, 0, "raw")), "you");
	assert_string_equal(xt2_chain_owner(to, xt2_chain_find(to, 0, "nobody")), "you");
	assert_null(xt2_ruleset_trespass(to));
	memset(to->owners->name, 'x', sizeof(to->owners->name));
	to->owners->count = XT2_OWNERS_MAX;
	assert_int_equal(xt2_owners_keep(to, from), -E2BIG);
	xt2_ruleset_free(from);
	xt2_ruleset_free(to);
}

static void lacks_memory(void **data)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	fail_alloc(1);
	assert_int_equal(xt2_ruleset_act(rs, "me"), -ENOMEM);
	fail_alloc(0);
	assert_int_equal(xt2_ruleset_act(rs, "me"), 0);
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(new_chains_belong_to_who_acts),
	cmocka_unit_test(changes_of_others_are_noted),
	cmocka_unit_test(owners_stay_in_an_image),
	cmocka_unit_test(names_are_used_again),
	cmocka_unit_test(chains_keep_their_owners),
	cmocka_unit_test(lacks_memory),
};

UNITS(cases)
