/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-store.c - libxt2/store/store.c and file-store.c
 *
 * This program is linked without the BPF backend: a live store answers as in a
 * build without BPF.  Live rulesets themselves are for tests/bpf/.
 */
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <xt2/xt2.h>
#include "libxt2/store/store.h"
#include "tests/lib/unit-program.h"

struct state {
	char folder[32], path[64];
	struct xt2_store one, other; /* of the same file */
};

static int setup(void **data)
{
	struct state *s = calloc(1, sizeof(*s));

	strcpy(s->folder, "/tmp/xt2-store-XXXXXX");
	if (!mkdtemp(s->folder))
		return -1;
	snprintf(s->path, sizeof(s->path), "%s/image", s->folder);
	s->one.path = s->other.path = s->path;
	*data = s;
	return 0;
}

static int teardown(void **data)
{
	struct state *s = *data;
	char lock[80];

	xt2_store_unlock(&s->one);
	xt2_store_unlock(&s->other);
	snprintf(lock, sizeof(lock), "%s.lock", s->path);
	unlink(lock);
	unlink(s->path);
	rmdir(s->folder);
	free(s);
	return 0;
}

/* Commits what a ruleset with one more table says. */
static void add_table(struct xt2_store *store, const char *name)
{
	struct xt2_mapping old, map;
	struct xt2_ruleset *rs;
	struct xt2_err err;

	assert_int_equal(xt2_store_load(store, "it", &rs, &old, &err), 0);
	assert_true(xt2_table_add(rs, XT2_IPV4, name, NULL) >= 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0);
	assert_int_equal(xt2_store_commit(store, &map, NULL, &err), 0);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	xt2_image_close(&old);
}

static int tables(const struct xt2_store *store)
{
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
	struct xt2_err err;
	int n;

	assert_int_equal(xt2_store_load(store, "it", &rs, &map, &err), 0);
	n = xt2_ruleset_tables(rs);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return n;
}

static void test_commit(void **data)
{
	struct state *s = *data;
	struct xt2_mapping map;
	struct xt2_err err;

	assert_int_equal(xt2_store_read(&s->one, true, &map, &err), -ENOENT);
	assert_int_equal(tables(&s->one), 0);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CREATE, 0, &err), 0);
	add_table(&s->one, "filter");
	add_table(&s->one, "mangle");
	xt2_store_unlock(&s->one);
	assert_int_equal(tables(&s->other), 2);
	assert_int_equal(xt2_store_read(&s->one, true, &map, &err), 0);
	xt2_image_close(&map);
}

static void test_lock(void **data)
{
	struct state *s = *data;
	struct xt2_err err;

	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, &err), 0);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, &err), 0); /* it has it */
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CHANGE, 0, &err), -EAGAIN);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_LOOK, 0, &err), 0);
	xt2_store_unlock(&s->other);
	xt2_store_unlock(&s->one);
	xt2_store_unlock(&s->one);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CHANGE, 0, &err), 0);
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
	assert_int_equal(xt2_store_refusals(XT2_STORE_LIVE, NULL, refused, &calls), -EOPNOTSUPP);
	assert_int_equal(xt2_store_refusals(XT2_STORE_FILE, NULL, refused, &calls), 0);
	assert_int_equal(calls, 0);
}

static void test_path(void **data)
{
	unsetenv("XT2_IMAGE");
	assert_string_equal(xt2_image_path(NULL), XT2_DEFAULT_IMAGE);
	setenv("XT2_IMAGE", "", 1);
	assert_string_equal(xt2_image_path(NULL), XT2_DEFAULT_IMAGE);
	setenv("XT2_IMAGE", "/a", 1);
	assert_string_equal(xt2_image_path(NULL), "/a");
	assert_string_equal(xt2_image_path("/b"), "/b");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_commit, setup, teardown),
	cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
	cmocka_unit_test(test_no_live),
	cmocka_unit_test(test_path),
};

UNITS(tests)
