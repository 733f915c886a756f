/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-order.c - engine/order.c: the rules of a chain in their order */
#include "tests/unit/sample-image.h"
#include "engine/order.h"

static struct sample sample;

static int setup(void **state)
{
	return sample_make(&sample);
}

static void rules_come_in_order(void **state)
{
	const struct xt2_chain *c = sample_chain(&sample, 0);
	struct xt2_in_order o;

	xt2_order_begin(&o, sample.img, c);
	assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 0));
	assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 1));
	assert_ptr_equal(xt2_order_next(&o), xt2_chain_tail(c));
	assert_null(xt2_order_next(&o));
	xt2_order_seek(&o, sample.img, c, sample_rule(&sample, 0, 0));
	assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 1));
	xt2_order_seek(&o, sample.img, c, xt2_chain_tail(c));
	assert_null(xt2_order_next(&o));
	assert_int_equal(xt2_chain_length(sample.img, c), 3);
}

/* A list of changes outside of the image; there are none in it. */
static void edited_rules_come_in_order(void **state)
{
	const struct xt2_chain *c = sample_chain(&sample, 0);
	const struct xt2_patch_part none = { 0 };
	struct xt2_in_order o;
	u32 i;

	for (i = 0; i < 2; i++) {
		xt2_order_begin_edited(&o, sample.img, c, i ? &none : NULL, 0);
		assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 0));
		assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 1));
		assert_ptr_equal(xt2_order_next(&o), xt2_chain_tail(c));
		assert_null(xt2_order_next(&o));
		xt2_order_after(&o, sample_rule(&sample, 0, 0));
		assert_ptr_equal(xt2_order_next(&o), sample_rule(&sample, 0, 1));
		xt2_order_after(&o, xt2_chain_tail(c));
		assert_null(xt2_order_next(&o));
	}
}

static void rules_have_numbers(void **state)
{
	const struct xt2_chain *c = sample_chain(&sample, 0);

	assert_int_equal(xt2_rule_number(sample.img, c, sample_rule(&sample, 0, 0)), 1);
	assert_int_equal(xt2_rule_number(sample.img, c, sample_rule(&sample, 0, 1)), 2);
	assert_int_equal(xt2_rule_number(sample.img, c, xt2_chain_tail(c)), 3);
	assert_int_equal(xt2_rule_number(sample.img, c, sample_rule(&sample, 1, 0)), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rules_come_in_order),
	cmocka_unit_test(edited_rules_come_in_order),
	cmocka_unit_test(rules_have_numbers),
};

UNITS_WITH(tests, setup, NULL)
