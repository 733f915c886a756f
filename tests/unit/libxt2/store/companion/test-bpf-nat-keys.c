/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-nat-keys.c - libxt2/store/companion/bpf-nat-keys.c; tests/bpf/nat.sh has the packets */
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

#define UDP 17

static struct rule_build b;

struct nat_rules {
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	struct xt2_nat_plan plan;
	u32 table, out, targets;
};

static struct nat_rules nat_open(void)
{
	struct nat_rules n = { .rs = xt2_ruleset_new() };

	n.table = (u32)xt2_table_add(n.rs, XT2_IPV4, "nat", NULL);
	n.out = (u32)xt2_chain_base(n.rs, (int)n.table, XT2_OUTPUT);
	return n;
}

static u32 chain(struct nat_rules *n, const char *name)
{
	const int c = xt2_chain_add(n->rs, (int)n->table, name);

	assert_true(c > 0);
	return (u32)c;
}

/* Of rules that ask for an address, if it is not 0, and a port, likewise. */
static void add(struct nat_rules *n, u32 from, u32 address, u32 least, u32 most, u32 target)
{
	rule_begin(&b);
	if (address)
		rule_match(&b, XT2_M_DST4, sizeof(struct xt2_match), address);
	rule_proto(&b, UDP);
	if (least) {
		struct xt2_match *m = rule_match(&b, XT2_M_UDP, sizeof(*m), least | most << 16);

		m->flags = XT2_PORTS_DST;
	}
	assert_int_equal(xt2_rule_append(n->rs, (int)from, rule_end(&b, target), 0), 0);
}

static u32 dnat_with(struct nat_rules *n, u32 flags)
{
	struct nf_nat_ipv4_multi_range_compat r = { .rangesize = 1, .range[0].flags = flags };
	int target;

	r.range[0].min_ip = r.range[0].max_ip = ++n->targets;
	target = xt2_instance_add(n->rs, XT2_INSTANCE_TARGET, 0, "DNAT", &r, sizeof(r));
	assert_int_equal(target, n->targets - 1);
	return XT2_TARGET(XT2_T_NAT, (u32)target);
}

/* To an address and a port. */
static u32 dnat(struct nat_rules *n)
{
	return dnat_with(n, NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED);
}

static void find(struct nat_rules *n)
{
	assert_int_equal(xt2_ruleset_write(n->rs, &n->map, NULL), 0);
	n->plan.hooks = 1 << XT2_OUTPUT | 1 << XT2_POSTROUTING;
	assert_int_equal(xt2_nat_keys_(&n->plan, n->map.image, XT2_IPV4), 0);
}

/* The image numbers targets in its own way.  => the one of dnat() */
static u32 target_of(const struct nat_rules *n, u32 instance)
{
	const struct xt2_instance *in =
		xt2_image_instance(n->map.image, xt2_image_root(n->map.image), instance);
	struct nf_nat_ipv4_multi_range_compat r;

	memcpy(&r, xt2_instance_data(in), sizeof(r));
	return r.range[0].min_ip - 1;
}

static void has(const struct nat_rules *n, u32 i, u32 address, u16 port, u8 rank, u32 target)
{
	const struct xt2_nat_key *k = &n->plan.key[i];

	assert_true(i < n->plan.keys);
	assert_int_equal(k->address[0], address);
	assert_int_equal(k->address[1], 0);
	assert_int_equal(k->port, port);
	assert_int_equal(k->rank, rank);
	assert_int_equal(target_of(n, k->instance), target);
}

static void nat_close(struct nat_rules *n)
{
	xt2_nat_plan_free_(&n->plan);
	xt2_image_close(&n->map);
	xt2_ruleset_free(n->rs);
}

/* As those for services: the address and the port are asked for before the chain of the targets. */
static void chains_have_the_keys_of_their_ways(void **unused)
{
	struct nat_rules n = nat_open();
	const u32 one = chain(&n, "one"), two = chain(&n, "two"), all = chain(&n, "all");
	u32 i;

	(void)unused;
	add(&n, n.out, 0, 0, 0, XT2_TARGET(XT2_T_JUMP, all));
	add(&n, all, 11, 80, 80, XT2_TARGET(XT2_T_JUMP, one));
	add(&n, all, 12, 80, 80, XT2_TARGET(XT2_T_GOTO, two));
	add(&n, all, 11, 81, 81, XT2_TARGET(XT2_T_JUMP, two));
	add(&n, all, 0, 80, 80, XT2_TARGET(XT2_T_JUMP, two)); /* no address: no key */
	add(&n, all, 13, 80, 82, XT2_TARGET(XT2_T_JUMP, two)); /* no port */
	for (i = 0; i < 2; i++)
		add(&n, one, 0, 0, 0, dnat(&n));
	add(&n, two, 0, 0, 0, dnat(&n));
	add(&n, n.out, 14, 0, 0, dnat(&n));
	add(&n, n.out, 14, 90, 90, XT2_TARGET(XT2_T_NAT, 1));
	find(&n);
	has(&n, 0, 11, 80, 0, 1); /* which the image has first */
	has(&n, 1, 11, 80, 1, 0);
	has(&n, 2, 11, 81, 0, 2);
	has(&n, 3, 12, 80, 0, 2);
	has(&n, 4, 14, 90, 0, 1);
	assert_int_equal(n.plan.keys, 5);
	assert_int_equal(n.plan.rank_bits, 1);
	nat_close(&n);
}

/* Targets beyond those that one destination may have, and ways beyond those to one chain, have no key. */
static void too_much_is_left_out(void **unused)
{
	struct nat_rules n = nat_open();
	const u32 many = chain(&n, "many"), reached = chain(&n, "reached");
	u32 i;

	(void)unused;
	add(&n, n.out, 11, 80, 80, XT2_TARGET(XT2_T_JUMP, many));
	for (i = 0; i < XT2_NAT_KNOWN + 4; i++)
		add(&n, many, 0, 0, 0, dnat(&n));
	for (i = 0; i < 20; i++)
		add(&n, n.out, 12 + i, 80, 80, XT2_TARGET(XT2_T_JUMP, reached));
	add(&n, reached, 0, 0, 0, dnat(&n));
	find(&n);
	for (i = 0; i < XT2_NAT_KNOWN; i++)
		has(&n, i, 11, 80, (u8)i, i);
	for (; i < n.plan.keys; i++)
		has(&n, i, 12 + i - XT2_NAT_KNOWN, 80, 0, XT2_NAT_KNOWN + 4);
	assert_true(n.plan.keys > XT2_NAT_KNOWN && n.plan.keys < XT2_NAT_KNOWN + 20);
	assert_int_equal(n.plan.rank_bits, XT2_ACT_RANK_BITS);
	nat_close(&n);
}

/* A target that several destinations have has one rank; where another one has it too, one has no key. */
static void ranks_are_the_targets(void **unused)
{
	struct nat_rules n = nat_open();
	u32 target[4], i;

	(void)unused;
	for (i = 0; i < 4; i++)
		target[i] = dnat(&n);
	for (i = 0; i < 2; i++) {
		add(&n, n.out, 11, 80, 80, target[i]); /* 0 and 1 */
		add(&n, n.out, 12, 80, 80, target[1 + i]); /* 1, and 0 */
		add(&n, n.out, 13, 80, 80, target[2 * i]); /* 0 both */
	}
	add(&n, n.out, 13, 80, 80, target[3]);
	find(&n);
	has(&n, 0, 11, 80, 0, 0);
	has(&n, 1, 11, 80, 1, 1);
	has(&n, 2, 12, 80, 1, 1);
	has(&n, 3, 12, 80, 0, 2);
	has(&n, 4, 13, 80, 0, 0);
	has(&n, 5, 13, 80, 1, 3);
	assert_int_equal(n.plan.keys, 6);
	assert_int_equal(n.plan.rank_bits, 1);
	nat_close(&n);
}

/* A map has one address and one port. */
static void others_have_no_key(void **unused)
{
	struct nat_rules n = nat_open();

	(void)unused;
	add(&n, n.out, 11, 80, 80, dnat_with(&n, NF_NAT_RANGE_MAP_IPS));
	add(&n, n.out, 11, 80, 80, dnat_with(&n, NF_NAT_RANGE_PROTO_SPECIFIED));
	add(&n, n.out, 11, 80, 80,
	    dnat_with(&n, NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED |
				  NF_NAT_RANGE_PERSISTENT));
	find(&n);
	assert_int_equal(n.plan.keys, 0);
	nat_close(&n);
}

/* Other hooks have trees of their own; packets that no rule leads anywhere have no key. */
static void only_destinations_have_keys(void **unused)
{
	struct nat_rules n = nat_open();
	const u32 lost = chain(&n, "lost");

	(void)unused;
	add(&n, (u32)xt2_chain_base(n.rs, (int)n.table, XT2_POSTROUTING), 11, 80, 80, dnat(&n));
	add(&n, lost, 11, 80, 80, dnat(&n));
	find(&n);
	assert_int_equal(n.plan.keys + n.plan.rank_bits, 0);
	nat_close(&n);
}

static void without_memory(void **unused)
{
	struct nat_rules n = nat_open();
	u32 i;

	(void)unused;
	add(&n, n.out, 11, 80, 80, dnat(&n));
	find(&n);
	xt2_nat_plan_free_(&n.plan);
	for (i = 1; i <= 4; i++) {
		n.plan.hooks = 1 << XT2_OUTPUT;
		fail_alloc(i);
		assert_int_equal(xt2_nat_keys_(&n.plan, n.map.image, XT2_IPV4), -ENOMEM);
		fail_alloc(0);
		xt2_nat_plan_free_(&n.plan);
	}
	nat_close(&n);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(chains_have_the_keys_of_their_ways),
	cmocka_unit_test(too_much_is_left_out),
	cmocka_unit_test(ranks_are_the_targets),
	cmocka_unit_test(others_have_no_key),
	cmocka_unit_test(only_destinations_have_keys),
	cmocka_unit_test(without_memory),
};

UNITS(tests)
