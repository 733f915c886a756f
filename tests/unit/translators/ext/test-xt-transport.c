/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-transport.c - translators/ext/xt-transport.c
 *
 * Random payloads of every row must come back byte for byte.  XT2_SEED=n runs
 * the random test again as it was.
 */
#include "tests/unit/transport-case.h"
#include "translators/ext/xt-transport.h"
#include <linux/netfilter/xt_ipcomp.h>

#define ROUNDS 20000

/* => 1 if the payload was accepted; then it has come back as it was */
static int fixpoint(const struct xt2_row *row, const void *payload)
{
	u64 again[PAYLOAD_MAX / 8], room[PACKED_MAX / 8 + 1];
	struct xt2_match *m = (struct xt2_match *)room;
	const struct xt2_row *found;
	int size = pack(row->family, row->name, payload, m);

	if (size == -EINVAL)
		return 0;
	assert_true(size > 0);
	assert_int_equal(xt2_match_unpack(row->family, m, &found, again, sizeof(again)), row->size);
	assert_ptr_equal(found, row);
	assert_memory_equal(again, payload, row->size);
	return 1;
}

static void test_fixpoint(void **state)
{
	u64 seed = first_seed(), payload[PAYLOAD_MAX / 8];
	const struct xt2_row *row;
	int i, accepted;

	for (row = xt2_transport_rows; row->name; row++) {
		for (i = accepted = 0; i < ROUNDS / 20; i++) {
			payload_random(&seed, row, payload);
			accepted += fixpoint(row, payload);
		}
		assert_in_range(accepted, 1, ROUNDS / 20);
	}
}

static void test_ranges(void **state)
{
	u64 room[PACKED_MAX / 8 + 1] = { 0 };
	struct xt2_match *out = (struct xt2_match *)room;
	__u32 range[2] = { 0, ~0u };

	xt2_range_pack_(range, false, out);
	assert_int_equal(out->flags & XT2_RANGE_FORM, XT2_RANGE_NONE);
	memset(room, 0, sizeof(room));
	out->size = sizeof(*out);
	range[0] = range[1] = 7;
	xt2_range_pack_(range, true, out);
	assert_int_equal(out->flags, XT2_RANGE_ONE | XT2_MATCH_INVERT);
	assert_int_equal(out->arg, 7);
	range[0] = range[1] = 0;
	assert_true(xt2_range_unpack_(out, range));
	assert_int_equal(range[0], 7);
	assert_int_equal(range[1], 7);
	memset(room, 0, sizeof(room));
	out->size = sizeof(*out);
	range[1] = 8;
	xt2_range_pack_(range, false, out);
	assert_int_equal(out->flags, XT2_RANGE_BOTH);
	assert_int_equal(out->size, 16);
	range[0] = range[1] = 0;
	assert_false(xt2_range_unpack_(out, range));
	assert_int_equal(range[0], 7);
	assert_int_equal(range[1], 8);
}

/* --compres is a test of its own. */
static void test_compres(void **state)
{
	struct xt_ipcomp info = { .spis = { 1, 9 } };
	u64 room[PACKED_MAX / 8 + 1];
	struct xt2_match *m = (struct xt2_match *)room;

	assert_true(pack(XT2_IPV4, "ipcomp", &info, m) > 0);
	assert_int_equal(m->flags & XT2_IPCOMP_RES, 0);
	info.hdrres = 1;
	assert_true(pack(XT2_IPV4, "ipcomp", &info, m) > 0);
	assert_int_equal(m->flags & XT2_IPCOMP_RES, XT2_IPCOMP_RES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_compres),
	cmocka_unit_test(test_fixpoint),
	cmocka_unit_test(test_ranges),
};

UNITS(tests)
