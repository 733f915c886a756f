/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-kernel-form.c - libxt2/store/kernel/kernel-form.c
 *
 * Rules of all extensions that iptables has take the module's form and come back as they were; in that
 * form nothing that changes, remembers or draws is the engine's.  Ipsets are left out: they are the
 * kernel's, and tests/kernel/netlink.in.sh has some.
 */
#include "libxt2/store/kernel/kernel-form.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xt2/ext.h>
#include <xt2/sockopt.h>
#include "engine/image.h"
#include "tests/lib/unit-program.h"
#include "tests/unit/vectors-case.h"

static struct {
	u32 rules, matches, targets; /* what the kernel does */
} seen;

static void check_image(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	u32 i, kind;

	assert_int_equal(root->tables, 1);
	xt2_image_for_each_chain(c, i, img, root) {
		assert_int_equal(c->lookup, 0);
		xt2_chain_for_each_rule(r, c) {
			kind = XT2_TARGET_KIND(r->target);
			xt2_rule_for_each_match(m, r) {
				if (m->type == XT2_M_FOREIGN)
					seen.matches++;
				else
					assert_int_equal(xt2_match_info(m->type) & XT2_EXT_THEIRS,
							 0);
			}
			seen.targets += kind == XT2_T_FOREIGN || kind == XT2_T_NAT;
			assert_true(kind <= XT2_T_NAT); /* those after it are the engine's */
			seen.rules++;
		}
	}
}

static void digest_of(const struct xt2_ruleset *rs, u8 *digest)
{
	assert_int_equal(xt2_ruleset_digest(rs, digest), 0);
}

static void there_and_back(const struct xt2_ruleset *rs, int table)
{
	struct xt2_ruleset *back = xt2_ruleset_new();
	u8 was[XT2_DIGEST_SIZE], now[XT2_DIGEST_SIZE];
	struct xt2_mapping map;

	assert_int_equal(xt2_kernel_form(rs, table, &map, NULL), 0);
	check_image(map.image);
	assert_int_equal(xt2_kernel_unform(back, &map, NULL), 0);
	digest_of(rs, was);
	digest_of(back, now);
	assert_memory_equal(was, now, sizeof(was));
	xt2_ruleset_free(back);
	xt2_image_close(&map);
}

static void test_rules(void **state)
{
	struct vectors all = load("rules.vec");
	u32 i;

	for (i = 0; i < all.n; i++) {
		const struct vector *v = &all.v[i];
		struct xt2_ruleset *rs = xt2_ruleset_new();
		int table =
			xt2_table_read_replace(rs, v->family, v->compat, v->bytes, v->len, 1, NULL);

		assert_true(table >= 0);
		if (!strstr(v->name, "set"))
			there_and_back(rs, table);
		xt2_ruleset_free(rs);
	}
	assert_true(seen.rules > 600 && seen.matches > 100 && seen.targets > 100);
	unload(&all);
}

static void test_bridge(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	struct xt2_err err;

	assert_true(xt2_table_add(rs, XT2_BRIDGE, "filter", NULL) >= 0);
	assert_int_equal(xt2_kernel_form(rs, 0, &map, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.message, "bridges"));
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_bridge),
};

UNITS(tests)
