/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-match.c - the matches of plain lines
 *
 * A row per match, with a row per option.  Options fill in the payload that
 * libxtables' plugin would, and the translators pack it.  A plugin of another
 * revision than the one that was read for this does not come about: then its
 * rules are not plain.
 */
#include "config.h"
#include "fast-line.h"
#include "translators/table/legacy-format.h"
#include <linux/netfilter/xt_comment.h>

#define OPTIONS_MAX 8

struct match {
	const char *name;
	const char *real; /* as the kernel calls it */
	int family; /* 0: any */
	u8 revision;
	u8 needs; /* options of which one must be given */
	void (*init)(union xt2_fast_payload *payload);
	struct xt2_fast_option options[OPTIONS_MAX]; /* the last one has no name */
};

/* A word of a list, and what it stands for. */
struct word {
	const char *word;
	u32 value;
};

/* => false: none of these; the last one has no word */
static bool word_of(const struct word *words, const char *at, u32 len, u32 *value)
{
	for (; words->word; words++)
		if (xt2_fast_same(at, len, words->word)) {
			*value = words->value;
			return true;
		}
	return false;
}

/* WORD,WORD,...: all their values together. */
static bool words_of(struct xt2_fast *p, const struct word *words, u32 *values)
{
	u32 len, value;

	*values = 0;
	do {
		len = 0;
		while ((u8)(p->at[len] - 'A') < 26)
			len++;
		if (!word_of(words, p->at, len, &value))
			return false;
		*values |= value;
		p->at += len;
	} while (xt2_fast_take(p, ','));
	return true;
}

/* The rows. */
enum { TCP, UDP, ICMP4, ICMP6, MULTIPORT, COMMENT, CONNTRACK, STATE, MARK, MAC, LIMIT };

/* --- tcp, udp ------------------------------------------------------------------ */

/* PORT, PORT:PORT, PORT:, :PORT */
static bool ports(struct xt2_fast *p, __u16 *range)
{
	u64 first = 0, last = 0xffff;

	if (*p->at != ':' && !xt2_fast_number(p, 0xffff, &first))
		return false;
	if (!xt2_fast_take(p, ':'))
		last = first;
	else if (!xt2_fast_ends(*p->at) && !xt2_fast_number(p, 0xffff, &last))
		return false;
	range[0] = (__u16)first;
	range[1] = (__u16)last;
	return first <= last;
}

/* Ports are where both structures begin, and their flags of inversion have the same bits. */
_Static_assert(offsetof(struct xt_tcp, spts) == offsetof(struct xt_udp, spts) &&
		       offsetof(struct xt_tcp, dpts) == offsetof(struct xt_udp, dpts) &&
		       XT_TCP_INV_SRCPT == XT_UDP_INV_SRCPT && XT_TCP_INV_DSTPT == XT_UDP_INV_DSTPT,
	       "ports");

static void any_ports(union xt2_fast_payload *payload)
{
	payload->udp.spts[1] = payload->udp.dpts[1] = 0xffff;
}

/* @bit: XT_UDP_INV_SRCPT or XT_UDP_INV_DSTPT, which says whose ports they are */
static bool port(struct xt2_fast *p, bool invert, u32 bit)
{
	__u8 *inverted = p->match == UDP ? &p->payload.udp.invflags : &p->payload.tcp.invflags;

	if (invert)
		*inverted |= (__u8)bit;
	return ports(p, bit == XT_UDP_INV_SRCPT ? p->payload.udp.spts : p->payload.udp.dpts);
}

static bool tcp_syn(struct xt2_fast *p, bool invert, u32 arg)
{
	p->payload.tcp.invflags |= invert ? XT_TCP_INV_FLAGS : 0;
	p->payload.tcp.flg_mask = 0x17;
	p->payload.tcp.flg_cmp = 0x02;
	return true;
}

static bool tcp_flags(struct xt2_fast *p, bool invert, u32 arg)
{
	static const struct word names[] = {
		{ "FIN", 0x01 }, { "SYN", 0x02 }, { "RST", 0x04 }, { "PSH", 0x08 }, { "ACK", 0x10 },
		{ "URG", 0x20 }, { "ALL", 0x3f }, { "NONE", 0 },   { NULL, 0 },
	};
	u32 mask, set;

	if (!words_of(p, names, &mask) || !xt2_fast_blank(*p->at))
		return false;
	xt2_fast_skip(p);
	if (!words_of(p, names, &set))
		return false;
	p->payload.tcp.invflags |= invert ? XT_TCP_INV_FLAGS : 0;
	p->payload.tcp.flg_mask = (__u8)mask;
	p->payload.tcp.flg_cmp = (__u8)set;
	return mask || !set; /* else refused: extension-checks.c */
}

/* --- icmp, icmp6 --------------------------------------------------------------- */

#define ICMP(type, first, last) ((type) | (first) << 8 | (last) << 16)

static const struct word icmp4_types[] = {
	{ "any", ICMP(255, 0, 255) },
	{ "echo-reply", ICMP(0, 0, 255) },
	{ "destination-unreachable", ICMP(3, 0, 255) },
	{ "fragmentation-needed", ICMP(3, 4, 4) },
	{ "source-quench", ICMP(4, 0, 255) },
	{ "redirect", ICMP(5, 0, 255) },
	{ "echo-request", ICMP(8, 0, 255) },
	{ "time-exceeded", ICMP(11, 0, 255) },
	{ "parameter-problem", ICMP(12, 0, 255) },
	{ NULL, 0 },
};

static const struct word icmp6_types[] = {
	{ "destination-unreachable", ICMP(1, 0, 255) },
	{ "packet-too-big", ICMP(2, 0, 255) },
	{ "time-exceeded", ICMP(3, 0, 255) },
	{ "parameter-problem", ICMP(4, 0, 255) },
	{ "echo-request", ICMP(128, 0, 255) },
	{ "echo-reply", ICMP(129, 0, 255) },
	{ "router-solicitation", ICMP(133, 0, 255) },
	{ "router-advertisement", ICMP(134, 0, 255) },
	{ "neighbour-solicitation", ICMP(135, 0, 255) },
	{ "neighbor-solicitation", ICMP(135, 0, 255) },
	{ "neighbour-advertisement", ICMP(136, 0, 255) },
	{ "neighbor-advertisement", ICMP(136, 0, 255) },
	{ "redirect", ICMP(137, 0, 255) },
	{ NULL, 0 },
};

/* TYPE, TYPE/CODE or a name; names that others start with are not plain. */
static bool icmp_type(struct xt2_fast *p, bool invert, u32 family)
{
	const struct word *names = family == XT2_IPV6 ? icmp6_types : icmp4_types;
	struct ipt_icmp *icmp = &p->payload.icmp;
	const u32 len = xt2_fast_length(p->at);
	u64 type, code;
	u32 value;

	icmp->invflags = invert ? IPT_ICMP_INV : 0;
	if (word_of(names, p->at, len, &value)) {
		p->at += len;
		icmp->type = (__u8)value;
		icmp->code[0] = (__u8)(value >> 8);
		icmp->code[1] = (__u8)(value >> 16);
		return true;
	}
	if (!xt2_fast_number(p, 255, &type))
		return false;
	icmp->type = (__u8)type;
	icmp->code[0] = 0;
	icmp->code[1] = 255;
	if (!xt2_fast_take(p, '/'))
		return true;
	if (!xt2_fast_number(p, 255, &code))
		return false;
	icmp->code[0] = icmp->code[1] = (__u8)code;
	return true;
}

/* --- multiport ----------------------------------------------------------------- */

static bool multiport(struct xt2_fast *p, bool invert, u32 which)
{
	struct xt_multiport_v1 *m = &p->payload.multiport;
	u64 port;

	if (p->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL) ||
	    !(p->proto == IPPROTO_TCP || p->proto == IPPROTO_UDP || p->proto == IPPROTO_SCTP ||
	      p->proto == IPPROTO_UDPLITE || p->proto == IPPROTO_DCCP))
		return false;
	m->flags = (__u8)which;
	m->invert = invert;
	do {
		if (m->count == XT_MULTI_PORTS || !xt2_fast_number(p, 0xffff, &port))
			return false;
		m->ports[m->count++] = (__u16)port;
		if (*p->at != ':')
			continue;
		p->at++;
		if (m->count == XT_MULTI_PORTS || !xt2_fast_number(p, 0xffff, &port) ||
		    port <= m->ports[m->count - 1])
			return false;
		m->pflags[m->count - 1] = 1;
		m->ports[m->count++] = (__u16)port;
	} while (xt2_fast_take(p, ','));
	return true;
}

/* --- mark, mac, limit ---------------------------------------------------------- */

static bool mark(struct xt2_fast *p, bool invert, u32 arg)
{
	struct xt_mark_mtinfo1 *m = &p->payload.mark;

	m->invert = invert;
	m->mask = ~(__u32)0;
	return xt2_fast_number32(p, &m->mark) &&
	       (!xt2_fast_take(p, '/') || xt2_fast_number32(p, &m->mask));
}

static bool mac(struct xt2_fast *p, bool invert, u32 arg)
{
	struct xt_mac_info *m = &p->payload.mac;
	u32 i, byte;

	m->invert = invert;
	for (i = 0; i < sizeof(m->srcaddr); i++) {
		if ((i && !xt2_fast_take(p, ':')) || xt2_fast_hex(p, 2, &byte) != 2)
			return false;
		m->srcaddr[i] = (__u8)byte;
	}
	return true;
}

static void limit_init(union xt2_fast_payload *payload)
{
	payload->limit.avg = XT_LIMIT_SCALE * 3600 / 3;
	payload->limit.burst = 5;
}

/* NUMBER[/UNIT] */
static bool limit_avg(struct xt2_fast *p, bool invert, u32 arg)
{
	static const struct word units[] = {
		{ "sec", 1 },	 { "min", 60 },	   { "hour", 3600 }, { "day", 86400 },
		{ "second", 1 }, { "minute", 60 }, { "s", 1 },	     { "m", 60 },
		{ "h", 3600 },	 { "d", 86400 },   { NULL, 0 },
	};
	u64 rate;
	u32 unit = 1, len;

	if (!xt2_fast_number(p, 1000000, &rate) || !rate)
		return false;
	if (xt2_fast_take(p, '/')) {
		len = xt2_fast_length(p->at);
		if (!word_of(units, p->at, len, &unit))
			return false;
		p->at += len;
	}
	p->payload.limit.avg = XT_LIMIT_SCALE * unit / (u32)rate;
	return p->payload.limit.avg;
}

static bool limit_burst(struct xt2_fast *p, bool invert, u32 arg)
{
	u64 burst;

	if (!xt2_fast_number(p, 10000, &burst))
		return false;
	p->payload.limit.burst = (__u32)burst;
	return true;
}

/* --- conntrack, state ---------------------------------------------------------- */

static const struct word states[] = {
	{ "NEW", XT_CONNTRACK_STATE_BIT(IP_CT_NEW) },
	{ "ESTABLISHED", XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED) },
	{ "RELATED", XT_CONNTRACK_STATE_BIT(IP_CT_RELATED) },
	{ "INVALID", XT_CONNTRACK_STATE_INVALID },
	{ "UNTRACKED", XT_CONNTRACK_STATE_UNTRACKED },
	{ NULL, 0 },
};

static bool ct_states(struct xt2_fast *p, bool invert, u32 flags)
{
	struct xt_conntrack_mtinfo3 *ct = &p->payload.conntrack;
	u32 mask;

	if (!words_of(p, states, &mask))
		return false;
	ct->match_flags = (__u16)flags;
	ct->invert_flags = invert ? XT_CONNTRACK_STATE : 0;
	ct->state_mask = (__u16)mask;
	return true;
}

/* --- comment ------------------------------------------------------------------- */

static bool comment(struct xt2_fast *p, bool invert, u32 arg)
{
	return xt2_fast_text(p);
}

/* --- rows ---------------------------------------------------------------------- */

/* clang-format off */
static const struct match matches[] = {
	[TCP] = { "tcp", "tcp", 0, 0, 0, any_ports, {
		{ "dport", 1, true, false, port, XT_UDP_INV_DSTPT },
		{ "sport", 2, true, false, port, XT_UDP_INV_SRCPT },
		{ "tcp-flags", 4, true, false, tcp_flags, 0 },
		{ "syn", 4, true, true, tcp_syn, 0 },
		{ "destination-port", 1, true, false, port, XT_UDP_INV_DSTPT },
		{ "source-port", 2, true, false, port, XT_UDP_INV_SRCPT },
	} },
	[UDP] = { "udp", "udp", 0, 0, 0, any_ports, {
		{ "dport", 1, true, false, port, XT_UDP_INV_DSTPT },
		{ "sport", 2, true, false, port, XT_UDP_INV_SRCPT },
		{ "destination-port", 1, true, false, port, XT_UDP_INV_DSTPT },
		{ "source-port", 2, true, false, port, XT_UDP_INV_SRCPT },
	} },
	[ICMP4] = { "icmp", "icmp", XT2_IPV4, 0, 1, NULL, {
		{ "icmp-type", 1, true, false, icmp_type, XT2_IPV4 },
	} },
	[ICMP6] = { "icmp6", "icmp6", XT2_IPV6, 0, 1, NULL, {
		{ "icmpv6-type", 1, true, false, icmp_type, XT2_IPV6 },
	} },
	[MULTIPORT] = { "multiport", "multiport", 0, 1, 1, NULL, {
		{ "dports", 1, true, false, multiport, XT_MULTIPORT_DESTINATION },
		{ "sports", 1, true, false, multiport, XT_MULTIPORT_SOURCE },
		{ "ports", 1, true, false, multiport, XT_MULTIPORT_EITHER },
		{ "destination-ports", 1, true, false, multiport, XT_MULTIPORT_DESTINATION },
		{ "source-ports", 1, true, false, multiport, XT_MULTIPORT_SOURCE },
	} },
	[COMMENT] = { "comment", "comment", 0, 0, 1, NULL, {
		{ "comment", 1, false, false, comment, 0 },
	} },
	[CONNTRACK] = { "conntrack", "conntrack", 0, 3, 1, NULL, {
		{ "ctstate", 1, true, false, ct_states, XT_CONNTRACK_STATE },
	} },
	[STATE] = { "state", "conntrack", 0, 3, 1, NULL, {
		{ "state", 1, true, false, ct_states, XT_CONNTRACK_STATE | XT_CONNTRACK_STATE_ALIAS },
	} },
	[MARK] = { "mark", "mark", 0, 1, 1, NULL, {
		{ "mark", 1, true, false, mark, 0 },
	} },
	[MAC] = { "mac", "mac", 0, 0, 1, NULL, {
		{ "mac-source", 1, true, false, mac, 0 },
	} },
	[LIMIT] = { "limit", "limit", 0, 0, 0, limit_init, {
		{ "limit", 1, false, false, limit_avg, 0 },
		{ "limit-burst", 2, false, false, limit_burst, 0 },
	} },
};
/* clang-format on */

_Static_assert(XT2_ARRAY_SIZE(matches) <= XT2_FAST_KINDS, "room for all kinds");

/* --- matches in general -------------------------------------------------------- */

struct question {
	const struct match *match;
	struct xt2_fast *p;
	struct xt2_fast_kind *kind;
};

static void ask(void *arg)
{
	struct question *q = arg;
	const struct match *m = q->match;
	const u8 family = (u8)q->p->family;
	const struct xt2_row *row = xt2_row_find(family, false, m->real, m->revision);
	const struct legacy_known *known = legacy_known_named(family, m->real);
	const unsigned int size = row ? row->size : XT_ALIGN(sizeof(struct xt_comment_info));

	q->kind->row = row;
	q->kind->proto = known ? known->proto : 0;
	q->kind->same = (!m->family || m->family == family) && !(known && known->tables) &&
			xt2_libxt_match_is(m->name, m->real, m->revision, size);
}

/* Is this match the one that is imitated here?  libxtables is asked once. */
static bool same(struct xt2_fast *p, int i)
{
	struct xt2_fast_kind *k = &p->kind[i];
	struct question q = { &matches[i], p, k };
	struct xt2_failure failure;

	if (!k->asked) {
		k->asked = true;
		if (xt2_try(ask, &q, &failure))
			k->same = false;
	}
	return k->same;
}

static void late(struct xt2_fast *p, struct xt2_match *m, const char *text, u32 len)
{
	p->late[p->lates++] = (struct xt2_fast_late){ m, text, len, -1 };
}

/* The match that is being read has all its options. */
static bool complete(struct xt2_fast *p)
{
	const struct match *row;
	const struct xt2_fast_kind *k;
	struct xt2_match *m;

	if (p->match < 0)
		return true;
	row = &matches[p->match];
	k = &p->kind[p->match];
	if ((row->needs && !(p->match_given & row->needs)) ||
	    (k->proto && p->needs_proto && k->proto != p->needs_proto))
		return false;
	p->needs_proto |= k->proto;
	m = memset(p->behind, 0, XT2_FAST_MATCH);
	if (!k->row) {
		m->type = XT2_M_COMMENT;
		m->size = sizeof(*m);
		late(p, m, p->comment, p->comment_len);
	} else {
		if (xt2_match_row_put(k->row, (u8)p->family, &p->payload, m))
			return false;
		m->type = k->row->type;
		if (xt2_match_info(m->type) & XT2_EXT_CELL)
			late(p, m, NULL, 0);
	}
	p->behind += m->size;
	return true;
}

static bool start(struct xt2_fast *p, int i)
{
	if (p->named && p->seen & 1u << i) /* whose options then are not its own any more */
		return false;
	if (!same(p, i) || !complete(p) || p->matches++ == XT2_FAST_MATCHES)
		return false;
	p->match = i;
	p->match_given = 0;
	p->seen |= 1u << i;
	if (p->kind[i].row) {
		memset(&p->payload, 0, p->kind[i].row->size);
		if (matches[i].init)
			matches[i].init(&p->payload);
	}
	return true;
}

bool xt2_fast_match(struct xt2_fast *p)
{
	const u32 len = xt2_fast_length(p->at);
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(matches); i++)
		if (xt2_fast_same(p->at, len, matches[i].name)) {
			p->at += len;
			return start(p, (int)i);
		}
	return xt2_fast_match_done(p) && xt2_fast_known_match(p);
}

bool xt2_fast_match_done(struct xt2_fast *p)
{
	const bool good = complete(p);

	p->match = -1;
	return good;
}

int xt2_fast_match_of(const struct xt2_fast *p, const char *name, u32 len)
{
	const bool six = p->family == XT2_IPV6;

	if (xt2_fast_same(name, len, "tcp"))
		return TCP;
	if (xt2_fast_same(name, len, "udp"))
		return UDP;
	if (!six && xt2_fast_same(name, len, "icmp"))
		return ICMP4;
	if (six && (xt2_fast_same(name, len, "ipv6-icmp") || xt2_fast_same(name, len, "icmpv6")))
		return ICMP6;
	return -1;
}

static const struct xt2_fast_option *option_of(int match, const char *name, u32 len)
{
	const struct xt2_fast_option *o = match < 0 ? NULL : matches[match].options;

	for (; o && o->name; o++)
		if (xt2_fast_same(name, len, o->name))
			return o;
	return NULL;
}

/*
 * The protocol's match comes with its first option, unless it has been there
 * before; multiport has options that start with the names of its options.
 */
static const struct xt2_fast_option *implied_option(struct xt2_fast *p, const char *name, u32 len)
{
	const struct xt2_fast_option *o;

	if (p->implied < 0 || p->named || p->seen & (1u << p->implied | 1u << MULTIPORT))
		return NULL;
	o = option_of(p->implied, name, len);
	return o && start(p, p->implied) ? o : NULL;
}

const struct xt2_fast_option *xt2_fast_match_option(struct xt2_fast *p, const char *name, u32 len)
{
	const struct xt2_fast_option *o = option_of(p->match, name, len);

	return o ? o : implied_option(p, name, len);
}

bool xt2_fast_match_end(struct xt2_fast *p)
{
	return complete(p) && (!p->needs_proto || (p->proto == p->needs_proto &&
						   !(p->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL))));
}
