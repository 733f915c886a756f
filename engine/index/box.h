/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box.h - conditions that every packet of a rule meets, in the terms of an index
 *
 * Every packet that the rule can match, or that its matches could see with an
 * effect, lies in the box: fields agree under their masks, numbers are within
 * their ranges.
 */
#ifndef XT2_ENGINE_INDEX_BOX_H
#define XT2_ENGINE_INDEX_BOX_H

#include "search.h"

/* Numbers with ranges: SPORT, DPORT, PROTO, STATE. */
#define XT2_RANGES	4
#define XT2_RANGE(key)	((key)-XT2_KEY_SPORT)
#define XT2_BITS_FIELDS XT2_FIELD_DPORT /* fields below have bits */

struct xt2_box {
	u64 value[XT2_BITS_FIELDS][2], mask[XT2_BITS_FIELDS][2];
	u16 least[XT2_RANGES], most[XT2_RANGES];
	bool stateless; /* matching has no effect, and the answer depends on the packet alone */
};

void xt2_box_of(struct xt2_box *box, const struct xt2_rule __img *r);

/* Of that, an IPv4 address of a rule alone, which is found faster. */
void xt2_box_address(const struct xt2_rule __img *r, u32 field, u32 *value, u32 *mask);

/*
 * xt2_key_of_family - does a search fill in this key for packets of a family?
 *
 * IPv4 has two keys of each address; the six others are those of whichever
 * packet of IPv6 came before.
 */
static inline bool xt2_key_of_family(u8 family, u32 key)
{
	return key < XT2_KEYS && (family == XT2_IPV6 || key >= XT2_KEY_SPORT || key % 8 < 2);
}

/* The box's range of a key that its family has; IPv4 addresses are numbers. => false: it has not */
bool xt2_box_range(const struct xt2_box *box, u8 family, u32 key, u16 *least, u16 *most);

/* A field's value and mask: of ports all bits or none. */
void xt2_box_field(const struct xt2_box *box, u32 field, u64 *value, u64 *mask);

/* => hash of the box's class in a dimension: *cls, the one with the most bits that it has all of */
u32 xt2_box_hash(const struct xt2_box *box, const struct xt2_index_dimension *d, u32 number,
		 u32 *cls);

/* Fields of an entry for the box: xt2_index_entry.never and ports. */
u16 xt2_box_never(const struct xt2_box *box);
u64 xt2_box_ports(const struct xt2_box *box);

/* => groups of keys that a key, or a field, belongs to: XT2_ASKS_* */
u8 xt2_asks_key_(u32 key);
u8 xt2_asks_field(u32 field);

/* The bytes of a name up to its NUL: bytes after it are ignored. => there is a NUL */
static inline bool xt2_clean_name(u64 *to, const u64 *name)
{
	const u64 ones = 0x0101010101010101ull, highs = 0x8080808080808080ull;
	u64 nul = (name[0] - ones) & ~name[0] & highs;

	if (nul) {
		to[0] = name[0] & (((nul & -nul) >> 7) - 1);
		to[1] = 0;
		return true;
	}
	to[0] = name[0];
	nul = (name[1] - ones) & ~name[1] & highs;
	to[1] = nul ? name[1] & (((nul & -nul) >> 7) - 1) : name[1];
	return nul;
}

/* A name's 16 bytes as a key. */
static inline u16 xt2_fold_name(const u64 *name)
{
	u64 x = (name[0] * 0x9e3779b97f4a7c15ull) ^ (name[1] * 0xc2b2ae3d27d4eb4full);

	return (u16)(x >> 48);
}

/*
 * Bits of a class to a hash: its first word, all the others, then the last
 * step.  Each step can be undone, so values of one word have hashes of their own.
 */
#define XT2_HASH_WHICH 0x9e3779b9u /* times the class's number, over all dimensions */
#define XT2_HASH_FIRST 0x85ebca6bu
#define XT2_HASH_MORE  0xc2b2ae35u
#define XT2_HASH_LAST  0x7feb352du

static inline u32 xt2_hash_first(u32 word, u32 which)
{
	return (word + which * XT2_HASH_WHICH) * XT2_HASH_FIRST;
}

static inline u32 xt2_hash_more(u32 hash, u32 word)
{
	return ((hash ^ hash >> 15) + word) * XT2_HASH_MORE;
}

static inline u32 xt2_hash_last(u32 hash)
{
	hash = (hash ^ hash >> 16) * XT2_HASH_LAST;
	return hash ^ hash >> 15;
}

/* All steps; words: 1, 2 or 4. */
static __always_inline u32 xt2_hash_class(const struct xt2_index_dimension __img *d, u32 cls,
					  const u32 *word, u32 which)
{
	u32 hash = xt2_hash_first(word[0] & d->mask[0][cls], which);

	if (d->words > 1)
		hash = xt2_hash_more(hash, word[1] & d->mask[1][cls]);
	if (d->words > 2) {
		hash = xt2_hash_more(hash, word[2] & d->mask[2][cls]);
		hash = xt2_hash_more(hash, word[3] & d->mask[3][cls]);
	}
	return xt2_hash_last(hash);
}

/* A field's value as words. */
static __always_inline void xt2_field_words(u32 *word, const u64 *value)
{
	word[0] = (u32)value[0];
	word[1] = (u32)(value[0] >> 32);
	word[2] = (u32)value[1];
	word[3] = (u32)(value[1] >> 32);
}

/* Hashes of two classes to one: both are spread evenly, so their sum without carries is. */
static inline u32 xt2_hash_pair(u32 a, u32 b)
{
	return a ^ (b << 16 | b >> 16);
}

static inline u16 xt2_hash_tag(u32 hash)
{
	return (u16)hash;
}

/* Two numbers that entries compare: protocols that rules ask for often, and states. */
#define XT2_BIT_STATE 4 /* and the four above it */

static inline u16 xt2_proto_bit(u32 proto)
{
	switch (proto) {
	case 6: return 0x1;
	case 17: return 0x2;
	case 1:
	case 58: return 0x4;
	}
	return 0x8;
}

#define XT2_PORT_TOPS 0x8000800080008000ull

/* Ports of a packet or least ones, and what their complements are taken of. */
static inline u64 xt2_pack_ports(u16 dport, u16 sport, u16 dmost, u16 smost)
{
	return (u64)(dport >> 1) | (u64)(sport >> 1) << 16 | (u64)(0x7fff - (dmost >> 1)) << 32 |
	       (u64)(0x7fff - (smost >> 1)) << 48;
}

#endif
