/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.h - the layout of a chain's index
 *
 * A chain may carry an index after its rules.  It yields candidates: every rule
 * that matches is one, but not every candidate matches.  The rules stay
 * authoritative; an index can be dropped and built again at any time.
 * doc/index.md explains the four kinds.  Their names here and in the texts:
 * columns, column scan; bits, bitmap index; segments, prefix index; pairs,
 * tuple-pair index.  A unit is an entry: a rule, or a group of equal rules,
 * which is called a run here.
 */
#ifndef XT2_INDEX_H
#define XT2_INDEX_H

#include <xt2/format.h>

#define XT2_COLUMNS_MAX 8 /* of a scan */
#define XT2_BLOCK	32 /* rules of a block of columns */
#define XT2_HEADS	4 /* units that are evaluated before anything is searched */
#define XT2_CLASSES	8 /* of a dimension; the last one is "any value" */

/* How a chain is represented. */
enum xt2_index_kind {
	XT2_INDEX_NONE, /* plain: rule after rule */
	XT2_INDEX_COLUMNS, /* columns of what the rules compare, scanned */
	XT2_INDEX_PAIRS, /* buckets, found by hashes of two or three fields */
	XT2_INDEX_BITS, /* for slots of a few keys' values, a bit for each unit */
	XT2_INDEX_SEGMENTS, /* IPv4 prefixes of one side, in buckets of an address's high bits */
	XT2_INDEX_PATCH, /* of a patched chain: see <xt2/patch.h> */
};

/* 16-bit numbers of a packet that columns are compared with. */
enum xt2_index_key {
	XT2_KEY_SRC, /* IPv4: two, IPv6: eight, first bytes first */
	XT2_KEY_DST = XT2_KEY_SRC + 8,
	XT2_KEY_SPORT = XT2_KEY_DST + 8,
	XT2_KEY_DPORT, /* ICMP: type << 8 | code */
	XT2_KEY_PROTO,
	XT2_KEY_STATE, /* of the connection: enum xt2_key_state */
	XT2_KEY_MARK, /* two, high half first */
	XT2_KEY_MAC = XT2_KEY_MARK + 2, /* three, first bytes first */
	XT2_KEY_IN = XT2_KEY_MAC + 3, /* of the name's 16 bytes, folded */
	XT2_KEY_OUT,
	XT2_KEYS
};

/* In an order that makes the usual sets ranges. */
enum xt2_key_state {
	XT2_STATE_INVALID,
	XT2_STATE_NEW,
	XT2_STATE_RELATED,
	XT2_STATE_ESTABLISHED,
	XT2_STATE_UNTRACKED,
};

/* The field that a dimension of a tuple-pair index hashes. */
enum xt2_index_field {
	XT2_FIELD_NONE,
	XT2_FIELD_SRC,
	XT2_FIELD_DST,
	XT2_FIELD_MAC,
	XT2_FIELD_IN,
	XT2_FIELD_OUT,
	XT2_FIELD_MARK,
	XT2_FIELD_DPORT, /* with the protocol above it */
	XT2_FIELD_SPORT,
	XT2_FIELDS
};

/* xt2_index.asks: the packet's fields that a search reads. */
#define XT2_ASKS_ADDRS 0x01
#define XT2_ASKS_PORTS 0x02 /* protocol as well */
#define XT2_ASKS_STATE 0x04
#define XT2_ASKS_MARK  0x08
#define XT2_ASKS_MAC   0x10
#define XT2_ASKS_IN    0x20
#define XT2_ASKS_OUT   0x40

/* At xt2_chain.lookup; offsets count from here, but those of rules from the chain. */
struct xt2_index {
	__u32 size; /* bytes, a multiple of 8; up to the end of the chain */
	__u8 kind; /* enum xt2_index_kind */
	__u8 asks; /* XT2_ASKS_* */
	__u16 ahead; /* candidates to look for at once: few if most rules decide */
	__u32 units; /* rules and runs of rules, without the tail */
	__u32 runs;
	__u32 run; /* offset of struct xt2_run[runs], in order; 0: none */
	__u32 body; /* offset of struct xt2_columns, xt2_pairs, xt2_bits or xt2_segments */
	__u32 heads; /* units of head[] */
	__u32 reserved;
	__u32 head[XT2_HEADS]; /* the chain's first units, if it is likely that they match */
};

/*
 * A rule group: consecutive rules with the same conditions that only count.
 * They are one unit, named by its first rule.  Each of them has counted what is
 * counted here, in addition to its own counters.
 */
struct xt2_run {
	__u32 rule; /* offset of the first rule */
	__u32 end; /* of the rule after the last one */
	__u64 packets; /* at the same offset as in a rule */
	__u64 bytes;
};

/* A unit is the offset of its rule, a multiple of 8, with these flags in the low bits. */
#define XT2_UNIT_RUN	0x1u
#define XT2_UNIT_NESTED 0x2u /* in an entry: the offset of struct xt2_columns */
#define XT2_UNIT_MIXED	0x4u /* with XT2_UNIT_NESTED: its units have different tags */
#define XT2_UNIT_FLAGS	0x7u

/*
 * Then __u32 unit[units, rounded up to XT2_BLOCK], ascending, and for each
 * XT2_BLOCK of them a block: for each column __u16 least[XT2_BLOCK] and
 * __u16 beyond[XT2_BLOCK], which is ~most.  A unit is a candidate if for each
 * column least <= key and beyond <= ~key.
 */
struct xt2_columns {
	__u32 units;
	__u8 columns;
	__u8 reserved[3];
	__u8 column[XT2_COLUMNS_MAX]; /* enum xt2_index_key */
};

#define XT2_FIELD_WORDS 4 /* a field has so many numbers of 32 bits, its first bytes first */

/*
 * A class is some bits of a field, such as a prefix length.  The hash of their
 * value selects a slot, which has a bit for each class of the other dimension
 * that some rule combines with it: pairs in the low byte, triples in the high
 * byte.  Several values can share a slot.  Members are arrays over the classes,
 * so that all classes are hashed at once; those of unused classes are 0, but
 * their shift is 31.
 */
struct xt2_index_dimension {
	__u8 field; /* enum xt2_index_field */
	__u8 classes;
	__u8 words; /* 1, 2 or 4: no class has bits in the others */
	__u8 reserved[5];
	__u32 mask[XT2_FIELD_WORDS][XT2_CLASSES]; /* of fewer and fewer bits, down to none */
	__u32 slot[XT2_CLASSES]; /* offset of __u16[] */
	__u32 shift[XT2_CLASSES]; /* 32 - log2 of their number */
};

/*
 * A pair: the hashes of a class in the first and of one in the second dimension
 * select a bucket.  A triple adds the hash of class 0 in the third dimension,
 * whose slots tell whether any rule has it.
 */
struct xt2_pairs {
	struct xt2_index_dimension dim[3];
	__u32 bucket; /* offset of struct xt2_index_bucket[buckets] */
	__u32 shift; /* 32 - log2 of the number of buckets */
	__u32 entry; /* offset of struct xt2_index_entry[entries + XT2_ENTRIES_BEYOND] */
	__u32 entries;
};

struct xt2_index_bucket {
	__u32 entries; /* how many, XT2_BUCKET_NESTED, and the number of the first << XT2_BUCKET_FIRST */
	__u32 tags; /* bit tag % 32 of each of its entries */
};

#define XT2_ENTRIES_BEYOND 3 /* that no packet passes: four are read at once */

#define XT2_BUCKET_FIRST  6
#define XT2_BUCKET_COUNT  0x1fu
#define XT2_BUCKET_NESTED 0x20u /* these are followed by one more: nested columns */

/*
 * ports has four numbers of 15 bits in the low bits of 16 each: the least
 * destination port and the least source port (ICMP: see XT2_KEY_DPORT), then
 * 0x7fff minus the most of each; all of them halved.  Of nested columns it is
 * the first unit.
 */
struct xt2_index_entry {
	__u32 unit; /* a unit, or nested columns */
	__u16 tag; /* low half of the hash; of nested columns, the one that their units share */
	__u16 never; /* bits 0-3: not for TCP, UDP, ICMP, others; 4-8: enum xt2_key_state; nested: all */
	__u64 ports;
};

#define XT2_BITS_KEYS  6 /* of struct xt2_bits */
#define XT2_BITS_SLOTS 64 /* of a key */
#define XT2_BITS_WORDS 16 /* of a slot: 1,024 units */

/*
 * A key's values are cut into slots: slot i is from edge[i] up to edge[i + 1],
 * which may be the same, so that there are a power of two.  A slot has a bit
 * for each unit that is a candidate for one of its values.
 */
struct xt2_bits_key {
	__u8 key; /* enum xt2_index_key */
	__u8 reserved;
	__u16 slots; /* a power of two */
	__u32 edge; /* offset of __u16[slots], ascending from 0 */
	__u32 bit; /* offset of __u64[slots][words] */
};

/* Then __u32 unit[units], ascending. */
struct xt2_bits {
	__u32 units;
	__u8 keys; /* 1 or more */
	__u8 words; /* of 64 bits */
	__u16 reserved;
	struct xt2_bits_key by[XT2_BITS_KEYS];
};

/*
 * A prefix index.  The high bits of an address select a slot, and a slot divides its
 * addresses into buckets of 2^shift.  The part of a unit's prefix that lies in a bucket
 * is a segment: begin[] has the first 15 address bits that follow those of the bucket,
 * what[] the number of trailing bits of these 15 that are open, and the unit.  Two
 * segments are disjoint or nested; they are sorted by their beginning, wider ones first.
 * So an address is in the last segment that begins at or before it, in those that enclose
 * that one, or in none.
 */
#define XT2_SEGMENT_OPEN  0xfu /* of the 15 bits; all of them: the whole bucket, at least */
#define XT2_SEGMENT_RUN	  0x10u
#define XT2_SEGMENT_MORE  0x20u /* an earlier one may have the same addresses, too */
#define XT2_SEGMENT_SLOT  0x40u /* no segment: the bucket's addresses have a slot of their own */
#define XT2_SEGMENT_PLACE 7 /* the unit's offset / 8, or the slot's number: all above */

/*
 * An address belongs to bucket (address >> shift) - least; if that is beyond the last one,
 * to one more, which is empty.
 */
struct xt2_segment_slot {
	__u32 segment; /* number that those in bucket[] count from */
	__u32 bucket; /* offset of its first */
	__u32 least;
	__u16 last; /* buckets; one more is empty */
	__u8 shift;
	__u8 reserved;
};

#define XT2_SEGMENTS_MOST   64u /* of a bucket */
#define XT2_SEGMENTS_BEHIND 16u /* that can be read after those of any bucket */

struct xt2_segments {
	__u8 field; /* XT2_FIELD_SRC or XT2_FIELD_DST */
	__u8 shift; /* 32 - log2 of the number of slots that an address names */
	__u16 reserved;
	__u32 slot; /* offset of struct xt2_segment_slot[slots] */
	__u32 slots; /* with those of buckets */
	__u32 bucket; /* offset of __u16[buckets]: its first segment; the next one's is its end */
	__u32 buckets;
	__u32 begin; /* offset of __u16[segments] */
	__u32 what; /* offset of __u32[segments] */
	__u32 segments; /* with those that are read, but in no bucket */
	__u32 common; /* offset of __u32[commons]: units that ask for any address, ascending */
	__u32 commons;
};

#endif
