/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval-index.c - engine/index/eval-index.c
 *
 * A packet is evaluated with an index and without one: verdict, the rule that
 * decided, and what each rule has counted are the same.
 */
#include <stdlib.h>
#include "engine/write.h"
#include "tests/unit/index-case.h"
#include "engine/eval.h"

#define CAP   (1u << 20)
#define RULES 60

static u64 *bytes, *scratch;
static struct xt2_ctx ctx;
static struct xt2_search search;
static u8 buf[128];
static struct xt2_pkt pkt;
static struct xt2_frame stack[8];

static int setup(void **state)
{
	bytes = calloc(1, CAP);
	scratch = malloc(xt2_check_scratch(CAP) + xt2_index_scratch(RULES + 1));
	return bytes && scratch ? 0 : -1;
}

static int teardown(void **state)
{
	free(bytes);
	free(scratch);
	return 0;
}

/* Every third rule only counts; rule 30 marks, and those behind it ask for the mark. */
static const struct xt2_rule *rule(struct rule_build *b, u32 i)
{
	rule_begin(b);
	if (i > 30 && i % 2)
		rule_match(b, XT2_M_MARK, 8, 7);
	if (i != 30)
		rule_source(b, 0x0a000001 + i / 2 % 15, 32);
	return rule_end(b, i == 30 ? XT2_TARGET(XT2_T_MARK, 7)
			   : i % 3 ? XT2_TARGET(XT2_T_CONTINUE, 0)
			   : i % 2 ? XT2_TARGET(XT2_T_DROP, 0)
				   : XT2_TARGET(XT2_T_JUMP, 1));
}

static void make(const struct xt2_index_limits *limits)
{
	struct rule_build b;
	struct xt2_writer w;
	u64 size;
	u32 i;

	memset(bytes, 0, CAP);
	xt2_write_begin(&w, bytes, CAP, 1, 1, 1, 2, 0, 0);
	xt2_write_table(&w, XT2_IPV4, "filter", ~0u);
	xt2_write_hook(&w, XT2_IPV4, XT2_INPUT, 0, 0, 0);
	xt2_write_chain_begin(&w, 0, 0, XT2_INPUT, "INPUT");
	for (i = 0; i < RULES; i++)
		xt2_write_rule(&w, rule(&b, i));
	xt2_write_rule(&w, rule_plain(&b, XT2_TARGET(XT2_T_ACCEPT, 0)));
	if (limits)
		assert_int_equal(xt2_write_index(&w, limits, scratch), 0);
	xt2_write_chain_end(&w, NULL, 0);
	xt2_write_chain_begin(&w, 1, 0, XT2_HOOK_NONE, "USER");
	xt2_write_rule(&w, rule_plain(&b, XT2_TARGET(XT2_T_RETURN, 0)));
	xt2_write_chain_end(&w, NULL, 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	memset(&ctx, 0, sizeof(ctx));
	ctx.img = (struct xt2_image *)bytes;
	ctx.root = xt2_image_root(ctx.img);
	ctx.pkt = &pkt;
	ctx.stack = stack;
	ctx.stack_size = XT2_ARRAY_SIZE(stack);
	ctx.random = 1;
	assert_int_equal(!!xt2_image_chain(ctx.img, ctx.root, 0)->lookup, !!limits);
}

struct outcome {
	int verdict;
	u32 number; /* of the rule that decided */
	u64 packets[RULES + 1];
};

/* Packets of so many sources, one after the other. */
static void run(struct outcome *all, u32 sources, bool with_search, bool ahead)
{
	const struct xt2_hook *hook = xt2_image_hook(ctx.img, ctx.root, 0);
	const struct xt2_chain *c = xt2_image_chain(ctx.img, ctx.root, 0);
	const struct xt2_rule *r;
	u32 i, n;

	for (i = 0; i < sources; i++) {
		index_packet(&pkt, buf, 0x0a000000 + i, 0x0b000001, 80);
		memset(&search, 0xa5, sizeof(search));
		search.chain = search.keys.have = 0;
		ctx.search = with_search ? &search : NULL;
		if (ahead) {
			xt2_eval_search(&ctx, hook, &pkt, &search);
			xt2_eval_collect(&ctx, &search);
		}
		all[i].verdict = xt2_eval(&ctx, hook);
		assert_int_equal(ctx.faults, 0);
		all[i].number = xt2_rule_number(ctx.img, xt2_at(ctx.img, ctx.chain),
						xt2_at(ctx.img, ctx.rule));
		n = 0;
		xt2_chain_for_each_rule(r, c)
			all[i].packets[n++] = xt2_rule_counts(c, r).packets;
	}
}

static void the_same_as_rule_after_rule(void **state)
{
	const struct xt2_index_limits *const limits[] = { &index_columns, &index_bits, &index_pairs,
							  &index_segments };
	static struct outcome plain[20], indexed[20];
	u32 i, j;

	make(NULL);
	memset(plain, 0, sizeof(plain));
	run(plain, 20, false, false);
	assert_int_equal(plain[0].verdict, XT2_ACCEPT); /* nothing is for 10.0.0.0 */
	assert_int_equal(plain[2].verdict, XT2_DROP);
	for (i = 0; i < XT2_ARRAY_SIZE(limits); i++)
		for (j = 0; j < 3; j++) {
			make(limits[i]);
			memset(indexed, 0, sizeof(indexed));
			run(indexed, 20, j > 0, j > 1);
			assert_memory_equal(plain, indexed, sizeof(plain));
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_same_as_rule_after_rule),
};

UNITS_WITH(tests, setup, teardown)
