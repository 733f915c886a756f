/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world-rules.h - random rules that have much in common
 *
 * A world has a few addresses, ports, names, ...; its rules ask for these, so
 * many rules match a packet, and many indexes of chains find something.  Every
 * match that an index knows is there in each of its forms, also in places and
 * with numbers that iptables would refuse, and so are those that it must not
 * look behind.
 */
#ifndef TESTS_WORLD_RULES_H
#define TESTS_WORLD_RULES_H

#include "tests/fuzz/seed-image.h"

#define WORLD_CELLS 64

/* What the rules of a chain like to ask for. */
enum world_style {
	WORLD_ANY,
	WORLD_TUPLES, /* addresses, protocol, ports */
	WORLD_LIST, /* one address */
	WORLD_MACS,
	WORLD_NAMES, /* of interfaces */
	WORLD_MARKS,
	WORLD_STATES,
	WORLD_SERVICES, /* one port of few pairs of hosts */
	WORLD_CROWDS, /* several ports of few pairs of hosts */
	WORLD_STYLES
};

struct world {
	u64 state; /* not 0 */
	u8 family; /* XT2_IPV4 or XT2_IPV6 */
	enum world_style style;
	u32 stateful; /* of 100 rules, so many have a match that remembers */
	u32 spread; /* addresses and ports are of so many */
	u32 jumps; /* so many rules of a chain may jump: ways multiply */
	struct seed_rule rule;
};

static inline u32 world_below(struct world *w, u32 n)
{
	return seed_below(&w->state, n);
}

static inline bool world_often(struct world *w, u32 percent)
{
	return world_below(w, 100) < percent;
}

static inline u8 world_invert(struct world *w)
{
	return world_often(w, 10) ? XT2_MATCH_INVERT : 0;
}

/* --- values ------------------------------------------------------------ */

/* Few networks have most of the addresses. */
static inline u32 world_addr4(struct world *w)
{
	u32 net = world_below(w, 4), host = world_below(w, w->spread);

	return 0x0a000000 | net << 20 | (host & 0xf0) << 8 | (host & 15) | host >> 8 << 4;
}

static inline void world_addr6(struct world *w, u64 *addr)
{
	u32 v = world_addr4(w);

	addr[0] = 0xfd | (u64)(v >> 20 & 3) << 16 | (u64)(v >> 12 & 15) << 40;
	addr[1] = (u64)(v & 0xfff) << 48;
}

static inline u32 world_port(struct world *w)
{
	static const u16 usual[] = { 0, 1, 22, 53, 80, 443, 8080, 65535 };

	return world_often(w, 70) ? usual[world_below(w, XT2_ARRAY_SIZE(usual))]
				  : 1000 + world_below(w, w->spread);
}

static inline u32 world_proto(struct world *w)
{
	static const u8 four[] = { 6, 6, 6, 17, 17, 1, 132, 33, 136, 47 };
	static const u8 six[] = { 6, 6, 6, 17, 17, 58, 132, 33, 136, 1 };

	return (w->family == XT2_IPV4 ? four : six)[world_below(w, XT2_ARRAY_SIZE(four))];
}

static inline void world_name(struct world *w, char name[16])
{
	static const char *const names[] = { "lo",	 "eth0",	   "eth1",
					     "eth10",	 "wlan0",	   "br-0123456789a",
					     "tap12345", "a23456789012345" };

	memset(name, 0, 16);
	strcpy(name, names[world_below(w, XT2_ARRAY_SIZE(names))]);
	if (world_often(w, 30))
		name[2] = (char)('a' + world_below(w, 20));
}

static inline u64 world_mac(struct world *w)
{
	return 0x020000000000 | (u64)world_below(w, 2) << 24 | world_below(w, w->spread);
}

static inline u32 world_mark(struct world *w)
{
	return world_below(w, 3) << 16 | world_below(w, w->spread);
}

/* --- matches ----------------------------------------------------------- */

static inline void world_match_addr4(struct world *w, u8 dst)
{
	static const u8 shifts[] = { 0, 0, 0, 1, 4, 8, 8, 12, 16, 20, 24 };
	static const u32 masks[] = { 0xff0000ff, 0x000000ff, 0, ~0u, 0xfffffff0, 0x0a000003 };
	u32 addr = world_addr4(w), shift = shifts[world_below(w, XT2_ARRAY_SIZE(shifts))];
	u32 words[2] = { masks[world_below(w, XT2_ARRAY_SIZE(masks))], 0 };

	if (world_often(w, 10))
		seed_match(&w->rule, XT2_M_SRC4_MASK + dst, world_invert(w),
			   world_often(w, 90) ? addr & words[0] : addr, words, 8);
	else
		seed_match(&w->rule, XT2_M_SRC4 + dst, (u8)(world_invert(w) | shift),
			   addr >> shift << shift, NULL, 0);
}

static inline void world_match_addr6(struct world *w, u8 dst)
{
	static const u64 masks[][2] = {
		{ ~0ull, ~0ull },
		{ 0xffff, 0 },
		{ ~0ull, 0 },
		{ ~0ull, 0xff },
		{ 0xffffffffffff, 0 },
		{ 0xff0000ff, 0x0fff000000000000 },
		{ ~0ull, 0xf0ffull << 48 },
		{ 0, 0 },
	};
	u32 which = world_below(w, XT2_ARRAY_SIZE(masks));
	u64 words[4];

	world_addr6(w, words);
	if (world_often(w, 40)) {
		seed_match(&w->rule, XT2_M_SRC6 + dst, world_invert(w), 0, words, 16);
		return;
	}
	words[2] = masks[which][0];
	words[3] = masks[which][1];
	if (world_often(w, 95)) {
		words[0] &= words[2];
		words[1] &= words[3];
	}
	seed_match(&w->rule, XT2_M_SRC6_MASK + dst, world_invert(w), 0, words, 32);
}

static inline void world_match_addr(struct world *w, u8 dst)
{
	if (w->family == XT2_IPV4)
		world_match_addr4(w, dst);
	else
		world_match_addr6(w, dst);
}

/* A whole name, the start of many, or one with a NUL before its end. */
static inline void world_match_name(struct world *w, u8 out)
{
	char words[32];
	u32 len;

	memset(words, 0, sizeof(words));
	world_name(w, words);
	len = (u32)strlen(words) + 1;
	if (world_often(w, 20))
		len = 1 + world_below(w, len);
	if (world_often(w, 5)) {
		words[2] = 0;
		len = len < 4 ? 4 : len;
	}
	if (world_often(w, 10)) {
		memset(words + 16, 0xff, len);
		seed_match(&w->rule, XT2_M_IN_MASK + out, world_invert(w), 0, words, 32);
		return;
	}
	memset(words + len, 0, 16 - len);
	if (world_often(w, 5))
		len = 16;
	seed_match(&w->rule, XT2_M_IN + out, world_invert(w), len, words, len <= 8 ? 8 : 16);
}

static inline void world_match_mark(struct world *w, u8 type)
{
	static const u32 masks[] = { 0xff, 0xffff0000, 0xf0f0, 0, 0xfffffffe };
	u32 words[2] = { masks[world_below(w, XT2_ARRAY_SIZE(masks))], 0 };
	u32 mark = world_mark(w);
	u8 flags = world_often(w, 3) ? 1 : world_invert(w);

	if (world_often(w, 60))
		seed_match(&w->rule, type, flags, mark, NULL, 0);
	else
		seed_match(&w->rule, type, flags, world_often(w, 90) ? mark & words[0] : mark,
			   words, 8);
}

static inline void world_match_mac(struct world *w)
{
	u64 mac = world_mac(w), words[1] = { __builtin_bswap64(mac) >> 16 };

	seed_match(&w->rule, XT2_M_MAC, 0, world_often(w, 8) ? 1 : 0, words, 8);
}

static inline void world_match_state(struct world *w)
{
	u32 states = world_below(w, 16);
	struct {
		u16 tests, inverted, proto;
		u8 parts, reserved;
	} more = { .tests = world_often(w, 90) ? 1 : 0, .inverted = world_often(w, 15) ? 1 : 0 };

	if (world_often(w, 40)) {
		states |= world_often(w, 20) ? 0x40 : 0;
		seed_match(&w->rule, XT2_M_STATE, 0, states, NULL, 0);
		return;
	}
	states |= world_often(w, 20) ? XT2_CT_UNTRACKED : 0;
	states |= world_often(w, 10) ? XT2_CT_SNAT : 0;
	states |= world_often(w, 10) ? XT2_CT_DNAT : 0;
	if (world_often(w, 10))
		more.tests |= 0x1002; /* protocol and direction */
	more.proto = 6;
	seed_match(&w->rule, XT2_M_CONNTRACK, 3 << 5, states | world_below(w, 2) << 17, &more, 8);
}

/* First and last; now and then in the wrong order. */
static inline u32 world_ports(struct world *w)
{
	u32 a = world_port(w), b = world_often(w, 75) ? a : world_port(w);

	return (a <= b) != world_often(w, 3) ? a | b << 16 : b | a << 16;
}

static inline void world_match_ports(struct world *w, u8 type)
{
	u32 src = world_ports(w), dst = world_ports(w), words[2] = { src, dst }, arg;

	switch (world_below(w, 8)) {
	case 0: seed_match(&w->rule, type, XT2_PORTS_NONE, 0, NULL, 0); return;
	case 1: seed_match(&w->rule, type, XT2_PORTS_SRC | world_invert(w), src, NULL, 0); return;
	case 2:
		if (type == XT2_M_TCP) {
			seed_match(&w->rule, type, XT2_PORTS_FLAGS | world_invert(w), 0x0202, NULL,
				   0);
			return;
		}
		break;
	case 3:
	case 4:
		arg = world_often(w, 15) ? world_below(w, 4) : 0;
		if (type == XT2_M_TCP && world_often(w, 40))
			arg |= 8u * world_below(w, 2) | world_below(w, 5) << 8 | 0x02020000;
		seed_match(&w->rule, type, XT2_PORTS_ALL, arg, words, 8);
		return;
	}
	seed_match(&w->rule, type, XT2_PORTS_DST | world_invert(w), dst, NULL, 0);
}

static inline void world_match_multiport(struct world *w)
{
	u16 ports[16] = { 0 };
	u32 i, n = world_often(w, 95) ? 1 + world_below(w, 6) : 0, ranges = 0;

	for (i = 0; i < n; i++)
		ports[i] = (u16)world_port(w);
	for (i = 0; i + 1 < n; i++)
		if (ports[i] < ports[i + 1] && world_often(w, 40))
			ranges |= 1u << i++;
	seed_match(&w->rule, XT2_M_MULTIPORT, world_invert(w),
		   n | world_below(w, 3) << 8 | ranges << 16, ports, (u16)((n + 3) / 4 * 8));
}

static inline void world_match_icmp(struct world *w)
{
	static const u8 types[] = { 0, 3, 8, 128, 255 };
	u32 type = types[world_below(w, XT2_ARRAY_SIZE(types))];
	u32 least = world_below(w, 4), most = world_often(w, 50) ? 255 : world_below(w, 4);

	seed_match(&w->rule, w->family == XT2_IPV4 ? XT2_M_ICMP : XT2_M_ICMP6, 0,
		   XT2_BYTES(type, least, most, world_often(w, 15)), NULL, 0);
}

/* What a rule asks of the transport, in most cases behind the protocol that it needs. */
static inline void world_match_transport(struct world *w)
{
	u32 proto = world_proto(w);

	seed_match(&w->rule, XT2_M_PROTO, world_invert(w), world_often(w, 1) ? 256 + proto : proto,
		   NULL, 0);
	if (world_often(w, 3))
		proto = world_proto(w);
	if (world_often(w, 15))
		return;
	if (proto != 1 && proto != 58 && proto != 47 && world_often(w, 20))
		world_match_multiport(w);
	else if (proto == 6)
		world_match_ports(w, XT2_M_TCP);
	else if (proto == 17)
		world_match_ports(w, XT2_M_UDP);
	else if (proto == 136)
		world_match_ports(w, XT2_M_UDPLITE);
	else if (proto == (w->family == XT2_IPV4 ? 1 : 58))
		world_match_icmp(w);
}

static inline void world_match_memory(struct world *w)
{
	u32 cell = world_below(w, WORLD_CELLS), every = world_below(w, 5);
	u32 nth[4] = { every, 0, world_below(w, every + 1), 0 };
	u32 limit[2] = { 1 + world_below(w, 20000), 1 + world_below(w, 5) };
	u64 quota = world_below(w, 20000);

	switch (world_below(w, 4)) {
	case 0: seed_match(&w->rule, XT2_M_LIMIT, 0, cell, limit, 8); return;
	case 1: seed_match(&w->rule, XT2_M_QUOTA, world_invert(w), cell, &quota, 8); return;
	case 2:
		seed_match(&w->rule, XT2_M_STATISTIC, XT2_STATISTIC_NTH | world_invert(w), cell,
			   nth, 16);
		return;
	}
	nth[0] = (u32)seed_next(&w->state) >> 1;
	nth[2] = 0;
	seed_match(&w->rule, XT2_M_STATISTIC, world_invert(w), cell, nth, 16);
}

/* Any other match that takes some payload. */
static inline void world_match_other(struct world *w)
{
	const struct xt2_rule before = *seed_rule(&w->rule);
	const struct xt2_match *m;

	if (world_often(w, 30)) {
		seed_match(&w->rule, XT2_M_COMMENT, 0, 0, NULL, 0);
		return;
	}
	seed_extension(&w->rule, &w->state);
	xt2_rule_for_each_match(m, seed_rule(&w->rule))
		if (m->type == XT2_M_FOREIGN) {
			*seed_rule(&w->rule) = before;
			return;
		}
}

static inline void world_match(struct world *w)
{
	switch (world_below(w, 16)) {
	case 0:
	case 1: world_match_addr(w, 0); return;
	case 2:
	case 3: world_match_addr(w, 1); return;
	case 4:
	case 5:
	case 6: world_match_transport(w); return;
	case 7: world_match_name(w, 0); return;
	case 8: world_match_name(w, 1); return;
	case 9: world_match_mark(w, XT2_M_MARK); return;
	case 10: world_match_mac(w); return;
	case 11: world_match_state(w); return;
	case 12:
		if (w->family == XT2_IPV4)
			seed_match(&w->rule, XT2_M_FRAGMENT, world_invert(w), 0, NULL, 0);
		return;
	case 13: world_match_mark(w, XT2_M_CONNMARK); return;
	}
	world_match_other(w);
}

/* One of so few hosts that many rules ask for it. */
static inline void world_match_host(struct world *w, u8 dst)
{
	const u32 host = 4 * w->spread + world_below(w, 4);

	if (w->family == XT2_IPV4)
		seed_match(&w->rule, XT2_M_SRC4 + dst, 0, 0x0a000000 | host, NULL, 0);
	else
		seed_match(&w->rule, XT2_M_SRC6 + dst, 0, 0, (u64[]){ 0xfd, host }, 16);
}

/* Pairs of hosts have many rules, which differ in the ports. */
static inline void world_match_service(struct world *w)
{
	const u32 first = 1000 + world_below(w, 200);
	const u32 last =
		first +
		(w->style == WORLD_CROWDS && world_often(w, 80) ? 1 + world_below(w, 200) : 0);

	world_match_host(w, 0);
	world_match_host(w, 1);
	seed_match(&w->rule, XT2_M_PROTO, 0, 6, NULL, 0);
	seed_match(&w->rule, XT2_M_TCP, XT2_PORTS_DST, first | last << 16, NULL, 0);
}

static inline void world_matches(struct world *w)
{
	u32 n;

	if (world_often(w, w->stateful))
		world_match_memory(w);
	switch (w->style) {
	case WORLD_TUPLES:
		if (world_often(w, 80))
			world_match_addr(w, 0);
		if (world_often(w, 80))
			world_match_addr(w, 1);
		if (world_often(w, 80))
			world_match_transport(w);
		break;
	case WORLD_LIST: world_match_addr(w, 0); break;
	case WORLD_MACS: world_match_mac(w); break;
	case WORLD_NAMES: world_match_name(w, (u8)world_below(w, 2)); break;
	case WORLD_MARKS: world_match_mark(w, XT2_M_MARK); break;
	case WORLD_STATES: world_match_state(w); break;
	case WORLD_SERVICES:
	case WORLD_CROWDS: world_match_service(w); break;
	default:
		for (n = world_below(w, 4); n; n--)
			world_match(w);
	}
	if (world_often(w, w->stateful))
		world_match_memory(w);
	if (world_often(w, 20))
		world_match(w);
}

/* --- targets ----------------------------------------------------------- */

/* A target of an extension with whatever argument and data it takes; of few it takes none. */
static inline void world_target_ext(struct world *w)
{
	static const u8 kinds[] = {
		XT2_T_LOG,  XT2_T_NFLOG,    XT2_T_MARK,	    XT2_T_MARK,
		XT2_T_MARK, XT2_T_CONNMARK, XT2_T_CLASSIFY, XT2_T_TRACE,
		XT2_T_CT,   XT2_T_TTL,	    XT2_T_HL,	    XT2_T_TOS,
		XT2_T_DSCP, XT2_T_ECN,	    XT2_T_TCPMSS,   XT2_T_NOTRACK,
	};
	struct xt2_rule *r = seed_rule(&w->rule);
	u8 kind = kinds[world_below(w, XT2_ARRAY_SIZE(kinds))];
	u64 *data = w->rule.bytes + r->target_offset / 8;
	u32 try, arg;

	for (try = 0; try < 24; try++) {
		arg = world_below(w, 3) |
		      (kind == XT2_T_CONNMARK ? 1u << 22 : world_below(w, 3) << 8);
		r->size = (u16)(r->target_offset + 8 * (try % 3));
		memset(data, 0, 16);
		if (try >= 3)
			data[0] = world_mark(w) | (u64)world_below(w, 0x10000) << 32;
		r->target =
			XT2_TARGET(kind, kind == XT2_T_MARK && !(try % 3) ? world_mark(w) : arg);
		if (!xt2_target_ext_check(r, w->family))
			return;
	}
	r->size = r->target_offset;
	r->target = XT2_TARGET(XT2_T_CONTINUE, 0);
}

/* Most rules only count, so that most packets meet many of them. */
static inline void world_target(struct world *w)
{
	static const u8 ends[] = { XT2_T_ACCEPT, XT2_T_DROP, XT2_T_RETURN, XT2_T_RETURN,
				   XT2_T_QUEUE };
	u32 more = w->jumps ? w->rule.last - w->rule.first : 0, kind = world_below(w, 100);
	struct xt2_rule *r = seed_rule(&w->rule);

	r->target = XT2_TARGET(XT2_T_CONTINUE, 0);
	if (kind < 8)
		r->target = XT2_TARGET(ends[world_below(w, XT2_ARRAY_SIZE(ends))], 0);
	else if (kind < 22)
		world_target_ext(w);
	else if (kind < 50 && more) {
		w->jumps--;
		r->target = XT2_TARGET(world_often(w, 75) ? XT2_T_JUMP : XT2_T_GOTO,
				       w->rule.first + world_below(w, more));
	}
}

/* => a rule, until the next call; it may jump to chains rule.first to rule.last - 1 */
static inline const struct xt2_rule *world_rule(struct world *w)
{
	w->rule.family = w->family;
	seed_rule_begin(&w->rule, XT2_T_CONTINUE, 0);
	world_matches(w);
	world_target(w);
	return seed_rule(&w->rule);
}

#endif
