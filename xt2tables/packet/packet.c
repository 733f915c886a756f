/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.c - one packet, from options, bytes or a capture
 *
 * A packet from options is a plain one: no IP options, correct checksums, and
 * a payload of zeros up to --length.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include "packet.h"

static int bad(struct xt2_err *err, const char *format, ...)
{
	va_list args;

	memset(err, 0, sizeof(*err));
	err->code = XT2_E_SYNTAX;
	snprintf(err->file, sizeof(err->file), "packet");
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -EINVAL;
}

static int number(const char *arg, unsigned long max, const char *what, unsigned long fallback,
		  unsigned long *out, struct xt2_err *err)
{
	unsigned long long n = fallback;
	const bool taken = !arg || (xt2_number(arg, 0, &n) && n <= max);

	*out = n;
	return taken ? 0 : bad(err, "%s: '%s' is not a number from 0 to %lu", what, arg, max);
}

static int port(const char *arg, const char *proto, const char *what, unsigned long fallback,
		unsigned long *out, struct xt2_err *err)
{
	const struct servent *s = arg && isalpha((unsigned char)*arg) ? getservbyname(arg, proto)
								      : NULL;

	if (s) {
		*out = ntohs(s->s_port);
		return 0;
	}
	return number(arg, 65535, what, fallback, out, err);
}

static int mac(const char *arg, __u8 out[6], struct xt2_err *err)
{
	unsigned int b[6];
	char rest;
	int i;

	if (!arg)
		return 0;
	if (sscanf(arg, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &rest) != 6)
		return bad(err, "'%s' is not a MAC address", arg);
	for (i = 0; i < 6; i++)
		out[i] = b[i];
	return 0;
}

/* The Internet checksum over a list of words, folded. */
static __u32 sum(const __u8 *p, size_t n, __u32 s)
{
	for (; n > 1; n -= 2, p += 2)
		s += p[0] << 8 | p[1];
	if (n)
		s += p[0] << 8;
	return s;
}

static __u16 fold(__u32 s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s;
}

static void put16(__u8 *p, unsigned long v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static int protocol(const struct xt2_packet_spec *spec, struct xt2_err *err)
{
	static const struct {
		const char *name;
		int number;
	} known[] = { { "icmp6", 58 }, { "icmpv6", 58 }, { "ipv6-icmp", 58 }, { "tcp", 6 },
		      { "udp", 17 },   { "sctp", 132 },	 { "dccp", 33 } };
	const char *arg = spec->protocol;
	const struct protoent *p;
	unsigned long n;
	size_t i;

	if (!arg)
		return spec->sport || spec->dport || spec->tcp_flags ? IPPROTO_TCP
		       : spec->icmp_type ? (spec->family == XT2_IPV6 ? 58 : 1)
					 : IPPROTO_TCP;
	for (i = 0; i < XT2_ARRAY_SIZE(known); i++)
		if (!strcmp(arg, known[i].name))
			return known[i].number;
	if (!strcmp(arg, "icmp"))
		return spec->family == XT2_IPV6 ? 58 : 1;
	p = getprotobyname(arg);
	if (p)
		return p->p_proto;
	if (isalpha((unsigned char)*arg))
		return bad(err, "unknown protocol '%s'", arg);
	return number(arg, 255, "protocol", 0, &n, err) < 0 ? -EINVAL : (int)n;
}

static int tcp_flags(const char *arg, struct xt2_err *err)
{
	static const char *const names[] = {
		"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"
	};
	int flags = 0;
	size_t i;

	if (!arg)
		return 2;
	while (*arg) {
		size_t n = strcspn(arg, ",");

		for (i = 0; i < 8; i++)
			if (strlen(names[i]) == n && !strncasecmp(arg, names[i], n))
				break;
		if (i < 8)
			flags |= 1 << i;
		else if (strncasecmp(arg, "NONE", n))
			return bad(err, "TCP flags: '%s'", arg);
		arg += n;
		arg += *arg == ',';
	}
	return flags;
}

/* By number, TYPE or TYPE/CODE, or by the name that iptables has for it. */
static int icmp_type(const char *arg, bool v6, unsigned long *type, unsigned long *code,
		     struct xt2_err *err)
{
	static const struct {
		const char *name;
		short type4, type6, code; /* -1: not in this family */
	} names[] = {
		{ "echo-request", 8, 128, 0 },
		{ "ping", 8, 128, 0 },
		{ "echo-reply", 0, 129, 0 },
		{ "pong", 0, 129, 0 },
		{ "destination-unreachable", 3, 1, 0 },
		{ "network-unreachable", 3, -1, 0 },
		{ "no-route", -1, 1, 0 },
		{ "host-unreachable", 3, -1, 1 },
		{ "communication-prohibited", 3, -1, 13 },
		{ "communication-prohibited", -1, 1, 1 },
		{ "port-unreachable", 3, -1, 3 },
		{ "port-unreachable", -1, 1, 4 },
		{ "fragmentation-needed", 3, -1, 4 },
		{ "packet-too-big", -1, 2, 0 },
		{ "redirect", 5, 137, 0 },
		{ "time-exceeded", 11, 3, 0 },
		{ "ttl-exceeded", 11, 3, 0 },
		{ "parameter-problem", 12, 4, 0 },
		{ "timestamp-request", 13, -1, 0 },
		{ "timestamp-reply", 14, -1, 0 },
		{ "router-solicitation", 10, 133, 0 },
		{ "router-advertisement", 9, 134, 0 },
		{ "neighbour-solicitation", -1, 135, 0 },
		{ "neighbor-solicitation", -1, 135, 0 },
		{ "neighbour-advertisement", -1, 136, 0 },
		{ "neighbor-advertisement", -1, 136, 0 },
	};
	char *end;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++) {
		int named = v6 ? names[i].type6 : names[i].type4;

		if (strcmp(arg, names[i].name) || named < 0)
			continue;
		*type = named;
		*code = names[i].code;
		return 0;
	}
	*type = strtoul(arg, &end, 0);
	*code = *end == '/' ? strtoul(end + 1, &end, 0) : 0;
	if (!*arg || *end || *type > 255 || *code > 255)
		return bad(err, "ICMP type: '%s' is no known name, TYPE or TYPE/CODE", arg);
	return 0;
}

/* The transport header and payload.  => its bytes, or -EINVAL */
static int transport(const struct xt2_packet_spec *spec, int proto, __u8 *p, size_t room,
		     struct xt2_err *err)
{
	const char *name = proto == IPPROTO_UDP ? "udp" : "tcp";
	unsigned long sport, dport, type = 8, code = 0;
	int flags = tcp_flags(spec->tcp_flags, err);

	if (flags < 0 || port(spec->sport, name, "source port", 40000, &sport, err) < 0 ||
	    port(spec->dport, name, "destination port", 80, &dport, err) < 0)
		return -EINVAL;
	if (spec->icmp_type) {
		if (icmp_type(spec->icmp_type, proto == 58, &type, &code, err) < 0)
			return -EINVAL;
	} else if (proto == 58) {
		type = 128;
	}
	if (room < 64)
		return bad(err, "the packet is too long");
	if (xt2_proto_has_ports(proto)) {
		put16(p, sport);
		put16(p + 2, dport);
	}
	switch (proto) {
	case IPPROTO_TCP:
		p[12] = 5 << 4;
		p[13] = flags;
		put16(p + 14, 64240);
		return 20;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE: return 8;
	case IPPROTO_SCTP:
		p[12] = 1; /* an INIT chunk */
		put16(p + 14, 20);
		return 32;
	case IPPROTO_DCCP:
		p[4] = 4;
		p[8] = 0 << 1 | 1; /* a REQUEST with a long sequence number */
		return 20;
	case IPPROTO_ICMP:
	case 58:
		p[0] = type;
		p[1] = code;
		return 8;
	}
	return 0;
}

/* Where the checksum of a transport header is; 0: it has none that we fill in. */
static unsigned int checksum_at(int proto)
{
	switch (proto) {
	case IPPROTO_TCP: return 16;
	case IPPROTO_UDP: return 6;
	case IPPROTO_ICMP:
	case 58: return 2;
	}
	return 0;
}

static void finish_transport(int proto, __u8 *p, size_t n, const __u8 *addresses, size_t addr_len)
{
	unsigned int at = checksum_at(proto);
	__u32 s = 0;

	if (proto == IPPROTO_UDP || proto == IPPROTO_UDPLITE)
		put16(p + 4, n);
	if (!at || n < at + 2u)
		return;
	if (proto != IPPROTO_ICMP)
		s = sum(addresses, addr_len, proto + n);
	put16(p + at, fold(sum(p, n, s)));
}

/* Source and destination address, or these.  => 0, -EINVAL */
static int addresses(const struct xt2_packet_spec *spec, int af, const char *source,
		     const char *destination, __u8 *from, __u8 *to, struct xt2_err *err)
{
	const char *name = af == AF_INET ? "IPv4" : "IPv6";

	source = spec->source ? spec->source : source;
	destination = spec->destination ? spec->destination : destination;
	if (inet_pton(af, source, from) != 1)
		return bad(err, "'%s' is not an %s address", source, name);
	if (inet_pton(af, destination, to) != 1)
		return bad(err, "'%s' is not an %s address", destination, name);
	return 0;
}

/* The transport header after off bytes, and the packet's length.  => bytes of the header, -EINVAL */
static int payload(const struct xt2_packet_spec *spec, int proto, __u8 *b, int off, size_t room,
		   unsigned long *len, struct xt2_err *err)
{
	int n = spec->fragment ? 8 : transport(spec, proto, b + off, room, err);

	if (n < 0 || number(spec->length, 65535, "length", off + n, len, err) < 0)
		return -EINVAL;
	if (*len < (unsigned long)off + n)
		return bad(err, "length %lu is less than the headers' %d", *len, off + n);
	return n;
}

static int ipv4(const struct xt2_packet_spec *spec, __u8 *b, struct xt2_err *err)
{
	unsigned long ttl, tos, len;
	int proto = protocol(spec, err);

	if (proto < 0 || number(spec->ttl, 255, "TTL", 64, &ttl, err) < 0 ||
	    number(spec->tos, 255, "TOS", 0, &tos, err) < 0)
		return -EINVAL;
	if (addresses(spec, AF_INET, "192.0.2.1", "198.51.100.1", b + 12, b + 16, err) < 0 ||
	    payload(spec, proto, b, 20, 65516, &len, err) < 0)
		return -EINVAL;
	b[0] = 0x45;
	b[1] = tos;
	put16(b + 2, len);
	put16(b + 6, spec->fragment ? 185 : 0x4000);
	b[8] = ttl;
	b[9] = proto;
	if (!spec->fragment)
		finish_transport(proto, b + 20, len - 20, b + 12, 8);
	put16(b + 10, fold(sum(b, 20, 0)));
	return len;
}

static int ipv6(const struct xt2_packet_spec *spec, __u8 *b, struct xt2_err *err)
{
	unsigned long ttl, tos, len;
	int proto = protocol(spec, err), off = spec->fragment ? 48 : 40;

	if (proto < 0 || number(spec->ttl, 255, "hop limit", 64, &ttl, err) < 0 ||
	    number(spec->tos, 255, "traffic class", 0, &tos, err) < 0)
		return -EINVAL;
	if (addresses(spec, AF_INET6, "2001:db8::1", "2001:db8::2", b + 8, b + 24, err) < 0 ||
	    payload(spec, proto, b, off, 65495, &len, err) < 0)
		return -EINVAL;
	b[0] = 0x60 | tos >> 4;
	b[1] = tos << 4;
	put16(b + 4, len - 40);
	b[6] = spec->fragment ? IPPROTO_FRAGMENT : proto;
	b[7] = ttl;
	if (spec->fragment) {
		b[40] = proto;
		put16(b + 42, 1480);
	} else {
		finish_transport(proto, b + 40, len - 40, b + 8, 32);
	}
	return len;
}

static int arp(const struct xt2_packet_spec *spec, __u8 *b, struct xt2_err *err)
{
	const char *op = spec->arp_op;
	unsigned long n = 1;

	if (op && !strcasecmp(op, "reply"))
		n = 2;
	else if (op && strcasecmp(op, "request") &&
		 number(op, 65535, "ARP operation", 1, &n, err) < 0)
		return -EINVAL;
	put16(b, 1);
	put16(b + 2, 0x0800);
	b[4] = 6;
	b[5] = 4;
	put16(b + 6, n);
	if (mac(spec->mac_source, b + 8, err) < 0 || mac(spec->mac_destination, b + 18, err) < 0)
		return -EINVAL;
	if (addresses(spec, AF_INET, "192.0.2.1", "192.0.2.2", b + 14, b + 24, err) < 0)
		return -EINVAL;
	return 28;
}

static int hex(const char *s, __u8 *b, size_t room, struct xt2_err *err)
{
	size_t n = 0;

	while (*s) {
		unsigned int v;

		if (isspace((unsigned char)*s) || *s == ':') {
			s++;
			continue;
		}
		if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]) ||
		    sscanf(s, "%2x", &v) != 1)
			return bad(err, "hex bytes: '%.8s'", s);
		if (n == room)
			return bad(err, "the packet is too long");
		b[n++] = v;
		s += 2;
	}
	if (!n)
		return bad(err, "hex bytes: none");
	return n;
}

static int from_capture(const struct xt2_packet_spec *spec, struct xt2_packet *p,
			struct xt2_err *err)
{
	struct xt2_capture *cap = xt2_capture_open(spec->capture, err);
	unsigned long n = 0;
	int r;

	if (!cap)
		return -ENOENT;
	while ((r = xt2_capture_next(cap, &p->captured, err)) > 0 && ++n < spec->number)
		;
	if (r > 0) {
		r = p->captured.caplen - p->captured.network;
		if (r > 65536)
			r = 65536;
		memcpy(p->bytes, p->captured.frame + p->captured.network, r);
		if (p->captured.mac) {
			memcpy(p->mac, p->captured.mac, sizeof(p->mac));
			p->captured.mac = p->mac;
		}
	} else if (!r) {
		bad(err, "%s has only %lu packets", spec->capture, n);
		r = -EINVAL;
	}
	xt2_capture_close(cap);
	return r;
}

static int build(const struct xt2_packet_spec *spec, struct xt2_packet *p, struct xt2_err *err)
{
	int n;

	p->captured.time = xt2_clock_ns(CLOCK_REALTIME);
	p->captured.family = spec->family;
	if (spec->hex)
		n = hex(spec->hex, p->bytes, 65536, err);
	else if (spec->family == XT2_IPV4)
		n = ipv4(spec, p->bytes, err);
	else if (spec->family == XT2_IPV6)
		n = ipv6(spec, p->bytes, err);
	else
		n = arp(spec, p->bytes, err);
	if (n < 0)
		return n;
	if (spec->mac_source || spec->mac_destination) {
		put16(p->mac + 12, spec->family == XT2_IPV4   ? 0x0800
				   : spec->family == XT2_IPV6 ? 0x86dd
							      : 0x0806);
		if (mac(spec->mac_destination, p->mac, err) < 0 ||
		    mac(spec->mac_source, p->mac + 6, err) < 0)
			return -EINVAL;
		p->captured.mac = p->mac;
	}
	p->captured.len = n;
	return n;
}

int xt2_packet_build(const struct xt2_packet_spec *spec, struct xt2_packet *p, struct xt2_err *err)
{
	const char *why;
	int n, hook;

	memset(p, 0, sizeof(*p));
	n = spec->capture ? from_capture(spec, p, err) : build(spec, p, err);
	if (n < 0)
		return n;
	if (!p->captured.family || (spec->family && p->captured.family != spec->family))
		return bad(err, "the packet is not of the ruleset's family");
	p->pkt.data = p->bytes;
	p->pkt.caplen = n;
	p->pkt.room = sizeof(p->bytes) - n;
	hook = xt2_hook_number(p->captured.family, spec->hook);
	if (hook < 0)
		return bad(err, "no hook '%s'", spec->hook);
	p->captured.len -= p->captured.network;
	p->captured.caplen = n;
	p->captured.network = 0;
	p->captured.frame = p->bytes;
	why = xt2_host_receive(spec->host, hook, &p->captured, &p->pkt);
	if (why)
		return bad(err, "the hook would not see it: %s", why);
	p->pkt.hook = hook;
	if (p->pkt.caplen > p->pkt.len)
		p->pkt.caplen = p->pkt.len;
	if (xt2_pkt_parse(&p->pkt, p->captured.family) < 0)
		return bad(err, "the packet has no complete header");
	return 0;
}
