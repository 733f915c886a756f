/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-state.c - translators/ext/xt-state.c
 *
 * Payloads are random and must come back byte for byte.  A run prints its
 * seed; XT2_SEED=n runs it again.
 */
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_quota.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_statistic.h>
#include <linux/netfilter/xt_time.h>

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

/* A name, and what iptables leaves of one that it writes over. */
static void fill_name(char *name, u32 size)
{
	u32 i, len = 1 + case_random() % (case_random() % 3 ? 8 : size - 1);

	memset(name, 0, size);
	for (i = 0; i < len; i++)
		name[i] = (char)('a' + case_random() % 26);
	if (len > 2 && case_random() % 2)
		name[1 + case_random() % (len - 1)] = 0;
}

static void fill_recent(u8 *p)
{
	static const u8 checks[] = { XT_RECENT_CHECK, XT_RECENT_UPDATE, XT_RECENT_SET,
				     XT_RECENT_REMOVE };
	struct xt_recent_mtinfo *info = (struct xt_recent_mtinfo *)p;

	info->check_set = checks[case_random() % 4];
	if (info->check_set & (XT_RECENT_CHECK | XT_RECENT_UPDATE)) {
		info->seconds = case_number();
		info->hit_count = case_random() % 129;
		info->check_set |= case_random() % 2 ? XT_RECENT_TTL : 0;
		info->check_set |= info->seconds ? XT_RECENT_REAP : 0;
	}
	info->invert = case_random() % 2;
	info->side = case_random() % 2;
	fill_name(info->name, sizeof(info->name));
}

static void fill_recent1(u8 *p)
{
	struct xt_recent_mtinfo_v1 *info = (struct xt_recent_mtinfo_v1 *)p;
	u32 i;

	fill_recent(p);
	for (i = 0; i < 4; i++)
		info->mask.all[i] = case_number();
}

/* What the revisions have alike. */
#define FILL_HASHLIMIT(info)                                        \
	do {                                                        \
		(info)->cfg.avg = 1 + case_random() % 1000000;      \
		(info)->cfg.burst = 1 + case_random() % 10;         \
		(info)->cfg.mode = case_random() % 32;              \
		(info)->cfg.size = case_number();                   \
		(info)->cfg.max = case_number();                    \
		(info)->cfg.gc_interval = 1 + case_random() % 5000; \
		(info)->cfg.expire = case_number() | 1;             \
		(info)->cfg.srcmask = case_random() % 33;           \
		(info)->cfg.dstmask = case_random() % 33;           \
		fill_name((info)->name, sizeof((info)->name));      \
	} while (0)

static void fill_hashlimit1(u8 *p)
{
	FILL_HASHLIMIT((struct xt_hashlimit_mtinfo1 *)p);
}

static void fill_hashlimit2(u8 *p)
{
	FILL_HASHLIMIT((struct xt_hashlimit_mtinfo2 *)p);
}

static void fill_hashlimit3(u8 *p)
{
	struct xt_hashlimit_mtinfo3 *info = (struct xt_hashlimit_mtinfo3 *)p;

	FILL_HASHLIMIT(info);
	info->cfg.interval = case_number();
	if (case_random() % 3)
		return;
	info->cfg.mode |= XT_HASHLIMIT_BYTES;
	info->cfg.avg = 2 + case_number() % 1000;
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
	{ "recent", 0, 216, 212, fill_recent },
	{ "recent", 1, 232, 228, fill_recent1 },
	{ "hashlimit", 1, 56, 48, fill_hashlimit1 },
	{ "hashlimit", 2, 304, 296, fill_hashlimit2 },
	{ "hashlimit", 3, 312, 304, fill_hashlimit3 },
};

static void test_fixpoint(void **state)
{
	u64 payload[40], back[40];
	const struct xt2_row *row = NULL;
	u32 i, round;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		for (round = 0; round < 1000; round++) {
			memset(payload, 0, sizeof(payload));
			s->fill((u8 *)payload);
			assert_true(state_pack(s->name, s->revision, payload, s->size) > 0);
			assert_int_equal(xt2_match_unpack(XT2_IPV6, m, &row, back, sizeof(back)),
					 s->size);
			assert_string_equal(row->name, s->name);
			assert_int_equal(row->revision, s->revision);
			assert_memory_equal(back, payload, s->user);
			memset(payload, 0, sizeof(payload));
			assert_memory_equal((u8 *)back + s->user, payload, s->size - s->user);
			tc.ctx.now = case_random() * SECOND;
			state_run();
		}
	}
}

/* Every single bit is changed: refused, or still safe to run and to unpack. */
static void test_damaged(void **state)
{
	u64 payload[40], back[40];
	const struct xt2_row *row;
	u32 i, bit;
	int used;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		memset(payload, 0, sizeof(payload));
		s->fill((u8 *)payload);
		assert_true(state_pack(s->name, s->revision, payload, s->size) > 0);
		for (bit = 8; bit < m->size * 8u; bit++) {
			u8 *p = (u8 *)m + bit / 8;
			u32 size = m->size;

			if (bit >= 32 && bit < 64 && xt2_match_info(m->type) & XT2_EXT_CELL)
				continue; /* the cell's number is the image's matter */
			*p ^= 1 << bit % 8;
			if (m->size != size) { /* a name may end earlier */
				assert_true(xt2_match_info(m->type) & XT2_EXT_MEMORY ||
					    xt2_match_ext_check(m, XT2_IPV4) == -EINVAL);
			} else if (!xt2_match_ext_check(m, XT2_IPV4)) {
				state_run();
				used = xt2_match_unpack(XT2_IPV4, m, &row, back, sizeof(back));
				assert_true(used > 0);
				assert_int_equal(used, row->size);
			}
			*p ^= 1 << bit % 8;
		}
	}
}

/* The kernel refuses it; or it is more than the body does, or was not written by iptables. */
static void test_recent_refused(void **state)
{
	struct xt_recent_mtinfo_v1 info;
	u32 i;
#define RECENT(answer, ...)                                                      \
	do {                                                                     \
		info = (struct xt_recent_mtinfo_v1){ .name = "x", __VA_ARGS__ }; \
		assert_int_equal(state_pack("recent", 1, &info, 232), answer);   \
	} while (0)

	RECENT(-EINVAL, .check_set = 0);
	RECENT(-EINVAL, .check_set = XT_RECENT_SET | XT_RECENT_CHECK);
	RECENT(-EINVAL, .check_set = XT_RECENT_SET, .seconds = 1);
	RECENT(-EINVAL, .check_set = XT_RECENT_REMOVE, .hit_count = 1);
	RECENT(-EINVAL, .check_set = XT_RECENT_SET | XT_RECENT_TTL);
	RECENT(-EINVAL, .check_set = XT_RECENT_CHECK | XT_RECENT_REAP);
	RECENT(-EINVAL, .check_set = 0x40 | XT_RECENT_CHECK);
	RECENT(0, .check_set = XT_RECENT_CHECK, .hit_count = 129);
	RECENT(0, .check_set = XT_RECENT_CHECK, .invert = 2);
	RECENT(0, .check_set = XT_RECENT_CHECK, .side = 2);
	RECENT(40, .check_set = XT_RECENT_CHECK, .hit_count = 128);
	for (i = 0; i < 2; i++) { /* the byte that nothing is in */
		((u8 *)&info)[211] = (u8)i;
		assert_int_equal(state_pack("recent", 1, &info, 232), i ? 0 : 40);
	}
	memset(info.name, 'a', sizeof(info.name));
	assert_int_equal(state_pack("recent", 1, &info, 232), 0);
}

static void test_hashlimit_refused(void **state)
{
	struct xt_hashlimit_mtinfo3 info;
#define HASHLIMIT(answer, ...)                                                         \
	do {                                                                           \
		info = (struct xt_hashlimit_mtinfo3){                                  \
			.name = "x",                                                   \
			.cfg = { .avg = 9, .burst = 1, .expire = 1, .gc_interval = 1 } \
		};                                                                     \
		__VA_ARGS__;                                                           \
		assert_int_equal(state_pack("hashlimit", 3, &info, 312), answer);      \
	} while (0)

	HASHLIMIT(56, (void)0);
	HASHLIMIT(-ERANGE, info.cfg.burst = 0);
	HASHLIMIT(-ERANGE, info.cfg.avg = 1ull << 36, info.cfg.burst = 2);
	HASHLIMIT(-EINVAL, info.cfg.mode = XT_HASHLIMIT_BYTES, info.cfg.avg = 1);
	HASHLIMIT(-EINVAL, info.cfg.mode = 0x80);
	HASHLIMIT(-EINVAL, info.cfg.expire = 0);
	HASHLIMIT(-EINVAL, info.cfg.gc_interval = 0);
	HASHLIMIT(-EINVAL, info.cfg.srcmask = 33);
	HASHLIMIT(-EINVAL, info.cfg.dstmask = 33);
	HASHLIMIT(0, info.cfg.mode = XT_HASHLIMIT_RATE_MATCH, info.cfg.interval = 1);
	HASHLIMIT(0, info.name[0] = 0);
	HASHLIMIT(0, ((u8 *)&info)[255] = 1);
	HASHLIMIT(0, ((u8 *)&info)[300] = 1);
	HASHLIMIT(0, memset(info.name, 'a', sizeof(info.name)));
}

static void test_refused(void **state)
{
	struct xt_time_info t = { .daytime_start = 86400 };
	struct xt_statistic_info s = { .mode = 2 };
	struct xt_rateinfo l = { .avg = 10000 };
	struct xt_quota_info q = { .flags = 2 };
	struct xt_conntrack_mtinfo3 ct = { 0 };
	u64 padded[21] = { 0 };

	assert_int_equal(state_pack("time", 0, &t, 24), -EDOM);
	t = (struct xt_time_info){ .daytime_stop = 86400 };
	assert_int_equal(state_pack("time", 0, &t, 24), -EDOM);
	t = (struct xt_time_info){ .flags = 4 };
	assert_int_equal(state_pack("time", 0, &t, 24), -EINVAL);
	t = (struct xt_time_info){ .flags = 2, .daytime_stop = 1 };
	assert_int_equal(state_pack("time", 0, &t, 24), -EINVAL);
	assert_int_equal(state_pack("statistic", 0, &s, 24), -EINVAL);
	s = (struct xt_statistic_info){ .flags = 2 };
	assert_int_equal(state_pack("statistic", 0, &s, 24), -EINVAL);
	assert_int_equal(state_pack("limit", 0, &l, 40), -ERANGE); /* no burst */
	l.burst = 429497;
	assert_int_equal(state_pack("limit", 0, &l, 40), -ERANGE); /* overflow */
	l.burst = 5;
	l.cost = 1;
	assert_int_equal(state_pack("limit", 0, &l, 40), 0); /* a kernel's own number: carried */
	assert_int_equal(state_pack("quota", 0, &q, 24), -EINVAL);
	memcpy(padded, &ct, sizeof(ct));
	assert_true(state_pack("conntrack", 3, padded, 168) > 0);
	assert_int_equal(xt2_match_pack(xt2_row_find(XT2_ARP, false, "conntrack", 3), XT2_ARP,
					padded, 168, m, sizeof(room)),
			 -EPROTO);
	assert_int_equal(state_pack("conntrack", 3, padded, 160), -EINVAL);
	assert_int_equal(state_pack("conntrack", 4, padded, 168), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_fixpoint, state_setup),
	cmocka_unit_test_setup(test_damaged, state_setup),
	cmocka_unit_test_setup(test_recent_refused, state_setup),
	cmocka_unit_test_setup(test_hashlimit_refused, state_setup),
	cmocka_unit_test_setup(test_refused, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
