/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext.h - the matches and targets of the xt2 image
 *
 * One list of matches, one of targets: numbers here are part of the image
 * format (doc/format.md).  The payloads are in the four headers included
 * below, sorted by the data that they test.  HACKING.md has the files that a
 * new row needs.
 */
#ifndef XT2_EXT_H
#define XT2_EXT_H

#include <xt2/format.h>

/* A row of a list is a line. */
/* clang-format off */

/* What a program must know about an extension before it evaluates it. */
#define XT2_EXT_CELL		0x01	/* xt2_match.arg is a state cell */
#define XT2_EXT_INSTANCE	0x02	/* the argument is an instance */
#define XT2_EXT_HOST		0x04	/* reads context from outside of the packet (conntrack, clock, ...) */
#define XT2_EXT_RANDOM		0x08	/* its answer is random */
#define XT2_EXT_WRITES		0x10	/* changes the packet's bytes */
#define XT2_EXT_FOREIGN		0x20	/* carried, not evaluated */
#define XT2_EXT_NATIVE		0x40	/* not evaluated by a BPF program */
#define XT2_EXT_MEMORY		0x80	/* with XT2_EXT_CELL: the first of a memory's cells */
#define XT2_EXT_RARE		0x100	/* few rulesets have it, and a program may be loaded without it */

/* In the kernel module: those that the kernel's own match does, since it changes, remembers or draws. */
#define XT2_EXT_THEIRS (XT2_EXT_CELL | XT2_EXT_RANDOM | XT2_EXT_NATIVE | XT2_EXT_MEMORY)

/*
 * Base tests: X(number, NAME, name, flags).  Evaluated by the engine itself,
 * except those of bridges, which are unevaluated.  IPv4 addresses are numbers (host
 * order), IPv6 addresses 16 raw bytes.
 */
#define XT2_BASE_MATCHES(X)				\
	X(1, SRC4, src4, 0)				\
	X(2, DST4, dst4, 0)				\
	X(3, SRC4_MASK, src4_mask, 0)			\
	X(4, DST4_MASK, dst4_mask, 0)			\
	X(5, SRC6, src6, 0)				\
	X(6, DST6, dst6, 0)				\
	X(7, SRC6_MASK, src6_mask, 0)			\
	X(8, DST6_MASK, dst6_mask, 0)			\
	X(9, IN, in, 0)					\
	X(10, OUT, out, 0)				\
	X(11, IN_MASK, in_mask, 0)			\
	X(12, OUT_MASK, out_mask, 0)			\
	X(13, PROTO, proto, 0)				\
	X(14, FRAGMENT, fragment, 0)			\
	X(15, ARP_HRD, arp_hrd, 0)			\
	X(16, ARP_PRO, arp_pro, 0)			\
	X(17, ARP_HLN, arp_hln, 0)			\
	X(18, ARP_OP, arp_op, 0)			\
	X(19, ARP_SHA, arp_sha, 0)			\
	X(20, ARP_THA, arp_tha, 0)			\
	X(21, ETH_TYPE, eth_type, XT2_EXT_FOREIGN)	\
	X(22, ETH_LENGTH, eth_length, XT2_EXT_FOREIGN)	\
	X(23, ETH_ANY, eth_any, XT2_EXT_FOREIGN)	\
	X(24, ETH_SRC, eth_src, XT2_EXT_FOREIGN)	\
	X(25, ETH_DST, eth_dst, XT2_EXT_FOREIGN)	\
	X(26, LOGICAL_IN, logical_in, XT2_EXT_FOREIGN)	\
	X(27, LOGICAL_OUT, logical_out, XT2_EXT_FOREIGN)

/* Extensions: X(number, NAME, name, flags).  Bodies in extensions/. */
#define XT2_EXT_MATCHES(X)				\
	X(32, TCP, tcp, 0)				\
	X(33, UDP, udp, 0)				\
	X(34, UDPLITE, udplite, 0)			\
	X(35, ICMP, icmp, 0)				\
	X(36, ICMP6, icmp6, 0)				\
	X(37, MULTIPORT, multiport, 0)			\
	X(38, IPRANGE, iprange, 0)			\
	X(39, LENGTH, length, 0)			\
	X(40, TTL, ttl, 0)				\
	X(41, HL, hl, 0)				\
	X(42, TOS, tos, 0)				\
	X(43, DSCP, dscp, 0)				\
	X(44, ECN, ecn, 0)				\
	X(45, MARK, mark, XT2_EXT_HOST)			\
	X(46, CONNMARK, connmark, XT2_EXT_HOST)		\
	X(47, MAC, mac, 0)				\
	X(48, PKTTYPE, pkttype, XT2_EXT_HOST)		\
	X(49, STRING, string, XT2_EXT_NATIVE)		\
	X(50, U32, u32, XT2_EXT_RARE)				\
	X(51, BPF, bpf, XT2_EXT_NATIVE)			\
	X(52, FRAG, frag, XT2_EXT_RARE)				\
	X(53, RT, rt, XT2_EXT_RARE)				\
	X(54, HBH, hbh, XT2_EXT_RARE)				\
	X(55, DST, dst, XT2_EXT_RARE)				\
	X(56, MH, mh, XT2_EXT_RARE)				\
	X(57, IPV6HEADER, ipv6header, XT2_EXT_RARE)		\
	X(58, EUI64, eui64, XT2_EXT_RARE)				\
	X(59, AH, ah, XT2_EXT_RARE)				\
	X(60, ESP, esp, XT2_EXT_RARE)				\
	X(61, IPCOMP, ipcomp, XT2_EXT_RARE)			\
	X(62, SCTP, sctp, XT2_EXT_RARE)				\
	X(63, DCCP, dccp, XT2_EXT_RARE)				\
	X(64, TCPMSS, tcpmss, XT2_EXT_RARE)			\
	X(65, COMMENT, comment, XT2_EXT_INSTANCE)	\
	X(66, CPU, cpu, XT2_EXT_HOST)			\
	X(67, DEVGROUP, devgroup, XT2_EXT_HOST)		\
	X(68, PHYSDEV, physdev, XT2_EXT_HOST | XT2_EXT_NATIVE) \
	X(69, ADDRTYPE, addrtype, XT2_EXT_HOST | XT2_EXT_NATIVE) \
	X(70, TIME, time, XT2_EXT_HOST | XT2_EXT_RARE)			\
	X(71, STATISTIC, statistic, XT2_EXT_CELL | XT2_EXT_RANDOM) \
	X(72, LIMIT, limit, XT2_EXT_CELL | XT2_EXT_HOST) \
	X(73, QUOTA, quota, XT2_EXT_CELL)		\
	X(74, STATE, state, XT2_EXT_HOST)		\
	X(75, CONNTRACK, conntrack, XT2_EXT_HOST)	\
	X(76, FOREIGN, foreign, XT2_EXT_INSTANCE | XT2_EXT_FOREIGN | XT2_EXT_NATIVE) \
	X(77, RECENT, recent, XT2_EXT_CELL | XT2_EXT_MEMORY | XT2_EXT_HOST) \
	X(78, HASHLIMIT, hashlimit, XT2_EXT_CELL | XT2_EXT_MEMORY | XT2_EXT_HOST)

/*
 * Targets without data: X(number, NAME, flags).  Evaluated by engine/eval.c;
 * JUMP and GOTO name a chain, FOREIGN and NAT an instance, CONTINUE goes on
 * with the next rule.  NAT is a foreign target of a nat table: it accepts.
 */
#define XT2_BASE_TARGETS(X)				\
	X(0, CONTINUE, 0)				\
	X(1, ACCEPT, 0)					\
	X(2, DROP, 0)					\
	X(3, RETURN, 0)					\
	X(4, JUMP, 0)					\
	X(5, GOTO, 0)					\
	X(6, QUEUE, 0)					\
	X(7, FOREIGN, XT2_EXT_INSTANCE | XT2_EXT_FOREIGN) \
	X(8, NAT, XT2_EXT_INSTANCE)

#define XT2_EXT_TARGETS(X)				\
	X(16, REJECT, reject, 0)			\
	X(17, LOG, log, 0)				\
	X(18, NFLOG, nflog, 0)				\
	X(19, NFQUEUE, nfqueue, 0)		\
	X(20, MARK, mark, 0)				\
	X(21, CONNMARK, connmark, XT2_EXT_HOST)		\
	X(22, CLASSIFY, classify, 0)			\
	X(23, TRACE, trace, XT2_EXT_NATIVE)		\
	X(24, NOTRACK, notrack, 0)			\
	X(25, CT, ct, 0)				\
	X(26, TTL, ttl, XT2_EXT_WRITES)			\
	X(27, HL, hl, XT2_EXT_WRITES)			\
	X(28, TOS, tos, XT2_EXT_WRITES)			\
	X(29, DSCP, dscp, XT2_EXT_WRITES)		\
	X(30, ECN, ecn, XT2_EXT_WRITES)			\
	X(31, TCPMSS, tcpmss, XT2_EXT_HOST | XT2_EXT_WRITES)

#define XT2_ENUM_M(id, NAME, name, flags) XT2_M_##NAME = id,
#define XT2_ENUM_BT(id, NAME, flags) XT2_T_##NAME = id,
#define XT2_ENUM_T(id, NAME, name, flags) XT2_T_##NAME = id,

enum xt2_match_type {
	XT2_BASE_MATCHES(XT2_ENUM_M)
	XT2_EXT_MATCHES(XT2_ENUM_M)
	XT2_M_COUNT
};

enum xt2_target {
	XT2_BASE_TARGETS(XT2_ENUM_BT)
	XT2_EXT_TARGETS(XT2_ENUM_T)
	XT2_T_COUNT
};

/* clang-format on */

/*
 * SRC4, DST4: (packet's ^ arg) >> (flags & 31) == 0; arg is the network.
 * The shift is 32 minus the prefix length, so /0 takes the MASK form.
 */
#define XT2_ADDR4_SHIFT 0x1f

/* SRC4_MASK, DST4_MASK: (packet's & mask) == arg */
struct xt2_match_addr4_mask {
	struct xt2_match head;
	__u32 mask;
	__u32 reserved;
};

/* SRC6, DST6: equality */
struct xt2_match_addr6 {
	struct xt2_match head;
	__u64 addr[2]; /* 16 raw bytes, network order */
};

/* SRC6_MASK, DST6_MASK: (packet's & mask) == addr */
struct xt2_match_addr6_mask {
	struct xt2_match head;
	__u64 addr[2];
	__u64 mask[2];
};

/*
 * IN, OUT: the first arg bytes (1 to 16, the NUL of a full name counts) are
 * equal; name is 8 bytes long if arg <= 8, else 16, padded with NUL.
 */
struct xt2_match_iface {
	struct xt2_match head;
	__u64 name[];
};

/* IN_MASK, OUT_MASK: (packet's ^ name) & mask == 0 */
struct xt2_match_iface_mask {
	struct xt2_match head;
	__u64 name[2];
	__u64 mask[2];
};

/*
 * PROTO: arg is the upper-layer protocol.  FRAGMENT: a fragment that is not
 * the first.  ARP_*: low 16 bits of arg are the value (as a number), high 16
 * the mask.
 */

/* ARP_SHA, ARP_THA: (packet's & mask) == addr over arg (0 to 16) bytes */
struct xt2_match_arp_dev {
	struct xt2_match head;
	__u8 addr[16];
	__u8 mask[16];
};

/*
 * ETH_TYPE: arg is the frame's type.  ETH_LENGTH: the frame has a length in
 * the place of a type; ETH_ANY: always true.  Their arg is the type that the
 * extensions of the rule are checked against, though it is not tested.
 */

/* ETH_SRC, ETH_DST: (frame's ^ addr) & mask == 0 */
struct xt2_match_eth {
	struct xt2_match head;
	__u8 addr[6];
	__u8 mask[6];
	__u8 reserved[4];
};

/*
 * LOGICAL_IN, LOGICAL_OUT: as IN and OUT, of the bridge that the device is a
 * port of; true if it is none.  arg 0: any name, without payload.
 */

/* COMMENT, FOREIGN: arg is the instance; no payload. */

#include <xt2/ext-transport.h>
#include <xt2/ext-packet.h>
#include <xt2/ext-state.h>
#include <xt2/ext-target.h>

#endif
