/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-target.c - translators/ext/xt-target.c
 *
 * Payloads are random within what the kernel accepts and must come back byte
 * for byte.  A run prints its seed; XT2_SEED=n runs it again.
 */
#include "tests/unit/target-case.h"
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_LOG.h>
#include <linux/netfilter/xt_NFLOG.h>
#include <linux/netfilter/xt_NFQUEUE.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_mark.h>

struct sample {
	const char *name;
	u8 revision;
	u8 family; /* 0: both */
	u16 size;
	void (*fill)(u8 *payload, u8 family);
};

static void fill_reject(u8 *p, u8 family)
{
	u32 with = case_random() % 9;

	if (with == (family == XT2_IPV4 ? 4 : 5))
		with = 0;
	memcpy(p, &with, 4);
}

static void fill_text(u8 *p, u32 room)
{
	u32 i, n = case_random() % room;

	for (i = 0; i < n; i++)
		p[i] = (u8)(1 + case_random() % 255);
}

static void fill_log(u8 *p, u8 family)
{
	p[0] = case_random() % 8;
	p[1] = (u8)case_random();
	fill_text(p + 2, 30);
}

static void fill_nflog(u8 *p, u8 family)
{
	struct xt_nflog_info *info = (struct xt_nflog_info *)p;

	info->len = case_random() % 3 ? 0 : case_random();
	info->group = (u16)case_random();
	info->threshold = case_random() % 2 ? 0 : (u16)case_random();
	info->flags = case_random() % 2;
	fill_text((u8 *)info->prefix, 64);
}

static void fill_nfqueue(u8 *p, u8 family)
{
	struct xt_NFQ_info_v3 *info = (struct xt_NFQ_info_v3 *)p;

	info->queuenum = (u16)(case_random() & 0x7fff);
	info->queues_total = (u16)(1 + (case_random() % 2 ? 0 : case_random() & 0x7fff));
}

static void fill_nfqueue0(u8 *p, u8 family)
{
	*(u16 *)p = (u16)case_random();
}

static void fill_nfqueue2(u8 *p, u8 family)
{
	fill_nfqueue(p, family);
	((struct xt_NFQ_info_v3 *)p)->flags = case_random() % 2;
}

static void fill_nfqueue3(u8 *p, u8 family)
{
	fill_nfqueue(p, family);
	((struct xt_NFQ_info_v3 *)p)->flags = case_random() % 4;
}

static void fill_mark(u8 *p, u8 family)
{
	u32 v[2] = { case_number(), case_random() % 2 ? ~0u : case_number() };

	memcpy(p, v, sizeof(v));
}

static void fill_connmark1(u8 *p, u8 family)
{
	u32 v[3] = { case_number(), case_number(), case_number() };

	memcpy(p, v, sizeof(v));
	p[12] = case_random() % 3;
}

static void fill_connmark2(u8 *p, u8 family)
{
	fill_connmark1(p, family);
	p[14] = p[12];
	p[12] = case_random() % 2;
	p[13] = case_random() % 32;
}

static void fill_classify(u8 *p, u8 family)
{
	*(u32 *)p = case_number();
}

static void fill_nothing(u8 *p, u8 family)
{
}

static void fill_ct0(u8 *p, u8 family)
{
	struct xt_ct_target_info_v1 *info = (struct xt_ct_target_info_v1 *)p;

	info->flags = case_random() % 2;
	info->zone = (u16)(case_random() % 2 ? 0 : case_random());
	info->ct_events = case_random() % 2 ? 0 : case_number();
	info->exp_events = case_random() % 2 ? 0 : case_number();
	if (case_random() % 2)
		fill_text((u8 *)info->helper, 16);
}

static void fill_ct1(u8 *p, u8 family)
{
	struct xt_ct_target_info_v1 *info = (struct xt_ct_target_info_v1 *)p;

	fill_ct0(p, family);
	if (case_random() % 2)
		fill_text((u8 *)info->timeout, 32);
}

static void fill_ct2(u8 *p, u8 family)
{
	fill_ct1(p, family);
	((struct xt_ct_target_info_v1 *)p)->flags = case_random() % 32;
}

static void fill_ttl(u8 *p, u8 family)
{
	p[0] = case_random() % 3;
	p[1] = (u8)(1 + case_random() % 255);
}

static void fill_tos(u8 *p, u8 family)
{
	p[0] = (u8)case_random();
	p[1] = (u8)case_random();
}

static void fill_dscp(u8 *p, u8 family)
{
	p[0] = case_random() % 64;
}

static void fill_ecn(u8 *p, u8 family)
{
	p[0] = (u8)(case_random() & 0x31);
	p[1] = case_random() % 4;
	p[2] = case_random() % 4;
}

static void fill_tcpmss(u8 *p, u8 family)
{
	*(u16 *)p = (u16)case_random();
}

static const struct sample samples[] = {
	{ "REJECT", 0, 0, 8, fill_reject },
	{ "LOG", 0, 0, 32, fill_log },
	{ "NFLOG", 0, 0, 80, fill_nflog },
	{ "NFQUEUE", 0, 0, 8, fill_nfqueue0 },
	{ "NFQUEUE", 1, 0, 8, fill_nfqueue },
	{ "NFQUEUE", 2, 0, 8, fill_nfqueue2 },
	{ "NFQUEUE", 3, 0, 8, fill_nfqueue3 },
	{ "NFQUEUE", 3, XT2_ARP, 8, fill_nfqueue3 },
	{ "MARK", 2, 0, 8, fill_mark },
	{ "MARK", 2, XT2_ARP, 8, fill_mark },
	{ "CONNMARK", 1, 0, 16, fill_connmark1 },
	{ "CONNMARK", 2, 0, 16, fill_connmark2 },
	{ "CLASSIFY", 0, 0, 8, fill_classify },
	{ "CLASSIFY", 0, XT2_ARP, 8, fill_classify },
	{ "TRACE", 0, 0, 0, fill_nothing },
	{ "NOTRACK", 0, 0, 0, fill_nothing },
	{ "CT", 0, 0, 40, fill_ct0 },
	{ "CT", 1, 0, 72, fill_ct1 },
	{ "CT", 2, 0, 72, fill_ct2 },
	{ "TTL", 0, XT2_IPV4, 8, fill_ttl },
	{ "HL", 0, XT2_IPV6, 8, fill_ttl },
	{ "TOS", 1, 0, 8, fill_tos },
	{ "DSCP", 0, 0, 8, fill_dscp },
	{ "ECN", 0, XT2_IPV4, 8, fill_ecn },
	{ "TCPMSS", 0, 0, 8, fill_tcpmss },
};

static void once(const struct sample *s, u8 family)
{
	u64 payload[32] = { 0 }, back[32];
	const struct xt2_row *row = NULL;

	s->fill((u8 *)payload, family);
	assert_true(target_pack(family, s->name, s->revision, payload, s->size) >= 0);
	add_tcp(SYN);
	assert_int_equal(target_check(family), 0);
	assert_int_equal(xt2_target_unpack(family, tc.rule, &row, back, sizeof(back)), s->size);
	assert_string_equal(row->name, s->name);
	assert_int_equal(row->revision, s->revision);
	assert_memory_equal(back, payload, s->size);
	case_packet4(&tc, 20, 40);
	tc.pkt.family = family;
	assert_int_not_equal(target_run(), XT2_ACCEPT);
	assert_int_equal(tc.ctx.faults, 0);
}

static void test_fixpoint(void **state)
{
	u32 i, round;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		for (round = 0; round < 400; round++)
			once(s, s->family ? s->family : round % 2 ? XT2_IPV4 : XT2_IPV6);
	}
}

/* Every single bit of the argument and of the data is changed: no crash, and the row agrees. */
static void test_damaged(void **state)
{
	u64 payload[32], back[32];
	const struct xt2_row *row;
	u32 i, bit, bits, target;

	for (i = 0; i < XT2_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];
		u8 family = s->family ? s->family : XT2_IPV4;

		memset(payload, 0, sizeof(payload));
		s->fill((u8 *)payload, family);
		assert_true(target_pack(family, s->name, s->revision, payload, s->size) >= 0);
		add_tcp(SYN);
		target = tc.rule->target;
		bits = 24 + 8 * xt2_rule_target_size(tc.rule);
		for (bit = 0; bit < bits; bit++) {
			u8 *data = xt2_rule_target_data(tc.rule);

			if (bit < 24)
				tc.rule->target = target ^ 0x100u << bit;
			else
				data[(bit - 24) / 8] ^= 1 << bit % 8;
			if (!target_check(family)) {
				case_packet4(&tc, 20, 40);
				tc.pkt.family = family;
				target_run();
				assert_true(xt2_target_unpack(family, tc.rule, &row, back,
							      sizeof(back)) >= 0);
				assert_string_equal(row->name, s->name);
			}
			if (bit >= 24)
				data[(bit - 24) / 8] ^= 1 << bit % 8;
			tc.rule->target = target;
		}
		/* 8 bytes more would make a MARK of 0 without data one with data, 0/0 */
		tc.rule->size += 16;
		memset((u8 *)tc.rule + tc.rule->size - 16, 0, 16);
		assert_int_equal(target_check(family), -EINVAL);
	}
}

/* As libxtables 1.8.9 writes them, byte for byte; the sizes are those of the packed data. */
static void test_tight(void **state)
{
	struct xt_log_info log = { 4, 0, "" };
	struct xt_mark_tginfo2 mark = { 0x10, ~0u };
	struct xt_ct_target_info_v1 ct = { .flags = 3 };

	assert_int_equal(target_pack(XT2_IPV4, "LOG", 0, &log, 32), 0);
	strcpy(log.prefix, "seven: ");
	assert_int_equal(target_pack(XT2_IPV4, "LOG", 0, &log, 32), 8);
	strcpy(log.prefix, "eight..:.");
	assert_int_equal(target_pack(XT2_IPV4, "LOG", 0, &log, 32), 16);
	assert_int_equal(target_pack(XT2_IPV4, "MARK", 2, &mark, 8), 0);
	mark.mask = 0xf;
	assert_int_equal(target_pack(XT2_IPV4, "MARK", 2, &mark, 8), 8);
	assert_int_equal(target_pack(XT2_IPV4, "CT", 2, &ct, 72), 0);
	ct.zone = 7;
	assert_int_equal(target_pack(XT2_IPV4, "CT", 2, &ct, 72), 8);
}

static void test_refused(void **state)
{
	struct xt_NFQ_info_v3 q = { 1, 0, 0 };
	struct xt_connmark_tginfo2 cm = { .shift_bits = 32 };
	struct xt_ct_target_info_v1 ct = { .flags = 0x20 };
	struct xt_log_info log = { 8, 0, "" };
	struct xt_nflog_info nflog = { .flags = 2 };
	u8 p[8] = { 0 };

	p[0] = 4;
	assert_int_equal(target_pack(XT2_IPV4, "REJECT", 0, p, 8), -EINVAL);
	assert_true(target_pack(XT2_IPV6, "REJECT", 0, p, 8) >= 0);
	p[0] = 5;
	assert_int_equal(target_pack(XT2_IPV6, "REJECT", 0, p, 8), -EINVAL);
	p[0] = 64;
	assert_int_equal(target_pack(XT2_IPV4, "DSCP", 0, p, 8), -EDOM);
	p[0] = 2;
	assert_int_equal(target_pack(XT2_IPV4, "ECN", 0, p, 8), -EINVAL);
	assert_int_equal(target_pack(XT2_IPV4, "TTL", 0, p, 8), -EINVAL); /* lower by 0 */
	p[0] = 3;
	p[1] = 1;
	assert_int_equal(target_pack(XT2_IPV6, "HL", 0, p, 8), -EINVAL);
	p[0] = 1;
	p[1] = 4;
	assert_int_equal(target_pack(XT2_IPV4, "ECN", 0, p, 8), -EINVAL);
	memcpy(p, &q, sizeof(q));
	assert_int_equal(target_pack(XT2_IPV4, "NFQUEUE", 1, p, 8), -EINVAL);
	p[0] = p[1] = 0xff;
	p[2] = 2;
	assert_int_equal(target_pack(XT2_IPV4, "NFQUEUE", 1, p, 8), -ERANGE);
	p[2] = 1;
	p[4] = 2;
	assert_int_equal(target_pack(XT2_IPV4, "NFQUEUE", 2, p, 8), -EINVAL);
	p[4] = 4;
	assert_int_equal(target_pack(XT2_IPV4, "NFQUEUE", 3, p, 8), -EINVAL);
	assert_int_equal(target_pack(XT2_IPV4, "CONNMARK", 2, &cm, 16), -EINVAL);
	assert_int_equal(target_pack(XT2_IPV4, "CT", 2, &ct, 72), -EINVAL);
	ct.flags = 2;
	assert_int_equal(target_pack(XT2_IPV4, "CT", 1, &ct, 72), -EINVAL);
	ct.flags = 0;
	memset(ct.helper, 'h', sizeof(ct.helper));
	assert_int_equal(target_pack(XT2_IPV4, "CT", 1, &ct, 72), -ENAMETOOLONG);
	ct.flags = 1;
	assert_true(target_pack(XT2_IPV4, "CT", 1, &ct, 72) > 0);
	assert_int_equal(target_pack(XT2_IPV4, "LOG", 0, &log, 32), -EINVAL);
	log.level = 0;
	log.prefix[29] = 'x';
	assert_int_equal(target_pack(XT2_IPV4, "LOG", 0, &log, 32), -EINVAL);
	assert_int_equal(target_pack(XT2_IPV4, "NFLOG", 0, &nflog, 80), -EINVAL);
	nflog.flags = 0;
	nflog.prefix[63] = 'x';
	assert_int_equal(target_pack(XT2_IPV4, "NFLOG", 0, &nflog, 80), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_fixpoint, target_setup),
	cmocka_unit_test_setup(test_damaged, target_setup),
	cmocka_unit_test_setup(test_tight, target_setup),
	cmocka_unit_test_setup(test_refused, target_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
