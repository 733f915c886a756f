/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-search.c - engine/index/: a search names every rule that can match
 *
 * Random chains with every kind of index.  Each rule is tried on a packet by
 * the oracle; those that hold, drop or remember must be candidates, in order
 * and once, from the start of the chain and behind each of its rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/world-image.h"
#include "tests/lib/world-packets.h"
#include "engine/index/find.h"
#include "engine/simd/scan.h"
#include "xt2tables/packet/oracle.h"

#define RULES_MAX 4096
#define SEEDS	  220
#define PACKETS	  30

static struct world w;
static struct world_image image;
static struct xt2_search search;
static u32 wanted[RULES_MAX], found[RULES_MAX]; /* offsets in the chain */
static u64 tried, candidates, needless; /* over all packets */
static u64 quick_hits, quick_misses;
static u32 kinds[XT2_INDEX_SEGMENTS + 1];
static u32 triples, nested, mixed; /* indexes of pairs that have some */

/* --- the slow way ------------------------------------------------------ */

/* All tests at once say what one after the other does, or nothing. */
static void compare_quick(const struct xt2_rule *r, const struct xt2_pkt *pkt, int answer)
{
	int quick = xt2_tests_vector(r, pkt);

	assert_true(quick == XT2_UNSURE || quick == answer);
	quick_hits += quick == XT2_HIT;
	quick_misses += quick == XT2_MISS;
}

/* => does the rule do anything to this packet, or remember it? */
static bool touches(const struct xt2_rule *r, const struct world_packet *p)
{
	struct world_packet copy;
	struct xt2_ctx ctx = {
		.pkt = &copy.pkt,
		.img = image.img,
		.root = xt2_image_root(image.img),
		.now = 1700000000000000000ull,
		.random = 1,
	};
	struct xt2_oracle o = { .ctx = &ctx };
	const struct xt2_match *failed;
	u64 cells[WORLD_CELLS], *now = xt2_image_cell(image.img, ctx.root, 0);
	bool does;
	int answer;

	world_packet_copy(&copy, p);
	memcpy(cells, now, sizeof(cells));
	answer = xt2_oracle_rule(&o, r, &failed);
	compare_quick(r, &p->pkt, answer);
	does = answer != XT2_MISS || ctx.random != 1 || memcmp(cells, now, sizeof(cells)) ||
	       copy.pkt.cut != p->pkt.cut;
	memcpy(now, cells, sizeof(cells));
	return does;
}

static u32 all_wanted(const struct xt2_chain *c, const struct world_packet *p)
{
	const struct xt2_rule *r;
	u32 n = 0;

	for (r = xt2_chain_first(c); r != xt2_chain_tail(c); r = xt2_rule_next(r)) {
		tried++;
		if (touches(r, p))
			wanted[n++] = (u32)((const u8 *)r - (const u8 *)c);
	}
	return n;
}

/* --- the index --------------------------------------------------------- */

/* The rules that a unit stands for. => how many there are now */
static u32 add_unit(const struct xt2_chain *c, u32 unit, u32 n)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	const struct xt2_run *run;
	const struct xt2_rule *r;

	found[n++] = unit & ~XT2_UNIT_FLAGS;
	if (!(unit & XT2_UNIT_RUN))
		return n;
	run = xt2_index_run(ix, unit & ~XT2_UNIT_FLAGS);
	r = xt2_rule_next(xt2_at(c, run->rule));
	for (; (u32)((const u8 *)r - (const u8 *)c) < run->end; r = xt2_rule_next(r))
		found[n++] = (u32)((const u8 *)r - (const u8 *)c);
	return n;
}

static bool is_wanted(u32 rule, u32 want)
{
	u32 i;

	for (i = 0; i < want && wanted[i] != rule; i++)
		;
	return i < want;
}

/* All candidates behind a place. => how many */
static u32 all_found(const struct xt2_chain *c, const struct world_packet *p, u32 want, u32 after)
{
	u32 i, n = 0, turns = 0;

	do {
		search.base = world_below(&w, XT2_UNITS_MAX - XT2_CANDIDATES + 1);
		xt2_index_find(c, &search, &p->pkt, after);
		assert_true(search.units <= XT2_CANDIDATES);
		for (i = 0; i < search.units; i++) {
			const u32 unit = search.unit[search.base + i];

			assert_true((unit & ~XT2_UNIT_FLAGS) > after);
			assert_true(!(unit & XT2_FOUND_HOLDS) ||
				    is_wanted(unit & ~XT2_UNIT_FLAGS, want));
			assert_true(!i || search.unit[search.base + i - 1] < unit);
			n = add_unit(c, unit, n);
		}
		assert_true(!search.resume || search.resume >= after);
		after = search.resume;
		assert_true(turns++ <= c->rules);
	} while (after);
	for (i = 1; i < n; i++)
		assert_true(found[i - 1] < found[i]);
	return n;
}

/* Rules that are wanted behind a place are found behind it. */
static void compare(const struct xt2_chain *c, const struct world_packet *p, u32 want, u32 after)
{
	u32 n = all_found(c, p, want, after), i, j = 0;

	for (i = 0; i < want; i++) {
		if (wanted[i] <= after)
			continue;
		while (j < n && found[j] < wanted[i])
			j++;
		assert_true(j < n && found[j] == wanted[i]);
	}
	if (!after) {
		candidates += n;
		needless += n - want;
	}
}

/* Evaluation goes on behind a jump or a target, and a run has neither. */
static bool in_run(const struct xt2_index *ix, u32 rule)
{
	const struct xt2_run *run = ix->runs ? xt2_index_run(ix, rule) : NULL;

	return run && rule >= run->rule && rule < run->end;
}

static void try_packet(const struct xt2_chain *c, const struct world_packet *p)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	const struct xt2_rule *r;
	u32 want, at;

	memset(&search, 0xa5, sizeof(search));
	search.keys.have = 0;
	if (!xt2_keys_fill(&search.keys, &p->pkt, ix->asks))
		return;
	want = all_wanted(c, p);
	compare(c, p, want, 0);
	for (r = xt2_chain_first(c); r != xt2_chain_tail(c); r = xt2_rule_next(r)) {
		at = (u32)((const u8 *)r - (const u8 *)c);
		if (!in_run(ix, at) && (c->rules < 60 || world_often(&w, 3)))
			compare(c, p, want, at);
	}
}

static void try_chain(const struct xt2_chain *c)
{
	const struct xt2_rule *rule[RULES_MAX], *r;
	struct world_packet p;
	u32 i, n = 0;

	for (r = xt2_chain_first(c); r != xt2_chain_tail(c) && n < RULES_MAX; r = xt2_rule_next(r))
		rule[n++] = r;
	for (i = 0; i < PACKETS; i++)
		if (world_packet(&w, rule[world_below(&w, n)], &p))
			try_packet(c, &p);
}

/* --- tests ------------------------------------------------------------- */

static void candidates_are_all(void **state)
{
	struct xt2_check_err err = { 0 };
	const struct xt2_chain *c;
	struct world_plan plan;
	u64 seed;
	u32 i;

	for (seed = 1; seed <= SEEDS; seed++) {
		/* vectors search columns and bits in ways of their own */
		assert_int_equal(xt2_scan_choose(seed % (xt2_scan_best() + 1u)), 0);
		w = (struct world){ .state = seed * 2 + 1 };
		seed_next(&w.state);
		world_plan(&w, &plan, seed % 20 ? 300 : 2500);
		plan.users = 2;
		if (world_image(&w, &plan, &image, &err))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.what);
		xt2_image_for_each_chain(c, i, image.img, xt2_image_root(image.img)) {
			if (!c->lookup)
				continue;
			kinds[xt2_chain_index(c)->kind]++;
			try_chain(c);
		}
		free(image.img);
	}
	print_message("%llu hits and %llu misses at once\n", (unsigned long long)quick_hits,
		      (unsigned long long)quick_misses);
	print_message("%llu rules tried, %llu candidates, %llu of them not needed\n",
		      (unsigned long long)tried, (unsigned long long)candidates,
		      (unsigned long long)needless);
	assert_true(kinds[XT2_INDEX_COLUMNS] > 40 && kinds[XT2_INDEX_PAIRS] > 40 &&
		    kinds[XT2_INDEX_BITS] > 40 && kinds[XT2_INDEX_SEGMENTS] > 20);
	assert_true(candidates < tried * 2 / 3); /* it does tell rules apart */
	if (xt2_scan_best() >= XT2_SCAN_AVX2)
		assert_true(quick_hits > 5000 && quick_misses > 5000);
}

/* What there is in an index of pairs of rules for few hosts. */
static void count_parts(const struct xt2_index *ix)
{
	const struct xt2_pairs *p = xt2_at(ix, ix->body);
	const struct xt2_index_entry *e = xt2_at(ix, p->entry);
	const u16 *slot = xt2_at(ix, p->dim[0].slot[0]);
	bool has_triples = false, has_nested = false, has_mixed = false;
	u32 i;

	for (i = 0; i < 1u << (32 - p->dim[0].shift[0]); i++)
		has_triples |= p->dim[2].classes == 2 && slot[i] >> XT2_CLASSES;
	for (i = 0; i < p->entries; i++) {
		has_nested |= (e[i].unit & XT2_UNIT_FLAGS) == XT2_UNIT_NESTED;
		has_mixed |= (e[i].unit & XT2_UNIT_MIXED) != 0;
	}
	triples += has_triples;
	nested += has_nested;
	mixed += has_mixed;
}

/* Few pairs of hosts: their buckets are triples, or columns; one candidate at once, or many. */
static void crowded_buckets(void **state)
{
	struct world_plan plan = { .tables = 1, .rules = 2000, .base_jumps = 10 };
	struct xt2_check_err err = { 0 };
	struct xt2_chain *c;
	u64 seed;

	for (seed = 2000; seed < 2096; seed++) {
		assert_int_equal(xt2_scan_choose(seed % (xt2_scan_best() + 1u)), 0);
		w = (struct world){ .state = seed * 2 + 1, .spread = (u32)(seed % 64 + 1) };
		seed_next(&w.state);
		w.family = seed / 4 % 2 ? XT2_IPV4 : XT2_IPV6;
		plan.style = seed / 8 % 2 ? WORLD_SERVICES : WORLD_CROWDS;
		if (world_image(&w, &plan, &image, &err))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.what);
		c = xt2_image_chain(image.img, xt2_image_root(image.img), 0);
		assert_int_equal(xt2_chain_index(c)->kind, XT2_INDEX_PAIRS);
		if (seed / 16 % 2)
			((struct xt2_index *)xt2_at(c, c->lookup))->ahead = 1;
		count_parts(xt2_chain_index(c));
		try_chain(c);
		free(image.img);
	}
	print_message("%u have triples, %u columns of one tag, %u of any\n", triples, nested,
		      mixed);
	assert_true(triples > 20 && nested > 10 && mixed > 2);
}

/* No index of any kind takes more room than is kept for it. */
static void bounds_hold(void **state)
{
	struct xt2_check_err err = { 0 };
	const struct xt2_chain *c;
	struct world_plan plan;
	u64 seed;
	u32 i;

	for (seed = 1000; seed < 1060; seed++) {
		w = (struct world){ .state = seed * 2 + 1 };
		seed_next(&w.state);
		world_plan(&w, &plan, 2500);
		assert_int_equal(world_image(&w, &plan, &image, &err), 0);
		xt2_image_for_each_chain(c, i, image.img, xt2_image_root(image.img))
			if (c->lookup)
				assert_true(xt2_chain_index(c)->size <= xt2_index_bound(c->rules));
		free(image.img);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(candidates_are_all),
	cmocka_unit_test(crowded_buckets),
	cmocka_unit_test(bounds_hold),
};

UNITS(tests)
