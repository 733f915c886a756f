/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-reach.c - libxt2/evaluate/reach.c: chains and rules that packets can come to */
#include <errno.h>
#include "libxt2/evaluate/reach.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/evaluate-case.h"

static struct xt2_reach w;
static char walked[256]; /* "chain:rules " of each visited chain */

static const char *name(const struct xt2_chain *c)
{
	return xt2_image_chain_cold(w.img, w.root, c->index)->name;
}

static const char *walk(void)
{
	const struct xt2_chain *c;

	*walked = '\0';
	xt2_reach_for_each(c, &w)
		sprintf(walked + strlen(walked), "%s:%u ", name(c), w.chain[c->index].rules);
	return walked;
}

static void begin(void)
{
	pack();
	assert_int_equal(xt2_reach_begin(&w, map.image), 0);
}

static int end(void **state)
{
	xt2_reach_end(&w);
	w = (struct xt2_reach){ 0 };
	return teardown(state);
}

static u32 jump(int chain)
{
	return XT2_TARGET(XT2_T_JUMP, (u32)chain);
}

static void chains_come_once_and_breadth_first(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int a = xt2_chain_add(rs, 0, "a"), b = xt2_chain_add(rs, 0, "b");
	int c = xt2_chain_add(rs, 0, "c");

	xt2_chain_add(rs, 0, "d");
	append_from(in, 1, jump(b));
	append_from(in, 2, jump(a));
	append_from(in, 3, jump(b));
	append_from(b, 1, XT2_TARGET(XT2_T_GOTO, c));
	append_from(a, 1, jump(c));
	begin();
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	assert_string_equal(walk(), "INPUT:4 b:2 a:2 c:1 ");
	assert_null(xt2_reach_next(&w));
}

/* The rule that leads to a chain, and the chain that has it. */
static void the_way_is_kept(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int a = xt2_chain_add(rs, 0, "a");
	const struct xt2_chain *c, *first;

	append_from(in, 1, ACCEPT);
	append_from(in, 2, jump(a));
	append_from(in, 3, jump(a));
	begin();
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	first = xt2_reach_next(&w);
	c = xt2_reach_next(&w);
	assert_string_equal(name(c), "a");
	assert_ptr_equal(w.chain[c->index].rule, xt2_rule_next(xt2_chain_first(first)));
	assert_int_equal(w.chain[c->index].from, first->index);
	assert_null(w.chain[first->index].rule);
	assert_int_equal(w.chain[first->index].from, XT2_REACH_START);
}

static bool drops(const struct xt2_rule *r)
{
	return XT2_TARGET_KIND(r->target) == XT2_T_DROP;
}

/* Up to the first rule that no packet gets past, that rule included. */
static void chains_end_early(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int a = xt2_chain_add(rs, 0, "a"), b = xt2_chain_add(rs, 0, "b");

	append_from(in, 1, DROP);
	append(in, jump(a));
	append(in, ACCEPT);
	append(in, jump(b));
	begin();
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	assert_string_equal(walk(), "INPUT:3 a:1 ");
	xt2_reach_end(&w);
	assert_int_equal(xt2_reach_begin(&w, map.image), 0);
	w.ends = drops;
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	assert_string_equal(walk(), "INPUT:1 ");
}

static const char *from_hooks(int family, int hook, const char *table)
{
	xt2_reach_end(&w);
	assert_int_equal(xt2_reach_begin(&w, map.image), 0);
	xt2_reach_hooks(&w, family, hook, table);
	return walk();
}

static void base_chains_are_chosen(void **state)
{
	append(base(XT2_IPV4, "filter", XT2_INPUT), ACCEPT);
	append_from(base(XT2_IPV4, "mangle", XT2_INPUT), 1, ACCEPT);
	append_from(base(XT2_IPV4, "mangle", XT2_INPUT), 2, ACCEPT);
	base(XT2_IPV6, "filter", XT2_INPUT);
	begin();
	assert_string_equal(from_hooks(XT2_IPV4, XT2_INPUT, "filter"), "INPUT:1 ");
	assert_string_equal(from_hooks(XT2_IPV4, XT2_INPUT, "mangle"), "INPUT:3 ");
	assert_string_equal(from_hooks(XT2_IPV4, XT2_INPUT, NULL), "INPUT:3 INPUT:1 ");
	assert_string_equal(from_hooks(XT2_IPV4, XT2_INPUT, "nat"), "");
	assert_string_equal(from_hooks(XT2_IPV4, XT2_POSTROUTING, "filter"), "");
	assert_string_equal(from_hooks(XT2_ARP, XT2_INPUT, NULL), "");
	from_hooks(-1, XT2_INPUT, "filter");
	assert_int_equal(w.visited, 2);
}

static void tables_are_told_apart(void **state)
{
	base(XT2_IPV4, "filter", XT2_INPUT);
	begin();
	assert_true(xt2_reach_table(&w, 0, XT2_IPV4, "filter"));
	assert_true(xt2_reach_table(&w, 0, -1, NULL));
	assert_false(xt2_reach_table(&w, 0, XT2_IPV6, "filter"));
	assert_false(xt2_reach_table(&w, 0, XT2_IPV4, "nat"));
	assert_false(xt2_reach_table(&w, 0, -1, "nat"));
}

/* A start that was found as the goal of a rule is not visited again. */
static void starts_are_added_once(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	const struct xt2_chain *c;
	u32 index;

	append(in, jump(xt2_chain_add(rs, 0, "a")));
	begin();
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	xt2_reach_hooks(&w, XT2_IPV4, XT2_INPUT, NULL);
	xt2_reach_next(&w);
	c = xt2_reach_next(&w);
	index = c->index;
	xt2_reach_add(&w, index);
	assert_null(xt2_reach_next(&w));
	assert_int_equal(w.visited, 2);
}

static void an_empty_image_has_no_chains(void **state)
{
	begin();
	assert_string_equal(from_hooks(-1, XT2_INPUT, NULL), "");
}

static void memory_may_be_missing(void **state)
{
	base(XT2_IPV4, "filter", XT2_INPUT);
	pack();
	fail_alloc(1);
	assert_int_equal(xt2_reach_begin(&w, map.image), -ENOMEM);
	fail_alloc(0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, end)

static const struct CMUnitTest tests[] = {
	CASE(chains_come_once_and_breadth_first),
	CASE(the_way_is_kept),
	CASE(chains_end_early),
	CASE(base_chains_are_chosen),
	CASE(tables_are_told_apart),
	CASE(starts_are_added_once),
	CASE(an_empty_image_has_no_chains),
	CASE(memory_may_be_missing),
};

UNITS(tests)
