/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace-case.h - a ruleset that is edited in its image, for tests */
#ifndef TESTS_UNIT_INPLACE_CASE_H
#define TESTS_UNIT_INPLACE_CASE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/check.h"
#include "libxt2/ruleset/inplace.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define INPLACE_CAPACITY (1u << 20)
#define INPLACE_LONG	 200u /* rules of a long chain */

struct inplace_case {
	struct xt2_image *img;
	struct xt2_ruleset *rs;
	int input, longer, other; /* chains */
};

/* A rule that is unlike those of other numbers. */
static inline const struct xt2_rule *inplace_rule(struct rule_build *b, u32 number)
{
	rule_begin(b);
	rule_source(b, 0x0a000000 + number, 32);
	return rule_end(b, XT2_TARGET(XT2_T_CONTINUE, 0));
}

static inline int inplace_append(struct xt2_ruleset *rs, int chain, u32 number)
{
	struct rule_build b;

	return xt2_rule_append(rs, chain, inplace_rule(&b, number), number);
}

/* filter: INPUT has one rule, "longer" has many, "other" none; and so many more chains. */
static inline struct inplace_case inplace_open(u32 more, bool trusted)
{
	struct inplace_case c = { .img = aligned_alloc(4096, INPLACE_CAPACITY) };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	char name[16];
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	c.longer = xt2_chain_add(rs, 0, "longer");
	xt2_chain_add(rs, 0, "other");
	for (i = 0; i < more; i++) {
		snprintf(name, sizeof(name), "some%03u", i);
		assert_true(xt2_chain_add(rs, 0, name) > 0);
	}
	assert_int_equal(inplace_append(rs, xt2_chain_base(rs, 0, XT2_INPUT), 1), 0);
	for (i = 0; i < INPLACE_LONG; i++)
		assert_int_equal(inplace_append(rs, c.longer, i), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	memset(c.img, 0xa5, INPLACE_CAPACITY);
	memcpy(c.img, map.image, map.size);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	c.rs = xt2_ruleset_new();
	assert_int_equal(xt2_inplace_begin(c.rs, c.img, INPLACE_CAPACITY, trusted), 0);
	c.input = xt2_chain_base(c.rs, 0, XT2_INPUT);
	c.longer = xt2_chain_find(c.rs, 0, "longer");
	c.other = xt2_chain_find(c.rs, 0, "other");
	assert_int_equal(xt2_inplace_abort(c.rs), 0); /* nothing was read */
	return c;
}

static inline void inplace_close(struct inplace_case *c)
{
	xt2_ruleset_free(c->rs);
	free(c->img);
}

/* What the image says: checked, and loaded.  xt2_image_close() and xt2_ruleset_free() */
static inline struct xt2_ruleset *inplace_load(const struct inplace_case *c,
					       struct xt2_mapping *map)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err;

	if (xt2_image_copy(c->img, c->img->size, map, &err))
		fail_msg("%s", err.message);
	assert_int_equal(xt2_ruleset_load(rs, map->image, map->size), 0);
	return rs;
}

/* A commit, after which the image says what the ruleset did. */
static inline void inplace_commit(struct inplace_case *c)
{
	u8 before[XT2_DIGEST_SIZE], after[XT2_DIGEST_SIZE];
	struct xt2_ruleset *loaded;
	struct xt2_mapping map;
	u32 root;

	assert_int_equal(xt2_inplace_commit(c->rs, NULL, &root, NULL), 0);
	if (root)
		c->img->root = root;
	assert_int_equal(xt2_inplace_done(c->rs), 0);
	loaded = inplace_load(c, &map);
	assert_int_equal(xt2_ruleset_digest(c->rs, before), 0);
	assert_int_equal(xt2_ruleset_digest(loaded, after), 0);
	assert_memory_equal(before, after, sizeof(before));
	xt2_ruleset_free(loaded);
	xt2_image_close(&map);
	assert_int_equal(xt2_inplace_abort(c->rs), 0); /* nothing is read */
}

#endif
