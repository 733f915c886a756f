/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - what LOG and NFLOG tell: an event in the ring
 *
 * An event carries all that a reader wants to know of its rule, so that it means
 * the same when another ruleset is the live one.  The packet's bytes follow it,
 * from the network header on.
 *
 * The programs find the ring in a map of one element, where it is put when the
 * first ruleset that has such rules comes.  Nobody waits for room in it.
 */
#ifndef XT2_KERNEL_BPF_LOG_H
#define XT2_KERNEL_BPF_LOG_H

#include <linux/types.h>

#define XT2_LOG_RING (1u << 20) /* bytes */
#define XT2_LOG_SNAP 256u /* bytes of a packet for LOG; NFLOG says itself how many */
#define XT2_LOG_MAC  32u

enum xt2_log_flags {
	XT2_LOG_OWNER = 0x01, /* uid and gid are there */
	XT2_LOG_HAS_MAC = 0x02, /* mac is there */
};

struct xt2_log_event {
	__u64 time; /* ns since boot */
	__u32 target; /* of the rule: a word as in struct xt2_rule */
	__u32 rule; /* its number in the chain, from 1 */
	__u32 len; /* of the packet */
	__u32 caplen; /* bytes of it in the event */
	__u32 mark;
	__u32 in_index, out_index; /* of the interfaces; 0: none */
	__u32 uid, gid; /* of the process that sends it */
	__u8 family; /* enum xt2_family */
	__u8 hook;
	__u8 flags; /* enum xt2_log_flags */
	__u16 device; /* ARPHRD_* number of the device it came through */
	__u16 hard_header; /* bytes of its link layer's header */
	__u16 mac_len; /* bytes in front of the network header */
	__u8 reserved[7];
	char in[16], out[16];
	__u8 mac[XT2_LOG_MAC];
	char table[32], chain[32];
	__u64 data[9]; /* of the target; what is not there is zero */
	__u8 bytes[];
};

#endif
