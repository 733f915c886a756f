/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check-private.h - the parts of the check of an image, for each other */
#ifndef XT2_ENGINE_CHECK_PRIVATE_H
#define XT2_ENGINE_CHECK_PRIVATE_H

#include "check.h"
#include "walk.h"

/*
 * The tables and kinds that rules refer to, side by side: reading them in place
 * would miss the cache for each jump of a large ruleset.
 */
struct xt2_check_named {
	u16 *table; /* of chains, and 1; 0: there is none */
	u8 *kind; /* of instances */
};

/* How indexes are treated, since a wrong one would hide rules. */
enum xt2_check_gate {
	XT2_GATE_CHECK, /* each is held to its rules */
	XT2_GATE_FORGET, /* they are dropped */
	XT2_GATE_SEAL, /* the writer made them; depth, visits and the magic are stored */
};

struct xt2_checking {
	const struct xt2_image __img *img;
	u64 size;
	u64 spare; /* bytes of structures that say nothing */
	enum xt2_check_gate gate;
	bool sparse; /* the image may be mostly empty */
	const struct xt2_root __img *root;
	u64 *map; /* a bit for every 8 bytes */
	u8 *hooked; /* per table: hooks that have an entry */
	struct xt2_walk_chain *walk;
	struct xt2_check_named named;
	u32 base_chains, chains;
	bool patched; /* a chain that a patch changes: its rules may be deleted */
	u32 lost; /* of that chain, rules that lead nowhere: all of them must be deleted */
	u64 rules;
	u64 memories[XT2_MEMORIES_MAX / 64]; /* a bit for each one that a rule names */
	u32 chain, rule; /* for the report */
	struct xt2_check_err *err;
};

/* Report a problem.  => -EINVAL */
int xt2_check_bad_(const struct xt2_checking *c, const char *what, const void __img *where);

int xt2_check_bad_at_(const struct xt2_checking *c, const char *what, u64 offset);

/* Make [off, off + len) the place of one structure; its padding is zero.  => 0, -EINVAL */
int xt2_check_claim_(struct xt2_checking *c, u64 off, u64 len, const char *what);
/* The same of an array; one without elements has offset 0. */
int xt2_check_claim_array_(struct xt2_checking *c, u64 off, u64 count, u64 size, const char *what);

u8 xt2_check_family_(const struct xt2_checking *c, const struct xt2_chain __img *ch);

/* Does a rule of a table name things of the right kind?  => NULL, or the problem */
const char *xt2_check_refs_(const struct xt2_checking *c, const struct xt2_rule __img *r,
			    u32 table);

/* A rule that was checked names these memories. */
void xt2_check_memories_(struct xt2_checking *c, const struct xt2_rule __img *r);

/* Does a rule of a table lead to a chain that is gone, or is another table's by now? */
bool xt2_check_is_lost_(const struct xt2_checking *c, const struct xt2_rule __img *r, u32 table);

/* The numbers that rules of a chain may have. */
static inline struct xt2_rule_bounds xt2_check_bounds_(const struct xt2_checking *c,
						       const struct xt2_chain __img *ch)
{
	return (struct xt2_rule_bounds){
		.family = xt2_check_family_(c, ch),
		.chains = c->root->chains,
		.cells = c->root->cells,
		.instances = c->root->instances,
	};
}

/* The place of a chain.  => 0, -EINVAL */
int xt2_check_extent_(struct xt2_checking *c, u64 off);

/* Rules and index of a chain that was compiled.  => 0, -EINVAL */
int xt2_check_chain_(struct xt2_checking *c, const struct xt2_chain __img *ch);

/* => does the extent of a chain have the form of a patched one? */
bool xt2_check_is_patched_(const struct xt2_chain __img *ch);

/* A patched chain, the one that it changes included.  => 0, -EINVAL */
int xt2_check_patched_(struct xt2_checking *c, const struct xt2_chain __img *ch);

#endif
