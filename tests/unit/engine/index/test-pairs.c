/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-pairs.c - engine/index/pairs.c, engine/simd/pairs-avx2.c: going on behind what was found
 *
 * A bucket's columns and its other candidates are found apart.  However few are
 * asked for at once, all are found in the end: columns may be over before the
 * first of the others, or begin behind the last one that there is room for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "engine/index/find.h"
#include "tests/lib/pairs-by-hand.h"
#include "engine/simd/scan.h"

#define HOST 2

static u32 found[PAIRS_RULES]; /* rules */

static u32 rule_at(u32 place)
{
	u32 i;

	for (i = 0; i < by.rules && unit[i].place != place; i++)
		;
	return i;
}

/* All candidates of the host for a port, so many at once. => how many */
static u32 find_all(u16 port, u16 ahead)
{
	const struct xt2_pkt pkt = { .family = XT2_IPV4,
				     .src4 = 0x0a000000 + HOST,
				     .dst4 = 0x0a010000 + HOST };
	static struct xt2_search s;
	u32 n = 0, after = 0, turns = 0, i;

	ix->ahead = ahead;
	memset(&s, 0, sizeof(s));
	s.keys.key[XT2_KEY_PROTO] = 6;
	s.keys.key[XT2_KEY_DPORT] = port;
	do {
		xt2_index_find(chain, &s, &pkt, after);
		assert_true(s.units <= ahead && turns++ <= by.rules);
		for (i = 0; i < s.units && n < PAIRS_RULES; i++)
			found[n++] = rule_at(s.unit[i]);
		after = s.resume;
	} while (after);
	return n;
}

/* In each way, and up to four at once, the rules are these. */
static void expect(u16 port, const u32 *rule, u32 n)
{
	u16 ahead;
	u32 way;

	for (way = XT2_SCAN_SCALAR; way <= xt2_scan_best(); way++) {
		assert_int_equal(xt2_scan_choose((enum xt2_scan_way)way), 0);
		for (ahead = 1; ahead <= 4; ahead++) {
			assert_int_equal(find_all(port, ahead), n);
			assert_memory_equal(found, rule, n * sizeof(*rule));
		}
	}
}

static void columns_end_before(void **unused)
{
	const u32 others[] = { 2, 3 }, all[] = { 1, 2, 3 };

	memset(&by, 0, sizeof(by));
	add_rule(HOST, 2000, NESTED);
	add_rule(HOST, 3000, NESTED);
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 0, PAIR);
	lay_out();
	expect(1000, others, 2);
	expect(3000, all, 3);
}

static void columns_begin_behind(void **unused)
{
	const u32 others[] = { 0, 1 }, all[] = { 0, 1, 3 };

	memset(&by, 0, sizeof(by));
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 2000, NESTED);
	add_rule(HOST, 3000, NESTED);
	lay_out();
	expect(1000, others, 2);
	expect(3000, all, 3);
}

static void columns_are_between(void **unused)
{
	const u32 others[] = { 0, 2, 4 }, all[] = { 0, 1, 2, 3, 4 };

	memset(&by, 0, sizeof(by));
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 2000, NESTED);
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 2000, NESTED);
	add_rule(HOST, 0, PAIR);
	lay_out();
	expect(1000, others, 3);
	expect(2000, all, 5);
}

/* Another port's triple and its pair are looked into as well. */
static void triples_are_between(void **unused)
{
	const u32 others[] = { 0, 2 }, all[] = { 0, 1, 2, 4 };

	memset(&by, 0, sizeof(by));
	by.third = true;
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 2000, TRIPLE);
	add_rule(HOST, 0, PAIR);
	add_rule(HOST, 3000, TRIPLE);
	add_rule(HOST, 2000, TRIPLE);
	lay_out();
	expect(1000, others, 2);
	expect(2000, all, 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(columns_end_before),
	cmocka_unit_test(columns_begin_behind),
	cmocka_unit_test(columns_are_between),
	cmocka_unit_test(triples_are_between),
};

UNITS_WITH(tests, make_room, NULL)
