/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-left-kinds.c - libxt2/store/companion/bpf-left-kinds.c */
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

#include "engine/order.h"

static char said[512];

/* Of each rule of a chain that is not its tail: ?: a question, !: a step, and what it changes or looks at. */
static void describe(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	size_t at = 0;
	u32 i;

	*said = 0;
	xt2_image_for_each_chain(c, i, img, root)
		xt2_chain_for_each_rule(r, c) {
			if (r == xt2_chain_tail(c))
				continue;
			xt2_rule_for_each_match(m, r)
				at += (size_t)snprintf(said + at, sizeof(said) - at, "%s%x ",
						       xt2_left_is_question_(img, m)  ? "?"
						       : xt2_left_has_effect_(img, m) ? "*"
										      : "-",
						       xt2_left_looks_at_(img, m));
			if (XT2_TARGET_KIND(r->target))
				at += (size_t)snprintf(said + at, sizeof(said) - at, "%s%x ",
						       xt2_left_is_step_(img, r) ? "!" : ".",
						       xt2_left_changes_(img, r));
		}
}

static void test_steps(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_OUTPUT);

	a_rule(rs, c, 0, XT2_TARGET(XT2_T_MARK, 1));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_TTL, 7 << 8));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_TRACE, 0));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_ECN, 1));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_ACCEPT, 0));
	with_image(rs, describe);
	assert_string_equal(said, "!1 !4 !0 !4 .0 ");
}

static void test_ct(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "raw"), c = xt2_chain_base(rs, t, XT2_OUTPUT);

	a_rule(rs, c, 0, XT2_TARGET(XT2_T_NOTRACK, 0));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_CT, 1));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_CT, 0));
	with_image(rs, describe);
	assert_string_equal(said, "!2 !2 !42 ");
}

static void test_foreign_targets(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_OUTPUT);
	static const char *const names[] = { "TEE", "AUDIT", "CHECKSUM", "TCPOPTSTRIP" };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		a_rule(rs, c, 0,
		       XT2_TARGET(XT2_T_FOREIGN, an_instance(rs, XT2_INSTANCE_TARGET, names[i], 0,
							     "12345678", 8)));
	with_image(rs, describe);
	assert_string_equal(said, "!0 !0 !4 .0 ");
}

/* What is added to sets is looked for by matches; a mark that comes from one is not foreseen. */
static void test_set_target(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_OUTPUT);
	static const u8 adds[24] = { 1, 0, 1, 1, 0xff, 0xff, 1, 1, 0xff, 0xff, 1, 1 };
	static const u8 maps[24] = { 0xff, 0xff, 1, 1, 0xff, 0xff, 1, 1, 1, 0, 1, 1 };

	a_rule(rs, c, 0,
	       XT2_TARGET(XT2_T_FOREIGN, an_instance(rs, XT2_INSTANCE_TARGET, "SET", 3, adds, 24)));
	a_rule(rs, c, 0,
	       XT2_TARGET(XT2_T_FOREIGN, an_instance(rs, XT2_INSTANCE_TARGET, "SET", 3, maps, 24)));
	a_rule(rs, c, 0,
	       XT2_TARGET(XT2_T_FOREIGN, an_instance(rs, XT2_INSTANCE_TARGET, "SET", 2, maps, 16)));
	with_image(rs, describe);
	assert_string_equal(said, "!20 .20 !20 ");
}

/* What an image says too little of is not left to anybody. */
static void test_short(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "raw"), c = xt2_chain_base(rs, t, XT2_PREROUTING);

	a_foreign(rs, c, "rpfilter", 0, "", 0);
	a_foreign(rs, c, "socket", 3, "", 0);
	a_foreign(rs, c, "connlabel", 0, "", 0);
	a_foreign(rs, c, "set", 1, "", 0);
	a_rule(rs, c, 0,
	       XT2_TARGET(XT2_T_FOREIGN, an_instance(rs, XT2_INSTANCE_TARGET, "SET", 3, "", 0)));
	with_image(rs, describe);
	assert_string_equal(said, "-0 -0 -2 ?21 .20 ");
}

/* Routes by mark; and routes to this host, which cannot be asked for. */
static void test_rpfilter(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "raw"), c = xt2_chain_base(rs, t, XT2_PREROUTING);
	static const u8 plain[8] = { 8 }, mark[8] = { 1 | 2 }, local[8] = { 4 };

	a_foreign(rs, c, "rpfilter", 0, plain, 8);
	a_foreign(rs, c, "rpfilter", 0, mark, 8);
	a_foreign(rs, c, "rpfilter", 0, local, 8);
	with_image(rs, describe);
	assert_string_equal(said, "?0 ?1 -0 ");
}

/* Those with an effect of their own are not asked; those that nobody can ask neither. */
static void test_questions(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_OUTPUT);
	static const u8 socket[8] = { 0 }, restores[8] = { 4 };
	static const u8 label[4] = { 0, 0, 0, 0 }, sets[4] = { 0, 0, 2, 0 };

	a_foreign(rs, c, "owner", 1, "1234567", 8);
	a_foreign(rs, c, "socket", 3, socket, 8);
	a_foreign(rs, c, "socket", 3, restores, 8);
	a_foreign(rs, c, "connlabel", 0, label, 4);
	a_foreign(rs, c, "connlabel", 0, sets, 4);
	a_foreign(rs, c, "recent", 1, "1234567", 8);
	a_foreign(rs, c, "cluster", 0, "1234567", 8);
	a_foreign(rs, c, "string", 1, "1234567", 8);
	with_image(rs, describe);
	assert_string_equal(said, "?0 ?0 -0 ?2 -2 -0 *0 ?4 ");
}

/* One direction: addresses.  Two: it may be a set of marks. */
static void test_sets(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "filter"), c = xt2_chain_base(rs, t, XT2_INPUT);
	static const u8 one[8] = { 1, 0, 1, 1 }, two[8] = { 1, 0, 2, 1 };

	a_foreign(rs, c, "set", 1, one, 8);
	a_foreign(rs, c, "set", 1, two, 8);
	with_image(rs, describe);
	assert_string_equal(said, "?20 ?21 ");
}

/* A connection that there will be is there for rules, as one that is new. */
static void test_template(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "raw"), c = xt2_chain_base(rs, t, XT2_OUTPUT);

	a_rule(rs, c, XT2_M_STATE, XT2_TARGET(XT2_T_CONTINUE, 0));
	with_image(rs, describe);
	assert_string_equal(said, "-40 ");
}

static u32 counted;

static void count(const struct xt2_image *img)
{
	counted = xt2_left_count_(img);
}

/* Other families have none. */
static void test_count(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV6, "filter"), arp = a_table(rs, XT2_ARP, "filter");
	const int c = xt2_chain_base(rs, t, XT2_INPUT);

	a_rule(rs, xt2_chain_base(rs, arp, XT2_ARP_INPUT), 0, XT2_TARGET(XT2_T_MARK, 1));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_MARK, 1));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_DROP, 0));
	a_foreign(rs, c, "owner", 1, "1234567", 8);
	with_image(rs, count);
	assert_int_equal(counted, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_steps),		cmocka_unit_test(test_ct),
	cmocka_unit_test(test_foreign_targets), cmocka_unit_test(test_questions),
	cmocka_unit_test(test_set_target),	cmocka_unit_test(test_short),
	cmocka_unit_test(test_rpfilter),	cmocka_unit_test(test_sets),
	cmocka_unit_test(test_template),	cmocka_unit_test(test_count),
};

UNITS(tests)
