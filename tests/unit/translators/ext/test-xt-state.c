/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-state.c - translators/ext/xt-state.c
 *
 * Payloads are random and must come back byte for byte.  A run prints its
 * seed; XT2_SEED=n runs it again.
 */
#include "tests/unit/state-case.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_quota.h>
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
	u64 payload[32], back[32];
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
			if (m->size != size) {
				assert_int_equal(xt2_match_ext_check(m, XT2_IPV4), -EINVAL);
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
	cmocka_unit_test_setup(test_refused, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
