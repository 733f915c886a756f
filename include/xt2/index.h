/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.h - what finds the rules of a chain that can match a packet
 *
 * A chain may carry an index behind its rules.  It names candidates: every
 * rule that matches is one, not every candidate matches.  The rules stay the
 * truth; an index can be dropped and made anew at any time.  doc/format.md
 * says what each part means.
 */
#ifndef XT2_INDEX_H
#define XT2_INDEX_H

#include <xt2/format.h>

#define XT2_COLUMNS_MAX 8 /* of a scan */
#define XT2_BLOCK	32 /* rules of a block of columns */
#define XT2_HEADS	4 /* units that are looked at before anything is searched */
#define XT2_CLASSES	8 /* of a dimension; the last one is "any value" */

/* How a chain is represented. */
enum xt2_index_kind {
	XT2_INDEX_NONE, /* plain: rule after rule */
	XT2_INDEX_COLUMNS, /* columns of what the rules compare, scanned */
	XT2_INDEX_PAIRS, /* buckets, found by hashes of two or three fields */
	XT2_INDEX_BITS, /* for values of a few keys, a bit for each unit */
	XT2_INDEX_SEGMENTS, /* for each IPv4 address of one side, the units that ask for it */
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

/* What a dimension of an index of pairs hashes. */
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

/* xt2_index.asks: what of a packet has to be looked at. */
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
 * Rules that follow one another, ask for the same and only count.  They are
 * one unit, named by its first rule, and what it counts here each of them has
 * counted beside its own.
 */
struct xt2_run {
	__u32 rule; /* offset of the first rule */
	__u32 end; /* of the rule behind the last one */
	__u64 packets; /* at the place where a rule has them */
	__u64 bytes;
};

/* Where a unit is: its rule's offset, which is a multiple of 8, and this. */
#define XT2_UNIT_RUN	0x1u
#define XT2_UNIT_NESTED 0x2u /* in an entry: the offset of struct xt2_columns */
#define XT2_UNIT_MIXED	0x4u /* with the above: of units with any tag */
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
 * A class: some bits of a field.  The hash of their value names a slot, which
 * says with which classes of the other dimension rules have it: low byte pairs,
 * high byte triples.  Values can share a slot.  Numbers of all classes are side
 * by side, so that all can be hashed at once; those of classes that there are
 * not are 0, but their shift is 31.
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
 * A pair: the hashes of a class in the first and one in the second dimension
 * name a bucket.  A triple: that of class 0 in the third as well, whose slots
 * say if any rule has it.
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

#define XT2_ENTRIES_BEYOND 3 /* that let nothing through: four are read at once */

#define XT2_BUCKET_FIRST  6
#define XT2_BUCKET_COUNT  0x1fu
#define XT2_BUCKET_NESTED 0x20u /* behind these is one more: nested columns */

/*
 * ports has four numbers of 15 bits in the low bits of 16 each: the least
 * destination port and the least source port (ICMP: see XT2_KEY_DPORT), then
 * 0x7fff minus the most of each; all of them halved.  Of nested columns it is
 * the first unit.
 */
struct xt2_index_entry {
	__u32 unit; /* a unit, or nested columns */
	__u16 tag; /* low half of the hash; of nested columns, that of all their units */
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
 * Of one side's addresses, all that begin alike have a slot, which cuts them into
 * buckets of 2^shift.  What a unit asks for in a bucket is a segment: begin[] has the
 * first 15 bits that an address has behind those that name the bucket, and what[] how
 * many of these are open, and the unit.  Two segments are apart or one is in the other;
 * they are in the order of where they begin, the wider ones first.  So an address is in
 * the last one that does not begin behind it, in what that one is in, or in none.
 */
#define XT2_SEGMENT_OPEN  0xfu /* of the 15 bits; all of them: the whole bucket, at least */
#define XT2_SEGMENT_RUN	  0x10u
#define XT2_SEGMENT_MORE  0x20u /* the one before may have the same addresses, too */
#define XT2_SEGMENT_SLOT  0x40u /* no segment: what is in the bucket has a slot of its own */
#define XT2_SEGMENT_PLACE 7 /* the unit's offset / 8, or the slot's number: all above */

/*
 * An address belongs to bucket (address >> shift) - least, if there are so many, or else
 * to the last one, which is empty.
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
#define XT2_SEGMENTS_BEHIND 16u /* that can be read behind those of any bucket */

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
	__u32 segments; /* with such that are read, but in no bucket */
	__u32 common; /* offset of __u32[commons]: units that ask for any address, ascending */
	__u32 commons;
};

#endif
