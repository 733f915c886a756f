/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c - where the kernel allows an extension
 *
 * What struct xt_match and struct xt_target say at registration: tables,
 * hooks, protocol (net/netfilter, net/ipv4/netfilter, net/ipv6/netfilter of
 * Linux 6.1).  A rule in the wrong place would be refused at COMMIT; here it is
 * refused at its own line and with the reason.
 */
#include "config.h"
#include <string.h>
#include "line.h"
#include "engine/env.h"

enum {
	FILTER = 1,
	NAT = 2,
	MANGLE = 4,
	RAW = 8,
	SECURITY = 16,
};

#define PRE  (1u << XT2_PREROUTING)
#define IN   (1u << XT2_INPUT)
#define FWD  (1u << XT2_FORWARD)
#define OUT  (1u << XT2_OUTPUT)
#define POST (1u << XT2_POSTROUTING)

static const char *const table_names[] = { "filter", "nat", "mangle", "raw", "security" };

static const struct xt2_place places[] = {
	/* matches */
	{ "ah", XT2_IPV4, 0, 0, IPPROTO_AH, 0 },
	{ "cgroup", 0, 0, OUT | POST | IN, 0, 0 },
	{ "dccp", 0, 0, 0, IPPROTO_DCCP, 0 },
	{ "esp", 0, 0, 0, IPPROTO_ESP, 0 },
	{ "eui64", XT2_IPV6, 0, PRE | IN | FWD, 0, 0 },
	{ "icmp", XT2_IPV4, 0, 0, IPPROTO_ICMP, 0 },
	{ "icmp6", XT2_IPV6, 0, 0, IPPROTO_ICMPV6, 0 },
	{ "ipcomp", 0, 0, 0, IPPROTO_COMP, 0 },
	{ "mac", 0, 0, PRE | IN | FWD, 0, 0 },
	{ "mh", XT2_IPV6, 0, 0, IPPROTO_MH, 0 },
	{ "osf", XT2_IPV4, 0, IN | PRE | FWD, IPPROTO_TCP, 0 },
	{ "owner", 0, 0, OUT | POST, 0, 0 },
	{ "realm", 0, 0, POST | FWD | OUT | IN, 0, 0 },
	{ "rpfilter", 0, RAW | MANGLE, PRE, 0, 0 },
	{ "sctp", 0, 0, 0, IPPROTO_SCTP, 0 },
	{ "socket", 0, 0, PRE | IN, 0, 0 },
	{ "tcp", 0, 0, 0, IPPROTO_TCP, 0 },
	{ "tcpmss", 0, 0, 0, IPPROTO_TCP, 0 },
	{ "udp", 0, 0, 0, IPPROTO_UDP, 0 },
	{ "udplite", 0, 0, 0, IPPROTO_UDPLITE, 0 },
	/* targets */
	{ "CHECKSUM", 0, MANGLE, 0, 0, 0 },
	{ "CLASSIFY", XT2_IPV4, 0, OUT | FWD | POST, 0, 0 },
	{ "CLASSIFY", XT2_IPV6, 0, OUT | FWD | POST, 0, 0 },
	{ "CLASSIFY", XT2_ARP, 0, 1u << XT2_ARP_OUTPUT | 1u << XT2_ARP_FORWARD, 0, 0 },
	{ "CONNSECMARK", 0, MANGLE | SECURITY, 0, 0, 0 },
	{ "CT", 0, RAW, 0, 0, 0 },
	{ "DNAT", 0, NAT, PRE | OUT, 0, 0 },
	{ "DNPT", XT2_IPV6, MANGLE, PRE | OUT, 0, 0 },
	{ "DSCP", 0, MANGLE, 0, 0, 0 },
	{ "ECN", XT2_IPV4, MANGLE, 0, 0, 0 },
	{ "HL", XT2_IPV6, MANGLE, 0, 0, 0 },
	{ "MASQUERADE", 0, NAT, POST, 0, 0 },
	{ "NETMAP", 0, NAT, PRE | POST | OUT | IN, 0, 0 },
	{ "NOTRACK", 0, RAW, 0, 0, 0 },
	{ "REDIRECT", 0, NAT, PRE | OUT, 0, 0 },
	{ "REJECT", 0, FILTER, IN | FWD | OUT, 0, 0 },
	{ "SECMARK", 0, MANGLE | SECURITY, 0, 0, 0 },
	{ "SNAT", 0, NAT, POST | IN, 0, 0 },
	{ "SNPT", XT2_IPV6, MANGLE, IN | POST, 0, 0 },
	{ "SYNPROXY", 0, 0, IN | FWD, IPPROTO_TCP, 0 },
	{ "TCPMSS", 0, 0, 0, IPPROTO_TCP, 0 },
	{ "TCPOPTSTRIP", 0, MANGLE, 0, IPPROTO_TCP, 0 },
	{ "TOS", 0, MANGLE, 0, 0, 0 },
	{ "TPROXY", 0, MANGLE, PRE, IPPROTO_TCP, IPPROTO_UDP },
	{ "TRACE", 0, RAW, 0, 0, 0 },
	{ "TTL", XT2_IPV4, MANGLE, 0, 0, 0 },
};

const struct xt2_place *xt2_place_find(int family, const char *name)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(places); i++)
		if (places[i].name[0] == name[0] && !strcmp(places[i].name, name) &&
		    (!places[i].family || places[i].family == family))
			return &places[i];
	return NULL;
}

static unsigned int table_bit(const char *table)
{
	unsigned int i;

	for (i = 0; i < XT2_ARRAY_SIZE(table_names); i++)
		if (!strcmp(table_names[i], table))
			return 1u << i;
	return 0;
}

static void wrong_table(struct xt2_line *l, const char *what, const struct xt2_place *place)
	__attribute__((noreturn));

static void wrong_table(struct xt2_line *l, const char *what, const struct xt2_place *place)
{
	char list[64] = "";
	unsigned int i;

	for (i = 0; i < XT2_ARRAY_SIZE(table_names); i++)
		if (place->tables & 1u << i) {
			strcat(list, *list ? " or " : "");
			strcat(list, table_names[i]);
		}
	xt2_line_point(l, place->name);
	xt2_hint("move the rule to table %s", list);
	xt2_throw(XT2_E_TABLE, OTHER_PROBLEM, "%s %s is allowed in table %s only, not in %s", what,
		  place->name, list, l->table);
}

void xt2_place_check(struct xt2_line *l, const char *what, const char *name)
{
	const struct xt2_place *place = xt2_place_find(l->family, name);
	const char *proto;

	if (!place)
		return;
	if (place->tables && !(place->tables & table_bit(l->table)))
		wrong_table(l, what, place);
	if (!place->proto || (l->proto && !(l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL)) &&
			      (l->proto == place->proto || l->proto == place->other_proto)))
		return;
	xt2_line_point(l, name);
	proto = xt2_libxt_proto_name(place->proto);
	if (proto)
		xt2_hint("write -p %s before it", proto);
	else
		xt2_hint("write -p %u before it", place->proto);
	xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "%s %s needs -p %s, not inverted", what, name,
		  proto ? proto : "its protocol");
}
