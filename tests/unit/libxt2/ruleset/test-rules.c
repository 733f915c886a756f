/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-rules.c - libxt2/ruleset/rules.c */
#include "tests/unit/ruleset-case.h"

/* A rule that is refused leaves no trace. */
static void refused(struct xt2_ruleset *rs, int chain, const struct xt2_rule *r)
{
	unsigned int n = xt2_chain_rules(rs, chain);

	assert_int_equal(xt2_rule_append(rs, chain, r, 0), -EINVAL);
	assert_int_equal(xt2_rule_replace(rs, chain, 0, r, 0), -EINVAL);
	assert_int_equal(xt2_rule_find(rs, chain, r), -EINVAL);
	assert_int_equal(xt2_chain_rules(rs, chain), n);
}

static void bad_rules_are_refused(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int in6 = xt2_chain_base(rs, FILTER6, XT2_INPUT);
	int other = xt2_chain_add(rs, NAT, "other");
	int gone = xt2_chain_add(rs, FILTER, "gone");
	struct xt2_match *m;
	struct rule_build b;
	struct xt2_rule *r;

	append(rs, in, ACCEPT);
	append(rs, in6, ACCEPT);
	assert_int_equal(xt2_chain_delete(rs, gone), 0);
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, other)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_GOTO, gone)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, 0xffffff)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_ACCEPT, 1)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(9, 0)));
	r = rule_plain(&b, ACCEPT);
	r->size = r->target_offset = 20;
	refused(rs, in, r);
	r->size = r->target_offset = 16;
	refused(rs, in, r);
	rule_begin(&b);
	m = rule_match(&b, XT2_M_SRC4, 8, 0);
	r = rule_end(&b, ACCEPT);
	m->size = 16;
	refused(rs, in, r);
	m->size = 0;
	refused(rs, in, r);
	m->size = 8;
	refused(rs, in6, r); /* of another family */
	m->type = 200;
	refused(rs, in, r);
	assert_int_equal(xt2_rule_append(rs, gone, rule_plain(&b, ACCEPT), 0), -ENOENT);
	assert_int_equal(xt2_rule_insert(rs, in, 2, rule_plain(&b, ACCEPT), 0), -ENOENT);
}

static void numbers_must_stand_for_the_right_thing(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int pre = xt2_chain_base(rs, NAT, XT2_PREROUTING);
	int comment = xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, NULL, "hello", 5);
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 1, "set", "\0\1", 2);
	int target = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "DNAT", "1234567", 7);
	struct rule_build b;

	append(rs, in, ACCEPT);
	append(rs, pre, ACCEPT);
	rule_begin(&b);
	rule_comment(&b, match);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_foreign(&b, comment);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_foreign(&b, target + 1);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_quota(&b, 0, 7);
	refused(rs, in, rule_end(&b, ACCEPT));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_FOREIGN, match)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_NAT, target))); /* not in nat */
	refused(rs, pre, rule_plain(&b, XT2_TARGET(XT2_T_NAT, comment)));
	assert_int_equal(append(rs, pre, XT2_TARGET(XT2_T_NAT, target)), 0);
	assert_int_equal(append(rs, in, XT2_TARGET(XT2_T_FOREIGN, target)), 0);
	rule_begin(&b);
	rule_comment(&b, comment);
	rule_foreign(&b, match);
	assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, ACCEPT), 0), 0);
}

/* Instances with equal content are equal; state and counters don't count. */
static void rules_are_found_by_meaning(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct rule_build b;
	struct xt2_rule *r;
	int i;

	for (i = 0; i < 3; i++) {
		rule_begin(&b);
		rule_comment(&b, xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "ab" + i / 2,
						  2 - (size_t)i / 2));
		rule_quota(&b, xt2_cell_add(rs), 100);
		r = rule_end(&b, XT2_TARGET(XT2_T_FOREIGN, xt2_instance_add(rs, XT2_INSTANCE_TARGET,
									    i / 2, "X", "", 0)));
		r->packets = (u64)i;
		assert_int_equal(xt2_rule_append(rs, in, r, 0), 0);
	}
	assert_int_equal(xt2_rule_find(rs, in, xt2_rule_get(rs, in, 1)), 0);
	assert_int_equal(xt2_rule_find(rs, in, r), 2);
	((struct xt2_match *)((char *)r + 24))->flags = 0;
	((struct xt2_match_quota *)((char *)r + 32))->quota = 101;
	assert_int_equal(xt2_rule_find(rs, in, r), -ENOENT);
	assert_int_equal(xt2_rule_find(rs, in, rule_plain(&b, ACCEPT)), -ENOENT);
	assert_int_equal(xt2_rule_find(rs, 999, r), -ENOENT);
}

/* A million rules would take their bytes and at most 24 more each. */
static void rules_take_little_memory(void **state)
{
	const size_t n = 200000;
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct mallinfo2 before = mallinfo2(), after;
	struct rule_build b;
	size_t i, used;

	for (i = 0; i < n; i++) {
		rule_begin(&b);
		rule_source(&b, (u32)i + 1, 32);
		assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, DROP), (u32)i), 0);
	}
	after = mallinfo2();
	used = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
	assert_true(used <= n * (32 + 24) + (2u << 20));
	for (i = 0; i < n; i += 1999)
		assert_int_equal(xt2_rule_line(rs, in, (u32)i), i);
}

/* Replacing one rule for ever does not take memory for ever. */
static void deleted_rules_are_given_back(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct mallinfo2 before, after;
	struct rule_build b;
	u32 i;

	for (i = 0; i < 10; i++) {
		rule_begin(&b);
		rule_source(&b, i + 1, 32);
		xt2_rule_append(rs, in, rule_end(&b, DROP), i);
	}
	before = mallinfo2();
	for (i = 0; i < 200000; i++)
		assert_int_equal(xt2_rule_replace(rs, in, 3, xt2_rule_get(rs, in, i % 3), i), 0);
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + (1u << 18));
	assert_memory_equal(xt2_rule_get(rs, in, 3), xt2_rule_get(rs, in, (i - 1) % 3), 32);
	assert_int_equal(xt2_rule_find(rs, in, rule_end(&b, DROP)), 9);
	for (i = 0; i < 10; i++)
		assert_int_equal(xt2_rule_delete(rs, in, 0), 0);
	assert_int_equal(xt2_rule_delete(rs, in, 0), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	CASE(bad_rules_are_refused),	    CASE(numbers_must_stand_for_the_right_thing),
	CASE(rules_are_found_by_meaning),   CASE(rules_take_little_memory),
	CASE(deleted_rules_are_given_back),
};

UNITS(tests)
