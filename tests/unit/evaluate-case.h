/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate-case.h - a ruleset that is made a rule at a time, and its image */
#ifndef TESTS_UNIT_EVALUATE_CASE_H
#define TESTS_UNIT_EVALUATE_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xt2/xt2.h>
#include "engine/image.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define ACCEPT XT2_TARGET(XT2_T_ACCEPT, 0)
#define DROP   XT2_TARGET(XT2_T_DROP, 0)

static struct xt2_ruleset *rs;
static struct xt2_mapping map;

static inline int setup(void **state)
{
	rs = xt2_ruleset_new();
	return rs ? 0 : -1;
}

static inline int teardown(void **state)
{
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	return 0;
}

/* => the base chain of a hook, of a table that is made if need be */
static inline int base(int family, const char *table, int hook)
{
	int t = xt2_table_find(rs, family, table);

	if (t < 0)
		t = xt2_table_add(rs, family, table, NULL);
	return xt2_chain_base(rs, t, hook);
}

static inline void append(int chain, u32 target)
{
	struct rule_build b;

	assert_int_equal(xt2_rule_append(rs, chain, rule_plain(&b, target), 0), 0);
}

static inline void append_from(int chain, u32 source, u32 target)
{
	struct rule_build b;

	rule_begin(&b);
	rule_source(&b, source, 32);
	assert_int_equal(xt2_rule_append(rs, chain, rule_end(&b, target), 0), 0);
}

static inline void pack(void)
{
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
}

#endif
