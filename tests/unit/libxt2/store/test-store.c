/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-store.c - libxt2/store/store.c: every kind of store, and one that is not there
 *
 * This program is linked without the BPF backend: a live store answers as in a
 * build without BPF.  Live rulesets themselves are for tests/bpf/.
 */
#include "tests/unit/store-case.h"

static void test_lock(void **data)
{
	struct state *s = *data;
	struct xt2_err err;

	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, &err), 0);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, &err), 0); /* it has it */
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CHANGE, 0, &err), -EAGAIN);
	xt2_store_unlock(&s->one);
	xt2_store_unlock(&s->one);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CHANGE, 0, &err), 0);
}

/* A store without an image has an empty ruleset; what it loads is what was committed. */
static void test_load(void **data)
{
	struct state *s = *data;
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
	struct xt2_err err;
	FILE *f;

	assert_int_equal(tables(&s->one), 0);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CREATE, 0, &err), 0);
	add_table(&s->one, "filter");
	assert_int_equal(tables(&s->other), 1);
	f = fopen(s->path, "w");
	fputs("no image", f);
	fclose(f);
	assert_int_equal(xt2_store_load(&s->one, "it", &rs, &map, &err), -EINVAL);
	xt2_ruleset_free(rs);
}

static int refused(void *data, const struct xt2_live_refusal *r)
{
	++*(int *)data;
	return 0;
}

static void test_no_live(void **data)
{
	struct xt2_store live = { .kind = XT2_STORE_LIVE };
	struct xt2_mapping map = { 0 };
	struct xt2_ruleset *rs;
	struct xt2_err err;
	int calls = 0;

	assert_int_equal(xt2_store_built(XT2_STORE_FILE, &err), 0);
	assert_int_equal(xt2_store_built(XT2_STORE_LIVE, NULL), -EOPNOTSUPP);
	assert_int_equal(xt2_store_lock(&live, XT2_STORE_CREATE, 0, &err), -EOPNOTSUPP);
	assert_int_equal(err.code, XT2_E_UNSUPPORTED);
	assert_non_null(strstr(err.message, "live rulesets are not in this build: "));
	assert_true(err.hint[0]);
	xt2_store_unlock(&live);
	assert_int_equal(xt2_store_read(&live, true, &map, &err), -EOPNOTSUPP);
	assert_int_equal(xt2_store_load(&live, "it", &rs, &map, &err), -EOPNOTSUPP);
	xt2_ruleset_free(rs);
	assert_int_equal(xt2_store_commit(&live, &map, NULL, &err), -EOPNOTSUPP);
	assert_int_equal(xt2_store_add_counters(&live, NULL, 0, &err), -EOPNOTSUPP);
	assert_int_equal(xt2_store_refusals(XT2_STORE_LIVE, NULL, refused, &calls), -EOPNOTSUPP);
	assert_int_equal(xt2_store_refusals(XT2_STORE_FILE, NULL, refused, &calls), 0);
	assert_int_equal(calls, 0);
}

/* The counters of an image file are those of the image. */
static void test_add_counters(void **data)
{
	struct state *s = *data;
	struct xt2_err err;

	assert_int_equal(xt2_store_add_counters(&s->one, NULL, 0, NULL), -EOPNOTSUPP);
	assert_int_equal(xt2_store_add_counters(&s->one, NULL, 0, &err), -EOPNOTSUPP);
	assert_int_equal(err.code, XT2_E_UNSUPPORTED);
}

static const struct CMUnitTest tests[] = {
	CASE(test_lock),
	CASE(test_load),
	CASE(test_add_counters),
	cmocka_unit_test(test_no_live),
};

UNITS(tests)
