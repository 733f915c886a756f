/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-nat-plan.c - libxt2/store/bpf/bpf-nat-plan.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netfilter/nf_nat.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/bpf/bpf-nat.h"
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
	assert_int_equal(plan.digits, 4); /* 35 targets, and more than as many again */
	assert_int_equal(plan.tree[XT2_NAT_DST].leaves, 18);
	assert_int_equal(plan.tree[XT2_NAT_IN].leaves, 0);
	assert_int_equal(plan.tree[XT2_NAT_POST].leaves, 1);
	for (i = 0; i < 17; i++)
		assert_int_equal(plan.tree[XT2_NAT_DST].leaf[i], i);
	assert_int_equal(plan.tree[XT2_NAT_POST].leaf[0], 34);
	/* Four hooks; 6 chains of 4, 3 of 16, 1 of 64, and the root; four for the source; a root. */
	assert_int_equal(plan.chains, 4 + 6 + 3 + 1 + 1 + 4 + 1);
	assert_int_equal(plan.uses, 2 * 4 + 2 * (6 + 3 + 1) + 18 + 2 * 3 + 1);
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

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_nat_plan) };

UNITS(tests)
