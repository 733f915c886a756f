/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-bpf-check.c - libxt2/store/bpf/bpf-check.c
 *
 * What is refused, and what has no effect and is not; also what no text can
 * say: tables of ARP and bridges.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "engine/image.h"
#include "kernel/bpf/act.h"
#include "libxt2/store/bpf/bpf-private.h"
#include "libxt2/err.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"

static struct rule_build b;

static int table(struct xt2_ruleset *rs, int family, const char *name)
{
	int t = xt2_table_add(rs, family, name, NULL);

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

static const struct xt2_rule *foreign(struct xt2_ruleset *rs, const char *match, const char *target)
{
	int m = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, match, "data....", 8);
	int t = target ? xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, target, "data....", 8) : 0;

	assert_true(m >= 0 && t >= 0);
	rule_begin(&b);
	rule_foreign(&b, m);
	return rule_end(&b, target ? XT2_TARGET(XT2_T_FOREIGN, t) : XT2_TARGET(XT2_T_ACCEPT, 0));
}

static int one_line(void *data, const struct xt2_live_refusal *r)
{
	char *text = data;
	size_t len = strlen(text);

	snprintf(text + len, 4096 - len, "%s %s/%s:%u %s\n", xt2_family_name(r->family), r->table,
		 r->chain, r->rule, r->why);
	return 0;
}

/* All refusals, a line each; the first one is what xt2_live_check() says.  Frees rs. */
static void expect(struct xt2_ruleset *rs, const char *expected, unsigned int tables)
{
	const int refusals = expected[0] != 0;
	struct xt2_mapping map = { 0 };
	struct xt2_err err = { 0 };
	unsigned int used = 0;
	char text[4096] = "";
	int n, ret;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	n = xt2_live_refusals(map.image, one_line, text);
	assert_string_equal(text, expected);
	assert_int_equal(n > 0, refusals);
	assert_int_equal(xt2_live_refusals(map.image, NULL, NULL), n);
	ret = xt2_live_check(map.image, false, &used, &err);
	assert_int_equal(ret, -err.errnum);
	assert_int_equal(ret != 0, refusals);
	assert_int_equal(used, refusals ? 0 : tables);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* What has no effect may be there, whatever the family. */
static void test_no_effect(void **state)
{
	static const struct {
		int family;
		const char *table;
	} tables[] = { { XT2_IPV4, "nat" },	 { XT2_IPV6, "nat" },	{ XT2_ARP, "filter" },
		       { XT2_BRIDGE, "filter" }, { XT2_BRIDGE, "nat" }, { XT2_BRIDGE, "broute" } };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	size_t i;
	int t;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		t = table(rs, tables[i].family, tables[i].table);
		user(rs, t, "empty");
		append(rs, user(rs, t, "unreached"), rule_plain(&b, XT2_TARGET(XT2_T_DROP, 0)));
	}
	table(rs, XT2_IPV6, "mangle");
	expect(rs, "", 1u << XT2_MANGLE);
	rs = xt2_ruleset_new();
	table(rs, XT2_IPV4, "nat");
	expect(rs, "", 0);
}

static void test_nat(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int t = table(rs, XT2_IPV6, "nat");

	xt2_chain_set_policy(rs, xt2_chain_base(rs, t, XT2_OUTPUT), XT2_T_DROP);
	expect(rs, "", 1u << XT2_NAT);

	/* A rule that only counts does something. */
	rs = xt2_ruleset_new();
	t = table(rs, XT2_IPV4, "nat");
	append(rs, xt2_chain_base(rs, t, XT2_POSTROUTING), rule_plain(&b, 0));
	expect(rs, "", 1u << XT2_NAT);
}

static void test_other_families(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int arp = table(rs, XT2_ARP, "filter"), bridge = table(rs, XT2_BRIDGE, "filter");

	xt2_chain_set_policy(rs, xt2_chain_base(rs, arp, XT2_ARP_INPUT), XT2_T_DROP);
	append(rs, xt2_chain_base(rs, bridge, XT2_FORWARD), rule_plain(&b, XT2_T_DROP));
	table(rs, XT2_IPV4, "filter");
	expect(rs,
	       "arp filter/INPUT:0 a live ruleset cannot have table filter of arp with policy DROP\n"
	       "bridge filter/FORWARD:1 a live ruleset cannot have table filter of bridge with rules (1)\n",
	       0);
}

/* Each by its own name, in the order of tables, chains, rules and their parts. */
static void test_names(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int t = table(rs, XT2_IPV4, "raw"), u = user(rs, t, "u");
	int pre = xt2_chain_base(rs, t, XT2_PREROUTING);

	append(rs, pre, foreign(rs, "recent", "SYNPROXY"));
	jump(rs, pre, u);
	append(rs, u, rule_plain(&b, XT2_T_QUEUE));
	append(rs, u, foreign(rs, "behind", NULL));
	append(rs, user(rs, t, "unreached"), foreign(rs, "unreached", NULL));
	t = table(rs, XT2_IPV6, "raw");
	append(rs, xt2_chain_base(rs, t, XT2_OUTPUT), foreign(rs, "owner", "LAST"));
	expect(rs,
	       "ipv4 raw/PREROUTING:1 a live ruleset cannot match recent\n"
	       "ipv4 raw/PREROUTING:1 a live ruleset cannot do SYNPROXY\n"
	       "ipv4 raw/u:1 a live ruleset cannot do QUEUE\n"
	       "ipv6 raw/OUTPUT:1 a live ruleset cannot do LAST\n",
	       0);
}

/* What is asked must not have been changed, and a hook has only so many questions. */
static void test_left(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int t = table(rs, XT2_IPV4, "mangle"), in = xt2_chain_base(rs, t, XT2_INPUT), i;
	char name[8];

	append(rs, in, foreign(rs, "string", NULL));
	append(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_TOS, 0x1010)));
	append(rs, in, foreign(rs, "string", NULL)); /* packets stop there */
	rule_begin(&b);
	rule_quota(&b, xt2_cell_add(rs), 9); /* which would count twice */
	rule_foreign(&b, xt2_instance_add(rs, XT2_INSTANCE_MATCH, 1, "string", "1234567", 8));
	append(rs, in, rule_end(&b, XT2_T_CONTINUE));
	expect(rs,
	       "ipv4 mangle/INPUT:4 a live ruleset cannot match string after a rule of the table "
	       "that changes what it looks at\n",
	       0);
	rs = xt2_ruleset_new();
	t = table(rs, XT2_IPV4, "filter");
	for (i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), "%07d", i);
		rule_begin(&b);
		rule_foreign(&b, xt2_instance_add(rs, XT2_INSTANCE_MATCH, 1, "owner", name, 8));
		append(rs, xt2_chain_base(rs, t, XT2_OUTPUT), rule_end(&b, XT2_T_CONTINUE));
	}
	expect(rs,
	       "ipv4 filter/OUTPUT:0 the kernel would be asked 33 different matches about each "
	       "packet, and 32 are many\n",
	       0);
	rs = xt2_ruleset_new();
	t = table(rs, XT2_IPV4, "filter");
	for (i = 0; i < 5; i++) {
		append(rs, xt2_chain_base(rs, t, XT2_INPUT), foreign(rs, "connlimit", NULL));
	}
	expect(rs,
	       "ipv4 filter/INPUT:0 a packet may have to wait 5 times, in chains 0 deep, until the "
	       "kernel has answered matches such as connlimit; 4 times and 16 deep are possible\n",
	       0);
}

/* Somebody insists: 64 at most, and nothing else is let through. */
static void test_forced(void **state)
{
	struct xt2_mapping map = { 0 };
	struct xt2_err err = { 0 };
	char name[8];
	int n, i;

	for (n = 64; n <= 65; n++) {
		struct xt2_ruleset *rs = xt2_ruleset_new();
		int t = table(rs, XT2_IPV4, "filter");

		for (i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "%07d", i);
			rule_begin(&b);
			rule_foreign(&b,
				     xt2_instance_add(rs, XT2_INSTANCE_MATCH, 1, "owner", name, 8));
			append(rs, xt2_chain_base(rs, t, XT2_OUTPUT), rule_end(&b, XT2_T_CONTINUE));
		}
		assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
		assert_int_equal(xt2_live_check(map.image, false, NULL, &err), -E2BIG);
		assert_int_equal(xt2_live_check(map.image, true, NULL, &err), n == 64 ? 0 : -E2BIG);
		xt2_image_close(&map);
		append(rs, xt2_chain_base(rs, t, XT2_INPUT), foreign(rs, "owner", "LAST"));
		assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
		assert_int_equal(xt2_live_check(map.image, true, NULL, &err), -EOPNOTSUPP);
		assert_non_null(strstr(err.message, "LAST"));
		xt2_image_close(&map);
		xt2_ruleset_free(rs);
	}
}

/* What a table's rules ask for is not asked for another one's. */
static void needs_are_the_tables(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_live_ruleset l = { .needs = ~0u, .wants[XT2_RAW][0] = ~0u };
	struct xt2_mapping map = { 0 };
	int t = table(rs, XT2_IPV4, "filter");
	u32 i;

	rule_begin(&b);
	rule_match(&b, XT2_M_PKTTYPE, sizeof(struct xt2_match), 0);
	append(rs, user(rs, t, "u"), rule_end(&b, XT2_TARGET(XT2_T_ACCEPT, 0)));
	t = table(rs, XT2_IPV6, "nat");
	rule_begin(&b);
	rule_match(&b, XT2_M_DEVGROUP, sizeof(struct xt2_match), 0);
	append(rs, xt2_chain_base(rs, t, XT2_OUTPUT), rule_end(&b, XT2_TARGET(XT2_T_ACCEPT, 0)));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	xt2_live_find_needs_(&l, map.image);
	assert_int_equal(l.needs, XT2_NEED_TYPE | XT2_NEED_GROUPS);
	for (i = 0; i < XT2_PROGRAMS; i++) {
		assert_int_equal(l.wants[i][0], i == XT2_FILTER ? XT2_NEED_TYPE : 0);
		assert_int_equal(l.wants[i][1], i == XT2_NAT ? XT2_NEED_GROUPS : 0);
	}
	xt2_live_want_(&l, "filter", XT2_IPV4, XT2_NEED_CLOCK);
	assert_int_equal(l.wants[XT2_FILTER][0], XT2_NEED_TYPE | XT2_NEED_CLOCK);
	xt2_live_want_(&l, "broute", XT2_IPV4, XT2_NEED_CLOCK); /* has no program */
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* In table filter, by companions.  The kernel answers to types of its own, and drops for all others. */
static void test_reject(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int t = table(rs, XT2_IPV4, "filter"), mangle, raw;
	struct xt2_mapping map = { 0 };
	u32 acts[2];

	append(rs, xt2_chain_base(rs, t, XT2_INPUT), rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 3)));
	append(rs, user(rs, t, "u"), rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 8)));
	append(rs, user(rs, t, "v"), rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 9)));
	append(rs, user(rs, t, "w"), rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 0xffffff)));
	t = table(rs, XT2_IPV6, "filter");
	append(rs, xt2_chain_base(rs, t, XT2_OUTPUT), rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 0)));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	xt2_live_acts_(map.image, acts);
	assert_int_equal(acts[0], 1 << XT2_ACT_REJECT(3) | 1 << XT2_ACT_REJECT(8));
	assert_int_equal(acts[1], 1 << XT2_ACT_REJECT(0));
	xt2_image_close(&map);
	expect(rs, "", 1 << XT2_FILTER);

	rs = xt2_ruleset_new();
	mangle = table(rs, XT2_IPV4, "mangle");
	raw = table(rs, XT2_IPV6, "raw");
	append(rs, xt2_chain_base(rs, mangle, XT2_INPUT),
	       rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 3)));
	append(rs, xt2_chain_base(rs, raw, XT2_OUTPUT),
	       rule_plain(&b, XT2_TARGET(XT2_T_REJECT, 3)));
	expect(rs,
	       "ipv4 mangle/INPUT:1 a live ruleset cannot do REJECT\n"
	       "ipv6 raw/OUTPUT:1 a live ruleset cannot do REJECT\n",
	       0);
}

/* n chains with two jumps to the next each: 2^(n+1) ways. */
static struct xt2_ruleset *doubling(int n, const char *name, int hook)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int i, t = table(rs, XT2_IPV4, name), from = xt2_chain_base(rs, t, hook), to;
	char chain[8];

	for (i = 0; i < n; i++, from = to) {
		snprintf(chain, sizeof(chain), "c%02d", i);
		to = user(rs, t, chain);
		jump(rs, from, to);
		jump(rs, from, to);
	}
	return rs;
}

static void test_ways(void **state)
{
	struct xt2_ruleset *rs;
	int i;

	expect(doubling(8, "mangle", XT2_FORWARD), "", 1u << XT2_MANGLE);
	expect(doubling(40, "mangle", XT2_FORWARD),
	       "ipv4 mangle/FORWARD:0 chains lead to chains in too many ways: "
	       "a packet may enter 2199023255551, 40 deep\n",
	       0);

	/* As many as there are rules are never too many. */
	rs = doubling(1, "raw", XT2_OUTPUT);
	for (i = 0; i < 150000; i++)
		jump(rs, xt2_chain_base(rs, 0, XT2_OUTPUT), xt2_chain_find(rs, 0, "c00"));
	expect(rs, "", 1u << XT2_RAW);
}

/* The most chains that a packet may enter is still taken. */
static void test_most_ways(void **state)
{
	struct xt2_ruleset *rs = doubling(8, "mangle", XT2_FORWARD);
	struct xt2_mapping map = { 0 };
	const struct xt2_root *root;
	struct xt2_hook *h = NULL;
	u32 i;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	for (i = 0; i < root->hooks && (!h || h->hook != XT2_FORWARD); i++)
		h = (struct xt2_hook *)xt2_image_hook(map.image, root, i);
	assert_true(h && h->hook == XT2_FORWARD);
	h->visits = XT2_VISITS_MAX;
	assert_int_equal(xt2_live_refusals(map.image, NULL, NULL), 0);
	h->visits++;
	assert_int_equal(xt2_live_refusals(map.image, NULL, NULL), 1);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* 300 jumps to a chain with 300 jumps to one of n rules. */
static struct xt2_ruleset *fan(int n)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int i, t = table(rs, XT2_IPV4, "filter"), base = xt2_chain_base(rs, t, XT2_INPUT);
	int middle = user(rs, t, "middle"), leaf = user(rs, t, "leaf");

	for (i = 0; i < 300; i++) {
		jump(rs, base, middle);
		jump(rs, middle, leaf);
	}
	for (i = 0; i < n; i++)
		append(rs, leaf, rule_plain(&b, XT2_TARGET(XT2_T_CONTINUE, 0)));
	return rs;
}

/* 90,000 times the leaf with its return, 300 times the middle, once the first. */
static void test_many_rules(void **state)
{
	expect(fan(11000), "", 1u << XT2_FILTER);
	expect(fan(12000),
	       "ipv4 filter/INPUT:0 a packet may meet 1080180601 rules, "
	       "in chains that it enters again\n",
	       0);
}

static int enough(void *data, const struct xt2_live_refusal *r)
{
	return ++*(int *)data == 2;
}

static void test_enough(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int i, calls = 0, t = table(rs, XT2_IPV4, "filter");
	struct xt2_mapping map = { 0 };

	for (i = 0; i < 5; i++)
		append(rs, xt2_chain_base(rs, t, XT2_INPUT), foreign(rs, "recent", NULL));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_live_refusals(map.image, enough, &calls), 5);
	assert_int_equal(calls, 2);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static void test_memory(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map = { 0 };
	struct xt2_err err = { 0 };
	int i;

	table(rs, XT2_IPV4, "filter");
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	for (i = 1; i <= 2; i++) {
		fail_alloc((unsigned int)i);
		assert_int_equal(xt2_live_check(map.image, false, NULL, &err), -ENOMEM);
		fail_alloc(0);
		assert_int_equal(err.code, XT2_E_SYSTEM);
	}
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_effect),      cmocka_unit_test(test_nat),
	cmocka_unit_test(test_other_families), cmocka_unit_test(test_names),
	cmocka_unit_test(test_ways),	       cmocka_unit_test(test_many_rules),
	cmocka_unit_test(test_enough),	       cmocka_unit_test(test_memory),
	cmocka_unit_test(test_most_ways),      cmocka_unit_test(test_left),
	cmocka_unit_test(test_forced),	       cmocka_unit_test(needs_are_the_tables),
	cmocka_unit_test(test_reject),
};

UNITS(tests)
