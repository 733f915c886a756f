/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-segments.c - engine/index/segments.c
 *
 * Lists of prefixes as people write them, and as nobody should: what is found
 * around the ends of each.
 */
#include "engine/index/count-below.h"
#include "tests/unit/segments-case.h"

/* Where rules are few, addresses next to a host are not told from it. */
static void disjoint_prefixes_are_exact(void **unused)
{
	u32 i;

	state = 1;
	for (listed = i = 0; i < 1000; i++)
		add(i << 22 | (u32)seed_next(&state) >> 10, 11 + seed_below(&state, 8));
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	assert_int_equal(look_around(1000), 0);
	assert_true(ix->size <= 16 * listed);
	for (listed = i = 0; i < 1000; i++)
		add(i << 22 | (u32)seed_next(&state) >> 10, 32);
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	for (i = 0; i < listed; i++)
		assert_int_equal(look_for(list[i].addr + 1024) + look_for(list[i].addr - 1024), 0);
}

static void random_prefixes_in_any_order(void **unused)
{
	u32 n, i;

	for (n = 65; n <= RULES_MAX; n *= 3) {
		state = n;
		for (listed = i = 0; i < n; i++)
			add((u32)seed_next(&state), 12 + seed_below(&state, 21));
		expect_segments(n < 500 ? 40 : 16);
	}
}

/* Hosts of few networks, far apart: most slots have nothing, few have all. */
static void hosts_of_one_network(void **unused)
{
	u32 i;

	for (listed = i = 0; i < 20000; i++)
		add(0x0a010000 + 3 * i, 32);
	expect_segments(11);
	for (i = 0; i < 8; i++)
		add(i << 29 | i << 4, 32);
	expect_segments(11);
	for (i = 0; i < 9000; i++)
		add(0x0affffff - i, 32);
	expect_segments(11);
	assert_int_equal(slots(), 0);
}

/* Neighbours, and others far from them in the same slot, are in slots of buckets. */
static void hosts_beside_each_other(void **unused)
{
	u32 n, i;

	for (n = 60; n <= 6000; n *= 10) {
		state = n;
		for (listed = i = 0; i < n; i++)
			add(0xc0a80100 + i, 32);
		for (i = 0; i < 10; i++)
			add(0xc0000000 + i * 0x00191919, 32);
		expect_segments(n < 500 ? 64 : 24);
		assert_true(slots() > 0);
		add(0xc0a80000, 16); /* they are in that as well */
		add(0xc0a80120, 27);
		expect_segments(n < 500 ? 64 : 24);
	}
}

static void ends_of_all_addresses(void **unused)
{
	u32 i;

	state = 7;
	for (listed = i = 0; i < 100; i++)
		add((u32)seed_next(&state), 32);
	add(0, 32);
	add(~0u, 32);
	expect_segments(64);
	add(0, 1);
	expect_segments(64);
	add(~0u, 1);
	expect_segments(64);
	add(~0u, 31);
	expect_segments(64);
}

/* A mask with holes asks for a prefix at least. */
static void masks_with_holes(void **unused)
{
	u32 i;

	state = 8;
	for (listed = i = 0; i < 500; i++) {
		list[listed].mask = 0xffff00ff ^ 1u << seed_below(&state, 7);
		list[listed].addr = (u32)seed_next(&state) & list[listed].mask;
		listed++;
	}
	expect_segments(64);
	for (i = 0; i < 2; i++) {
		list[listed].mask = 0x000000ff;
		list[listed++].addr = i;
	}
	expect_segments(64);
}

/* Few rules that ask for any address are found with all of them. */
static void rules_for_any_address(void **unused)
{
	u32 i;

	state = 9;
	for (listed = i = 0; i < 900; i++)
		add((u32)seed_next(&state), i % 400 == 399 ? 0 : 24 + seed_below(&state, 9));
	add(0, 0);
	expect_segments(40);
	assert_int_equal(((const struct xt2_segments *)xt2_at(ix, ix->body))->commons, 3);
	for (i = 0; i < 2; i++)
		add(0, 0);
	assert_int_not_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
}

static void numbers_are_counted(void **unused)
{
	u16 of[80], most;
	u32 try, i, n, count;

	state = 12;
	for (try = 0; try < 20000; try++) {
		n = seed_below(&state, try % 2 ? 65 : 17);
		for (i = 0; i < 80; i++)
			of[i] = (u16)(seed_next(&state) >> (i < n ? 49 : 48));
		for (i = 1; i < n; i++) /* about as far apart as it takes, some of them equal */
			of[i] = (u16)(of[i - 1] + of[i] % 900 < 0x7fff ? of[i - 1] + of[i] % 900
								       : 0x7fff);
		most = seed_below(&state, 2) && n ? of[seed_below(&state, n)]
						  : (u16)(seed_next(&state) >> 49);
		for (count = i = 0; i < n; i++)
			count += of[i] <= most;
		assert_int_equal(xt2_not_above(of, n, most), count);
		assert_int_equal(xt2_not_above_scalar(of, n, most), count);
	}
}

/* => was the bit noticed? If not, all is found all the same, and nothing else. */
static bool flip(u8 *at, u8 bit)
{
	const char *what;
	bool noticed;

	*at ^= bit;
	noticed = xt2_index_check(chain, XT2_IPV4, &what);
	if (!noticed)
		look_around(12);
	*at ^= bit;
	return noticed;
}

static void every_bit_counts(void **unused)
{
	static const struct xt2_index_limits all = { 0, 0, 0, ~0u, false };
	u32 i, noticed = 0, bits = 0;

	state = 11;
	for (listed = i = 0; i < 40; i++) /* nobody asks for the last address */
		add(seed_below(&state, 7) << 29 | seed_below(&state, 4) << 24,
		    i % 10 ? 3 + seed_below(&state, 30) : 0);
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	for (i = ix->body; i < ix->size; i++) /* what is before is not about segments */
		for (u32 bit = 1; bit < 256; bit *= 2, bits++)
			noticed += flip((u8 *)xt2_at(chain, chain->lookup) + i, (u8)bit);
	assert_true(noticed > bits / 2 && noticed < bits);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(disjoint_prefixes_are_exact),
	cmocka_unit_test(random_prefixes_in_any_order),
	cmocka_unit_test(hosts_of_one_network),
	cmocka_unit_test(hosts_beside_each_other),
	cmocka_unit_test(ends_of_all_addresses),
	cmocka_unit_test(masks_with_holes),
	cmocka_unit_test(rules_for_any_address),
	cmocka_unit_test(numbers_are_counted),
	cmocka_unit_test(every_bit_counts),
};

UNITS_WITH(tests, NULL, drop)
