/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-file-store.c - libxt2/store/file-store.c: an image file as a store */
#include "tests/unit/store-case.h"

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

/* A change needs the lock, and holds it until it is released; a look leaves no trace. */
static void test_lock(void **data)
{
	struct state *s = *data;
	struct xt2_err err;
	char lock[80];

	snprintf(lock, sizeof(lock), "%s.lock", s->path);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_LOOK, 0, &err), 0);
	assert_int_equal(s->one.lock, -1);
	assert_int_equal(access(lock, F_OK), -1);
	xt2_store_unlock(&s->one);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, &err), 0);
	assert_int_equal(access(lock, F_OK), 0);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CHANGE, 0, &err), -EAGAIN);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CREATE, 0, &err), -EAGAIN);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_LOOK, 0, &err), 0);
	xt2_store_unlock(&s->other);
	xt2_store_unlock(&s->one);
	assert_int_equal(xt2_store_lock(&s->other, XT2_STORE_CREATE, 0, &err), 0);
}

static void test_lock_without_folder(void **data)
{
	struct state *s = *data;
	struct xt2_err err;

	s->one.path = "/nonesuch/image";
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CREATE, 0, &err), -ENOENT);
	assert_int_equal(access("/nonesuch", F_OK), -1); /* only the default's folder is made */
}

/* Rules alone, or the whole file: a file that was cut off is neither. */
static void test_read(void **data)
{
	struct state *s = *data;
	struct xt2_mapping rules, whole;
	struct xt2_err err;

	add_table(&s->one, "filter");
	assert_int_equal(xt2_store_read(&s->one, false, &rules, &err), 0);
	assert_int_equal(xt2_store_read(&s->one, true, &whole, &err), 0);
	assert_true(rules.size <= whole.size);
	xt2_image_close(&rules);
	xt2_image_close(&whole);
	assert_int_equal(truncate(s->path, 8), 0);
	assert_int_equal(xt2_store_read(&s->one, false, &rules, &err), -EINVAL);
	assert_int_equal(xt2_store_read(&s->one, true, &whole, &err), -EINVAL);
}

static int refused(void *data, const struct xt2_live_refusal *r)
{
	++*(int *)data;
	return 0;
}

static void test_refusals(void **data)
{
	int calls = 0;

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
	CASE(test_commit),
	CASE(test_lock),
	CASE(test_lock_without_folder),
	CASE(test_read),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_path),
};

UNITS(tests)
