/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-state.h - payloads of matches on connections, clock, rates and chance
 *
 * limit, quota and statistic name a cell in head.arg.  A cell of 0 is fresh,
 * so a rule needs no more than a zeroed cell to start.
 *
 * recent and hashlimit name the first cell of a memory, which rules of the same name share.
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

/*
 * A memory: cells that begin at a multiple of their number, so that two of them are the same or
 * have no cell in common.  doc/format.md has what is in them.
 */
#define XT2_MEMORY_CELLS 16384u
#define XT2_MEMORIES_MAX 256u /* of an image: their first cells are below as many memories */

enum xt2_memory_cell {
	XT2_MEMORY_STATE, /* version; bits 32 on: 0, or 1 and the number of the log to carry out */
	XT2_MEMORY_CLAIMS, /* a bit for each log that somebody writes */
	XT2_MEMORY_SEED, /* of hashes; 0: none yet */
	XT2_MEMORY_CONFIG, /* 8 cells: what the first rule said */
	XT2_MEMORY_LOGS = 16,
	XT2_MEMORY_DATA = 1024,
};

#define XT2_MEMORY_LOG_MAX   16u /* logs */
#define XT2_MEMORY_LOG_STEPS 16u /* cells that a log can change */
#define XT2_MEMORY_LOG_CELLS (1u + 3u * XT2_MEMORY_LOG_STEPS)

/*
 * RECENT: flags has the revision, and whether it is the destination.  Config: the mask.
 * Data: a head for each address, then the addresses with their stamps.
 */
#define XT2_RECENT_CHECK     0x01 /* checks: one of the first four, */
#define XT2_RECENT_SET	     0x02
#define XT2_RECENT_UPDATE    0x04
#define XT2_RECENT_REMOVE    0x08
#define XT2_RECENT_TTL	     0x10 /* with CHECK and UPDATE: the same TTL; */
#define XT2_RECENT_REAP	     0x20 /* forget the oldest address if it is too old */
#define XT2_RECENT_DEST	     0x01 /* flags; else the source */
#define XT2_RECENT_ADDRESSES 100u /* the kernel's ip_list_tot */
#define XT2_RECENT_NAME	     200u /* bytes of a name, with its NUL */
#define XT2_RECENT_STAMPS    128u /* of an address; a power of two */
#define XT2_RECENT_KEYS	     (XT2_MEMORY_DATA + XT2_RECENT_ADDRESSES) /* 4 cells each */
#define XT2_RECENT_TIMES     (XT2_RECENT_KEYS + 4u * XT2_RECENT_ADDRESSES)

struct xt2_match_recent {
	struct xt2_match head;
	__u32 seconds; /* 0: whenever it was */
	__u32 hits; /* 0: one; at most XT2_RECENT_STAMPS */
	__u64 mask[2]; /* raw; revision 0: all ones */
	__u8 checks; /* XT2_RECENT_* */
	char name[7]; /* and more: ends with NUL; iptables may leave bytes after that */
};

/*
 * HASHLIMIT: flags is the revision << 5.  Config: as struct xt2_match_hashlimit from avg on, see
 * enum below.  Data: sets of 8 buckets, each of which is its cells and then its key.
 */
#define XT2_HASHLIMIT_DST      0x01 /* mode: what the key is made of, */
#define XT2_HASHLIMIT_DST_PORT 0x02
#define XT2_HASHLIMIT_SRC      0x04
#define XT2_HASHLIMIT_SRC_PORT 0x08
#define XT2_HASHLIMIT_INVERT   0x10 /* above the rate */
#define XT2_HASHLIMIT_BYTES    0x20 /* the rate is of bytes */
#define XT2_HASHLIMIT_NAME     255u /* bytes of a name, with its NUL */
#define XT2_HASHLIMIT_SET      8u /* buckets */
#define XT2_HASHLIMIT_SETS4    240u
#define XT2_HASHLIMIT_SETS6    136u

struct xt2_match_hashlimit {
	struct xt2_match head;
	__u64 avg; /* a packet's time in 10,000ths of a second, of revision 2 on in us; or 2^32/16 bytes' */
	__u64 burst;
	__u32 mode; /* XT2_HASHLIMIT_* */
	__u32 expire; /* ms */
	__u32 size, max, gc_interval, interval; /* only printed */
	__u8 src_mask, dst_mask; /* bits of a prefix */
	char name[6]; /* and more: as in recent */
};

enum xt2_hashlimit_config { /* cells from XT2_MEMORY_CONFIG on, the first of which is 1 */
			    XT2_HASHLIMIT_AVG = 1,
			    XT2_HASHLIMIT_BURST,
			    XT2_HASHLIMIT_MODE, /* and the revision << 32 */
			    XT2_HASHLIMIT_EXPIRE, /* and the masks << 32, << 40 */
};

enum xt2_hashlimit_bucket { /* cells */
			    XT2_BUCKET_HEAD, /* bit 31: in use; 0 to 30: of the key's hash */
			    XT2_BUCKET_TICK, /* of the last packet */
			    XT2_BUCKET_LOW, /* credit */
			    XT2_BUCKET_HIGH,
			    XT2_BUCKET_BURST, /* of bytes: how often it may be filled up */
			    XT2_BUCKET_KEY, /* addresses, then both ports: 3 cells; IPv6: 9 */
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
