/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-old-files.c - libxt2/store/old-files.c */
#include "libxt2/store/old-files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include "engine/image.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/store-case.h"

/* A file with so many user chains, whose generation is that number. */
static void commit(const struct state *s, u32 number)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	char name[16];
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	for (i = 0; i < number; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		assert_true(xt2_chain_add(rs, 0, name) >= 0);
	}
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	((struct xt2_root *)xt2_at(map.image, map.image->root))->generation = number;
	assert_int_equal(xt2_image_commit(s->path, map.image, map.size, NULL, NULL), 0);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* An edit of that file: another chain, and another generation. */
static void edit(struct state *s, const char *name)
{
	struct xt2_ruleset *rs;

	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 0, NULL), 0);
	assert_int_equal(xt2_store_edit(&s->one, &rs, NULL), 0);
	assert_true(xt2_chain_add(rs, 0, name) >= 0);
	assert_int_equal(xt2_store_commit_edit(&s->one, rs, NULL, NULL), 0);
	xt2_ruleset_free(rs);
	xt2_store_end_edit(&s->one);
	xt2_store_unlock(&s->one);
}

/* => user chains of a generation; -errno */
static int chains(const struct state *s, u64 generation)
{
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	struct xt2_err err = { 0 };
	int ret = xt2_generation_open(s->path, generation, &map, &err), n = -3, chain;

	if (ret) {
		assert_true(ret == -ENOMEM || *err.message);
		return ret;
	}
	assert_int_equal(xt2_image_root(map.image)->generation, generation);
	rs = xt2_ruleset_new();
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	xt2_table_for_each_chain(chain, rs, 0)
		n++;
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return n;
}

static void generations_of_old_files_are_there(void **data)
{
	struct state *s = *data;
	u32 i;

	assert_int_equal(chains(s, 1), -ENOENT); /* no file */
	for (i = 1; i <= XT2_OLD_FILES + 3; i++)
		commit(s, i);
	for (i = 4; i < XT2_OLD_FILES + 4; i++)
		assert_int_equal(chains(s, i - 1), (int)i - 1);
	assert_int_equal(chains(s, 2), -ENOENT);
	assert_int_equal(chains(s, XT2_OLD_FILES + 4), -ENOENT);
}

static void generations_of_edits_are_there(void **data)
{
	struct state *s = *data;

	commit(s, 1);
	edit(s, "one"); /* generation 2 */
	edit(s, "two");
	assert_int_equal(chains(s, 1), 1);
	assert_int_equal(chains(s, 2), 2);
	assert_int_equal(chains(s, 3), 3);
	commit(s, 4);
	edit(s, "three");
	assert_int_equal(chains(s, 1), 1);
	assert_int_equal(chains(s, 2), 2);
	assert_int_equal(chains(s, 3), 3);
	assert_int_equal(chains(s, 5), 5);
}

/* The name of the old file of this number, until the call after the next one. */
static const char *old(const struct state *s, u32 number)
{
	static char names[2][80];
	static u32 turn;
	char *name = names[turn++ % 2];

	snprintf(name, sizeof(names[0]), "%s.old-%u", s->path, number % XT2_OLD_FILES);
	return name;
}

static void copy_file(const char *from, const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

/* A file of this name that is another image's, or none, is not taken for the old one. */
static void other_files_are_not_taken(void **data)
{
	struct state *s = *data;
	int fd;

	commit(s, 1);
	copy_file(s->path, old(s, 3));
	commit(s, 2);
	commit(s, 3);
	assert_int_equal(chains(s, 1), 1);
	assert_int_equal(chains(s, 2), 2);
	copy_file(old(s, 2), old(s, 1));
	assert_int_equal(chains(s, 1), -ENOENT);
	fd = open(old(s, 2), O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	assert_int_equal(chains(s, 2), -ENOENT);
	unlink(old(s, 1));
	assert_int_equal(mkfifo(old(s, 1), 0600), 0);
	assert_int_equal(chains(s, 1), -ENOENT);
}

/* Whatever is in an old file, it is refused or a valid image. */
static void damage_is_found(void **data)
{
	struct state *s = *data;
	u64 seed = 1;
	u32 i, value;
	int fd, n;

	commit(s, 1);
	edit(s, "one");
	commit(s, 3);
	for (i = 0; i < 2000; i++) {
		fd = open(old(s, 1), O_RDWR);
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		value = (u32)(seed >> 32) % (i % 2 ? 9000u : ~0u);
		assert_int_equal(pwrite(fd, &value, 4, (off_t)((seed >> 20) % 9000 & ~3ull)), 4);
		close(fd);
		n = chains(s, 2);
		assert_true(n >= -EINVAL - 100);
	}
}

static void old_files_have_a_bound(void **data)
{
	struct state *s = *data;
	struct stat st;
	u32 i;

	for (i = 1; i <= 5; i++) {
		commit(s, i);
		if (i == 3)
			assert_int_equal(truncate(s->path, (off_t)XT2_OLD_BYTES - 100000), 0);
	}
	assert_int_equal(stat(old(s, 4), &st), 0);
	assert_int_equal(stat(old(s, 3), &st), 0);
	assert_int_equal(stat(old(s, 2), &st), 0); /* small enough to have room */
	commit(s, 6);
	assert_int_equal(truncate(s->path, 100000 + st.st_size), 0);
	commit(s, 7);
	assert_int_equal(stat(old(s, 6), &st), 0);
	assert_int_equal(stat(old(s, 3), &st), -1);
	assert_int_equal(stat(old(s, 2), &st), -1);
	assert_int_equal(chains(s, 6), 6);
	assert_true(xt2_old_files_drop(s->path));
	assert_false(xt2_old_files_drop(s->path));
	assert_int_equal(chains(s, 6), -ENOENT);
	assert_int_equal(chains(s, 7), 7);
}

static void lacks_memory(void **data)
{
	struct state *s = *data;
	u32 i;
	int ret;

	commit(s, 1);
	edit(s, "one");
	for (i = 1;; i++) {
		struct xt2_mapping map = { 0 };

		fail_alloc(i);
		ret = xt2_generation_open(s->path, 1, &map, NULL);
		xt2_image_close(&map);
		if (!fail_alloc_happened())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	fail_alloc(0);
	assert_true(i > 2);
	assert_int_equal(chains(s, 1), 1);
}

static const struct CMUnitTest cases[] = {
	CASE(generations_of_old_files_are_there),
	CASE(generations_of_edits_are_there),
	CASE(other_files_are_not_taken),
	CASE(damage_is_found),
	CASE(old_files_have_a_bound),
	CASE(lacks_memory),
};

UNITS(cases)
