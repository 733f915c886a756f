/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h - find rules of one compiled chain by their number, or by what they say; not installed
 *
 * A finder is a record of about 5 bytes for each rule.  It is made when a chain is edited for
 * the first time, lies in the image beside the chain, does not change, and goes with the
 * compiled extent.  Chains of few rules have none: NULL, and the same functions then walk.
 *
 * Places are offsets in the compiled extent.  Its rules count from 0, and the tail is not one
 * of them.  A reader trusts the chain, which was checked; whatever bytes the record has, it
 * reads nothing outside of the two.
 */
#ifndef XT2_LIBXT2_CHANGE_FINDER_H
#define XT2_LIBXT2_CHANGE_FINDER_H

#include <xt2/format.h>
#include "engine/env.h"

#define XT2_FINDER_RULES 128u /* a chain of fewer is walked as fast */
#define XT2_FINDER_STEP	 16u /* rules from one place of the directory to the next */

struct xt2_finder {
	u32 size; /* bytes, a multiple of 8 */
	u32 rules; /* without the tail */
	u32 tail; /* its place */
	u32 shift; /* 1 to 31: the rest of a fingerprint is its bucket's number */
	/*
	 * Then numbers of 32 bits: the places of rules 0, 16, 32, ... (the tail is the last one
	 * if it follows 16 rules); for each bucket the number of the entry after its last one;
	 * entries, those of a bucket ascending: a place, and three low bits of the fingerprint.
	 */
};

/* => bytes of a finder for a chain, a multiple of 8 */
u64 xt2_finder_size(const struct xt2_chain *compiled);

/* @at: so many bytes, 8-byte aligned, which become the finder */
void xt2_finder_build(void *at, const struct xt2_chain *compiled);

/* => may so many bytes be the finder of this chain?  As far as its header tells */
bool xt2_finder_fits(const struct xt2_finder *f, u64 room, const struct xt2_chain *compiled);

/* --- numbers --------------------------------------------------------------- */

/* => place of rule n; of the tail, if there are no more than n */
u32 xt2_finder_nth(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 n);

/* => number of the rule at a place, of the tail that after the last one; ~0: no rule begins there */
u32 xt2_finder_number(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 place);

/* => do at most n rules stand before a rule's place?  Most often without reading any of them */
bool xt2_finder_within(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 place,
		       u32 n);

/* --- what rules say -------------------------------------------------------- */

/*
 * => hash of a rule's matches and target, without counters and without the numbers of cells and
 *    instances; that of a chain, which is jumped to, is one of them
 */
u32 xt2_rule_fingerprint(const struct xt2_rule *r);

/* Where a search for rules of one fingerprint is. */
struct xt2_candidates {
	const struct xt2_finder *f;
	const struct xt2_chain *compiled;
	u32 fingerprint;
	u32 next, end; /* entries; without a finder places */
};

void xt2_candidates_begin(struct xt2_candidates *c, const struct xt2_finder *f,
			  const struct xt2_chain *compiled, u32 fingerprint);

/* => place of the next rule that has the fingerprint, in their order; 0: there are no more */
u32 xt2_candidates_next(struct xt2_candidates *c);

#endif
