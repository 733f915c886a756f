/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-edit-log.c - libxt2/change/edit-log.c
 *
 * Two chains are the same.  What is done to one is noted, and done again to the other.
 */
#include "tests/unit/change-case.h"
#include "libxt2/change/edit-log.h"

#define CHAIN 3u

static void same(const struct change_case *a, const struct change_case *b)
{
	const struct xt2_rule *r, *s;
	struct xt2_in_order o, p;

	xt2_order_begin(&o, a->img, xt2_at(a->img, a->chain));
	xt2_order_begin(&p, b->img, xt2_at(b->img, b->chain));
	while ((r = xt2_order_next(&o))) {
		s = xt2_order_next(&p);
		assert_non_null(s);
		assert_int_equal(r->size, s->size);
		assert_memory_equal(r, s, r->size);
	}
	assert_null(xt2_order_next(&p));
}

static void edit(struct change_case *c, struct xt2_edit_log *log)
{
	const u32 at = world_below(&c->w, c->now.n);
	struct xt2_rule *r;

	if (world_often(&c->w, 40)) {
		if (!change_delete(c, at))
			xt2_log_note(log, CHAIN, at, NULL, 0);
		return;
	}
	r = change_rule(c, CHANGE_ADDRESSES);
	if (!change_insert(c, at, r))
		xt2_log_note(log, CHAIN, at, r, 1);
}

static void edits_are_done_again(void **unused)
{
	const u64 seed = change_seed("edit-log");
	struct change_case *a = change_new(seed, XT2_IPV4, CHANGE_ADDRESSES, 500, NULL, 8u << 20),
			   *b = change_new(seed, XT2_IPV4, CHANGE_ADDRESSES, 500, NULL, 8u << 20);
	struct xt2_edit_log log;
	u32 i, n = 0;

	xt2_log_begin(&log, CHAIN);
	assert_int_equal(change_begin(a), 0);
	assert_int_equal(change_begin(b), 0);
	for (i = 0; i < 300; i++) {
		edit(a, &log);
		if (i % 10 ==
		    0) { /* what was aborted is not done again, other chains' edits neither */
			xt2_log_commit(&log);
			xt2_log_note(&log, CHAIN, 0, NULL, 0);
			xt2_log_abort(&log);
			xt2_log_note(&log, CHAIN + 1, 0, NULL, 0);
		}
		if (i % 30 == 0)
			for (n = 0; n < 40 && !xt2_log_replay(&log, &b->edit, NULL); n++)
				;
	}
	xt2_log_commit(&log);
	while (log.waiting)
		assert_int_equal(xt2_log_replay(&log, &b->edit, NULL), 0);
	assert_int_equal(xt2_log_replay(&log, &b->edit, NULL), -ENOENT);
	assert_int_equal(change_end(a), 0);
	assert_int_equal(change_end(b), 0);
	same(a, b);
	assert_int_equal(log.error, 0);
	xt2_log_end(&log);
	change_free(a);
	change_free(b);
}

static void what_cannot_be_noted_is_known(void **unused)
{
	struct rule_space {
		struct xt2_rule rule;
	} r = { .rule = { .size = sizeof(struct xt2_rule) } };
	struct xt2_edit_log log;

	xt2_log_begin(&log, CHAIN);
	fail_alloc(1);
	xt2_log_note(&log, CHAIN, 0, &r.rule, 0);
	fail_alloc(0);
	assert_int_equal(log.error, -ENOMEM);
	xt2_log_note(&log, CHAIN, 0, &r.rule, 0);
	assert_int_equal(log.end, 0);
	xt2_log_end(&log);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(edits_are_done_again),
	cmocka_unit_test(what_cannot_be_noted_is_known),
};

UNITS(tests)
