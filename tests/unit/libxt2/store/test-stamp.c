/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-stamp.c - libxt2/store/stamp.c */
#include "libxt2/store/stamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include "engine/env.h"
#include "tests/unit/store-case.h"

static struct xt2_file_facts facts_of(const struct state *s)
{
	struct xt2_file_facts facts;
	int fd = open(s->path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(xt2_file_facts(fd, &facts), 0);
	close(fd);
	return facts;
}

static void a_file_of_ones_own_is_not_shared(void **data)
{
	const struct state *s = *data;
	char other[80];

	snprintf(other, sizeof(other), "%s.other", s->path);
	assert_null(facts_of(s).shared);
	assert_int_equal(chmod(s->path, 0620), 0);
	assert_string_equal(facts_of(s).shared, "its mode lets others write to it");
	assert_int_equal(chmod(s->path, 0644), 0);
	assert_null(facts_of(s).shared);
	assert_int_equal(link(s->path, other), 0);
	assert_string_equal(facts_of(s).shared, "it has several names");
	unlink(other);
	if (!geteuid()) {
		assert_int_equal(chown(s->path, 65534, (gid_t)-1), 0);
		assert_string_equal(facts_of(s).shared, "another user owns it");
	}
}

static void a_folder_is_no_file(void **data)
{
	const struct state *s = *data;
	struct xt2_file_facts facts;
	int fd = open(s->folder, O_RDONLY | O_DIRECTORY);

	assert_int_equal(xt2_file_facts(fd, &facts), -EISDIR);
	close(fd);
}

static void each_field_says_what_differs(void **data)
{
	const struct xt2_file_facts facts = facts_of(*data);
	struct xt2_file_facts later = facts;
	struct xt2_stamp stamp = facts.now;

	stamp.size = 800;
	assert_null(xt2_stamp_differs(&stamp, &facts, 800));
	assert_string_equal(xt2_stamp_differs(&stamp, &facts, 808),
			    "its size is not that of the last change");
	later.disturbed = true;
	assert_string_equal(xt2_stamp_differs(&stamp, &later, 800),
			    "its inode has changed since the last change was stored");
	stamp.changed++;
	assert_string_equal(xt2_stamp_differs(&stamp, &facts, 800),
			    "its contents have changed since the last change was stored");
	stamp.inode++;
	assert_string_equal(xt2_stamp_differs(&stamp, &facts, 800),
			    "it is a copy of the file that the last change was made to");
	stamp.born = 0;
	assert_string_equal(xt2_stamp_differs(&stamp, &facts, 800), "it was written whole");
}

static void the_time_of_the_contents_is_set(void **data)
{
	const struct state *s = *data;
	const u64 then = xt2_stamp_clock() - 1000000000u;
	struct xt2_file_facts facts;
	int fd;

	assert_false(facts_of(s).disturbed);
	fd = open(s->path, O_RDWR);
	assert_int_equal(xt2_stamp_time(fd, then), 0);
	assert_int_equal(xt2_file_facts(fd, &facts), 0);
	assert_true(facts.now.changed == then);
	assert_true(facts.disturbed); /* the inode tells when it was done */
	close(fd);
}

/* A stamp within what was appended. */
static void a_digest_is_of_every_byte(void **data)
{
	u64 room[32] = { 0 };
	struct xt2_stamp *stamp = (struct xt2_stamp *)(room + 8);
	u64 was, i;

	stamp->first = 640;
	stamp->size = 640 + sizeof(room);
	was = xt2_stamp_digest(room, stamp, 640 + 64, 3);
	assert_true(was != xt2_stamp_digest(room, stamp, 640 + 64, 4));
	stamp->digest = 99;
	assert_true(was == xt2_stamp_digest(room, stamp, 640 + 64, 3));
	for (i = 0; i < sizeof(room); i++) {
		if (i >= 64 + offsetof(struct xt2_stamp, size) && i < 64 + sizeof(*stamp))
			continue; /* where it ends, and the digest */
		((u8 *)room)[i] ^= 1;
		assert_true(was != xt2_stamp_digest(room, stamp, 640 + 64, 3));
		((u8 *)room)[i] ^= 1;
	}
}

static const struct CMUnitTest cases[] = {
	CASE(a_file_of_ones_own_is_not_shared), CASE(a_folder_is_no_file),
	CASE(each_field_says_what_differs),	CASE(the_time_of_the_contents_is_set),
	CASE(a_digest_is_of_every_byte),
};

UNITS(cases)
