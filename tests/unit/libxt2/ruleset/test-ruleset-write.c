/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ruleset-write.c - libxt2/ruleset/ruleset-write.c */
#include "tests/unit/ruleset-case.h"

static const struct xt2_chain *image_chain(const struct xt2_image *img, const char *name)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		if (!strcmp(xt2_image_chain_cold(img, root, i)->name, name))
			return c;
	}
	return NULL;
}

/* What no rule names is left out, and no two rules share state. */
static void images_hold_what_is_used(void **state)
{
	struct xt2_ruleset *rs = *state, *again = xt2_ruleset_new();
	struct xt2_mapping map, map2;
	const struct xt2_root *root;
	struct rule_build b;
	int user = xt2_chain_add(rs, FILTER, "user");
	int i;

	for (i = 0; i < 5; i++) {
		xt2_cell_add(rs);
		xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "hello" + i, 5 - (size_t)i);
	}
	rule_begin(&b);
	rule_comment(&b, 3);
	rule_quota(&b, 4, 100);
	rule_end(&b, ACCEPT);
	xt2_rule_append(rs, user, (struct xt2_rule *)b.room, 3);
	xt2_rule_append(rs, user, xt2_rule_get(rs, user, 0), 4);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	assert_int_equal(root->generation, 1);
	assert_int_equal(root->cells, 2);
	assert_int_equal(root->instances, 2); /* one comment, one source */
	assert_int_equal(root->chains, 3 + 4 + 3 + 1);
	assert_int_equal(image_chain(map.image, "user")->rules, 3);
	*xt2_image_cell(map.image, root, 1) = 77;
	assert_int_equal(xt2_ruleset_load(again, map.image, map.size), 0);
	xt2_rule_delete(again, xt2_chain_find(again, 0, "user"), 0);
	assert_int_equal(xt2_ruleset_write(again, &map2, NULL), 0);
	root = xt2_image_root(map2.image);
	assert_int_equal(root->generation, 2);
	assert_int_equal(root->cells, 1);
	assert_int_equal(*xt2_image_cell(map2.image, root, 0), 77);
	assert_string_equal(xt2_table_source(again, NAT), "a.rules");
	assert_null(xt2_table_source(again, FILTER6));
	xt2_ruleset_free(again);
	xt2_image_close(&map);
	xt2_image_close(&map2);
}

/* Chain numbers that an image leaves out are given to new chains. */
static void gaps_in_images_are_filled(void **state)
{
	struct xt2_ruleset *rs = *state, *again = xt2_ruleset_new();
	struct xt2_mapping map, copy;
	const struct xt2_root *root;
	u32 *page;
	u32 gone;

	xt2_chain_add(rs, FILTER, "gone");
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	gone = image_chain(map.image, "gone")->index;
	page = xt2_at(map.image, *(u32 *)xt2_at(map.image, root->chain_dir));
	page[gone] = 0;
	memset((void *)xt2_image_chain_cold(map.image, root, gone), 0,
	       sizeof(struct xt2_chain_cold));
	assert_int_equal(xt2_image_copy(map.image, map.size, &copy, NULL), 0);
	assert_int_equal(xt2_ruleset_load(again, copy.image, copy.size), 0);
	assert_null(xt2_chain_name(again, (int)gone));
	assert_int_equal(xt2_chain_add(again, FILTER, "new"), gone);
	xt2_ruleset_free(again);
	xt2_image_close(&map);
	xt2_image_close(&copy);
}

/* The order in which chains were made does not show. */
static void equal_rulesets_are_packed_alike(void **state)
{
	struct xt2_mapping map[2];
	struct xt2_ruleset *rs;
	int i, j;

	for (i = 0; i < 2; i++) {
		rs = xt2_ruleset_new();
		xt2_table_add(rs, XT2_IPV4, "filter", NULL);
		for (j = 0; j < 3; j++)
			xt2_chain_add(rs, 0, (const char *[]){ "A", "B", "C" }[i ? 2 - j : j]);
		for (j = 0; j < 3; j++)
			append(rs, xt2_chain_base(rs, 0, XT2_INPUT + j),
			       XT2_TARGET(XT2_T_JUMP, xt2_chain_find(rs, 0, "B")));
		assert_int_equal(xt2_ruleset_write(rs, &map[i], NULL), 0);
		xt2_ruleset_free(rs);
	}
	assert_int_equal(map[0].size, map[1].size);
	assert_memory_equal(map[0].image, map[1].image, map[0].size);
	xt2_image_close(&map[0]);
	xt2_image_close(&map[1]);
}

/* A chain is followed by what its rules jump to, in their order; chains that no rule names come last. */
static void chains_are_where_packets_go(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	/* from, to: an index of names; -1: INPUT */
	static const int jumps[][2] = { { -1, 3 }, { -1, 0 }, { 3, 2 },
					{ 2, 0 },  { 3, 4 },  { -1, 4 } };
	static const char *const order[] = { "INPUT", "d", "c", "a", "e", "FORWARD", "OUTPUT", "b" };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const struct xt2_chain *before = NULL, *c;
	struct xt2_mapping map;
	int chain[5];
	size_t i;

	xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		chain[i] = xt2_chain_add(rs, 0, names[i]);
	for (i = 0; i < XT2_ARRAY_SIZE(jumps); i++)
		append(rs, jumps[i][0] < 0 ? xt2_chain_base(rs, 0, XT2_INPUT) : chain[jumps[i][0]],
		       XT2_TARGET(XT2_T_JUMP, (u32)chain[jumps[i][1]]));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	for (i = 0; i < XT2_ARRAY_SIZE(order); i++, before = c) {
		c = image_chain(map.image, order[i]);
		assert_true(c > before);
	}
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static void empty_rulesets_are_images(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_tables(rs), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	assert_int_equal(xt2_ruleset_tables(rs), 0);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	xt2_ruleset_free(NULL);
}

static struct xt2_rule plain_rule(__u32 target)
{
	return (struct xt2_rule){ .size = 24, .target_offset = 24, .target = target };
}

/* User chains of bridge tables have policies, which images keep; others have none. */
static void bridges_have_policies_everywhere(void **state)
{
	struct xt2_ruleset *rs = *state, *copy = xt2_ruleset_new();
	struct xt2_rule jump = plain_rule(XT2_T_JUMP);
	struct xt2_mapping map;
	struct xt2_err err;
	int table, user, first;

	table = xt2_table_add(rs, XT2_BRIDGE, "filter", NULL);
	assert_true(table >= 0);
	user = xt2_chain_add(rs, table, "zoo");
	assert_int_equal(xt2_chain_policy(rs, user), XT2_T_RETURN);
	first = xt2_chain_base(rs, table, XT2_INPUT);
	assert_int_equal(xt2_chain_set_policy(rs, first, XT2_T_RETURN), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_QUEUE), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_RETURN), 0);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_DROP), 0);
	jump.target = XT2_TARGET(XT2_T_JUMP, user);
	assert_int_equal(xt2_rule_append(rs, first, &jump, 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0);
	assert_int_equal(xt2_ruleset_load(copy, map.image, map.size), 0);
	user = xt2_chain_find(copy, table, "zoo");
	assert_int_equal(xt2_chain_policy(copy, user), XT2_T_DROP);
	/* nothing of a bridge is evaluated, a plain jump neither */
	assert_int_equal(xt2_image_unsupported(map.image, XT2_BRIDGE, -1, NULL, NULL, NULL), 2);
	assert_int_equal(xt2_image_unsupported(map.image, XT2_IPV4, -1, NULL, NULL, NULL), 0);
	xt2_ruleset_free(copy);
	xt2_image_close(&map);
}

/* A base test of bridges is a fault, whatever follows: neither answer would be safe. */
static void bridges_are_not_evaluated(void **state)
{
	static const __u8 types[] = { XT2_M_ETH_TYPE, XT2_M_ETH_LENGTH, XT2_M_ETH_ANY,
				      XT2_M_LOGICAL_IN, XT2_M_LOGICAL_OUT };
	struct xt2_frame frame;
	struct xt2_pkt pkt = { .len = 60 };
	size_t i;

	for (i = 0; i < 2 * sizeof(types); i++) {
		struct xt2_ruleset *rs = xt2_ruleset_new();
		struct {
			struct xt2_rule rule;
			struct xt2_match m;
		} r = { .rule = plain_rule(XT2_T_ACCEPT) };
		int table = xt2_table_add(rs, XT2_BRIDGE, "broute", NULL);
		struct xt2_ctx ctx = { .pkt = &pkt, .stack = &frame, .stack_size = 1 };
		struct xt2_mapping map;

		r.rule.size = r.rule.target_offset = sizeof(r);
		r.m = (struct xt2_match){ .type = types[i / 2], .size = 8 };
		r.m.flags = i % 2 ? XT2_MATCH_INVERT : 0;
		assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_BROUTING),
						 &r.rule, 0),
				 0);
		assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
		ctx.img = map.image;
		ctx.root = xt2_image_root(map.image);
		assert_int_equal(xt2_eval(&ctx, xt2_image_hook(ctx.img, ctx.root, 0)), XT2_DROP);
		assert_int_not_equal(ctx.faults, 0);
		xt2_image_close(&map);
		xt2_ruleset_free(rs);
	}
}

/* Watchers are targets behind the matches. */
static void watchers_stand_last(void **state)
{
	struct xt2_ruleset *rs = *state;
	int bridge = xt2_table_add(rs, XT2_BRIDGE, "filter", NULL);
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "stp", "", 1);
	int watcher = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "log", "", 1);
	int chain = xt2_chain_base(rs, bridge, XT2_INPUT);
	struct {
		struct xt2_rule rule;
		struct xt2_match m[2];
	} r = { .rule = plain_rule(XT2_T_DROP) };

	r.rule.size = r.rule.target_offset = sizeof(r);
	r.m[0] = r.m[1] = (struct xt2_match){ .type = XT2_M_FOREIGN, .size = 8 };
	r.m[0].arg = (__u32)match;
	r.m[1].arg = (__u32)watcher;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), 0);
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), &r.rule, 0),
			 -EINVAL);
	r.m[0].arg = (__u32)watcher;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), 0);
	r.m[1].arg = (__u32)match;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), -EINVAL);
	r.m[1] = (struct xt2_match){ .type = XT2_M_LOGICAL_IN, .size = 8 };
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	CASE(images_hold_what_is_used),	       CASE(gaps_in_images_are_filled),
	CASE(equal_rulesets_are_packed_alike), cmocka_unit_test(chains_are_where_packets_go),
	CASE(empty_rulesets_are_images),       CASE(bridges_have_policies_everywhere),
	CASE(bridges_are_not_evaluated),       CASE(watchers_stand_last),
};

UNITS(tests)
