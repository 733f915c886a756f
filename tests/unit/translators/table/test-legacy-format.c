/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-format.c - translators/table/legacy-format.c */
#include "translators/table/legacy-format.h"
#include "tests/lib/unit-program.h"

static void families_have_formats(void **state)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP, XT2_BRIDGE };
	u32 i, family;

	for (i = 0; i < sizeof(families); i++) {
		assert_true(xt2_legacy_family(families[i]));
		assert_true(xt2_legacy_scratch(families[i], false, 1000) > 0);
	}
	for (family = 0; family < 256; family++)
		if (!memchr(families, (int)family, sizeof(families))) {
			assert_false(xt2_legacy_family((u8)family));
			assert_int_equal(xt2_legacy_scratch((u8)family, false, 1000), 0);
		}
}

static void formats_have_sizes(void **state)
{
	/* struct ipt_entry, ip6t_entry, arpt_entry, of 64-bit programs and of 32-bit ones */
	static const struct {
		u8 family;
		bool compat;
		u32 entry;
	} rows[] = {
		{ XT2_IPV4, false, 112 }, { XT2_IPV4, true, 112 }, { XT2_IPV6, false, 168 },
		{ XT2_IPV6, true, 164 },  { XT2_ARP, false, 192 }, { XT2_ARP, true, 188 },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		const struct xt2_legacy_format_ *f =
			legacy_format_find(rows[i].family, rows[i].compat);

		assert_non_null(f);
		assert_int_equal(f->entry, rows[i].entry);
		assert_int_equal(legacy_slot_size(f), rows[i].entry + LEGACY_TARGET);
	}
}

static void scratch_grows_with_the_blob(void **state)
{
	u64 len;

	for (len = 1; len < 1 << 20; len *= 2)
		assert_true(xt2_legacy_scratch(XT2_IPV4, false, len) <=
			    xt2_legacy_scratch(XT2_IPV4, false, 2 * len));
	assert_true(xt2_legacy_scratch(XT2_IPV4, true, 1 << 20) > 1 << 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(families_have_formats),
	cmocka_unit_test(formats_have_sizes),
	cmocka_unit_test(scratch_grows_with_the_blob),
};

UNITS(tests)
