/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-oracle.c - xt2tables/packet/oracle.c: where the walk goes, and each base test
 *
 * What the tests compare the evaluator with has to be right by itself.
 */
#include <errno.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/packets.h"
#include "tests/lib/rules.h"
#include "xt2tables/packet/oracle.h"

static struct xt2_ruleset *rs;
static struct xt2_pkt pkt;
static struct xt2_ctx ctx;
static struct xt2_oracle o;
static struct rule_build b;
static __u8 bytes[128];
static char steps[256]; /* "CHAIN:RULE@DEPTH " of each; the tail is rule 0 */
static int input, table;

static void on_step(void *data, const struct xt2_step *step)
{
	size_t n = strlen(steps);

	(void)data;
	snprintf(steps + n, sizeof(steps) - n, "%s:%u@%u ", xt2_chain_name(rs, step->chain),
		 step->rule ? step->at + 1 : 0, step->depth);
}

static int start(void **state)
{
	(void)state;
	rs = xt2_ruleset_new();
	table = xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	input = xt2_chain_base(rs, table, XT2_INPUT);
	packet_parse(&pkt, XT2_IPV4, bytes,
		     packet_ipv4(bytes, 0x0a000001, 0x0a000002, 6, 40000, 22));
	ctx = (struct xt2_ctx){ .pkt = &pkt, .random = 1 };
	o = (struct xt2_oracle){ .rs = rs, .ctx = &ctx, .step = on_step };
	return input < 0;
}

static int end(void **state)
{
	(void)state;
	xt2_ruleset_free(rs);
	return 0;
}

static void rule(int chain, __u32 target)
{
	assert_int_equal(xt2_rule_append(rs, chain, rule_plain(&b, target), 0), 0);
}

/* A rule that the packet does not match. */
static void other(int chain, __u32 target)
{
	rule_begin(&b);
	rule_proto(&b, 17);
	assert_int_equal(xt2_rule_append(rs, chain, rule_end(&b, target), 0), 0);
}

static int user(const char *name)
{
	int chain = xt2_chain_add(rs, table, name);

	assert_true(chain >= 0);
	return chain;
}

static void expect(int verdict, int chain, unsigned int at, const char *way)
{
	steps[0] = '\0';
	assert_int_equal(xt2_oracle_run(&o, input), verdict);
	assert_string_equal(steps, way);
	assert_int_equal(o.chain, chain);
	assert_int_equal(o.at, at);
}

static void test_policy(void **state)
{
	expect(XT2_ACCEPT, input, 0, "INPUT:0@0 ");
	xt2_chain_set_policy(rs, input, XT2_T_DROP);
	other(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	expect(XT2_DROP, input, 1, "INPUT:1@0 INPUT:0@0 ");
	rule(input, XT2_TARGET(XT2_T_CONTINUE, 0));
	rule(input, XT2_TARGET(XT2_T_RETURN, 0)); /* of a base chain: to the policy */
	rule(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	expect(XT2_DROP, input, 4, "INPUT:1@0 INPUT:2@0 INPUT:3@0 INPUT:0@0 ");
}

static void test_verdicts(void **state)
{
	static const struct {
		int kind, verdict;
	} rows[] = {
		{ XT2_T_ACCEPT, XT2_ACCEPT },
		{ XT2_T_NAT, XT2_ACCEPT },
		{ XT2_T_DROP, XT2_DROP },
		{ XT2_T_QUEUE, XT2_QUEUE },
	};
	size_t i;
	int instance = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "SNAT", "data....", 8);

	input = xt2_chain_base(rs, xt2_table_add(rs, XT2_IPV4, "nat", NULL), XT2_INPUT);
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		rule(input, XT2_TARGET(rows[i].kind, rows[i].kind == XT2_T_NAT ? instance : 0));
		expect(rows[i].verdict, input, 0, "INPUT:1@0 ");
		assert_int_equal(xt2_rule_delete(rs, input, 0), 0);
	}
	rule(input, XT2_TARGET(XT2_T_FOREIGN, instance));
	expect(-EOPNOTSUPP, input, 0, "INPUT:1@0 ");
}

static void test_jumps(void **state)
{
	int one = user("ONE"), two = user("TWO");

	rule(input, XT2_TARGET(XT2_T_JUMP, one));
	rule(input, XT2_TARGET(XT2_T_GOTO, two));
	rule(input, XT2_TARGET(XT2_T_DROP, 0)); /* nothing comes back from a goto */
	rule(one, XT2_TARGET(XT2_T_JUMP, two));
	rule(one, XT2_TARGET(XT2_T_RETURN, 0));
	rule(one, XT2_TARGET(XT2_T_DROP, 0));
	other(two, XT2_TARGET(XT2_T_DROP, 0));
	expect(XT2_ACCEPT, input, 3,
	       "INPUT:1@0 ONE:1@1 TWO:1@2 TWO:0@2 ONE:2@1 INPUT:2@0 TWO:1@0 TWO:0@0 INPUT:0@0 ");
	/* A goto in a chain that was jumped to returns past the jump. */
	assert_int_equal(xt2_rule_delete(rs, one, 0), 0);
	assert_int_equal(xt2_rule_delete(rs, one, 0), 0);
	assert_int_equal(xt2_rule_delete(rs, one, 0), 0);
	rule(one, XT2_TARGET(XT2_T_GOTO, two));
	assert_int_equal(xt2_rule_delete(rs, input, 1), 0);
	expect(XT2_DROP, input, 1, "INPUT:1@0 ONE:1@1 TWO:1@1 TWO:0@1 INPUT:2@0 ");
}

/* More jumps than the stack has room for at first; without memory for it. */
static void test_deep(void **state)
{
	char name[16];
	int chain = input, next, i;

	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "C%d", i);
		next = user(name);
		rule(chain, XT2_TARGET(XT2_T_JUMP, next));
		chain = next;
	}
	o.step = NULL;
	assert_int_equal(xt2_oracle_run(&o, input), XT2_ACCEPT);
	assert_int_equal(o.chain, input);
	assert_int_equal(o.at, 1);
	rule(chain, XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(xt2_oracle_run(&o, input), XT2_DROP);
	assert_int_equal(o.chain, chain);
	fail_alloc(1);
	assert_int_equal(xt2_oracle_run(&o, input), -ENOMEM);
	fail_alloc(0);
}

static void test_foreign(void **state)
{
	const struct xt2_match *failed;
	int instance = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "set", "data....", 8);
	const struct xt2_rule *r;

	rule_begin(&b);
	rule_proto(&b, 17);
	rule_foreign(&b, instance);
	r = rule_end(&b, XT2_TARGET(XT2_T_DROP, 0));
	assert_int_equal(xt2_rule_append(rs, input, r, 0), 0);
	expect(XT2_ACCEPT, input, 1, "INPUT:1@0 INPUT:0@0 "); /* it was not asked */
	pkt.proto = 17;
	expect(-EOPNOTSUPP, input, 0, "INPUT:1@0 ");
	assert_int_equal(xt2_oracle_rule(&o, r, &failed), -EOPNOTSUPP);
	assert_int_equal(failed->type, XT2_M_FOREIGN);
}

/* A later test of a packet that one has dropped: the rule counts, or the drop is at once. */
static void test_hotdrop(void **state)
{
	const struct xt2_match *failed;
	const struct xt2_rule *r;

	rule_begin(&b);
	rule_proto(&b, 6);
	r = rule_end(&b, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_oracle_rule(&o, r, &failed), XT2_HIT);
	assert_null(failed);
	pkt.l4 = XT2_L4_BAD;
	assert_int_equal(xt2_oracle_rule(&o, r, &failed), XT2_HOTDROP);
	assert_ptr_equal(failed, r + 1);
	assert_int_equal(xt2_rule_append(rs, input, r, 0), 0);
	expect(XT2_DROP, input, 0, "INPUT:1@0 ");
	pkt.l4 = XT2_L4_NONE;
	assert_int_equal(xt2_oracle_rule(&o, r, &failed), XT2_MISS);
}

/* A rule with this one match hits or misses, and the other way round if it is inverted. */
static void one_test(struct xt2_match *m, bool holds)
{
	const struct xt2_rule *r = rule_end(&b, XT2_TARGET(XT2_T_DROP, 0));
	const struct xt2_match *failed;

	assert_int_equal(xt2_oracle_rule(&o, r, &failed), holds ? XT2_HIT : XT2_MISS);
	assert_ptr_equal(failed, holds ? NULL : m);
	m->flags |= XT2_MATCH_INVERT;
	assert_int_equal(xt2_oracle_rule(&o, r, &failed), holds ? XT2_MISS : XT2_HIT);
}

static struct xt2_match *match(int type, unsigned int size, __u32 arg)
{
	rule_begin(&b);
	return rule_match(&b, type, size, arg);
}

static void test_addresses(void **state)
{
	static const struct {
		__u32 addr;
		__u8 prefix;
		bool holds;
	} rows[] = {
		{ 0x0a000001, 32, true },  { 0x0a000003, 32, false }, { 0x0a000000, 31, true },
		{ 0x0a000002, 31, false }, { 0x0a000000, 8, true },   { 0x0b000000, 8, false },
		{ 0x00000000, 1, true },   { 0x80000000, 1, false },
	};
	struct xt2_match *m;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		m = match(XT2_M_SRC4, sizeof(*m), rows[i].addr);
		m->flags = (__u8)(32 - rows[i].prefix);
		one_test(m, rows[i].holds);
	}
	one_test(match(XT2_M_DST4, sizeof(*m), 0x0a000002), true);
	one_test(match(XT2_M_DST4, sizeof(*m), 0x0a000001), false);
	m = match(XT2_M_SRC4_MASK, sizeof(struct xt2_match_addr4_mask), 0x0a000001);
	((struct xt2_match_addr4_mask *)m)->mask = 0xff0000ff;
	one_test(m, true);
	m = match(XT2_M_DST4_MASK, sizeof(struct xt2_match_addr4_mask), 0x0a000001);
	((struct xt2_match_addr4_mask *)m)->mask = 0xff0000ff;
	one_test(m, false);
	/* What is under no mask cannot be equal. */
	m = match(XT2_M_SRC4_MASK, sizeof(struct xt2_match_addr4_mask), 0x0a000001);
	((struct xt2_match_addr4_mask *)m)->mask = 0xff000000;
	one_test(m, false);
}

static void test_addresses6(void **state)
{
	struct xt2_match_addr6_mask *k;
	struct xt2_match_addr6 *a;

	packet_parse(&pkt, XT2_IPV6, bytes, packet_ipv6(bytes, 1, 2, 17, 7, 9));
	a = (void *)match(XT2_M_SRC6, sizeof(*a), 0);
	memcpy(a->addr, pkt.src, 16);
	one_test(&a->head, true);
	a = (void *)match(XT2_M_DST6, sizeof(*a), 0);
	memcpy(a->addr, pkt.src, 16);
	one_test(&a->head, false);
	k = (void *)match(XT2_M_DST6_MASK, sizeof(*k), 0);
	memcpy(k->addr, pkt.dst, 16);
	memset(k->mask, 0xff, 16);
	one_test(&k->head, true);
	k = (void *)match(XT2_M_SRC6_MASK, sizeof(*k), 0);
	memcpy(k->addr, pkt.dst, 16);
	memset(k->mask, 0xff, 16);
	one_test(&k->head, false); /* the last two bits differ */
	k = (void *)match(XT2_M_SRC6_MASK, sizeof(*k), 0);
	memcpy(k->addr, pkt.src, 15);
	memset(k->mask, 0xff, 15);
	one_test(&k->head, true);
}

static void test_interfaces(void **state)
{
	struct xt2_match_iface_mask *k;
	struct xt2_match_iface *i;

	memcpy(pkt.in, "eth0", 4);
	i = (void *)match(XT2_M_IN, sizeof(*i) + 16, 5);
	memcpy(i->name, "eth0", 5);
	one_test(&i->head, true);
	i = (void *)match(XT2_M_IN, sizeof(*i) + 16, 3); /* eth+ */
	memcpy(i->name, "eth", 3);
	one_test(&i->head, true);
	i = (void *)match(XT2_M_IN, sizeof(*i) + 16, 4);
	memcpy(i->name, "eth", 4);
	one_test(&i->head, false);
	i = (void *)match(XT2_M_OUT, sizeof(*i) + 16, 5);
	memcpy(i->name, "eth0", 5);
	one_test(&i->head, false);
	k = (void *)match(XT2_M_IN_MASK, sizeof(*k), 0);
	memcpy(k->name, "ethX", 4);
	memcpy(k->mask, "\xff\xff\xff\0\xff", 5);
	one_test(&k->head, true);
	k = (void *)match(XT2_M_OUT_MASK, sizeof(*k), 0);
	memcpy(k->name, "ethX", 4);
	memcpy(k->mask, "\xff\xff\xff\0\xff", 5);
	one_test(&k->head, false);
}

static void test_fragments(void **state)
{
	one_test(match(XT2_M_FRAGMENT, sizeof(struct xt2_match), 0), false);
	pkt.fragoff = 8;
	one_test(match(XT2_M_FRAGMENT, sizeof(struct xt2_match), 0), true);
}

static void test_arp(void **state)
{
	struct xt2_match_arp_dev *d;

	packet_parse(&pkt, XT2_ARP, bytes, packet_arp(bytes, 1, 2));
	one_test(match(XT2_M_ARP_HRD, sizeof(struct xt2_match), 0xffff0001), true);
	one_test(match(XT2_M_ARP_PRO, sizeof(struct xt2_match), 0xffff0800), true);
	one_test(match(XT2_M_ARP_PRO, sizeof(struct xt2_match), 0xff000800), true);
	one_test(match(XT2_M_ARP_HLN, sizeof(struct xt2_match), 0x00ff0006), true);
	one_test(match(XT2_M_ARP_HLN, sizeof(struct xt2_match), 0x00ff0004), false);
	one_test(match(XT2_M_ARP_OP, sizeof(struct xt2_match), 0xffff0002), false);
	d = (void *)match(XT2_M_ARP_SHA, sizeof(*d), 6);
	memcpy(d->addr, "\2\0\0\0\0\0", 6);
	memset(d->mask, 0xff, 6);
	one_test(&d->head, true);
	d = (void *)match(XT2_M_ARP_THA, sizeof(*d), 6);
	memcpy(d->addr, "\2\0\0\0\0\0", 6);
	memset(d->mask, 0xff, 6);
	one_test(&d->head, false);
	pkt.caplen = 24;
	d = (void *)match(XT2_M_ARP_THA, sizeof(*d), 6); /* any, but it has to be there */
	one_test(&d->head, true);
	pkt.caplen = 23;
	d = (void *)match(XT2_M_ARP_THA, sizeof(*d), 6);
	one_test(&d->head, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_policy, start, end),
	cmocka_unit_test_setup_teardown(test_verdicts, start, end),
	cmocka_unit_test_setup_teardown(test_jumps, start, end),
	cmocka_unit_test_setup_teardown(test_deep, start, end),
	cmocka_unit_test_setup_teardown(test_foreign, start, end),
	cmocka_unit_test_setup_teardown(test_hotdrop, start, end),
	cmocka_unit_test_setup_teardown(test_addresses, start, end),
	cmocka_unit_test_setup_teardown(test_addresses6, start, end),
	cmocka_unit_test_setup_teardown(test_interfaces, start, end),
	cmocka_unit_test_setup_teardown(test_fragments, start, end),
	cmocka_unit_test_setup_teardown(test_arp, start, end),
};

UNITS(tests)
