/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-nat-plan.c - libxt2/store/companion/bpf-nat-plan.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netfilter/nf_nat.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-nat.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"

static struct rule_build b;

static int table(struct xt2_ruleset *rs)
{
	int t = xt2_table_add(rs, XT2_IPV4, "nat", NULL);

	assert_true(t >= 0);
	return t;
}

static int user(struct xt2_ruleset *rs, int t, const char *name)
{
	int c = xt2_chain_add(rs, t, name);

	assert_true(c >= 0);
	return c;
}

static void append(struct xt2_ruleset *rs, int chain, const struct xt2_rule *r)
{
	assert_int_equal(xt2_rule_append(rs, chain, r, 0), 0);
}

static void jump(struct xt2_ruleset *rs, int from, int to)
{
	append(rs, from, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, to)));
}

static const struct xt2_rule *nat(struct xt2_ruleset *rs, const char *name, int revision,
				  const void *data, size_t size)
{
	int target = xt2_instance_add(rs, XT2_INSTANCE_TARGET, revision, name, data, size);

	assert_true(target >= 0);
	return rule_plain(&b, XT2_TARGET(XT2_T_NAT, target));
}

/*
 * Where packets find their companions: equal targets are one, chains that both ways of packets lead
 * to are in both trees, and what no packet reaches in none.
 */
static void test_nat_plan(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int i, t = table(rs), u = user(rs, t, "u"), lost = user(rs, t, "lost");
	struct nf_nat_ipv4_multi_range_compat r = { .rangesize = 1, .range[0].flags = 1 };
	struct xt2_mapping map = { 0 };
	struct xt2_nat_plan plan;

	for (i = 0; i < 17; i++) {
		r.range[0].min_ip = r.range[0].max_ip = (__be32)i;
		append(rs, xt2_chain_base(rs, t, XT2_PREROUTING),
		       nat(rs, "DNAT", 0, &r, sizeof(r)));
		append(rs, lost, nat(rs, "REDIRECT", 0, &r, sizeof(r)));
	}
	append(rs, xt2_chain_base(rs, t, XT2_PREROUTING), nat(rs, "DNAT", 0, &r, sizeof(r)));
	jump(rs, xt2_chain_base(rs, t, XT2_POSTROUTING), u);
	jump(rs, xt2_chain_base(rs, t, XT2_OUTPUT), u);
	append(rs, u, nat(rs, "NETMAP", 0, &r, sizeof(r)));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);

	assert_int_equal(xt2_live_nats(map.image), 1);
	assert_int_equal(xt2_nat_plan_(&plan, map.image, XT2_IPV4), 0);
	assert_int_equal(plan.hooks, 1 << XT2_PREROUTING | 1 << XT2_INPUT | 1 << XT2_OUTPUT |
					     1 << XT2_POSTROUTING);
	assert_int_equal(plan.digits, 5); /* 35 targets, and more than as many again: 9 bits */
	assert_false(plan.quick);
	assert_int_equal(plan.tree[XT2_NAT_DST].leaves, 18);
	assert_int_equal(plan.tree[XT2_NAT_IN].leaves, 0);
	assert_int_equal(plan.tree[XT2_NAT_POST].leaves, 1);
	for (i = 0; i < 17; i++)
		assert_int_equal(plan.tree[XT2_NAT_DST].leaf[i], i);
	assert_int_equal(plan.tree[XT2_NAT_POST].leaf[0], 34);
	/* Four hooks; 10 chains of 2, 4 of 8, 2 of 32, 1 of 128, and the root; five for the source; a root. */
	assert_int_equal(plan.chains, 4 + 10 + 4 + 2 + 1 + 1 + 5 + 1);
	assert_int_equal(plan.uses, 2 * 4 + 2 * (10 + 4 + 2 + 1) + 18 + 2 * 4 + 1);
	xt2_nat_plan_free_(&plan);

	assert_int_equal(xt2_nat_plan_empty_(&plan, map.image, XT2_IPV4, 3), 0);
	assert_int_equal(plan.chains, 4 + 3);
	assert_int_equal(plan.uses, 2 * 4);
	xt2_nat_plan_free_(&plan);

	assert_int_equal(xt2_nat_plan_(&plan, map.image, XT2_IPV6), 0);
	assert_int_equal(plan.hooks, 0);
	assert_int_equal(plan.chains + plan.uses, 0);
	xt2_nat_plan_free_(&plan);
	for (i = 1; i <= 4; i++) {
		fail_alloc((unsigned int)i);
		assert_int_equal(xt2_nat_plan_(&plan, map.image, XT2_IPV4), -ENOMEM);
		fail_alloc(0);
		xt2_nat_plan_free_(&plan);
	}
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* Of so many targets that a tree has a short way: a chain with 10 rules for bits, and a map. */
static void test_quick(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct nf_nat_ipv4_multi_range_compat r = { .rangesize = 1, .range[0].flags = 1 };
	struct xt2_mapping map = { 0 };
	struct xt2_nat_plan plan, before;
	int i, t = table(rs);

	for (i = 0; i < 300; i++) {
		r.range[0].min_ip = r.range[0].max_ip = (__be32)i;
		append(rs, xt2_chain_base(rs, t, XT2_PREROUTING),
		       nat(rs, "DNAT", 0, &r, sizeof(r)));
	}
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_nat_plan_(&plan, map.image, XT2_IPV4), 0);
	assert_int_equal(plan.digits, 6); /* 664 numbers: 11 bits */
	assert_true(plan.quick);
	assert_int_equal(plan.tree[XT2_NAT_DST].leaves, 300);
	/* 150 chains of 2, 38 of 8, 10 of 32, 3 of 128, 1 of 512; three trees, with a short way each; hooks. */
	assert_int_equal(plan.chains, 150 + 38 + 10 + 3 + 1 + 3 + 3 + 4);
	assert_int_equal(plan.uses,
			 300 + 2 * (150 + 38 + 10 + 3 + 1) + 150 + 3 * (10 + 3 + 2) + 2 * 4);
	assert_int_equal(xt2_nat_plan_empty_(&before, map.image, XT2_IPV4, 6), 0);
	assert_false(before.quick); /* of what edits add first */
	xt2_nat_plan_free_(&before);
	xt2_nat_plan_free_(&plan);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nat_plan),
	cmocka_unit_test(test_quick),
};

UNITS(tests)
