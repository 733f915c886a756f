/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-stops.c - libxt2/store/companion/bpf-stops.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-stops.h"
#include "tests/unit/libxt2/store/companion/left-case.h"

static char said[512];

/* "chain:rule.match " of each stop; then how often a packet may stop at each hook. */
static void describe(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	const struct xt2_hook *h;
	struct xt2_stops stops;
	u32 i, rule, match, most, n = 0;

	*said = 0;
	assert_int_equal(xt2_stops_find_(&stops, img), 0);
	xt2_image_for_each_chain(c, i, img, root) {
		rule = 0;
		xt2_chain_for_each_rule(r, c) {
			rule++;
			match = 0;
			xt2_rule_for_each_match(m, r) {
				match++;
				if (!xt2_stops_has_(&stops, img, m))
					continue;
				n++;
				sprintf(said + strlen(said), "%u:%u.%u ", c->index, rule, match);
			}
		}
	}
	assert_int_equal(n, stops.n);
	xt2_image_for_each_hook(h, i, img, root) {
		most = xt2_stops_most_(&stops, h->chain);
		if (most)
			sprintf(said + strlen(said), "%s %u ", xt2_hook_name(h->family, h->hook),
				most);
	}
	xt2_stops_free_(&stops);
}

static void a_target(struct xt2_ruleset *rs, int chain, const char *name, const void *data,
		     size_t size)
{
	rule_begin(&b);
	append(rs, chain,
	       rule_end(&b, XT2_TARGET(XT2_T_FOREIGN,
				       an_instance(rs, XT2_INSTANCE_TARGET, name, 2, data, size))));
}

/* A rule with matches of these names; "quota" is the engine's. */
static void with_matches(struct xt2_ruleset *rs, int chain, const char *first, const char *second)
{
	const char *names[] = { first, second };
	u32 i;

	rule_begin(&b);
	for (i = 0; i < 2 && names[i]; i++) {
		if (!strcmp(names[i], "quota"))
			rule_quota(&b, xt2_cell_add(rs), 9);
		else
			rule_foreign(&b, an_instance(rs, XT2_INSTANCE_MATCH, names[i], 0, "1234567",
						     8));
	}
	append(rs, chain, rule_end(&b, XT2_TARGET(XT2_T_CONTINUE, 0)));
}

/* Effects: of a rule one, and nothing before it that remembers; not in nat. */
static void test_effects(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "filter"), c = xt2_chain_base(rs, t, XT2_INPUT);
	const int nat = a_table(rs, XT2_IPV4, "nat"), n = xt2_chain_base(rs, nat, XT2_OUTPUT);

	with_matches(rs, c, "connlimit", NULL);
	with_matches(rs, c, "owner", "connlimit");
	with_matches(rs, c, "connlimit", "owner");
	with_matches(rs, c, "connlimit", "nfacct");
	with_matches(rs, c, "owner", NULL);
	with_matches(rs, c, "policy", "cluster");
	with_matches(rs, n, "connlimit", NULL);
	with_matches(rs, c, "quota", "connlimit");
	with_matches(rs, c, "connlimit", "quota");
	with_image(rs, describe);
	assert_string_equal(said, "0:1.1 0:2.2 0:3.1 0:6.2 0:8.1 INPUT 5 ");
}

/* A question after a step that changes its answer; but not if the step comes after all stops. */
static void test_changed(void **state)
{
	static const u8 set[8] = { 1, 0, 1, 1 },
			adds[40] = { 1, 0, 1, 0, 0xff, 0xff, 0, 0, 0xff, 0xff };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_PREROUTING);
	const int o = xt2_chain_base(rs, t, XT2_OUTPUT);

	a_foreign(rs, c, "set", 1, set, 8);
	a_target(rs, c, "SET", adds, sizeof(adds));
	a_foreign(rs, c, "set", 1, set, 8);
	a_foreign(rs, c, "string", 1, "1234567", 8);
	a_rule(rs, o, 0, XT2_TARGET(XT2_T_TOS, 0x1010));
	a_foreign(rs, o, "string", 1, "1234567", 8);
	with_image(rs, describe);
	assert_string_equal(said, "0:3.1 3:2.1 PREROUTING 1 OUTPUT 1 ");

	rs = xt2_ruleset_new();
	{
		const int late = a_table(rs, XT2_IPV4, "mangle"),
			  p = xt2_chain_base(rs, late, XT2_PREROUTING);

		a_target(rs, p, "CHECKSUM", adds, 8);
		a_foreign(rs, p, "string", 1, "1234567", 8);
	}
	with_image(rs, describe);
	assert_string_equal(said, "");
}

/* Along the longest way; a chain that is entered twice counts twice. */
static void test_most(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "filter"), c = xt2_chain_base(rs, t, XT2_INPUT);
	const int o = xt2_chain_base(rs, t, XT2_OUTPUT);
	const int one = xt2_chain_add(rs, t, "one"), two = xt2_chain_add(rs, t, "two");
	const int nobody = xt2_chain_add(rs, t, "nobody");

	with_matches(rs, nobody, "connlimit", NULL);
	with_matches(rs, two, "connlimit", NULL);
	a_rule(rs, one, 0, XT2_TARGET(XT2_T_JUMP, two));
	with_matches(rs, one, "connlimit", NULL);
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, one));
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_GOTO, one));
	a_rule(rs, o, 0, XT2_TARGET(XT2_T_JUMP, two));
	with_image(rs, describe);
	assert_string_equal(said + strlen(said) - strlen("INPUT 4 OUTPUT 1 "), "INPUT 4 OUTPUT 1 ");
	assert_int_equal(strlen(said), strlen("3:2.1 4:1.1 INPUT 4 OUTPUT 1 "));
}

/* Behind a rule that ends its chain there may be a loop. */
static void test_loop(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "filter"), c = xt2_chain_base(rs, t, XT2_INPUT);
	const int a = xt2_chain_add(rs, t, "a");

	with_matches(rs, c, "connlimit", NULL);
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_JUMP, a));
	a_rule(rs, a, 0, XT2_TARGET(XT2_T_ACCEPT, 0));
	a_rule(rs, a, 0, XT2_TARGET(XT2_T_JUMP, a));
	with_image(rs, describe);
	assert_string_equal(said, "0:1.1 INPUT 1 ");
}

/* What is done late would be forgotten at a stop; another table does not matter. */
static void test_late(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int t = a_table(rs, XT2_IPV4, "mangle"), c = xt2_chain_base(rs, t, XT2_INPUT);
	const int f = a_table(rs, XT2_IPV4, "filter"), i = xt2_chain_base(rs, f, XT2_INPUT);

	with_matches(rs, c, "connlimit", NULL);
	a_rule(rs, c, 0, XT2_TARGET(XT2_T_ECN, 1));
	with_matches(rs, i, "connlimit", NULL);
	with_image(rs, describe);
	assert_string_equal(said + strlen(said) - strlen("INPUT 1 "), "INPUT 1 ");
	assert_int_equal(strlen(said), strlen("3:1.1 INPUT 1 "));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_effects), cmocka_unit_test(test_changed), cmocka_unit_test(test_most),
	cmocka_unit_test(test_loop),	cmocka_unit_test(test_late),
};

UNITS(tests)
