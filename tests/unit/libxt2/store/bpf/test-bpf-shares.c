/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-shares.c - libxt2/store/bpf/bpf-shares.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/fail-alloc.h"
#include "libxt2/store/bpf/bpf-private.h"
#include "tests/unit/libxt2/store/companion/left-case.h"

static char told[4096];
static int ret;

static void one_line(void *data, const struct xt2_live_share *s)
{
	const size_t len = strlen(told);

	assert_ptr_equal(data, told);
	if (s->part == XT2_LIVE_HOOK)
		snprintf(told + len, sizeof(told) - len, "%s %s/%s: %u, %u\n",
			 xt2_family_name(s->family), s->table, s->chain, s->asked, s->acted);
	else
		snprintf(told + len, sizeof(told) - len, "%s %s/%s:%u %s%s\n",
			 xt2_family_name(s->family), s->table, s->chain, s->rule, s->name,
			 s->part == XT2_LIVE_ASKED ? "?" : "");
}

static void tell(const struct xt2_image *img)
{
	*told = '\0';
	ret = xt2_live_shares(img, one_line, told);
}

/* Rules that packets come to, and the sums of each hook, in which equal ones are one. */
static void test_shares(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int m = a_table(rs, XT2_IPV4, "mangle"), f = a_table(rs, XT2_IPV6, "filter");
	const int out = xt2_chain_base(rs, m, XT2_OUTPUT), in = xt2_chain_base(rs, f, XT2_INPUT);
	const int user = xt2_chain_add(rs, m, "user");

	a_rule(rs, out, 0, XT2_TARGET(XT2_T_MARK, 1));
	a_foreign(rs, out, "owner", 1, "1234567", 8);
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_JUMP, user));
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_ACCEPT, 0));
	a_rule(rs, out, 0, XT2_TARGET(XT2_T_MARK, 2)); /* not reached */
	a_rule(rs, user, 0, XT2_TARGET(XT2_T_MARK, 1));
	a_rule(rs, xt2_chain_add(rs, m, "unused"), 0, XT2_TARGET(XT2_T_MARK, 3));
	a_foreign(rs, in, "owner", 1, "1234567", 8);
	a_foreign(rs, in, "owner", 1, "7654321", 8);
	a_rule(rs, in, 0, XT2_TARGET(XT2_T_DROP, 0));
	with_image(rs, tell);
	assert_int_equal(ret, 0);
	assert_string_equal(told, "ipv4 mangle/OUTPUT:1 MARK\n"
				  "ipv4 mangle/OUTPUT:2 owner?\n"
				  "ipv4 mangle/user:1 MARK\n"
				  "ipv6 filter/INPUT:1 owner?\n"
				  "ipv6 filter/INPUT:2 owner?\n"
				  "ipv4 mangle/OUTPUT: 1, 1\n"
				  "ipv6 filter/INPUT: 2, 0\n");
}

/* REJECT and NAT have companions that are no steps. */
static void test_targets(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const int f = a_table(rs, XT2_IPV4, "filter"), n = a_table(rs, XT2_IPV4, "nat");
	const char data[24] = "";
	const int i = an_instance(rs, XT2_INSTANCE_TARGET, "MASQUERADE", 0, data, sizeof(data));

	a_rule(rs, xt2_chain_base(rs, f, XT2_INPUT), 0, XT2_TARGET(XT2_T_REJECT, 3));
	a_rule(rs, xt2_chain_base(rs, n, XT2_POSTROUTING), 0, XT2_TARGET(XT2_T_NAT, i));
	with_image(rs, tell);
	assert_int_equal(ret, 0);
	assert_string_equal(told, "ipv4 filter/INPUT:1 REJECT\n"
				  "ipv4 nat/POSTROUTING:1 MASQUERADE\n");
}

/* All of it is the programs', or nobody's: an empty nat has no effect. */
static void test_none(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	with_image(rs, tell);
	assert_int_equal(ret, 0);
	assert_string_equal(told, "");
	rs = xt2_ruleset_new();
	a_table(rs, XT2_IPV4, "nat");
	a_rule(rs, xt2_chain_base(rs, a_table(rs, XT2_IPV4, "filter"), XT2_INPUT), 0,
	       XT2_TARGET(XT2_T_DROP, 0));
	with_image(rs, tell);
	assert_int_equal(ret, 0);
	assert_string_equal(told, "");
}

static void fail_each(const struct xt2_image *img)
{
	unsigned int n;

	for (n = 1, ret = -ENOMEM; ret == -ENOMEM; n++) {
		fail_alloc(n);
		tell(img);
		fail_alloc(0);
		assert_true(!ret || ret == -ENOMEM);
	}
	assert_true(n > 3);
}

static void test_no_memory(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	a_rule(rs, xt2_chain_base(rs, a_table(rs, XT2_IPV4, "mangle"), XT2_OUTPUT), 0,
	       XT2_TARGET(XT2_T_MARK, 1));
	with_image(rs, fail_each);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_shares),
	cmocka_unit_test(test_targets),
	cmocka_unit_test(test_none),
	cmocka_unit_test(test_no_memory),
};

UNITS(tests)
