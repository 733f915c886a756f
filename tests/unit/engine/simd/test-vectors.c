/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-vectors.c - engine/simd/vectors.c: each search takes the way that was chosen, and finds the same */
#include "engine/eval.h"
#include "engine/simd/scan.h"
#include "tests/unit/index-case.h"

static struct index_case c;

static int put_back(void **state)
{
	xt2_scan_choose(xt2_scan_best());
	index_free(&c);
	return 0;
}

/* => the answer about a rule that every packet matches */
static int answer(void)
{
	struct rule_build b;
	struct xt2_pkt pkt;
	u8 buf[128];

	index_packet(&pkt, buf, 0x0a000001, 0x0b000002, 80);
	return xt2_tests_vector(rule_plain(&b, XT2_TARGET(XT2_T_DROP, 0)), &pkt);
}

static void only_vectors_answer_at_once(void **state)
{
	enum xt2_scan_way way;

	for (way = XT2_SCAN_SCALAR; way <= xt2_scan_best(); way++) {
		assert_int_equal(xt2_scan_choose(way), 0);
		assert_int_equal(answer(), way < XT2_SCAN_AVX2 ? XT2_UNSURE : XT2_HIT);
		assert_int_equal(xt2_scan_chosen(), way);
	}
}

/* The first question chooses the processor's best; a choice that was made stays. */
static void the_first_question_chooses(void **state)
{
	xt2_scan_chosen_ = -1;
	assert_int_equal(answer(), xt2_scan_best() < XT2_SCAN_AVX2 ? XT2_UNSURE : XT2_HIT);
	assert_int_equal(xt2_scan_chosen(), xt2_scan_best());
	xt2_scan_choose(XT2_SCAN_SCALAR);
	assert_int_equal(answer(), XT2_UNSURE);
	assert_int_equal(xt2_scan_chosen(), XT2_SCAN_SCALAR);
}

/* What each kind of index finds, in each way, with rules that decide and rules that count. */
static void find(const struct xt2_index_limits *limits, u8 kind, u32 target)
{
	enum xt2_scan_way way;
	u32 i;

	index_begin(&c);
	for (i = 0; i < 200; i++)
		index_add_flow(&c, 0x0a000001 + i % 20, 0x0a010001 + i / 20 % 5, 80 + i % 2,
			       target);
	assert_int_equal(index_make(&c, limits), kind);
	for (way = XT2_SCAN_SCALAR; way <= xt2_scan_best(); way++) {
		xt2_scan_choose(way);
		for (i = 0; i < 100; i++)
			INDEX_FINDS(&c, 0x0a000001 + i % 20, 0x0a010001 + i / 20, 80 + i % 2, i,
				    i + 100);
		INDEX_FINDS_NOTHING(&c, 0x0a000000, 0x0a010001, 80);
		INDEX_FINDS_NOTHING(&c, 0x0a000001, 0x0a010006, 80);
	}
	index_free(&c);
}

static void all_ways_find_the_same(void **state)
{
	static const u32 targets[] = { XT2_TARGET(XT2_T_DROP, 0), XT2_TARGET(XT2_T_MARK, 1) };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(targets); i++) {
		find(&index_columns, XT2_INDEX_COLUMNS, targets[i]);
		find(&index_bits, XT2_INDEX_BITS, targets[i]);
		find(&index_pairs, XT2_INDEX_PAIRS, targets[i]);
	}
}

/* As many candidates at once as without vectors: one, or more if rules go on. */
static void as_many_are_collected_at_once(u32 target, u16 ahead)
{
	static struct xt2_search vector, scalar;
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i;

	index_begin(&c);
	for (i = 0; i < 200; i++)
		index_add_flow(&c, 0x0a000001 + i % 20, 0x0a010001 + i / 20 % 5, 0, target);
	assert_int_equal(index_make(&c, &index_pairs), XT2_INDEX_PAIRS);
	assert_int_equal(c.ix->ahead, ahead);
	index_packet(&pkt, buf, 0x0a000001, 0x0a010001, 80);
	memset(&vector, 0, sizeof(vector));
	assert_true(xt2_keys_fill(&vector.keys, &pkt, c.ix->asks));
	scalar = vector;
	assert_int_equal(xt2_spans_vector(c.ix, &vector, &pkt),
			 xt2_index_spans(c.ix, &scalar, &pkt));
	assert_int_equal(xt2_collect_vector(c.ix, &vector, 0), xt2_index_collect(c.ix, &scalar, 0));
	assert_int_equal(vector.units, scalar.units);
	assert_int_equal(vector.resume, scalar.resume);
	assert_memory_equal(vector.unit + vector.base, scalar.unit + scalar.base,
			    scalar.units * sizeof(*scalar.unit));
	index_free(&c);
}

static void candidates_are_collected_ahead(void **state)
{
	xt2_scan_choose(xt2_scan_best());
	as_many_are_collected_at_once(XT2_TARGET(XT2_T_DROP, 0), 1);
	as_many_are_collected_at_once(XT2_TARGET(XT2_T_MARK, 1), XT2_CANDIDATES);
}

#define CASE(name) cmocka_unit_test_teardown(name, put_back)

static const struct CMUnitTest tests[] = {
	CASE(only_vectors_answer_at_once),
	CASE(the_first_question_chooses),
	CASE(all_ways_find_the_same),
	CASE(candidates_are_collected_ahead),
};

UNITS(tests)
