/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet-words.c - a packet, and single facts about it, in words */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include "packet.h"

static const char *address(const struct xt2_pkt *pkt, bool source, char buf[INET6_ADDRSTRLEN])
{
	__u32 raw;

	if (pkt->family == XT2_IPV6)
		return inet_ntop(AF_INET6, source ? pkt->src : pkt->dst, buf, INET6_ADDRSTRLEN);
	raw = htonl(source ? pkt->src4 : pkt->dst4);
	return inet_ntop(AF_INET, &raw, buf, INET6_ADDRSTRLEN);
}

/* The usual ones need no file. */
static const char *protocol(const struct xt2_pkt *pkt, char buf[16])
{
	const struct protoent *p;

	if (pkt->l4 != XT2_L4_OK)
		return "no";
	switch (pkt->proto) {
	case 1: return "icmp";
	case 6: return "tcp";
	case 17: return "udp";
	case 58: return "ipv6-icmp";
	}
	p = getprotobynumber(pkt->proto);
	snprintf(buf, 16, "%u", pkt->proto);
	return p ? p->p_name : buf;
}

bool xt2_proto_has_ports(int proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_UDPLITE ||
	       proto == IPPROTO_SCTP || proto == IPPROTO_DCCP;
}

static bool has_ports(const struct xt2_pkt *pkt)
{
	return xt2_proto_has_ports(pkt->proto) && pkt->l4 == XT2_L4_OK && !pkt->fragoff;
}

static const char *flags(const struct xt2_pkt *pkt, char buf[40])
{
	static const char *const names[] = {
		"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"
	};
	__u8 bits;
	int i;

	buf[0] = 0;
	if (pkt->proto != IPPROTO_TCP || pkt->l4 != XT2_L4_OK || pkt->fragoff ||
	    pkt->thoff + 14u > pkt->caplen)
		return buf;
	bits = pkt->data[pkt->thoff + 13];
	for (i = 0; i < 8; i++)
		if (bits >> i & 1) {
			strcat(buf, buf[0] ? "," : " ");
			strcat(buf, names[i]);
		}
	return buf[0] ? buf : " no flags";
}

static bool icmp(const struct xt2_pkt *pkt)
{
	return pkt->l4 == XT2_L4_OK && !pkt->fragoff && pkt->thoff + 2u <= pkt->caplen &&
	       pkt->proto == (pkt->family == XT2_IPV6 ? 58 : 1);
}

int xt2_packet_describe(const struct xt2_pkt *pkt, char *buf, size_t size)
{
	char s[INET6_ADDRSTRLEN], d[INET6_ADDRSTRLEN], proto[16], f[40], extra[64] = "";

	address(pkt, true, s);
	address(pkt, false, d);
	if (pkt->family == XT2_ARP)
		return snprintf(buf, size, "arp operation %u, %s -> %s",
				pkt->data[6] << 8 | pkt->data[7], s, d);
	if (has_ports(pkt)) {
		const char *b = pkt->family == XT2_IPV6 ? "[" : "", *e = *b ? "]" : "";

		return snprintf(buf, size, "%s %s%s%s:%u -> %s%s%s:%u%s, %u bytes",
				protocol(pkt, proto), b, s, e, pkt->sport, b, d, e, pkt->dport,
				flags(pkt, f), pkt->len);
	}
	if (icmp(pkt))
		snprintf(extra, sizeof(extra), " type %u code %u", pkt->data[pkt->thoff],
			 pkt->data[pkt->thoff + 1]);
	else if (pkt->fragoff)
		snprintf(extra, sizeof(extra), " fragment at byte %u", pkt->fragoff);
	return snprintf(buf, size, "%s%s %s -> %s, %u bytes", protocol(pkt, proto), extra, s, d,
			pkt->len);
}

static void interface(const char *what, const __u64 name[2], char *buf, size_t size)
{
	if (name[0])
		snprintf(buf, size, "%s interface is %.16s", what, (const char *)name);
	else
		snprintf(buf, size, "it has no %s interface", what);
}

static void ct_state(const struct xt2_pkt *pkt, char *buf, size_t size)
{
	static const struct {
		int bit;
		const char *name;
	} states[] = {
		{ XT2_CT_NEW, "NEW" },	       { XT2_CT_ESTABLISHED, "ESTABLISHED" },
		{ XT2_CT_RELATED, "RELATED" }, { XT2_CT_UNTRACKED, "UNTRACKED" },
		{ XT2_CT_INVALID, "INVALID" },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(states); i++)
		if (pkt->ct.state & states[i].bit) {
			snprintf(buf, size, "state is %s", states[i].name);
			return;
		}
	snprintf(buf, size, "it is not tracked: INVALID");
}

void xt2_packet_value(const struct xt2_pkt *pkt, const struct xt2_match *m, char *buf, size_t size)
{
	char a[INET6_ADDRSTRLEN], proto[16], f[40];

	buf[0] = 0;
	switch (m->type) {
	case XT2_M_SRC4:
	case XT2_M_SRC4_MASK:
	case XT2_M_SRC6:
	case XT2_M_SRC6_MASK: snprintf(buf, size, "source is %s", address(pkt, true, a)); break;
	case XT2_M_DST4:
	case XT2_M_DST4_MASK:
	case XT2_M_DST6:
	case XT2_M_DST6_MASK:
		snprintf(buf, size, "destination is %s", address(pkt, false, a));
		break;
	case XT2_M_IPRANGE:
		snprintf(buf, size, "source is %s, ", address(pkt, true, a));
		snprintf(buf + strlen(buf), size - strlen(buf), "destination %s",
			 address(pkt, false, a));
		break;
	case XT2_M_IN:
	case XT2_M_IN_MASK: interface("in", pkt->in, buf, size); break;
	case XT2_M_OUT:
	case XT2_M_OUT_MASK: interface("out", pkt->out, buf, size); break;
	case XT2_M_PROTO: snprintf(buf, size, "protocol is %s", protocol(pkt, proto)); break;
	case XT2_M_FRAGMENT:
		snprintf(buf, size, "it is %s",
			 pkt->fragoff ? "a later fragment" : "whole or a first fragment");
		break;
	case XT2_M_TCP:
	case XT2_M_UDP:
	case XT2_M_UDPLITE:
	case XT2_M_SCTP:
	case XT2_M_DCCP:
	case XT2_M_MULTIPORT:
		if (has_ports(pkt))
			snprintf(buf, size, "ports are %u -> %u%s%s", pkt->sport, pkt->dport,
				 m->type == XT2_M_TCP ? "," : "",
				 m->type == XT2_M_TCP ? flags(pkt, f) : "");
		else
			snprintf(buf, size, "it has no ports");
		break;
	case XT2_M_ICMP:
	case XT2_M_ICMP6:
		if (icmp(pkt))
			snprintf(buf, size, "type is %u, code %u", pkt->data[pkt->thoff],
				 pkt->data[pkt->thoff + 1]);
		break;
	case XT2_M_STATE:
	case XT2_M_CONNTRACK: ct_state(pkt, buf, size); break;
	case XT2_M_MARK: snprintf(buf, size, "mark is 0x%x", pkt->mark); break;
	case XT2_M_CONNMARK: snprintf(buf, size, "connection mark is 0x%x", pkt->ct.mark); break;
	case XT2_M_LENGTH: snprintf(buf, size, "length is %u", pkt->len); break;
	case XT2_M_TTL: snprintf(buf, size, "TTL is %u", pkt->data[8]); break;
	case XT2_M_HL: snprintf(buf, size, "hop limit is %u", pkt->data[7]); break;
	case XT2_M_ADDRTYPE:
		snprintf(buf, size, "source type is %u, destination type %u (see --local)",
			 pkt->src_type, pkt->dst_type);
		break;
	}
}
