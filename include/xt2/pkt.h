/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pkt.h - a packet, parsed once
 *
 * xt2_pkt_parse() fills in what the packet's bytes say, the host what only it
 * knows (interfaces, mark, conntrack, ...).  Parsing never drops: a layer is
 * there, absent or truncated, and a hotdrop happens when a match asks, as in
 * the kernel.  Numbers are in host order unless a comment says otherwise.
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

/* What a host may know about the connection; present if state != 0. */
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
	__u32 room; /* bytes behind data + caplen into which TCPMSS may grow */

	/* found by xt2_pkt_parse() */
	__u8 family; /* enum xt2_family */
	__u8 proto; /* IPv4: of the header; IPv6: behind extension headers; else 0 */
	__u8 l4; /* enum xt2_pkt_l4 */
	__u8 cut; /* set when a match wanted bytes that the capture has not */
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

	/* supplied by the host; zero: not known */
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
	__u8 ct_template; /* set by other forms of CT: NOTRACK comes too late */
	__u8 trace; /* set by TRACE */
	/*
	 * Set before parsing: an IPv6 extension header that says it is longer
	 * than the packet is one that is cut off.  Linux 6.1.192 has this
	 * test, 6.18.44 and most before them go on with the header's successor,
	 * which then lies behind the end.
	 */
	__u8 whole_exthdrs;
	struct xt2_pkt_ct ct;
};

/* Why ip_rcv(), ipv6_rcv() or arp_rcv() would not pass a packet to a hook. */
enum xt2_pkt_seen {
	XT2_SEEN,
	XT2_UNSEEN_SHORT, /* the header is not complete, perhaps only in the capture */
	XT2_UNSEEN_VERSION,
	XT2_UNSEEN_HEADER, /* a header length or field that is not allowed */
	XT2_UNSEEN_LENGTH, /* length field and packet don't agree */
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
 * xt2_pkt_receive - would the kernel's receive path pass this packet on?
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
 * What depends on the receiver is as on a real interface that is up, with the
 * kernel's defaults: frames for other hosts are not filtered out (the bytes
 * don't tell; see pkttype), ARP addresses are 6 bytes long, up to 8 hop-by-hop
 * options are allowed, IOAM is off, no CALIPSO domain exists.  Packets that
 * are fine but for IPv6 addresses which belong on a loopback interface get
 * XT2_UNSEEN_LOOPBACK: for a host that knows it is one, they are seen.
 *
 * Source: net/ipv4/ip_input.c ip_rcv_core(), net/ipv6/ip6_input.c
 * ip6_rcv_core(), net/ipv6/exthdrs.c ipv6_parse_hopopts(), net/ipv4/arp.c
 * arp_rcv().
 * => enum xt2_pkt_seen
 */
int xt2_pkt_receive(__u8 family, const __u8 *data, __u32 caplen, __u32 wire, __u32 *len);

/*
 * xt2_pkt_parse - find what the matches ask for in a packet's bytes
 * @pkt: data, caplen and len are set; the host's fields are left alone
 * @family: XT2_IPV4, XT2_IPV6 or XT2_ARP
 *
 * Clears cut.  Sets it if IPv6 extension headers are in the packet but not in
 * the capture; l4 is XT2_L4_BAD then.  Never reads beyond caplen, whatever the
 * bytes are.  An IPv4 header's own length is believed, right or wrong.
 * => 0; -EINVAL: not even the fixed header is there, or another family
 */
int xt2_pkt_parse(struct xt2_pkt *pkt, __u8 family);

/* For enum xt2_pkt_seen: a few words, as in "bad checksum". */
const char *xt2_pkt_seen_name(int seen);

#ifdef __cplusplus
}
#endif

#endif
