/* SPDX-License-Identifier: GPL-2.0-or-later */
/* left-case.h - small rulesets with steps and questions, for the tests of companions */
#ifndef TESTS_LEFT_CASE_H
#define TESTS_LEFT_CASE_H

#include "tests/lib/rules.h"
#include <xt2/xt2.h>

static struct rule_build b;

/* => a table with its hooks */
static inline int a_table(struct xt2_ruleset *rs, int family, const char *name)
{
	int t = xt2_table_add(rs, family, name, NULL);

	assert_true(t >= 0);
	return t;
}

static inline void append(struct xt2_ruleset *rs, int chain, const struct xt2_rule *r)
{
	assert_int_equal(xt2_rule_append(rs, chain, r, 0), 0);
}

/* A rule with this match of no data (or of none), and this target. */
static inline void a_rule(struct xt2_ruleset *rs, int chain, int match, u32 target)
{
	rule_begin(&b);
	if (match)
		rule_match(&b, match, sizeof(struct xt2_match), 0);
	append(rs, chain, rule_end(&b, target));
}

/* A match or target by name, with data. */
static inline int an_instance(struct xt2_ruleset *rs, int kind, const char *name, int revision,
			      const void *data, size_t size)
{
	int i = xt2_instance_add(rs, kind, revision, name, data, size);

	assert_true(i >= 0);
	return i;
}

static inline void a_foreign(struct xt2_ruleset *rs, int chain, const char *name, int revision,
			     const void *data, size_t size)
{
	rule_begin(&b);
	rule_foreign(&b, an_instance(rs, XT2_INSTANCE_MATCH, name, revision, data, size));
	append(rs, chain, rule_end(&b, XT2_TARGET(XT2_T_CONTINUE, 0)));
}

/* Calls use(image) for the ruleset, and frees it. */
static inline void with_image(struct xt2_ruleset *rs, void (*use)(const struct xt2_image *img))
{
	struct xt2_mapping map = { 0 };

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	use(map.image);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

#endif
