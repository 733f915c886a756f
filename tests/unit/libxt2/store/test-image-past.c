/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-image-past.c - libxt2/store/image-past.c */
#include "libxt2/store/image-past.h"

#include "engine/image.h"
#include "libxt2/change/history.h"
#include "libxt2/change/owners.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/store-case.h"

/* A table of so many chains; each third one has an owner. */
static struct xt2_ruleset *make(u32 chains)
{
	static const char *const owners[] = { NULL, "one", "two" };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	char name[16];
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	for (i = 0; i < chains; i++) {
		assert_int_equal(xt2_ruleset_act(rs, owners[i % 3]), 0);
		snprintf(name, sizeof(name), "c%u", i);
		assert_true(xt2_chain_add(rs, 0, name) >= 0);
	}
	return rs;
}

/* The image of a ruleset with what follows it, whose place nothing has taken but the history's. */
static struct xt2_image *complete(const struct xt2_ruleset *rs, u64 generation,
				  const struct xt2_history *before)
{
	const struct xt2_author author = { .owner = "me", .reason = "why" };
	struct xt2_chain_owners *owners;
	struct xt2_image_past p;
	struct xt2_mapping map;
	struct xt2_image *img;

	assert_int_equal(xt2_chain_owners_new(rs, &owners), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_image_past_make(&p, map.image, map.size, generation, before, &author,
					     owners),
			 0);
	assert_true(p.size <= xt2_image_past_most(owners));
	img = malloc(map.size + p.size);
	memcpy(img, map.image, map.size);
	memcpy((u8 *)img + map.size, p.bytes, p.size);
	img->size = map.size + p.size;
	((struct xt2_root *)xt2_at(img, img->root))->edits = (u32)p.edits;
	((struct xt2_root *)xt2_at(img, img->root))->generation = generation;
	free(p.bytes);
	free(owners);
	xt2_image_close(&map);
	return img;
}

static void records_are_taken_over(void **data)
{
	struct xt2_history h = { .fd = -1 };
	struct xt2_image *img = NULL, *next;
	struct xt2_ruleset *rs = make(4);
	struct xt2_past past;
	u64 i;

	for (i = 1; i <= 20; i++) {
		next = complete(rs, 10 * i, &h);
		free(img);
		img = next;
		xt2_history_begin(&h, img, -1, img->size, img->root);
		assert_int_equal(h.file, i);
	}
	for (i = 20; i; i--) {
		assert_true(xt2_history_next(&h, &past));
		assert_int_equal(past.commit.generation, 10 * i);
		assert_int_equal(past.commit.file, i);
		assert_int_equal(past.commit.kind, XT2_COMMIT_WHOLE);
		assert_string_equal(past.commit.owner, "me");
		assert_string_equal(past.reason, "why");
		if (i == 20)
			assert_int_equal(past.commit.size, img->size);
	}
	assert_false(xt2_history_next(&h, &past));
	free(img);
	xt2_ruleset_free(rs);
}

static void owners_are_those_of_the_chains(void **data)
{
	const struct xt2_history none = { .fd = -1 };
	struct xt2_ruleset *rs = make(300), *again = xt2_ruleset_new();
	struct xt2_mapping map;
	struct xt2_image *img;
	struct xt2_err err;
	char name[16];
	int chain;
	u32 i;

	/* numbers of the ruleset are not those of the image */
	for (i = 0; i < 300; i += 5) {
		snprintf(name, sizeof(name), "c%u", i);
		assert_int_equal(xt2_chain_delete(rs, xt2_chain_find(rs, 0, name)), 0);
	}
	img = complete(rs, 1, &none);
	if (xt2_image_copy(img, img->size, &map, &err))
		fail_msg("%s", err.message);
	free(img);
	assert_int_equal(xt2_ruleset_load(again, map.image, map.size), 0);
	for (i = 0; i < 300; i++) {
		const char *owner;

		snprintf(name, sizeof(name), "c%u", i);
		chain = xt2_chain_find(again, 0, name);
		assert_int_equal(chain >= 0, i % 5 != 0);
		owner = chain < 0 ? NULL : xt2_chain_owner(again, chain);
		if (chain >= 0 && i % 3)
			assert_string_equal(owner, i % 3 == 1 ? "one" : "two");
		else
			assert_null(owner);
	}
	xt2_ruleset_free(again);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
}

static void without_owners_there_is_nothing(void **data)
{
	struct xt2_ruleset *rs = make(1); /* whose only chain is nobody's */
	struct xt2_chain_owners *owners = (void *)rs;

	assert_int_equal(xt2_chain_owners_new(NULL, &owners), 0);
	assert_null(owners);
	assert_int_equal(xt2_chain_owners_new(rs, &owners), 0);
	assert_null(owners);
	xt2_ruleset_free(rs);
}

static void failures_are_told(void **data)
{
	const struct xt2_history none = { .fd = -1 };
	struct xt2_chain_owners *owners = NULL;
	struct xt2_ruleset *rs = make(3);
	struct xt2_image_past p;
	struct xt2_mapping map;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	fail_alloc(1);
	assert_int_equal(xt2_chain_owners_new(rs, &owners), -ENOMEM);
	assert_null(owners);
	fail_alloc(1);
	assert_int_equal(xt2_image_past_make(&p, map.image, map.size, 1, &none, NULL, NULL),
			 -ENOMEM);
	fail_alloc(0);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest cases[] = {
	CASE(records_are_taken_over),
	CASE(owners_are_those_of_the_chains),
	CASE(without_owners_there_is_nothing),
	CASE(failures_are_told),
};

UNITS(cases)
