/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-packet.h - payloads of the matches on the packet and its metadata
 *
 * iprange length ttl hl tos dscp mark connmark mac pkttype string u32 bpf cpu
 * devgroup physdev addrtype; COMMENT has none.  doc/extensions.md says what
 * each one compares, and the values it assumes where the context has none.
 *
 * The native structures keep an inversion in a whole byte, and the kernel
 * gives bits above the lowest one a meaning.  Where it is kept, the lowest
 * bit is XT2_MATCH_INVERT and the upper ones are the low seven flags: the
 * byte rotated right.
 */
#ifndef XT2_EXT_PACKET_H
#define XT2_EXT_PACKET_H

#include <xt2/format.h>

#define XT2_INVERT_UPPER 0x7f

/*
 * IPRANGE: arg is the native flags byte.  The source range, then the
 * destination range, each if its bit is set; bounds are numbers, most
 * significant half first.
 */
#define XT2_IPRANGE_SRC	    0x01
#define XT2_IPRANGE_DST	    0x02
#define XT2_IPRANGE_SRC_INV 0x10
#define XT2_IPRANGE_DST_INV 0x20

struct xt2_match_iprange4 {
	struct xt2_match head;
	struct {
		__u32 min, max;
	} range[];
};

struct xt2_match_iprange6 {
	struct xt2_match head;
	struct {
		__u64 min[2], max[2];
	} range[];
};

/* LENGTH: arg is min | max << 16; flags are the rotated inversion. */

/* TTL, HL: arg is the value, flags the mode. */
enum xt2_ttl_mode {
	XT2_TTL_EQ,
	XT2_TTL_NE,
	XT2_TTL_LT,
	XT2_TTL_GT,
};

/* TOS: arg is value | mask << 8.  DSCP: arg is the value.  Flags: inversion. */

/*
 * MARK, CONNMARK: (mark & mask) == arg; flags are the rotated inversion.
 * Without the mask if that is ~0.
 */
struct xt2_match_mark {
	struct xt2_match head;
	__u32 mask;
	__u32 reserved;
};

/* MAC: the source address; arg is the native inversion, an int. */
struct xt2_match_mac {
	struct xt2_match head;
	__u8 addr[6];
	__u8 reserved[2];
};

/* PKTTYPE: arg is the type, an int; an inversion other than 0 and 1 follows. */
struct xt2_match_pkttype {
	struct xt2_match head;
	__s32 invert;
	__u32 reserved;
};

/*
 * STRING: arg is from | to << 16, byte the pattern.  XT2_STRING_SHIFTS, for
 * bm with icase and patterns whose letters don't pair up: len shifts follow
 * the pattern, 1 to len, by how many bytes the end of the pattern matched.
 */
#define XT2_STRING_ICASE  0x01
#define XT2_STRING_KMP	  0x02 /* else bm */
#define XT2_STRING_SHIFTS 0x04
#define XT2_STRING_MAX	  128 /* bytes of a pattern */

struct xt2_match_string {
	struct xt2_match head;
	__u8 len;
	__u8 byte[];
};

/*
 * U32: arg tests, flags the rotated inversion.  A test is a word of counts
 * and operators, its numbers (at least one), and a pair of words a range.
 */
#define XT2_U32_TESTS_MAX   11
#define XT2_U32_NUMBERS_MAX 11
#define XT2_U32_RANGES_MAX  11
#define XT2_U32_NUMBERS(w)  ((w)&15)
#define XT2_U32_RANGES(w)   ((w) >> 4 & 15)
#define XT2_U32_OP(w, i)    ((w) >> (6 + 2 * (i)) & 3) /* before number i, from 1 */
#define XT2_U32_WORDS(w)    (1 + (XT2_U32_NUMBERS(w) ? XT2_U32_NUMBERS(w) : 1) + 2 * XT2_U32_RANGES(w))

enum xt2_u32_op {
	XT2_U32_AND,
	XT2_U32_LEFT,
	XT2_U32_RIGHT,
	XT2_U32_AT,
};

struct xt2_match_u32 {
	struct xt2_match head;
	__u32 word[];
};

/* BPF: classic instructions; flags the revision, arg revision 1's unused descriptor. */
#define XT2_BPF_MAX	  64
#define XT2_BPF_REVISION1 0x20

struct xt2_bpf_insn {
	__u16 code;
	__u8 jt, jf;
	__u32 k;
};

struct xt2_match_bpf {
	struct xt2_match head;
	struct xt2_bpf_insn insn[];
};

/* CPU: arg is the processor. */

/* DEVGROUP: arg is the native flags; a pair of input and of output if not 0. */
#define XT2_DEVGROUP_SRC      0x1 /* bits of arg */
#define XT2_DEVGROUP_SRC_INV  0x2
#define XT2_DEVGROUP_DST      0x4
#define XT2_DEVGROUP_DST_INV  0x8
#define XT2_DEVGROUP_IN_PAIR  0x01 /* xt2_match.flags */
#define XT2_DEVGROUP_OUT_PAIR 0x02

struct xt2_match_devgroup {
	struct xt2_match head;
	struct {
		__u32 group, mask;
	} pair[];
};

/*
 * PHYSDEV: arg is the native inversions, the native bits << 8, and the forms
 * of the input (<< 16) and the output name (<< 24): 0, mask and name are
 * zero; 1 to 16, so many bytes of the name count, and it takes one word if
 * they fit, else two; XT2_PHYSDEV_MASKED, two words of name, two of mask.
 */
#define XT2_PHYSDEV_IN	    0x01
#define XT2_PHYSDEV_OUT	    0x02
#define XT2_PHYSDEV_BRIDGED 0x04
#define XT2_PHYSDEV_ISIN    0x08
#define XT2_PHYSDEV_ISOUT   0x10
#define XT2_PHYSDEV_BITS    0x1f
#define XT2_PHYSDEV_MASKED  0xff

struct xt2_match_physdev {
	struct xt2_match head;
	__u64 word[];
};

/*
 * ADDRTYPE: arg is the source types | destination types << 16, flags the
 * native flags and the revision.  Revision 0 has only the inversions, each a
 * word whose lowest bit counts.  What doesn't fit into flags follows.
 */
#define XT2_ADDRTYPE_SRC_INV   0x1
#define XT2_ADDRTYPE_DST_INV   0x2
#define XT2_ADDRTYPE_IN	       0x4
#define XT2_ADDRTYPE_OUT       0x8
#define XT2_ADDRTYPE_FLAGS     0xf
#define XT2_ADDRTYPE_REVISION1 0x20

struct xt2_match_addrtype {
	struct xt2_match head;
	__u32 first; /* revision 1: flags; 0: source's inversion */
	__u32 second; /* revision 1: 0; 0: destination's inversion */
};

#endif
