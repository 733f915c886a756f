/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-finder.c - libxt2/change/finder.c
 *
 * Random chains, whose places and fingerprints are kept in arrays, with a finder and without.
 */
#include "tests/unit/change-case.h"
#include "libxt2/change/finder.h"

#define GUARD 0x5a

struct made {
	struct xt2_chain *chain;
	u32 n, place[5001], fingerprint[5001];
	struct xt2_finder *finder;
};

/* One rule in so many is like one before, but for counters and numbers. */
static void next_rule(struct world *w, struct xt2_rule *to, const struct made *m, u32 again)
{
	struct xt2_match *match;

	if (m->n && world_often(w, again)) {
		const struct xt2_rule *old = xt2_at(m->chain, m->place[world_below(w, m->n)]);

		memcpy(to, old, old->size);
		xt2_rule_for_each_match(match, to)
			if (xt2_match_info(match->type) & (XT2_EXT_CELL | XT2_EXT_INSTANCE))
				match->arg = world_below(w, 1000);
	} else {
		world_rule(w);
		if (seed_rule(&w->rule)->size == seed_rule(&w->rule)->target_offset &&
		    world_often(w, 10))
			seed_match(&w->rule, XT2_M_FOREIGN, 0, world_below(w, 1000), NULL, 0);
		memcpy(to, seed_rule(&w->rule), seed_rule(&w->rule)->size);
	}
	to->packets = seed_next(&w->state);
	to->bytes = seed_next(&w->state);
}

static void make(struct made *m, struct world *w, u32 rules)
{
	const u32 again = world_often(w, 20) ? 99 : world_below(w, 60);
	u32 at = sizeof(*m->chain);
	u64 size;

	m->chain = calloc(1, at + (u64)rules * 1024 + sizeof(struct xt2_rule));
	assert_non_null(m->chain);
	for (m->n = 0; m->n < rules; m->n++) {
		struct xt2_rule *r = xt2_at(m->chain, at);

		next_rule(w, r, m, again);
		m->place[m->n] = at;
		m->fingerprint[m->n] = xt2_rule_fingerprint(r);
		at += r->size;
	}
	m->place[rules] = at;
	*(struct xt2_rule *)xt2_at(m->chain, at) = (struct xt2_rule){ 24, 24, XT2_T_ACCEPT, 0, 0 };
	m->chain->rules = rules + 1;
	m->chain->tail = at;
	m->chain->used = m->chain->size = at + 24;
	size = xt2_finder_size(m->chain);
	assert_int_equal(size % 8, 0);
	assert_true(size <= 64 + 6 * (u64)rules);
	m->finder = malloc(size + 8);
	assert_non_null(m->finder);
	memset(m->finder, GUARD, size + 8);
	xt2_finder_build(m->finder, m->chain);
	assert_int_equal(((u8 *)m->finder)[size], GUARD);
	assert_int_equal(m->finder->size, size);
	assert_true(xt2_finder_fits(m->finder, size, m->chain));
	assert_false(xt2_finder_fits(m->finder, size - 8, m->chain));
}

static void unmake(struct made *m)
{
	free(m->chain);
	free(m->finder);
}

/* Before a place: more rules than one less, no more than so many, and than others. */
static void check_within(const struct made *m, const struct xt2_finder *f, u32 i)
{
	static const u32 others[] = { 1, 2, 14, 15, 16, 17, 31, 32, 33, 1000 };
	u32 j;

	assert_true(xt2_finder_within(f, m->chain, m->place[i], i));
	assert_true(xt2_finder_within(f, m->chain, m->place[i], ~0u));
	for (j = 0; j < XT2_ARRAY_SIZE(others); j++) {
		assert_true(xt2_finder_within(f, m->chain, m->place[i], i + others[j]));
		if (i >= others[j])
			assert_false(xt2_finder_within(f, m->chain, m->place[i], i - others[j]));
	}
}

static void check_numbers(const struct made *m, const struct xt2_finder *f, u32 step)
{
	u32 i;

	for (i = 0; i <= m->n; i += step) {
		check_within(m, f, i);
		assert_int_equal(xt2_finder_nth(f, m->chain, i), m->place[i]);
		assert_int_equal(xt2_finder_number(f, m->chain, m->place[i]), i);
		assert_int_equal(xt2_finder_number(f, m->chain, m->place[i] + 8), ~0u);
	}
	assert_int_equal(xt2_finder_nth(f, m->chain, m->n), m->chain->tail);
	assert_int_equal(xt2_finder_nth(f, m->chain, m->n + 1), m->chain->tail);
	assert_int_equal(xt2_finder_nth(f, m->chain, ~0u), m->chain->tail);
	assert_int_equal(xt2_finder_number(f, m->chain, m->chain->tail), m->n);
	assert_int_equal(xt2_finder_number(f, m->chain, 0), ~0u);
	assert_int_equal(xt2_finder_number(f, m->chain, ~7u), ~0u);
}

static void check_candidates(const struct made *m, const struct xt2_finder *f, u32 fingerprint)
{
	struct xt2_candidates c;
	u32 i;

	xt2_candidates_begin(&c, f, m->chain, fingerprint);
	for (i = 0; i < m->n; i++)
		if (m->fingerprint[i] == fingerprint)
			assert_int_equal(xt2_candidates_next(&c), m->place[i]);
	assert_int_equal(xt2_candidates_next(&c), 0);
	assert_int_equal(xt2_candidates_next(&c), 0);
}

static void test_random(void **unused)
{
	static const u32 sizes[] = { 0, 1, 2, 15, 16, 17, 31, 32, 33, 4999, 5000 };
	static struct made m;
	const u64 seed = change_seed("finder");
	u32 turn, i;

	for (turn = 0; turn < 40; turn++) {
		struct world w = {
			.state = (seed + turn) * 2 + 1,
			.family = turn % 2 ? XT2_IPV4 : XT2_IPV6,
			.stateful = 20,
			.spread = 50,
		};

		print_message("seed %llu\n", (unsigned long long)(seed + turn));
		make(&m, &w, turn < 11 ? sizes[turn] : world_below(&w, 5001));
		check_numbers(&m, m.finder, 1);
		check_numbers(&m, NULL, 97);
		for (i = 0; i < 50 && m.n; i++) {
			const u32 fingerprint = m.fingerprint[world_below(&w, m.n)];

			check_candidates(&m, m.finder, fingerprint);
			check_candidates(&m, m.finder, fingerprint ^ 8);
			check_candidates(&m, i < 5 ? NULL : m.finder, fingerprint ^ 1u << 31);
			check_candidates(&m, i < 5 ? NULL : m.finder, fingerprint);
		}
		check_candidates(&m, m.finder, 0);
		check_candidates(&m, m.finder, ~0u);
		unmake(&m);
	}
}

/* A record with any bytes: whatever the answers are, they are inside of the chain. */
static void test_any_bytes(void **unused)
{
	static struct made m;
	const u64 seed = change_seed("finder");
	struct world w = { .state = seed * 2 + 1, .family = XT2_IPV4, .stateful = 20, .spread = 50 };
	struct xt2_candidates c;
	u32 i, j, at;

	make(&m, &w, 1000);
	for (i = 0; i < 300; i++) {
		u32 *word = (u32 *)(m.finder + 1);

		for (j = 0; j < (m.finder->size - sizeof(*m.finder)) / 4; j++)
			word[j] = world_below(&w, i % 2 ? m.chain->used : ~0u);
		for (j = 0; j <= m.n; j += 13) {
			at = xt2_finder_nth(m.finder, m.chain, j);
			assert_true(at >= sizeof(*m.chain) && at <= m.chain->tail && !(at % 8));
			at = xt2_finder_number(m.finder, m.chain, m.place[j]);
			assert_true(at == ~0u || at <= m.n);
			xt2_candidates_begin(&c, m.finder, m.chain, m.fingerprint[j]);
			while ((at = xt2_candidates_next(&c)))
				assert_true(at >= sizeof(*m.chain) && at < m.chain->tail);
		}
	}
	unmake(&m);
}

static void test_what_a_fingerprint_has(void **unused)
{
	struct seed_rule s = { .family = XT2_IPV4 };
	const u64 quota[2] = { 1000, 0 };
	struct xt2_match *cell, *comment, *address;
	struct xt2_rule *r = seed_rule(&s);
	u32 was;

	seed_rule_begin(&s, XT2_T_JUMP, 5);
	address = seed_match(&s, XT2_M_SRC4, 0, 0x0a000001, NULL, 0);
	cell = seed_match(&s, XT2_M_QUOTA, 0, 3, quota, 8);
	comment = seed_match(&s, XT2_M_COMMENT, 0, 4, NULL, 0);
	was = xt2_rule_fingerprint(r);
	cell->arg = 30;
	comment->arg = 40;
	r->packets = r->bytes = 7;
	assert_int_equal(xt2_rule_fingerprint(r), was);
	address->arg++;
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	address->arg--;
	address->flags = XT2_MATCH_INVERT;
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	address->flags = 0;
	*(u64 *)(cell + 1) = 1001;
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	*(u64 *)(cell + 1) = 1000;
	r->target = XT2_TARGET(XT2_T_JUMP, 6);
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	r->target = XT2_TARGET(XT2_T_NAT, 6);
	was = xt2_rule_fingerprint(r);
	r->target = XT2_TARGET(XT2_T_NAT, 7);
	assert_int_equal(xt2_rule_fingerprint(r), was);
	r->target = XT2_TARGET(XT2_T_FOREIGN, 7);
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	/* The same bytes as a match or as data of the target. */
	r->target = XT2_TARGET(XT2_T_LOG, 0);
	was = xt2_rule_fingerprint(r);
	r->target_offset = sizeof(*r);
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
	was = xt2_rule_fingerprint(r);
	comment->arg++;
	assert_int_not_equal(xt2_rule_fingerprint(r), was);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_any_bytes),
	cmocka_unit_test(test_what_a_fingerprint_has),
};

UNITS(cases)
