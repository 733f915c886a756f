/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-image.c - engine/image.c: names, and what a packet may take */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/sample-image.h"
#include "tests/lib/rules.h"

#define CAP (16ull << 20)

static u64 *bytes;
static void *scratch;

static int setup(void **state)
{
	bytes = calloc(1, CAP);
	scratch = malloc(xt2_check_scratch(CAP));
	return bytes && scratch ? 0 : -1;
}

static int teardown(void **state)
{
	free(bytes);
	free(scratch);
	return 0;
}

/* INPUT jumps so often to a chain, that twice to the next, and so on. */
static bool too_long(u32 jumps, u32 doublings)
{
	struct rule_build b;
	struct xt2_writer w;
	char name[16];
	u64 size;
	u32 i, n;

	xt2_write_begin(&w, bytes, CAP, 1, 1, 1, 2 + doublings, 0, 0);
	xt2_write_table(&w, XT2_IPV4, "filter", ~0u);
	xt2_write_hook(&w, XT2_IPV4, XT2_INPUT, 0, 0, 0);
	for (i = 0; i < 2 + doublings; i++) {
		sprintf(name, "c%u", i);
		xt2_write_chain_begin(&w, i, 0, i ? XT2_HOOK_NONE : XT2_INPUT, name);
		for (n = i == 0 ? jumps : i <= doublings ? 2 : 0; n; n--)
			xt2_write_rule(&w, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, i + 1)));
		xt2_write_rule(&w, rule_plain(&b, i ? XT2_T_RETURN : XT2_T_ACCEPT));
		xt2_write_chain_end(&w, NULL, 0);
	}
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	return xt2_image_too_long((struct xt2_image *)bytes);
}

static void ways_are_limited(void **state)
{
	assert_false(too_long(1, 0));
	assert_false(too_long(1, 15)); /* 2^16 chains */
	assert_true(too_long(1, 16));
	assert_true(too_long(1, 40));
	assert_false(too_long(XT2_VISITS_MAX + 20000, 0)); /* once each rule */
	assert_true(too_long(XT2_VISITS_MAX + 20000, 1));
}

static void no_ruleset_is_no_way(void **state)
{
	struct xt2_image empty = { .magic = XT2_MAGIC };

	assert_false(xt2_image_too_long(&empty));
}

static void extensions_have_names(void **state)
{
	assert_string_equal(xt2_match_name(XT2_M_SRC4), "src4");
	assert_string_equal(xt2_match_name(XT2_M_FOREIGN), "foreign");
	assert_null(xt2_match_name(0));
	assert_null(xt2_match_name(XT2_M_COUNT));
	assert_null(xt2_match_name(255));
	assert_string_equal(xt2_target_name(XT2_T_CONTINUE), "CONTINUE");
	assert_string_equal(xt2_target_name(XT2_T_TCPMSS), "TCPMSS");
	assert_null(xt2_target_name(XT2_T_NAT + 1));
	assert_null(xt2_target_name(XT2_T_COUNT));
}

static void extensions_have_properties(void **state)
{
	assert_int_equal(xt2_match_info(XT2_M_SRC4), 0);
	assert_int_equal(xt2_match_info(XT2_M_QUOTA), XT2_EXT_CELL);
	assert_int_equal(xt2_match_info(XT2_M_FOREIGN),
			 XT2_EXT_INSTANCE | XT2_EXT_FOREIGN | XT2_EXT_NATIVE);
	assert_int_equal(xt2_match_info(XT2_M_COUNT), 0);
	assert_int_equal(xt2_target_info(XT2_T_ACCEPT), 0);
	assert_int_equal(xt2_target_info(XT2_T_NAT), XT2_EXT_INSTANCE);
	assert_true(xt2_target_info(XT2_T_TTL) & XT2_EXT_WRITES);
	assert_int_equal(xt2_target_info(XT2_T_COUNT), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ways_are_limited),
	cmocka_unit_test(no_ruleset_is_no_way),
	cmocka_unit_test(extensions_have_names),
	cmocka_unit_test(extensions_have_properties),
};

UNITS_WITH(tests, setup, teardown)
