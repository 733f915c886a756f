/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-dispatch-hostile.c - extensions/dispatch.c: what a check lets pass does no harm
 *
 * Transport matches that were right, with bits changed.  XT2_SEED=n runs the test
 * again as it was.
 */
#include "tests/unit/transport-case.h"

#define ROUNDS 20000

/* Whatever a check lets pass must not harm the body or the way back. */
static void hostile(u64 *seed, const struct xt2_row *row)
{
	static const u8 parts[] = { 0, 8, 16, 24, 40, 48, 64, 72, 88 };
	u64 payload[PAYLOAD_MAX / 8];
	const struct xt2_row *found;
	u8 bytes[256];
	struct packet p;
	struct xt2_match *m;
	u32 i, size;

	payload_random(seed, row, payload);
	if (pack(row->family, row->name, payload, PACKED) <= 0)
		return;
	size = chance(seed, 2) ? PACKED->size : 8u + parts[chance(seed, sizeof(parts))];
	m = calloc(1, size);
	assert_non_null(m);
	memcpy(m, PACKED, size);
	for (i = chance(seed, 4); i; i--)
		((u8 *)m)[1 + chance(seed, chance(seed, 3) ? 7 : size - 1)] ^= 1 << chance(seed, 8);
	m->size = size;
	if (!xt2_match_ext_check(m, row->family)) {
		size = packet_random(seed, row->family, row_proto(row), bytes, sizeof(bytes));
		packet_bytes(&p, row->family, bytes, size);
		assert_in_range(xt2_match_ext(m, &p.ctx), XT2_MISS, XT2_HIT_DROP);
		packet_free(&p);
		xt2_match_unpack(row->family, m, &found, payload, sizeof(payload));
	}
	free(m);
}

static void test_hostile(void **state)
{
	const struct xt2_row *row;
	u64 seed = first_seed();
	int i;

	for (row = xt2_transport_rows; row->name; row++)
		for (i = 0; i < ROUNDS / 20; i++)
			hostile(&seed, row);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hostile),
};

UNITS(tests)
