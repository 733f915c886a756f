/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-base.c - translators/ebt/ebt-base.c: base tests of an entry, as matches and back */
#include <errno.h>
#include "translators/ebt/ebt.h"
#include "tests/lib/unit-program.h"

static struct ebt_entry e, again;
static u64 room[64];

/* => bytes of the matches, from which the entry comes back as it was */
static u32 packed(void)
{
	const u32 size = ebt_base_pack(&e, room);
	const struct xt2_match *m;
	u32 at, seen = 0;

	memset(&again, 0, sizeof(again));
	again.bitmask = EBT_NOPROTO; /* until a protocol is asked for */
	for (at = 0; at < size; at += m->size) {
		m = (const struct xt2_match *)((const u8 *)room + at);
		assert_int_equal(ebt_base_unpack(m, &again, &seen), 0);
	}
	assert_int_equal(again.ethproto, e.ethproto);
	assert_int_equal(again.invflags, e.invflags);
	assert_string_equal(again.in, e.in);
	assert_string_equal(again.logical_out, e.logical_out);
	assert_memory_equal(again.sourcemac, e.sourcemac, 6);
	assert_memory_equal(again.sourcemsk, e.sourcemsk, 6);
	return size;
}

static const struct xt2_match *first(void)
{
	return (const struct xt2_match *)room;
}

static int setup(void **state)
{
	memset(&e, 0, sizeof(e));
	e.bitmask = EBT_NOPROTO;
	return 0;
}

static void no_condition_is_no_match(void **state)
{
	assert_int_equal(packed(), 0);
}

static void protocols_are_numbers(void **state)
{
	e.bitmask = 0;
	e.ethproto = __builtin_bswap16(0x0800);
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->type, XT2_M_ETH_TYPE);
	assert_int_equal(first()->arg & 0xffff, __builtin_bswap16(e.ethproto));
	e.invflags = EBT_IPROTO;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->flags, XT2_MATCH_INVERT);
}

static void names_and_addresses(void **state)
{
	strcpy(e.in, "eth0");
	assert_int_equal(packed(), 16);
	assert_int_equal(first()->type, XT2_M_IN);
	assert_int_equal(first()->arg, 5);
	setup(NULL);
	strcpy(e.logical_out, "br0");
	assert_int_equal(packed(), 16);
	assert_int_equal(first()->type, XT2_M_LOGICAL_OUT);
	setup(NULL);
	e.bitmask |= EBT_SOURCEMAC;
	memset(e.sourcemac, 2, 6);
	memset(e.sourcemsk, 0xff, 6);
	assert_int_equal(packed(), 24);
	assert_int_equal(first()->type, XT2_M_ETH_SRC);
	e.invflags = EBT_ISOURCE;
	assert_int_equal(packed(), 24);
	assert_int_equal(first()->flags, XT2_MATCH_INVERT);
}

static void a_test_comes_once(void **state)
{
	const struct xt2_match type = { XT2_M_ETH_TYPE, 0, 8, 0x800 },
			       proto = { XT2_M_PROTO, 0, 8, 6 };
	u32 seen = 0;

	assert_int_equal(ebt_base_unpack(&type, &e, &seen), 0);
	assert_int_equal(ebt_base_unpack(&type, &e, &seen), -EOPNOTSUPP);
	assert_int_equal(ebt_base_unpack(&proto, &e, &seen), -EOPNOTSUPP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(no_condition_is_no_match, setup),
	cmocka_unit_test_setup(protocols_are_numbers, setup),
	cmocka_unit_test_setup(names_and_addresses, setup),
	cmocka_unit_test_setup(a_test_comes_once, setup),
};

UNITS(tests)
