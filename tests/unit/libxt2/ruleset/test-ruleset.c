/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ruleset.c - libxt2/ruleset/ruleset.c */
#include "tests/unit/ruleset-case.h"

static void tables_start_empty(void **state)
{
	struct xt2_ruleset *rs = *state;
	__u64 packets = 1, bytes = 1;
	int chain, n = 0;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), -EEXIST);
	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "nosuch", NULL), -EINVAL);
	assert_int_equal(xt2_ruleset_tables(rs), 3);
	for (chain = xt2_chain_next(rs, FILTER, -1); chain >= 0;
	     chain = xt2_chain_next(rs, FILTER, chain)) {
		assert_int_equal(xt2_chain_hook(rs, chain), XT2_INPUT + n);
		assert_int_equal(xt2_chain_policy(rs, chain), XT2_T_ACCEPT);
		assert_int_equal(xt2_chain_counters(rs, chain, &packets, &bytes), 0);
		assert_int_equal(packets | bytes, 0);
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(xt2_chain_base(rs, FILTER, XT2_PREROUTING), -ENOENT);
	assert_int_equal(xt2_table_family(rs, FILTER6), XT2_IPV6);
	assert_string_equal(xt2_table_name(rs, NAT), "nat");
	assert_string_equal(xt2_table_source(rs, NAT), "a.rules");
	assert_null(xt2_table_source(rs, FILTER6));
	assert_int_equal(xt2_table_family(rs, 3), -ENOENT);
	assert_null(xt2_table_name(rs, -1));
}

static void instances_are_checked(void **state)
{
	struct xt2_ruleset *rs = *state;
	int i;

	assert_int_equal(xt2_instance_add(rs, 0, 0, "x", "", 0), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, 5, 0, "x", "", 0), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "a\0b", 3), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "", "a", 1), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 256, "x", "a", 1), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0,
					  "12345678901234567890123456789012", "a", 1),
			 -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "x", "a", 1u << 31), -E2BIG);
	assert_null(xt2_instance_get(rs, 0));
	for (i = 0; i < 100; i++)
		assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, i, "x", &i, sizeof(i)),
				 i);
	for (i = 0; i < 100; i++)
		assert_memory_equal(xt2_instance_get(rs, (unsigned int)i) + 1, &i, sizeof(i));
}

static const struct CMUnitTest tests[] = {
	CASE(tables_start_empty),
	CASE(instances_are_checked),
};

UNITS(tests)
