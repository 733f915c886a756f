/* SPDX-License-Identifier: GPL-2.0-or-later */
/* edits-work.h - a ruleset that is shared with readers, and edits of it: see edits-work.c */
#ifndef XT2_PERF_EDITS_EDITS_WORK_H
#define XT2_PERF_EDITS_EDITS_WORK_H

#include "libxt2/ruleset/ruleset.h"
#include "libxt2/share/share-tables.h"
#include "perf/cost/cost.h"

struct edits_work {
	struct xt2_tables *tables;
	struct xt2_ruleset *rs; /* of these */
	struct xt2_mapping map; /* that rs is from, until it is shared */
	int chain; /* the one with most rules */
	u64 random; /* state */
	struct xt2_rule **pool; /* copies of its rules, in random order */
	u32 pooled, next;
};

struct edits_kind {
	const char *name;
	int (*change)(struct edits_work *w, u32 at);
	u32 more; /* positions beyond those of rules */
};

extern const struct edits_kind edits_kinds[]; /* insert, replace, delete; the last one has no name */

/* All of these exit with a message if they fail. */

/* The ruleset of an image. */
void edits_open(struct edits_work *w, const char *path, u64 seed);

/* It becomes w->tables, and w->rs is that of these. */
void edits_share(struct edits_work *w);

/* Rules for edits of its longest chain: the numbers in them are those of the shared ruleset. */
void edits_choose(struct edits_work *w);

void edits_commit(struct edits_work *w);
void edits_stop(struct edits_work *w);

/* => a random number below n; 0 if n is 0 */
u32 edits_below(struct edits_work *w, u32 n);

/* => the number that an argument says */
u64 edits_number(const char *text);

#endif
