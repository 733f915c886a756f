/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-recent.c - extensions/state/recent.c
 *
 * Random rules of one list, packets and times, beside a list of addresses as one would write it
 * down.  Then the cases that the kernel's source has.
 */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_recent.h>

#define TICK 4000000ull

static struct xt_recent_mtinfo_v1 info;

/* The rule that is asked from now on: name "x", mask of all ones. */
static void rule(u8 checks, u32 seconds, u32 hits)
{
	info = (struct xt_recent_mtinfo_v1){
		.seconds = seconds, .hit_count = hits, .check_set = checks, .name = "x"
	};
	memset(&info.mask, 0xff, sizeof(info.mask));
	assert_true(state_pack("recent", 1, &info, 232) > 0);
}

static int from(u32 addr)
{
	tc.pkt.family = XT2_IPV4;
	tc.pkt.src4 = addr;
	return state_run();
}

static void set(u32 addr)
{
	rule(XT_RECENT_SET, 0, 0);
	assert_int_equal(from(addr), XT2_HIT);
}

static int start(void **state)
{
	state_setup(state);
	tc.pkt.data = tc.bytes;
	tc.pkt.caplen = tc.pkt.len = 40;
	tc.bytes[8] = tc.bytes[7] = 64;
	tc.ctx.now = 1700000000 * SECOND;
	return 0;
}

static void counts_hits(void **state)
{
	u32 i;

	rule(XT_RECENT_CHECK, 0, 0);
	assert_int_equal(from(1), XT2_MISS);
	for (i = 0; i < 3; i++) {
		set(1);
		tc.ctx.now += 10 * SECOND;
	}
	rule(XT_RECENT_CHECK, 0, 3);
	assert_int_equal(from(1), XT2_HIT);
	assert_int_equal(from(2), XT2_MISS);
	rule(XT_RECENT_CHECK, 0, 4);
	assert_int_equal(from(1), XT2_MISS);
	rule(XT_RECENT_CHECK, 20, 2);
	assert_int_equal(from(1), XT2_HIT); /* 20 s ago counts */
	tc.ctx.now += TICK;
	assert_int_equal(from(1), XT2_MISS);
}

static void update_counts_only_what_holds(void **state)
{
	set(1);
	rule(XT_RECENT_UPDATE, 0, 2);
	assert_int_equal(from(1), XT2_MISS);
	assert_int_equal(from(1), XT2_MISS);
	rule(XT_RECENT_UPDATE, 0, 1);
	assert_int_equal(from(1), XT2_HIT);
	rule(XT_RECENT_UPDATE, 0, 2);
	assert_int_equal(from(1), XT2_HIT);
	info.invert = 1; /* it does not hold, but inverted it does, and is an update */
	info.hit_count = 9;
	assert_true(state_pack("recent", 1, &info, 232) > 0);
	assert_int_equal(from(1), XT2_HIT);
	rule(XT_RECENT_CHECK, 0, 4);
	assert_int_equal(from(1), XT2_HIT);
}

static void removes(void **state)
{
	set(1);
	rule(XT_RECENT_REMOVE, 0, 0);
	assert_int_equal(from(1), XT2_HIT);
	assert_int_equal(from(1), XT2_MISS);
}

static void forgets_the_oldest(void **state)
{
	u32 i;

	for (i = 1; i <= 100; i++)
		set(i);
	set(1); /* not the oldest any more */
	set(101);
	rule(XT_RECENT_CHECK, 0, 0);
	assert_int_equal(from(2), XT2_MISS);
	assert_int_equal(from(1), XT2_HIT);
	assert_int_equal(from(3), XT2_HIT);
	assert_int_equal(from(101), XT2_HIT);
}

static void reaps_one(void **state)
{
	set(1);
	set(2);
	tc.ctx.now += 100 * SECOND;
	set(3);
	rule(XT_RECENT_CHECK | XT_RECENT_REAP, 60, 0);
	assert_int_equal(from(3), XT2_HIT);
	rule(XT_RECENT_CHECK, 0, 0);
	assert_int_equal(from(1), XT2_MISS);
	assert_int_equal(from(2), XT2_HIT);
}

static void sees_the_ttl(void **state)
{
	set(1);
	rule(XT_RECENT_CHECK | XT_RECENT_TTL, 0, 0);
	assert_int_equal(from(1), XT2_HIT);
	tc.bytes[8] = 63;
	assert_int_equal(from(1), XT2_MISS);
	tc.pkt.in[0] = tc.pkt.out[0] = 'e'; /* it was 64 */
	assert_int_equal(from(1), XT2_HIT);
}

/* The mask is that of the rule which made the list. */
static void has_one_mask(void **state)
{
	tc.img.cells[XT2_MEMORY_CONFIG] = 1;
	tc.img.cells[XT2_MEMORY_CONFIG + 1] = 0xffffff; /* in the order of the network */
	set(0x0a000001);
	rule(XT_RECENT_CHECK, 0, 0);
	assert_int_equal(from(0x0a0000ff), XT2_HIT);
	assert_int_equal(from(0x0a000100), XT2_MISS);
}

/* Addresses of both families are in one list; 10.0.0.1 is not a00:1::. */
static void families_differ(void **state)
{
	set(0x0a000001);
	rule(XT_RECENT_CHECK, 0, 0);
	tc.pkt.family = XT2_IPV6;
	tc.pkt.src[0] = 0x0100000a;
	assert_int_equal(state_run(), XT2_MISS);
	rule(XT_RECENT_SET, 0, 0);
	tc.pkt.family = XT2_IPV6;
	assert_int_equal(state_run(), XT2_HIT);
	rule(XT_RECENT_CHECK, 0, 2);
	assert_int_equal(state_run(), XT2_MISS);
	tc.pkt.src[1] = 1;
	rule(XT_RECENT_CHECK, 0, 0);
	assert_int_equal(state_run(), XT2_MISS);
}

/* --- a list as one would write it down ------------------------------------------ */

struct entry {
	u32 addr, ttl, n;
	u64 time[1000]; /* the last of which are the ring's */
};

static struct entry list[101]; /* least recently set or updated first */
static u32 entries;

static void drop(u32 i)
{
	for (entries--; i < entries; i++) /* valgrind takes a large memmove() for memcpy() */
		list[i] = list[i + 1];
}

static void touch(u32 i, u32 addr, u32 ttl, u64 tick)
{
	static struct entry e;

	if (i < entries) {
		e = list[i];
		drop(i);
	} else {
		e = (struct entry){ .addr = addr };
		if (entries == 100)
			drop(0);
	}
	if (e.n == 1000)
		memmove(e.time, e.time + 1, --e.n * sizeof(u64));
	e.time[e.n++] = tick;
	e.ttl = ttl;
	list[entries++] = e;
}

static bool expected(u32 addr, u32 ttl, u64 tick)
{
	const u64 since = tick - info.seconds * 250u;
	u32 i, j, hits = 0;
	bool holds, update;

	for (i = 0; i < entries; i++)
		if (list[i].addr == addr && (!(info.check_set & XT_RECENT_TTL) || !ttl ||
					     !list[i].ttl || list[i].ttl == ttl))
			break;
	if (i == entries) {
		if (info.check_set & XT_RECENT_SET)
			touch(i, addr, ttl, tick);
		return !!(info.check_set & XT_RECENT_SET) != info.invert;
	}
	if (info.check_set & XT_RECENT_REMOVE)
		drop(i);
	if (info.check_set & XT_RECENT_SET)
		touch(i, addr, ttl, tick);
	if (info.check_set & (XT_RECENT_REMOVE | XT_RECENT_SET))
		return !info.invert;
	for (j = list[i].n > 128 ? list[i].n - 128 : 0; j < list[i].n; j++)
		hits += !info.seconds || list[i].time[j] >= since;
	holds = (hits && hits >= info.hit_count) != info.invert;
	update = info.check_set & XT_RECENT_UPDATE && holds;
	if (info.check_set & XT_RECENT_REAP && !(update && !i) &&
	    list[0].time[list[0].n - 1] < since) {
		drop(0);
		i--;
	}
	if (update)
		touch(i, addr, ttl, tick);
	return holds;
}

static void random_rule(void)
{
	static const u8 checks[] = { XT_RECENT_SET,    XT_RECENT_SET,	 XT_RECENT_CHECK,
				     XT_RECENT_UPDATE, XT_RECENT_UPDATE, XT_RECENT_REMOVE };
	u8 check = checks[case_random() % 6];
	u32 seconds = 0, hits = 0;

	if (check & (XT_RECENT_CHECK | XT_RECENT_UPDATE)) {
		seconds = case_random() % 3 ? case_random() % 20 : 0;
		hits = case_random() % 3 ? case_random() % 8 : case_random() % 129;
		check |= case_random() % 4 ? 0 : XT_RECENT_TTL;
		check |= seconds && case_random() % 2 ? XT_RECENT_REAP : 0;
	}
	rule(check, seconds, hits);
	info.invert = case_random() % 4 == 0;
	assert_true(state_pack("recent", 1, &info, 232) > 0);
}

static void agrees_with_a_list(void **state)
{
	u32 i, run, pool, addr;

	for (run = 0; run < 20; run++) {
		start(state);
		entries = 0;
		pool = run % 2 ? 5 : 140;
		for (i = 0; i < 20000; i++) {
			random_rule();
			tc.bytes[8] = case_random() % 3 ? 64 : case_random() % 3;
			addr = case_random() % pool;
			if (case_random() % 2)
				tc.ctx.now += case_random() % (run % 3 ? SECOND / 10 : SECOND);
			if (from(addr) !=
			    (expected(addr, tc.bytes[8], tc.ctx.now / TICK) ? XT2_HIT : XT2_MISS))
				fail_msg("run %u, packet %u: checks %x", run, i, info.check_set);
		}
	}
}

static void broken_memory_drops(void **state)
{
	rule(XT_RECENT_SET, 0, 0);
	tc.img.cells[XT2_MEMORY_CLAIMS] = ~0ull;
	tc.pkt.family = XT2_IPV4;
	assert_int_equal(xt2_match_ext(m, &tc.ctx), XT2_HOTDROP);
	assert_int_equal(tc.ctx.faults, 1);
}

/* Whatever the cells are, nothing outside of them changes, and there is an answer. */
static void any_cells(void **state)
{
	u32 i, j, run;
	int answer;

	for (run = 0; run < 300; run++) {
		start(state);
		for (i = 0; i < XT2_MEMORY_CELLS; i++)
			tc.img.cells[i] = (u64)case_number() << 32 | case_number();
		tc.img.cells[XT2_MEMORY_CLAIMS] &= ~1ull;
		memset(tc.img.rule, 0x5a, sizeof(tc.img.rule));
		for (i = 0; i < 20; i++) {
			random_rule();
			tc.pkt.family = case_random() % 2 ? XT2_IPV4 : XT2_IPV6;
			tc.pkt.src4 = case_random();
			answer = xt2_match_ext(m, &tc.ctx);
			assert_true(answer == XT2_HIT || answer == XT2_MISS);
		}
		for (j = 0; j < XT2_ARRAY_SIZE(tc.img.rule); j++)
			assert_true(tc.img.rule[j] == 0x5a5a5a5a5a5a5a5aull);
	}
}

#define NAME(checks) (0x7800ull | (checks)) /* "x" */
#define ONES	     ~0ull, ~0ull

static void test_checked(void **state)
{
	RIGHT(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_SET));
	RIGHT(IPV6, RECENT, XT2_MATCH_INVERT | 0x21, 40, 0, 60 | 128ull << 32, ONES,
	      NAME(XT2_RECENT_CHECK | XT2_RECENT_REAP | XT2_RECENT_TTL));
	WRONG(ARP, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_SET));
	WRONG(IPV4, RECENT, 0x02, 40, 0, 0, ONES, NAME(XT2_RECENT_SET));
	WRONG(IPV4, RECENT, 0x40, 40, 0, 0, ONES, NAME(XT2_RECENT_SET));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(0));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_SET | XT2_RECENT_CHECK));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_SET | XT2_RECENT_TTL));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_SET | 0x40));
	WRONG(IPV4, RECENT, 0, 40, 0, 1, ONES, NAME(XT2_RECENT_SET));
	WRONG(IPV4, RECENT, 0, 40, 0, 1ull << 32, ONES, NAME(XT2_RECENT_REMOVE));
	WRONG(IPV4, RECENT, 0, 40, 0, 129ull << 32, ONES, NAME(XT2_RECENT_CHECK));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, NAME(XT2_RECENT_CHECK | XT2_RECENT_REAP));
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, XT2_RECENT_SET); /* no name */
	WRONG(IPV4, RECENT, 0, 40, 0, 0, ONES, 0x7878787878787800ull | XT2_RECENT_SET);
	WRONG(IPV4, RECENT, 0, 48, 0, 0, ONES, NAME(XT2_RECENT_SET)); /* more room than it needs */
	RIGHT(IPV4, RECENT, 0, 48, 0, 0, ONES, 0x7878787878787800ull | XT2_RECENT_SET);
	WRONG(IPV4, RECENT, 0, 32, 0, 0, ONES, NAME(XT2_RECENT_SET));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(counts_hits, start),
	cmocka_unit_test_setup(update_counts_only_what_holds, start),
	cmocka_unit_test_setup(removes, start),
	cmocka_unit_test_setup(forgets_the_oldest, start),
	cmocka_unit_test_setup(reaps_one, start),
	cmocka_unit_test_setup(sees_the_ttl, start),
	cmocka_unit_test_setup(has_one_mask, start),
	cmocka_unit_test_setup(families_differ, start),
	cmocka_unit_test_setup(agrees_with_a_list, start),
	cmocka_unit_test_setup(broken_memory_drops, start),
	cmocka_unit_test_setup(any_cells, start),
	cmocka_unit_test_setup(test_checked, start),
};

UNITS_WITH(tests, case_seed_set, NULL)
