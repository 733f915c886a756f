/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - private to the builders of indexes */
#ifndef XT2_ENGINE_INDEX_BUILD_H
#define XT2_ENGINE_INDEX_BUILD_H

#include "box.h"

#define SAMPLE_COLUMNS 32u /* boxes that decide which columns to make */
#define SAMPLE	       128u /* boxes that decide which fields to hash */
#define SCRATCH_ROOM   6144u
#define BOUND_RULE     112u /* bytes a rule, at most: in nested columns, half of them empty */
#define BOUND_FIXED    8192u
#define BUCKET_MOST    XT2_BUCKET_COUNT /* entries of a bucket; more units are scanned */
#define NEVER_AT_ALL   0xffffu /* xt2_index_entry.never: value for padding */
#define SHIFT_UNUSED   31u /* value for an unused class */

/* Segments at most: bounds the time of the check. */
#define SEGMENT_PLACES(units) (8ull * (units) + 64)

#define SCRATCH_UNIT 56u /* bytes of a unit, for the builder of each kind of index */

/* A unit on its way into a bucket: small, since many of them are read in random order. */
struct hashed {
	u64 ports; /* see xt2_index_entry */
	u32 pair; /* hash of its bucket */
	u32 first, second, third; /* hashes of its classes in the dimensions */
	u32 unit;
	u16 never;
	u8 classes; /* in both dimensions */
	u8 third_class;
};

_Static_assert(sizeof(struct hashed) <= SCRATCH_UNIT, "scratch memory of a unit");

/* Which boxes of a sample each box's packet would be let through to, by key. */
struct passes {
	u64 pass[XT2_KEYS][SAMPLE_COLUMNS];
	bool tells[XT2_KEYS]; /* some box asks for the key */
	u32 n;
};

struct build {
	const struct xt2_chain *chain;
	u8 family;
	bool full; /* no room */
	bool single; /* rules are not grouped */
	struct xt2_index *at;
	u64 room, used; /* bytes at at */
	u32 units, runs;
	u32 deciding; /* units whose rule ends the evaluation of the chain */
	/* scratch */
	struct passes *passes;
	struct xt2_box *sample;
	u32 *unit; /* in order */
	u32 *order; /* units sorted by bucket */
	struct hashed *hashed;
	u32 *start; /* first of each bucket in order */
};

/* Share the scratch memory out: xt2_index_scratch() bytes for so many rules. */
void xt2_build_begin_(struct build *b, u8 *scratch, u32 rules);

/* The units of the chain, and its runs after the index's header.  => false: no room */
bool xt2_build_units_(struct build *b);

/* Boxes of some of n units, spread over all of them, as b->sample.  => how many, at most max */
u32 xt2_build_sample_(struct build *b, const u32 *unit, u32 n, u32 max);

const struct xt2_rule *xt2_build_rule_(const struct build *b, u32 unit);

/* => bytes at *offset of the index, zero; NULL: no room, and that is noted */
void *xt2_build_take_(struct build *b, u64 bytes, u32 *offset);

/* => SCRATCH_ROOM bytes for a moment; xt2_build_columns_() uses them, too */
void *xt2_build_room_(const struct build *b);

/* => offset of columns for n units; 0: no room */
u32 xt2_build_columns_(struct build *b, const u32 *unit, u32 n);

/*
 * => how many keys tell n units apart, at most max, the best first; then those
 *    that rule out something, all or so many that it is likely to be enough
 */
u32 xt2_build_keys_(struct build *b, const u32 *unit, u32 n, bool all, u8 *chosen, u32 max);

/* => offset of struct xt2_bits for all units; 0: no key tells them apart, or no room */
u32 xt2_build_bits_(struct build *b);

/*
 * => offset of struct xt2_segments; 0: a packet of a unit would have more than
 *    most candidates on average, or no room
 */
u32 xt2_build_segments_(struct build *b, u32 most);

/* => offset of struct xt2_pairs; 0: no two fields tell the units apart, or no room */
u32 xt2_build_pairs_(struct build *b);

/* Does a run of equal rules go on from a with b? */
bool xt2_run_goes_on_(const struct xt2_rule *a, const struct xt2_rule *b);

#endif
