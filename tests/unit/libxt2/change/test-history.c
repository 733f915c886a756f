/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-history.c - libxt2/change/history.c */
#include "libxt2/change/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/inplace-case.h"

/* Commits that one author makes; the last one has no owner. */
static void make_commits(struct inplace_case *c, u32 n)
{
	struct xt2_author author = { .owner = "tests" };
	char reason[300];
	u32 i;

	xt2_inplace_author(c->rs, &author);
	for (i = 0; i < n; i++) {
		snprintf(reason, sizeof(reason), "%0*u", (int)(i * 37 % sizeof(reason)), i);
		author.reason = reason;
		author.owner = i == n - 1 ? NULL : "tests";
		assert_int_equal(inplace_append(c->rs, c->other, i), 0);
		if (!i)
			assert_true(xt2_chain_add(c->rs, 0, "more") >= 0);
		inplace_commit(c);
	}
}

static void commits_are_told_of(void **data)
{
	struct inplace_case c = inplace_open(0, true);
	const u64 now = (u64)time(NULL) * 1000000000u;
	struct xt2_history h;
	struct xt2_past past;
	u32 i;

	make_commits(&c, 12);
	xt2_history_begin(&h, c.img, -1, c.img->size, c.img->root);
	for (i = 12; xt2_history_next(&h, &past);) {
		const struct xt2_commit *m = &past.commit;

		i--;
		assert_int_equal(m->generation, i + 2); /* the first one was written whole */
		assert_true(m->time + 60000000000u > now && m->time < now + 60000000000u);
		assert_int_equal(m->uid, getuid());
		assert_int_equal(m->pid, getpid());
		assert_int_equal(m->changes.rules_new, 1);
		assert_int_equal(m->changes.rules_gone, 0);
		assert_int_equal(m->changes.chains_new, i == 0);
		assert_string_equal(m->owner, i == 11 ? "" : "tests");
		assert_int_equal(strlen(past.reason), m->length);
		assert_true(m->length >= (i * 37 % 300 < 255 ? i * 37 % 300 : 255));
		assert_int_equal(strtoul(past.reason, NULL, 10), m->length < 255 ? i : 0);
		assert_int_equal(((struct xt2_root *)xt2_at(c.img, m->root))->generation,
				 m->generation);
	}
	assert_int_equal(i, 0);
	assert_true(xt2_history_bytes(&h) == 0); /* there are no more */
	inplace_close(&c);
}

static void an_old_generation_is_still_there(void **data)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_image *old;
	struct xt2_history h;
	struct xt2_mapping map;
	struct xt2_past past;

	make_commits(&c, 9);
	xt2_history_begin(&h, c.img, -1, c.img->size, c.img->root);
	assert_true(xt2_history_find(&h, 5, &past));
	old = malloc(past.commit.size);
	memcpy(old, c.img, past.commit.size);
	old->root = past.commit.root;
	old->size = past.commit.size;
	assert_int_equal(xt2_image_copy(old, old->size, &map, NULL), 0);
	assert_int_equal(xt2_image_root(map.image)->generation, 5);
	xt2_image_close(&map);
	free(old);
	xt2_history_begin(&h, c.img, -1, c.img->size, c.img->root);
	assert_false(xt2_history_find(&h, 1, &past)); /* it has no record */
	inplace_close(&c);
}

static void without_an_author_there_is_no_record(void **data)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_history h;
	struct xt2_past past;

	assert_int_equal(inplace_append(c.rs, c.other, 1), 0);
	inplace_commit(&c);
	xt2_history_begin(&h, c.img, -1, c.img->size, c.img->root);
	assert_false(xt2_history_next(&h, &past));
	inplace_close(&c);
}

static void it_stays_when_other_edits_are_not_believed(void **data)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_author author = { .reason = "again" };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_history h;
	struct xt2_past past;
	u32 n = 0;

	make_commits(&c, 3);
	xt2_ruleset_free(c.rs);
	c.rs = rs;
	assert_int_equal(xt2_inplace_begin(c.rs, c.img, INPLACE_CAPACITY, false), 0);
	xt2_inplace_author(c.rs, &author);
	assert_int_equal(inplace_append(c.rs, c.other, 77), 0);
	inplace_commit(&c);
	xt2_history_begin(&h, c.img, -1, c.img->size, c.img->root);
	while (xt2_history_next(&h, &past))
		n++;
	assert_int_equal(n, 4);
	inplace_close(&c);
}

/* Whatever the bytes of records are, reading them ends, and inside of the image. */
static void hostile_records_have_an_end(void **data)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_history h;
	struct xt2_past past;
	struct xt2_image *copy;
	u64 seed = 0x9e3779b97f4a7c15ull, at;
	u32 i, n;

	make_commits(&c, 9);
	for (i = 0; i < 4000; i++) {
		const u64 size = c.img->size;

		copy = malloc(size); /* so that sanitizers see its end */
		memcpy(copy, c.img, size);
		for (n = 0; n < 1 + i % 8; n++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			at = size - 8 - (seed >> 33) % 4096 / 4 * 4;
			*(u32 *)((u8 *)copy + at) = seed >> 62 ? (u32)(seed >> 40) % (u32)size & ~7u
							       : (u32)(seed >> 20);
		}
		xt2_history_begin(&h, copy, -1, size, i % 5 ? copy->root : (u32)(seed >> 30));
		for (n = 0; xt2_history_next(&h, &past); n++) {
			assert_int_equal(past.reason[past.commit.length], 0);
			assert_int_equal(past.commit.owner[XT2_NAME_SIZE - 1], 0);
		}
		assert_true(n < size / sizeof(struct xt2_commit));
		free(copy);
	}
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(commits_are_told_of),
	cmocka_unit_test(an_old_generation_is_still_there),
	cmocka_unit_test(without_an_author_there_is_no_record),
	cmocka_unit_test(it_stays_when_other_edits_are_not_believed),
	cmocka_unit_test(hostile_records_have_an_end),
};

UNITS(cases)
