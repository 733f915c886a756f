/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval.c - one port, and matches that hold and drop at once
 *
 * A rule for one port of TCP or UDP is decided without its extension, if the
 * packet has the header; whether it was decided there or not must not show.
 *
 * XT2_HIT_DROP: an inverted SCTP chunk test meets a chunk that is cut off.  The kernel (6.18,
 * iptables-legacy, table raw) then counts the rule and runs its target, drops
 * the packet whatever the target says, and asks no other rule; a match after
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

/* Another rule, which accepts everything; then the packet.  => its verdict */
static int decide(void)
{
	rule_begin();
	rule_append(input, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	ev = xt2_evaluator_new(map.image, map.size);
	assert_non_null(ev);
	return xt2_evaluate(ev, XT2_PREROUTING, NULL, &p.pkt, 0, 1, &result);
}

static void run(void)
{
	assert_int_equal(decide(), XT2_DROP);
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

/* A packet, and a rule that drops what its match holds for.  => the verdict */
static int one_rule(u8 proto, u16 off, const char *hex, const char *name, const void *payload)
{
	int verdict;

	teardown(NULL);
	assert_int_equal(setup(NULL), 0);
	packet_free(&p);
	packet4(&p, proto, off, hex);
	rule_begin();
	add(name, payload);
	rule_append(input, XT2_TARGET(XT2_T_DROP, 0));
	verdict = decide();
	assert_int_equal(result.faults, 0);
	if (!result.hotdrop)
		assert_int_equal(counted(XT2_PREROUTING, 0), verdict == XT2_DROP);
	return verdict;
}

#define TCP(off, hex, ...) one_rule(6, off, hex, "tcp", &(struct xt_tcp){ __VA_ARGS__ })
#define UDP(hex, ...)	   one_rule(17, 0, hex, "udp", &(struct xt_udp){ __VA_ARGS__ })
#define DROPPED(verdict)                             \
	do {                                         \
		assert_int_equal(verdict, XT2_DROP); \
		assert_false(result.hotdrop);        \
	} while (0)

/* SYN_ACK is from port 80 to port 1024. */
static void test_one_port(void **state)
{
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 1024, 1024 }));
	DROPPED(TCP(0, SYN_ACK, .spts = { 80, 80 }, .dpts = ANY));
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 1024, 1030 }));
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 1000, 1024 }));
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 80, 80 }, .invflags = XT_TCP_INV_DSTPT));
	assert_int_equal(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 80, 80 }), XT2_ACCEPT);
	assert_int_equal(TCP(0, SYN_ACK, .spts = { 1024, 1024 }, .dpts = ANY), XT2_ACCEPT);
	assert_int_equal(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 1025, 1030 }), XT2_ACCEPT);
	assert_int_equal(TCP(0, SYN_ACK, .spts = ANY, .dpts = { 1000, 1023 }), XT2_ACCEPT);
	assert_int_equal(TCP(0, SYN_ACK, .spts = { 80, 80 }, .dpts = ANY,
			     .invflags = XT_TCP_INV_SRCPT),
			 XT2_ACCEPT);
	DROPPED(UDP("0050 0400 0008 0000", .spts = { 80, 80 }, .dpts = ANY));
	assert_int_equal(UDP("0050 0400 0008 0000", .spts = ANY, .dpts = { 80, 80 }), XT2_ACCEPT);
}

/* Both ports, flags, options and none of them are the extension's. */
static void test_other_forms(void **state)
{
	DROPPED(TCP(0, SYN_ACK, .spts = { 80, 80 }, .dpts = { 1024, 1024 }));
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = ANY, .flg_mask = 0x3f, .flg_cmp = 0x12));
	DROPPED(TCP(0, SYN_ACK, .spts = ANY, .dpts = ANY));
	assert_int_equal(TCP(0, SYN_ACK, .spts = ANY, .dpts = ANY, .flg_mask = 0x3f, .flg_cmp = 2),
			 XT2_ACCEPT);
}

/* Nothing is decided by ports that a packet does not have. */
static void test_no_ports(void **state)
{
	static const char cut[] = "0050 0400 00000000 00000000 7012";
	static const struct xt_tcp aim = { .spts = ANY, .dpts = { 1024, 1024 } };
	static const struct xt_tcp zero = { .spts = ANY, .dpts = { 0, 0 } };

	assert_int_equal(one_rule(6, 0, cut, "tcp", &aim), XT2_DROP);
	assert_true(result.hotdrop);
	assert_int_equal(counted(XT2_PREROUTING, 0), 0);
	assert_int_equal(one_rule(6, 80, SYN_ACK, "tcp", &aim), XT2_ACCEPT);
	assert_int_equal(one_rule(6, 80, SYN_ACK, "tcp", &zero), XT2_ACCEPT);
	assert_int_equal(UDP("0050 0400 0008 00", .spts = { 80, 80 }, .dpts = ANY), XT2_DROP);
	assert_true(result.hotdrop);
	assert_int_equal(counted(XT2_PREROUTING, 0), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_one_port, setup, teardown),
	cmocka_unit_test_setup_teardown(test_other_forms, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_ports, setup, teardown),
	cmocka_unit_test_setup_teardown(test_accept, setup, teardown),
	cmocka_unit_test_setup_teardown(test_later_match, setup, teardown),
	cmocka_unit_test_setup_teardown(test_target_acts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_jump, setup, teardown),
};

UNITS(tests)
