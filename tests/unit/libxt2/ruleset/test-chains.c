/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-chains.c - libxt2/ruleset/chains.c */
#include "tests/unit/ruleset-case.h"

static void names_are_checked(void **state)
{
	struct xt2_ruleset *rs = *state;
	int a = xt2_chain_add(rs, FILTER, "A");

	assert_int_equal(xt2_chain_add(rs, FILTER, ""), -EINVAL);
	assert_int_equal(xt2_chain_add(rs, FILTER, "12345678901234567890123456789012"), -EINVAL);
	assert_true(xt2_chain_add(rs, FILTER, "1234567890123456789012345678901") >= 0);
	assert_int_equal(xt2_chain_add(rs, FILTER, "INPUT"), -EEXIST);
	assert_int_equal(xt2_chain_add(rs, 17, "X"), -ENOENT);
	assert_true(xt2_chain_add(rs, NAT, "A") >= 0); /* another table's name */
	assert_int_equal(xt2_chain_rename(rs, a, xt2_chain_name(rs, a)), -EEXIST);
	assert_int_equal(xt2_chain_find(rs, FILTER6, "A"), -ENOENT);
}

static void base_chains_stay(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int user = xt2_chain_add(rs, FILTER, "user");
	__u64 n;

	assert_int_equal(xt2_chain_delete(rs, in), -EINVAL);
	assert_int_equal(xt2_chain_rename(rs, in, "x"), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, in, XT2_T_RETURN), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_DROP), -EINVAL);
	assert_int_equal(xt2_chain_policy(rs, user), -EINVAL);
	assert_int_equal(xt2_chain_counters(rs, user, &n, &n), -EINVAL);
	append(rs, in, XT2_TARGET(XT2_T_JUMP, user));
	append(rs, user, XT2_TARGET(XT2_T_GOTO, user));
	assert_int_equal(xt2_chain_references(rs, user), 2);
	assert_int_equal(xt2_chain_delete(rs, user), -EBUSY);
	assert_int_equal(xt2_chain_flush(rs, in), 0);
	assert_int_equal(xt2_chain_delete(rs, user), -EBUSY);
	assert_int_equal(xt2_table_reset(rs, FILTER, "b.rules"), 0);
	assert_int_equal(xt2_chain_find(rs, FILTER, "user"), -ENOENT);
	assert_null(xt2_chain_name(rs, user));
	assert_int_equal(xt2_chain_references(rs, user), -ENOENT);
	assert_int_equal(xt2_chain_delete(rs, user), -ENOENT);
	assert_string_equal(xt2_table_source(rs, FILTER), "b.rules");
	assert_int_equal(xt2_table_reset(rs, 9, NULL), -ENOENT);
}

/* Deleting while iterating is allowed once the next chain is known. */
static void chains_can_go_while_they_are_listed(void **state)
{
	struct xt2_ruleset *rs = *state;
	char name[16];
	int chain, next, i;

	for (i = 0; i < 100; i++) {
		sprintf(name, "c%d", i * 37 % 100);
		assert_true(xt2_chain_add(rs, FILTER, name) >= 0);
	}
	i = 0;
	for (chain = xt2_chain_next(rs, FILTER, -1); chain >= 0; chain = next) {
		next = xt2_chain_next(rs, FILTER, chain);
		if (xt2_chain_hook(rs, chain) >= 0)
			continue;
		assert_int_equal(xt2_chain_delete(rs, chain), 0);
		i++;
	}
	assert_int_equal(i, 100);
	assert_int_equal(xt2_chain_next(rs, FILTER, xt2_chain_base(rs, FILTER, XT2_OUTPUT)), -1);
}

static const struct CMUnitTest tests[] = {
	CASE(names_are_checked),
	CASE(base_chains_stay),
	CASE(chains_can_go_while_they_are_listed),
};

UNITS(tests)
