/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-known.c - translators/table/legacy-known.c: which revisions the kernel has */
#include <linux/in.h>
#include "tests/unit/known-case.h"

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

/* Tables, hooks and protocols that an extension is for, and the first beside them. */
static void places_are_known(void **state)
{
	static const struct {
		u8 family;
		bool target;
		const char *name, *table;
		u8 revision, hooks, proto;
		bool inverted;
		const char *why; /* begins so; NULL: it may be there */
	} rows[] = {
#define TABLE	 "extension is not for this table"
#define HOOK	 "a hook leads here"
#define PROTOCOL "extension is not for this protocol"
		{ XT2_IPV4, true, "TTL", "mangle", 0, LEGACY_PRE | LEGACY_POST, 0, false, NULL },
		{ XT2_IPV4, true, "TTL", "filter", 0, 0, 0, false, TABLE },
		{ XT2_IPV4, true, "SECMARK", "security", 0, 0, 0, false, NULL },
		{ XT2_IPV4, true, "SECMARK", "raw", 0, 0, 0, false, TABLE },
		{ XT2_IPV4, true, "LOG", "security", 0, 31, 0, false, NULL },
		{ XT2_IPV4, true, "MASQUERADE", "nat", 0, LEGACY_POST, 0, false, NULL },
		{ XT2_IPV4, true, "MASQUERADE", "nat", 0, LEGACY_PRE, 0, false, HOOK },
		{ XT2_IPV4, true, "MASQUERADE", "nat", 0, 31, 0, false, HOOK },
		{ XT2_IPV6, true, "REJECT", "filter", 0, LEGACY_FWD, 0, false, NULL },
		{ XT2_IPV6, true, "REJECT", "mangle", 0, LEGACY_FWD, 0, false, TABLE },
		{ XT2_IPV4, false, "mac", "filter", 0, LEGACY_IN | LEGACY_OUT, 0, false, HOOK },
		{ XT2_IPV4, false, "owner", "filter", 1, LEGACY_IN, 0, false, HOOK },
		{ XT2_IPV4, false, "owner", "filter", 1, 0, 0, false,
		  NULL }, /* nothing leads there */
		{ XT2_IPV4, false, "tcp", "filter", 0, 0, IPPROTO_TCP, false, NULL },
		{ XT2_IPV4, false, "tcp", "filter", 0, 0, IPPROTO_TCP, true, PROTOCOL },
		{ XT2_IPV4, false, "tcp", "filter", 0, 0, IPPROTO_UDP, false, PROTOCOL },
		{ XT2_IPV4, false, "tcp", "filter", 0, 0, 0, false, PROTOCOL },
		{ XT2_IPV4, true, "TPROXY", "mangle", 1, LEGACY_PRE, IPPROTO_TCP, false, NULL },
		{ XT2_IPV4, true, "TPROXY", "mangle", 1, LEGACY_PRE, IPPROTO_UDP, false, NULL },
		{ XT2_IPV4, true, "TPROXY", "mangle", 1, LEGACY_PRE, IPPROTO_ICMP, false,
		  PROTOCOL },
		{ XT2_IPV4, true, "TPROXY", "mangle", 1, LEGACY_PRE, IPPROTO_UDP, true, PROTOCOL },
		{ XT2_ARP, true, "mangle", "filter", 0, 7, 0, false, NULL },
		{ XT2_ARP, true, "CLASSIFY", "filter", 0, 1 << XT2_ARP_OUTPUT, 0, false, NULL },
		{ XT2_ARP, true, "CLASSIFY", "filter", 0, 1 << XT2_ARP_INPUT, 0, false, HOOK },
		{ XT2_ARP, true, "NFQUEUE", "filter", 0, 0, 0, false, "extension is not for ARP" },
	};
	struct xt2_legacy l = { 0 };
	const char *why;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		const struct legacy_rule rule = { .family = rows[i].family,
						  .hooks = rows[i].hooks,
						  .proto = rows[i].proto,
						  .inv_proto = rows[i].inverted };

		l.family = rows[i].family;
		strcpy(l.table, rows[i].table);
		why = legacy_misplaced(&l, &rule,
				       known_of(rows[i].family, rows[i].target, rows[i].name,
						rows[i].revision));
		if (!why != !rows[i].why || (why && strncmp(why, rows[i].why, strlen(rows[i].why))))
			fail_msg("%s in %s, row %zu: %s", rows[i].name, rows[i].table, i,
				 why ? why : "taken");
	}
}

/* By name alone: a match before a target, and another family's only if there is no other. */
static void names_are_known(void **state)
{
	const struct legacy_known *k = legacy_known_named(XT2_IPV6, "NETMAP");

	assert_true(k && k->families & LEGACY_V6);
	k = legacy_known_named(XT2_IPV4, "NETMAP");
	assert_true(k && k->families & LEGACY_V4);
	k = legacy_known_named(XT2_IPV4, "hbh"); /* of IPv6 alone */
	assert_true(k && k->families == LEGACY_V6);
	k = legacy_known_named(XT2_IPV4, "mark");
	assert_true(k >= legacy_matches && k < legacy_matches + legacy_known_rows[0]);
	k = legacy_known_named(XT2_IPV4, "MARK");
	assert_true(k >= legacy_targets && k < legacy_targets + legacy_known_rows[1]);
	k = legacy_known_named(XT2_IPV4, "udplite"); /* the last row */
	assert_true(k && !strcmp(k->name, "udplite"));
	assert_null(legacy_known_named(XT2_IPV4, "nonesuch"));
	assert_null(legacy_known_named(XT2_IPV4, "zzz"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(places_are_known),
	cmocka_unit_test(names_are_known),
	cmocka_unit_test(revisions_are_known),
	cmocka_unit_test(others_are_not),
};

UNITS(tests)
