/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-box.c - engine/index/box.c: what a rule asks for at least */
#include <string.h>
#include "engine/index/box.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

static struct rule_build b;
static struct xt2_box box;

static void box_of(void)
{
	xt2_box_of(&box, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)));
}

static void range_is(u32 key, u32 least, u32 most)
{
	assert_int_equal(box.least[XT2_RANGE(key)], least);
	assert_int_equal(box.most[XT2_RANGE(key)], most);
}

static void a_plain_rule_asks_for_nothing(void **state)
{
	u32 i;

	rule_begin(&b);
	box_of();
	for (i = 0; i < XT2_BITS_FIELDS; i++)
		assert_true(!box.mask[i][0] && !box.mask[i][1]);
	for (i = 0; i < XT2_RANGES; i++)
		range_is(XT2_KEY_SPORT + i, 0, 0xffff);
	assert_true(box.stateless);
}

static void addresses_are_numbers(void **state)
{
	u32 value, mask;
	u16 least, most;

	rule_begin(&b);
	rule_source(&b, 0x0a010000, 16);
	box_of();
	assert_true(xt2_box_range(&box, XT2_IPV4, XT2_KEY_SRC, &least, &most));
	assert_int_equal(least, 0x0a01);
	assert_int_equal(most, 0x0a01);
	assert_true(xt2_box_range(&box, XT2_IPV4, XT2_KEY_SRC + 1, &least, &most));
	assert_int_equal(least, 0);
	assert_int_equal(most, 0xffff);
	assert_false(xt2_box_range(&box, XT2_IPV4, XT2_KEY_SRC + 2, &least, &most));
	xt2_box_address(rule_end(&b, 0), XT2_FIELD_SRC, &value, &mask);
	assert_int_equal(value, 0x0a010000);
	assert_int_equal(mask, 0xffff0000);
	xt2_box_address(rule_end(&b, 0), XT2_FIELD_DST, &value, &mask);
	assert_int_equal(mask, 0);
}

static void an_inverted_test_asks_for_nothing(void **state)
{
	struct xt2_match *m;
	u32 value, mask;

	rule_begin(&b);
	m = rule_match(&b, XT2_M_SRC4, sizeof(*m), 0x0a000001);
	m->flags = XT2_MATCH_INVERT;
	box_of();
	assert_true(!box.mask[XT2_FIELD_SRC][0] && !box.mask[XT2_FIELD_SRC][1]);
	xt2_box_address(rule_end(&b, 0), XT2_FIELD_SRC, &value, &mask);
	assert_int_equal(mask, 0);
}

static void ports_are_ranges(void **state)
{
	struct xt2_match *m;

	rule_begin(&b);
	rule_proto(&b, 6);
	m = rule_match(&b, XT2_M_TCP, sizeof(*m), 1000 | 2000u << 16);
	m->flags = XT2_PORTS_DST;
	box_of();
	range_is(XT2_KEY_PROTO, 6, 6);
	range_is(XT2_KEY_DPORT, 1000, 2000);
	range_is(XT2_KEY_SPORT, 0, 0xffff);
	m->flags = XT2_PORTS_SRC;
	box_of();
	range_is(XT2_KEY_SPORT, 1000, 2000);
	range_is(XT2_KEY_DPORT, 0, 0xffff);
}

static void what_remembers_ends_the_box(void **state)
{
	struct xt2_match *m;

	rule_begin(&b);
	rule_quota(&b, 0, 100);
	rule_source(&b, 0x0a000001, 32);
	box_of();
	assert_true(!box.mask[XT2_FIELD_SRC][0]); /* the quota is spent all the same */
	assert_false(box.stateless);
	rule_begin(&b);
	rule_source(&b, 0x0a000001, 32);
	rule_quota(&b, 0, 100);
	box_of();
	assert_true(box.mask[XT2_FIELD_SRC][0] != 0);
	assert_false(box.stateless);
	rule_begin(&b);
	m = rule_match(&b, XT2_M_MARK, sizeof(*m), 7);
	box_of();
	assert_int_equal(m->arg, 7);
	assert_true(box.mask[XT2_FIELD_MARK][0] != 0);
	assert_true(box.stateless);
}

static void keys_belong_to_families(void **state)
{
	assert_true(xt2_key_of_family(XT2_IPV4, XT2_KEY_SRC + 1));
	assert_false(xt2_key_of_family(XT2_IPV4, XT2_KEY_SRC + 2));
	assert_true(xt2_key_of_family(XT2_IPV6, XT2_KEY_SRC + 7));
	assert_true(xt2_key_of_family(XT2_IPV4, XT2_KEY_DST));
	assert_false(xt2_key_of_family(XT2_IPV4, XT2_KEY_DST + 7));
	assert_true(xt2_key_of_family(XT2_IPV4, XT2_KEY_OUT));
	assert_false(xt2_key_of_family(XT2_IPV6, XT2_KEYS));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_plain_rule_asks_for_nothing),
	cmocka_unit_test(addresses_are_numbers),
	cmocka_unit_test(an_inverted_test_asks_for_nothing),
	cmocka_unit_test(ports_are_ranges),
	cmocka_unit_test(what_remembers_ends_the_box),
	cmocka_unit_test(keys_belong_to_families),
};

UNITS(tests)
