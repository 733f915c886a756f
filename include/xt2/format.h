/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - the xt2 image, version 1
 *
 * An image is one pointer-free region that holds a whole ruleset: the tables
 * of all families.  Every reference is a byte offset from the image's first
 * byte or an index; every field is fixed-width and little-endian; structures
 * are 8-byte aligned.  doc/format.md is the specification, and this header
 * follows it.  The payloads of the extensions are in <xt2/ext.h>.
 */
#ifndef XT2_FORMAT_H
#define XT2_FORMAT_H

#include <linux/types.h>

#define XT2_VERSION	     1
#define XT2_MAGIC	     0x32747878u /* "xxt2" in the file */
#define XT2_MAGIC_UNFINISHED (~XT2_MAGIC) /* never evaluated */
#define XT2_BYTE_ORDER	     0x0102 /* as a little-endian host writes it */

#define XT2_ALIGN	  8
#define XT2_NAME_SIZE	  32 /* table, chain, extension; NUL included */
#define XT2_CHAIN_PAGE	  1024 /* chain offsets in a page of the chain table */
#define XT2_COLD_PAGE	  64 /* struct xt2_chain_cold in a page */
#define XT2_INSTANCE_PAGE 1024 /* offsets of instances in a page */
#define XT2_CHAINS_MAX	  (1u << 24) /* a rule names a chain by 24 bits */
#define XT2_RULE_MAX	  65528 /* bytes of one rule */
#define XT2_SIZE_MAX	  0xfffffff8u /* bytes of an image: offsets are 32 bits wide */
#define XT2_TABLES_MAX	  256 /* of all families together */

/*
 * Chains that one packet may enter.  An image that allows more is not evaluated,
 * unless it has at least as many rules: meeting each rule once is never too
 * much, but 2^32 chains take half a minute.
 */
#define XT2_VISITS_MAX 100000u
#define XT2_HOOKS_MAX  6 /* hooks of a family */
#define XT2_HOOK_NONE  0xff /* xt2_chain.hook of a user chain */

/* Protocol families: the numbers of the kernel's enum nf_inet/NFPROTO_*. */
enum xt2_family {
	XT2_IPV4 = 2,
	XT2_ARP = 3,
	XT2_BRIDGE = 7,
	XT2_IPV6 = 10,
};

/* Hooks of IPv4 and IPv6: NF_INET_*; of ARP: NF_ARP_*. */
enum xt2_inet_hook {
	XT2_PREROUTING,
	XT2_INPUT,
	XT2_FORWARD,
	XT2_OUTPUT,
	XT2_POSTROUTING,
};

enum xt2_arp_hook {
	XT2_ARP_INPUT,
	XT2_ARP_OUTPUT,
	XT2_ARP_FORWARD,
};

/* Of bridges: NF_BR_*; the first five are those of IPv4 and IPv6. */
#define XT2_BROUTING 5

/* At offset 0, so that offset 0 can never be a chain or a rule. */
struct xt2_image {
	__u32 magic;
	__u16 version;
	__u16 byte_order;
	__u64 size; /* bytes, this header included */
	__u64 root; /* offset of struct xt2_root; 0: no ruleset yet */
	__u64 reserved[5];
};

/* Immutable once published; a commit stores xt2_image.root. */
struct xt2_root {
	__u64 generation;
	__u32 tables; /* number of tables */
	__u32 table; /* offset of struct xt2_table[tables], oldest first */
	__u32 hooks; /* number of hook entries */
	__u32 hook; /* offset of struct xt2_hook[hooks], sorted */
	__u32 chains; /* number of chain indices; unused ones have offset 0 */
	__u32 chain_dir; /* offset of the offsets of the chain table's pages */
	__u32 chain_cold; /* offset of the offsets of the pages of struct xt2_chain_cold */
	__u32 cells; /* number of state cells */
	__u32 cell; /* offset of __u64[cells] */
	__u32 instances; /* number of instance indices; unused ones have offset 0 */
	__u32 instance; /* offset of the offsets of the pages of their offsets */
	__u32 slots; /* counting slots; 1 in version 1: counters are inline */
	__u32 depth; /* frames that the deepest path pushes, at most */
	__u32 edits; /* offset of struct xt2_edits (<xt2/edits.h>), for writers; 0: none */
	__u64 visits; /* most chain visits by one packet at one hook, at most, saturating */
};

struct xt2_table {
	char name[XT2_NAME_SIZE];
	__u8 family; /* enum xt2_family */
	__u8 flags; /* XT2_TABLE_* */
	__u8 reserved[2];
	__u32 source; /* instance: the file it was loaded from; ~0: none */
};

/* User chains are listed by name, whatever the order of their indices. */
#define XT2_TABLE_BY_NAME 1

/* Sorted by family, hook, priority, table: a packet's tables stand side by side. */
struct xt2_hook {
	__u8 family;
	__u8 hook;
	__u16 table;
	__s32 priority;
	__u32 chain; /* the base chain's index */
	__u32 depth; /* frames that this hook's deepest path pushes, at most */
	__u64 visits; /* most chain visits by one packet, at most, saturating */
};

/* A chain is one extent: this header, its rules, then its index or spare room. */
struct xt2_chain {
	__u32 size; /* bytes of the extent, a multiple of 8 */
	__u32 used; /* bytes of header and rules */
	__u32 rules; /* number of rules, the tail included */
	__u32 tail; /* offset of the last rule within the extent */
	__u32 index; /* its own index in the chain table */
	__u16 table;
	__u8 hook; /* of a base chain; XT2_HOOK_NONE: a user chain */
	__u8 reserved;
	__u32 lines; /* offset in the image of __u32[rules]: source line of each rule; 0: none */
	__u32 lookup; /* offset of struct xt2_index within the extent; 0: none */
};

/* The part of a chain that evaluation never reads. */
struct xt2_chain_cold {
	char name[XT2_NAME_SIZE];
};

/*
 * A rule: this header, matches up to target_offset, target data up to size.
 * The last rule of a chain is its tail: without matches, and ACCEPT or DROP
 * (the policy) in a base chain, RETURN in a user chain; user chains of bridge
 * tables have policies, too: ACCEPT, DROP or RETURN.
 */
struct xt2_rule {
	__u16 size; /* bytes, a multiple of 8 */
	__u16 target_offset; /* end of the matches, start of the target's data */
	__u32 target; /* low 8 bits: enum xt2_target; high 24: argument */
	__u64 packets;
	__u64 bytes;
};

#define XT2_TARGET(kind, arg) ((__u32)(kind) | (__u32)(arg) << 8)
#define XT2_TARGET_KIND(t)    ((__u8)(t))
#define XT2_TARGET_ARG(t)     ((__u32)(t) >> 8)

/* A condition.  Conditions stand in the order in which they are tested. */
struct xt2_match {
	__u8 type; /* enum xt2_match_type */
	__u8 flags;
	__u16 size; /* bytes, header included, a multiple of 8 */
	__u32 arg; /* an immediate, or a cell's or an instance's index */
};

#define XT2_MATCH_INVERT 0x80 /* xt2_match.flags: true if the test fails */

/* Cold payload that rules name by index. */
enum xt2_instance_kind {
	XT2_INSTANCE_COMMENT = 1, /* data: the text, no NUL */
	XT2_INSTANCE_MATCH, /* a foreign match: data is its native payload */
	XT2_INSTANCE_TARGET, /* a foreign target, likewise */
	XT2_INSTANCE_SOURCE, /* data: a file's name, no NUL */
};

struct xt2_instance {
	__u8 kind;
	__u8 revision;
	__u16 reserved;
	__u32 size; /* bytes of data */
	char name[XT2_NAME_SIZE];
	/* __u8 data[size], then padding to a multiple of 8 */
};

#endif
