/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace-calls.h - what rulesets ask of one that is edited in its image; not installed
 *
 * The files of rulesets know no more of inplace.c than these functions, and that file
 * builds on them.  Of any other ruleset nothing here does anything.
 */
#ifndef XT2_LIBXT2_RULESET_INPLACE_CALLS_H
#define XT2_LIBXT2_RULESET_INPLACE_CALLS_H

#include "ruleset.h"

/* Failures of reading stick, and keep the ruleset from being committed. */
struct xt2_inplace_ops_ {
	/* Read a chain's header; those of all chains; how many rules lead to chains. */
	void (*know)(const struct xt2_ruleset *rs, u32 chain);
	void (*know_all)(const struct xt2_ruleset *rs);
	void (*know_references)(const struct xt2_ruleset *rs);
	/* Read the rules of a chain into its list; all chains, rules, instances and cells. */
	void (*read)(const struct xt2_ruleset *rs, struct xt2_chain_ *c);
	int (*complete)(const struct xt2_ruleset *rs);
	const struct xt2_instance *(*instance)(const struct xt2_ruleset *rs, u32 i);
	/* => a chain of the image that is not known yet; XT2_NONE: it has none of this name */
	u32 (*named)(const struct xt2_ruleset *rs, u32 table, const char *padded);
	/* => a number that no chain of the image has, if one is found soon; XT2_NONE */
	u32 (*unused)(struct xt2_ruleset *rs);
	/* Enter all chains that are known in the buckets. */
	void (*link)(struct xt2_ruleset *rs);

	/* A chain is about to change, for the first time in this transaction. */
	void (*change)(struct xt2_ruleset *rs, struct xt2_chain_ *c);
	/* A rule of a chain comes (1) or goes (-1), which names another chain. */
	void (*refer)(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r,
		      int change);
	/* A rule comes: what it names is written by the commit, too. */
	void (*use)(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r);
	/*
	 * The rules of a chain are about to change.
	 * => 0: in their list; 1: in the image, by the functions below; -errno
	 */
	int (*open)(struct xt2_ruleset *rs, struct xt2_chain_ *c);
	/*
	 * => 1: done; 0: the rules are a list from now on, which is to be changed; -errno.
	 * next: out: offset of the rule after the new one, if it stays there until the chain is
	 * changed again; else 0.  where: offset of the rule; 0: not known.
	 */
	int (*insert)(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at,
		      const struct xt2_rule *rule, u32 line, u32 *next);
	int (*delete)(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at, u32 where);
	void (*flush)(struct xt2_ruleset *rs, struct xt2_chain_ *c);
	/* Of any chain; at: below the number of its rules.  line, find: of one that is not read. */
	const struct xt2_rule *(*rule)(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
				       u32 at);
	u32 (*line)(const struct xt2_ruleset *rs, const struct xt2_chain_ *c, u32 at);
	int (*find)(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		    const struct xt2_rule *rule);

	/* The counters of a chain's policy become those of now, unless they were set. */
	void (*count)(const struct xt2_ruleset *rs, struct xt2_chain_ *c);

	/* A rule goes. */
	void (*gone)(struct xt2_ruleset *rs, const struct xt2_rule *r);

	/* A table has another source. */
	void (*resource)(struct xt2_ruleset *rs);
	/* The ruleset is at another address. */
	void (*moved)(struct xt2_ruleset *rs);
	/* Free what it has. */
	void (*end)(struct xt2_ruleset *rs);
};

/* --- what it builds on --------------------------------------------------- */

/* Enter a chain in its bucket. */
void xt2_name_link_(struct xt2_ruleset *rs, u32 number);

/* The same for a chain that becomes known, after making room.  => 0, -ENOMEM */
int xt2_chain_link_(struct xt2_ruleset *rs, u32 number);

/* The tables of an image.  => 0, -ENOMEM */
int xt2_tables_load_(struct xt2_ruleset *rs, const struct xt2_image *img,
		     const struct xt2_root *root);

/*
 * The rules of a chain of an image become its list.
 * @slots: their counters are in slots, else those of rule groups are added
 * => 0, -ENOMEM
 */
int xt2_list_load_(struct xt2_ruleset *rs, struct xt2_chain_ *to, const struct xt2_image *img,
		   const struct xt2_chain *c, bool slots);

/* => do two rules of a ruleset say the same? */
bool xt2_rules_equal_(const struct xt2_ruleset *rs, const struct xt2_rule *a,
		      const struct xt2_rule *b);

/* --- calls ---------------------------------------------------------------- */

static inline void xt2_chain_changes_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	if (unlikely(rs->ops) && !c->changed)
		rs->ops->change(rs, c);
}

static inline int xt2_chain_opens_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	return unlikely(rs->ops) ? rs->ops->open(rs, c) : 0;
}

static inline void xt2_policy_counts_(const struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	if (unlikely(rs->ops))
		rs->ops->count(rs, c);
}

static inline void xt2_rule_used_(struct xt2_ruleset *rs, const struct xt2_chain_ *c,
				  const struct xt2_rule *r)
{
	if (unlikely(rs->ops))
		rs->ops->use(rs, c, r);
}

static inline void xt2_rule_gone_(struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	if (unlikely(rs->ops))
		rs->ops->gone(rs, r);
}

static inline void xt2_chains_know_(const struct xt2_ruleset *rs)
{
	if (unlikely(rs->ops))
		rs->ops->know_all(rs);
}

static inline void xt2_references_know_(const struct xt2_ruleset *rs)
{
	if (unlikely(rs->ops))
		rs->ops->know_references(rs);
}

#endif
