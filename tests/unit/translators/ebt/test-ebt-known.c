/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-known.c - translators/ebt/ebt-known.c */
#include "tests/unit/ebt-case.h"

/* What the kernel itself changes in a payload. */
static void test_fixed(void **state)
{
	static const struct {
		const char *name;
		u32 offset; /* in the payload */
		u8 value;
	} rows[] = {
		{ "vlan_prio_ignored", offsetof(struct ebt_vlan_info, bitmask), EBT_VLAN_ID },
		{ "log", offsetof(struct ebt_log_info, prefix) + 29, 0 },
		{ "nflog", offsetof(struct ebt_nflog_info, prefix) + 63, 0 },
	};
	struct turn *t = turn_new();
	u32 i, j, at;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		for (j = 0; j < EBT_CASES && strcmp(ebt_cases[j].name, rows[i].name); j++)
			;
		ebt_case_make(&blob, &ebt_cases[j], false, 0);
		at = blob.rule[0] + 112 + 40 + rows[i].offset;
		assert_int_not_equal(blob.out[120 + at], rows[i].value);
		assert_int_equal(answer(t, false, blob.out, blob.len, false), 0);
		assert_int_equal(t->bytes[at], rows[i].value);
		blob.out[120 + at] = rows[i].value;
		assert_bytes(rows[i].name, t->bytes, blob.out + 120, blob.len - 120);
	}
	turn_free(t);
}

static void test_revisions(void **state)
{
	static const struct {
		bool target;
		const char *name;
		u8 revision;
		int answer;
	} rows[] = {
		{ false, "among", 0, 0 },
		{ false, "limit", 0, 0 },
		{ false, "limit", 1, -EPROTONOSUPPORT },
		{ false, "mark", 1, 0 },
		{ false, "mark", 7, -EPROTONOSUPPORT },
		{ false, "tcp", 0, -ENOENT },
		{ true, "mark", 0, 0 },
		{ true, "log", 1, -EPROTONOSUPPORT },
		{ true, "NFQUEUE", 0, -ENOENT },
		{ true, "MARK", 2, -ENOENT },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		assert_int_equal(xt2_legacy_revision(XT2_BRIDGE, rows[i].target, rows[i].name,
						     rows[i].revision),
				 rows[i].answer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_revisions),
	cmocka_unit_test(test_fixed),
};

UNITS(tests)
