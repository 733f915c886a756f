/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print-fast.c - common rules as text, without libxtables
 *
 * Rulesets that are large are made of few kinds of rules: addresses, ports,
 * states, comments, verdicts.  These are written straight from their packed
 * bytes.  The words are those of libxtables 1.8; tests/prop/rule-text.c holds
 * both printers to the same bytes.  What is unusual is left to libxtables:
 * unknown extensions, masks with holes, values that iptables never writes.  A
 * function that writes a part of a rule answers NULL to leave it.
 */
#include "config.h"
#include <net/if.h>
#include <netinet/in.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/xt_LOG.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_tcpudp.h>
#include "xt2tables/text/libxt.h"
#include "reject-names.h"
#include "print-fast.h"
#include "engine/image.h"
#include "extensions/state/limit.h"
#include "translators/ext/translate.h"

#define CONDITION_ROOM 640 /* a comment of 255 quotes is the longest */
#define COMMENT_MAX    255
#define LIMIT_BURST    5u /* what --limit-burst need not say */
#define LOG_LEVEL      4 /* likewise */

static bool invert(const struct xt2_match *m)
{
	return m->flags & XT2_MATCH_INVERT;
}

static inline char *put_not(char *p, bool inverted)
{
	return inverted ? xt2_put(p, " !") : p;
}

/* Bytes of words. */
#define BARE   0x01 /* a comment of these alone has no quotes */
#define BREAK  0x02 /* a name with one has quotes */
#define ESCAPE 0x04 /* follows a backslash in a comment */

static const __u8 byte_class[256] = {
	['0' ... '9'] = BARE, ['A' ... 'Z'] = BARE, ['a' ... 'z'] = BARE, ['_'] = BARE,
	['-'] = BARE,	      [' '] = BREAK,	    ['\t'] = BREAK,	  ['"'] = BREAK | ESCAPE,
	['\\'] = ESCAPE,      ['\''] = ESCAPE,
};

/* A name without quotes, as put_name() in rule-print.c.  => NULL: it needs some */
static char *put_name(char *p, const char *name, size_t len)
{
	__u8 class = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		class |= byte_class[(__u8)name[i]];
		p[i] = name[i];
	}
	return class & BREAK ? NULL : p + len;
}

/* --- addresses and interfaces ------------------------------------------------- */

static char *put_option(char *p, const struct xt2_match *m, char letter)
{
	p = put_not(p, invert(m));
	p = xt2_put(p, " -s ");
	p[-2] = letter;
	return p;
}

/* => NULL: the mask has holes */
static char *put_addr4(char *p, const struct xt2_match *m, char letter, __u32 mask)
{
	__u32 host = ~mask;

	if (host & (host + 1))
		return NULL;
	p = xt2_put_addr4(put_option(p, m, letter), m->arg);
	*p++ = '/';
	return xt2_put_byte(p, (__u8)(host ? __builtin_clz(host) : 32));
}

static char *put_addr4_net(char *p, const struct xt2_match *m, char letter)
{
	return put_addr4(p, m, letter, ~0u << (m->flags & XT2_ADDR4_SHIFT));
}

static char *put_addr4_mask(char *p, const struct xt2_match *m, char letter)
{
	return put_addr4(p, m, letter, ((const struct xt2_match_addr4_mask *)m)->mask);
}

static char *put_addr6(char *p, const struct xt2_match *m, char letter)
{
	const struct xt2_match_addr6 *k = (const struct xt2_match_addr6 *)m;

	return xt2_put(xt2_put_addr6(put_option(p, m, letter), k->addr), "/128");
}

static char *put_addr6_mask(char *p, const struct xt2_match *m, char letter)
{
	const struct xt2_match_addr6_mask *k = (const struct xt2_match_addr6_mask *)m;
	__u64 high = ~be64toh(k->mask[0]), low = ~be64toh(k->mask[1]);
	__u64 host = high ? high : low;
	int prefix = (high ? 0 : 64) + (host ? __builtin_clzll(host) : 64);

	if (host & (host + 1) || (high && ~low))
		return NULL;
	p = xt2_put_addr6(put_option(p, m, letter), k->addr);
	*p++ = '/';
	return xt2_put_byte(p, (__u8)prefix);
}

static char *put_iface(char *p, const struct xt2_match *m, char letter)
{
	const struct xt2_match_iface *k = (const struct xt2_match_iface *)m;
	const char *name = (const char *)k->name;
	size_t len = strnlen(name, m->arg < IFNAMSIZ ? m->arg : IFNAMSIZ);

	p = put_name(put_option(p, m, letter), name, len);
	if (p && len == m->arg)
		*p++ = '+';
	return p;
}

static char *put_proto(char *p, const struct xt2_match *m)
{
	const char *name;

	if (!m->arg) /* "-p all" of IPv6 */
		return p;
	p = put_option(p, m, 'p');
	name = xt2_libxt_proto_name(m->arg);
	return name ? xt2_put_bytes(p, name, strlen(name)) : xt2_put_small(p, m->arg);
}

/* --- ports and types ------------------------------------------------------------ */

/* What the forms of tcp and udp say. */
static struct xt_tcp get_ports(const struct xt2_match *m)
{
	struct xt_tcp ports = { .option = 0 };

	xt2_tcp_unpack(m, 0, &ports);
	return ports;
}

static char *put_range(char *p, __u16 first, __u16 last)
{
	p = xt2_put_small(p, first);
	if (first == last)
		return p;
	*p++ = ':';
	return xt2_put_small(p, last);
}

/* An inversion of any port is not printed. */
static char *put_ports(char *p, const struct xt_tcp *ports)
{
	if (ports->spts[0] || ports->spts[1] != 65535) {
		p = put_not(p, ports->invflags & XT_TCP_INV_SRCPT);
		p = put_range(xt2_put(p, " --sport "), ports->spts[0], ports->spts[1]);
	}
	if (ports->dpts[0] || ports->dpts[1] != 65535) {
		p = put_not(p, ports->invflags & XT_TCP_INV_DSTPT);
		p = put_range(xt2_put(p, " --dport "), ports->dpts[0], ports->dpts[1]);
	}
	return p;
}

static char *put_tcp_flags(char *p, __u8 flags)
{
	static const char names[6][5] = { "FIN,", "SYN,", "RST,", "PSH,", "ACK,", "URG," };
	int i;

	if (!flags)
		return xt2_put(p, "NONE");
	for (i = 0; i < 6; i++)
		if (flags >> i & 1)
			p = xt2_put_bytes(p, names[i], 4);
	return p - 1;
}

static char *put_tcp(char *p, const struct xt2_match *m)
{
	const struct xt_tcp tcp = get_ports(m);

	if ((tcp.flg_mask | tcp.flg_cmp) & 0xc0) /* no names */
		return NULL;
	p = put_ports(xt2_put(p, " -m tcp"), &tcp);
	if (tcp.option || tcp.invflags & XT_TCP_INV_OPTION) {
		p = put_not(p, tcp.invflags & XT_TCP_INV_OPTION);
		p = xt2_put_byte(xt2_put(p, " --tcp-option "), tcp.option);
	}
	if (tcp.flg_mask || tcp.invflags & XT_TCP_INV_FLAGS) {
		p = put_not(p, tcp.invflags & XT_TCP_INV_FLAGS);
		p = put_tcp_flags(xt2_put(p, " --tcp-flags "), tcp.flg_mask);
		*p++ = ' ';
		p = put_tcp_flags(p, tcp.flg_cmp);
	}
	return p;
}

static char *put_udp(char *p, const struct xt2_match *m)
{
	const struct xt_tcp udp = get_ports(m);

	if (m->flags & XT2_MATCH_VERBATIM)
		return NULL;
	return put_ports(xt2_put(p, " -m udp"), &udp);
}

/* TYPE or TYPE/CODE; of a range of codes only the first is printed. */
static char *put_icmp_type(char *p, __u32 arg)
{
	p = xt2_put_byte(p, XT2_BYTE(arg, 0));
	if (!XT2_BYTE(arg, 1) && XT2_BYTE(arg, 2) == 255)
		return p;
	*p++ = '/';
	return xt2_put_byte(p, XT2_BYTE(arg, 1));
}

static char *put_icmp(char *p, const struct xt2_match *m)
{
	bool any = XT2_BYTE(m->arg, 0) == 255;

	if (any && (XT2_BYTE(m->arg, 1) || XT2_BYTE(m->arg, 2) != 255))
		return NULL;
	p = xt2_put(p, " -m icmp");
	p = put_not(p, XT2_BYTE(m->arg, 3));
	p = xt2_put(p, " --icmp-type ");
	return any ? xt2_put(p, "any") : put_icmp_type(p, m->arg);
}

static char *put_icmp6(char *p, const struct xt2_match *m)
{
	p = xt2_put(p, " -m icmp6");
	p = put_not(p, XT2_BYTE(m->arg, 3));
	return put_icmp_type(xt2_put(p, " --icmpv6-type "), m->arg);
}

static char *put_multiport(char *p, const struct xt2_match *m)
{
	const struct xt2_match_multiport *k = (const struct xt2_match_multiport *)m;
	const __u32 n = XT2_BYTE(m->arg, 0), ranges = m->arg >> 16;
	__u32 i;

	if (m->flags & XT2_MATCH_VERBATIM || !n)
		return NULL;
	p = xt2_put(p, " -m multiport");
	p = put_not(p, invert(m));
	switch (XT2_BYTE(m->arg, 1)) {
	case XT2_MULTIPORT_SRC: p = xt2_put(p, " --sports "); break;
	case XT2_MULTIPORT_DST: p = xt2_put(p, " --dports "); break;
	default: p = xt2_put(p, " --ports ");
	}
	for (i = 0; i < n; i++) {
		p = xt2_put_small(p, k->ports[i]);
		*p++ = ranges >> i & 1 ? ':' : ',';
	}
	return p - 1;
}

/* --- marks, states, limits, comments --------------------------------------------- */

/* Of the packet, or of its connection. */
static char *put_mark(char *p, const struct xt2_match *m)
{
	const struct xt2_match_mark *k = (const struct xt2_match_mark *)m;

	if (m->flags & ~XT2_MATCH_INVERT) /* an odd truth value */
		return NULL;
	p = m->type == XT2_M_MARK ? xt2_put(p, " -m mark") : xt2_put(p, " -m connmark");
	p = put_not(p, invert(m));
	p = xt2_put_hex(xt2_put(p, " --mark 0x"), m->arg);
	if (m->size == sizeof(*m) || k->mask == ~0u)
		return p;
	return xt2_put_hex(xt2_put(p, "/0x"), k->mask);
}

static char *put_states(char *p, __u32 states)
{
	char *start = p;

	if (states & XT_CONNTRACK_STATE_INVALID)
		p = xt2_put(p, "INVALID,");
	if (states & XT_CONNTRACK_STATE_BIT(IP_CT_NEW))
		p = xt2_put(p, "NEW,");
	if (states & XT_CONNTRACK_STATE_BIT(IP_CT_RELATED))
		p = xt2_put(p, "RELATED,");
	if (states & XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED))
		p = xt2_put(p, "ESTABLISHED,");
	if (states & XT_CONNTRACK_STATE_UNTRACKED)
		p = xt2_put(p, "UNTRACKED,");
	if (states & XT_CONNTRACK_STATE_SNAT)
		p = xt2_put(p, "SNAT,");
	if (states & XT_CONNTRACK_STATE_DNAT)
		p = xt2_put(p, "DNAT,");
	return p == start ? NULL : p - 1;
}

/* The state alone; "-m state" is an alias that is kept. */
static char *put_conntrack(char *p, const struct xt2_match *m)
{
	const struct xt2_match_conntrack *k = (const struct xt2_match_conntrack *)m;
	bool alias = k->tests & XT_CONNTRACK_STATE_ALIAS;

	if ((k->tests & ~XT_CONNTRACK_STATE_ALIAS) != XT_CONNTRACK_STATE ||
	    XT2_CONNTRACK_REVISION(m->flags) != 3)
		return NULL;
	p = alias ? xt2_put(p, " -m state") : xt2_put(p, " -m conntrack");
	p = put_not(p, k->inverted & XT_CONNTRACK_STATE);
	p = alias ? xt2_put(p, " --state ") : xt2_put(p, " --ctstate ");
	return put_states(p, m->arg);
}

/* N per day, hour, minute or second, whichever is long enough to make N a good one. */
static char *put_limit(char *p, const struct xt2_match *m)
{
	static const struct {
		char name[5];
		__u32 period;
	} units[] = { { "/day", XT2_LIMIT_SCALE * 24 * 60 * 60 },
		      { "/hour", XT2_LIMIT_SCALE * 60 * 60 },
		      { "/min", XT2_LIMIT_SCALE * 60 },
		      { "/sec", XT2_LIMIT_SCALE } };
	const struct xt2_match_limit *k = (const struct xt2_match_limit *)m;
	size_t i;

	if (!k->avg)
		return NULL;
	for (i = 1; i < XT2_ARRAY_SIZE(units); i++)
		if (units[i].period / k->avg < units[i].period % k->avg)
			break;
	p = xt2_put_number(xt2_put(p, " -m limit --limit "), units[i - 1].period / k->avg);
	p = xt2_put_bytes(p, units[i - 1].name, i == 2 ? 5 : 4);
	if (k->burst != LIMIT_BURST)
		p = xt2_put_number(xt2_put(p, " --limit-burst "), k->burst);
	return p;
}

/* => is one of eight bytes equal to c? */
static bool has_byte(__u64 bytes, __u8 c)
{
	const __u64 ones = 0x0101010101010101ull;
	__u64 differ = bytes ^ ones * c;

	return (differ - ones) & ~differ & 0x80 * ones;
}

static bool has_escape(const __u8 *text)
{
	__u64 bytes = xt2_raw64(text);

	return has_byte(bytes, '"') | has_byte(bytes, '\\') | has_byte(bytes, '\'');
}

/* A blank and one word, as xtables_save_string() */
static char *put_word(char *p, const __u8 *text, size_t len)
{
	size_t i = 0;

	while (i < len && byte_class[text[i]] & BARE)
		i++;
	*p++ = ' ';
	if (len && i == len)
		return xt2_put_bytes(p, text, len);
	*p++ = '"';
	for (i = 0; i < len;) {
		if (len - i >= 8 && !has_escape(text + i)) {
			p = xt2_put_bytes(p, text + i, 8);
			i += 8;
			continue;
		}
		if (byte_class[text[i]] & ESCAPE)
			*p++ = '\\';
		*p++ = (char)text[i++];
	}
	*p++ = '"';
	return p;
}

static char *put_comment(char *p, const struct xt2_instance *in)
{
	if (in->size > COMMENT_MAX || in->revision)
		return NULL;
	return put_word(xt2_put(p, " -m comment --comment"), xt2_instance_data(in), in->size);
}

/* --- other matches --------------------------------------------------------------- */

static char *put_mac(char *p, const struct xt2_match *m)
{
	static const char hex[] = "0123456789abcdef";
	const struct xt2_match_mac *k = (const struct xt2_match_mac *)m;
	int i;

	p = xt2_put(p, " -m mac");
	p = put_not(p, m->arg);
	p = xt2_put(p, " --mac-source ");
	for (i = 0; i < 6; i++) {
		*p++ = hex[k->addr[i] >> 4];
		*p++ = hex[k->addr[i] & 15];
		*p++ = ':';
	}
	return p - 1;
}

static char *put_length(char *p, const struct xt2_match *m)
{
	if (m->flags & ~XT2_MATCH_INVERT)
		return NULL;
	p = xt2_put(p, " -m length");
	p = put_not(p, invert(m));
	return put_range(xt2_put(p, " --length "), (__u16)m->arg, (__u16)(m->arg >> 16));
}

/* "%.11f" of so many 2^31ths: exact, and rounded to even, as printf() has it */
static char *put_probability(char *p, __u32 n)
{
	const __u64 one = 100000000000ull;
	const unsigned __int128 exact = (unsigned __int128)n * one;
	const __u32 rest = (__u32)exact & 0x7fffffff, half = 0x40000000;
	__u64 rounded = (__u64)(exact >> 31);
	char *dot;

	if (rest > half || (rest == half && rounded & 1))
		rounded++;
	dot = p = xt2_put_small(p, (__u32)(rounded / one));
	rounded %= one;
	p = xt2_put_small(p, 1000 + (__u32)(rounded / 100000000)); /* a 1 where the dot comes */
	*dot = '.';
	return xt2_put_eight(p, (__u32)(rounded % 100000000));
}

static char *put_statistic(char *p, const struct xt2_match *m)
{
	const struct xt2_match_statistic *k = (const struct xt2_match_statistic *)m;
	bool nth = m->flags & XT2_STATISTIC_NTH;

	p = xt2_put(p, " -m statistic --mode ");
	p = nth ? xt2_put(p, "nth") : xt2_put(p, "random");
	p = put_not(p, invert(m));
	if (!nth)
		return put_probability(xt2_put(p, " --probability "), k->value);
	p = xt2_put_number(xt2_put(p, " --every "), k->value + 1);
	return xt2_put_number(xt2_put(p, " --packet "), k->packet);
}

/* --- targets -------------------------------------------------------------------------- */

static char *put_reject(char *p, int family, __u32 with)
{
	const char *name = xt2_reject_name(family, with);

	if (!name)
		return NULL;
	return xt2_put_bytes(xt2_put(p, " -j REJECT --reject-with "), name, strlen(name));
}

static char *put_log(char *p, const struct xt2_rule *r)
{
	static const struct {
		__u32 bit;
		const char *option;
	} flags[] = {
		{ XT_LOG_TCPSEQ, " --log-tcp-sequence" }, { XT_LOG_TCPOPT, " --log-tcp-options" },
		{ XT_LOG_IPOPT, " --log-ip-options" },	  { XT_LOG_UID, " --log-uid" },
		{ XT_LOG_MACDECODE, " --log-macdecode" },
	};
	const __u32 arg = XT2_TARGET_ARG(r->target);
	const __u8 *prefix = xt2_rule_target_data(r);
	size_t i, len = strnlen((const char *)prefix, xt2_rule_target_size(r));

	if (len >= XT2_LOG_PREFIX)
		return NULL;
	p = xt2_put(p, " -j LOG");
	if (len)
		p = put_word(xt2_put(p, " --log-prefix"), prefix, len);
	if (XT2_LOG_LEVEL(arg) != LOG_LEVEL)
		p = xt2_put_byte(xt2_put(p, " --log-level "), XT2_LOG_LEVEL(arg));
	for (i = 0; i < XT2_ARRAY_SIZE(flags); i++)
		if (XT2_LOG_FLAGS(arg) & flags[i].bit)
			p = xt2_put_bytes(p, flags[i].option, strlen(flags[i].option));
	return p;
}

static char *put_set_mark(char *p, const struct xt2_rule *r)
{
	const struct xt2_mark *data = xt2_rule_target_data(r);
	bool wide = xt2_rule_target_size(r);

	p = xt2_put_hex(xt2_put(p, " -j MARK --set-xmark 0x"),
			wide ? data->mark : XT2_TARGET_ARG(r->target));
	return xt2_put_hex(xt2_put(p, "/0x"), wide ? data->mask : ~0u);
}

/* One address and at most one port, as most rules translate to. */
static char *put_nat_range(char *p, int family, unsigned int flags, const void *addr, __be16 port)
{
	const bool ports = flags & NF_NAT_RANGE_PROTO_SPECIFIED,
		   brackets = ports && family == XT2_IPV6;
	__u32 four;

	if (brackets)
		*p++ = '[';
	if (family == XT2_IPV6) {
		p = xt2_put_addr6(p, addr);
	} else {
		memcpy(&four, addr, sizeof(four));
		p = xt2_put_addr4(p, be32toh(four));
	}
	if (brackets)
		*p++ = ']';
	if (!ports)
		return p;
	*p++ = ':';
	return xt2_put_small(p, be16toh(port));
}

static bool nat_flags(unsigned int flags)
{
	return (flags & ~(unsigned int)NF_NAT_RANGE_PROTO_SPECIFIED) == NF_NAT_RANGE_MAP_IPS;
}

/* struct nf_nat_range2, which begins as struct nf_nat_range */
static char *put_nat(char *p, int family, const void *data)
{
	struct nf_nat_range range;

	memcpy(&range, data, sizeof(range));
	if (!nat_flags(range.flags) || range.min_proto.all != range.max_proto.all ||
	    memcmp(&range.min_addr, &range.max_addr, family == XT2_IPV6 ? 16 : 4))
		return NULL;
	return put_nat_range(p, family, range.flags, &range.min_addr, range.min_proto.all);
}

static char *put_nat_multi(char *p, const void *data)
{
	struct nf_nat_ipv4_multi_range_compat multi;
	const struct nf_nat_ipv4_range *r = multi.range;

	memcpy(&multi, data, sizeof(multi));
	if (multi.rangesize != 1 || !nat_flags(r->flags) || r->min_ip != r->max_ip ||
	    r->min.all != r->max.all)
		return NULL;
	return put_nat_range(p, XT2_IPV4, r->flags, &r->min_ip, r->min.all);
}

/* Without ports and the like, which few have. */
static char *put_masquerade(char *p, int family, const struct xt2_instance *in)
{
	const struct nf_nat_ipv4_multi_range_compat *multi = (const void *)xt2_instance_data(in);
	const struct nf_nat_range *range = (const void *)multi;

	if (in->revision)
		return NULL;
	if (family == XT2_IPV4 ? in->size != XT_ALIGN(sizeof(*multi)) || multi->range[0].flags
			       : in->size != XT_ALIGN(sizeof(*range)) || range->flags)
		return NULL;
	return xt2_put(p, " -j MASQUERADE");
}

/* Names are padded with NUL: comparing so few bytes is an instruction or two. */
#define NAMED(in, text) (!memcmp((in)->name, text, sizeof(text)))

static char *put_translation(const struct xt2_rule_text *t, char *p, const struct xt2_instance *in)
{
	const void *data = xt2_instance_data(in);

	if (NAMED(in, "MASQUERADE"))
		return put_masquerade(p, t->family, in);
	if (NAMED(in, "DNAT") && in->revision == 2 &&
	    in->size == XT_ALIGN(sizeof(struct nf_nat_range2)))
		return put_nat(xt2_put(p, " -j DNAT --to-destination "), t->family, data);
	if (!NAMED(in, "SNAT"))
		return NULL;
	p = xt2_put(p, " -j SNAT --to-source ");
	if (t->family == XT2_IPV6 && in->revision == 1 &&
	    in->size == XT_ALIGN(sizeof(struct nf_nat_range)))
		return put_nat(p, XT2_IPV6, data);
	if (t->family == XT2_IPV4 && !in->revision &&
	    in->size == XT_ALIGN(sizeof(struct nf_nat_ipv4_multi_range_compat)))
		return put_nat_multi(p, data);
	return NULL;
}

static char *put_target(const struct xt2_rule_text *t, char *p, const struct xt2_rule *r)
{
	const char *name;

	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_CONTINUE: return p;
	case XT2_T_ACCEPT: return xt2_put(p, " -j ACCEPT");
	case XT2_T_DROP: return xt2_put(p, " -j DROP");
	case XT2_T_RETURN: return xt2_put(p, " -j RETURN");
	case XT2_T_QUEUE: return xt2_put(p, " -j QUEUE");
	case XT2_T_REJECT: return put_reject(p, t->family, XT2_TARGET_ARG(r->target));
	case XT2_T_LOG: return put_log(p, r);
	case XT2_T_MARK: return put_set_mark(p, r);
	case XT2_T_NAT:
		return put_translation(t, p, xt2_instance_get(t->rs, XT2_TARGET_ARG(r->target)));
	case XT2_T_JUMP: p = xt2_put(p, " -j "); break;
	case XT2_T_GOTO: p = xt2_put(p, " -g "); break;
	default: return NULL;
	}
	name = xt2_chain_name(t->rs, (int)XT2_TARGET_ARG(r->target));
	return put_name(p, name, strlen(name));
}

/* --- rules ------------------------------------------------------------------------- */

static char *put_match(const struct xt2_rule_text *t, char *p, const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_SRC4: return put_addr4_net(p, m, 's');
	case XT2_M_DST4: return put_addr4_net(p, m, 'd');
	case XT2_M_SRC4_MASK: return put_addr4_mask(p, m, 's');
	case XT2_M_DST4_MASK: return put_addr4_mask(p, m, 'd');
	case XT2_M_SRC6: return put_addr6(p, m, 's');
	case XT2_M_DST6: return put_addr6(p, m, 'd');
	case XT2_M_SRC6_MASK: return put_addr6_mask(p, m, 's');
	case XT2_M_DST6_MASK: return put_addr6_mask(p, m, 'd');
	case XT2_M_IN: return put_iface(p, m, 'i');
	case XT2_M_OUT: return put_iface(p, m, 'o');
	case XT2_M_PROTO: return put_proto(p, m);
	case XT2_M_FRAGMENT: return invert(m) ? xt2_put(p, " ! -f") : xt2_put(p, " -f");
	case XT2_M_TCP: return put_tcp(p, m);
	case XT2_M_UDP: return put_udp(p, m);
	case XT2_M_ICMP: return put_icmp(p, m);
	case XT2_M_ICMP6: return put_icmp6(p, m);
	case XT2_M_MULTIPORT: return put_multiport(p, m);
	case XT2_M_MARK:
	case XT2_M_CONNMARK: return put_mark(p, m);
	case XT2_M_MAC: return put_mac(p, m);
	case XT2_M_LENGTH: return put_length(p, m);
	case XT2_M_STATISTIC: return put_statistic(p, m);
	case XT2_M_CONNTRACK: return put_conntrack(p, m);
	case XT2_M_LIMIT: return put_limit(p, m);
	case XT2_M_COMMENT: return put_comment(p, xt2_instance_get(t->rs, (int)m->arg));
	}
	return NULL;
}

static char *put_counters(char *p, const struct xt2_rule *r)
{
	if (!(r->packets | r->bytes))
		return xt2_put(p, "[0:0] ");
	*p++ = '[';
	p = xt2_put_number(p, r->packets);
	*p++ = ':';
	return xt2_put(xt2_put_number(p, r->bytes), "] ");
}

void xt2_rule_text_begin(struct xt2_rule_text *t, const struct xt2_ruleset *rs, int family,
			 bool counters)
{
	*t = (struct xt2_rule_text){ .rs = rs, .family = family, .counters = counters };
}

void xt2_rule_text_chain(struct xt2_rule_text *t, int chain)
{
	const char *name = xt2_chain_name(t->rs, chain);
	char *end = put_name(xt2_put(t->head, "-A "), name, strlen(name));

	t->head_len = end && (t->family == XT2_IPV4 || t->family == XT2_IPV6)
			      ? (unsigned int)(end - t->head)
			      : 0;
}

char *xt2_rule_text_head(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
			 const char *end)
{
	char *p = at;

	if (!t->head_len || end - p < CONDITION_ROOM)
		return NULL;
	if (t->counters)
		p = put_counters(p, r);
	memcpy(p, t->head, sizeof(t->head)); /* one size is faster */
	return p + t->head_len;
}

char *xt2_rule_text_match(const struct xt2_rule_text *t, const struct xt2_match *m, char *at,
			  const char *end)
{
	return end - at < CONDITION_ROOM ? NULL : put_match(t, at, m);
}

char *xt2_rule_text_target(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
			   const char *end)
{
	return end - at < CONDITION_ROOM ? NULL : put_target(t, at, r);
}

char *xt2_rule_text(const struct xt2_rule_text *t, const struct xt2_rule *r, char *at,
		    const char *end)
{
	const struct xt2_match *m;
	char *p = xt2_rule_text_head(t, r, at, end);

	xt2_rule_for_each_match(m, r) {
		if (!p)
			return NULL;
		p = xt2_rule_text_match(t, m, p, end);
	}
	if (p)
		p = xt2_rule_text_target(t, r, p, end);
	if (p)
		*p++ = '\n';
	return p;
}
