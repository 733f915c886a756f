/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-pair.c - xt2_image_pair()
 *
 * Random rulesets of few different rules, so that many are equal, against an
 * oracle that compares each rule with each by its digest.
 *
 * XT2_SEED=N runs a printed seed again.
 */
#include <errno.h>
#include <unistd.h>
#include "engine/order.h"
#include "libxt2/ruleset/pair.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/inplace-case.h"
#include "tests/unit/random-ruleset.h"
#include "tests/lib/unit-program.h"

#define ROUNDS	  300
#define RULES_MAX 256 /* of a ruleset here, tails included */

#define SECONDS_MAX 60 /* for a case; one takes less than a second, under valgrind some */

struct loaded {
	struct xt2_mapping map;
	struct xt2_ruleset *rs; /* of the image: numbers are the image's, rules lie in it */
};

static void make(struct loaded *l)
{
	struct xt2_ruleset *rs = random_ruleset();

	assert_int_equal(xt2_ruleset_write(rs, &l->map, NULL), 0);
	xt2_ruleset_free(rs);
	l->rs = xt2_ruleset_new();
	assert_int_equal(xt2_ruleset_load(l->rs, l->map.image, l->map.size), 0);
}

static void drop(struct loaded *l)
{
	xt2_ruleset_free(l->rs);
	xt2_image_close(&l->map);
}

/* --- the oracle ---------------------------------------------------------- */

static bool equal(const struct loaded *x, int chain, u32 at, const struct loaded *y, int other,
		  u32 there)
{
	u8 a[XT2_DIGEST_SIZE], b[XT2_DIGEST_SIZE];
	int family = xt2_table_family(x->rs, xt2_chain_table(x->rs, chain));

	xt2_rule_digest(x->rs, family, xt2_rule_get(x->rs, chain, at), a);
	xt2_rule_digest(y->rs, family, xt2_rule_get(y->rs, other, there), b);
	return !memcmp(a, b, sizeof(a));
}

static u32 offset_of(const struct loaded *l, const struct xt2_rule *r)
{
	return (u32)((const u8 *)r - (const u8 *)l->map.image);
}

/* => offset of the old rule that this one was; 0: none */
static u32 expected(const struct loaded *old, int other, const struct loaded *l, int chain, u32 at)
{
	u32 i, k = 0;

	for (i = 0; i < at; i++)
		k += equal(l, chain, i, l, chain, at);
	for (i = 0; i < xt2_chain_rules(old->rs, other); i++) {
		if (equal(old, other, i, l, chain, at) && !k--)
			return offset_of(old, xt2_rule_get(old->rs, other, i));
	}
	return 0;
}

static u32 expected_tail(const struct loaded *old, int other, const struct loaded *l, int chain)
{
	const struct xt2_image *img = old->map.image;

	if (xt2_chain_hook(l->rs, chain) >= 0 &&
	    xt2_chain_policy(l->rs, chain) != xt2_chain_policy(old->rs, other))
		return 0;
	return offset_of(old,
			 xt2_chain_tail(xt2_image_chain(img, xt2_image_root(img), (u32)other)));
}

/* => rules that are the same; tails don't count */
static u32 compare(const struct loaded *old, const struct loaded *l, const bool *want,
		   const u32 *pair)
{
	const struct xt2_root *root = xt2_image_root(l->map.image);
	const struct xt2_chain *c;
	u32 i, j, same = 0;

	xt2_image_for_each_chain(c, i, l->map.image, root) {
		const struct xt2_table *t = xt2_image_table(l->map.image, root, c->table);
		int table = xt2_table_find(old->rs, t->family, t->name);
		int other = table < 0 || (want && !want[c->table])
				    ? -1
				    : xt2_chain_find(old->rs, table, xt2_chain_name(l->rs, (int)i));

		for (j = 0; j + 1 < xt2_chain_length(l->map.image, c); j++, pair++) {
			same += *pair != 0;
			assert_int_equal(*pair, other < 0 ? 0 : expected(old, other, l, (int)i, j));
		}
		assert_int_equal(*pair++, other < 0 ? 0 : expected_tail(old, other, l, (int)i));
	}
	return same;
}

/* --- tests --------------------------------------------------------------- */

static void random_rulesets(void **s)
{
	bool want[XT2_ARRAY_SIZE(tables)] = { true, false, true };
	struct loaded old, l;
	u32 pair[RULES_MAX], i, same = 0;

	seed_state();
	for (i = 0; i < ROUNDS; i++) {
		make(&old);
		make(&l);
		memset(pair, 0xff, sizeof(pair));
		assert_int_equal(xt2_image_pair(old.map.image, l.map.image, NULL, pair), 0);
		same += compare(&old, &l, NULL, pair);
		assert_int_equal(xt2_image_pair(old.map.image, l.map.image, want, pair), 0);
		compare(&old, &l, want, pair);
		assert_int_equal(xt2_image_pair(l.map.image, l.map.image, NULL, pair), 0);
		compare(&l, &l, NULL, pair);
		drop(&old);
		drop(&l);
	}
	assert_true(same > ROUNDS);
}

/* What never ends, or is not linear, fails: SIGALRM ends the program. */
static int bound(void **s)
{
	alarm(SECONDS_MAX);
	return 0;
}

static int unbound(void **s)
{
	alarm(0);
	return 0;
}

/* Many equal rules after one that is new: the queue is what keeps this linear. */
static void equal_rules(void **s)
{
	const u32 n = 200000;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int t = xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	int c = xt2_chain_find(rs, t, "INPUT");
	struct xt2_mapping old, img;
	struct rule_build b;
	u32 *pair = malloc((n + 4) * sizeof(*pair)), i;

	rule_begin(&b);
	rule_source(&b, 0x0a000001, 32);
	for (i = 0; i < n; i++)
		xt2_rule_append(rs, c, rule_end(&b, XT2_T_CONTINUE), 0);
	assert_int_equal(xt2_ruleset_write(rs, &old, NULL), 0);
	xt2_rule_insert(rs, c, 0, rule_plain(&b, XT2_T_CONTINUE), 0);
	assert_int_equal(xt2_ruleset_write(rs, &img, NULL), 0);
	assert_int_equal(xt2_image_pair(old.image, img.image, NULL, pair), 0);
	assert_int_equal(pair[0], 0);
	for (i = 1; i < n; i++)
		assert_true(pair[i] && pair[i + 1] > pair[i]);
	free(pair);
	xt2_image_close(&old);
	xt2_image_close(&img);
	xt2_ruleset_free(rs);
}

/* An edited chain beside what it was. */
static void patched_chains(void **s)
{
	struct inplace_case c = inplace_open(0, true);
	struct loaded old, l;
	struct rule_build b;
	u32 pair[INPLACE_LONG + 16], i;

	old.rs = inplace_load(&c, &old.map);
	for (i = 0; i < 2; i++) { /* few enough to stay a patch */
		assert_int_equal(xt2_rule_delete(c.rs, c.longer, 7 * i), 0);
		assert_int_equal(
			xt2_rule_insert(c.rs, c.longer, 11 * i, inplace_rule(&b, 5 * i), 0), 0);
	}
	inplace_commit(&c);
	l.rs = inplace_load(&c, &l.map);
	assert_true(xt2_image_is_patched(l.map.image));
	assert_int_equal(xt2_image_pair(old.map.image, l.map.image, NULL, pair), 0);
	assert_true(compare(&old, &l, NULL, pair) > INPLACE_LONG / 2);
	assert_int_equal(xt2_image_pair(l.map.image, old.map.image, NULL, pair), 0);
	assert_true(compare(&l, &old, NULL, pair) > INPLACE_LONG / 2);
	assert_int_equal(xt2_image_pair(l.map.image, l.map.image, NULL, pair), 0);
	assert_true(compare(&l, &l, NULL, pair) > INPLACE_LONG / 2);
	drop(&old);
	drop(&l);
	inplace_close(&c);
}

static void no_memory(void **s)
{
	struct loaded old, l;
	u32 pair[RULES_MAX];
	unsigned int i;
	int ret;

	state = 5;
	make(&old);
	make(&l);
	for (i = 1;; i++) {
		fail_alloc(i);
		ret = xt2_image_pair(old.map.image, l.map.image, NULL, pair);
		if (!fail_alloc_happened())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	fail_alloc(0);
	assert_int_equal(i, 8); /* seven allocations failed */
	assert_int_equal(ret, 0);
	compare(&old, &l, NULL, pair);
	drop(&old);
	drop(&l);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(random_rulesets, bound, unbound),
	cmocka_unit_test_setup_teardown(equal_rules, bound, unbound),
	cmocka_unit_test_setup_teardown(patched_chains, bound, unbound),
	cmocka_unit_test_setup_teardown(no_memory, bound, unbound),
};

UNITS(tests)
