/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-translate.c - translators/ext/translate.c */
#include "tests/unit/target-case.h"
#include "tests/unit/transport-case.h"

/* A copy that says something else than the match is not believed. */
static void test_copy_disagrees(void **state)
{
	struct xt_multiport_v1 odd = { .count = 1, .ports = { 1, 2 } };
	const struct xt2_row *found;
	u64 again[PAYLOAD_MAX / 8];

	assert_int_equal(pack(XT2_IPV4, "multiport", &odd, PACKED), 64);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &found, again, sizeof(again)), 48);
	((struct xt_multiport_v1 *)((u8 *)PACKED + 16))->count = 200;
	assert_int_equal(xt2_match_ext_check(PACKED, XT2_IPV4), 0);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &found, again, sizeof(again)), -EINVAL);
}

static void test_lookup(void **state)
{
	u64 payload[2] = { 0 };
	const struct xt2_row *row;

	assert_null(xt2_row_find(XT2_ARP, false, "tcp", 0));
	assert_null(xt2_row_find(XT2_IPV4, false, "icmp6", 0));
	assert_null(xt2_row_find(XT2_IPV4, false, "multiport", 0));
	assert_int_equal(xt2_match_pack(xt2_row_find(XT2_IPV4, false, "nonesuch", 0), XT2_IPV4,
					payload, 16, PACKED, PACKED_MAX),
			 0);
	assert_int_equal(xt2_match_pack(xt2_row_find(XT2_IPV4, false, "tcp", 0), XT2_IPV4, payload,
					8, PACKED, PACKED_MAX),
			 -EINVAL);
	assert_int_equal(xt2_match_pack(xt2_row_find(XT2_IPV4, false, "tcp", 0), XT2_IPV4, payload,
					16, PACKED, 64),
			 -ENOSPC);
	assert_int_equal(pack(XT2_IPV4, "tcp", payload, PACKED), 16);
	assert_int_equal(xt2_match_unpack(XT2_IPV4, PACKED, &row, payload, 8), -ENOSPC);
	assert_int_equal(xt2_match_unpack(XT2_ARP, PACKED, &row, payload, 16), -EINVAL);
	assert_int_equal(xt2_match_ext_check(PACKED, XT2_ARP), -EINVAL);
}

static void test_targets(void **state)
{
	const struct xt2_row *row;
	u64 payload[2] = { 3 }, back[2];

	assert_null(xt2_row_find(XT2_ARP, true, "REJECT", 0));
	assert_null(xt2_row_find(XT2_IPV4, true, "REJECT", 1));
	assert_null(xt2_row_find(XT2_IPV4, true, "nonesuch", 0));
	assert_non_null(xt2_row_find(XT2_IPV6, true, "REJECT", 0));
	assert_int_equal(target_pack(XT2_IPV4, "REJECT", 0, payload, 4), -EINVAL);
	assert_int_equal(target_pack(XT2_IPV4, "nonesuch", 0, payload, 8), -ENOENT);
	assert_int_equal(target_pack(XT2_IPV4, "REJECT", 0, payload, 8), 0);
	assert_int_equal(xt2_target_unpack(XT2_IPV4, tc.rule, &row, back, 4), -ENOSPC);
	assert_int_equal(xt2_target_unpack(XT2_IPV4, tc.rule, &row, back, 8), 8);
	assert_string_equal(row->name, "REJECT");
	assert_int_equal(back[0], 3);
	assert_int_equal(xt2_target_unpack(XT2_ARP, tc.rule, &row, back, 8), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_copy_disagrees),
	cmocka_unit_test(test_lookup),
	cmocka_unit_test_setup(test_targets, target_setup),
};

UNITS(tests)
