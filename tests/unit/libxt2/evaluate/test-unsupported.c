/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-unsupported.c - libxt2/evaluate/unsupported.c: reachable rules without evaluation */
#include <errno.h>
#include "libxt2/evaluate/unsupported.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/evaluate-case.h"

struct found {
	char text[400];
	int stop_after;
};

static int found(void *data, const struct xt2_unsupported *at)
{
	struct found *f = data;

	sprintf(f->text + strlen(f->text), "%s/%s:%u %s;", at->table, at->chain, at->rule,
		at->extension);
	return !--f->stop_after;
}

static void unsupported(int family, int hook, const char *table, int n, const char *text)
{
	struct found f = { .text = "" };

	assert_int_equal(xt2_image_unsupported(map.image, family, hook, table, found, &f), n);
	assert_string_equal(f.text, text);
	assert_int_equal(xt2_image_unsupported(map.image, family, hook, table, NULL, NULL), n);
}

static void carried_extensions_are_listed(void **state)
{
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 4, "set", "x", 1);
	int target = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "TEE", "y", 1);
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int out = base(XT2_IPV4, "filter", XT2_OUTPUT);
	int used = xt2_chain_add(rs, 0, "used"), unused = xt2_chain_add(rs, 0, "unused");
	struct found f = { .stop_after = 2 };
	struct rule_build b;

	rule_begin(&b);
	rule_foreign(&b, match);
	rule_end(&b, XT2_TARGET(XT2_T_FOREIGN, target));
	append_from(in, 1, XT2_TARGET(XT2_T_GOTO, used));
	append(in, ACCEPT);
	append(in, XT2_TARGET(XT2_T_FOREIGN, target)); /* never reached */
	append(used, ACCEPT);
	xt2_rule_insert(rs, used, 0, (struct xt2_rule *)b.room, 0);
	xt2_rule_append(rs, unused, (struct xt2_rule *)b.room, 0);
	append(base(XT2_IPV4, "nat", XT2_INPUT), XT2_TARGET(XT2_T_NAT, target));
	append(base(XT2_IPV6, "filter", XT2_INPUT), XT2_TARGET(XT2_T_FOREIGN, target));
	assert_int_equal(xt2_chain_rules(rs, out), 0);
	pack();
	unsupported(XT2_IPV4, XT2_INPUT, NULL, 1, "filter/used:1 set;");
	unsupported(XT2_IPV4, XT2_INPUT, "nat", 0, "");
	unsupported(XT2_IPV4, XT2_OUTPUT, NULL, 0, "");
	unsupported(-1, XT2_INPUT, "filter", 2, "filter/used:1 set;filter/INPUT:1 TEE;");
	unsupported(XT2_IPV4, -1, NULL, 3,
		    "filter/INPUT:3 TEE;filter/unused:1 set;filter/used:1 set;");
	unsupported(XT2_IPV6, -1, "filter", 1, "filter/INPUT:1 TEE;");
	assert_int_equal(xt2_image_unsupported(map.image, -1, -1, NULL, found, &f), 2);
	assert_string_equal(f.text, "filter/INPUT:3 TEE;filter/unused:1 set;");
}

/* A rule of a bridge has no evaluation at all; a base chain's policy has one, if it accepts. */
static void bridges_are_not_evaluated(void **state)
{
	int in = base(XT2_BRIDGE, "filter", XT2_INPUT);
	int out = base(XT2_BRIDGE, "filter", XT2_OUTPUT);

	base(XT2_BRIDGE, "filter", XT2_FORWARD);
	append(in, ACCEPT);
	xt2_chain_set_policy(rs, out, XT2_T_DROP);
	pack();
	unsupported(XT2_BRIDGE, XT2_INPUT, NULL, 1, "filter/INPUT:1 bridge;");
	unsupported(XT2_BRIDGE, XT2_OUTPUT, NULL, 1, "filter/OUTPUT:1 bridge;");
	unsupported(XT2_BRIDGE, XT2_FORWARD, NULL, 0, "");
	unsupported(XT2_IPV4, -1, NULL, 0, "");
	unsupported(-1, -1, NULL, 2, "filter/INPUT:1 bridge;filter/OUTPUT:1 bridge;");
}

/* The first extension that cannot be evaluated: a match before the target. */
static void rules_name_their_extension(void **state)
{
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 4, "set", "x", 1);
	int target = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "TEE", "y", 1);
	const struct xt2_root *root;
	struct rule_build b;

	base(XT2_IPV4, "filter", XT2_INPUT);
	rule_begin(&b);
	rule_foreign(&b, match);
	rule_end(&b, XT2_TARGET(XT2_T_FOREIGN, target));
	xt2_rule_append(rs, 0, (struct xt2_rule *)b.room, 0);
	pack(); /* instances keep their numbers: they are used in this order */
	root = xt2_image_root(map.image);
	assert_string_equal(xt2_rule_unevaluated(map.image, root, (struct xt2_rule *)b.room),
			    "set");
	assert_string_equal(xt2_rule_unevaluated(map.image, root,
						 rule_plain(&b, XT2_TARGET(XT2_T_FOREIGN, target))),
			    "TEE");
	assert_null(xt2_rule_unevaluated(map.image, root, rule_plain(&b, DROP)));
}

static void an_empty_ruleset_has_none(void **state)
{
	pack();
	unsupported(-1, -1, NULL, 0, "");
}

static void memory_may_be_missing(void **state)
{
	base(XT2_IPV4, "filter", XT2_INPUT);
	pack();
	fail_alloc(1);
	assert_int_equal(xt2_image_unsupported(map.image, -1, -1, NULL, NULL, NULL), -ENOMEM);
	fail_alloc(0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(carried_extensions_are_listed), CASE(bridges_are_not_evaluated),
	CASE(rules_name_their_extension),    CASE(an_empty_ruleset_has_none),
	CASE(memory_may_be_missing),
};

UNITS(tests)
