/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-share-tables.c - libxt2/share/share-tables.c */
#include <pthread.h>
#include "libxt2/share/seats.h"
#include "libxt2/share/share-tables.h"
#include "libxt2/ruleset/inplace.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define RULES	300u
#define COUNTED 150u /* position of the rule that packets match */
#define THREADS 2
#define PACKETS 20000u /* of a thread */
#define EDITS	3000u

static const struct xt2_rule *rule_from(struct rule_build *b, u32 source)
{
	rule_begin(b);
	rule_source(b, source, 32);
	return rule_end(b, XT2_TARGET(XT2_T_CONTINUE, 0));
}

static struct xt2_tables *make(void)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_tables *t;
	struct rule_build b;
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	for (i = 0; i < RULES; i++)
		xt2_rule_append(rs, xt2_chain_base(rs, 0, XT2_INPUT),
				rule_from(&b, i == COUNTED ? 0x0a000001 : 0x0b000000 + i), 0);
	t = xt2_tables_new(rs, NULL);
	assert_non_null(t);
	xt2_ruleset_free(rs);
	return t;
}

static void evaluate(struct xt2_reader *r)
{
	__u8 bytes[20] = { 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1 };
	struct xt2_pkt pkt = { .data = bytes, .caplen = sizeof(bytes), .len = sizeof(bytes) };
	struct xt2_result result;

	if (!xt2_pkt_parse(&pkt, XT2_IPV4))
		xt2_reader_evaluate(r, XT2_INPUT, NULL, &pkt, 0, 0, &result);
}

static void *read_packets(void *arg)
{
	struct xt2_reader *r = xt2_share_reader(arg);
	u32 i;

	for (i = 0; r && i < PACKETS; i++)
		evaluate(r);
	xt2_reader_free(r);
	return r;
}

static u64 packets_of(struct xt2_tables *t, u32 source)
{
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	const int chain = xt2_chain_base(rs, 0, XT2_INPUT);
	struct rule_build b;
	const int at = xt2_rule_find(rs, chain, rule_from(&b, source));

	assert_true(at >= 0);
	return xt2_rule_get(rs, chain, (u32)at)->packets;
}

/* Rules around the one that counts come and go, and the chain is compiled anew again and again. */
static void edit(struct xt2_tables *t)
{
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	struct rule_build b;
	u32 i;

	for (i = 0; i < EDITS; i++) {
		const int chain = xt2_chain_base(rs, 0, XT2_INPUT);

		assert_int_equal(
			xt2_rule_insert(rs, chain, i % 100, rule_from(&b, 0x0c000000 + i), 0), 0);
		if (i % 3)
			assert_int_equal(xt2_rule_delete(rs, chain, (i * 7) % 90), 0);
		if (i % 10 == 9)
			assert_int_equal(xt2_tables_abort(t), 0);
		else
			assert_int_equal(xt2_tables_commit(t, NULL), 0);
	}
}

static void counters_stay_exact(void **unused)
{
	struct xt2_tables *t = make();
	pthread_t thread[THREADS];
	__u64 packets, bytes;
	void *ret;
	int i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, read_packets, xt2_tables_share(t)), 0);
	edit(t);
	for (i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &ret), 0);
		assert_non_null(ret);
	}
	assert_int_equal(packets_of(t, 0x0a000001), THREADS * PACKETS);
	assert_int_equal(xt2_chain_counters(xt2_tables_ruleset(t),
					    xt2_chain_base(xt2_tables_ruleset(t), 0, XT2_INPUT),
					    &packets, &bytes),
			 0);
	assert_int_equal(packets, THREADS * PACKETS);
	assert_int_equal(bytes, 20 * THREADS * PACKETS);
	xt2_tables_free(t);
}

static u64 policy_packets(const struct xt2_ruleset *rs, int chain)
{
	u64 packets, bytes;

	assert_int_equal(xt2_chain_counters(rs, chain, &packets, &bytes), 0);
	return packets;
}

/* A policy counts while nothing is committed, and may be set to what it was when it was read. */
static void policies_have_the_counters_of_now(void **unused)
{
	struct xt2_tables *t = make();
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	struct xt2_reader *r = xt2_reader_new(t);
	const int chain = xt2_chain_base(rs, 0, XT2_INPUT);

	assert_int_equal(policy_packets(rs, chain), 0);
	evaluate(r);
	assert_int_equal(policy_packets(rs, chain), 1);
	evaluate(r);
	assert_int_equal(xt2_chain_set_counters(rs, chain, 0, 0), 0);
	assert_int_equal(policy_packets(rs, chain), 0);
	assert_int_equal(xt2_tables_commit(t, NULL), 0);
	assert_int_equal(policy_packets(rs, chain), 0);
	xt2_reader_free(r);
	xt2_tables_free(t);
}

static void set_counters_count_on(void **unused)
{
	struct xt2_tables *t = make();
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	struct xt2_reader *r = xt2_reader_new(t);
	const int chain = xt2_chain_base(rs, 0, XT2_INPUT);
	struct xt2_mapping map;

	evaluate(r);
	assert_int_equal(xt2_rule_set_counters(rs, chain, COUNTED, 100, 1), 0);
	assert_int_equal(xt2_chain_set_counters(rs, chain, 7, 8), 0);
	assert_int_equal(packets_of(t, 0x0a000001), 100);
	assert_int_equal(xt2_tables_commit(t, NULL), 0);
	evaluate(r);
	assert_int_equal(packets_of(t, 0x0a000001), 101);
	assert_int_equal(xt2_share_snapshot(xt2_tables_share(t), &map, NULL), 0);
	xt2_image_close(&map);
	assert_int_equal(xt2_chain_flush(rs, chain), 0);
	assert_int_equal(xt2_tables_commit(t, NULL), 0);
	assert_int_equal(xt2_chain_rules(rs, chain), 0);
	evaluate(r);
	xt2_reader_free(r);
	xt2_tables_free(t);
}

/* Readers are asked only now and then, but what they have left is used again. */
static void memory_does_not_grow_with_edits(void **unused)
{
	struct xt2_tables *t = make();
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	struct xt2_reader *r = xt2_reader_new(t);
	const int chain = xt2_chain_base(rs, 0, XT2_INPUT);
	struct rule_build b;
	u64 size = 0;
	u32 i, used = 0;

	for (i = 0; i < 16000; i++) {
		if (i == 4000) {
			size = rs->inplace->img->size;
			used = xt2_tables_share(t)->slots.used;
		}
		evaluate(r);
		assert_int_equal(xt2_rule_insert(rs, chain, 0, rule_from(&b, 0x0c000000 + i), 0),
				 0);
		assert_int_equal(xt2_rule_delete(rs, chain, 1), 0);
		assert_int_equal(xt2_tables_commit(t, NULL), 0);
	}
	assert_true(rs->inplace->img->size < size + size / 2);
	assert_true(xt2_tables_share(t)->slots.used < used + RULES);
	assert_true(used < RULES + 2048); /* 1,024 commits' wait for a look */
	xt2_reader_free(r);
	xt2_tables_free(t);
}

/* Each chain of a row jumps to the next one twice: a packet may enter twice 2^LEVELS chains. */
#define LEVELS 16
#define MANY   150000u /* rules, more than these chains */

static struct xt2_tables *make_doubling(void)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const struct xt2_rule *jump;
	struct xt2_tables *t;
	struct rule_build b;
	int chain, next;
	char name[8];
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	chain = xt2_chain_base(rs, 0, XT2_INPUT);
	for (i = 0; i < LEVELS; i++, chain = next) {
		snprintf(name, sizeof(name), "C%u", i);
		next = xt2_chain_add(rs, 0, name);
		rule_begin(&b);
		jump = rule_end(&b, XT2_TARGET(XT2_T_JUMP, (u32)next));
		assert_int_equal(xt2_rule_append(rs, chain, jump, 0), 0);
		assert_int_equal(xt2_rule_append(rs, chain, jump, 0), 0);
	}
	chain = xt2_chain_base(rs, 0, XT2_FORWARD);
	for (i = 0; i < MANY; i++)
		assert_int_equal(xt2_rule_append(rs, chain, rule_from(&b, 0x0b000000 + i), 0), 0);
	t = xt2_tables_new(rs, NULL);
	assert_non_null(t);
	xt2_ruleset_free(rs);
	return t;
}

/* A packet may enter as many chains as there are rules; those that a transaction deletes are none. */
static void chains_that_are_entered_have_a_limit(void **unused)
{
	struct xt2_tables *t = make_doubling();
	struct xt2_ruleset *rs = xt2_tables_ruleset(t);
	const int forward = xt2_chain_base(rs, 0, XT2_FORWARD);
	struct xt2_err err = { .code = XT2_OK };
	struct rule_build b;
	u32 i;

	assert_int_equal(xt2_rule_append(rs, forward, rule_from(&b, 1), 0), 0);
	assert_int_equal(xt2_tables_commit(t, &err), 0);
	assert_int_equal(xt2_chain_flush(rs, forward), 0);
	assert_int_equal(xt2_tables_commit(t, &err), -E2BIG);
	assert_int_equal(err.code, XT2_E_LIMIT);
	assert_int_equal(xt2_tables_abort(t), 0);
	assert_int_equal(xt2_chain_rules(rs, forward), MANY + 1);
	for (i = 0; i < 10; i++)
		assert_int_equal(xt2_rule_delete(rs, forward, 0), 0);
	assert_int_equal(xt2_tables_commit(t, &err), 0);
	for (i = 0; i < MANY / 5; i++)
		assert_int_equal(xt2_rule_delete(rs, forward, 0), 0);
	assert_int_equal(xt2_tables_commit(t, &err), -E2BIG);
	xt2_tables_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counters_stay_exact),
	cmocka_unit_test(policies_have_the_counters_of_now),
	cmocka_unit_test(set_counters_count_on),
	cmocka_unit_test(memory_does_not_grow_with_edits),
	cmocka_unit_test(chains_that_are_entered_have_a_limit),
};

UNITS(tests)
