/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-rule.c - engine/rule.c
 *
 * Each row makes one rule, and names the reason that the check must give.
 */
#include "engine/rule.h"
#include "tests/unit/sample-image.h"

/* clang-format off */
#define M(type, flags, arg, payload, size) \
	seed_match(s, XT2_M_##type, flags, arg, payload, size)
#define INV XT2_MATCH_INVERT

#define RULES(X) \
	X(src4, IPV4, NULL, M(SRC4, INV | 8, 0x0a000100, NULL, 0)) \
	X(src4_arp, ARP, NULL, M(DST4, 0, 0x0a000101, NULL, 0)) \
	X(src4_six, IPV6, "match of another family", M(SRC4, 0, 0, NULL, 0)) \
	X(src4_long, IPV4, "wrong size of a match", M(SRC4, 0, 0, NULL, 8)) \
	X(src4_flag, IPV4, "unknown flags of a match", M(SRC4, 0x20, 0, NULL, 0)) \
	X(src4_bits, IPV4, "address has bits outside its network", M(SRC4, 8, 0x0a0001ff, NULL, 0)) \
	X(dst4_bits, IPV4, "address has bits outside its network", M(DST4, 31, 1, NULL, 0)) \
	X(dst4_mask, IPV4, NULL, M(DST4_MASK, INV, 5, "\xff\0\xff\0\0\0\0", 8)) \
	X(dst4_mask_six, IPV6, "match of another family", M(DST4_MASK, 0, 5, NULL, 8)) \
	X(src4_mask_rest, IPV4, "reserved bytes of a match are set", \
	  M(SRC4_MASK, 0, 5, "\xff\0\0\0\1\0\0", 8)) \
	X(dst4_mask_flag, IPV4, "unknown flags of a match", M(DST4_MASK, 1, 5, NULL, 8)) \
	X(src6, IPV6, NULL, M(SRC6, INV, 0, NULL, 16)) \
	X(src6_four, IPV4, "match of another family", M(SRC6, 0, 0, NULL, 16)) \
	X(src6_arp, ARP, "match of another family", M(DST6, 0, 0, NULL, 16)) \
	X(src6_short, IPV6, "wrong size of a match", M(SRC6, 0, 0, NULL, 8)) \
	X(src6_arg, IPV6, "argument of a match is out of range", M(SRC6, 0, 1, NULL, 16)) \
	X(dst6_mask, IPV6, NULL, M(DST6_MASK, 0, 0, NULL, 32)) \
	X(dst6_mask_short, IPV6, "wrong size of a match", M(DST6_MASK, 0, 0, NULL, 24)) \
	X(dst6_mask_four, IPV4, "match of another family", M(SRC6_MASK, 0, 0, NULL, 32)) \
	X(in, IPV4, NULL, M(IN, INV, 5, "eth0\0\0\0", 8)) \
	X(out16, ARP, NULL, M(OUT, 0, 16, "0123456789abcdef", 16)) \
	X(in8, IPV6, NULL, M(IN, 0, 8, "01234567", 8)) \
	X(in9, IPV6, "wrong size of an interface name", M(IN, 0, 9, "01234567", 8)) \
	X(in8_long, IPV6, "wrong size of an interface name", M(IN, 0, 8, NULL, 16)) \
	X(in0, IPV4, "wrong size of an interface name", M(IN, 0, 0, NULL, 8)) \
	X(out17, IPV4, "argument of a match is out of range", M(OUT, 0, 17, NULL, 16)) \
	X(in_flag, IPV4, "unknown flags of a match", M(IN, 1, 5, "eth0\0\0\0", 8)) \
	X(in_rest, IPV4, "interface name is not padded with NUL", M(IN, 0, 3, "eth0\0\0\0", 8)) \
	X(out_rest, IPV4, "interface name is not padded with NUL", \
	  M(OUT, 0, 9, "0123456789\0\0\0\0\0", 16)) \
	X(in_mask, IPV4, NULL, M(IN_MASK, INV, 0, NULL, 32)) \
	X(in_mask_arg, IPV4, "argument of a match is out of range", M(OUT_MASK, 0, 1, NULL, 32)) \
	X(in_mask_short, IPV4, "wrong size of a match", M(OUT_MASK, 0, 0, NULL, 16)) \
	X(proto, IPV6, NULL, M(PROTO, INV, 58, NULL, 0)) \
	X(proto_arp, ARP, "match of another family", M(PROTO, 0, 6, NULL, 0)) \
	X(proto_large, IPV4, "argument of a match is out of range", M(PROTO, 0, 65536, NULL, 0)) \
	X(fragment, IPV4, NULL, M(FRAGMENT, INV, 0, NULL, 0)) \
	X(fragment_six, IPV6, "match of another family", M(FRAGMENT, 0, 0, NULL, 0)) \
	X(fragment_arg, IPV4, "argument of a match is out of range", M(FRAGMENT, 0, 1, NULL, 0)) \
	X(arp_op, ARP, NULL, M(ARP_OP, INV, ~0u, NULL, 0)) \
	X(arp_hrd, IPV4, "match of another family", M(ARP_HRD, 0, 1, NULL, 0)) \
	X(arp_hln, IPV6, "match of another family", M(ARP_HLN, 0, 1, NULL, 0)) \
	X(arp_pro_long, ARP, "wrong size of a match", M(ARP_PRO, 0, 1, NULL, 8)) \
	X(arp_sha, ARP, NULL, M(ARP_SHA, 0, 16, NULL, 32)) \
	X(arp_tha_17, ARP, "argument of a match is out of range", M(ARP_THA, 0, 17, NULL, 32)) \
	X(arp_tha_short, ARP, "wrong size of a match", M(ARP_THA, 0, 6, NULL, 16)) \
	X(arp_sha_four, IPV4, "match of another family", M(ARP_SHA, 0, 6, NULL, 32)) \
	X(comment, ARP, NULL, M(COMMENT, 0, 3, NULL, 0)) \
	X(comment_far, ARP, "match names an instance that is not there", M(COMMENT, 0, 4, NULL, 0)) \
	X(comment_long, IPV4, "wrong size of a match", M(COMMENT, 0, 0, NULL, 8)) \
	X(comment_flag, IPV4, "unknown flags of a match", M(COMMENT, INV, 0, NULL, 0)) \
	X(foreign, IPV6, NULL, M(FOREIGN, 0, 0, NULL, 0)) \
	X(foreign_far, IPV6, "match names an instance that is not there", M(FOREIGN, 0, 9, NULL, 0)) \
	X(foreign_long, IPV6, "wrong size of a match", M(FOREIGN, 0, 0, NULL, 8)) \
	X(quota, IPV6, NULL, M(QUOTA, INV, 1, NULL, 8)) \
	X(quota_long, IPV6, "payload of a match is not valid", M(QUOTA, 0, 0, NULL, 16)) \
	X(quota_cell, IPV6, "match names a cell that is not there", M(QUOTA, 0, 2, NULL, 8)) \
	X(type_0, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 0) \
	X(type_31, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 31) \
	X(type_end, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = XT2_M_COUNT) \
	X(type_255, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 255) \
	X(second, IPV4, "match of another family", M(PROTO, 0, 6, NULL, 0); \
	  M(SRC6, 0, 0, NULL, 16)) \
	X(match_none, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 0)->size = 0) \
	X(match_odd, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 8)->size = 12) \
	X(match_out, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 0)->size = 16) \
	X(match_into, IPV4, "match does not fit into its rule", \
	  M(SRC4_MASK, 0, 0, NULL, 8); r->target_offset -= 8) \
	X(rule_small, IPV4, "wrong size of a rule", r->size = 16) \
	X(rule_odd, IPV4, "wrong size of a rule", r->size = 28; r->target_offset = 24) \
	X(rule_room, IPV4, "wrong size of a rule", s->family = 0; r->size = 32) \
	X(target_before, IPV4, "target is not inside its rule", r->target_offset = 16) \
	X(target_behind, IPV4, "target is not inside its rule", r->target_offset = 32) \
	X(target_odd, IPV4, "target is not inside its rule", \
	  M(SRC4, 0, 0, NULL, 0); r->target_offset = 28) \
	X(accept, IPV4, NULL, r->target = XT2_T_ACCEPT) \
	X(accept_arg, IPV4, "target has an argument that it cannot have", \
	  r->target = XT2_TARGET(XT2_T_ACCEPT, 1)) \
	X(queue_arg, IPV4, "target has an argument that it cannot have", \
	  r->target = XT2_TARGET(XT2_T_QUEUE, 1)) \
	X(drop_data, IPV4, "target has data that it cannot have", r->target = XT2_T_DROP; \
	  r->size = 32) \
	X(jump, IPV4, NULL, r->target = XT2_TARGET(XT2_T_JUMP, 8)) \
	X(jump_far, IPV4, "rule names a chain that is not there", \
	  r->target = XT2_TARGET(XT2_T_JUMP, 9)) \
	X(goto_far, IPV4, "rule names a chain that is not there", \
	  r->target = XT2_TARGET(XT2_T_GOTO, 0xffffff)) \
	X(foreign_target, IPV4, NULL, r->target = XT2_TARGET(XT2_T_FOREIGN, 3)) \
	X(foreign_target_far, IPV4, "target names an instance that is not there", \
	  r->target = XT2_TARGET(XT2_T_FOREIGN, 4)) \
	X(nat_far, IPV4, "target names an instance that is not there", \
	  r->target = XT2_TARGET(XT2_T_NAT, 4)) \
	X(target_9, IPV4, "unknown target", r->target = XT2_TARGET(9, 0)) \
	X(target_15, IPV4, "unknown target", r->target = XT2_TARGET(15, 0)) \
	X(target_end, IPV4, "unknown target", r->target = XT2_TARGET(XT2_T_COUNT, 0)) \
	X(target_255, IPV4, "unknown target", r->target = XT2_TARGET(255, 0)) \
	X(target_payload, IPV4, "data of a target is not valid", r->target = XT2_T_TRACE; \
	  r->size = 1024) \
	X(bridge, BRIDGE, NULL, r->target = XT2_T_DROP) \
	X(bridge_type, BRIDGE, NULL, seed_match(s, XT2_M_ETH_TYPE, 0x80, 0xffff, NULL, 0)) \
	X(bridge_type_far, BRIDGE, "argument of a match is out of range", \
	  seed_match(s, XT2_M_ETH_TYPE, 0, 0x10000, NULL, 0)) \
	X(bridge_length, BRIDGE, NULL, seed_match(s, XT2_M_ETH_LENGTH, 0x80, 0, NULL, 0)) \
	X(bridge_any, BRIDGE, NULL, seed_match(s, XT2_M_ETH_ANY, 0, 0x800, NULL, 0)) \
	X(bridge_mac, BRIDGE, NULL, seed_match(s, XT2_M_ETH_SRC, 0x80, 0, "\1\2\3\4\5\6" MAC_ALL, 16)) \
	X(bridge_mac_arg, BRIDGE, "argument of a match is out of range", \
	  seed_match(s, XT2_M_ETH_DST, 0, 1, "\1\2\3\4\5\6" MAC_ALL, 16)) \
	X(bridge_mac_size, BRIDGE, "wrong size of a match", \
	  seed_match(s, XT2_M_ETH_DST, 0, 0, "\1\2\3\4\5\6\377", 8)) \
	X(bridge_mac_reserved, BRIDGE, "reserved bytes of a match are set", \
	  ((u8 *)seed_match(s, XT2_M_ETH_DST, 0, 0, "\1\2\3\4\5\6" MAC_ALL, 16))[23] = 1) \
	X(bridge_in, BRIDGE, NULL, seed_match(s, XT2_M_IN, 0, 3, "eth\0\0\0\0", 8)) \
	X(bridge_logical, BRIDGE, NULL, seed_match(s, XT2_M_LOGICAL_OUT, 0, 4, "br0\0\0\0\0", 8)) \
	X(bridge_logical_any, BRIDGE, NULL, seed_match(s, XT2_M_LOGICAL_IN, 0x80, 0, NULL, 0)) \
	X(bridge_logical_pad, BRIDGE, "interface name is not padded with NUL", \
	  seed_match(s, XT2_M_LOGICAL_IN, 0, 2, "br0\0\0\0\0", 8)) \
	X(bridge_in_any, BRIDGE, "wrong size of an interface name", \
	  seed_match(s, XT2_M_IN, 0x80, 0, NULL, 0)) \
	X(bridge_logical4, IPV4, "match of another family", \
	  seed_match(s, XT2_M_LOGICAL_IN, 0, 4, "br0\0\0\0\0", 8)) \
	X(bridge_type6, IPV6, "match of another family", \
	  seed_match(s, XT2_M_ETH_TYPE, 0, 0x800, NULL, 0)) \
	X(bridge_proto, BRIDGE, "match of another family", \
	  seed_match(s, XT2_M_PROTO, 0, 6, NULL, 0)) \
	X(bridge_mark, BRIDGE, "match of another family", \
	  seed_match(s, XT2_M_MARK, 0, 0, "\0\0\0\0\0\0\0", 8)) \
	X(bridge_goto, BRIDGE, "target of another family", r->target = XT2_TARGET(XT2_T_GOTO, 1)) \
	X(bridge_queue, BRIDGE, "target of another family", r->target = XT2_T_QUEUE) \
	X(bridge_nat, BRIDGE, "target of another family", r->target = XT2_TARGET(XT2_T_NAT, 1)) \
	X(bridge_trace, BRIDGE, "target of another family", r->target = XT2_T_TRACE) \
	X(bridge_foreign, BRIDGE, NULL, r->target = XT2_TARGET(XT2_T_FOREIGN, 1)) \
	X(family5, FAMILY5, "unknown family", r->target = XT2_T_DROP)

#define XT2_FAMILY5 5
#define MAC_ALL "\377\377\377\377\377\377\0\0\0"

#define RULE_MAKE(name, family, text, ...) \
	static void make_##name(struct seed_rule *s, struct xt2_rule *r) { __VA_ARGS__; }
#define RULE_ROW(name, family, text, ...) { #name, XT2_##family, text, make_##name },
/* clang-format on */

RULES(RULE_MAKE)

static const struct {
	const char *name;
	u8 family;
	const char *what; /* NULL: a good rule */
	void (*make)(struct seed_rule *s, struct xt2_rule *r);
} rules[] = { RULES(RULE_ROW) };

static void test_rules(void **state)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(rules); i++) {
		const struct xt2_rule_bounds bounds = {
			.family = rules[i].family,
			.chains = 9,
			.cells = 2,
			.instances = 4,
		};
		struct seed_rule s = { .family = rules[i].family };
		struct xt2_rule *r = seed_rule(&s);
		const char *what = NULL;
		int err;

		seed_rule_begin(&s, XT2_T_CONTINUE, 0);
		rules[i].make(&s, r);
		/* a family of 0 stands for: as few bytes as the header */
		err = xt2_check_rule(r, s.family ? sizeof(s.bytes) : 24, &bounds, &what);
		if (err != (rules[i].what ? -EINVAL : 0))
			fail_msg("%s: %d %s", rules[i].name, err, what ? what : "");
		if (rules[i].what && strcmp(rules[i].what, what))
			fail_msg("%s: refused, but: %s", rules[i].name, what);
		assert_int_equal(xt2_check_rule(r, 16, &bounds, NULL), -EINVAL);
	}
}

static void tails_are_policies_or_returns(void **state)
{
	static const struct {
		u8 kind, family;
		bool in_base, in_user;
	} tails[] = {
		{ XT2_T_ACCEPT, XT2_IPV4, true, false },  { XT2_T_DROP, XT2_IPV6, true, false },
		{ XT2_T_RETURN, XT2_IPV4, false, true },  { XT2_T_QUEUE, XT2_IPV4, false, false },
		{ XT2_T_JUMP, XT2_IPV4, false, false },	  { XT2_T_ACCEPT, XT2_BRIDGE, true, true },
		{ XT2_T_DROP, XT2_BRIDGE, true, true },	  { XT2_T_RETURN, XT2_BRIDGE, false, true },
		{ XT2_T_REJECT, XT2_IPV4, false, false }, { XT2_T_RETURN, XT2_ARP, false, true },
	};
	struct seed_rule s = { .family = XT2_IPV4 };

	for (u32 i = 0; i < XT2_ARRAY_SIZE(tails); i++) {
		seed_rule_begin(&s, tails[i].kind, 0);
		assert_int_equal(xt2_rule_is_tail(seed_rule(&s), tails[i].family, true),
				 tails[i].in_base);
		assert_int_equal(xt2_rule_is_tail(seed_rule(&s), tails[i].family, false),
				 tails[i].in_user);
		seed_match(&s, XT2_M_PROTO, 0, 6, NULL, 0); /* a tail has no conditions */
		assert_false(xt2_rule_is_tail(seed_rule(&s), tails[i].family, true));
		assert_false(xt2_rule_is_tail(seed_rule(&s), tails[i].family, false));
	}
}

static void hooks_have_an_order(void **state)
{
	static const struct xt2_hook hooks[] = {
		{ .family = XT2_IPV4, .hook = XT2_INPUT, .priority = -300, .table = 3 },
		{ .family = XT2_IPV4, .hook = XT2_INPUT, .priority = 0, .table = 1 },
		{ .family = XT2_IPV4, .hook = XT2_INPUT, .priority = 0, .table = 2 },
		{ .family = XT2_IPV4, .hook = XT2_FORWARD, .priority = -300, .table = 0 },
		{ .family = XT2_IPV6, .hook = XT2_PREROUTING, .priority = -400, .table = 0 },
	};

	for (u32 i = 0; i < XT2_ARRAY_SIZE(hooks); i++)
		for (u32 j = 0; j < XT2_ARRAY_SIZE(hooks); j++)
			assert_int_equal(xt2_hook_before(&hooks[i], &hooks[j]), i < j);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rules),
	cmocka_unit_test(tails_are_policies_or_returns),
	cmocka_unit_test(hooks_have_an_order),
};

UNITS(tests)
