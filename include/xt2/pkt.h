/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pkt.h - a packet, parsed once
 *
 * xt2_pkt_parse() fills in the fields that follow from the packet's bytes; the
 * caller supplies the context (interfaces, mark, conntrack state, ...).  Parsing
 * never drops a packet: a layer is present, absent or truncated, and a match
 * that needs a truncated layer drops the packet, as in the kernel.  Numbers are
 * in host order unless a comment says otherwise.
 */
#ifndef XT2_PKT_H
#define XT2_PKT_H

#include <xt2/format.h>

/*
 * How far the search for the upper-layer protocol got.  The kernel's search
 * (ipv6_find_hdr) fails if extension headers are cut off, and on a later
 * fragment whose fragment header is followed by an extension header; a test
 * of the protocol drops the packet in both cases.
 */
enum xt2_pkt_l4 {
	XT2_L4_OK, /* proto, thoff and fragoff are valid */
	XT2_L4_NONE, /* ARP: there is no such protocol: no match */
	XT2_L4_BAD, /* IPv6: the kernel's search fails: hotdrop */
};

/* Conntrack state of the packet, as bits of -m conntrack --ctstate. */
enum xt2_ct_state {
	XT2_CT_INVALID = 0x01, /* also: not tracked at all */
	XT2_CT_ESTABLISHED = 0x02,
	XT2_CT_RELATED = 0x04,
	XT2_CT_NEW = 0x08,
	XT2_CT_SNAT = 0x40,
	XT2_CT_DNAT = 0x80,
	XT2_CT_UNTRACKED = 0x100,
	XT2_CT_TRACKED = 0x0e, /* mask: there is a connection */
};

/* The connection, as far as the caller knows it; present if state != 0. */
struct xt2_pkt_ct {
	__u16 state; /* one of INVALID..UNTRACKED, plus SNAT, DNAT */
	__u8 reply; /* direction: 0 original, 1 reply */
	__u8 proto;
	__u32 status; /* IPS_* bits */
	__u32 mark;
	__u32 expires; /* seconds left */
	__u8 tuple; /* the addresses and ports below are known */
	__u16 orig_sport, orig_dport, repl_sport, repl_dport;
	__u64 orig_src[2], orig_dst[2], repl_src[2], repl_dst[2]; /* raw; IPv4: first 4 bytes */
};

struct xt2_pkt {
	/* the bytes, from the network header on */
	__u8 *data;
	__u32 caplen; /* bytes at data; xt2_pkt_parse() limits it to len */
	__u32 len; /* length as the kernel counts it */
	__u32 room; /* bytes after data + caplen into which TCPMSS may grow the packet */

	/* found by xt2_pkt_parse() */
	__u8 family; /* enum xt2_family */
	__u8 proto; /* IPv4: of the header; IPv6: after extension headers; else 0 */
	__u8 l4; /* enum xt2_pkt_l4 */
	__u8 cut; /* set when a match needed bytes that were not captured */
	/*
	 * In bytes for both families; 0: whole packet or first fragment.  The
	 * kernel's par->fragoff is in bytes for IPv6, but in units of 8 for
	 * IPv4: its test "fragoff == 1" means 8 here, and only for IPv4.
	 */
	__u16 fragoff;
	__u32 thoff; /* offset of the transport header; 0: later IPv6 fragment, or none */
	__u16 sport, dport; /* if 4 bytes of a transport header are there, else 0 */
	__u32 src4, dst4; /* IPv4, ARP: sender's and target's address */
	__u64 src[2], dst[2]; /* IPv6: raw bytes */

	/* context, supplied by the caller; zero: not known */
	__u64 in[2], out[2]; /* interface names, padded with NUL; empty: none */
	__u64 physin[2], physout[2]; /* bridge ports */
	__u8 bridged; /* the packet crosses a bridge (has bridge info) */
	__u8 pkttype; /* PACKET_HOST, _BROADCAST, _MULTICAST, ... */
	__u8 mac_len; /* bytes at mac: 14, or 0 */
	__u8 hook;
	const __u8 *mac; /* Ethernet header */
	__u32 mark;
	__u32 priority; /* set by CLASSIFY */
	__u32 in_group, out_group;
	__u32 cpu;
	__u16 src_type, dst_type; /* RTN_* numbers for addrtype; 0: not known */
	__u16 src_type_in, dst_type_in, src_type_out, dst_type_out; /* limited to the interface */
	__u32 mtu; /* path MTU, the smaller direction; for TCPMSS --clamp */
	__u8 notrack; /* set by NOTRACK and CT --notrack */
	__u8 ct_template; /* enum xt2_template, set by other forms of CT: NOTRACK comes too late */
	__u8 trace; /* set by TRACE */
	/*
	 * Set before parsing: treat an IPv6 extension header that claims to be
	 * longer than the packet as truncated.  Linux 6.1.192 has this test;
	 * 6.18.44 and most kernels before them go on with the header's
	 * successor, which then lies beyond the end.
	 */
	__u8 whole_exthdrs;
	struct xt2_pkt_ct ct;
};

enum xt2_template {
	XT2_TEMPLATE_NONE,
	XT2_TEMPLATE_THERE, /* or a connection, before the rules */
	XT2_TEMPLATE_NEW, /* of the rule that was evaluated last */
};

/* Why ip_rcv(), ipv6_rcv() or arp_rcv() would drop a packet before any hook. */
enum xt2_pkt_seen {
	XT2_SEEN,
	XT2_UNSEEN_SHORT, /* the header is not complete, perhaps only in the capture */
	XT2_UNSEEN_VERSION,
	XT2_UNSEEN_HEADER, /* a header length or field that is not allowed */
	XT2_UNSEEN_LENGTH, /* the length field contradicts the packet's length */
	XT2_UNSEEN_CHECKSUM,
	XT2_UNSEEN_ADDRESS, /* IPv6 addresses that ipv6_rcv() refuses */
	XT2_UNSEEN_OPTIONS, /* IPv6 hop-by-hop options that ipv6_rcv() refuses */
	XT2_UNSEEN_FAMILY, /* not a family of ours */
	XT2_UNSEEN_LOOPBACK, /* IPv6 addresses that are seen only on a loopback interface */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * xt2_pkt_receive - tell whether the kernel's receive path would pass a packet on
 * @family: XT2_IPV4, XT2_IPV6 or XT2_ARP
 * @data: the bytes from the network header on
 * @caplen: bytes at data
 * @wire: bytes that were on the wire from the network header on (>= caplen)
 * @len: out: skb->len as the first hook sees it; set for XT2_SEEN and
 *	XT2_UNSEEN_LOOPBACK
 *
 * Trailing bytes of the link layer don't count: IPv4 has tot_len bytes, IPv6
 * payload_len + 40 or what a jumbo option says (a hop-by-hop header and
 * payload_len 0 without that option: all of @wire), ARP 28, which is what its
 * counters count.
 *
 * The receiver is taken to be a real interface that is up, with the kernel's
 * defaults: frames for other hosts are not filtered out (the bytes don't tell;
 * see pkttype), ARP addresses are 6 bytes long, up to 8 hop-by-hop options are
 * allowed, IOAM is off, no CALIPSO domain exists.  Packets whose only fault is
 * IPv6 addresses that belong on a loopback interface get XT2_UNSEEN_LOOPBACK: a
 * caller whose interface is one treats them as seen.
 *
 * Source: net/ipv4/ip_input.c ip_rcv_core(), net/ipv6/ip6_input.c
 * ip6_rcv_core(), net/ipv6/exthdrs.c ipv6_parse_hopopts(), net/ipv4/arp.c
 * arp_rcv().
 * => enum xt2_pkt_seen
 */
int xt2_pkt_receive(__u8 family, const __u8 *data, __u32 caplen, __u32 wire, __u32 *len);

/*
 * xt2_pkt_parse - find the fields that matches test in a packet's bytes
 * @pkt: data, caplen and len are set; the caller's fields are left alone
 * @family: XT2_IPV4, XT2_IPV6 or XT2_ARP
 *
 * Clears cut, then sets it if IPv6 extension headers are in the packet but not in
 * the capture; l4 is XT2_L4_BAD then.  Never reads beyond caplen, whatever the
 * bytes are.  An IPv4 header's own length is believed, right or wrong.
 *
 * Source: ipv6_find_hdr() in net/ipv6/exthdrs_core.c for extension headers.
 * => 0; -EINVAL: the fixed header is not complete, or another family
 */
int xt2_pkt_parse(struct xt2_pkt *pkt, __u8 family);

/*
 * xt2_pkt_seen_name - a few words for an answer of xt2_pkt_receive(): "bad checksum"
 * @seen: enum xt2_pkt_seen
 * => a static string; "unknown" for any other number
 */
const char *xt2_pkt_seen_name(int seen);

#ifdef __cplusplus
}
#endif

#endif
