/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-state.h - payloads of matches on connections, clock, rates and chance
 *
 * limit, quota and statistic name a cell in head.arg.  A cell of 0 is fresh,
 * so a rule needs no more than a zeroed cell to start.
 */
#ifndef XT2_EXT_STATE_H
#define XT2_EXT_STATE_H

#include <xt2/format.h>

/* TIME: flags are the two below; arg is the mask of month days (bits 1..31). */
#define XT2_TIME_KERNELTZ   0x01 /* the host's zone instead of UTC */
#define XT2_TIME_CONTIGUOUS 0x02 /* a span over midnight belongs to its first day */

struct xt2_match_time {
	struct xt2_match head;
	__u32 date_start; /* s since 1970 */
	__u32 date_stop;
	__u32 day_start; /* s since midnight */
	__u32 day_stop; /* likewise, low 24 bits; high 8: weekdays (bits 1..7) */
};

/* STATISTIC: XT2_MATCH_INVERT is the option's own inversion. */
#define XT2_STATISTIC_NTH 0x01 /* flags; else random */

struct xt2_match_statistic {
	struct xt2_match head;
	__u32 value; /* nth: every - 1; random: probability of 2^31 */
	__u32 packet; /* nth: only printed */
	__u32 count; /* nth: the counter's first value */
	__u32 reserved;
};

/* LIMIT: avg is 10,000ths of a second per packet */
struct xt2_match_limit {
	struct xt2_match head;
	__u32 avg;
	__u32 burst;
};

/* QUOTA: the cell counts the bytes that are spent. */
struct xt2_match_quota {
	struct xt2_match head;
	__u64 quota;
};

/* STATE: arg is the mask of -m state of revision 0; no payload. */

/*
 * CONNTRACK: arg is the state mask (low 16 bits) and the status mask (high
 * 16), as in --ctstate and --ctstatus; flags is the revision (1 to 3) << 5.
 * The structure is followed by the parts that are not all zero, in order of
 * their bits.
 */
#define XT2_CONNTRACK_REVISION(flags) ((flags) >> 5 & 3)

#define XT2_CONNTRACK_ORIGSRC 0x01 /* struct xt2_conntrack_addr, likewise: */
#define XT2_CONNTRACK_ORIGDST 0x02
#define XT2_CONNTRACK_REPLSRC 0x04
#define XT2_CONNTRACK_REPLDST 0x08
#define XT2_CONNTRACK_EXPIRES 0x10 /* struct xt2_conntrack_expires */
#define XT2_CONNTRACK_PORTS   0x20 /* struct xt2_conntrack_ports */

struct xt2_match_conntrack {
	struct xt2_match head;
	__u16 tests; /* XT_CONNTRACK_*: what is tested */
	__u16 inverted; /* XT_CONNTRACK_*: which tests are inverted */
	__u16 proto;
	__u8 parts; /* XT2_CONNTRACK_* */
	__u8 reserved;
};

struct xt2_conntrack_addr {
	__u64 addr[2]; /* raw; IPv4: first 4 bytes */
	__u64 mask[2];
};

struct xt2_conntrack_expires {
	__u32 min, max; /* s, inclusive */
};

struct xt2_conntrack_ports {
	__u16 low[4]; /* origsrc, origdst, replsrc, repldst; inclusive */
	__u16 high[4];
};

#endif
