/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-commit-file.c - libxt2/store/commit-file.c */
#include <xt2/change.h>

#include <fcntl.h>
#include "engine/image.h"
#include "libxt2/change/history.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/store-case.h"

/* A file of this generation; @chains: how many the table has */
static int commit(const struct state *s, u64 generation, const struct xt2_author *author,
		  u32 chains)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	char name[16];
	int ret;
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	for (i = 0; i < chains; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		assert_true(xt2_chain_add(rs, 0, name) >= 0);
	}
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	((struct xt2_root *)xt2_at(map.image, map.image->root))->generation = generation;
	ret = xt2_image_commit(s->path, map.image, map.size, author, NULL);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	return ret;
}

/* => records that the file has, which is valid; newest: of these */
static u32 records(const struct state *s, struct xt2_past *newest)
{
	struct xt2_mapping map;
	struct xt2_history h;
	struct xt2_past past;
	struct xt2_err err;
	u32 n = 0;

	if (xt2_image_open(s->path, &map, &err))
		fail_msg("%s", err.message);
	xt2_history_begin(&h, map.image, -1, map.size, map.image->root);
	for (; xt2_history_next(&h, &past); n++)
		if (!n && newest)
			*newest = past;
	xt2_image_close(&map);
	return n;
}

static void a_new_file_tells_of_the_old_ones(void **data)
{
	const struct state *s = *data;
	const struct xt2_author author = { .owner = "me", .reason = "for fun" };
	struct xt2_past past;
	u32 i;

	for (i = 1; i <= 5; i++) {
		assert_int_equal(commit(s, i, &author, 2), 0);
		assert_int_equal(records(s, &past), i);
		assert_int_equal(past.commit.generation, i);
		assert_int_equal(past.commit.file, i);
		assert_int_equal(past.commit.kind, XT2_COMMIT_WHOLE);
		assert_string_equal(past.commit.owner, "me");
		assert_string_equal(past.reason, "for fun");
	}
	/* of a generation that is older than the file's, those before it are known */
	assert_int_equal(commit(s, 4, NULL, 0), 0);
	assert_int_equal(records(s, &past), 4);
	assert_int_equal(past.commit.generation, 4);
	assert_string_equal(past.commit.owner, "");
}

static void the_history_is_bounded(void **data)
{
	const struct state *s = *data;
	const struct xt2_author author = {
		.reason = "A longer text, of which there will be too many for all of them to stay."
	};
	u32 i, n, least = 8192 / 200;

	for (i = 1; i <= 200; i++)
		assert_int_equal(commit(s, i, &author, 0), 0);
	n = records(s, NULL);
	assert_in_range(n, least, 120);
	assert_int_equal(commit(s, 201, &author, 3000), 0);
	for (i = 202; i <= 600; i++)
		assert_int_equal(commit(s, i, NULL, 3000), 0);
	assert_in_range(records(s, NULL), n, XT2_HISTORY_MAX);
}

static void what_is_no_image_has_no_history(void **data)
{
	const struct state *s = *data;
	static const char text[100] = "*filter";
	int fd = open(s->path, O_WRONLY | O_CREAT, 0600);

	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	assert_int_equal(commit(s, 7, NULL, 1), 0);
	assert_int_equal(records(s, NULL), 1);
}

static void an_image_with_a_history_stays_as_it_is(void **data)
{
	const struct state *s = *data;
	struct xt2_mapping map, again;

	assert_int_equal(commit(s, 7, NULL, 1), 0);
	assert_int_equal(xt2_image_open(s->path, &map, NULL), 0);
	assert_int_equal(xt2_image_commit(s->path, map.image, map.size, NULL, NULL), 0);
	assert_int_equal(xt2_image_open(s->path, &again, NULL), 0);
	assert_int_equal(map.size, again.size);
	assert_memory_equal(map.image, again.image, map.size);
	xt2_image_close(&again);
	xt2_image_close(&map);
}

static void failures_change_nothing(void **data)
{
	struct state nowhere = { .path = "/nosuch/image" };
	const struct state *s = *data;
	struct xt2_mapping map = { 0 };

	assert_int_equal(commit(&nowhere, 1, NULL, 0), -ENOENT);
	assert_int_equal(commit(s, 1, NULL, 0), 0);
	assert_int_equal(xt2_image_open(s->path, &map, NULL), 0);
	((struct xt2_root *)xt2_at(map.image, map.image->root))->edits = 0;
	fail_alloc(1);
	assert_int_equal(xt2_image_commit(s->path, map.image, map.size, NULL, NULL), -ENOMEM);
	fail_alloc(0);
	xt2_image_close(&map);
	assert_int_equal(records(s, NULL), 1);
}

static const struct CMUnitTest cases[] = {
	CASE(a_new_file_tells_of_the_old_ones), CASE(the_history_is_bounded),
	CASE(what_is_no_image_has_no_history),	CASE(an_image_with_a_history_stays_as_it_is),
	CASE(failures_change_nothing),
};

UNITS(cases)
