/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse.c - parse a packet's bytes
 *
 * Two questions about untrusted bytes.  xt2_pkt_receive(): would
 * the kernel's receive path show this packet to the first hook, and how long
 * does it say the packet is?  xt2_pkt_parse(): where is what the matches ask
 * for?  Both read each header once, front to back; an IPv6 header chain grows
 * by at least 8 bytes a step, so the packet's length bounds the walk.
 *
 * The receive path also asks about the device.  Here the device is a real one:
 * up, without promiscuous frames for other hosts, Ethernet for ARP, with the
 * kernel's default sysctls and no CALIPSO domain.
 */
#include "parse.h"

#define IP4_HEADER 20
#define IP6_HEADER 40
#define ARP_HEADER 28 /* with 6-byte hardware and 4-byte protocol addresses */

/* net.ipv6.max_hbh_opts_number; max_hbh_opts_length has no limit. */
#define HOP_OPTIONS_MAX 8
#define HOP_PAD_MAX	7 /* bytes of padding in a row */

/* Hop-by-hop options that the kernel knows; the upper two bits give the action for others. */
enum hop_option {
	HOP_PAD1 = 0,
	HOP_PADN = 1,
	HOP_ROUTER_ALERT = 5,
	HOP_CALIPSO = 7,
	HOP_IOAM = 49,
	HOP_JUMBO = 194,
};

/*
 * The internet checksum over a header that contains its own is right.  Such a
 * sum is the same in any byte order and for words of any width; size is a
 * multiple of 4.
 */
static bool sum_ok(const u8 *bytes, u32 size)
{
	u64 sum = 0;

	for (u32 i = 0; i < size && xt2_can_loop; i += 4)
		sum += xt2_be32(bytes + i);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static int receive_ip4(const u8 *data, u32 caplen, u32 wire, u32 *len)
{
	u32 header, total;

	if (caplen < IP4_HEADER)
		return XT2_UNSEEN_SHORT;
	if (data[0] >> 4 != 4)
		return XT2_UNSEEN_VERSION;
	header = (data[0] & 15) * 4;
	if (header < IP4_HEADER)
		return XT2_UNSEEN_HEADER;
	if (caplen < header)
		return XT2_UNSEEN_SHORT;
	if (!sum_ok(data, header))
		return XT2_UNSEEN_CHECKSUM;
	total = xt2_be16(data + 2);
	if (total > wire || total < header)
		return XT2_UNSEEN_LENGTH;
	*len = total;
	return XT2_SEEN;
}

/* A jumbo payload option, which says how long the packet is. */
static bool jumbo_ok(const u8 *data, u32 off, u32 *size)
{
	u32 payload;

	if (data[off + 1] != 4 || (off & 3) != 2)
		return false;
	payload = xt2_be32(data + off + 2);
	if (payload <= 0xffff || xt2_be16(data + 4) || payload > *size - IP6_HEADER)
		return false;
	*size = payload + IP6_HEADER;
	return true;
}

static bool hop_option_ok(const u8 *data, u32 off, u32 *size)
{
	switch (data[off]) {
	case HOP_ROUTER_ALERT: return data[off + 1] == 2;
	case HOP_CALIPSO: return false; /* no domain of interpretation is configured */
	case HOP_IOAM: return !(off & 3); /* not enabled on the device: ignored, but aligned */
	case HOP_JUMBO: return jumbo_ok(data, off, size);
	default: return data[off] >> 6 == 0;
	}
}

/* An option's bytes, header included: 0 if it would reach beyond end. */
static u32 hop_option_size(const u8 *data, u32 off, u32 end)
{
	u32 size;

	if (data[off] == HOP_PAD1)
		return 1;
	if (end - off < 2)
		return 0;
	size = data[off + 1] + 2;
	return size <= end - off ? size : 0;
}

/* PadN is empty but for zeros. */
static bool pad_ok(const u8 *data, u32 off, u32 size)
{
	for (u32 i = 2; i < size && xt2_can_loop; i++)
		if (data[off + i])
			return false;
	return true;
}

/* The options in [off, end), all of them in the capture: ip6_parse_tlv(). */
static bool hop_options_ok(const u8 *data, u32 off, u32 end, u32 *size)
{
	u32 pad = 0, options = 0, n;

	for (; off < end && xt2_can_loop; off += n) {
		n = hop_option_size(data, off, end);
		if (!n)
			return false;
		if (data[off] <= HOP_PADN) {
			pad += n;
			if (pad > HOP_PAD_MAX || !pad_ok(data, off, n))
				return false;
			continue;
		}
		pad = 0;
		if (++options > HOP_OPTIONS_MAX || !hop_option_ok(data, off, size))
			return false;
	}
	return true;
}

/* The hop-by-hop header, if it comes first: ipv6_parse_hopopts(). */
static int receive_hop(const u8 *data, u32 caplen, u32 *size)
{
	u32 end;

	if (data[6] != XT2_IP6_HOP)
		return XT2_SEEN;
	if (*size < IP6_HEADER + 8)
		return XT2_UNSEEN_OPTIONS;
	if (caplen < IP6_HEADER + 8)
		return XT2_UNSEEN_SHORT;
	end = IP6_HEADER + (data[IP6_HEADER + 1] + 1) * 8;
	if (*size < end)
		return XT2_UNSEEN_OPTIONS;
	if (caplen < end)
		return XT2_UNSEEN_SHORT;
	return hop_options_ok(data, IP6_HEADER + 2, end, size) ? XT2_SEEN : XT2_UNSEEN_OPTIONS;
}

/* ::1 */
static bool ip6_loopback(const u8 *addr)
{
	return !xt2_raw64(addr) && !xt2_be32(addr + 8) && xt2_be32(addr + 12) == 1;
}

/* Addresses that may only be seen on the loopback interface. */
static bool ip6_node_local(const u8 *data)
{
	return ip6_loopback(data + 8) || ip6_loopback(data + 24) ||
	       (data[24] == 0xff && (data[25] & 15) == 1);
}

static int receive_ip6(const u8 *data, u32 caplen, u32 wire, u32 *len)
{
	u32 size = wire;
	int seen;

	if (caplen < IP6_HEADER)
		return XT2_UNSEEN_SHORT;
	if (data[0] >> 4 != 6)
		return XT2_UNSEEN_VERSION;
	/* From a group, or to one of the reserved scope 0. */
	if (data[8] == 0xff || (data[24] == 0xff && !(data[25] & 15)))
		return XT2_UNSEEN_ADDRESS;
	/* No length at all before hop-by-hop options: what came in counts. */
	if (xt2_be16(data + 4) || data[6] != XT2_IP6_HOP) {
		size = xt2_be16(data + 4) + IP6_HEADER;
		if (size > wire)
			return XT2_UNSEEN_LENGTH;
	}
	seen = receive_hop(data, caplen, &size);
	if (seen != XT2_SEEN)
		return seen;
	*len = size;
	return ip6_node_local(data) ? XT2_UNSEEN_LOOPBACK : XT2_SEEN;
}

static int receive_arp(const u8 *data, u32 caplen, u32 *len)
{
	if (caplen < ARP_HEADER)
		return XT2_UNSEEN_SHORT;
	if (data[4] != 6 || data[5] != 4)
		return XT2_UNSEEN_HEADER;
	*len = ARP_HEADER;
	return XT2_SEEN;
}

int xt2_pkt_receive(__u8 family, const __u8 *data, __u32 caplen, __u32 wire, __u32 *len)
{
	switch (family) {
	case XT2_IPV4: return receive_ip4(data, caplen, wire, len);
	case XT2_IPV6: return receive_ip6(data, caplen, wire, len);
	case XT2_ARP: return receive_arp(data, caplen, len);
	default: return XT2_UNSEEN_FAMILY;
	}
}

/* Extension headers that the kernel walks through; ESP and mobility are not among them. */
static bool ip6_passable(u8 next)
{
	switch (next) {
	case XT2_IP6_HOP:
	case XT2_IP6_ROUTING:
	case XT2_IP6_FRAGMENT:
	case XT2_IP6_AUTH:
	case XT2_IP6_DEST: return true;
	default: return false;
	}
}

static int ip6_here(struct xt2_ip6_walk *walk, u32 off, u8 next, u16 fragoff)
{
	walk->off = off;
	walk->next = next;
	walk->fragoff = fragoff;
	return 0;
}

/*
 * Walk to the header of a type; want < 0: to the first one that isn't passable.
 * A later fragment ends the walk: its header may be named, not read.
 */
static __always_inline int ip6_walk(struct xt2_pkt *pkt, int want, struct xt2_ip6_walk *walk)
{
	u32 off = IP6_HEADER, size;
	u16 fragoff;
	const u8 *head;
	u8 next;

	head = xt2_pkt_at(pkt, 0, IP6_HEADER);
	if (!head)
		return -EBADMSG;
	next = head[6];
	while (xt2_can_loop) {
		if (!ip6_passable(next)) {
			if (want >= 0 && next != want)
				return -ENOENT;
			return ip6_here(walk, off, next, 0);
		}
		size = next == XT2_IP6_ROUTING || next == XT2_IP6_FRAGMENT ? 4 : 2;
		head = xt2_pkt_at(pkt, off, size);
		if (!head)
			return -EBADMSG;
		fragoff = next == XT2_IP6_FRAGMENT ? xt2_be16(head + 2) & ~7 : 0;
		if (fragoff && want < 0 && !ip6_passable(head[0]))
			return ip6_here(walk, 0, head[0], fragoff);
		if (next == want)
			return ip6_here(walk, off, next, fragoff);
		if (fragoff)
			return -ENOENT;
		size = xt2_ip6_header_size(next, head);
		if (pkt->whole_exthdrs && size > pkt->len - off)
			return -EBADMSG;
		next = head[0];
		off += size;
	}
	return -EBADMSG;
}

int xt2_ip6_find(struct xt2_pkt *pkt, u8 want, struct xt2_ip6_walk *walk)
{
	return ip6_walk(pkt, want, walk);
}

static int parse_ip4(struct xt2_pkt *pkt)
{
	const u8 *data = xt2_ptr(pkt->data);

	if (pkt->caplen < IP4_HEADER)
		return -EINVAL;
	pkt->src4 = xt2_be32(data + 12);
	pkt->dst4 = xt2_be32(data + 16);
	pkt->proto = data[9];
	pkt->l4 = XT2_L4_OK;
	pkt->thoff = (data[0] & 15) * 4;
	pkt->fragoff = (xt2_be16(data + 6) & 0x1fff) * 8;
	return 0;
}

static int parse_ip6(struct xt2_pkt *pkt)
{
	const u8 *data = xt2_ptr(pkt->data);
	struct xt2_ip6_walk walk;

	if (pkt->caplen < IP6_HEADER)
		return -EINVAL;
	for (u32 i = 0; i < 2; i++) {
		pkt->src[i] = xt2_raw64(data + 8 + 8 * i);
		pkt->dst[i] = xt2_raw64(data + 24 + 8 * i);
	}
	if (ip6_walk(pkt, -1, &walk)) {
		pkt->l4 = XT2_L4_BAD;
		return 0;
	}
	pkt->l4 = XT2_L4_OK;
	pkt->proto = walk.next;
	pkt->fragoff = walk.fragoff;
	pkt->thoff = walk.off;
	return 0;
}

static int parse_arp(struct xt2_pkt *pkt)
{
	if (pkt->caplen < ARP_HEADER)
		return -EINVAL;
	pkt->l4 = XT2_L4_NONE;
	pkt->src4 = xt2_be32(xt2_ptr(pkt->data) + 14);
	pkt->dst4 = xt2_be32(xt2_ptr(pkt->data) + 24);
	return 0;
}

/* The first four bytes of the transport header, without a word if they are cut off. */
static void parse_ports(struct xt2_pkt *pkt)
{
	const u8 *data;

	if (pkt->l4 != XT2_L4_OK || pkt->fragoff)
		return;
	if (pkt->thoff > pkt->caplen || pkt->caplen - pkt->thoff < 4)
		return;
	data = xt2_ptr(pkt->data) + pkt->thoff;
	pkt->sport = xt2_be16(data);
	pkt->dport = xt2_be16(data + 2);
}

static int parse_family(struct xt2_pkt *pkt)
{
	switch (pkt->family) {
	case XT2_IPV4: return parse_ip4(pkt);
	case XT2_IPV6: return parse_ip6(pkt);
	case XT2_ARP: return parse_arp(pkt);
	default: return -EINVAL;
	}
}

int xt2_pkt_parse(struct xt2_pkt *pkt, __u8 family)
{
	int err;

	if (pkt->caplen > pkt->len)
		pkt->caplen = pkt->len; /* padding of the link layer */
	pkt->family = family;
	pkt->proto = 0;
	pkt->l4 = XT2_L4_BAD;
	pkt->cut = 0;
	pkt->fragoff = 0;
	pkt->thoff = 0;
	pkt->sport = 0;
	pkt->dport = 0;
	pkt->src4 = 0;
	pkt->dst4 = 0;
	memset(pkt->src, 0, sizeof(pkt->src));
	memset(pkt->dst, 0, sizeof(pkt->dst));
	err = parse_family(pkt);
	if (!err)
		parse_ports(pkt);
	return err;
}

const char *xt2_pkt_seen_name(int seen)
{
	switch (seen) {
	case XT2_SEEN: return "seen";
	case XT2_UNSEEN_SHORT: return "header not complete";
	case XT2_UNSEEN_VERSION: return "bad version";
	case XT2_UNSEEN_HEADER: return "bad header";
	case XT2_UNSEEN_LENGTH: return "bad length";
	case XT2_UNSEEN_CHECKSUM: return "bad checksum";
	case XT2_UNSEEN_ADDRESS: return "bad address";
	case XT2_UNSEEN_OPTIONS: return "bad hop-by-hop options";
	case XT2_UNSEEN_FAMILY: return "another family";
	case XT2_UNSEEN_LOOPBACK: return "only for loopback";
	}
	return "unknown";
}
