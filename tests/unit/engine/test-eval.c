/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval.c - matches that hold and drop at once (XT2_HIT_DROP)
 *
 * An inverted SCTP chunk test meets a chunk that is cut off.  The kernel (6.18,
 * iptables-legacy, table raw) then counts the rule and runs its target, drops
 * the packet whatever the target says, and asks no other rule; a match behind
 * it that fails keeps the rule from counting.
 */
#include "tests/unit/transport-case.h"
#include "tests/lib/unit-program.h"
#include <linux/netfilter_ipv4/ipt_ttl.h>
#include <xt2/xt2.h>

static struct xt2_ruleset *rs;
static struct xt2_mapping map;
static struct xt2_evaluator *ev;
static struct xt2_result result;
static struct packet p;
static int input;
static u64 rule_room[256];
#define RULE ((struct xt2_rule *)rule_room)

static int setup(void **state)
{
	memset(&map, 0, sizeof(map));
	rs = xt2_ruleset_new();
	if (!rs)
		return -1;
	input = xt2_chain_base(rs, xt2_table_add(rs, XT2_IPV4, "raw", NULL), XT2_PREROUTING);
	packet4(&p, 132, 0, "0050 0400 00000000 00000000 0000 0004 0300");
	return input < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	xt2_evaluator_free(ev);
	ev = NULL;
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	packet_free(&p);
	return 0;
}

static void rule_begin(void)
{
	memset(rule_room, 0, sizeof(rule_room));
	RULE->size = sizeof(*RULE);
}

static void add(const char *name, const void *payload)
{
	u64 room[PACKED_MAX / 8 + 1];
	int size = pack(XT2_IPV4, name, payload, (struct xt2_match *)room);

	assert_true(size > 0);
	memcpy((u8 *)RULE + RULE->size, room, size);
	RULE->size += size;
}

/* ! --chunk-types any SACK, which the walk reaches beyond the packet's end */
static void add_inverted(void)
{
	static const struct xt_sctp_info info = {
		.chunkmap = { 1u << 4 }, .chunk_match_type = 1, .flags = 4, .invflags = 4
	};

	add("sctp", &info);
}

static void add_ttl(u8 ttl)
{
	struct ipt_ttl_info info = { IPT_TTL_EQ, ttl };

	add("ttl", &info);
}

static void rule_append(int chain, u32 target)
{
	RULE->target_offset = RULE->size;
	RULE->target = target;
	assert_int_equal(xt2_rule_append(rs, chain, RULE, 0), 0);
}

/* Another rule, which would accept everything; then the packet. */
static void run(void)
{
	rule_begin();
	rule_append(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	ev = xt2_evaluator_new(map.image, map.size);
	assert_non_null(ev);
	assert_int_equal(xt2_evaluate(ev, XT2_PREROUTING, NULL, &p.pkt, 0, 1, &result), XT2_DROP);
}

/* Packets of the n-th rule of the first chain that has rules. */
static u64 counted(int hook, u32 n)
{
	const struct xt2_root *root = xt2_image_root(map.image);
	const struct xt2_rule *r;
	const struct xt2_chain *c;
	u32 i;

	for (i = 0; i < root->chains; i++) {
		c = xt2_image_chain(map.image, root, i);
		if (!c || c->hook != hook)
			continue;
		for (r = xt2_chain_first(c); n; n--)
			r = xt2_rule_next(r);
		assert_int_equal(r->bytes, r->packets * p.pkt.len);
		return r->packets;
	}
	fail();
	return 0;
}

static void test_accept(void **state)
{
	rule_begin();
	add_inverted();
	rule_append(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	run();
	assert_int_equal(counted(XT2_PREROUTING, 0), 1);
	assert_int_equal(counted(XT2_PREROUTING, 1), 0);
	assert_int_equal(counted(XT2_PREROUTING, 2), 0);
	assert_true(result.hotdrop);
	assert_int_equal(result.rule, 1);
	assert_int_equal(result.faults, 0);
}

static void test_later_match(void **state)
{
	rule_begin();
	add_inverted();
	add_ttl(63);
	rule_append(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	run();
	assert_int_equal(counted(XT2_PREROUTING, 0), 0);
	assert_int_equal(counted(XT2_PREROUTING, 1), 0);
	assert_true(result.hotdrop);
}

static void test_target_acts(void **state)
{
	rule_begin();
	add_inverted();
	add_ttl(64);
	add_inverted();
	rule_append(input, XT2_TARGET(XT2_T_MARK, 7));
	run();
	assert_int_equal(counted(XT2_PREROUTING, 0), 1);
	assert_int_equal(counted(XT2_PREROUTING, 1), 0);
	assert_int_equal(p.pkt.mark, 7);
	assert_true(result.hotdrop);
}

static void test_jump(void **state)
{
	int user = xt2_chain_add(rs, xt2_chain_table(rs, input), "USER");

	assert_true(user >= 0);
	rule_begin();
	rule_append(user, XT2_TARGET(XT2_T_ACCEPT, 0));
	rule_begin();
	add_inverted();
	rule_append(input, XT2_TARGET(XT2_T_JUMP, user));
	run();
	assert_int_equal(counted(XT2_PREROUTING, 0), 1);
	assert_int_equal(counted(XT2_PREROUTING, 1), 0);
	assert_int_equal(counted(XT2_HOOK_NONE, 0), 0);
	assert_true(result.hotdrop);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_accept, setup, teardown),
	cmocka_unit_test_setup_teardown(test_later_match, setup, teardown),
	cmocka_unit_test_setup_teardown(test_target_acts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_jump, setup, teardown),
};

UNITS(tests)
