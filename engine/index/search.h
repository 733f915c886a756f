/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.h - find the rules of a chain that can match a packet
 *
 * The primitive is "the next rule of this chain, after this one, that can
 * match".  An index prunes only by tests that iptables makes before a rule's first
 * match that remembers, drops or is unknown (box.c), and only for
 * packets whose headers are whole: others are evaluated rule after rule.
 * So skipping a rule has no visible effect.
 */
#ifndef XT2_ENGINE_INDEX_SEARCH_H
#define XT2_ENGINE_INDEX_SEARCH_H

#include "engine/order.h"
#include "engine/ctx.h"
#include <xt2/index.h>

#define XT2_CANDIDATES 64u /* that are collected at once */
#define XT2_AHEAD_FEW  2u /* or up to so many, if most rules decide */
#define XT2_SPANS_MAX  128u /* buckets that are searched for one packet */
#define XT2_UNITS_FAR  4096u /* up to so many have their index in the first caches */

/* The fields of a packet that rules test, as numbers. */
struct xt2_keys {
	u16 key[(XT2_KEYS + 15) & ~15];
	u64 mac;
	u64 in[2], out[2]; /* zero after the NUL */
	u32 have; /* XT2_ASKS_* that are filled in */
};

/* A bucket to search for a packet. */
struct xt2_span {
	u32 entries; /* the bucket's */
	u32 hash;
};

/* Hashes of a packet's classes in a dimension. */
struct xt2_hashes {
	u32 hash[XT2_CLASSES];
	u64 pairs, triples; /* byte i: classes of the other dimension to go with class i */
};

/* The smallest units that were found, in order. */
struct xt2_found {
	u32 *unit;
	u32 n, room;
	u32 bound; /* larger ones are not wanted */
	bool more; /* there were others */
};

#define XT2_UNITS_MAX 512u /* candidates of all chains that a packet is in */

/* xt2_cursor.indexed: how evaluation goes through the chain that a packet is in. */
enum xt2_goes {
	XT2_GOES_PLAIN, /* rule after rule */
	XT2_GOES_INDEXED,
	XT2_GOES_PATCHED, /* by the compiled chain's index and the patch's hashes */
	XT2_GOES_IN_ORDER, /* through a patched chain, rule after rule */
};

#define XT2_NOTED   64u /* entries that are found before the first rule is looked at */
#define XT2_INSERTS 32u /* inserted rules that are found at once */

#define XT2_FIELD_LANES 8u /* as many as there are fields, so that one vector has a word of all */

/*
 * A batch of candidates of a patched chain that is being merged (eval-patch.c); not on the stack, of
 * which a BPF program has little, and where a verifier would follow each number.
 */
struct xt2_merge {
	u64 after, last; /* keys: the rules of this batch are after the one, up to the other */
	u32 resume; /* offset of that rule; 0: there are no more after this batch */
	u32 n; /* units */
	u32 hash[XT2_PATCH_CLASSES]; /* of the packet, by class */
	u32 note[XT2_NOTED], noted; /* units of entries with its hash */
	u32 may; /* a bit for each class by which rules may be found */
	u32 left, bucket,
		entry; /* the classes, and the entry, from which on nothing is noted yet */
	u32 word[XT2_FIELD_WORDS][XT2_FIELD_LANES]; /* of the packet: of field f in lane f % 8 */
};

struct xt2_found_insert {
	u64 key; /* xt2_rule_key() */
	u32 rule; /* its offset in the image, and XT2_FOUND_HOLDS if that is known */
};

/* In xt2_search.unit, where columns are never named: all tests of the rule hold. */
#define XT2_FOUND_HOLDS XT2_UNIT_NESTED

/* Cursors in patched chains have the complement, which is no epoch that any packet meets. */
#define XT2_EPOCH_LAST 0x7fffffffu

/* The state of a search; one for each packet that is evaluated. */
struct xt2_search {
	struct xt2_keys keys;
	struct xt2_cursor cursor;
	u32 epoch; /* changes of packets by targets, up to XT2_EPOCH_LAST, then from 0 again */
	u32 chain; /* offset of the chain that was searched ahead; 0: none */
	u32 base, units; /* the candidates: unit[base, base + units) */
	u32 resume; /* see xt2_index_find() of find.h */
	u32 spans, nested; /* in span, columns */
	u32 spanned; /* offset of the chain whose spans these are; 0: unknown */
	u32 near, count, part, addr; /* see xt2_index_near() */
	u32 unit[XT2_UNITS_MAX];
	struct xt2_span span[XT2_SPANS_MAX];
	u32 columns[XT2_SPANS_MAX]; /* spans that are nested columns */
	struct xt2_hashes hashes[2]; /* of the packet's classes */
	struct xt2_found found;
	u32 block[XT2_BLOCK]; /* candidates of a block of nested columns */
	bool linear; /* patched chains: go in order, without an index */
	u32 ordered; /* offset of the rule that order is after */
	struct xt2_in_order order;
	u32 patched; /* offset of the patched chain whose inserted rules these are; 0: unknown */
	u32 inserts; /* in order */
	u64 inserts_end; /* up to this key there are no others; ~0: none at all */
	struct xt2_found_insert inserted[XT2_INSERTS];
	struct xt2_merge merge;
};

/*
 * xt2_keys_fill - fill in the keys that an index needs
 * @asks: XT2_ASKS_*
 * => false: the packet is not one to use an index for
 */
xt2_separate bool xt2_keys_fill(struct xt2_keys *keys xt2_arg_img,
				const struct xt2_pkt *pkt xt2_arg_img, u32 asks);

/*
 * xt2_index_columns - collect the next candidates, in the order of the rules, by a column scan
 * xt2_index_bits - the same with the bitmap index
 * xt2_index_segments - the same with the prefix index of an address
 * xt2_index_spans, xt2_index_collect, xt2_index_nested - the same with the tuple-pair index, in three steps
 * @s: keys filled in; from unit[base] on there is room for XT2_CANDIDATES
 * @after: only units after this offset in the chain; 0: all
 *
 * s->units is how many there are now; may be 0 although there are more.
 * s->resume is from where to go on when these are done; 0: there are no more.
 * The last step is for s->nested buckets, if there are any.  Between the first
 * and the second one, the packets of a batch wait for memory together.
 * => buckets; else s->units
 */
xt2_separate u32 xt2_index_columns(const struct xt2_index __img *ix xt2_arg_img,
				   struct xt2_search *s xt2_arg_img, u32 after);
xt2_separate u32 xt2_index_bits(const struct xt2_index __img *ix xt2_arg_img,
				struct xt2_search *s xt2_arg_img, u32 after);
xt2_separate u32 xt2_index_segments(const struct xt2_index __img *ix xt2_arg_img,
				    struct xt2_search *s xt2_arg_img,
				    const struct xt2_pkt *pkt xt2_arg_img, u32 after);
xt2_separate u32 xt2_index_spans(const struct xt2_index __img *ix xt2_arg_img,
				 struct xt2_search *s xt2_arg_img,
				 const struct xt2_pkt *pkt xt2_arg_img);
xt2_separate u32 xt2_index_collect(const struct xt2_index __img *ix xt2_arg_img,
				   struct xt2_search *s xt2_arg_img, u32 after);
xt2_separate u32 xt2_index_nested(const struct xt2_index __img *ix xt2_arg_img,
				  struct xt2_search *s xt2_arg_img, u32 after);

/*
 * xt2_index_near, xt2_index_there - search segments in two steps, from the chain's start
 * @s: of the same packet
 *
 * As with pairs, the first step prefetches the memory that the second one reads.
 */
void xt2_index_near(const struct xt2_index __img *ix, struct xt2_search *s,
		    const struct xt2_pkt *pkt);
void xt2_index_there(const struct xt2_index __img *ix, struct xt2_search *s);

static inline const struct xt2_index __img *xt2_chain_index(const struct xt2_chain __img *c)
{
	return c->lookup ? xt2_at(c, c->lookup) : NULL;
}

/* Of a chain that has one. */
static inline const struct xt2_index __img *xt2_chain_its_index(const struct xt2_chain __img *c)
{
	return xt2_at(c, c->lookup);
}

/* Is the index too big for the caches? */
static inline bool xt2_index_far(const struct xt2_index __img *ix)
{
	return (ix->kind == XT2_INDEX_SEGMENTS || ix->kind == XT2_INDEX_PAIRS) &&
	       ix->units > XT2_UNITS_FAR;
}

/*
 * xt2_patch_buckets - the buckets of a patch that may have rules for a packet
 * @p: the patch
 * @s: keys filled in
 * => a bit for each class whose bucket may; the hashes are in merge.hash
 */
xt2_separate u32 xt2_patch_buckets(const struct xt2_image __img *img xt2_arg_img,
				   const struct xt2_patch __img *p xt2_arg_img,
				   struct xt2_search *s xt2_arg_img,
				   const struct xt2_pkt *pkt xt2_arg_img);

/*
 * xt2_scan_scalar - the next block of columns with candidates
 * @key: XT2_KEYS keys of a packet
 * @block: from this one on; @end: up to the one before this
 * @hits: out: a bit for each candidate, those after the last unit included
 * => its number; end if there is none
 *
 * If the kernel ends the loop, the whole block is candidates: a rule that is not
 * known to miss has to be evaluated.
 */
xt2_separate u32 xt2_scan_scalar(const struct xt2_columns __img *c xt2_arg_img,
				 const u16 *key xt2_arg_img, u32 block, u32 end,
				 u32 *hits xt2_arg_there);

static inline u32 xt2_columns_blocks(const struct xt2_columns __img *c)
{
	return (c->units + XT2_BLOCK - 1) / XT2_BLOCK;
}

/* => the rows of a block's first column: least values, then complements of the greatest */
static inline const u16 __img *xt2_columns_row(const struct xt2_columns __img *c, u32 block)
{
	return (const u16 __img *)((const u32 __img *)(c + 1) +
				   (u64)xt2_columns_blocks(c) * XT2_BLOCK) +
	       (u64)block * c->columns * 2 * XT2_BLOCK;
}

/* => the first of n units after an offset, or n */
static inline u32 xt2_units_behind_(const u32 __img *unit, u32 n, u32 after)
{
	u32 low = xt2_zero, half;

	for (; n && xt2_can_loop; n -= half) { /* a step is no branch */
		half = (n + 1) / 2;
		low += -(u32)((unit[low + half - 1] & ~XT2_UNIT_FLAGS) <= after) & half;
	}
	return low;
}

static inline struct xt2_run __img *xt2_index_runs(const struct xt2_index __img *ix)
{
	return xt2_at(ix, ix->run);
}

/* => the run whose first rule is at this offset; there is one */
struct xt2_run __img *xt2_index_run(const struct xt2_index __img *ix, u32 rule);

/* The counters of a rule, its run's part included. */
struct xt2_counts {
	u64 packets, bytes;
};

/* c: the chain that was compiled, if it is patched */
struct xt2_counts xt2_rule_counts(const struct xt2_chain __img *c, const struct xt2_rule __img *r);

/* => has any run counted? */
bool xt2_index_counts(const struct xt2_index __img *ix);

/* Move the counters of runs into their rules. */
void xt2_chain_fold(struct xt2_chain __img *c);

/* Fold, and forget the index: its bytes are zero, and spare room of the chain. */
void xt2_chain_drop_index(struct xt2_chain __img *c);

/* --- making one: build.c --- */

/*
 * Up to which number of units a chain is plain, up to which it has columns, and
 * up to which bits; above that, pairs.  But it has segments, if that many
 * candidates or less are found for a packet of a unit on average; 0: never.
 */
struct xt2_index_limits {
	u32 plain, columns, bits, segments;
	bool single; /* no rule groups: every rule is counted by itself */
};

extern const struct xt2_index_limits xt2_index_limits;

/* => most bytes that an index for so many rules, the tail not counted, can take */
u64 xt2_index_bound(u32 rules);

/* => bytes of scratch memory that making it takes */
u64 xt2_index_scratch(u32 rules);

/*
 * xt2_index_build - make an index for a chain
 * @family: of its table
 * @at: 8-byte aligned, after the chain's rules; @room: bytes there
 * @scratch: xt2_index_scratch() bytes, 8-byte aligned
 *
 * The chain itself is not changed: a caller that wants it used sets its lookup.
 * => bytes of the index; 0: it would not pay, or no room
 */
u32 xt2_index_build(const struct xt2_chain __img *c, u8 family,
		    const struct xt2_index_limits *limits, struct xt2_index *at, u64 room,
		    void *scratch);

/* --- trusting one: check-index.c --- */

/*
 * xt2_index_check - verify that a search can find every rule
 * @c: a chain that xt2_check() accepted
 * => 0; -EINVAL: a search could miss a rule, or leave the chain
 */
int xt2_index_check(const struct xt2_chain __img *c, u8 family, const char **what);

#endif
