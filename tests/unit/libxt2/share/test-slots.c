/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-slots.c - libxt2/share/slots.c */
#include <errno.h>
#include "libxt2/share/slots.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/unit-program.h"

static struct xt2_slots s;

static int setup(void **state)
{
	return xt2_slots_begin_(&s, 6);
}

static int teardown(void **state)
{
	fail_alloc(0);
	xt2_slots_end_(&s);
	return 0;
}

static u32 take(void)
{
	u32 slot = 0;

	assert_int_equal(xt2_slots_take_(&s, &slot), 0);
	assert_true(slot > 0 && slot < 6);
	return slot;
}

static void test_bound(void **state)
{
	u32 i, slot = 77, seen = 0;

	for (i = 1; i < 6; i++)
		seen |= 1u << take();
	assert_int_equal(seen, 0x3e);
	assert_int_equal(xt2_slots_take_(&s, &slot), -ENOSPC);
	assert_int_equal(slot, 77);
}

static void test_retired_wait_for_readers(void **state)
{
	u32 a = take(), b = take(), slot;

	xt2_slots_commit_(&s, 1);
	assert_int_equal(xt2_slots_retire_(&s, a), 0);
	xt2_slots_commit_(&s, 2);
	assert_int_equal(xt2_slots_retire_(&s, b), 0);
	xt2_slots_commit_(&s, 3);
	take(), take(), take();
	xt2_slots_commit_(&s, 4);
	xt2_slots_reclaim_(&s, 1);
	assert_int_equal(xt2_slots_take_(&s, &slot), -ENOSPC);
	xt2_slots_reclaim_(&s, 2);
	assert_int_equal(take(), a);
	assert_int_equal(xt2_slots_take_(&s, &slot), -ENOSPC);
	xt2_slots_reclaim_(&s, 3);
	assert_int_equal(take(), b);
	assert_int_equal(xt2_slots_take_(&s, &slot), -ENOSPC);
}

static void test_abort(void **state)
{
	u32 a = take(), b;

	xt2_slots_commit_(&s, 1);
	b = take();
	assert_int_equal(xt2_slots_retire_(&s, a), 0);
	xt2_slots_abort_(&s);
	xt2_slots_reclaim_(&s, 9);
	assert_int_equal(take(), b);
	assert_int_not_equal(take(), a);
	assert_int_not_equal(take(), a);
}

/* The open transaction's slots are not given back with those of the ones before. */
static void test_reclaim_in_a_transaction(void **state)
{
	u32 a = take(), b = take();

	assert_int_equal(xt2_slots_retire_(&s, a), 0);
	xt2_slots_commit_(&s, 1);
	assert_int_equal(xt2_slots_retire_(&s, b), 0);
	xt2_slots_reclaim_(&s, 1);
	assert_int_equal(take(), a);
	assert_int_not_equal(take(), b);
	xt2_slots_commit_(&s, 2);
	xt2_slots_reclaim_(&s, 2);
	assert_int_equal(take(), b);
}

static void test_no_memory(void **state)
{
	u32 slot = 77, i;

	for (i = 1; i <= 2; i++) {
		fail_alloc(i);
		assert_int_equal(xt2_slots_take_(&s, &slot), -ENOMEM);
		assert_true(fail_alloc_happened());
		teardown(NULL);
		setup(NULL);
	}
	take();
	for (i = 1; i <= 2; i++) {
		fail_alloc(i);
		assert_int_equal(xt2_slots_retire_(&s, 1), -ENOMEM);
		assert_int_equal(s.retired_n, 0);
	}
	fail_alloc(0);
	assert_int_equal(slot, 77);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest cases[] = {
	CASE(test_bound),     CASE(test_retired_wait_for_readers),
	CASE(test_abort),     CASE(test_reclaim_in_a_transaction),
	CASE(test_no_memory),
};

UNITS(cases)
