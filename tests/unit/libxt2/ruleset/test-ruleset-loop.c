/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ruleset-loop.c - libxt2/ruleset/ruleset-loop.c */
#include "tests/unit/ruleset-case.h"

static void loops_are_named(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int a = xt2_chain_add(rs, FILTER, "A"), b = xt2_chain_add(rs, FILTER, "B");
	struct xt2_mapping map = { 0 };
	struct rule_build build;
	struct xt2_err err;

	append(rs, a, XT2_TARGET(XT2_T_JUMP, b));
	assert_int_equal(xt2_rule_append(rs, b, rule_plain(&build, XT2_TARGET(XT2_T_GOTO, a)), 8),
			 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0); /* nobody gets there */
	xt2_image_close(&map);
	append(rs, in, XT2_TARGET(XT2_T_JUMP, a));
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), -ELOOP);
	assert_null(map.image);
	assert_int_equal(err.code, XT2_E_LOOP);
	assert_int_equal(err.line, 8);
	assert_string_equal(err.file, "a.rules");
	assert_string_equal(err.message, "chains of table 'filter' jump in a circle: A -> B -> A");
	assert_int_equal(xt2_rule_insert(rs, in, 0, rule_plain(&build, DROP), 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0); /* nor now */
	xt2_image_close(&map);
}

static void long_loops_fit_the_message(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_mapping map = { 0 };
	struct xt2_err err;
	char name[64];
	int first = -1, i, c, last = xt2_chain_base(rs, FILTER, XT2_INPUT);

	for (i = 0; i < 1000; i++) {
		sprintf(name, "a-rather-long-name-of-chain%04d", i);
		c = xt2_chain_add(rs, FILTER, name);
		first = first < 0 ? c : first;
		append(rs, last, XT2_TARGET(XT2_T_JUMP, c));
		last = c;
	}
	append(rs, last, XT2_TARGET(XT2_T_JUMP, first));
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), -ELOOP);
	assert_non_null(strstr(err.message, "chain0001 -> "));
	assert_non_null(strstr(err.message, "... -> a-rather-long-name-of-chain0000"));
}

static const struct CMUnitTest tests[] = {
	CASE(loops_are_named),
	CASE(long_loops_fit_the_message),
};

UNITS(tests)
