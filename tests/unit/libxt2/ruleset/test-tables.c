/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-tables.c - libxt2/ruleset/tables.c: what the kernel's tables are called, and where they are asked */
#include "tests/unit/ruleset-case.h"

static void tables_are_the_kernels(void **state)
{
	static const struct {
		int family;
		const char *table;
		unsigned int hooks;
		int priority[5];
	} rows[] = {
		{ XT2_IPV4, "filter", 0x0e, { 0, 0, 0, 0, 0 } },
		{ XT2_IPV6, "mangle", 0x1f, { -150, -150, -150, -150, -150 } },
		{ XT2_IPV4, "nat", 0x1b, { -100, 100, 0, -100, 100 } },
		{ XT2_IPV6, "nat", 0x1b, { -100, 100, 0, -100, 100 } },
		{ XT2_IPV4, "raw", 0x09, { -300, 0, 0, -300, 0 } },
		{ XT2_IPV6, "security", 0x0e, { 0, 50, 50, 50, 0 } },
		{ XT2_ARP, "filter", 0x07, { 0, 0, 0, 0, 0 } },
		{ XT2_ARP, "mangle", 0, { 0 } },
		{ XT2_BRIDGE, "filter", 0x0e, { 0, -200, -200, 200, 0 } },
		{ XT2_BRIDGE, "nat", 0x19, { -300, 0, 0, 100, 300 } },
		{ XT2_BRIDGE, "broute", 0x20, { 0 } },
		{ XT2_BRIDGE, "mangle", 0, { 0 } },
		{ XT2_IPV4, "broute", 0, { 0 } },
	};
	size_t i;
	int hook;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(xt2_table_hooks(rows[i].family, rows[i].table), rows[i].hooks);
		for (hook = 0; hook < 5; hook++) {
			if (rows[i].hooks & 1u << hook)
				assert_int_equal(xt2_table_priority(rows[i].family, rows[i].table,
								    hook),
						 rows[i].priority[hook]);
		}
	}
}

static void hooks_have_names(void **state)
{
	assert_string_equal(xt2_hook_name(XT2_IPV4, XT2_FORWARD), "FORWARD");
	assert_string_equal(xt2_hook_name(XT2_ARP, XT2_ARP_OUTPUT), "OUTPUT");
	assert_null(xt2_hook_name(XT2_ARP, 3));
	assert_null(xt2_hook_name(XT2_IPV4, -1));
	assert_string_equal(xt2_hook_name(XT2_BRIDGE, XT2_BROUTING), "BROUTING");
	assert_int_equal(xt2_hook_number(XT2_BRIDGE, "BROUTING"), XT2_BROUTING);
	assert_null(xt2_hook_name(XT2_BRIDGE, 6));
	assert_int_equal(xt2_hook_number(XT2_IPV6, "POSTROUTING"), XT2_POSTROUTING);
	assert_int_equal(xt2_hook_number(XT2_ARP, "FORWARD"), XT2_ARP_FORWARD);
	assert_int_equal(xt2_hook_number(XT2_ARP, "PREROUTING"), -1);
	assert_string_equal(xt2_family_name(XT2_IPV6), "ipv6");
	assert_null(xt2_family_name(0));
}

static const struct CMUnitTest tests[] = {
	CASE(tables_are_the_kernels),
	CASE(hooks_have_names),
};

UNITS(tests)
