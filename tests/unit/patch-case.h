/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-case.h - an image of IPv4 whose chains are edited by patches
 *
 * Chains by number: 0 FORWARD of filter, the others user chains.  Rules are made by
 * struct rule_build.  Each edit is a transaction of its own.
 */
#ifndef TESTS_UNIT_PATCH_CASE_H
#define TESTS_UNIT_PATCH_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include "engine/check.h"
#include "engine/walk.h"
#include "libxt2/change/patch-edit.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/packets.h"
#include "tests/lib/plain-image.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define PATCH_CHAINS 5
#define PATCH_ROOM   (4u << 20)
#define PATCH_TAIL   ~0u /* as a rule's number: the end of the chain */

#define ACCEPT XT2_TARGET(XT2_T_ACCEPT, 0)
#define DROP   XT2_TARGET(XT2_T_DROP, 0)
#define COUNT  XT2_TARGET(XT2_T_CONTINUE, 0)
#define RETURN XT2_TARGET(XT2_T_RETURN, 0)
#define MARK   XT2_TARGET(XT2_T_MARK, 7)

struct patch_case {
	struct xt2_ruleset *rs; /* until the image is made */
	int chain[PATCH_CHAINS];
	struct xt2_image *img;
	u64 capacity, generation;
	struct xt2_space space;
	void *scratch;
};

/* Limits that give any chain one kind of index. */
static const struct xt2_index_limits patch_columns = { 0, ~0u, 0, 0, false };
static const struct xt2_index_limits patch_bits = { 0, 0, ~0u, 0, false };
static const struct xt2_index_limits patch_pairs = { 0, 0, 0, 0, false };
static const struct xt2_index_limits patch_segments = { 0, 0, 0, ~0u, false };
static const struct xt2_index_limits patch_plain = { ~0u, 0, 0, 0, false };

static inline void patch_begin(struct patch_case *c)
{
	static const char *const name[PATCH_CHAINS] = { NULL, "ONE", "TWO", "THREE", "FOUR" };
	int table, i;

	memset(c, 0, sizeof(*c));
	c->rs = xt2_ruleset_new();
	assert_non_null(c->rs);
	table = xt2_table_add(c->rs, XT2_IPV4, "filter", NULL);
	assert_true(table >= 0);
	c->chain[0] = xt2_chain_find(c->rs, table, "FORWARD");
	for (i = 1; i < PATCH_CHAINS; i++)
		c->chain[i] = xt2_chain_add(c->rs, table, name[i]);
}

static inline void patch_end(struct patch_case *c)
{
	xt2_space_end(&c->space);
	free(c->img);
	free(c->scratch);
}

static inline u32 patch_jump(const struct patch_case *c, u32 chain)
{
	return XT2_TARGET(XT2_T_JUMP, (u32)c->chain[chain]);
}

static inline u32 patch_goto(const struct patch_case *c, u32 chain)
{
	return XT2_TARGET(XT2_T_GOTO, (u32)c->chain[chain]);
}

static inline void patch_add(struct patch_case *c, u32 chain, const struct xt2_rule *r)
{
	assert_int_equal(xt2_rule_append(c->rs, c->chain[chain], r, 0), 0);
}

/* => -s address, 0: any */
static inline struct xt2_rule *patch_rule(struct rule_build *b, u32 source, u32 target)
{
	rule_begin(b);
	if (source)
		rule_source(b, source, 32);
	return rule_end(b, target);
}

static inline void patch_add_from(struct patch_case *c, u32 chain, u32 source, u32 target)
{
	struct rule_build b;

	patch_add(c, chain, patch_rule(&b, source, target));
}

static inline const struct xt2_root *patch_root(const struct patch_case *c)
{
	return xt2_image_root(c->img);
}

/* The image has numbers of its own: chains are known by their names. */
static inline void patch_number(struct patch_case *c, char name[][XT2_NAME_SIZE])
{
	const struct xt2_chain *chain;
	u32 i, j;

	xt2_image_for_each_chain(chain, j, c->img, patch_root(c))
		for (i = 0; i < PATCH_CHAINS; i++)
			if (!strcmp(xt2_image_chain_cold(c->img, patch_root(c), j)->name, name[i]))
				c->chain[i] = (int)j;
}

/* The rules so far become an image. */
static inline void patch_image(struct patch_case *c, const struct xt2_index_limits *limits)
{
	char name[PATCH_CHAINS][XT2_NAME_SIZE];
	struct xt2_mapping map;
	struct xt2_err err;
	u32 i;

	for (i = 0; i < PATCH_CHAINS; i++)
		snprintf(name[i], sizeof(name[i]), "%s", xt2_chain_name(c->rs, c->chain[i]));
	assert_int_equal(xt2_ruleset_write_(c->rs, limits, &map, &err), 0);
	xt2_ruleset_free(c->rs);
	c->rs = NULL;
	c->capacity = map.size + PATCH_ROOM;
	c->img = malloc(c->capacity);
	c->scratch = malloc(xt2_check_scratch(c->capacity));
	assert_true(c->img && c->scratch);
	memset(c->img, 0xa5, c->capacity); /* what was not written must not matter */
	memcpy(c->img, map.image, map.size);
	xt2_image_close(&map);
	assert_int_equal(xt2_space_begin(&c->space, c->img, c->capacity), 0);
	c->generation = 1000;
	patch_number(c, name);
}

/* The place of a chain's offset in the chain table. */
static inline u32 *patch_slot(const struct patch_case *c, u32 chain)
{
	const u32 *dir = xt2_at(c->img, patch_root(c)->chain_dir);

	return (u32 *)xt2_at(c->img, dir[0]) + c->chain[chain];
}

static inline struct xt2_chain *patch_chain(const struct patch_case *c, u32 chain)
{
	return xt2_at(c->img, *patch_slot(c, chain));
}

static inline struct xt2_chain *patch_compiled(const struct patch_case *c, u32 chain)
{
	return (struct xt2_chain *)xt2_chain_compiled(c->img, patch_chain(c, chain));
}

/* => a rule by its number, from 0 */
static inline struct xt2_rule *patch_rule_at(const struct patch_case *c, u32 chain, u32 number)
{
	struct xt2_in_order o;
	struct xt2_rule *r;

	if (number == PATCH_TAIL)
		return xt2_chain_tail(patch_compiled(c, chain));
	xt2_chain_for_each(r, &o, c->img, patch_chain(c, chain))
		if (!number--)
			return r;
	fail_msg("chain %u has no rule %u", chain, number);
	return NULL;
}

/* Depth and visits as a commit stores them. */
static inline void patch_walk(const struct patch_case *c)
{
	struct xt2_walk_chain *chains = calloc(patch_root(c)->chains, sizeof(*chains));
	struct xt2_walk w = { .img = c->img, .root = patch_root(c), .chains = chains };

	assert_non_null(chains);
	assert_int_equal(xt2_walk_hooks(&w), 0);
	xt2_walk_store(&w);
	free(chains);
}

static inline const char *patch_check(const struct patch_case *c)
{
	struct xt2_check_err err = { 0 };

	return xt2_check(c->img, c->img->size, c->scratch, &err) ? err.what : NULL;
}

#define PATCH_CHECKS(c)                             \
	do {                                        \
		const char *what_ = patch_check(c); \
		if (what_)                          \
			fail_msg("%s", what_);      \
	} while (0)

static inline void patch_open(struct patch_case *c, struct xt2_patch_edit *e, u32 chain)
{
	assert_int_equal(xt2_patch_begin(e, &c->space, *patch_slot(c, chain), ++c->generation), 0);
}

static inline void patch_publish(struct patch_case *c, struct xt2_patch_edit *e, u32 chain)
{
	assert_int_equal(xt2_patch_end(e, patch_slot(c, chain)), 0);
	xt2_space_commit(&c->space, c->generation);
	xt2_space_reclaim(&c->space, c->generation);
	patch_walk(c);
	PATCH_CHECKS(c);
}

/* => as xt2_patch_insert(): before the rule with a number */
static inline int patch_insert(struct patch_case *c, u32 chain, u32 number,
			       const struct xt2_rule *rule)
{
	const u32 before = xt2_offset(c->img, patch_rule_at(c, chain, number));
	struct xt2_patch_edit e;
	u32 where;
	int err;

	patch_open(c, &e, chain);
	err = xt2_patch_insert(&e, before, rule, 0, &where);
	patch_publish(c, &e, chain);
	return err;
}

static inline void patch_insert_from(struct patch_case *c, u32 chain, u32 number, u32 source,
				     u32 target)
{
	struct rule_build b;

	assert_int_equal(patch_insert(c, chain, number, patch_rule(&b, source, target)), 0);
}

static inline void patch_delete(struct patch_case *c, u32 chain, u32 number)
{
	const u32 rule = xt2_offset(c->img, patch_rule_at(c, chain, number));
	struct xt2_patch_edit e;

	patch_open(c, &e, chain);
	assert_int_equal(xt2_patch_delete(&e, rule), 0);
	patch_publish(c, &e, chain);
}

#endif
