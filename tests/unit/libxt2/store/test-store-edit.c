/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-store-edit.c - libxt2/store/store-edit.c */
#include "libxt2/store/store.h"

#include "engine/image.h"
#include "libxt2/ruleset/inplace.h"
#include "libxt2/store/image-past.h"
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
	struct xt2_mapping map;
	struct xt2_err err;

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
	assert_int_equal(xt2_store_generation(&store, 2, &map, &err), 0);
	assert_int_equal(xt2_image_root(map.image)->generation, 2);
	xt2_image_close(&map);
	assert_int_equal(xt2_store_generation(&store, 3, &map, &err), -ENOENT);
	assert_int_equal(err.code, XT2_E_UNKNOWN);
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

static void owners_outlive_the_ruleset(void **state)
{
	struct xt2_store store = { .kind = XT2_STORE_LIVE };
	struct xt2_ruleset *rs = xt2_ruleset_new();

	assert_int_equal(xt2_store_own(&store, rs, NULL), 0);
	assert_null(store.owners);
	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	assert_int_equal(xt2_ruleset_act(rs, "me"), 0);
	assert_true(xt2_chain_add(rs, 0, "mine") >= 0);
	assert_int_equal(xt2_store_own(&store, rs, NULL), 0);
	assert_int_equal(xt2_store_own(&store, rs, NULL), 0); /* instead of those before */
	xt2_ruleset_free(rs);
	assert_int_equal(store.owners->chains, 4);
	assert_int_equal(store.owners->owner[3], 1);
	assert_string_equal(store.owners->names.name[0], "me");
	free(store.owners);
}

static void nothing_is_watched_without_live_rulesets(void **state)
{
	struct xt2_store store = { .kind = XT2_STORE_LIVE };
	struct xt2_err err = { 0 };

	if (&xt2_store_bpf_) /* tests/bpf/live-history.sh */
		return;
	assert_int_equal(xt2_store_watch(&store, NULL, NULL, &err), -EOPNOTSUPP);
	assert_int_equal(xt2_store_generation(&store, 1, NULL, &err), -EOPNOTSUPP);
	xt2_store_end_watch(&store);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(a_file_is_edited_where_it_is, setup, teardown),
	cmocka_unit_test_setup_teardown(what_is_live_is_loaded, setup, teardown),
	cmocka_unit_test(owners_outlive_the_ruleset),
	cmocka_unit_test(nothing_is_watched_without_live_rulesets),
};

UNITS(tests)
