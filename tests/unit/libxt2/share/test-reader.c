/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-reader.c - libxt2/share/reader.c */
#include <errno.h>
#include "libxt2/share/seats.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/share-case.h"

static struct xt2_reader *reader;
static struct xt2_result result;

static int setup(void **state)
{
	if (share_setup(state))
		return -1;
	reader = xt2_share_reader(share);
	return reader ? 0 : -1;
}

static int teardown(void **state)
{
	fail_alloc(0);
	xt2_reader_free(reader);
	return share_teardown(state);
}

static u64 reads(void)
{
	return __atomic_load_n(&share->seats->reads, __ATOMIC_RELAXED);
}

static void test_results(void **state)
{
	assert_int_equal(share_packet(reader, 0x0a000001, &result), XT2_ACCEPT);
	assert_string_equal(result.table, "filter");
	assert_string_equal(result.chain, "FORWARD");
	assert_int_equal(result.rule, 1);
	assert_int_equal(share_packet(reader, 0x0a000002, &result), XT2_DROP);
	assert_int_equal(result.rule, 2);
	assert_int_equal(share_packet(reader, 0x0b000002, &result), XT2_DROP);
	assert_string_equal(result.chain, "ONE");
	assert_int_equal(share_packet(reader, 0x0b000001, &result), XT2_ACCEPT);
	assert_int_equal(result.rule, 0);
	assert_int_equal(xt2_reader_generation(reader), patch_root(&share_image)->generation);
	assert_int_equal(reads(), XT2_SEAT_IDLE);
}

static void test_follows_the_root(void **state)
{
	const u64 generation = patch_root(&share_image)->generation;
	u32 at = share_root(generation + 1), fenced;
	struct xt2_root *root = xt2_at(share_image.img, at);
	const u32 hooks = root->hooks;

	for (fenced = 0; fenced < 2; fenced++) {
		share->fenced |= fenced != 0;
		xt2_reader_free(reader);
		reader = xt2_share_reader(share);
		share_packet(reader, 0x0a000002, &result);
		assert_int_equal(xt2_reader_generation(reader), generation + fenced);
		root->hooks = 0; /* nothing asks for anything */
		xt2_share_publish(share, at, generation + 1);
		assert_int_equal(share_packet(reader, 0x0a000002, &result), XT2_ACCEPT);
		assert_null(result.table);
		assert_int_equal(xt2_reader_generation(reader), generation + 1);
	}
	root->generation++; /* the same place, another root */
	root->hooks = hooks;
	xt2_share_publish(share, at, generation + 2);
	share_packet(reader, 0x0a000002, &result);
	assert_int_equal(xt2_reader_generation(reader), generation + 2);
}

/* The chains of another generation are deeper. */
static void test_stack_grows(void **state)
{
	const u64 generation = patch_root(&share_image)->generation;
	u32 at = share_root(generation + 1);
	struct xt2_root *root = xt2_at(share_image.img, at);

	root->depth = 0;
	xt2_share_publish(share, at, generation + 1);
	xt2_reader_free(reader);
	reader = xt2_share_reader(share);
	assert_int_equal(share_packet(reader, 0x0a000002, &result), XT2_DROP);
	assert_int_equal(result.faults, 0);
	at = share_root(generation + 2);
	root = xt2_at(share_image.img, at);
	root->depth = 1;
	xt2_share_publish(share, at, generation + 2);
	fail_alloc(1);
	assert_int_equal(share_packet(reader, 0x0b000001, &result), XT2_DROP);
	assert_int_equal(result.faults, 1);
	fail_alloc(0);
	assert_int_equal(share_packet(reader, 0x0b000001, &result), XT2_ACCEPT);
	assert_int_equal(result.faults, 0);
}

/* Strings outlive the ruleset that they were of. */
static void test_strings_stay(void **state)
{
	struct xt2_chain_cold *cold;
	const struct xt2_chain *c = patch_chain(&share_image, 0);

	share_packet(reader, 0x0a000002, &result);
	cold = (void *)xt2_image_chain_cold(share_image.img, patch_root(&share_image), c->index);
	memset(cold->name, 'x', 3);
	assert_string_equal(result.chain, "FORWARD");
}

static void test_batch(void **state)
{
	enum { N = 2 * XT2_BATCH + 3 };
	static struct xt2_pkt pkt[N], *pkts[N];
	static struct xt2_result results[N];
	static u8 bytes[N][128];
	static u64 now[N];
	u32 i, round;

	for (i = 0; i < N; i++) {
		packet_parse(&pkt[i], XT2_IPV4, bytes[i],
			     packet_ipv4(bytes[i], 0x0a000001 + i % SHARE_RULES, 0x0c000001,
					 IPPROTO_UDP, 1, 2));
		pkts[i] = &pkt[i];
	}
	for (round = 0; round < 2; round++) {
		fail_alloc(!round);
		xt2_reader_evaluate_batch(reader, XT2_FORWARD, NULL, pkts, now, N, 1, results);
		for (i = 0; i < N; i++) {
			assert_int_equal(results[i].verdict,
					 i % SHARE_RULES % 2 ? XT2_DROP : XT2_ACCEPT);
			assert_int_equal(results[i].rule, i % SHARE_RULES + 1);
			if (round)
				assert_string_equal(results[i].chain, "FORWARD");
			else
				assert_null(results[i].chain);
		}
	}
	assert_int_equal(reads(), XT2_SEAT_IDLE);
}

static void test_no_memory(void **state)
{
	u32 i;

	for (i = 1; i <= 2; i++) {
		fail_alloc(i);
		xt2_reader_free(xt2_share_reader(share));
		fail_alloc(0);
	}
	xt2_reader_free(NULL);
	assert_ptr_equal(share->seats, (void *)reader);
	assert_null(share->seats->next);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest cases[] = {
	CASE(test_results),	CASE(test_follows_the_root),
	CASE(test_stack_grows), CASE(test_strings_stay),
	CASE(test_batch),	CASE(test_no_memory),
};

UNITS(cases)
