/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-table-difference.c - libxt2/ruleset/table-difference.c: a table becomes that of another ruleset
 *
 * Random tables, and what is made of them by some changes; then the one is turned into the other, in
 * its image or in lists, and both have to say the same, with all that is counted.
 */
#include "tests/unit/inplace-case.h"
#include "tests/unit/random-ruleset.h"
#include "libxt2/ruleset/table-difference.h"
#include "tests/lib/fail-alloc.h"

#define ROUNDS 400

static const struct xt2_difference_options all = { .counters = true, .state = true, .lines = true };

/* --- making tables ----------------------------------------------------------- */

static struct xt2_ruleset *copy_of(const struct xt2_ruleset *rs, struct xt2_mapping *map)
{
	struct xt2_ruleset *copy = xt2_ruleset_new();

	assert_int_equal(xt2_ruleset_write(rs, map, NULL), 0);
	assert_int_equal(xt2_ruleset_load(copy, map->image, map->size), 0);
	return copy;
}

/* => a random ruleset with a long chain in each table */
static struct xt2_ruleset *random_tables(void)
{
	struct xt2_ruleset *rs = random_ruleset();
	int table, chain;
	u32 n;

	for (table = 0; table < xt2_ruleset_tables(rs); table++) {
		chain = xt2_chain_add(rs, table, "long");
		for (n = rnd(3) ? 300 : 0; n; n--)
			add_rule(rs, table, chain, XT2_ARRAY_SIZE(names));
	}
	return rs;
}

static int random_chain(const struct xt2_ruleset *rs, int table)
{
	int chain, found = -1;
	u32 n = 0;

	xt2_table_for_each_chain(chain, rs, table) {
		if (!rnd(++n))
			found = chain;
	}
	return found;
}

static int long_or_any(const struct xt2_ruleset *rs, int table)
{
	int chain = rnd(2) ? xt2_chain_find(rs, table, "long") : -1;

	return chain >= 0 ? chain : random_chain(rs, table);
}

static bool has_quota(const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (m->type == XT2_M_QUOTA)
			return true;
	}
	return false;
}

static void change_one(struct xt2_ruleset *rs, int table)
{
	const int chain = long_or_any(rs, table);
	const u32 n = xt2_chain_rules(rs, chain), at = n ? rnd(n) : 0;
	const struct xt2_rule *r = n ? xt2_rule_get(rs, chain, at) : NULL;
	struct rule_build b;
	int number;
	char name[8];

	switch (rnd(9)) {
	case 0:
		inplace_rule(&b, 1000 + rnd(5));
		((struct xt2_rule *)b.room)->packets = rnd(9);
		xt2_rule_insert(rs, chain, n ? rnd(n + 1) : 0, (struct xt2_rule *)b.room, rnd(9));
		break;
	case 1:
		if (n)
			xt2_rule_delete(rs, chain, at);
		break;
	case 2:
		if (n)
			xt2_rule_set_counters(rs, chain, at, rnd(9), rnd(9));
		break;
	case 3:
		if (n) /* once more, or moved */
			xt2_rule_insert(rs, chain, rnd(n + 1), r, rnd(9));
		break;
	case 4: xt2_chain_set_policy(rs, chain, rnd(2) ? XT2_T_DROP : XT2_T_ACCEPT); break;
	case 5: xt2_chain_set_counters(rs, chain, rnd(9), rnd(9)); break;
	case 6:
		snprintf(name, sizeof(name), "new%u", rnd(4));
		number = xt2_chain_add(rs, table, name);
		if (number >= 0)
			inplace_append(rs, number, rnd(9));
		break;
	case 7:
		if (rnd(4))
			break;
		xt2_chain_flush(rs, chain);
		xt2_chain_delete(rs, chain);
		break;
	case 8:
		if (n && has_quota(r))
			rs->cell[rnd(rs->cells)] = rnd(3);
		break;
	}
}

/* --- comparing ----------------------------------------------------------------- */

static void same_cells(const struct xt2_ruleset *a, const struct xt2_rule *r,
		       const struct xt2_ruleset *b, const struct xt2_rule *s)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		const struct xt2_match *n = xt2_at(s, xt2_offset(r, m));

		if (xt2_match_info(m->type) & XT2_EXT_CELL)
			assert_int_equal(a->cell[m->arg], b->cell[n->arg]);
	}
}

static void same_rules(const struct xt2_ruleset *a, int i, const struct xt2_ruleset *b, int j,
		       bool counters)
{
	const int family = xt2_table_family(a, xt2_chain_table(a, i));
	u8 one[XT2_DIGEST_SIZE], other[XT2_DIGEST_SIZE];
	u32 n;

	assert_int_equal(xt2_chain_rules(a, i), xt2_chain_rules(b, j));
	for (n = 0; n < xt2_chain_rules(a, i); n++) {
		const struct xt2_rule *r = xt2_rule_get(a, i, n), *s = xt2_rule_get(b, j, n);

		xt2_rule_digest(a, family, r, one);
		xt2_rule_digest(b, family, s, other);
		assert_memory_equal(one, other, sizeof(one));
		if (!counters)
			continue;
		assert_int_equal(r->packets, s->packets);
		assert_int_equal(r->bytes, s->bytes);
		assert_int_equal(xt2_rule_line(a, i, n), xt2_rule_line(b, j, n));
		same_cells(a, r, b, s);
	}
}

static void same_tables(const struct xt2_ruleset *a, const struct xt2_ruleset *b, bool counters)
{
	int table, i, j;

	assert_int_equal(xt2_ruleset_tables(a), xt2_ruleset_tables(b));
	for (table = 0; table < xt2_ruleset_tables(a); table++) {
		j = xt2_chain_next(b, table, -1);
		xt2_table_for_each_chain(i, a, table) {
			assert_string_equal(xt2_chain_name(a, i), xt2_chain_name(b, j));
			assert_int_equal(xt2_chain_policy(a, i), xt2_chain_policy(b, j));
			if (counters) {
				assert_int_equal(a->chain[i].packets, b->chain[j].packets);
				assert_int_equal(a->chain[i].bytes, b->chain[j].bytes);
			}
			same_rules(a, i, b, j, counters);
			j = xt2_chain_next(b, table, j);
		}
		assert_int_equal(j, -1);
	}
}

/* --- cases ------------------------------------------------------------------------ */

/* => tables that differ too much to be changed */
static u32 turn(struct xt2_ruleset *to, const struct xt2_ruleset *from,
		const struct xt2_difference_options *options)
{
	u32 n = 0;
	int table, ret;

	for (table = 0; table < xt2_ruleset_tables(from); table++) {
		ret = xt2_table_difference(to, from, table, options);
		assert_in_range(ret, 0, 1);
		n += (u32)ret;
	}
	return n;
}

static struct inplace_case open_copy(const struct xt2_ruleset *rs)
{
	struct inplace_case c = { .img = aligned_alloc(4096, INPLACE_CAPACITY) };
	struct xt2_mapping map;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	memset(c.img, 0xa5, INPLACE_CAPACITY);
	memcpy(c.img, map.image, map.size);
	xt2_image_close(&map);
	c.rs = xt2_ruleset_new();
	assert_int_equal(xt2_inplace_begin(c.rs, c.img, INPLACE_CAPACITY, false), 0);
	return c;
}

/* What is told of rules that stay, of a copy of the old ruleset with the same numbers. */
struct told {
	const struct xt2_ruleset *old, *now;
	int chain; /* the last one */
	int at, old_at;
	u32 rules;
};

static void told(void *data, int chain, unsigned int at, int old_chain, unsigned int old_at)
{
	struct told *t = data;
	const int family = xt2_table_family(t->now, xt2_chain_table(t->now, chain));
	u8 one[XT2_DIGEST_SIZE], other[XT2_DIGEST_SIZE];

	assert_string_equal(xt2_chain_name(t->now, chain), xt2_chain_name(t->old, old_chain));
	if (chain == t->chain) {
		assert_true((int)at > t->at);
		assert_true((int)old_at > t->old_at);
	}
	t->chain = chain;
	t->at = (int)at;
	t->old_at = (int)old_at;
	if (at == xt2_chain_rules(t->now, chain)) {
		assert_int_equal(old_at, xt2_chain_rules(t->old, old_chain));
		assert_int_equal(xt2_chain_policy(t->now, chain),
				 xt2_chain_policy(t->old, old_chain));
		return;
	}
	xt2_rule_digest(t->now, family, xt2_rule_get(t->now, chain, at), one);
	xt2_rule_digest(t->old, family, xt2_rule_get(t->old, old_chain, old_at), other);
	assert_memory_equal(one, other, sizeof(one));
	t->rules++;
}

static void check_told(const struct xt2_ruleset *base, const struct xt2_ruleset *wanted)
{
	struct xt2_mapping map, other;
	struct xt2_ruleset *to = copy_of(base, &map), *old = copy_of(base, &other);
	struct told t = { .old = old, .now = wanted, .chain = -1 };
	const struct xt2_difference_options options = { .stays = told, .data = &t };
	u32 rules = 0;
	int table, chain;

	if (!turn(to, wanted, &options)) {
		for (table = 0; table < xt2_ruleset_tables(to); table++)
			xt2_table_for_each_chain(chain, to, table)
				rules += xt2_chain_rules(to, chain);
		assert_true(t.rules <= rules);
		assert_true(t.rules + 30 * 8 >= rules);
	}
	xt2_ruleset_free(to);
	xt2_ruleset_free(old);
	xt2_image_close(&map);
	xt2_image_close(&other);
}

static void check_in_place(const struct xt2_ruleset *base, const struct xt2_ruleset *wanted)
{
	const struct xt2_difference_options rules = { .lines = rnd(2) };
	const bool counters = rnd(2);
	struct inplace_case c = open_copy(base);
	struct xt2_ruleset *loaded;
	struct xt2_mapping map;

	if (!turn(c.rs, wanted, counters ? &all : &rules)) {
		inplace_commit(&c);
		loaded = inplace_load(&c, &map);
		same_tables(loaded, wanted, counters);
		xt2_ruleset_free(loaded);
		xt2_image_close(&map);
	}
	inplace_close(&c);
}

static void test_random(void **data)
{
	struct xt2_ruleset *base, *wanted, *plain;
	struct xt2_mapping map, other;
	u32 i, n, done = 0;

	(void)data;
	seed_state();
	for (i = 0; i < ROUNDS; i++) {
		base = random_tables();
		wanted = copy_of(base, &map);
		for (n = rnd(30); n && xt2_ruleset_tables(wanted); n--)
			change_one(wanted, (int)rnd((u32)xt2_ruleset_tables(wanted)));
		plain = copy_of(base, &other);
		if (!turn(plain, wanted, &all)) {
			same_tables(plain, wanted, true);
			done++;
		}
		xt2_ruleset_free(plain);
		xt2_image_close(&other);
		check_in_place(base, wanted);
		check_told(base, wanted);
		xt2_ruleset_free(wanted);
		xt2_image_close(&map);
		xt2_ruleset_free(base);
	}
	assert_true(done > ROUNDS / 2);
}

/* Counters of rules that stay are kept unless they are asked for. */
static void test_counters(void **data)
{
	static const struct xt2_difference_options keep;
	struct inplace_case c = inplace_open(0, false);
	struct xt2_mapping map;
	struct xt2_ruleset *wanted = inplace_load(&c, &map);
	const struct xt2_rule *r;
	__u64 packets, bytes;
	int base;

	(void)data;
	base = xt2_chain_base(wanted, 0, XT2_OUTPUT);
	xt2_rule_set_counters(wanted, xt2_chain_find(wanted, 0, "longer"), 5, 6, 7);
	xt2_chain_set_counters(wanted, base, 8, 9);
	assert_int_equal(xt2_table_difference(c.rs, wanted, 0, &keep), 0);
	r = xt2_rule_get(c.rs, c.longer, 5);
	assert_int_equal(r->packets, 0);
	inplace_commit(&c);
	assert_int_equal(xt2_table_difference(c.rs, wanted, 0, &all), 0);
	inplace_commit(&c);
	r = xt2_rule_get(c.rs, c.longer, 5);
	assert_int_equal(r->packets, 6);
	assert_int_equal(r->bytes, 7);
	xt2_chain_counters(c.rs, xt2_chain_base(c.rs, 0, XT2_OUTPUT), &packets, &bytes);
	assert_int_equal(packets, 8);
	assert_int_equal(bytes, 9);
	xt2_ruleset_free(wanted);
	xt2_image_close(&map);
	inplace_close(&c);
}

/* What does not pay, and what cannot be: nothing has changed. */
static void test_too_much(void **data)
{
	struct inplace_case c = inplace_open(0, false);
	struct xt2_ruleset *wanted = xt2_ruleset_new();
	u32 i, root;

	(void)data;
	xt2_table_add(wanted, XT2_IPV4, "mangle", NULL);
	xt2_table_add(wanted, XT2_IPV4, "filter", "a file");
	assert_int_equal(xt2_table_difference(c.rs, wanted, 0, &all), 1);
	assert_int_equal(xt2_table_difference(c.rs, wanted, 1, &all), 1);
	xt2_ruleset_free(wanted);
	wanted = xt2_ruleset_new();
	xt2_table_add(wanted, XT2_IPV4, "filter", NULL);
	xt2_chain_add(wanted, 0, "longer");
	for (i = 0; i < INPLACE_LONG; i++)
		inplace_append(wanted, xt2_chain_find(wanted, 0, "longer"), i + INPLACE_LONG);
	assert_int_equal(xt2_table_difference(c.rs, wanted, 0, &all), 1);
	assert_int_equal(xt2_inplace_commit(c.rs, NULL, &root, NULL), 0);
	assert_int_equal(root, 0);
	xt2_inplace_done(c.rs);
	xt2_ruleset_free(wanted);
	inplace_close(&c);
}

/* However much it is, and whatever tables there are. */
static void test_any(void **data)
{
	const struct xt2_difference_options any = { .counters = true, .any = true };
	struct inplace_case c = inplace_open(40, false);
	struct xt2_ruleset *wanted = xt2_ruleset_new();
	int chain;
	u32 i;

	(void)data;
	xt2_table_add(wanted, XT2_IPV4, "filter", "a file");
	xt2_table_add(wanted, XT2_IPV4, "mangle", NULL);
	chain = xt2_chain_add(wanted, 0, "longer");
	for (i = 0; i < INPLACE_LONG; i++)
		inplace_append(wanted, chain, i * 3);
	assert_int_equal(xt2_tables_meet(c.rs, wanted), 0);
	assert_int_equal(xt2_ruleset_tables(c.rs), 2);
	for (i = 0; i < 2; i++)
		assert_int_equal(xt2_table_difference(c.rs, wanted, (int)i, &any), 0);
	inplace_commit(&c);
	same_tables(c.rs, wanted, true);
	xt2_ruleset_free(wanted);
	inplace_close(&c);
}

/* Chains that lead to one another go together, and one of the same name as before comes. */
static void test_chains(void **data)
{
	struct inplace_case c = inplace_open(40, false);
	struct xt2_mapping map;
	struct xt2_ruleset *wanted = inplace_load(&c, &map);
	struct rule_build b;
	int one, other, table = 0;

	(void)data;
	one = xt2_chain_find(wanted, 0, "some001");
	other = xt2_chain_add(wanted, 0, "later");
	rule_begin(&b);
	rule_end(&b, XT2_TARGET(XT2_T_JUMP, (u32)other));
	xt2_rule_append(wanted, one, (struct xt2_rule *)b.room, 0);
	rule_begin(&b);
	rule_end(&b, XT2_TARGET(XT2_T_JUMP, (u32)one));
	xt2_rule_append(wanted, xt2_chain_base(wanted, 0, XT2_INPUT), (struct xt2_rule *)b.room, 0);
	assert_int_equal(xt2_table_difference(c.rs, wanted, table, &all), 0);
	inplace_commit(&c);
	same_tables(c.rs, wanted, true);
	xt2_chain_flush(wanted, xt2_chain_base(wanted, 0, XT2_INPUT));
	xt2_chain_flush(wanted, one);
	assert_int_equal(xt2_chain_delete(wanted, one), 0);
	assert_int_equal(xt2_chain_delete(wanted, other), 0);
	assert_int_equal(xt2_table_difference(c.rs, wanted, table, &all), 0);
	inplace_commit(&c);
	same_tables(c.rs, wanted, true);
	xt2_ruleset_free(wanted);
	xt2_image_close(&map);
	inplace_close(&c);
}

/* Each allocation fails once: it says so, or it does without. */
static void test_no_memory(void **data)
{
	struct xt2_ruleset *base, *wanted;
	struct inplace_case c;
	struct xt2_mapping map;
	unsigned int i, failed;
	int ret;

	(void)data;
	state = 5;
	for (base = random_tables();
	     !xt2_ruleset_tables(base) || base->instances < 2 || !base->cells;
	     base = random_tables())
		xt2_ruleset_free(base);
	wanted = copy_of(base, &map);
	for (i = 0; i < 40; i++)
		change_one(wanted, 0);
	for (i = 1;; i++) {
		c = open_copy(base);
		fail_alloc(i);
		ret = xt2_table_difference(c.rs, wanted, 0, &all);
		failed = fail_alloc_happened();
		fail_alloc(0);
		inplace_close(&c);
		assert_true(ret <= 0);
		if (!failed)
			break;
		if (ret && ret != -ENOMEM &&
		    ret != -ENOSPC) /* no room, for it is not known where */
			fail_msg("allocation %u: %d", i, ret);
	}
	assert_int_equal(ret, 0);
	assert_true(i > 5);
	xt2_ruleset_free(wanted);
	xt2_image_close(&map);
	xt2_ruleset_free(base);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),	 cmocka_unit_test(test_counters),
	cmocka_unit_test(test_too_much), cmocka_unit_test(test_any),
	cmocka_unit_test(test_chains),	 cmocka_unit_test(test_no_memory),
};

UNITS(tests)
