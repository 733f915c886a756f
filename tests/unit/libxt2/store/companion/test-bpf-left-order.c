/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-left-order.c - libxt2/store/companion/bpf-left-order.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-left.h"
#include "tests/unit/libxt2/store/companion/left-case.h"

static char said[512];

static void on_found(void *arg, const struct xt2_chain *c, u32 rule, const struct xt2_match *m)
{
	const size_t at = strlen(said);

	snprintf(said + at, sizeof(said) - at, "%u:%u ", c->index, rule);
}

/* All chains are reached. */
static void look(const struct xt2_image *img)
{
	u8 reached[16];

	memset(reached, 1, sizeof(reached));
	*said = 0;
	assert_int_equal(xt2_left_order_(img, reached, on_found, NULL), 0);
}

static void string(struct xt2_ruleset *rs, int chain)
{
	a_foreign(rs, chain, "string", 1, "1234567", 8);
}

static const u32 tos = XT2_TARGET(XT2_T_TOS, 0x1010), mark = XT2_TARGET(XT2_T_MARK, 1);

/* Before and after, in one chain. */
static void test_chain(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_PREROUTING);

	string(rs, c);
	a_rule(rs, c, 0, mark);
	string(rs, c);
	a_rule(rs, c, 0, tos);
	string(rs, c);
	string(rs, c);
	with_image(rs, look);
	assert_string_equal(said, "0:5 0:6 ");
}

/* What a chain changes is changed after the jump; a chain that is called before and after sees it. */
static void test_jump(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_PREROUTING);
	const int changes = xt2_chain_add(rs, t, "changes"), asks = xt2_chain_add(rs, t, "asks");
	const int before = xt2_chain_add(rs, t, "before");

	a_rule(rs, changes, 0, tos);
	string(rs, asks);
	string(rs, before);
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, before));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, asks));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, changes));
	string(rs, c);
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, asks));
	with_image(rs, look);
	assert_string_equal(said, "0:4 5:1 ");
}

/* A goto returns to the chain that was called from. */
static void test_goto(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_PREROUTING);
	const int changes = xt2_chain_add(rs, t, "changes"), way = xt2_chain_add(rs, t, "way");

	a_rule(rs, changes, 0, tos);
	a_rule(rs, way, 0, XT2_TARGET(XT2_T_GOTO, changes));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, way));
	string(rs, c);
	with_image(rs, look);
	assert_string_equal(said, "0:2 ");
}

/* Another table is another matter, and nothing is found where nothing is asked. */
static void test_other_table(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), f = a_table(rs, XT2_IPV4, "filter");

	a_rule(rs, xt2_chain_base(rs, t, XT2_INPUT), 0, tos);
	string(rs, xt2_chain_base(rs, f, XT2_INPUT));
	with_image(rs, look);
	assert_string_equal(said, "");
	rs = xt2_ruleset_new();
	a_table(rs, XT2_IPV4, "filter");
	with_image(rs, look);
	assert_string_equal(said, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_chain),
	cmocka_unit_test(test_jump),
	cmocka_unit_test(test_goto),
	cmocka_unit_test(test_other_table),
};

UNITS(tests)
