/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ext-state.c - time, statistic, limit, quota, state, conntrack
 *
 * Payloads are random and must come back byte for byte.  Clocks and metadata
 * are made by hand; dates are checked against gmtime().  A run prints its
 * seed; XT2_SEED=n runs it again.
 */
#include "ext-case.h"
#include "extensions/match/conntrack.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_quota.h>
#include <linux/netfilter/xt_statistic.h>
#include <linux/netfilter/xt_time.h>

#define SECOND 1000000000ull

static struct ext_case tc;
static u64 room[256];
static struct xt2_match *const m = (struct xt2_match *)room;

static int pack(const char *name, u8 revision, const void *payload, u32 size)
{
	int used = xt2_match_pack(XT2_IPV4, name, revision, payload, size, m, sizeof(room));

	if (used > 0) {
		assert_int_equal(used, m->size);
		assert_int_equal(xt2_match_ext_check(m, XT2_IPV4), 0);
	}
	return used;
}

static int run(void)
{
	int answer = xt2_match_ext(m, &tc.ctx);

	assert_in_range(answer, XT2_MISS, XT2_HIT);
	return answer;
}

/* --- pack and unpack ---------------------------------------------------- */

struct sample {
	const char *name;
	u8 revision;
	u16 size;
	u16 user; /* bytes that come back */
	void (*fill)(u8 *payload);
};

static void fill_time(u8 *p)
{
	struct xt_time_info *info = (struct xt_time_info *)p;

	info->date_start = case_random();
	info->date_stop = case_random();
	info->daytime_start = case_random() % 86400;
	info->daytime_stop = case_random() % 86400;
	info->monthdays_match = case_random();
	info->weekdays_match = (u8)case_random();
	info->flags = case_random() % 2;
	if (info->daytime_start >= info->daytime_stop)
		info->flags |= case_random() % 2 * 2;
}

static void fill_statistic(u8 *p)
{
	struct xt_statistic_info *info = (struct xt_statistic_info *)p;

	info->mode = case_random() % 2;
	info->flags = case_random() % 2;
	info->u.nth.every = case_number();
	if (info->mode == XT_STATISTIC_MODE_NTH) {
		info->u.nth.packet = case_number();
		info->u.nth.count = case_number();
	}
	memset(&info->master, 0xa5, 8);
}

static void fill_limit(u8 *p)
{
	struct xt_rateinfo *info = (struct xt_rateinfo *)p;

	info->avg = 1 + case_random() % 10000;
	info->burst = 1 + case_random() % 1000;
	info->prev = case_random();
}

static void fill_quota(u8 *p)
{
	struct xt_quota_info *info = (struct xt_quota_info *)p;

	info->flags = case_random() % 2;
	info->quota = (u64)case_number() << 32 | case_number();
}

static void fill_state(u8 *p)
{
	*(u32 *)p = case_random();
}

/* Bits of every part now and then: all of them must keep their places. */
static void fill_conntrack(u8 *p, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		p[i] = (u8)case_random();
	for (i = 0; i < 4; i++)
		if (case_random() % 2)
			memset(p + 32 * i, 0, 32);
	if (case_random() % 2)
		memset(p + 128, 0, 8);
	if (case_random() % 2) {
		memset(p + 138, 0, 8);
		if (size > 154)
			memset(p + 154, 0, 8);
	}
}

static void fill_conntrack1(u8 *p)
{
	fill_conntrack(p, 152);
}

static void fill_conntrack2(u8 *p)
{
	fill_conntrack(p, 154);
}

static void fill_conntrack3(u8 *p)
{
	fill_conntrack(p, 162);
}

static const struct sample samples[] = {
	{ "time", 0, 24, 22, fill_time },
	{ "statistic", 0, 24, 16, fill_statistic },
	{ "limit", 0, 40, 8, fill_limit },
	{ "quota", 0, 24, 16, fill_quota },
	{ "state", 0, 8, 4, fill_state },
	{ "conntrack", 1, 152, 152, fill_conntrack1 },
	{ "conntrack", 2, 160, 154, fill_conntrack2 },
	{ "conntrack", 3, 168, 162, fill_conntrack3 },
};

static void test_fixpoint(void **state)
{
	u64 payload[32], back[32];
	const struct xt2_match_row *row = NULL;
	u32 i, round;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		for (round = 0; round < 1000; round++) {
			memset(payload, 0, sizeof(payload));
			s->fill((u8 *)payload);
			assert_true(pack(s->name, s->revision, payload, s->size) > 0);
			assert_int_equal(xt2_match_unpack(XT2_IPV6, m, &row, back, sizeof(back)),
					 s->size);
			assert_string_equal(row->name, s->name);
			assert_int_equal(row->revision, s->revision);
			assert_memory_equal(back, payload, s->user);
			memset(payload, 0, sizeof(payload));
			assert_memory_equal((u8 *)back + s->user, payload, s->size - s->user);
			tc.ctx.now = case_random() * SECOND;
			run();
		}
	}
}

/* Every single bit is changed: refused, or still safe to run and to unpack. */
static void test_damaged(void **state)
{
	u64 payload[32], back[32];
	const struct xt2_match_row *row;
	u32 i, bit;
	int used;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		memset(payload, 0, sizeof(payload));
		s->fill((u8 *)payload);
		assert_true(pack(s->name, s->revision, payload, s->size) > 0);
		for (bit = 8; bit < m->size * 8u; bit++) {
			u8 *p = (u8 *)m + bit / 8;
			u32 size = m->size;

			if (bit >= 32 && bit < 64 && xt2_match_info(m->type) & XT2_EXT_CELL)
				continue; /* the cell's number is the image's matter */
			*p ^= 1 << bit % 8;
			if (m->size != size) {
				assert_int_equal(xt2_match_ext_check(m, XT2_IPV4), -EINVAL);
			} else if (!xt2_match_ext_check(m, XT2_IPV4)) {
				run();
				used = xt2_match_unpack(XT2_IPV4, m, &row, back, sizeof(back));
				assert_true(used > 0);
				assert_int_equal(used, row->size);
			}
			*p ^= 1 << bit % 8;
		}
	}
}

static void test_refused(void **state)
{
	struct xt_time_info t = { .daytime_start = 86400 };
	struct xt_statistic_info s = { .mode = 2 };
	struct xt_rateinfo l = { .avg = 10000 };
	struct xt_quota_info q = { .flags = 2 };
	struct xt_conntrack_mtinfo3 ct = { 0 };
	u64 padded[21] = { 0 };

	assert_int_equal(pack("time", 0, &t, 24), -EDOM);
	t = (struct xt_time_info){ .daytime_stop = 86400 };
	assert_int_equal(pack("time", 0, &t, 24), -EDOM);
	t = (struct xt_time_info){ .flags = 4 };
	assert_int_equal(pack("time", 0, &t, 24), -EINVAL);
	t = (struct xt_time_info){ .flags = 2, .daytime_stop = 1 };
	assert_int_equal(pack("time", 0, &t, 24), -EINVAL);
	assert_int_equal(pack("statistic", 0, &s, 24), -EINVAL);
	s = (struct xt_statistic_info){ .flags = 2 };
	assert_int_equal(pack("statistic", 0, &s, 24), -EINVAL);
	assert_int_equal(pack("limit", 0, &l, 40), -ERANGE); /* no burst */
	l.burst = 429497;
	assert_int_equal(pack("limit", 0, &l, 40), -ERANGE); /* overflow */
	l.burst = 5;
	l.cost = 1;
	assert_int_equal(pack("limit", 0, &l, 40), 0); /* a kernel's own number: carried */
	assert_int_equal(pack("quota", 0, &q, 24), -EINVAL);
	memcpy(padded, &ct, sizeof(ct));
	assert_true(pack("conntrack", 3, padded, 168) > 0);
	assert_int_equal(xt2_match_pack(XT2_ARP, "conntrack", 3, padded, 168, m, sizeof(room)),
			 -EPROTO);
	assert_int_equal(pack("conntrack", 3, padded, 160), -EINVAL);
	assert_int_equal(pack("conntrack", 4, padded, 168), 0);
}

/* --- limit --------------------------------------------------------------- */

static void limit(u32 avg, u32 burst)
{
	struct xt_rateinfo info = { .avg = avg, .burst = burst };

	assert_true(pack("limit", 0, &info, 40) > 0);
	m->arg = 1;
	tc.img.cells[1] = 0;
}

/* => how many of n packets, step apart, get through; the clock goes on */
static u32 passing(u32 n, u64 step)
{
	u32 i, hits = 0;

	for (i = 0; i < n; i++, tc.ctx.now += step)
		hits += run() == XT2_HIT;
	return hits;
}

static void test_limit(void **state)
{
	tc.ctx.now = 1700000000 * SECOND;
	limit(10000, 5); /* 1/s, burst 5 */
	assert_int_equal(passing(100, 0), 5);
	tc.ctx.now += SECOND - 4000000; /* a tick too early */
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += 4000000;
	assert_int_equal(passing(3, 0), 1);
	tc.ctx.now += 3 * SECOND;
	assert_int_equal(passing(9, 0), 3);
	tc.ctx.now += 3600 * SECOND;
	assert_int_equal(passing(9, 0), 5);
	assert_int_equal(passing(1000, SECOND / 10), 99);

	limit(3333, 1); /* 3/s: 10666 credits of 32000; 84 ticks of 128 */
	assert_int_equal(passing(1, 0), 1);
	tc.ctx.now += 83 * 4000000;
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += 4000000;
	assert_int_equal(passing(2, 0), 1);

	limit(864000000, 1); /* 1/day */
	assert_int_equal(passing(2, 0), 1);
	tc.ctx.now += 86399 * SECOND;
	assert_int_equal(passing(1, 0), 0);
	tc.ctx.now += SECOND;
	assert_int_equal(passing(2, 0), 1);
}

/* The clock of an unsorted capture; and the kernel's overflow after 2^25 ticks. */
static void test_limit_clock(void **state)
{
	tc.ctx.now = 1700000000 * SECOND;
	limit(10000, 2);
	assert_int_equal(passing(3, 0), 2);
	tc.ctx.now -= 3600 * SECOND;
	assert_int_equal(passing(3, 0), 0);
	tc.ctx.now += 3601 * SECOND;
	assert_int_equal(passing(3, 0), 1);
	tc.ctx.now += (1ull << 25) * 4000000;
	assert_int_equal(passing(3, 0), 0);
	tc.ctx.now += (1ull << 25) * 4000000 + SECOND;
	assert_int_equal(passing(3, 0), 1);
}

/* --- quota, statistic ---------------------------------------------------- */

static void test_quota(void **state)
{
	struct xt_quota_info info = { .quota = 250 };

	assert_true(pack("quota", 0, &info, 24) > 0);
	tc.pkt.len = 100;
	assert_int_equal(passing(2, 0), 2);
	assert_int_equal(tc.img.cells[0], 200);
	assert_int_equal(run(), XT2_MISS);
	tc.pkt.len = 10;
	assert_int_equal(run(), XT2_MISS); /* the rest is gone */
	assert_int_equal(tc.img.cells[0], 250);
	tc.img.cells[0] = ~0ull;
	assert_int_equal(run(), XT2_MISS);

	info.flags = XT_QUOTA_INVERT;
	assert_true(pack("quota", 0, &info, 24) > 0);
	tc.img.cells[0] = 0;
	tc.pkt.len = 250;
	assert_int_equal(run(), XT2_MISS);
	tc.pkt.len = 1;
	assert_int_equal(run(), XT2_HIT);
	info = (struct xt_quota_info){ .quota = ~0ull };
	assert_true(pack("quota", 0, &info, 24) > 0);
	tc.img.cells[0] = 0;
	assert_int_equal(passing(10, 0), 10);
}

/* --every n --packet p, as libxtables writes it */
static void nth(u32 every, u32 packet, u32 flags)
{
	struct xt_statistic_info info = { .mode = XT_STATISTIC_MODE_NTH, .flags = (u16)flags };

	info.u.nth.every = every - 1;
	info.u.nth.packet = packet;
	info.u.nth.count = every - 1 - packet;
	assert_true(pack("statistic", 0, &info, 24) > 0);
	m->arg = 2;
	tc.img.cells[2] = 0;
}

static void test_nth(void **state)
{
	u32 every, packet, i;

	for (every = 1; every < 6; every++) {
		for (packet = 0; packet < every; packet++) {
			nth(every, packet, 0);
			for (i = 0; i < 20; i++)
				assert_int_equal(run(), i % every == packet);
			nth(every, packet, XT_STATISTIC_INVERT);
			for (i = 0; i < 20; i++)
				assert_int_equal(run(), i % every != packet);
		}
	}
}

static void test_random(void **state)
{
	struct xt_statistic_info info = { .mode = XT_STATISTIC_MODE_RANDOM };
	u32 hits;

	tc.ctx.random = 12345;
	assert_true(pack("statistic", 0, &info, 24) > 0);
	assert_int_equal(passing(1000, 0), 0);
	info.u.random.probability = 0x80000000;
	assert_true(pack("statistic", 0, &info, 24) > 0);
	assert_int_equal(passing(1000, 0), 1000);
	info.u.random.probability = 0x20000000;
	assert_true(pack("statistic", 0, &info, 24) > 0);
	hits = passing(100000, 0);
	assert_in_range(hits, 24300, 25700);
	tc.ctx.random = 12345;
	hits = passing(1000, 0);
	tc.ctx.random = 12345;
	assert_int_equal(passing(1000, 0), hits);
	info.flags = XT_STATISTIC_INVERT;
	assert_true(pack("statistic", 0, &info, 24) > 0);
	tc.ctx.random = 12345;
	assert_int_equal(passing(1000, 0), 1000 - hits);
	tc.ctx.random = 0;
	assert_in_range(passing(1000, 0), 600, 900);
}

/* --- time ---------------------------------------------------------------- */

static struct xt_time_info any_time(void)
{
	struct xt_time_info info = {
		.date_stop = 0x7fffffff,
		.daytime_stop = XT_TIME_MAX_DAYTIME,
		.monthdays_match = XT_TIME_ALL_MONTHDAYS,
		.weekdays_match = XT_TIME_ALL_WEEKDAYS,
	};
	return info;
}

static int time_at(const struct xt_time_info *info, u64 second)
{
	assert_true(pack("time", 0, info, 24) > 0);
	tc.ctx.now = second * SECOND + SECOND - 1;
	return run();
}

/* Every day from 1970 to 2038, against the C library's calendar. */
static void test_calendar(void **state)
{
	struct xt_time_info info = any_time();
	time_t now;
	struct tm tm;

	for (now = 0; now < 0x7fffffff; now += 86400) {
		gmtime_r(&now, &tm);
		info.monthdays_match = 1u << tm.tm_mday;
		info.weekdays_match = (u8)(1u << (tm.tm_wday ? tm.tm_wday : 7));
		assert_int_equal(time_at(&info, (u64)now), XT2_HIT);
		info.monthdays_match = ~info.monthdays_match;
		assert_int_equal(time_at(&info, (u64)now + 86399), XT2_MISS);
		info.monthdays_match = ~info.monthdays_match;
		info.weekdays_match = ~info.weekdays_match;
		assert_int_equal(time_at(&info, (u64)now + 86399), XT2_MISS);
	}
}

static void test_time_of_day(void **state)
{
	struct xt_time_info info = any_time();
	const u64 monday = 1704067200; /* 2024-01-01 */

	info.daytime_start = 9 * 3600;
	info.daytime_stop = 17 * 3600;
	assert_int_equal(time_at(&info, monday + 9 * 3600 - 1), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 9 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 17 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 17 * 3600 + 1), XT2_MISS);

	info.daytime_start = 23 * 3600;
	info.daytime_stop = 3600;
	info.weekdays_match = 1 << 1;
	assert_int_equal(time_at(&info, monday + 1800), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 23 * 3600), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 12 * 3600), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 86400 + 1800), XT2_MISS);
	info.flags = XT_TIME_CONTIGUOUS;
	assert_int_equal(time_at(&info, monday + 1800), XT2_MISS);
	assert_int_equal(time_at(&info, monday + 86400 + 1800), XT2_HIT);
	assert_int_equal(time_at(&info, monday + 86400 + 3601), XT2_MISS);
}

static void test_dates(void **state)
{
	struct xt_time_info info = any_time();

	info.date_start = 1000000;
	info.date_stop = 2000000;
	assert_int_equal(time_at(&info, 999999), XT2_MISS);
	assert_int_equal(time_at(&info, 1000000), XT2_HIT);
	assert_int_equal(time_at(&info, 2000000), XT2_HIT);
	assert_int_equal(time_at(&info, 2000001), XT2_MISS);
	tc.ctx.wall = (s64)SECOND;
	assert_int_equal(time_at(&info, 999999), XT2_HIT);
	tc.ctx.wall = -(s64)SECOND;
	assert_int_equal(time_at(&info, 1000000), XT2_MISS);
	tc.ctx.wall = 0;
	info.flags = XT_TIME_LOCAL_TZ;
	tc.ctx.tz_west = -60;
	assert_int_equal(time_at(&info, 1000000 - 3600), XT2_HIT);
	assert_int_equal(time_at(&info, 1000000 - 3601), XT2_MISS);
	tc.ctx.tz_west = 60;
	assert_int_equal(time_at(&info, 1000000), XT2_MISS);
	assert_int_equal(time_at(&info, 2003600), XT2_HIT);
	info.date_start = 0;
	assert_int_equal(time_at(&info, 3599), XT2_MISS); /* before 1970 */
}

/* --- state, conntrack ---------------------------------------------------- */

static void test_state(void **state)
{
	static const u16 states[][2] = {
		{ 0, 0x01 },
		{ XT2_CT_INVALID, 0x01 },
		{ XT2_CT_ESTABLISHED, 0x02 },
		{ XT2_CT_RELATED, 0x04 },
		{ XT2_CT_NEW | XT2_CT_SNAT, 0x08 },
		{ XT2_CT_UNTRACKED, 0x40 },
	};
	u32 i, bit, mask;

	for (i = 0; i < XT2_ARRAY_SIZE(states); i++) {
		for (bit = 0; bit < 32; bit++) {
			mask = 1u << bit;
			assert_true(pack("state", 0, (u64[]){ mask }, 8) > 0);
			tc.pkt.ct.state = states[i][0];
			assert_int_equal(run(), mask == states[i][1]);
		}
	}
}

static int conntrack(const struct xt_conntrack_mtinfo3 *info)
{
	u64 payload[21] = { 0 };

	memcpy(payload, info, sizeof(*info));
	assert_true(pack("conntrack", 3, payload, 168) > 0);
	return run();
}

static int ctstate(u16 mask, bool invert)
{
	struct xt_conntrack_mtinfo3 info = {
		.match_flags = XT_CONNTRACK_STATE,
		.invert_flags = invert ? XT_CONNTRACK_STATE : 0,
		.state_mask = mask,
	};

	return conntrack(&info);
}

static void test_ctstate(void **state)
{
	static const u16 states[] = { 0x01, 0x02, 0x04, 0x08, 0x100 };
	u32 i, bit;

	for (i = 0; i < XT2_ARRAY_SIZE(states); i++) {
		for (bit = 0; bit < 16; bit++) {
			tc.pkt.ct.state = states[i];
			assert_int_equal(ctstate((u16)(1u << bit), false), 1u << bit == states[i]);
			assert_int_equal(ctstate((u16)(1u << bit), true), 1u << bit != states[i]);
		}
	}
	tc.pkt.ct.state = 0;
	assert_int_equal(ctstate(XT2_CT_INVALID, false), XT2_HIT);
	tc.pkt.ct.state = XT2_CT_NEW;
	tc.pkt.ct.status = 0x20; /* IPS_DST_NAT */
	assert_int_equal(ctstate(XT2_CT_DNAT, false), XT2_HIT);
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_MISS);
	tc.pkt.ct.state |= XT2_CT_SNAT;
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_HIT);
	tc.pkt.ct.state = XT2_CT_SNAT; /* without a connection */
	assert_int_equal(ctstate(XT2_CT_SNAT, false), XT2_MISS);
}

/* => the answer to one test, and that its inversion says the opposite */
static int test_of(struct xt_conntrack_mtinfo3 *info, u16 test)
{
	int answer, inverted;

	info->match_flags = test;
	info->invert_flags = 0;
	answer = conntrack(info);
	info->invert_flags = test;
	inverted = conntrack(info);
	assert_int_equal(answer, !inverted);
	return answer;
}

static void test_conntrack(void **state)
{
	struct xt_conntrack_mtinfo3 info = { .l4proto = 6, .status_mask = 0x0c };
	struct xt2_pkt_ct *ct = &tc.pkt.ct;

	*ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW, .proto = 6, .status = 0x08, .expires = 30 };
	tc.pkt.family = XT2_IPV4;
	assert_int_equal(test_of(&info, XT_CONNTRACK_PROTO), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_DIRECTION), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_STATUS), XT2_HIT);
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_MISS); /* 0:0 */
	info.expires_min = 30;
	info.expires_max = 31;
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_HIT);
	ct->reply = 1;
	ct->proto = 17;
	ct->status = 0x03;
	ct->expires = 32;
	assert_int_equal(test_of(&info, XT_CONNTRACK_PROTO), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_DIRECTION), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_STATUS), XT2_MISS);
	assert_int_equal(test_of(&info, XT_CONNTRACK_EXPIRES), XT2_MISS);
	info.match_flags = XT_CONNTRACK_PROTO;
	info.invert_flags = 0;
	ct->state = XT2_CT_UNTRACKED;
	ct->proto = 6;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.invert_flags = XT_CONNTRACK_PROTO;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.match_flags |= XT_CONNTRACK_STATE; /* only the state counts without a connection */
	info.state_mask = XT2_CT_UNTRACKED;
	assert_int_equal(conntrack(&info), XT2_HIT);
}

static void test_tuple(void **state)
{
	static const u16 addrs[] = { XT_CONNTRACK_ORIGSRC, XT_CONNTRACK_ORIGDST,
				     XT_CONNTRACK_REPLSRC, XT_CONNTRACK_REPLDST };
	static const u16 ports[] = { XT_CONNTRACK_ORIGSRC_PORT, XT_CONNTRACK_ORIGDST_PORT,
				     XT_CONNTRACK_REPLSRC_PORT, XT_CONNTRACK_REPLDST_PORT };
	struct xt2_pkt_ct *ct = &tc.pkt.ct;
	u64 *known[] = { ct->orig_src, ct->orig_dst, ct->repl_src, ct->repl_dst };
	u16 *known_ports[] = { &ct->orig_sport, &ct->orig_dport, &ct->repl_sport, &ct->repl_dport };
	u32 i;

	*ct = (struct xt2_pkt_ct){ .state = XT2_CT_ESTABLISHED, .tuple = 1 };
	for (i = 0; i < 4; i++) {
		struct xt_conntrack_mtinfo3 info = { 0 };
		u64 *addr = (u64 *)&info + 4 * i;
		u16 *low = &info.origsrc_port + i, *high = &info.origsrc_port_high + i;

		tc.pkt.family = XT2_IPV6;
		known[i][0] = 0x1111;
		known[i][1] = 0x2222;
		addr[0] = 0x1111;
		addr[1] = 0x3322;
		addr[2] = ~0ull;
		addr[3] = 0xff;
		assert_int_equal(test_of(&info, addrs[i]), XT2_HIT);
		addr[3] = 0x1ff;
		assert_int_equal(test_of(&info, addrs[i]), XT2_MISS);
		tc.pkt.family = XT2_IPV4; /* only the first four bytes */
		assert_int_equal(test_of(&info, addrs[i]), XT2_HIT);
		addr[0] = 0x1112;
		assert_int_equal(test_of(&info, addrs[i]), XT2_MISS);

		*known_ports[i] = 443;
		*low = 443;
		*high = 444;
		assert_int_equal(test_of(&info, ports[i]), XT2_HIT);
		*low = 444;
		assert_int_equal(test_of(&info, ports[i]), XT2_MISS);
		*low = 1;
		*high = 442;
		assert_int_equal(test_of(&info, ports[i]), XT2_MISS);
		*known_ports[i] = 0;
		known[i][0] = known[i][1] = 0;
	}
}

/* Addresses that the host does not know match nothing. */
static void test_no_tuple(void **state)
{
	struct xt_conntrack_mtinfo3 info = { .match_flags = XT_CONNTRACK_ORIGSRC };

	tc.pkt.ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW };
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.invert_flags = XT_CONNTRACK_ORIGSRC;
	assert_int_equal(conntrack(&info), XT2_MISS);
	info.match_flags = info.invert_flags = XT_CONNTRACK_REPLDST_PORT;
	assert_int_equal(conntrack(&info), XT2_MISS);
}

/* Earlier revisions: one port in network order, narrower masks; and what it takes. */
static void test_revisions(void **state)
{
	struct xt_conntrack_mtinfo1 v1 = {
		.match_flags = XT_CONNTRACK_ORIGDST_PORT,
		.origdst_port = __builtin_bswap16(53),
	};
	struct xt_conntrack_mtinfo2 v2 = { .match_flags = XT_CONNTRACK_STATE, .state_mask = 0x108 };
	struct xt_conntrack_mtinfo3 v3 = {
		.match_flags = XT_CONNTRACK_STATE | XT_CONNTRACK_STATE_ALIAS,
		.state_mask = XT2_CT_ESTABLISHED,
	};
	u64 payload[21] = { 0 };

	tc.pkt.ct = (struct xt2_pkt_ct){ .state = XT2_CT_NEW, .tuple = 1, .orig_dport = 53 };
	assert_true(pack("conntrack", 1, &v1, 152) > 0);
	assert_int_equal(run(), XT2_HIT);
	tc.pkt.ct.orig_dport = 54;
	assert_int_equal(run(), XT2_MISS);
	memcpy(payload, &v2, sizeof(v2));
	assert_int_equal(pack("conntrack", 2, payload, 160), 16);
	assert_int_equal(run(), XT2_HIT);
	memcpy(payload, &v3, sizeof(v3));
	assert_int_equal(pack("conntrack", 3, payload, 168), 16);
	assert_int_equal(run(), XT2_MISS);
}

static int setup(void **state)
{
	case_reset(&tc);
	memset(room, 0, sizeof(room));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_fixpoint, setup),
		cmocka_unit_test_setup(test_damaged, setup),
		cmocka_unit_test_setup(test_refused, setup),
		cmocka_unit_test_setup(test_limit, setup),
		cmocka_unit_test_setup(test_limit_clock, setup),
		cmocka_unit_test_setup(test_quota, setup),
		cmocka_unit_test_setup(test_nth, setup),
		cmocka_unit_test_setup(test_random, setup),
		cmocka_unit_test_setup(test_calendar, setup),
		cmocka_unit_test_setup(test_time_of_day, setup),
		cmocka_unit_test_setup(test_dates, setup),
		cmocka_unit_test_setup(test_state, setup),
		cmocka_unit_test_setup(test_ctstate, setup),
		cmocka_unit_test_setup(test_conntrack, setup),
		cmocka_unit_test_setup(test_tuple, setup),
		cmocka_unit_test_setup(test_no_tuple, setup),
		cmocka_unit_test_setup(test_revisions, setup),
	};

	case_seed_set();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
