/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-target.h - arguments and data of the extension targets
 *
 * What fits is in the 24-bit argument of the target word; the rest is the
 * target's data after the matches.  Zero 8-byte words at the end of the data
 * are left out: data that is all zero takes no room, and a reader takes the
 * missing bytes as zero.  Where legacy revisions share a kind, the highest two
 * bits of the argument are the revision.
 */
#ifndef XT2_EXT_TARGET_H
#define XT2_EXT_TARGET_H

#include <xt2/format.h>

#define XT2_ARG_MAX	      0xffffffu
#define XT2_ARG_REVISION(arg) ((arg) >> 22 & 3)

/* REJECT: arg is enum ipt_reject_with or ip6t_reject_with. */

/* LOG: arg is level | flags << 8; data is the prefix, at most 30 bytes with its NUL. */
#define XT2_LOG_PREFIX	   30
#define XT2_LOG_LEVEL(arg) ((__u8)(arg))
#define XT2_LOG_FLAGS(arg) ((__u8)((arg) >> 8))

/* NFLOG: arg is the group, plus the two below; data: sizes if SIZES, then the prefix. */
#define XT2_NFLOG_PREFIX   64
#define XT2_NFLOG_COPY_LEN 0x10000 /* the size was given by --nflog-size */
#define XT2_NFLOG_SIZES	   0x20000

struct xt2_nflog_sizes {
	__u32 len;
	__u16 threshold;
	__u16 pad; /* carried */
};

/* NFQUEUE: arg is the (first) queue, flags (NFQ_FLAG_*) << 16, revision << 22. */
#define XT2_NFQUEUE_BYPASS     0x10000
#define XT2_NFQUEUE_CPU_FANOUT 0x20000
#define XT2_NFQUEUE_FLAGS(arg) ((arg) >> 16 & 3)

struct xt2_nfqueue {
	__u16 more; /* number of queues - 1 */
	__u16 reserved[3];
};

/* MARK: without data, the mark is set to arg. */
struct xt2_mark {
	__u32 mark;
	__u32 mask;
};

/* CONNMARK: arg is mode | shift << 8 | RIGHT | revision << 22. */
#define XT2_CONNMARK_MODE(arg)	((__u8)(arg))
#define XT2_CONNMARK_SHIFT(arg) ((arg) >> 8 & 31)
#define XT2_CONNMARK_RIGHT	0x2000 /* shift to the right */

struct xt2_connmark {
	__u32 ctmark;
	__u32 ctmask;
	__u32 nfmask;
	__u32 reserved;
};

/* CLASSIFY: arg is the priority; data, __u32 and __u32 0, if it is larger than arg. */

/* TRACE, NOTRACK: nothing. */

/* CT: arg is flags (XT_CT_*) | revision << 22. */
#define XT2_CT_FLAGS(arg) ((__u8)(arg))
#define XT2_CT_UNTRACKS	  0x01 /* XT_CT_NOTRACK */

struct xt2_ct {
	__u16 zone;
	__u16 reserved;
	__u32 ct_events;
	__u32 exp_events;
	__u32 reserved2;
	char helper[16];
	char timeout[32];
};

/* TTL, HL: arg is mode (IPT_TTL_*) | value << 8. */
/* TOS: arg is value | mask << 8.  DSCP: arg is the class. */
/* ECN: arg is operation (IPT_ECN_OP_*) | IP bits << 8 | TCP bits << 16 (1: ECE, 2: CWR). */
/* TCPMSS: arg is the size; 0xffff: clamp to the path MTU. */

#endif
