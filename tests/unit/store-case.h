/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store-case.h - two stores of one file, in a folder of their own */
#ifndef TESTS_UNIT_STORE_CASE_H
#define TESTS_UNIT_STORE_CASE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xt2/xt2.h>
#include "libxt2/store/old-files.h"
#include "libxt2/store/store.h"
#include "tests/lib/unit-program.h"

struct state {
	char folder[32], path[64];
	struct xt2_store one, other; /* of the same file */
};

static inline int setup(void **data)
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

static inline int teardown(void **data)
{
	struct state *s = *data;
	char lock[80];

	xt2_store_unlock(&s->one);
	xt2_store_unlock(&s->other);
	snprintf(lock, sizeof(lock), "%s.lock", s->path);
	unlink(lock);
	xt2_old_files_drop(s->path);
	unlink(s->path);
	rmdir(s->folder);
	free(s);
	return 0;
}

/* Commits what a ruleset with one more table says. */
static inline void add_table(struct xt2_store *store, const char *name)
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

static inline int tables(const struct xt2_store *store)
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
