/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-check-chain.c - engine/check-chain.c: places that structures claim */
#include "engine/check-private.h"
#include "tests/lib/unit-program.h"

#define WORDS 256

static u64 bytes[WORDS];
static u64 map[WORDS / 64];
static struct xt2_check_err err;
static struct xt2_checking c;

static int setup(void **unused)
{
	memset(bytes, 0, sizeof(bytes));
	memset(map, 0, sizeof(map));
	c = (struct xt2_checking){
		.img = (struct xt2_image *)bytes,
		.size = sizeof(bytes),
		.map = map,
		.err = &err,
	};
	return 0;
}

/* Each unit is taken once; ranges may end and begin within a word of the map. */
static int claim(u64 first, u64 last)
{
	return xt2_check_claim_(&c, 8 * first, 8 * (last - first), "outside");
}

static void units_are_taken_once(void **unused)
{
	assert_int_equal(claim(3, 70), 0);
	assert_int_equal(claim(0, 3), 0);
	assert_int_equal(claim(70, 192), 0);
	assert_int_equal(claim(191, 193), -EINVAL);
	assert_int_equal(claim(2, 3), -EINVAL);
	assert_int_equal(claim(69, 70), -EINVAL);
	assert_int_equal(claim(193, 193), 0); /* none */
	assert_int_equal(map[0] & map[1] & map[2], ~0ull);
}

static void places_are_in_the_image(void **unused)
{
	assert_int_equal(xt2_check_claim_(&c, sizeof(bytes), 8, "outside"), -EINVAL);
	assert_string_equal(err.what, "outside");
	assert_int_equal(err.offset, sizeof(bytes));
	assert_int_equal(xt2_check_claim_(&c, sizeof(bytes) - 8, 9, "outside"), -EINVAL);
	assert_int_equal(xt2_check_claim_(&c, sizeof(bytes) + 8, 0, "outside"), -EINVAL);
	assert_int_equal(xt2_check_claim_(&c, 4, 4, "outside"), -EINVAL);
	assert_string_equal(err.what, "outside");
	assert_int_equal(xt2_check_claim_(&c, sizeof(bytes) - 8, 8, "outside"), 0);
	assert_int_equal(xt2_check_claim_(&c, sizeof(bytes) - 16, 9, "outside"), -EINVAL);
	assert_string_equal(err.what, "two structures overlap");
}

static void padding_is_zero(void **unused)
{
	((u8 *)bytes)[15] = 1;
	assert_int_equal(xt2_check_claim_(&c, 8, 7, "outside"), -EINVAL);
	assert_string_equal(err.what, "padding is not zero");
	assert_int_equal(err.offset, 15);
	assert_int_equal(xt2_check_claim_(&c, 8, 8, "outside"), 0);
}

static void empty_arrays_are_nowhere(void **unused)
{
	assert_int_equal(xt2_check_claim_array_(&c, 0, 0, 8, "array"), 0);
	assert_int_equal(xt2_check_claim_array_(&c, 8, 0, 8, "array"), -EINVAL);
	assert_string_equal(err.what, "array");
	assert_int_equal(xt2_check_claim_array_(&c, 16, 2, 8, "array"), 0);
	assert_int_equal(xt2_check_claim_array_(&c, 24, 1, 8, "array"), -EINVAL);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, NULL)

static const struct CMUnitTest tests[] = {
	CASE(units_are_taken_once),
	CASE(places_are_in_the_image),
	CASE(padding_is_zero),
	CASE(empty_arrays_are_nowhere),
};

UNITS_WITH(tests, NULL, NULL)
