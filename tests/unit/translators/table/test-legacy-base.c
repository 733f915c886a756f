/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-base.c - translators/table/legacy-base.c: base tests of an entry, as matches and back */
#include <errno.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include "translators/table/legacy-format.h"
#include "tests/lib/unit-program.h"

static struct ipt_entry e, again;
static u64 room[64];

/* => bytes of the matches, from which the entry comes back as it was */
static u32 packed(void)
{
	const struct xt2_legacy_format_ *f = legacy_format_find(XT2_IPV4, false);
	const u32 size = legacy_base_pack(f, (const u8 *)&e, room);
	const struct xt2_match *m = (const struct xt2_match *)room;
	u32 at, seen = 0;

	memset(&again, 0, sizeof(again));
	for (at = 0; at < size; at += m->size) {
		m = (const struct xt2_match *)((const u8 *)room + at);
		assert_int_equal(legacy_base_unpack(f, m, (u8 *)&again, &seen), 0);
	}
	assert_memory_equal(&again.ip, &e.ip, sizeof(e.ip));
	return size;
}

static const struct xt2_match *first(void)
{
	return (const struct xt2_match *)room;
}

static int setup(void **state)
{
	memset(&e, 0, sizeof(e));
	return 0;
}

static void no_condition_is_no_match(void **state)
{
	assert_int_equal(packed(), 0);
}

static void addresses_are_numbers(void **state)
{
	e.ip.src.s_addr = __builtin_bswap32(0x0a010000);
	e.ip.smsk.s_addr = __builtin_bswap32(0xffff0000);
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->type, XT2_M_SRC4);
	assert_int_equal(first()->arg, 0x0a010000);
	assert_int_equal(first()->flags, 16);
	e.ip.invflags = IPT_INV_SRCIP;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->flags, 16 | XT2_MATCH_INVERT);
	e.ip.invflags = 0;
	e.ip.smsk.s_addr = __builtin_bswap32(0xff00ff00); /* no prefix */
	e.ip.src.s_addr = __builtin_bswap32(0x0a000100);
	assert_int_equal(packed(), 16);
	assert_int_equal(first()->type, XT2_M_SRC4_MASK);
}

static void interfaces_have_lengths(void **state)
{
	strcpy(e.ip.iniface, "eth0");
	memset(e.ip.iniface_mask, 0xff, 5);
	assert_int_equal(packed(), 16);
	assert_int_equal(first()->type, XT2_M_IN);
	assert_int_equal(first()->arg, 5);
	memset(&e, 0, sizeof(e));
	strcpy(e.ip.outiface, "eth+");
	memset(e.ip.outiface_mask, 0xff, 3); /* eth+ */
	assert_int_equal(packed(), 16);
	assert_int_equal(first()->type, XT2_M_OUT);
	assert_int_equal(first()->arg, 3);
}

static void protocols_and_fragments(void **state)
{
	e.ip.proto = 6;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->type, XT2_M_PROTO);
	assert_int_equal(first()->arg, 6);
	e.ip.invflags = XT_INV_PROTO;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->flags, XT2_MATCH_INVERT);
	memset(&e, 0, sizeof(e));
	e.ip.flags = IPT_F_FRAG;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->type, XT2_M_FRAGMENT);
	e.ip.invflags = IPT_INV_FRAG;
	assert_int_equal(packed(), 8);
	assert_int_equal(first()->flags, XT2_MATCH_INVERT);
}

static void a_test_comes_once(void **state)
{
	const struct xt2_legacy_format_ *f = legacy_format_find(XT2_IPV4, false);
	const struct xt2_match proto = { XT2_M_PROTO, 0, 8, 6 };
	u32 seen = 0;

	assert_int_equal(legacy_base_unpack(f, &proto, (u8 *)&e, &seen), 0);
	assert_int_equal(legacy_base_unpack(f, &proto, (u8 *)&e, &seen), -EOPNOTSUPP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(no_condition_is_no_match, setup),
	cmocka_unit_test_setup(addresses_are_numbers, setup),
	cmocka_unit_test_setup(interfaces_have_lengths, setup),
	cmocka_unit_test_setup(protocols_and_fragments, setup),
	cmocka_unit_test_setup(a_test_comes_once, setup),
};

UNITS(tests)
