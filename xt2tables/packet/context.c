/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.c - facts about packets that a capture does not contain
 *
 * Interfaces, marks, conntrack state and so on come from options and hold for
 * all packets; a tracked connection without NAT has the addresses and ports of
 * the packet itself.  Address types follow from the addresses and --local as
 * they would on a host with these addresses and a default route.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/rtnetlink.h>
#include "engine/parse.h"
#include "xt2tables/cmd/cmd.h"

struct word {
	const char *name;
	int value;
};

static const struct word ct_states[] = {
	{ "INVALID", XT2_CT_INVALID },	   { "ESTABLISHED", XT2_CT_ESTABLISHED },
	{ "RELATED", XT2_CT_RELATED },	   { "NEW", XT2_CT_NEW },
	{ "UNTRACKED", XT2_CT_UNTRACKED }, { "SNAT", XT2_CT_SNAT },
	{ "DNAT", XT2_CT_DNAT },	   { NULL, 0 },
};

static const struct word ct_status[] = {
	{ "EXPECTED", IPS_EXPECTED },
	{ "SEEN_REPLY", IPS_SEEN_REPLY },
	{ "ASSURED", IPS_ASSURED },
	{ "CONFIRMED", IPS_CONFIRMED },
	{ NULL, 0 },
};

static const struct word ct_dirs[] = { { "ORIGINAL", 0 }, { "REPLY", 1 }, { NULL, 0 } };

static const struct word pkttypes[] = {
	{ "unicast", PACKET_HOST },
	{ "broadcast", PACKET_BROADCAST },
	{ "multicast", PACKET_MULTICAST },
	{ "otherhost", PACKET_OTHERHOST },
	{ NULL, 0 },
};

void xt2_host_init(struct xt2_host *host)
{
	memset(host, 0, sizeof(*host));
	host->pkttype = -1;
}

static int bad(const struct xt2_given *g)
{
	const char *name = g->row->name;

	if (!name)
		name = g->row->letter == 'i' ? "in" : "out";
	return xt2_usage(g->command, "--%s: bad argument '%s'", name, g->arg);
}

int xt2_host_number(const struct xt2_given *g)
{
	unsigned long long v;

	if (!xt2_number(g->arg, 0, &v) || v > 0xffffffff)
		return bad(g);
	*(__u32 *)g->field = v;
	return XT2_EXIT_OK;
}

int xt2_host_interface(const struct xt2_given *g)
{
	size_t n = strlen(g->arg);

	if (!n || n >= 16)
		return bad(g);
	memset(g->field, 0, 16);
	memcpy(g->field, g->arg, n);
	return XT2_EXIT_OK;
}

/* Ors the values of a comma-separated list of words. */
static int words(const struct xt2_given *g, const struct word *table, int *out)
{
	const char *arg = g->arg;
	int bits = 0;

	while (*arg) {
		size_t n = strcspn(arg, ",");
		const struct word *w;

		for (w = table; w->name; w++)
			if (strlen(w->name) == n && !strncasecmp(w->name, arg, n))
				break;
		if (!w->name)
			return bad(g);
		bits |= w->value;
		arg += n;
		arg += *arg == ',';
	}
	*out = bits;
	return XT2_EXIT_OK;
}

/* One state and the two NAT flags; the flags alone are no state. */
int xt2_host_ctstate(const struct xt2_given *g)
{
	struct xt2_pkt_ct *ct = g->field;
	int bits, state, ret = words(g, ct_states, &bits);

	if (ret != XT2_EXIT_OK)
		return ret;
	state = bits & ~(XT2_CT_SNAT | XT2_CT_DNAT);
	if (!state || (state & (state - 1)))
		return bad(g);
	ct->state = bits;
	return XT2_EXIT_OK;
}

int xt2_host_ctdir(const struct xt2_given *g)
{
	int reply = 0, ret = words(g, ct_dirs, &reply);

	((struct xt2_pkt_ct *)g->field)->reply = reply;
	return ret;
}

int xt2_host_ctstatus(const struct xt2_given *g)
{
	int status = 0, ret = words(g, ct_status, &status);

	((struct xt2_pkt_ct *)g->field)->status = status;
	return ret;
}

int xt2_host_pkttype(const struct xt2_given *g)
{
	return words(g, pkttypes, g->field);
}

int xt2_host_local(const struct xt2_given *g)
{
	struct xt2_host *host = g->field;
	const char *arg = g->arg;
	char one[64];

	while (*arg) {
		size_t n = strcspn(arg, ",");

		if (n >= sizeof(one) || host->nlocal >= XT2_LOCAL_MAX)
			return bad(g);
		memcpy(one, arg, n);
		one[n] = 0;
		if (inet_pton(AF_INET, one, host->local[host->nlocal].addr) == 1)
			host->local[host->nlocal].family = XT2_IPV4;
		else if (inet_pton(AF_INET6, one, host->local[host->nlocal].addr) == 1)
			host->local[host->nlocal].family = XT2_IPV6;
		else
			return bad(g);
		host->nlocal++;
		arg += n;
		arg += *arg == ',';
	}
	return XT2_EXIT_OK;
}

static bool is_local(const struct xt2_host *host, int family, const __u8 *addr, size_t len)
{
	unsigned int i;

	for (i = 0; i < host->nlocal; i++)
		if (host->local[i].family == family && !memcmp(host->local[i].addr, addr, len))
			return true;
	return false;
}

/*
 * Address types as inet_addr_type() and inet_dev_addr_type() find them.  Seen
 * from one interface only, loopback addresses are local on lo alone; those of
 * --local are taken to be on every interface.
 */
static __u16 type4(const struct xt2_host *host, __u32 addr, bool loopback)
{
	__u32 raw = htonl(addr);

	if (addr == 0xffffffff || !addr)
		return RTN_BROADCAST;
	if (addr >> 28 == 0xe)
		return RTN_MULTICAST;
	if ((addr >> 24 == 127 && loopback) || is_local(host, XT2_IPV4, (const __u8 *)&raw, 4))
		return RTN_LOCAL;
	return RTN_UNICAST;
}

static __u16 type6(const struct xt2_host *host, const __u64 addr[2], bool loopback)
{
	static const __u8 one[16] = { [15] = 1 };
	const __u8 *a = (const __u8 *)addr;

	if (a[0] == 0xff)
		return RTN_MULTICAST;
	if ((!memcmp(a, one, 16) && loopback) || is_local(host, XT2_IPV6, a, 16))
		return RTN_LOCAL;
	return RTN_UNICAST;
}

static __u16 type(const struct xt2_host *host, const struct xt2_pkt *pkt, bool source,
		  bool loopback)
{
	if (pkt->family == XT2_IPV4)
		return type4(host, source ? pkt->src4 : pkt->dst4, loopback);
	return type6(host, source ? pkt->src : pkt->dst, loopback);
}

static void fill_types(const struct xt2_host *host, struct xt2_pkt *pkt)
{
	const bool in_lo = !strcmp((const char *)pkt->in, "lo");
	const bool out_lo = !strcmp((const char *)pkt->out, "lo");

	if (pkt->family == XT2_ARP)
		return;
	pkt->src_type = type(host, pkt, true, true);
	pkt->dst_type = type(host, pkt, false, true);
	pkt->src_type_in = type(host, pkt, true, in_lo);
	pkt->dst_type_in = type(host, pkt, false, in_lo);
	pkt->src_type_out = type(host, pkt, true, out_lo);
	pkt->dst_type_out = type(host, pkt, false, out_lo);
}

static const char *other_way(const struct xt2_host *host, int hook,
			     const struct xt2_captured *captured)
{
	bool incoming = captured->family == XT2_ARP ? hook != XT2_ARP_OUTPUT
						    : hook != XT2_OUTPUT && hook != XT2_POSTROUTING;

	if (host->pkttype >= 0 || !incoming)
		return NULL;
	if (captured->pkttype == PACKET_OTHERHOST)
		return "for another host";
	if (captured->pkttype == PACKET_OUTGOING)
		return "sent, not received";
	return NULL;
}

const char *xt2_host_receive(const struct xt2_host *host, int hook,
			     const struct xt2_captured *captured, struct xt2_pkt *pkt)
{
	const char *why = other_way(host, hook, captured);
	int seen;

	if (why)
		return why;
	pkt->whole_exthdrs = host->whole_exthdrs;
	seen = xt2_pkt_receive(captured->family, captured->frame + captured->network,
			       captured->caplen - captured->network,
			       captured->len - captured->network, &pkt->len);
	if (seen == XT2_SEEN ||
	    (seen == XT2_UNSEEN_LOOPBACK && !strcmp((const char *)host->in, "lo")))
		return NULL;
	return xt2_pkt_seen_name(seen);
}

/* What conntrack keeps as the ports of a packet's connection, in one direction. */
struct ports {
	__u16 src, dst;
};

/* Not xt2_pkt_at(): no match has asked for these bytes yet. */
static const __u8 *transport(const struct xt2_pkt *pkt, __u32 size)
{
	if (pkt->thoff > pkt->caplen || pkt->caplen - pkt->thoff < size)
		return NULL;
	return pkt->data + pkt->thoff;
}

/* An ICMP question has its number for a source port, its type and code for the other one. */
static bool icmp_ports(const struct xt2_pkt *pkt, struct ports ports[2])
{
	static const struct {
		__u8 proto, ask, answer;
	} pairs[] = {
		{ IPPROTO_ICMP, 8, 0 },	      { IPPROTO_ICMP, 13, 14 },
		{ IPPROTO_ICMP, 15, 16 },     { IPPROTO_ICMP, 17, 18 },
		{ IPPROTO_ICMPV6, 128, 129 }, { IPPROTO_ICMPV6, 139, 140 },
	};
	const __u8 *icmp = transport(pkt, 8);
	size_t i;

	for (i = 0; icmp && i < XT2_ARRAY_SIZE(pairs); i++) {
		bool asks = icmp[0] == pairs[i].ask;

		if (pairs[i].proto != pkt->proto || (!asks && icmp[0] != pairs[i].answer))
			continue;
		ports[0].src = ports[1].src = xt2_be16(icmp + 4);
		ports[0].dst = xt2_be16(icmp);
		ports[1].dst = (asks ? pairs[i].answer : pairs[i].ask) << 8 | icmp[1];
		return true;
	}
	return false; /* an error belongs to another connection */
}

/* @ports: in the packet's direction, and back */
static bool ports_of(const struct xt2_pkt *pkt, struct ports ports[2])
{
	switch (pkt->proto) {
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6: return icmp_ports(pkt, ports);
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		ports[0] = (struct ports){ pkt->sport, pkt->dport };
		ports[1] = (struct ports){ pkt->dport, pkt->sport };
		return transport(pkt, 4);
	case IPPROTO_GRE: return false;
	}
	return true;
}

/* Without NAT, the addresses and ports of a connection are those of its packets. */
static void fill_tuple(struct xt2_pkt *pkt)
{
	struct xt2_pkt_ct *ct = &pkt->ct;
	struct ports ports[2] = { 0 };
	const struct ports *orig = &ports[!!ct->reply], *repl = &ports[!ct->reply];
	__u64 addr[2][2] = { { pkt->src[0], pkt->src[1] }, { pkt->dst[0], pkt->dst[1] } };
	const __u64 *src = addr[!!ct->reply], *dst = addr[!ct->reply]; /* of the first packet */

	if (!(ct->state & XT2_CT_TRACKED) || ct->state & (XT2_CT_SNAT | XT2_CT_DNAT) ||
	    pkt->l4 != XT2_L4_OK || pkt->fragoff || !ports_of(pkt, ports))
		return;
	if (pkt->family == XT2_IPV4) {
		addr[0][0] = htonl(pkt->src4);
		addr[1][0] = htonl(pkt->dst4);
	}
	memcpy(ct->orig_src, src, sizeof(ct->orig_src));
	memcpy(ct->orig_dst, dst, sizeof(ct->orig_dst));
	memcpy(ct->repl_src, dst, sizeof(ct->repl_src));
	memcpy(ct->repl_dst, src, sizeof(ct->repl_dst));
	ct->orig_sport = orig->src;
	ct->orig_dport = orig->dst;
	ct->repl_sport = repl->src;
	ct->repl_dport = repl->dst;
	ct->tuple = 1;
}

void xt2_host_fill(const struct xt2_host *host, struct xt2_pkt *pkt,
		   const struct xt2_captured *captured)
{
	memcpy(pkt->in, host->in, sizeof(pkt->in));
	memcpy(pkt->out, host->out, sizeof(pkt->out));
	memcpy(pkt->physin, host->physin, sizeof(pkt->physin));
	memcpy(pkt->physout, host->physout, sizeof(pkt->physout));
	pkt->bridged = host->physin[0] || host->physout[0];
	pkt->mark = host->mark;
	pkt->in_group = host->in_group;
	pkt->out_group = host->out_group;
	pkt->cpu = host->cpu;
	pkt->mtu = host->mtu;
	pkt->ct = host->ct;
	pkt->ct.proto = pkt->proto;
	fill_tuple(pkt);
	pkt->mac = captured->mac;
	pkt->mac_len = captured->mac ? 14 : 0;
	pkt->pkttype = host->pkttype >= 0 ? host->pkttype : captured->pkttype;
	fill_types(host, pkt);
}
