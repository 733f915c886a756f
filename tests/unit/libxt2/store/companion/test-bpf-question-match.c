/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-question-match.c - libxt2/store/companion/bpf-question-match.c: twins.sh compares answers */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-left.h"

#include <linux/netfilter/xt_rpfilter.h>

static char said[128];

/* Each expression; of a comparison whether it is for 0, of a route its flags. */
static int note(struct nftnl_expr *e, void *data)
{
	const char *name = nftnl_expr_get_str(e, NFTNL_EXPR_NAME);
	const size_t at = strlen(said);

	if (!strcmp(name, "cmp"))
		name = nftnl_expr_get_u32(e, NFTNL_EXPR_CMP_OP) == NFT_CMP_EQ ? "zero" : "other";
	if (!strcmp(name, "fib"))
		snprintf(said + at, sizeof(said) - at, "fib%x ",
			 nftnl_expr_get_u32(e, NFTNL_EXPR_FIB_FLAGS));
	else
		snprintf(said + at, sizeof(said) - at, "%s ", name);
	return 0;
}

static const char *all(const char *name, u8 flags, u8 family)
{
	struct xt2_left_ext ext = { .size = 8, .data = { flags } };
	struct nftnl_rule *rule;
	u32 i, n;

	strcpy(ext.name, name);
	*said = 0;
	n = xt2_question_rules_(&ext, family);
	for (i = 0; i < n; i++) {
		rule = nftnl_rule_alloc();
		assert_non_null(rule);
		assert_int_equal(xt2_question_match_(rule, &ext, family, i), 0);
		nftnl_expr_foreach(rule, note, NULL);
		nftnl_rule_free(rule);
	}
	return said;
}

static void test_kernels_own(void **state)
{
	assert_string_equal(all("owner", 0, XT2_IPV4), "match ");
	assert_string_equal(all("policy", 0, XT2_IPV6), "match ");
}

/* 1: of the sender; 4: by mark; 8: to the interface.  In IPv6 who has no address is let through. */
static void test_routes(void **state)
{
	const u8 invert = XT_RPFILTER_INVERT, loose = XT_RPFILTER_LOOSE,
		 mark = XT_RPFILTER_VALID_MARK;

	assert_string_equal(all("rpfilter", 0, XT2_IPV4), "fib9 other ");
	assert_string_equal(all("rpfilter", invert, XT2_IPV4), "fib9 zero ");
	assert_string_equal(all("rpfilter", loose | mark, XT2_IPV4), "fib5 other ");
	assert_string_equal(all("rpfilter", 0, XT2_IPV6), "fib9 other payload zero ");
	assert_string_equal(all("rpfilter", invert | mark, XT2_IPV6), "payload other fibd zero ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_kernels_own),
	cmocka_unit_test(test_routes),
};

UNITS(tests)
