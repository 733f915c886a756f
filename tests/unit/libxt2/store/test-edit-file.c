/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-edit-file.c - libxt2/store/edit-file.c */
#include "libxt2/store/edit-file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include "engine/image.h"
#include "libxt2/ruleset/inplace.h"
#include "tests/lib/rules.h"
#include "tests/unit/store-case.h"

struct edited {
	struct xt2_edit_file *file;
	const char *whole;
	struct xt2_ruleset *rs;
	int lock;
};

/* A table with a rule in INPUT. */
static void store_first(const struct state *s)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	struct rule_build b;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	rule_plain(&b, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, 0, XT2_INPUT),
					 (struct xt2_rule *)b.room, 0),
			 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_image_store(s->path, map.image, map.size, NULL), 0);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static int open_it(const struct state *s, struct edited *e)
{
	int ret;

	*e = (struct edited){ .rs = xt2_ruleset_new(), .lock = xt2_image_lock(s->path, 0, NULL) };
	assert_true(e->lock >= 0);
	ret = xt2_edit_file_open(s->path, e->lock, &e->file, e->rs, &e->whole, NULL);
	if (ret) {
		xt2_ruleset_free(e->rs);
		close(e->lock);
	}
	return ret;
}

static void close_it(struct edited *e)
{
	xt2_ruleset_free(e->rs);
	xt2_edit_file_close(e->file);
	close(e->lock);
}

static void add_rule(struct edited *e)
{
	struct rule_build b;

	rule_plain(&b, XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(xt2_rule_append(e->rs, xt2_chain_base(e->rs, 0, XT2_INPUT),
					 (struct xt2_rule *)b.room, 0),
			 0);
}

/* => rules of INPUT in the file, which is checked */
static u32 rules(const struct state *s)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	u32 n;

	assert_int_equal(xt2_image_open(s->path, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	n = xt2_chain_rules(rs, xt2_chain_base(rs, 0, XT2_INPUT));
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return n;
}

static void commits_are_appended(void **data)
{
	const struct state *s = *data;
	struct stat first, now;
	struct edited e;
	u32 i;

	store_first(s);
	assert_int_equal(stat(s->path, &first), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(open_it(s, &e), 0);
		assert_int_equal(xt2_edit_file_torn(e.file), 0);
		add_rule(&e);
		assert_int_equal(xt2_edit_file_commit(e.file, e.rs, NULL, NULL, NULL), 0);
		add_rule(&e);
		assert_int_equal(xt2_edit_file_commit(e.file, e.rs, NULL, NULL, NULL), 0);
		close_it(&e);
		assert_int_equal(rules(s), 3 + 2 * i);
		assert_int_equal(stat(s->path, &now), 0);
		assert_int_equal(now.st_ino, first.st_ino);
		assert_true(now.st_size > first.st_size);
		first = now;
	}
}

static void a_file_that_others_changed_is_checked(void **data)
{
	const struct state *s = *data;
	struct edited e;
	int fd;

	store_first(s);
	assert_int_equal(open_it(s, &e), 0);
	assert_string_equal(e.whole, "it was written whole");
	add_rule(&e);
	assert_int_equal(xt2_edit_file_commit(e.file, e.rs, NULL, NULL, NULL), 0);
	close_it(&e);
	assert_int_equal(open_it(s, &e), 0);
	assert_null(e.whole);
	close_it(&e);
	fd = open(s->path, O_WRONLY);
	assert_int_equal(pwrite(fd, "\1", 1, 600), 1); /* in the middle of something */
	close(fd);
	if (!open_it(s, &e)) {
		assert_non_null(e.whole);
		close_it(&e);
	}
}

static void what_was_not_finished_is_cut_off(void **data)
{
	const struct state *s = *data;
	struct edited e;
	int fd;

	store_first(s);
	fd = open(s->path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "torn", 4), 4);
	close(fd);
	assert_int_equal(open_it(s, &e), 0);
	assert_int_equal(xt2_edit_file_torn(e.file), 4);
	add_rule(&e);
	assert_int_equal(xt2_edit_file_commit(e.file, e.rs, NULL, NULL, NULL), 0);
	assert_int_equal(xt2_edit_file_torn(e.file), 0);
	close_it(&e);
	assert_int_equal(rules(s), 2);
}

static int refuse(void *data, const struct xt2_ruleset *rs, int table)
{
	return 1;
}

static bool suspect(void *data, const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r,
		    unsigned int hooks)
{
	return true;
}

static void what_is_refused_is_not_stored(void **data)
{
	const struct state *s = *data;
	const struct xt2_commit_check check = { suspect, refuse, NULL };
	struct xt2_mapping before, after;
	struct rule_build b;
	struct edited e;
	int ret;

	store_first(s);
	assert_int_equal(xt2_image_open(s->path, &before, NULL), 0);
	assert_int_equal(open_it(s, &e), 0);
	rule_begin(&b);
	rule_match(&b, XT2_M_MARK, 16, 0);
	rule_end(&b, XT2_TARGET(XT2_T_DROP, 0));
	ret = xt2_rule_append(e.rs, xt2_chain_base(e.rs, 0, XT2_INPUT), (struct xt2_rule *)b.room,
			      0);
	assert_int_equal(ret, 0);
	assert_int_equal(xt2_edit_file_commit(e.file, e.rs, &check, NULL, NULL), -ECANCELED);
	close_it(&e);
	assert_int_equal(xt2_image_open(s->path, &after, NULL), 0);
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.image, after.image, before.size);
	xt2_image_close(&before);
	xt2_image_close(&after);
}

static void mostly_garbage_is_not_appended_to(void **data)
{
	const struct state *s = *data;
	struct xt2_mapping map;
	struct edited e;
	u32 i;
	int ret = 0;

	store_first(s);
	assert_int_equal(open_it(s, &e), 0);
	for (i = 0; i < 2000 && !ret; i++) {
		add_rule(&e);
		ret = xt2_edit_file_commit(e.file, e.rs, NULL, NULL, NULL);
	}
	assert_int_equal(ret, 1);
	assert_int_equal(rules(s), i); /* the last one is not there */
	assert_int_equal(xt2_ruleset_write(e.rs, &map, NULL), 0);
	assert_int_equal(xt2_image_store(s->path, map.image, map.size, NULL), 0);
	xt2_image_close(&map);
	close_it(&e);
	assert_int_equal(rules(s), i + 1);
}

static void other_files_are_not_for_this(void **data)
{
	const struct state *s = *data;
	struct edited e;
	char other[80];

	assert_int_equal(open_it(s, &e), -ENOENT);
	store_first(s);
	snprintf(other, sizeof(other), "%s.other", s->path);
	assert_int_equal(link(s->path, other), 0); /* its bytes are shared */
	assert_int_equal(open_it(s, &e), 1);
	assert_string_equal(e.whole, "it has several names");
	unlink(other);
	assert_int_equal(truncate(s->path, 100), 0);
	assert_int_equal(open_it(s, &e), 1);
	assert_string_equal(e.whole, "it is no image");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest cases[] = {
	CASE(commits_are_appended),
	CASE(a_file_that_others_changed_is_checked),
	CASE(what_was_not_finished_is_cut_off),
	CASE(what_is_refused_is_not_stored),
	CASE(mostly_garbage_is_not_appended_to),
	CASE(other_files_are_not_for_this),
};

UNITS(cases)
