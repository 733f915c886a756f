/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-segments.c - engine/index/segments.c, engine/index/build-segments.c
 *
 * Chains that one address tells apart: lists of prefixes as people write them,
 * and as nobody should.  Around the ends of each rule's range the candidates
 * are those of a loop over all rules; what the list is like says if segments
 * are made, and how much room they may take.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/units.h"
#include "engine/index/count-below.h"
#include "engine/index/find.h"
#include "tests/fuzz/seed-image.h"
#include "tests/lib/rules.h"

#define RULES_MAX 70000

struct prefix {
	u32 addr, mask; /* mask 0: any address */
};

static struct prefix list[RULES_MAX];
static u32 listed;
static u64 state;
static struct xt2_chain *chain;
static const struct xt2_index *ix;

static void add(u32 addr, u32 length)
{
	const u32 mask = length ? ~0u << (32 - length) : 0;

	assert_true(listed < RULES_MAX);
	list[listed++] = (struct prefix){ addr & mask, mask };
}

/* --- chains ------------------------------------------------------------ */

static const struct xt2_rule *rule_of(struct rule_build *b, const struct prefix *p)
{
	struct xt2_match_addr4_mask *m;
	const u32 holes = ~p->mask;

	rule_begin(b);
	if (p->mask && !(holes & (holes + 1))) {
		rule_source(b, p->addr, p->mask == ~0u ? 32 : (u32)__builtin_clz(holes));
	} else if (p->mask) {
		m = rule_match(b, XT2_M_SRC4_MASK, sizeof(*m), p->addr);
		m->mask = p->mask;
	}
	return rule_end(b, XT2_TARGET(XT2_T_DROP, 0));
}

static void append(const struct xt2_rule *r)
{
	memcpy((u8 *)chain + chain->size, r, r->size);
	chain->tail = chain->size;
	chain->size += r->size;
	chain->rules++;
}

/* Each rule has the addresses that the list has, in its order. => kind of the index */
static u8 make(const struct xt2_index_limits *limits)
{
	const u64 room = xt2_index_bound(listed + 1);
	void *scratch = malloc(xt2_index_scratch(listed + 1));
	const char *what = "";
	struct rule_build b;
	u32 i;

	free(chain);
	chain = calloc(1, sizeof(*chain) + (listed + 1ull) * 64 + room);
	assert_true(chain && scratch);
	chain->size = sizeof(*chain);
	for (i = 0; i < listed; i++)
		append(rule_of(&b, &list[i]));
	append(rule_plain(&b, XT2_TARGET(XT2_T_RETURN, 0)));
	chain->used = chain->lookup = chain->size;
	ix = xt2_chain_index(chain);
	chain->size += xt2_index_build(chain, XT2_IPV4, limits, xt2_at(chain, chain->lookup), room,
				       scratch);
	free(scratch);
	if (chain->size == chain->used)
		return XT2_INDEX_NONE;
	if (xt2_index_check(chain, XT2_IPV4, &what))
		fail_msg("%s", what);
	return ix->kind;
}

/* --- candidates -------------------------------------------------------- */

/* A packet of a batch is looked for in two steps, with the same result. */
static void look_ahead(const struct xt2_pkt *pkt)
{
	static struct xt2_search one, two;

	xt2_index_find(chain, &one, pkt, 0);
	xt2_index_begin(chain, &two, pkt);
	xt2_index_end(ix, &two);
	assert_int_equal(one.units, two.units);
	assert_int_equal(one.resume, two.resume);
	assert_memory_equal(one.unit, two.unit, one.units * sizeof(*one.unit));
}

/* => candidates that don't ask for this address */
static u32 look_for(u32 addr)
{
	static struct xt2_search s;
	struct xt2_pkt pkt = { .family = XT2_IPV4, .src4 = addr, .dst4 = ~addr };
	const struct xt2_rule *r = xt2_chain_first(chain);
	u32 i, at = 0, after = 0, needless = 0, unit = ~0u;

	look_ahead(&pkt);
	s.units = 0;
	for (i = 0; i < listed; i++, r = xt2_rule_next(r)) {
		const u32 place = (u32)((const u8 *)r - (const u8 *)chain);

		while (at == s.units && (!i || after)) {
			xt2_index_find(chain, &s, &pkt, after);
			assert_true(s.units <= ix->ahead && s.resume >= after * !!s.resume);
			at = 0;
			after = s.resume;
			if (!s.units && !after)
				break;
		}
		unit = at < s.units ? s.unit[at] : ~0u;
		at += unit == place;
		if ((addr & list[i].mask) == list[i].addr)
			assert_int_equal(unit, place);
		else
			needless += unit == place;
	}
	assert_int_equal(at, s.units); /* all of them were rules, in order */
	return needless;
}

/* Around the ends of so many ranges, and anywhere. => candidates that were not needed */
static u32 look_around(u32 ranges)
{
	u32 i, needless = 0;

	for (i = 0; i < ranges; i++) {
		const struct prefix *p = &list[seed_below(&state, listed)];
		const u32 end = p->addr | ~p->mask;

		needless += look_for(p->addr) + look_for(p->addr - 1) + look_for(end) +
			    look_for(end + 1) + look_for(p->addr + (end - p->addr) / 2) +
			    look_for((u32)seed_next(&state));
	}
	return needless + look_for(0) + look_for(~0u);
}

/* --- lists that have segments ------------------------------------------ */

/* What can be found is found, and it takes so many bytes a rule at most. */
static void expect_segments(u32 bytes)
{
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	assert_true(ix->size <= bytes * listed);
	look_around(listed < 300 ? listed : 300);
}

/* Where rules are few, addresses next to a host are not told from it. */
static void disjoint_prefixes_are_exact(void **unused)
{
	u32 i;

	state = 1;
	for (listed = i = 0; i < 1000; i++)
		add(i << 22 | (u32)seed_next(&state) >> 10, 11 + seed_below(&state, 8));
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	assert_int_equal(look_around(1000), 0);
	assert_true(ix->size <= 16 * listed);
	for (listed = i = 0; i < 1000; i++)
		add(i << 22 | (u32)seed_next(&state) >> 10, 32);
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	for (i = 0; i < listed; i++)
		assert_int_equal(look_for(list[i].addr + 1024) + look_for(list[i].addr - 1024), 0);
}

static void random_prefixes_in_any_order(void **unused)
{
	u32 n, i;

	for (n = 65; n <= RULES_MAX; n *= 3) {
		state = n;
		for (listed = i = 0; i < n; i++)
			add((u32)seed_next(&state), 12 + seed_below(&state, 21));
		expect_segments(n < 500 ? 40 : 16);
	}
}

static u32 slots(void)
{
	const struct xt2_segments *g = xt2_at(ix, ix->body);

	return g->slots - (1u << (32 - g->shift));
}

/* Hosts of few networks, far apart: most slots have nothing, few have all. */
static void hosts_of_one_network(void **unused)
{
	u32 i;

	for (listed = i = 0; i < 20000; i++)
		add(0x0a010000 + 3 * i, 32);
	expect_segments(11);
	for (i = 0; i < 8; i++)
		add(i << 29 | i << 4, 32);
	expect_segments(11);
	for (i = 0; i < 9000; i++)
		add(0x0affffff - i, 32);
	expect_segments(11);
	assert_int_equal(slots(), 0);
}

/* Neighbours, and others far from them in the same slot, are in slots of buckets. */
static void hosts_beside_each_other(void **unused)
{
	u32 n, i;

	for (n = 60; n <= 6000; n *= 10) {
		state = n;
		for (listed = i = 0; i < n; i++)
			add(0xc0a80100 + i, 32);
		for (i = 0; i < 10; i++)
			add(0xc0000000 + i * 0x00191919, 32);
		expect_segments(n < 500 ? 64 : 24);
		assert_true(slots() > 0);
		add(0xc0a80000, 16); /* they are in that as well */
		add(0xc0a80120, 27);
		expect_segments(n < 500 ? 64 : 24);
	}
}

/* More segments than numbers of a slot's segments can be. */
static void more_than_a_slot_can_have(void **unused)
{
	u32 i;

	for (listed = i = 0; i < RULES_MAX; i++)
		add(0x0a000000 + i, 32);
	expect_segments(11);
	assert_true(slots() > 0);
}

static void ends_of_all_addresses(void **unused)
{
	u32 i;

	state = 7;
	for (listed = i = 0; i < 100; i++)
		add((u32)seed_next(&state), 32);
	add(0, 32);
	add(~0u, 32);
	expect_segments(64);
	add(0, 1);
	expect_segments(64);
	add(~0u, 1);
	expect_segments(64);
	add(~0u, 31);
	expect_segments(64);
}

/* A mask with holes asks for a prefix at least. */
static void masks_with_holes(void **unused)
{
	u32 i;

	state = 8;
	for (listed = i = 0; i < 500; i++) {
		list[listed].mask = 0xffff00ff ^ 1u << seed_below(&state, 7);
		list[listed].addr = (u32)seed_next(&state) & list[listed].mask;
		listed++;
	}
	expect_segments(64);
	for (i = 0; i < 2; i++) {
		list[listed].mask = 0x000000ff;
		list[listed++].addr = i;
	}
	expect_segments(64);
}

/* Few rules that ask for any address are found with all of them. */
static void rules_for_any_address(void **unused)
{
	u32 i;

	state = 9;
	for (listed = i = 0; i < 900; i++)
		add((u32)seed_next(&state), i % 400 == 399 ? 0 : 24 + seed_below(&state, 9));
	add(0, 0);
	expect_segments(40);
	assert_int_equal(((const struct xt2_segments *)xt2_at(ix, ix->body))->commons, 3);
	for (i = 0; i < 2; i++)
		add(0, 0);
	assert_int_not_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
}

/* --- lists that have none ---------------------------------------------- */

static void expect_none(void)
{
	assert_int_not_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
}

static void crowded_lists(void **unused)
{
	u32 i, j;

	for (listed = i = 0; i < 2000; i++) /* ten rules for each host */
		add(i / 10 * 1000, 32);
	expect_none();
	for (listed = i = 0; i < 100; i++) /* all prefixes of each host */
		for (j = 1; j <= 32; j++)
			add(i * 0x12345678, j);
	expect_none();
	for (listed = i = 0; i < 12; i++) /* a dozen for half of the rest */
		add(0, 1);
	for (i = 0; i < 400; i++)
		add(i << 23, 32);
	expect_none();
}

/* Each unit of a list is looked for in it: longer ones are not made, whoever wants them. */
static void lists_are_limited(void **unused)
{
	const struct xt2_index_limits forced = { .segments = ~0u };
	u32 i;

	for (listed = i = 0; i < 60; i++)
		add(0x0a000000, 8);
	assert_int_equal(make(&forced), XT2_INDEX_SEGMENTS);
	for (; i < 400; i++)
		add(0x0a000000, 8);
	assert_int_not_equal(make(&forced), XT2_INDEX_SEGMENTS);
}

static void limits_force_and_forbid(void **unused)
{
	static const struct xt2_index_limits none = { 64, 64, 1024, 0 }, all = { 0, 0, 0, ~0u };
	u32 i;

	for (listed = i = 0; i < 200; i++)
		add(i << 20, 12 + i % 20);
	assert_int_equal(make(&none), XT2_INDEX_BITS);
	for (i = 0; i < 60; i++)
		add(i % 3 << 20, i % 4 ? 12 : 0);
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	look_around(100);
	listed = 2;
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	look_around(10);
}

/* --- numbers ----------------------------------------------------------- */

static void numbers_are_counted(void **unused)
{
	u16 of[80], most;
	u32 try, i, n, count;

	state = 12;
	for (try = 0; try < 20000; try++) {
		n = seed_below(&state, try % 2 ? 65 : 17);
		for (i = 0; i < 80; i++)
			of[i] = (u16)(seed_next(&state) >> (i < n ? 49 : 48));
		for (i = 1; i < n; i++) /* about as far apart as it takes, some of them equal */
			of[i] = (u16)(of[i - 1] + of[i] % 900 < 0x7fff ? of[i - 1] + of[i] % 900
								       : 0x7fff);
		most = seed_below(&state, 2) && n ? of[seed_below(&state, n)]
						  : (u16)(seed_next(&state) >> 49);
		for (count = i = 0; i < n; i++)
			count += of[i] <= most;
		assert_int_equal(xt2_not_above(of, n, most), count);
		assert_int_equal(xt2_not_above_scalar(of, n, most), count);
	}
}

/* --- damage ------------------------------------------------------------ */

/* => was the bit noticed? If not, all is found all the same, and nothing else. */
static bool flip(u8 *at, u8 bit)
{
	const char *what;
	bool noticed;

	*at ^= bit;
	noticed = xt2_index_check(chain, XT2_IPV4, &what);
	if (!noticed)
		look_around(12);
	*at ^= bit;
	return noticed;
}

static void every_bit_counts(void **unused)
{
	static const struct xt2_index_limits all = { 0, 0, 0, ~0u };
	u32 i, noticed = 0, bits = 0;

	state = 11;
	for (listed = i = 0; i < 40; i++) /* nobody asks for the last address */
		add(seed_below(&state, 7) << 29 | seed_below(&state, 4) << 24,
		    i % 10 ? 3 + seed_below(&state, 30) : 0);
	assert_int_equal(make(&all), XT2_INDEX_SEGMENTS);
	for (i = ix->body; i < ix->size; i++) /* what is before is not about segments */
		for (u32 bit = 1; bit < 256; bit *= 2, bits++)
			noticed += flip((u8 *)xt2_at(chain, chain->lookup) + i, (u8)bit);
	assert_true(noticed > bits / 2 && noticed < bits);
}

static int drop(void **unused)
{
	free(chain);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(disjoint_prefixes_are_exact),
	cmocka_unit_test(random_prefixes_in_any_order),
	cmocka_unit_test(hosts_of_one_network),
	cmocka_unit_test(hosts_beside_each_other),
	cmocka_unit_test(more_than_a_slot_can_have),
	cmocka_unit_test(ends_of_all_addresses),
	cmocka_unit_test(masks_with_holes),
	cmocka_unit_test(rules_for_any_address),
	cmocka_unit_test(crowded_lists),
	cmocka_unit_test(lists_are_limited),
	cmocka_unit_test(limits_force_and_forbid),
	cmocka_unit_test(numbers_are_counted),
	cmocka_unit_test(every_bit_counts),
};

UNITS_WITH(tests, NULL, drop)
