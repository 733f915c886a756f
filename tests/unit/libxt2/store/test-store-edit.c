/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-store-edit.c - libxt2/store/store-edit.c */
#include "libxt2/store/store.h"

#include "libxt2/ruleset/inplace.h"
#include "tests/unit/store-case.h"

static void store_first(const struct state *s)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_image_store(s->path, map.image, map.size, NULL), 0);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static void a_file_is_edited_where_it_is(void **state)
{
	const struct state *s = *state;
	struct xt2_store store = { .kind = XT2_STORE_FILE, .path = s->path };
	struct xt2_ruleset *rs = NULL;

	assert_int_equal(xt2_store_lock(&store, XT2_STORE_CHANGE, 0, NULL), 0);
	assert_int_equal(xt2_store_edit(&store, &rs, NULL), -ENOENT);
	assert_null(rs);
	xt2_store_end_edit(&store); /* there is none */
	store_first(s);
	assert_int_equal(xt2_store_edit(&store, &rs, NULL), 0);
	assert_true(xt2_chain_add(rs, 0, "new") > 0);
	assert_int_equal(xt2_store_commit_edit(&store, rs, NULL, NULL), 0);
	assert_int_equal(rs->generation, 2);
	xt2_ruleset_free(rs);
	xt2_store_end_edit(&store);
	xt2_store_unlock(&store);
	store.lock = -1; /* it is only read */
	assert_int_equal(xt2_store_edit(&store, &rs, NULL), 0);
	assert_int_equal(xt2_chain_rules(rs, xt2_chain_find(rs, 0, "new")), 0);
	xt2_ruleset_free(rs);
	xt2_store_end_edit(&store);
}

static void what_is_live_is_loaded(void **state)
{
	struct xt2_store store = { .kind = XT2_STORE_LIVE };
	struct xt2_ruleset *rs = NULL;

	assert_int_equal(xt2_store_edit(&store, &rs, NULL), 1);
	assert_null(rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(a_file_is_edited_where_it_is, setup, teardown),
	cmocka_unit_test_setup_teardown(what_is_live_is_loaded, setup, teardown),
};

UNITS(tests)
