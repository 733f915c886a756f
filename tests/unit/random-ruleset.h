/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random-ruleset.h - random rulesets of few different rules, for tests
 *
 * Many rules are equal.  state is the seed, and must not be 0.
 */
#ifndef TESTS_RANDOM_RULESET_H
#define TESTS_RANDOM_RULESET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include <xt2/xt2.h>
#include "engine/image.h"
#include "tests/lib/rules.h"

static u64 state;

static u32 rnd(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)(state >> 33) % n;
}

/* XT2_SEED, or another one each time, printed to run it again. */
static void seed_state(void)
{
	const char *given = getenv("XT2_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);

	print_message("XT2_SEED=%llu\n", (unsigned long long)seed);
	state = seed * 2 + 1;
}

static const struct {
	int family;
	const char *name;
} tables[] = { { XT2_IPV4, "filter" }, { XT2_IPV6, "filter" }, { XT2_IPV4, "raw" } };

static const char *const names[] = { "a", "b", "c", "d" };

/* @from: chains of names from here on may be jumped to, so that there is no circle */
static void add_rule(struct xt2_ruleset *rs, int table, int chain, u32 from)
{
	static const char *const comments[] = { "one", "two" };
	struct rule_build b;
	u32 target = rnd(2) ? XT2_T_CONTINUE : XT2_T_ACCEPT;
	u32 comment = rnd(6);
	int to;

	rule_begin(&b);
	if (xt2_table_family(rs, table) == XT2_IPV4 && rnd(2))
		rule_source(&b, 0x0a000000 + rnd(2), 32);
	if (comment < XT2_ARRAY_SIZE(comments))
		rule_comment(&b, xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "comment",
						  comments[comment], strlen(comments[comment])));
	if (!rnd(5))
		rule_quota(&b, xt2_cell_add(rs), 1 + rnd(2));
	to = from < XT2_ARRAY_SIZE(names)
		     ? xt2_chain_find(rs, table, names[from + rnd(XT2_ARRAY_SIZE(names) - from)])
		     : -1;
	if (to >= 0 && rnd(2))
		target = XT2_TARGET(rnd(3) ? XT2_T_JUMP : XT2_T_GOTO, (u32)to);
	rule_end(&b, target)->packets = rnd(9);
	assert_int_equal(xt2_rule_append(rs, chain, (struct xt2_rule *)b.room, rnd(9)), 0);
}

static void fill_table(struct xt2_ruleset *rs, int table)
{
	u32 i, n;
	int c;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (rnd(4))
			assert_true(xt2_chain_add(rs, table, names[i]) >= 0);
	for (c = xt2_chain_next(rs, table, -1); c >= 0; c = xt2_chain_next(rs, table, c)) {
		u32 from = 0;

		while (from < XT2_ARRAY_SIZE(names) && xt2_chain_hook(rs, c) < 0 &&
		       strcmp(names[from], xt2_chain_name(rs, c)) <= 0)
			from++;
		for (n = rnd(8); n; n--)
			add_rule(rs, table, c, from);
		if (xt2_chain_hook(rs, c) < 0)
			continue;
		if (!rnd(3))
			xt2_chain_set_policy(rs, c, XT2_T_DROP);
		xt2_chain_set_counters(rs, c, rnd(9), rnd(9));
	}
}

static struct xt2_ruleset *random_ruleset(void)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	u32 i, first = rnd(XT2_ARRAY_SIZE(tables));

	for (i = 0; i < XT2_ARRAY_SIZE(tables); i++) {
		u32 t = (first + i) % XT2_ARRAY_SIZE(tables);

		if (rnd(4))
			fill_table(rs, xt2_table_add(rs, tables[t].family, tables[t].name,
						     rnd(2) ? "somewhere" : NULL));
	}
	return rs;
}

#endif
