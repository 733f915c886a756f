/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-conntrack.c - extensions/state/conntrack.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_conntrack.h>

static int conntrack(const struct xt_conntrack_mtinfo3 *info)
{
	u64 payload[21] = { 0 };

	memcpy(payload, info, sizeof(*info));
	assert_true(state_pack("conntrack", 3, payload, 168) > 0);
	return state_run();
}

static int ctstate(u16 mask, bool invert)
{
	struct xt_conntrack_mtinfo3 info = {
		.match_flags = XT_CONNTRACK_STATE,
		.invert_flags = invert ? XT_CONNTRACK_STATE : 0,
		.state_mask = mask,
	};

	return conntrack(&info);
}

static void test_ctstate(void **state)
{
	static const u16 states[] = { 0x01, 0x02, 0x04, 0x08, 0x100 };
	u32 i, bit;

	for (i = 0; i < XT2_ARRAY_SIZE(states); i++) {
		for (bit = 0; bit < 16; bit++) {
			tc.pkt.ct.state = states[i];
			assert_int_equal(ctstate((u16)(1u << bit), false), 1u << bit == states[i]);
			assert_int_equal(ctstate((u16)(1u << bit), true), 1u << bit != states[i]);
		}
	}
	tc.pkt.ct.state = 0;
	assert_int_equal(ctstate(XT2_CT_INVALID, false), XT2_HIT);
	tc.pkt.ct.state = XT2_CT_NEW;
	tc.pkt.ct.status = 0x20; /* IPS_DST_NAT */
	assert_int_equal(ctstate(XT2_CT_DNAT, false), XT2_HIT);
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_MISS);
	tc.pkt.ct.state |= XT2_CT_SNAT;
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_HIT);
	tc.pkt.ct.state = XT2_CT_SNAT; /* without a connection */
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_MISS);
}

/* => the answer to one test, and that its inversion says the opposite */
static int test_of(struct xt_conntrack_mtinfo3 *info, u16 test)
{
	int answer, inverted;

	info->match_flags = test;
	info->invert_flags = 0;
	answer = conntrack(info);
	info->invert_flags = test;
	inverted = conntrack(info);
	assert_int_equal(answer, !inverted);
	return answer;
}

static void test_conntrack(void **state)
{
	struct xt_conntrack_mtinfo3 info = { .l4proto = 6, .status_mask = 0x0c };
	struct xt2_pkt_ct *ct = &tc.pkt.ct;

	*ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW, .proto = 6, .status = 0x08, .expires = 30 };
	tc.pkt.family = XT2_IPV4;
	assert_int_equal(test_of(&info, XT_CONNTRACK_PROTO), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_DIRECTION), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_STATUS), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_MISS); /* 0:0 */
	info.expires_min = 30;
	info.expires_max = 31;
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_HIT);
	ct->reply = 1;
	ct->proto = 17;
	ct->status = 0x03;
	ct->expires = 32;
	assert_int_equal(test_of(&info, XT_CONNTRACK_PROTO), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_DIRECTION), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_STATUS), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_MISS);
	info.match_flags = XT_CONNTRACK_PROTO;
	info.invert_flags = 0;
	ct->state = XT2_CT_UNTRACKED;
	ct->proto = 6;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.invert_flags = XT_CONNTRACK_PROTO;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.match_flags |= XT_CONNTRACK_STATE; /* only the state counts without a connection */
	info.state_mask = XT2_CT_UNTRACKED;
	assert_int_equal(conntrack(&info), XT2_HIT);
}

static void test_tuple(void **state)
{
	static const u16 addrs[] = { XT_CONNTRACK_ORIGSRC, XT_CONNTRACK_ORIGDST,
				     XT_CONNTRACK_REPLSRC, XT_CONNTRACK_REPLDST };
	static const u16 ports[] = { XT_CONNTRACK_ORIGSRC_PORT, XT_CONNTRACK_ORIGDST_PORT,
				     XT_CONNTRACK_REPLSRC_PORT, XT_CONNTRACK_REPLDST_PORT };
	struct xt2_pkt_ct *ct = &tc.pkt.ct;
	u64 *known[] = { ct->orig_src, ct->orig_dst, ct->repl_src, ct->repl_dst };
	u16 *known_ports[] = { &ct->orig_sport, &ct->orig_dport, &ct->repl_sport, &ct->repl_dport };
	u32 i;

	*ct = (struct xt2_pkt_ct){ .state = XT2_CT_ESTABLISHED, .tuple = 1 };
	for (i = 0; i < 4; i++) {
		struct xt_conntrack_mtinfo3 info = { 0 };
		u64 *addr = (u64 *)&info + 4 * i;
		u16 *low = &info.origsrc_port + i, *high = &info.origsrc_port_high + i;

		tc.pkt.family = XT2_IPV6;
		known[i][0] = 0x1111;
		known[i][1] = 0x2222;
		addr[0] = 0x1111;
		addr[1] = 0x3322;
		addr[2] = ~0ull;
		addr[3] = 0xff;
		assert_int_equal(test_of(&info, addrs[i]), XT2_HIT);
		addr[3] = 0x1ff;
		assert_int_equal(test_of(&info, addrs[i]), XT2_MISS);
		tc.pkt.family = XT2_IPV4; /* only the first four bytes */
		assert_int_equal(test_of(&info, addrs[i]), XT2_HIT);
		addr[0] = 0x1112;
		assert_int_equal(test_of(&info, addrs[i]), XT2_MISS);

		*known_ports[i] = 443;
		*low = 443;
		*high = 444;
		assert_int_equal(test_of(&info, ports[i]), XT2_HIT);
		*low = 444;
		assert_int_equal(test_of(&info, ports[i]), XT2_MISS);
		*low = 1;
		*high = 442;
		assert_int_equal(test_of(&info, ports[i]), XT2_MISS);
		*known_ports[i] = 0;
		known[i][0] = known[i][1] = 0;
	}
}

/* Addresses that the host does not know match nothing. */
static void test_no_tuple(void **state)
{
	struct xt_conntrack_mtinfo3 info = { .match_flags = XT_CONNTRACK_ORIGSRC };

	tc.pkt.ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW };
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.invert_flags = XT_CONNTRACK_ORIGSRC;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.match_flags = info.invert_flags = XT_CONNTRACK_REPLDST_PORT;
	assert_int_equal(conntrack(&info), XT2_MISS);
}

/* Earlier revisions: one port in network order, narrower masks; and what it takes. */
static void test_revisions(void **state)
{
	struct xt_conntrack_mtinfo1 v1 = {
		.match_flags = XT_CONNTRACK_ORIGDST_PORT,
		.origdst_port = __builtin_bswap16(53),
	};
	struct xt_conntrack_mtinfo2 v2 = { .match_flags = XT_CONNTRACK_STATE, .state_mask = 0x108 };
	struct xt_conntrack_mtinfo3 v3 = {
		.match_flags = XT_CONNTRACK_STATE | XT_CONNTRACK_STATE_ALIAS,
		.state_mask = XT2_CT_ESTABLISHED,
	};
	u64 payload[21] = { 0 };

	tc.pkt.ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW, .tuple = 1, .orig_dport = 53 };
	assert_true(state_pack("conntrack", 1, &v1, 152) > 0);
	assert_int_equal(state_run(), XT2_HIT);
	tc.pkt.ct.orig_dport = 54;
	assert_int_equal(state_run(), XT2_MISS);
	memcpy(payload, &v2, sizeof(v2));
	assert_int_equal(state_pack("conntrack", 2, payload, 160), 16);
	assert_int_equal(state_run(), XT2_HIT);
	memcpy(payload, &v3, sizeof(v3));
	assert_int_equal(state_pack("conntrack", 3, payload, 168), 16);
	assert_int_equal(state_run(), XT2_MISS);
}

static void test_checked(void **state)
{
	const u64 expires = (u64)XT2_CONNTRACK_EXPIRES << 48,
		  ports = (u64)XT2_CONNTRACK_PORTS << 48;

	RIGHT(IPV6, CONNTRACK, 3 << 5, 16, ~0u);
	WRONG(IPV4, CONNTRACK, 0, 16, 0); /* revision 0 */
	WRONG(IPV4, CONNTRACK, XT2_MATCH_INVERT | 1 << 5, 16, 0);
	WRONG(ARP, CONNTRACK, 1 << 5, 16, 0);
	WRONG(IPV4, CONNTRACK, 1 << 5, 8, 0);
	WRONG(IPV4, CONNTRACK, 1 << 5, 24, 0);
	WRONG(IPV4, CONNTRACK, 1 << 5, 16, 0, 1ull << 56);
	RIGHT(IPV4, CONNTRACK, 1 << 5, 24, 0, expires, 1);
	WRONG(IPV4, CONNTRACK, 1 << 5, 24, 0, expires, 0); /* all zero: is left out */
	WRONG(IPV4, CONNTRACK, 1 << 5, 16, 0, expires);
	RIGHT(IPV4, CONNTRACK, 1 << 5, 40, 0, expires | ports, 1, 0, 1);
	WRONG(IPV4, CONNTRACK, 1 << 5, 40, 0, expires | ports, 1, 0, 0);
	WRONG(IPV4, CONNTRACK, 1 << 5, 32, 0, 1ull << 54, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_ctstate, state_setup),
	cmocka_unit_test_setup(test_conntrack, state_setup),
	cmocka_unit_test_setup(test_tuple, state_setup),
	cmocka_unit_test_setup(test_no_tuple, state_setup),
	cmocka_unit_test_setup(test_revisions, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
