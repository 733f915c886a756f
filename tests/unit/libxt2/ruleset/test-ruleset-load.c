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

/* An image with numbers of instances that are not in use gives a ruleset like any other. */
static void unused_instances_are_left_out(void **state)
{
	struct xt2_ruleset *rs = *state, *other = xt2_ruleset_new(), *copy;
	struct xt2_mapping map, again;
	struct xt2_root *root;
	struct xt2_table *t;
	struct rule_build b;
	u32 *dir, *page;
	int chain = xt2_chain_base(rs, FILTER, XT2_INPUT);

	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "why", 3), 0);
	rule_begin(&b);
	rule_comment(&b, 0);
	rule_end(&b, ACCEPT);
	assert_int_equal(xt2_rule_append(rs, chain, (struct xt2_rule *)b.room, 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = (struct xt2_root *)xt2_image_root(map.image);
	assert_int_equal(root->instances, 2);
	t = xt2_at(map.image, root->table);
	dir = xt2_at(map.image, root->instance);
	page = xt2_at(map.image, dir[0]);
	page[t[FILTER].source] = 0;
	t[FILTER].source = t[NAT].source = ~0u;
	assert_int_equal(xt2_image_copy(map.image, map.size, &again, NULL), 0);
	xt2_image_close(&map);
	assert_int_equal(xt2_ruleset_load(other, again.image, again.size), 0);
	assert_null(xt2_table_source(other, FILTER));
	/* the next one has a number of its own */
	assert_int_equal(xt2_instance_add(other, XT2_INSTANCE_COMMENT, 0, "", "two", 3), 2);
	copy = xt2_ruleset_clone(other);
	assert_non_null(copy);
	assert_int_equal(xt2_ruleset_write(copy, &map, NULL), 0);
	assert_int_equal(xt2_image_root(map.image)->instances, 1);
	xt2_image_close(&map);
	xt2_ruleset_free(copy);
	xt2_ruleset_free(other);
	xt2_image_close(&again);
}

/* => the index of a chain of the first table */
static u32 index_of(const struct xt2_mapping *map, const char *name)
{
	const struct xt2_root *root = xt2_image_root(map->image);
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, map->image, root) {
		if (c->table == FILTER &&
		    !strcmp(xt2_image_chain_cold(map->image, root, i)->name, name))
			return i;
	}
	fail_msg("no chain %s", name);
	return 0;
}

/* Chains out of order keep it, unless their table says that they have none. */
static void order_is_kept_or_by_name(void **state)
{
	struct xt2_ruleset *rs = *state, *other;
	struct xt2_mapping map, again;
	const struct xt2_root *root;
	struct xt2_chain_cold *a, *b;
	u8 flags;

	assert_true(xt2_chain_add(rs, FILTER, "A") > 0);
	assert_true(xt2_chain_add(rs, FILTER, "B") > 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	a = (void *)xt2_image_chain_cold(map.image, root, index_of(&map, "A"));
	b = (void *)xt2_image_chain_cold(map.image, root, index_of(&map, "B"));
	assert_true(a < b);
	a->name[0] = 'B';
	b->name[0] = 'A';
	for (flags = 0; flags <= XT2_TABLE_BY_NAME; flags++) {
		((struct xt2_table *)xt2_at(map.image, root->table))->flags = flags;
		other = xt2_ruleset_new();
		assert_int_equal(xt2_ruleset_load(other, map.image, map.size), 0);
		assert_int_equal(xt2_ruleset_write(other, &again, NULL), 0);
		assert_int_equal(index_of(&again, "A") < index_of(&again, "B"), flags);
		/* an image that is written whole need not say it */
		assert_int_equal(
			xt2_image_table(again.image, xt2_image_root(again.image), 0)->flags, 0);
		xt2_image_close(&again);
		xt2_ruleset_free(other);
	}
	xt2_image_close(&map);
}

static const struct CMUnitTest tests[] = {
	CASE(a_ruleset_feeds_itself),	      CASE(clones_are_equal_and_apart),
	CASE(only_empty_rulesets_are_filled), CASE(unused_instances_are_left_out),
	CASE(order_is_kept_or_by_name),
};

UNITS(tests)
