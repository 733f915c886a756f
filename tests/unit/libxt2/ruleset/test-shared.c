/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rules share, and what each of them has of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"
#include "libxt2/ruleset/ruleset.h"

#define MANY 100000

static const u32 accept = XT2_TARGET(XT2_T_ACCEPT, 0);

static int setup(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	*state = rs;
	return rs && xt2_table_add(rs, XT2_IPV4, "nat", NULL) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	fail_alloc(0);
	xt2_ruleset_free(*state);
	return 0;
}

static int numbered(struct xt2_ruleset *rs, u32 i)
{
	return xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "DNAT", &i, sizeof(i));
}

static int comment(struct xt2_ruleset *rs, const char *text)
{
	return xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "comment", text, strlen(text));
}

static void comments_are_shared(void **state)
{
	struct xt2_ruleset *rs = *state;

	assert_int_equal(comment(rs, "one"), 0);
	assert_int_equal(comment(rs, "another one"), 1);
	assert_int_equal(comment(rs, "one"), 0);
	assert_int_equal(comment(rs, "another one"), 1);
	assert_int_equal(comment(rs, "another onf"), 2);
	assert_int_equal(comment(rs, ""), 3);
	assert_int_equal(comment(rs, ""), 3);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 1, "comment", "one", 3), 4);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, NULL, "one", 3), 5);
	assert_memory_equal(xt2_instance_data(xt2_instance_get(rs, 0)), "one", 3);
}

/* Of a match or a target that somebody runs, state may be kept. */
static void others_are_not(void **state)
{
	static const char *const nat[] = { "DNAT", "SNAT", "MASQUERADE", "REDIRECT", "NETMAP" };
	struct xt2_ruleset *rs = *state;
	int i;

	for (i = 0; i < 10; i++)
		assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, nat[i % 5],
						  "12345678", 8),
				 i % 5);
	for (; i < 15; i++)
		assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "RATEEST", "12345678",
						  8),
				 i - 5);
	for (; i < 20; i++)
		assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "DNAT", "12345678", 8),
				 i - 5);
}

/* An instance that is not found costs its bytes, and few are. */
static void many_are_found(void **state)
{
	struct xt2_ruleset *rs = *state;
	u32 i, again = 0;

	for (i = 0; i < MANY; i++)
		assert_int_equal(numbered(rs, i), i);
	for (i = 0; i < MANY; i++)
		again += numbered(rs, i) == (int)i;
	assert_in_range(again, MANY - MANY / 100, MANY);
}

/* As a table that cannot be read leaves it. */
static void numbers_are_taken_back(void **state)
{
	struct xt2_ruleset *rs = *state;

	comment(rs, "stays");
	assert_int_equal(comment(rs, "goes"), 1);
	rs->instances = 1;
	assert_int_equal(comment(rs, "goes"), 1);
	rs->instances = 1;
	assert_int_equal(comment(rs, "comes"), 1);
	assert_int_equal(comment(rs, "goes"), 2);
	assert_int_equal(comment(rs, "stays"), 0);
}

static int commented(struct xt2_ruleset *rs, int chain, const char *text)
{
	struct rule_build b;

	rule_begin(&b);
	rule_comment(&b, comment(rs, text));
	return xt2_rule_append(rs, chain, rule_end(&b, accept), 0);
}

static const struct xt2_instance *comment_of(const struct xt2_ruleset *rs, int chain,
					     unsigned int at)
{
	const struct xt2_rule *r = xt2_rule_get(rs, chain, at);

	return xt2_instance_get(rs, xt2_rule_first_match(r)->arg);
}

/* Whichever rule goes, the others say what they said, also in an image. */
static void one_rule_goes(void **state)
{
	struct xt2_ruleset *rs = *state, *loaded = xt2_ruleset_new();
	int chain = xt2_chain_base(rs, 0, XT2_OUTPUT);
	struct xt2_mapping map;
	struct xt2_err err;
	struct rule_build b;
	u32 i;

	for (i = 0; i < 4; i++)
		assert_int_equal(commented(rs, chain, i == 3 ? "other" : "shared"), 0);
	assert_int_equal(xt2_rule_delete(rs, chain, 0), 0);
	assert_int_equal(xt2_rule_replace(rs, chain, 0, rule_plain(&b, accept), 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0);
	assert_int_equal(xt2_image_root(map.image)->instances, 2);
	assert_int_equal(xt2_ruleset_load(loaded, map.image, map.size), 0);
	assert_memory_equal(xt2_instance_data(comment_of(loaded, chain, 1)), "shared", 6);
	assert_memory_equal(xt2_instance_data(comment_of(loaded, chain, 2)), "other", 5);
	xt2_ruleset_free(loaded);
	xt2_image_close(&map);
}

static void memory_runs_out(void **state)
{
	struct xt2_ruleset *rs = *state;
	u32 i, failed = 0;

	for (i = 0; i < 1000; i++) {
		fail_alloc(1);
		if (numbered(rs, i) < 0)
			failed++;
		fail_alloc(0);
		assert_int_equal(numbered(rs, i), i);
	}
	assert_in_range(failed, 1, 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(comments_are_shared, setup, teardown),
	cmocka_unit_test_setup_teardown(others_are_not, setup, teardown),
	cmocka_unit_test_setup_teardown(many_are_found, setup, teardown),
	cmocka_unit_test_setup_teardown(numbers_are_taken_back, setup, teardown),
	cmocka_unit_test_setup_teardown(one_rule_goes, setup, teardown),
	cmocka_unit_test_setup_teardown(memory_runs_out, setup, teardown),
};

UNITS(tests)
