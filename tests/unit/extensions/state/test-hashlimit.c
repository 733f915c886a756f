/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-hashlimit.c - extensions/state/hashlimit.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"
#include "extensions/state/hashlimit.h"
#include <linux/netfilter/xt_hashlimit.h>

#define TICK 4000000ull

static struct xt_hashlimit_mtinfo3 info;

static int start(void **state)
{
	state_setup(state);
	tc.pkt.family = XT2_IPV4;
	tc.pkt.data = tc.bytes;
	tc.pkt.caplen = tc.pkt.len = 60;
	tc.pkt.thoff = 20;
	tc.pkt.proto = 17;
	tc.ctx.now = 1700000000 * SECOND;
	info = (struct xt_hashlimit_mtinfo3){
		.name = "h",
		.cfg = { .avg = 1000000, /* 1/s */
			 .burst = 3,
			 .mode = XT_HASHLIMIT_HASH_SIP,
			 .gc_interval = 1000,
			 .expire = 60000,
			 .srcmask = 32,
			 .dstmask = 32 },
	};
	return 0;
}

static void pack(void)
{
	assert_true(state_pack("hashlimit", 3, &info, 312) > 0);
}

/* => how many of n packets of an address get through */
static u32 from(u32 addr, u32 n)
{
	tc.pkt.src4 = addr;
	return passing(n, 0);
}

static void each_address_has_a_bucket(void **state)
{
	pack();
	assert_int_equal(from(1, 5), 3);
	assert_int_equal(from(2, 5), 3);
	tc.ctx.now += SECOND - TICK;
	assert_int_equal(from(1, 1), 0);
	tc.ctx.now += TICK;
	assert_int_equal(from(1, 3), 1);
	assert_int_equal(from(2, 3), 1);
	tc.ctx.now += 2 * SECOND;
	assert_int_equal(from(1, 5), 2);
	tc.ctx.now += 30 * SECOND;
	assert_int_equal(from(1, 5), 3);
}

static void above_is_the_rest(void **state)
{
	info.cfg.mode |= XT_HASHLIMIT_INVERT;
	pack();
	assert_int_equal(from(1, 5), 2);
}

static void buckets_expire(void **state)
{
	info.cfg.avg = 3600000000u; /* 1/hour */
	pack();
	assert_int_equal(from(1, 5), 3);
	tc.ctx.now += 60 * SECOND - TICK;
	assert_int_equal(from(1, 5), 0);
	tc.ctx.now += 60 * SECOND;
	assert_int_equal(from(1, 5), 3);
}

static void masks_and_ports(void **state)
{
	info.cfg.srcmask = 24;
	pack();
	assert_int_equal(from(0x0a000001, 5), 3);
	assert_int_equal(from(0x0a0000ff, 5), 0);
	assert_int_equal(from(0x0a000101, 5), 3);

	start(state);
	info.cfg.mode = XT_HASHLIMIT_HASH_DIP | XT_HASHLIMIT_HASH_DPT;
	pack();
	tc.pkt.dst4 = 7;
	tc.bytes[23] = 80;
	assert_int_equal(passing(5, 0), 3);
	tc.bytes[21] = 9; /* the other port does not count */
	assert_int_equal(passing(5, 0), 0);
	tc.bytes[23] = 81;
	assert_int_equal(passing(5, 0), 3);
	tc.pkt.proto = 1; /* no ports */
	assert_int_equal(passing(5, 0), 3);
	tc.bytes[23] = 82;
	assert_int_equal(passing(5, 0), 0);
	tc.pkt.proto = 51; /* AH: 4 bytes later */
	tc.bytes[27] = 80;
	assert_int_equal(passing(5, 0), 0);
	tc.pkt.proto = 17;
	tc.pkt.len = tc.pkt.caplen = 23;
	assert_int_equal(xt2_match_ext(m, &tc.ctx), XT2_HOTDROP);
	assert_int_equal(tc.ctx.faults, 0);
}

static void prefixes_of_ipv6(void **state)
{
	u32 bits, i;

	for (bits = 0; bits <= 128; bits++) {
		start(state);
		info.cfg.srcmask = (u8)bits;
		assert_true(xt2_match_pack(xt2_row_find(XT2_IPV6, false, "hashlimit", 3), XT2_IPV6,
					   &info, 312, m, sizeof(room)) > 0);
		tc.pkt.family = XT2_IPV6;
		assert_int_equal(passing(5, 0), 3);
		for (i = 0; i < 128; i++) {
			u8 *byte = (u8 *)tc.pkt.src + i / 8;

			*byte ^= 0x80 >> i % 8;
			assert_int_equal(passing(1, 0), i >= bits ? 0 : 1);
			*byte ^= 0x80 >> i % 8;
			tc.ctx.now += 1; /* no tick */
		}
	}
}

/* 1 kB/s of packets of 1,008 bytes: 64 pieces of 16, of 64 a second. */
static void bytes_are_counted(void **state)
{
	info.cfg.mode |= XT_HASHLIMIT_BYTES;
	info.cfg.avg = 0xffffffffu / 64;
	info.cfg.burst = 2;
	pack();
	tc.pkt.len = 1008;
	assert_int_equal(from(1, 9), 3); /* a second's worth, and two bursts */
	tc.ctx.now += SECOND;
	assert_int_equal(from(1, 9), 1);
	tc.ctx.now += 9 * SECOND;
	assert_int_equal(from(1, 9), 1); /* a burst does not come back */
	tc.ctx.now += 100 * SECOND; /* but with a new bucket */
	assert_int_equal(from(1, 9), 3);
}

/* As many addresses as there are buckets, or nearly; then none gets one until time has passed. */
static void buckets_run_out(void **state)
{
	u32 i, got = 0, answer;

	info.cfg.burst = 1;
	pack();
	for (i = 0; i < 4000; i++) {
		tc.pkt.src4 = i;
		answer = (u32)xt2_match_ext(m, &tc.ctx);
		got += answer == XT2_HIT;
		assert_true(answer == XT2_HIT || answer == XT2_HOTDROP);
	}
	assert_int_equal(tc.ctx.faults, 0);
	assert_in_range(got, 1600, XT2_HASHLIMIT_SETS4 * XT2_HASHLIMIT_SET);
	assert_int_equal(from(0, 5), 0);
	tc.ctx.now += SECOND; /* all are full again, and say nothing */
	assert_int_equal(from(5000, 5), 1);
	assert_int_equal(from(0, 5), 1);
}

/* The first rule's words count; only which side of the rate holds is each rule's own. */
static void has_one_rate(void **state)
{
	u64 *config = tc.img.cells + XT2_MEMORY_CONFIG;

	config[0] = 1;
	config[XT2_HASHLIMIT_AVG] = 1000000;
	config[XT2_HASHLIMIT_BURST] = 2;
	config[XT2_HASHLIMIT_MODE] = XT_HASHLIMIT_HASH_SIP | 3ull << 32;
	config[XT2_HASHLIMIT_EXPIRE] = 60000 | 32ull << 32;
	info.cfg.burst = 5;
	info.cfg.mode = 0;
	pack();
	assert_int_equal(from(1, 9), 2);
	assert_int_equal(from(2, 9), 2);
	info.cfg.mode = XT_HASHLIMIT_INVERT;
	pack();
	assert_int_equal(from(3, 9), 7);
}

/* A model with a bucket for each address, at random times. */
static void agrees_with_a_model(void **state)
{
	static u64 credit[64], tick[64];
	u32 i, run, a;

	for (run = 0; run < 40; run++) {
		start(state);
		info.cfg.avg = 1 + case_random() % 3000000;
		info.cfg.burst = 1 + case_random() % 20;
		pack();
		for (a = 0; a < 64; a++) {
			credit[a] = info.cfg.avg * info.cfg.burst * 137438953ull;
			tick[a] = 0;
		}
		for (i = 0; i < 5000; i++) {
			const u64 now = tc.ctx.now / TICK, cost = info.cfg.avg * 137438953ull;
			bool pays;

			a = case_random() % 64;
			if (!tick[a] || now - tick[a] >= 15000)
				credit[a] = cost * info.cfg.burst;
			else
				credit[a] += (now - tick[a]) << 39;
			if (credit[a] > cost * info.cfg.burst)
				credit[a] = cost * info.cfg.burst;
			tick[a] = now;
			pays = credit[a] >= cost;
			credit[a] -= pays ? cost : 0;
			assert_int_equal(from(a, 1), pays);
			tc.ctx.now +=
				case_random() % (case_random() % 100 ? SECOND / 50 : SECOND * 20);
		}
	}
}

static void any_cells(void **state)
{
	u32 i, run;
	int answer;

	for (run = 0; run < 300; run++) {
		start(state);
		pack();
		for (i = 0; i < XT2_MEMORY_CELLS; i++)
			tc.img.cells[i] = (u64)case_number() << 32 | case_number();
		tc.img.cells[XT2_MEMORY_CLAIMS] &= ~1ull;
		memset(tc.img.rule, 0x5a, sizeof(tc.img.rule));
		for (i = 0; i < 20; i++) {
			tc.pkt.family = case_random() % 2 ? XT2_IPV4 : XT2_IPV6;
			tc.pkt.src4 = case_random();
			tc.pkt.src[1] = case_random();
			answer = xt2_match_ext(m, &tc.ctx);
			assert_true(answer == XT2_HIT || answer == XT2_MISS ||
				    answer == XT2_HOTDROP);
		}
		assert_int_equal(tc.ctx.faults, 0);
		for (i = 0; i < XT2_ARRAY_SIZE(tc.img.rule); i++)
			assert_true(tc.img.rule[i] == 0x5a5a5a5a5a5a5a5aull);
	}
	tc.img.cells[XT2_MEMORY_CONFIG] = 0;
	memset(tc.img.cells + XT2_MEMORY_DATA, 0, 8 * (XT2_MEMORY_CELLS - XT2_MEMORY_DATA));
	tc.img.cells[XT2_MEMORY_CLAIMS] = ~0ull;
	assert_int_equal(xt2_match_ext(m, &tc.ctx), XT2_HOTDROP);
	assert_int_equal(tc.ctx.faults, 1);
}

/* What follows the head: avg, burst, mode | expire, size | max, gc | interval, masks and name "h". */
#define WORDS(avg, burst, mode, expire, gc, masks) \
	avg, burst, (u64)(mode) | (u64)(expire) << 32, 0, gc, (masks) | 0x68ull << 16

static void test_checked(void **state)
{
	RIGHT(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(2, 1, 0x3f, 1, 1, 0x2020));
	RIGHT(IPV6, HASHLIMIT, 0x40, 56, 0, WORDS(1, 1, 4, 1, 1, 0x8080));
	RIGHT(IPV4, HASHLIMIT, 0x20, 56, 0, WORDS(1, 1, 0, 1, 1, 0));
	WRONG(ARP, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0, 56, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x61, 56, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0xe0, 56, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 64, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 48, 0, WORDS(1, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 0, 4, 1, 1, 0)); /* no burst */
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1ull << 36, 2, 4, 1, 1, 0)); /* overflows */
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 0x40, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 0, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 1, 0, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 1, 1, 33));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 1, 1, 33 << 8));
	WRONG(IPV6, HASHLIMIT, 0x60, 56, 0, WORDS(1, 1, 4, 1, 1, 129));
	WRONG(IPV4, HASHLIMIT, 0x20, 56, 0, WORDS(1ull << 32, 1, 4, 1, 1, 0));
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, 1, 1, 4 | 1ull << 32, 0, 1, 0); /* no name */
	WRONG(IPV4, HASHLIMIT, 0x60, 56, 0, WORDS(0, 1, XT2_HASHLIMIT_BYTES, 1, 1, 0));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(each_address_has_a_bucket, start),
	cmocka_unit_test_setup(above_is_the_rest, start),
	cmocka_unit_test_setup(buckets_expire, start),
	cmocka_unit_test_setup(masks_and_ports, start),
	cmocka_unit_test_setup(prefixes_of_ipv6, start),
	cmocka_unit_test_setup(bytes_are_counted, start),
	cmocka_unit_test_setup(buckets_run_out, start),
	cmocka_unit_test_setup(has_one_rate, start),
	cmocka_unit_test_setup(agrees_with_a_model, start),
	cmocka_unit_test_setup(any_cells, start),
	cmocka_unit_test_setup(test_checked, start),
};

UNITS_WITH(tests, case_seed_set, NULL)
