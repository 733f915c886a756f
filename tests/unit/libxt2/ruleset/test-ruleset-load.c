/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ruleset-load.c - libxt2/ruleset/ruleset-load.c */
#include "tests/unit/ruleset-case.h"

/* Names and rules may come from the ruleset that they go to. */
static void a_ruleset_feeds_itself(void **state)
{
	static const int families[] = { XT2_IPV6, XT2_IPV4 };
	static const char *const tables[] = { "mangle", "raw", "security", "nat" };
	struct xt2_ruleset *rs = *state;
	size_t i, j;
	int t;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < 4; j++) {
			t = xt2_table_find(rs, families[1 - i], tables[j]);
			xt2_table_add(rs, families[i], t < 0 ? tables[j] : xt2_table_name(rs, t),
				      xt2_table_source(rs, NAT));
		}
	}
	assert_int_equal(xt2_ruleset_tables(rs), 10);
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 4; j++)
			assert_true(xt2_table_find(rs, families[i], tables[j]) >= 0);
	}
	assert_int_equal(xt2_table_reset(rs, NAT, xt2_table_source(rs, NAT)), 0);
	assert_string_equal(xt2_table_source(rs, NAT), "a.rules");
}

static void clones_are_equal_and_apart(void **state)
{
	struct xt2_ruleset *rs = *state, *copy;
	struct xt2_mapping one, two;
	int chain = xt2_chain_base(rs, FILTER, XT2_INPUT);

	assert_int_equal(append(rs, chain, DROP), 0);
	copy = xt2_ruleset_clone(rs);
	assert_non_null(copy);
	assert_int_equal(xt2_ruleset_write(rs, &one, NULL), 0);
	assert_int_equal(xt2_ruleset_write(copy, &two, NULL), 0);
	assert_int_equal(one.size, two.size);
	assert_memory_equal(one.image, two.image, one.size);
	xt2_image_close(&two);
	assert_int_equal(append(copy, chain, ACCEPT), 0);
	assert_int_equal(xt2_ruleset_write(copy, &two, NULL), 0);
	assert_int_not_equal(one.size, two.size);
	xt2_image_close(&two);
	assert_int_equal(xt2_ruleset_write(rs, &two, NULL), 0); /* which the copy did not change */
	assert_memory_equal(one.image, two.image, one.size);
	xt2_image_close(&two);
	xt2_image_close(&one);
	xt2_ruleset_free(copy);
}

static void only_empty_rulesets_are_filled(void **state)
{
	struct xt2_ruleset *rs = *state, *other = xt2_ruleset_new();
	struct xt2_mapping map;

	assert_non_null(other);
	assert_int_equal(append(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), DROP), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), -EINVAL);
	assert_int_equal(xt2_ruleset_load(other, map.image, map.size), 0);
	assert_int_equal(xt2_chain_find(other, FILTER, "INPUT"),
			 xt2_chain_base(other, FILTER, XT2_INPUT));
	assert_int_equal(xt2_chain_rules(other, xt2_chain_base(other, FILTER, XT2_INPUT)), 1);
	assert_int_equal(xt2_ruleset_load(other, map.image, map.size), -EINVAL);
	xt2_ruleset_free(other);
	xt2_image_close(&map);
}

static const struct CMUnitTest tests[] = {
	CASE(a_ruleset_feeds_itself),
	CASE(clones_are_equal_and_apart),
	CASE(only_empty_rulesets_are_filled),
};

UNITS(tests)
