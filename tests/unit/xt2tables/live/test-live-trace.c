/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-live-trace.c - xt2tables/live/live-trace.c: what an edit left as it was */
#include <stdlib.h>
#include "engine/image.h"
#include "tests/lib/unit-program.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"
#include "xt2tables/live/live-trace.h"

static struct xt2_mapping old, new;
static struct xt2_ruleset *rs;
static struct rule_build b;
static bool changed[4];
static int filter, input, forward;

static void add(struct xt2_ruleset *to, int chain, __u32 source)
{
	rule_begin(&b);
	rule_source(&b, source, 32);
	assert_int_equal(xt2_rule_append(to, chain, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), 0), 0);
}

/* A table filter with rules 1, 2, 3 in INPUT and 4 in FORWARD, loaded again. */
static int start(void **state)
{
	struct xt2_ruleset *first = xt2_ruleset_new();
	__u32 i;

	(void)state;
	filter = xt2_table_add(first, XT2_IPV4, "filter", NULL);
	input = xt2_chain_base(first, filter, XT2_INPUT);
	forward = xt2_chain_base(first, filter, XT2_FORWARD);
	for (i = 1; i < 5; i++)
		add(first, i < 4 ? input : forward, i);
	assert_int_equal(xt2_ruleset_write(first, &old, NULL), 0);
	xt2_ruleset_free(first);
	rs = xt2_ruleset_new();
	memset(changed, 0, sizeof(changed));
	return xt2_ruleset_load(rs, old.image, old.size);
}

static int end(void **state)
{
	(void)state;
	xt2_ruleset_free(rs);
	xt2_image_close(&old);
	xt2_image_close(&new);
	return 0;
}

/* => the rule of the old image, by its source; NULL: there is none */
static const struct xt2_rule *old_rule(__u32 source)
{
	const struct xt2_root *root = xt2_image_root(old.image);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	__u32 i;

	xt2_image_for_each_chain(c, i, old.image, root)
		xt2_chain_for_each_rule(r, c)
			if (r->target_offset > sizeof(*r) && xt2_rule_first_match(r)->arg == source)
				return r;
	return NULL;
}

/*
 * Every rule of the new image, in its order, says where it was: at the old rule of its
 * source, or nowhere if it is one of these; a tail at the tail of its chain.
 */
static void trace(const char *fresh, bool tails)
{
	const struct xt2_root *root;
	const struct xt2_chain *c;
	const struct xt2_rule *r, *before;
	__u32 i, *was, n = 0;

	assert_int_equal(xt2_ruleset_write(rs, &new, NULL), 0);
	was = xt2_live_trace(rs, &old, &new, changed);
	assert_non_null(was);
	root = xt2_image_root(new.image);
	xt2_image_for_each_chain(c, i, new.image, root) {
		xt2_chain_for_each_rule(r, c) {
			if (r->target_offset == sizeof(*r)) {
				assert_int_equal(was[n++] != 0, tails);
				continue;
			}
			before = old_rule(xt2_rule_first_match(r)->arg);
			if (strchr(fresh, '0' + (int)xt2_rule_first_match(r)->arg))
				assert_int_equal(was[n], 0);
			else
				assert_int_equal(was[n], (char *)before - (char *)old.image);
			n++;
		}
	}
	free(was);
}

static void test_nothing(void **state)
{
	trace("", true);
}

/* The tails are the policies: whether these go on, the caller knows. */
static void test_policies(void **state)
{
	changed[filter] = true;
	trace("", false);
}

static void test_edit(void **state)
{
	assert_int_equal(xt2_rule_delete(rs, input, 0), 0);
	add(rs, input, 5);
	add(rs, forward, 6);
	trace("56", true);
}

/* Deleted and added again is another rule, as iptables has it. */
static void test_again(void **state)
{
	assert_int_equal(xt2_rule_delete(rs, input, 2), 0);
	add(rs, input, 3);
	trace("3", true);
}

/* A table that was not there has no tails, and no rules, that were. */
static void test_new_table(void **state)
{
	struct xt2_mapping none = { 0 };
	const struct xt2_root *root;
	const struct xt2_chain *c;
	__u32 *was, i, j, n = 0;

	add(rs, xt2_chain_base(rs, xt2_table_add(rs, XT2_IPV4, "raw", NULL), XT2_OUTPUT), 7);
	assert_int_equal(xt2_ruleset_write(rs, &new, NULL), 0);
	was = xt2_live_trace(rs, &old, &new, changed);
	root = xt2_image_root(new.image);
	xt2_image_for_each_chain(c, i, new.image, root)
		for (j = 0; j < c->rules; j++)
			assert_int_equal(was[n++] != 0, c->table == filter);
	free(was);
	/* Without a ruleset before, all are new. */
	was = xt2_live_trace(rs, &none, &new, changed);
	for (i = 0; i < n; i++)
		assert_int_equal(was[i], 0);
	free(was);
}

static void test_no_memory(void **state)
{
	assert_int_equal(xt2_ruleset_write(rs, &new, NULL), 0);
	fail_alloc(1);
	assert_null(xt2_live_trace(rs, &old, &new, changed));
	fail_alloc(0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_nothing, start, end),
	cmocka_unit_test_setup_teardown(test_policies, start, end),
	cmocka_unit_test_setup_teardown(test_edit, start, end),
	cmocka_unit_test_setup_teardown(test_again, start, end),
	cmocka_unit_test_setup_teardown(test_new_table, start, end),
	cmocka_unit_test_setup_teardown(test_no_memory, start, end),
};

UNITS(tests)
