/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-known.c - translators/table/legacy-known.c: which revisions the kernel has */
#include <errno.h>
#include "translators/table/legacy.h"
#include "tests/lib/unit-program.h"

static void revisions_are_known(void **state)
{
	static const struct {
		u8 family;
		bool target;
		const char *name;
		u8 least, most;
	} rows[] = {
		{ XT2_IPV4, false, "tcp", 0, 0 },	{ XT2_IPV6, false, "multiport", 1, 1 },
		{ XT2_IPV4, false, "conntrack", 1, 3 }, { XT2_IPV6, false, "rt", 0, 0 },
		{ XT2_IPV4, true, "REJECT", 0, 0 },	{ XT2_IPV4, true, "NFQUEUE", 0, 3 },
		{ XT2_IPV6, true, "CT", 0, 2 },		{ XT2_ARP, true, "mangle", 0, 0 },
	};
	u32 i;
	int revision;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		for (revision = 0; revision < 6; revision++)
			assert_int_equal(xt2_legacy_revision(rows[i].family, rows[i].target,
							     rows[i].name, (u8)revision),
					 revision >= rows[i].least && revision <= rows[i].most
						 ? 0
						 : -EPROTONOSUPPORT);
}

static void others_are_not(void **state)
{
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, false, "nonesuch", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, true, "tcp", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, false, "REJECT", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, false, "rt", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV6, true, "mangle", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, false, "tc", 0), -ENOENT);
	assert_int_equal(xt2_legacy_revision(XT2_IPV4, false, "tcpx", 0), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(revisions_are_known),
	cmocka_unit_test(others_are_not),
};

UNITS(tests)
