/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-share.c - libxt2/share/share.c: generations and counters; threads are in tests/prop/readers.c */
#include <errno.h>
#include "libxt2/share/seats.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/share-case.h"

static struct xt2_result result;

static void test_new_refuses(void **state)
{
	u32 i;

	assert_null(xt2_share_new(share_image.img, 30));
	assert_int_equal(errno, ENOSPC);
	for (i = 1; !share; i++) {
		fail_alloc(i);
		share = xt2_share_new(share_image.img, SHARE_SLOTS);
		assert_true(share || (fail_alloc_happened() && errno == ENOMEM));
		fail_alloc(0);
	}
	assert_true(i > 3);
	xt2_share_free(NULL);
}

static void test_oldest(void **state)
{
	struct xt2_seat a = { 0 }, b = { 0 };
	u64 now = share->generation;
	u32 fenced;

	assert_int_equal(xt2_share_oldest(share), now);
	for (fenced = 0; fenced < 2; fenced++) {
		share->fenced |= fenced != 0;
		assert_int_equal(xt2_seat_take_(share, &a), 0);
		assert_int_equal(xt2_seat_take_(share, &b), 0);
		assert_int_equal(xt2_share_oldest(share), now);
		a.reads = now;
		xt2_share_publish(share, share_root(now + 5), now + 5);
		assert_int_equal(xt2_share_oldest(share), now);
		b.reads = now + 3;
		a.reads = XT2_SEAT_IDLE;
		assert_int_equal(xt2_share_oldest(share), now + 3);
		xt2_seat_leave_(share, &b);
		now += 5;
		assert_int_equal(xt2_share_oldest(share), now);
		xt2_seat_leave_(share, &a);
	}
	assert_null(share->seats);
}

static void test_counters(void **state)
{
	struct xt2_reader *a = xt2_share_reader(share), *b = xt2_share_reader(share);
	const u32 slot = share_slot(0, 0);
	const struct xt2_counts was = share_counts(slot);
	struct xt2_counts got;

	assert_true(a && b);
	share_packet(a, 0x0a000001, &result);
	share_packet(b, 0x0a000001, &result);
	share_packet(b, 0x0a000001, &result);
	assert_int_equal(share_counts(slot).packets, was.packets + 3);
	assert_true(share_counts(slot).bytes > was.bytes);
	got = xt2_share_counter_set(share, slot, (struct xt2_counts){ 0 });
	assert_int_equal(got.packets, was.packets + 3);
	assert_int_equal(share_counts(slot).packets, 0);
	assert_int_equal(share_counts(slot).bytes, 0);
	share_packet(a, 0x0a000001, &result);
	xt2_reader_free(a);
	assert_int_equal(share_counts(slot).packets, 1);
	xt2_reader_free(b);
	assert_int_equal(share_counts(slot).packets, 1);
}

/* What strips still have does not show in a slot that is taken again. */
static void test_slot_again(void **state)
{
	struct xt2_reader *reader = xt2_share_reader(share);
	const u32 slot = share_slot(0, 0);
	u32 again;

	share_packet(reader, 0x0a000001, &result);
	assert_int_equal(xt2_share_slot_retire(share, slot), 0);
	xt2_share_abort(share);
	assert_int_equal(xt2_share_slot_retire(share, slot), 0);
	xt2_share_publish(share, share_root(5000), 5000);
	xt2_share_reclaim(share, xt2_share_oldest(share));
	assert_int_equal(xt2_share_slot_take(share, (struct xt2_counts){ 4, 40 }, &again), 0);
	assert_int_equal(again, slot);
	assert_int_equal(share_counts(slot).packets, 4);
	assert_int_equal(share_counts(slot).bytes, 40);
	xt2_share_abort(share);
	xt2_reader_free(reader);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, share_setup, share_teardown)

static const struct CMUnitTest cases[] = {
	cmocka_unit_test_setup_teardown(test_new_refuses, share_setup_image, share_teardown),
	CASE(test_oldest),
	CASE(test_counters),
	CASE(test_slot_again),
};

UNITS(cases)
