/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ruleset-case.h - a ruleset with two tables of IPv4 and one of IPv6 */
#ifndef TESTS_UNIT_RULESET_CASE_H
#define TESTS_UNIT_RULESET_CASE_H

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <xt2/xt2.h>
#include "engine/eval.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define ACCEPT XT2_TARGET(XT2_T_ACCEPT, 0)
#define DROP   XT2_TARGET(XT2_T_DROP, 0)

/* A ruleset with filter and nat of IPv4, filter of IPv6. */
enum { FILTER, NAT, FILTER6 };

static inline int setup(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	*state = rs;
	if (xt2_table_add(rs, XT2_IPV4, "filter", "a.rules") != FILTER ||
	    xt2_table_add(rs, XT2_IPV4, "nat", "a.rules") != NAT ||
	    xt2_table_add(rs, XT2_IPV6, "filter", NULL) != FILTER6)
		return -1;
	return 0;
}

static inline int teardown(void **state)
{
	xt2_ruleset_free(*state);
	return 0;
}

static inline int append(struct xt2_ruleset *rs, int chain, u32 target)
{
	struct rule_build b;

	return xt2_rule_append(rs, chain, rule_plain(&b, target), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
