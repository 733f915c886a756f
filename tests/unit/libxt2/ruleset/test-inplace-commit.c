/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-inplace-commit.c - libxt2/ruleset/inplace-commit.c */
#include "tests/unit/inplace-case.h"

static int jump(struct inplace_case *c, int from, int to)
{
	struct rule_build b;

	return xt2_rule_append(c->rs, from, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, (u32)to)), 0);
}

static void the_generation_before_stays(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const u32 old = (u32)c.img->root;
	struct xt2_ruleset *rs;
	struct xt2_mapping map;

	assert_int_equal(inplace_append(c.rs, c.longer, 1000), 0);
	assert_int_equal(xt2_chain_delete(c.rs, c.other), 0);
	inplace_commit(&c);
	assert_int_equal(xt2_image_root(c.img)->generation, 2);
	c.img->root = old;
	rs = inplace_load(&c, &map);
	assert_int_equal(xt2_chain_rules(rs, c.longer), INPLACE_LONG);
	assert_int_equal(xt2_chain_find(rs, 0, "other"), c.other);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	inplace_close(&c);
}

static void a_number_is_used_again(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	u32 i, first;

	assert_true(xt2_chain_add(c.rs, 0, "a-new-one") > 0); /* the table says the order now */
	inplace_commit(&c);
	assert_int_equal(xt2_chain_delete(c.rs, c.other), 0);
	assert_int_equal(xt2_chain_add(c.rs, 0, "z-after"), c.other);
	assert_int_equal(inplace_append(c.rs, c.other, 1), 0);
	assert_int_equal(inplace_append(c.rs, c.longer, 1000), 0); /* edited, then gone */
	assert_int_equal(xt2_chain_flush(c.rs, c.longer), 0);
	assert_int_equal(xt2_chain_delete(c.rs, c.longer), 0);
	assert_int_equal(xt2_chain_add(c.rs, 0, "y-after"), c.longer);
	inplace_commit(&c);
	for (first = 0; first < c.rs->inplace->space.retired_n; first++)
		for (i = 0; i < first; i++)
			assert_int_not_equal(c.rs->inplace->space.retired[first].offset,
					     c.rs->inplace->space.retired[i].offset);
	inplace_close(&c);
}

static void chains_that_came_and_went_have_numbers(void **unused)
{
	const u32 more = 2 * XT2_COLD_PAGE - 5; /* with the others, two short of two pages */
	struct inplace_case c = inplace_open(more - 2, true);
	u32 i;

	assert_int_equal(xt2_image_root(c.img)->chains, 2 * XT2_COLD_PAGE - 2);
	for (i = 0; i < 5; i++)
		assert_true(xt2_chain_add(c.rs, 0, (char[]){ 'x', (char)('a' + i), 0 }) > 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(
			xt2_chain_delete(c.rs, xt2_chain_find(c.rs, 0,
							      (char[]){ 'x', (char)('a' + i), 0 })),
			0);
	assert_int_equal(inplace_append(c.rs, c.input, 5), 0);
	inplace_commit(&c);
	assert_true(xt2_image_root(c.img)->chains > 2 * XT2_COLD_PAGE);
	assert_true(xt2_chain_add(c.rs, 0, "last") > 0);
	inplace_commit(&c);
	assert_int_equal(xt2_chain_rules(c.rs, c.input), 2);
	inplace_close(&c);
}

static void numbers_of_chains_that_went_are_used_again(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	char name[] = "z00";
	u32 i, chains = 0;

	for (i = 0; i < 100; i++) {
		name[1] = (char)('0' + i / 10);
		name[2] = (char)('0' + i % 10);
		assert_true(xt2_chain_add(c.rs, 0, name) > 0);
		inplace_commit(&c);
		assert_int_equal(xt2_chain_delete(c.rs, xt2_chain_find(c.rs, 0, name)), 0);
		inplace_commit(&c);
		xt2_space_reclaim(&c.rs->inplace->space, ~0ull);
		if (!i)
			chains = xt2_image_root(c.img)->chains;
	}
	assert_int_equal(xt2_image_root(c.img)->chains, chains);
	inplace_close(&c);
}

static void a_loop_is_refused(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_err err;
	u32 root = 0;

	assert_int_equal(jump(&c, c.input, c.other), 0);
	inplace_commit(&c);
	assert_int_equal(jump(&c, c.other, c.longer), 0);
	assert_int_equal(jump(&c, c.longer, c.other), 0);
	assert_int_equal(xt2_inplace_commit(c.rs, NULL, &root, &err), -ELOOP);
	assert_int_equal(err.code, XT2_E_LOOP);
	assert_int_equal(xt2_inplace_error(c.rs), -ELOOP);
	assert_int_equal(xt2_inplace_abort(c.rs), 0);
	assert_int_equal(xt2_chain_references(c.rs, c.longer), 0);
	inplace_commit(&c);
	inplace_close(&c);
}

static void without_room_nothing_is_committed(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_space *s = &c.rs->inplace->space;
	const u64 size = c.img->size, capacity = s->capacity;
	u32 room, root;
	int ret = -ENOSPC;

	for (room = 0; ret; room += 64) {
		assert_int_equal(ret, -ENOSPC);
		s->capacity = size + room;
		inplace_append(c.rs, c.longer, 1000);
		inplace_append(c.rs, c.input, 1000);
		ret = xt2_inplace_commit(c.rs, NULL, &root, NULL);
		s->capacity = capacity;
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
		assert_int_equal(c.img->size, size);
		assert_int_equal(xt2_chain_rules(c.rs, c.longer), INPLACE_LONG);
	}
	inplace_commit(&c);
	inplace_close(&c);
}

struct asked {
	struct inplace_case *c;
	u32 tables;
	int says;
};

static int check_table(void *data, const struct xt2_ruleset *rs, int table)
{
	struct asked *a = data;
	struct rule_build b;

	a->tables++;
	assert_int_equal(table, 0);
	assert_int_equal(xt2_chain_rules(rs, a->c->longer), INPLACE_LONG + 1);
	assert_int_equal(xt2_rule_find(rs, a->c->longer, inplace_rule(&b, 1000)), 7);
	assert_int_equal(xt2_rule_line(rs, a->c->longer, 7), 9);
	return a->says;
}

static bool check_rule(void *data, const struct xt2_ruleset *rs, int chain,
		       const struct xt2_rule *r, unsigned int hooks)
{
	return true;
}

/* The check sees the rules as they will be. */
static void a_check_can_refuse(void **unused)
{
	struct inplace_case c = inplace_open(0, false);
	struct asked a = { .c = &c, .says = 1 };
	const struct xt2_commit_check check = { check_rule, check_table, &a };
	struct rule_build b;
	int ret;
	u32 root;

	do {
		inplace_rule(&b, 1000);
		assert_int_equal(xt2_rule_insert(c.rs, c.longer, 7, (struct xt2_rule *)b.room, 9),
				 0);
		/* a match of an extension, which may be bound to hooks */
		rule_begin(&b);
		((struct xt2_match *)rule_match(&b, XT2_M_MARK, 16, 0))->arg = 0;
		rule_end(&b, XT2_TARGET(XT2_T_CONTINUE, 0));
		xt2_rule_append(c.rs, c.input, (struct xt2_rule *)b.room, 0);
		ret = xt2_inplace_commit(c.rs, &check, &root, NULL);
		assert_int_equal(ret, a.says ? -ECANCELED : 0);
		assert_int_equal(xt2_inplace_abort(c.rs), 0);
	} while (a.says--);
	inplace_close(&c);
}

static void tables_cells_and_instances_come(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_ruleset *loaded;
	struct xt2_mapping map;
	struct rule_build b;
	int cell, table;

	table = xt2_table_add(c.rs, XT2_IPV6, "raw", "a file");
	cell = xt2_cell_add(c.rs);
	rule_begin(&b);
	rule_quota(&b, cell, 1000);
	rule_comment(&b, xt2_instance_add(c.rs, XT2_INSTANCE_COMMENT, 0, "comment", "why", 3));
	rule_end(&b, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_rule_append(c.rs, xt2_chain_base(c.rs, table, XT2_OUTPUT),
					 (struct xt2_rule *)b.room, 0),
			 0);
	xt2_instance_add(c.rs, XT2_INSTANCE_COMMENT, 0, "comment", "nobody", 6);
	inplace_commit(&c);
	loaded = inplace_load(&c, &map);
	assert_int_equal(loaded->cells, 1);
	assert_int_equal(loaded->instances, 3); /* one that no rule names is in between */
	assert_string_equal(xt2_table_source(loaded, table), "a file");
	xt2_ruleset_free(loaded);
	xt2_image_close(&map);
	assert_int_equal(xt2_table_reset(c.rs, table, NULL), 0);
	inplace_commit(&c);
	assert_null(xt2_table_source(c.rs, table));
	inplace_close(&c);
}

static void garbage_is_what_nothing_names(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	const struct xt2_edits *e;
	u64 size = 0;
	u32 i;

	for (i = 0; i < 400; i++) {
		assert_int_equal(xt2_rule_set_counters(c.rs, c.input, 0, i + 1, 0), 0);
		inplace_commit(&c);
		xt2_space_reclaim(&c.rs->inplace->space, ~0ull);
		if (i == 200)
			size = c.img->size;
	}
	e = xt2_at(c.img, xt2_image_root(c.img)->edits);
	assert_int_equal(c.img->size, size);
	assert_true(e->garbage < size / 2);
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_generation_before_stays),
	cmocka_unit_test(a_number_is_used_again),
	cmocka_unit_test(chains_that_came_and_went_have_numbers),
	cmocka_unit_test(numbers_of_chains_that_went_are_used_again),
	cmocka_unit_test(a_loop_is_refused),
	cmocka_unit_test(without_room_nothing_is_committed),
	cmocka_unit_test(a_check_can_refuse),
	cmocka_unit_test(tables_cells_and_instances_come),
	cmocka_unit_test(garbage_is_what_nothing_names),
};

UNITS(cases)
