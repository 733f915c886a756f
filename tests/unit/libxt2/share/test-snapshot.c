/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-snapshot.c - libxt2/share/snapshot.c */
#include "tests/lib/fail-alloc.h"
#include "tests/unit/share-case.h"

static struct xt2_mapping map;
static struct xt2_err err;

static const struct xt2_rule *rule_of(u32 chain, u32 number)
{
	const struct xt2_rule *r = patch_rule_at(&share_image, chain, number);

	return xt2_at(map.image, xt2_offset(share_image.img, r));
}

static void test_same_image(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new(), *before = xt2_ruleset_new();
	u8 digest[2][XT2_DIGEST_SIZE];

	assert_int_equal(xt2_ruleset_load(before, share_image.img, share_image.img->size), 0);
	assert_int_equal(xt2_ruleset_digest(before, digest[0]), 0);
	share = xt2_share_new(share_image.img, SHARE_SLOTS);
	assert_int_equal(xt2_share_snapshot(share, &map, &err), 0);
	assert_int_equal(xt2_check(map.image, map.size, share_image.scratch,
				   &(struct xt2_check_err){ 0 }),
			 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	assert_int_equal(xt2_ruleset_digest(rs, digest[1]), 0);
	assert_memory_equal(digest[0], digest[1], sizeof(digest[0]));
	xt2_ruleset_free(rs);
	xt2_ruleset_free(before);
	xt2_image_close(&map);
}

static void test_counters(void **state)
{
	const u64 rule = patch_rule_at(&share_image, 0, 0)->packets;
	const u64 group = patch_rule_at(&share_image, 1, 3)->packets;
	struct xt2_reader *reader;
	struct xt2_result result;

	share = xt2_share_new(share_image.img, SHARE_SLOTS);
	reader = xt2_share_reader(share);
	share_packet(reader, 0x0a000001, &result);
	share_packet(reader, 0x0b000001, &result);
	share_packet(reader, 0x0b000001, &result);
	assert_int_equal(xt2_share_snapshot(share, &map, &err), 0);
	assert_int_equal(rule_of(0, 0)->packets, rule + 1);
	assert_int_equal(rule_of(1, 3)->packets, group + 2);
	assert_true(rule_of(1, 3)->bytes > 1000 * group);
	xt2_image_close(&map);
	xt2_reader_free(reader);
	assert_int_equal(xt2_share_snapshot(share, &map, &err), 0);
	assert_int_equal(rule_of(1, 3)->packets, group + 2);
	xt2_image_close(&map);
}

static void test_no_memory(void **state)
{
	share = xt2_share_new(share_image.img, SHARE_SLOTS);
	fail_alloc(1);
	assert_int_equal(xt2_share_snapshot(share, &map, &err), -ENOMEM);
	fail_alloc(0);
	assert_null(map.image);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, share_setup_image, share_teardown)

static const struct CMUnitTest cases[] = {
	CASE(test_same_image),
	CASE(test_counters),
	CASE(test_no_memory),
};

UNITS(cases)
