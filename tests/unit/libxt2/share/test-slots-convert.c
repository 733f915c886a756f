/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-slots-convert.c - libxt2/share/slots-convert.c */
#include "libxt2/share/slots.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/share-case.h"

static struct xt2_slots s;
static u8 seen[SHARE_SLOTS];

static int teardown(void **state)
{
	fail_alloc(0);
	xt2_slots_end_(&s);
	return share_teardown(state);
}

static void convert(void)
{
	assert_int_equal(xt2_slots_begin_(&s, SHARE_SLOTS), 0);
	assert_int_equal(xt2_slots_convert_(&s, share_image.img), 0);
}

/* A slot that no other has. */
static void own(u64 packets, u64 bytes)
{
	assert_true(packets > 0 && packets < s.used);
	assert_int_equal(bytes, 0);
	assert_int_equal(seen[packets]++, 0);
}

static void all_have_slots(void)
{
	const struct xt2_index *ix;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i, j;

	memset(seen, 0, sizeof(seen));
	xt2_image_for_each_chain(c, i, share_image.img, patch_root(&share_image)) {
		xt2_chain_for_each(r, &o, share_image.img, c)
			own(r->packets, r->bytes);
		ix = xt2_chain_index(xt2_chain_compiled(share_image.img, c));
		for (j = 0; ix && j < ix->runs; j++)
			own(xt2_index_runs(ix)[j].packets, xt2_index_runs(ix)[j].bytes);
	}
}

static void test_counters_become_biases(void **state)
{
	const u64 was = patch_rule_at(&share_image, 0, 5)->packets;
	struct xt2_index *ix = (struct xt2_index *)xt2_chain_index(patch_chain(&share_image, 1));
	struct xt2_run *run = xt2_index_runs(ix);

	assert_int_equal(ix->runs, 1);
	run->packets = 7;
	run->bytes = 8;
	convert();
	all_have_slots();
	assert_int_equal(s.bias[share_slot(0, 5)].packets, was);
	assert_int_equal(s.bias[share_slot(0, 5)].bytes, 1000 * was);
	assert_int_equal(s.bias[run->packets].packets, 7);
	assert_int_equal(s.bias[run->packets].bytes, 8);
}

static void test_patched(void **state)
{
	struct xt2_rule *gone = patch_rule_at(&share_image, 0, 3), *guard;

	patch_delete(&share_image, 0, 3);
	patch_insert_from(&share_image, 0, 9, 0x0d000001, DROP);
	patch_rule_at(&share_image, 0, 9)->packets = 55;
	convert();
	all_have_slots();
	assert_int_equal(s.bias[share_slot(0, 9)].packets, 55);
	guard = xt2_chain_first(patch_chain(&share_image, 0));
	assert_int_equal(gone->packets | gone->bytes, 0);
	assert_int_equal(guard->packets | guard->bytes, 0);
	assert_int_equal(xt2_chain_tail(patch_compiled(&share_image, 0))->packets, 0);
}

static void test_too_few(void **state)
{
	const u64 was = patch_rule_at(&share_image, 0, 5)->packets;

	assert_int_equal(xt2_slots_begin_(&s, 30), 0);
	assert_int_equal(xt2_slots_convert_(&s, share_image.img), -ENOSPC);
	assert_int_equal(patch_rule_at(&share_image, 0, 5)->packets, was);
}

static void test_no_memory(void **state)
{
	const u64 was = patch_rule_at(&share_image, 0, 5)->packets;
	u32 i;

	for (i = 1;; i++) {
		assert_int_equal(xt2_slots_begin_(&s, SHARE_SLOTS), 0);
		fail_alloc(i);
		if (!xt2_slots_convert_(&s, share_image.img))
			break;
		assert_true(fail_alloc_happened());
		fail_alloc(0);
		assert_int_equal(patch_rule_at(&share_image, 0, 5)->packets, was);
		xt2_slots_end_(&s);
	}
	assert_true(i > 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, share_setup_image, teardown)

static const struct CMUnitTest cases[] = {
	CASE(test_counters_become_biases),
	CASE(test_patched),
	CASE(test_too_few),
	CASE(test_no_memory),
};

UNITS(cases)
