/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-transport.h - payloads of the transport and IPv6 header matches
 *
 * A match carries only what it tests, so most have several forms: the lower
 * bits of head.flags say which.  What fits goes into head.arg; XT2_BYTE()
 * names its bytes, the lowest is 0.  Ports, SPIs and identifications are
 * numbers in host order.  doc/extensions.md has the same as a table.
 */
#ifndef XT2_EXT_TRANSPORT_H
#define XT2_EXT_TRANSPORT_H

#include <xt2/format.h>

#define XT2_BYTE(arg, n) ((__u8)((arg) >> 8 * (n)))
#define XT2_BYTES(a, b, c, d) \
	((__u32)(__u8)(a) | (__u32)(__u8)(b) << 8 | (__u32)(__u8)(c) << 16 | (__u32)(__u8)(d) << 24)

/*
 * head.flags: the match ends with a copy of the legacy payload.  It is there
 * if the payload has bytes that decide nothing and have no other place (those
 * after a list's end, an odd truth value); only translators read it.
 */
#define XT2_MATCH_VERBATIM 0x40

/* Bytes of that copy. */
#define XT2_VERBATIM_UDP       16
#define XT2_VERBATIM_MULTIPORT 48
#define XT2_VERBATIM_SCTP      296
#define XT2_VERBATIM_DCCP      16
#define XT2_VERBATIM_TCPMSS    8
#define XT2_VERBATIM_AH4       16
#define XT2_VERBATIM_AH6       16
#define XT2_VERBATIM_ESP       16
#define XT2_VERBATIM_IPCOMP    16
#define XT2_VERBATIM_FRAG      16
#define XT2_VERBATIM_RT	       280
#define XT2_VERBATIM_OPTS      40

/* TCP, UDP, UDPLITE: head.flags. */
enum xt2_ports_form {
	XT2_PORTS_NONE, /* nothing: the header is there */
	XT2_PORTS_SRC, /* arg: first source port, last one in the high 16 bits */
	XT2_PORTS_DST, /* likewise; these two and FLAGS may be inverted */
	XT2_PORTS_FLAGS, /* TCP: flags & XT2_BYTE(arg, 0) == XT2_BYTE(arg, 1) */
	XT2_PORTS_ALL, /* struct xt2_match_ports */
};

#define XT2_PORTS_FORM 0x07

/* Inverted tests in XT2_BYTE(arg, 0) of XT2_PORTS_ALL. */
#define XT2_PORTS_INV_SRC    0x01
#define XT2_PORTS_INV_DST    0x02
#define XT2_PORTS_INV_FLAGS  0x04
#define XT2_PORTS_INV_OPTION 0x08

/* arg, TCP: byte 1 the option or 0, byte 2 the mask and byte 3 the value of the flags. */
struct xt2_match_ports {
	struct xt2_match head;
	__u16 spts[2]; /* first, last */
	__u16 dpts[2];
};

/* ICMP, ICMP6: arg: type, first code, last code, 1 if inverted. */

/*
 * MULTIPORT: arg: byte 0 the number of ports (0 to 15), byte 1 the port that
 * is tested, high 16 bits: entry n starts a range that entry n + 1 ends.
 */
enum xt2_multiport_kind {
	XT2_MULTIPORT_SRC,
	XT2_MULTIPORT_DST,
	XT2_MULTIPORT_EITHER,
};

#define XT2_MULTIPORT_MAX 15

struct xt2_match_multiport {
	struct xt2_match head;
	__u16 ports[]; /* padded to a multiple of 8 bytes */
};

/* SCTP, DCCP: head.flags: ports follow the head; without them they are zero. */
#define XT2_PORTS_FOLLOW 0x01

/* SCTP: arg: byte 0 what is tested, 1 what is inverted, 2 how chunks are, 3 flag tests. */
#define XT2_SCTP_SRC	   0x01
#define XT2_SCTP_DST	   0x02
#define XT2_SCTP_CHUNKS	   0x04
#define XT2_SCTP_ANY	   1 /* one of the chunks is there */
#define XT2_SCTP_ALL	   2 /* all of them are */
#define XT2_SCTP_ONLY	   4 /* and no others */
#define XT2_SCTP_FLAGS_MAX 4

/* SCTP: head.flags. */
#define XT2_SCTP_MAP  0x02 /* struct xt2_sctp_map follows; without it: empty */
#define XT2_SCTP_INFO 0x04 /* __u8[4][4] follows: chunk type, value, mask, 0 */
#define XT2_SCTP_REST 0x08 /* the legacy map's words past the last type are set */

struct xt2_match_sctp {
	struct xt2_match head;
	__u16 dpts[2]; /* first, last */
	__u16 spts[2];
};

struct xt2_sctp_map {
	__u32 map[8]; /* a bit for each chunk type */
};

/* DCCP: arg: byte 0 the option, byte 1 what is tested | inverted << 4, high 16 bits: types. */
#define XT2_DCCP_SRC	0x01
#define XT2_DCCP_DST	0x02
#define XT2_DCCP_TYPE	0x04
#define XT2_DCCP_OPTION 0x08

struct xt2_match_dccp {
	struct xt2_match head;
	__u16 dpts[2];
	__u16 spts[2];
};

/* TCPMSS: arg: smallest size, largest in the high 16 bits. */
#define XT2_TCPMSS_ANY 0x01 /* head.flags: every readable header matches */

/* ECN: arg: byte 0 what is tested, 1 what is inverted, 2 the IP codepoint, 3 not used. */
#define XT2_ECN_IP  0x01
#define XT2_ECN_ECE 0x10
#define XT2_ECN_CWR 0x20

/* AH, ESP, IPCOMP, FRAG: how head.flags say what the SPI or identification must be. */
enum xt2_range_form {
	XT2_RANGE_NONE, /* anything */
	XT2_RANGE_ONE, /* arg; this and BOTH may be inverted */
	XT2_RANGE_BOTH, /* __u32 first, last follow the head */
};

#define XT2_RANGE_FORM 0x03

struct xt2_match_range {
	struct xt2_match head;
	__u32 range[2];
};

#define XT2_IPCOMP_RES 0x10 /* head.flags: --compres; decides nothing */

/* AH of IPv6, FRAG: head.flags: struct xt2_header_test ends the match. */
#define XT2_HEADER_TEST 0x10

struct xt2_header_test {
	__u32 hdrlen; /* AH: bytes, 0: not tested; FRAG: decides nothing */
	__u8 flags; /* AH: 1: reserved bits are zero; FRAG: XT2_FRAG_* */
	__u8 inverted; /* 1: the test of hdrlen */
	__u16 reserved;
};

#define XT2_FRAG_RES   0x04 /* reserved bits are zero */
#define XT2_FRAG_FIRST 0x08
#define XT2_FRAG_MORE  0x10
#define XT2_FRAG_LAST  0x20

/*
 * RT: arg: byte 0 what is tested, 1 what is inverted, 2 the number of
 * addresses (0 to 16), 3 the type.  The head is followed by the members that
 * head.flags name, in this order, then by the addresses of 16 bytes.
 */
#define XT2_RT_SEGMENTS 0x01 /* __u32 first, last: segments left; without: any */
#define XT2_RT_WIDE	0x02 /* __u32 type, bytes; without: byte 3 of arg, 0 */

#define XT2_RT_TYPE	    0x01 /* byte 0 of arg */
#define XT2_RT_LEN	    0x04
#define XT2_RT_RES	    0x08
#define XT2_RT_ADDRS	    0x10
#define XT2_RT_NSTRICT	    0x20
#define XT2_RT_INV_TYPE	    0x01 /* byte 1 of arg */
#define XT2_RT_INV_SEGMENTS 0x02
#define XT2_RT_INV_LEN	    0x04
#define XT2_RT_ADDRS_MAX    16

/*
 * HBH, DST: arg: byte 0 what is tested, 1 what is inverted, 2 the number of
 * options (0 to 16).  The head is followed by the length, if head.flags say so,
 * then by the options: type << 8 | length, __u16 each, padded to a multiple of 8.
 */
#define XT2_OPTS_WIDE 0x01 /* __u32 bytes, 0; without: 0 bytes */

#define XT2_OPTS_LEN	 0x01 /* byte 0 of arg; byte 1: inverted */
#define XT2_OPTS_OPTS	 0x02
#define XT2_OPTS_NSTRICT 0x04 /* never allowed */
#define XT2_OPTS_MAX	 16

/* MH: arg: first type, last type, 1 if inverted, 0. */

/* IPV6HEADER: arg: headers (bits below), inverted ones, not 0: --soft. */
#define XT2_IP6H_HOP	  0x80
#define XT2_IP6H_DST	  0x40
#define XT2_IP6H_ROUTING  0x20
#define XT2_IP6H_FRAGMENT 0x10
#define XT2_IP6H_AH	  0x08
#define XT2_IP6H_ESP	  0x04
#define XT2_IP6H_NONE	  0x02
#define XT2_IP6H_PROTO	  0x01

/* EUI64: arg decides nothing. */

#endif
