/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval-patch-batch.c - engine/index/eval-patch.c, by the public calls: one packet, in order,
 * and a batch that has a large index
 */
#include "tests/unit/patch-case.h"

#define A     0x0a000001 /* the source of the rule that is looked at */
#define OTHER 0x0a010000 /* sources of others */

static struct patch_case c;

static void make_packet(struct xt2_pkt *pkt, u8 *buf, u32 source)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->data = buf;
	pkt->len = pkt->caplen = packet_ipv4(buf, source, 0x0b000001, 6, 1000, 80);
	pkt->hook = XT2_FORWARD;
	assert_int_equal(xt2_pkt_parse(pkt, XT2_IPV4), 0);
}

static void run_batch(struct xt2_evaluator *ev, bool batch, struct xt2_result *result)
{
	static struct xt2_pkt pkt[XT2_BATCH];
	static u8 buf[XT2_BATCH][128];
	struct xt2_pkt *pkts[XT2_BATCH];
	u64 now[XT2_BATCH] = { 0 };
	u32 i;

	for (i = 0; i < XT2_BATCH; i++) {
		make_packet(&pkt[i], buf[i], i % 8 ? OTHER + 300 * i : A);
		pkts[i] = &pkt[i];
	}
	memset(result, 0, XT2_BATCH * sizeof(*result));
	if (batch)
		xt2_evaluate_batch(ev, XT2_FORWARD, NULL, pkts, now, XT2_BATCH, 1, result);
	for (i = 0; i < XT2_BATCH && !batch; i++)
		xt2_evaluate(ev, XT2_FORWARD, NULL, pkts[i], 0, 1, &result[i]);
}

static void fill_huge(void)
{
	u32 i;

	for (i = 0; i < 10000; i++)
		patch_add_from(&c, 0, i == 9000 ? A : OTHER + i, i % 2 ? DROP : ACCEPT);
}

static void large_indexes(const struct xt2_index_limits *limits)
{
	static struct xt2_result one[XT2_BATCH], batch[XT2_BATCH], linear[XT2_BATCH];
	struct xt2_evaluator *ev;

	patch_begin(&c);
	fill_huge();
	patch_image(&c, limits);
	patch_insert_from(&c, 0, 600, OTHER + 900, DROP);
	patch_delete(&c, 0, 601); /* of OTHER + 600 */
	patch_insert_from(&c, 0, PATCH_TAIL, OTHER + 600, DROP);
	assert_true(xt2_index_far(xt2_chain_index(patch_compiled(&c, 0))));
	ev = xt2_evaluator_new(c.img, c.img->size);
	assert_non_null(ev);
	run_batch(ev, false, one);
	run_batch(ev, true, batch);
	xt2_evaluator_linear(ev, 1);
	run_batch(ev, false, linear);
	assert_memory_equal(one, batch, sizeof(one));
	assert_memory_equal(one, linear, sizeof(one));
	assert_int_equal(one[0].rule, 9001);
	assert_int_equal(one[1].rule, 301);
	assert_int_equal(one[2].rule, 10001);
	assert_int_equal(one[2].verdict, XT2_DROP);
	assert_int_equal(one[3].rule, 601);
	assert_int_equal(one[3].verdict, XT2_DROP);
	assert_int_equal(patch_rule_at(&c, 0, 600)->packets, 3);
	xt2_evaluator_free(ev);
	patch_end(&c);
}

static void large_indexes_in_batches(void **unused)
{
	large_indexes(&patch_pairs);
	large_indexes(&patch_segments);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(large_indexes_in_batches),
};

UNITS_WITH(tests, NULL, NULL)
