/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-compact.c - libxt2/change/compact.c
 *
 * A chain that was edited at random is compiled anew, and is what the model says afterwards.
 */
#include "tests/unit/change-case.h"
#include "libxt2/change/compact.h"

static const struct xt2_index_limits single = { 0, 0, 0, 0, true };

static struct change_case *edited(u64 seed, u32 rules, u32 edits)
{
	struct change_case *c = change_new(seed, seed % 2 ? XT2_IPV4 : XT2_IPV6, CHANGE_WORLD,
					   rules, &single, 16u << 20);
	u32 i;

	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < edits; i++) {
		const u32 at = world_below(&c->w, c->now.n + 1);

		if (c->now.n > 2 && at < c->now.n && world_often(&c->w, 50))
			change_delete(c, at);
		else
			change_insert(c, at, change_rule(c, CHANGE_WORLD));
	}
	assert_int_equal(change_end(c), 0);
	return c;
}

static u32 line_of(const struct change_case *c, const struct xt2_compact *job,
		   const struct xt2_rule *r)
{
	const struct xt2_chain *compiled = job->compiled;
	const u32 *line = xt2_at(c->img, compiled->lines);

	if (!xt2_is_compiled(compiled, r))
		return xt2_inserted_of(r)->line;
	return compiled->lines ? line[xt2_finder_number(NULL, compiled, xt2_offset(compiled, r))]
			       : 0;
}

static void lines_are(const struct change_case *c, const struct xt2_compact *job)
{
	struct xt2_in_order o;
	const struct xt2_rule *r;
	u32 i;

	xt2_order_begin(&o, c->img, xt2_at(c->img, c->chain));
	for (i = 0; i < c->now.n; i++) {
		r = xt2_order_next(&o);
		assert_int_equal(job->line[i], line_of(c, job, r));
	}
}

static void compile(struct change_case *c)
{
	struct xt2_compact job;

	xt2_compact_begin(&job, c->img, c->chain, c->family);
	assert_int_equal(xt2_compact_take(&job), 0);
	assert_int_equal(xt2_compact_build(&job), 0);
	assert_int_equal(job.chain->rules, c->now.n + 1);
	assert_int_equal(!job.finder, job.chain->rules <= XT2_FINDER_RULES);
	if (job.line)
		lines_are(c, &job);
	assert_int_equal(xt2_compact_place(&job, &c->space), 0);
	xt2_compact_copy(&job);
	if (job.finder)
		assert_true(xt2_finder_fits(xt2_at(c->img, job.finder_at), job.finder->size,
					    xt2_at(c->img, job.chain_at)));
	c->chain = job.chain_at;
	xt2_chain_tail(xt2_at(c->img, c->chain))->target = c->now.tail;
	xt2_compact_end(&job);
	change_publish(c);
	change_read(c, c->chain, &c->now);
}

static void it_says_the_same(void **unused)
{
	const u64 seed = change_seed("compact");
	struct change_case *c;
	u64 i;

	for (i = 0; i < 12; i++) {
		c = edited(seed + i, i % 3 ? 20 + 40 * (u32)i : 1500, 10 + 30 * (u32)i);
		compile(c);
		change_free(c);
	}
}

static void without_memory_nothing_is_left(void **unused)
{
	struct change_case *c = edited(7, 300, 60);
	struct xt2_compact job;
	int ret = -ENOMEM;
	u32 n;

	for (n = 1; ret; n++) {
		assert_int_equal(ret, -ENOMEM);
		xt2_compact_begin(&job, c->img, c->chain, c->family);
		fail_alloc(n);
		ret = xt2_compact_take(&job);
		if (!ret)
			ret = xt2_compact_build(&job);
		fail_alloc(0);
		if (ret)
			xt2_compact_end(&job);
	}
	assert_true(n > 3);
	xt2_compact_end(&job);
	change_free(c);
}

static void without_room_nothing_is_taken(void **unused)
{
	struct change_case *c = edited(9, 300, 60);
	struct xt2_compact job;
	const u64 capacity = c->space.capacity, size = c->img->size;

	xt2_compact_begin(&job, c->img, c->chain, c->family);
	assert_int_equal(xt2_compact_take(&job), 0);
	assert_int_equal(xt2_compact_build(&job), 0);
	c->space.capacity = size + job.chain->size + 64;
	assert_int_equal(xt2_compact_place(&job, &c->space), -ENOSPC);
	assert_int_equal(c->img->size, size);
	c->space.capacity = capacity;
	assert_int_equal(xt2_compact_place(&job, &c->space), 0);
	xt2_compact_end(&job);
	change_free(c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(it_says_the_same),
	cmocka_unit_test(without_memory_nothing_is_left),
	cmocka_unit_test(without_room_nothing_is_taken),
};

UNITS(tests)
