/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-meets.c - libxt2/store/bpf/bpf-meets.c: bounds after edits, and what is so, compiled */
#include "libxt2/store/bpf/bpf-private.h"
#include "tests/unit/inplace-case.h"

#define CHAINS	12
#define ROUNDS	10u
#define COMMITS 60u /* for which the image has room */

/* A ruleset that is edited, and what the live one of it would say. */
struct meets {
	struct inplace_case c;
	struct xt2_live_ruleset l;
	int chain[CHAINS]; /* of these, later ones lead to earlier ones */
	u32 number, state;
};

static u64 compiled(const struct meets *m)
{
	struct xt2_mapping map;
	u64 meets;

	assert_int_equal(xt2_ruleset_write(m->c.rs, &map, NULL), 0);
	meets = xt2_live_meets_most_(map.image);
	xt2_image_close(&map);
	assert_int_equal(xt2_inplace_abort(m->c.rs), 0); /* nothing is read */
	return meets;
}

static struct meets meets_open(void)
{
	struct meets m = { .c = inplace_open(CHAINS, true) };
	char name[16];
	int i;

	for (i = 0; i < CHAINS - 1; i++) {
		snprintf(name, sizeof(name), "some%03d", i);
		m.chain[i] = xt2_chain_find(m.c.rs, 0, name);
	}
	m.chain[i] = m.c.input;
	m.l.root = m.c.img->root;
	m.l.meets = compiled(&m);
	return m;
}

static void commit(struct meets *m)
{
	u32 root;

	assert_int_equal(xt2_inplace_commit(m->c.rs, NULL, &root, NULL), 0);
	if (root) {
		m->l.meets = xt2_live_meets_then_(&m->l, m->c.rs->inplace, xt2_at(m->c.img, root),
						  INPLACE_LONG + 1);
		m->l.root = m->c.img->root = root;
	}
	assert_int_equal(xt2_inplace_done(m->c.rs), 0);
}

static void insert(struct meets *m, int chain, u32 target)
{
	struct rule_build b;

	rule_begin(&b);
	rule_source(&b, ++m->number, 32);
	assert_int_equal(xt2_rule_insert(m->c.rs, chain, 0, rule_end(&b, target), 0), 0);
}

static void lead(struct meets *m, int from, int to)
{
	insert(m, from, XT2_TARGET(XT2_T_JUMP, (u32)to));
}

/* The chain ends with its first rule. */
static void drop_all(struct meets *m, int chain)
{
	struct rule_build b;

	rule_begin(&b);
	assert_int_equal(
		xt2_rule_insert(m->c.rs, chain, 0, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), 0), 0);
}

static void trees_have_exact_bounds(void **unused)
{
	struct meets m = meets_open();
	const int *chain = m.chain;
	int i;

	(void)unused;
	for (i = 0; i < 3; i++) { /* each chain has one that leads to it */
		lead(&m, chain[i + 1], chain[i]);
		insert(&m, chain[i], XT2_TARGET(XT2_T_CONTINUE, 0));
	}
	commit(&m);
	assert_int_equal(m.l.meets, compiled(&m)); /* nothing leads to them */
	i = xt2_chain_add(m.c.rs, 0, "new");
	lead(&m, i, chain[4]);
	lead(&m, m.c.input, i);
	lead(&m, m.c.input, i);
	commit(&m);
	assert_int_equal(m.l.meets, compiled(&m));
	insert(&m, chain[4], XT2_TARGET(XT2_T_CONTINUE, 0));
	insert(&m, i, XT2_TARGET(XT2_T_CONTINUE, 0));
	commit(&m);
	assert_int_equal(m.l.meets, compiled(&m));
	inplace_close(&m.c);
}

static u32 draw(struct meets *m, u32 below)
{
	m->state = m->state * 1664525 + 1013904223;
	return (m->state >> 16) % below;
}

/* A few edits of the chains. */
static void edit(struct meets *m)
{
	u32 left;

	for (left = 1 + draw(m, 4); left; left--) {
		const u32 i = 1 + draw(m, CHAINS - 1),
			  rules = xt2_chain_rules(m->c.rs, m->chain[i]);

		if (rules > 3)
			assert_int_equal(xt2_rule_delete(m->c.rs, m->chain[i], draw(m, rules)), 0);
		else if (draw(m, 2))
			lead(m, m->chain[i], m->chain[draw(m, i)]);
		else
			insert(m, m->chain[i],
			       XT2_TARGET(draw(m, 2) ? XT2_T_DROP : XT2_T_CONTINUE, 0));
	}
}

static void bounds_are_never_too_small(void **unused)
{
	struct meets m;
	u64 now;
	u32 i;

	(void)unused;
	for (i = 0; i < ROUNDS * COMMITS; i++) {
		if (i % COMMITS == 0)
			m = meets_open();
		m.state = i;
		edit(&m);
		commit(&m);
		now = compiled(&m);
		if (m.l.meets < now)
			fail_msg("commit %u: a packet may meet %llu rules, not %llu", i,
				 (unsigned long long)now, (unsigned long long)m.l.meets);
		if (m.l.meets > 4 * now) /* as if the ruleset were installed again */
			m.l.meets = now;
		if (i % COMMITS == COMMITS - 1)
			inplace_close(&m.c);
	}
}

static void what_follows_a_verdict_is_beyond(void **unused)
{
	struct meets m = meets_open();
	struct xt2_mapping map;
	u64 rules[XT2_HOOKS_MAX];

	(void)unused;
	lead(&m, m.c.input, m.c.longer);
	drop_all(&m, m.c.input);
	assert_int_equal(xt2_ruleset_write(m.c.rs, &map, NULL), 0);
	assert_int_equal(xt2_live_meets_(map.image, false, rules), 0);
	assert_true(rules[0] < INPLACE_LONG);
	assert_int_equal(xt2_live_meets_(map.image, true, rules), 0);
	assert_int_equal(rules[0], xt2_live_meets_most_(map.image));
	assert_true(rules[0] > INPLACE_LONG);
	xt2_image_close(&map);
	inplace_close(&m.c);
}

static void loops_beyond_a_verdict_have_no_end(void **unused)
{
	struct meets m = meets_open();
	struct xt2_mapping map;
	u64 rules[XT2_HOOKS_MAX];

	(void)unused;
	lead(&m, m.chain[1], m.chain[0]);
	drop_all(&m, m.chain[1]);
	lead(&m, m.chain[0], m.chain[1]);
	lead(&m, m.c.input, m.chain[0]);
	assert_int_equal(xt2_ruleset_write(m.c.rs, &map, NULL), 0);
	assert_int_equal(xt2_live_meets_(map.image, false, rules), 0);
	assert_true(rules[0] < 20);
	assert_true(xt2_live_meets_most_(map.image) == ~0ull);
	xt2_image_close(&map);
	inplace_close(&m.c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(trees_have_exact_bounds),
	cmocka_unit_test(bounds_are_never_too_small),
	cmocka_unit_test(what_follows_a_verdict_is_beyond),
	cmocka_unit_test(loops_beyond_a_verdict_have_no_end),
};

UNITS(tests)
