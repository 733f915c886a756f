/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has been a hole in the kernel's way from SET_REPLACE to a rule, each as
 * blobs of every format that it can be said in.  CVE-2018-1068 is with the
 * bridges' tests.  CVE-2010-0007 was about who may call, which is the caller's
 * business here: it has no blob.
 *
 * XT2_CVE_DUMP=DIR writes the blobs there, for tests/prop/legacy-kernel send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_cgroup.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_policy.h>
#include <linux/netfilter/xt_rateest.h>
#include <linux/netfilter/xt_RATEEST.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_sctp.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>
#include <linux/netfilter_ipv6/ip6t_opts.h>
#include <linux/netfilter_ipv6/ip6t_rt.h>
#include <xt2/sockopt.h>
#include "tests/legacy/blob.h"

/* Its first base chain holds the rules of a case. */
static struct blob *begin(const struct shape *s)
{
	struct blob *b = blob_new(s);

	b->hook = (u32)__builtin_ctz(s->hooks);
	put32(b->bytes + 44 + 4 * b->hook, 0);
	return b;
}

static void policy(struct blob *b)
{
	put32(b->bytes + b->s->underflow + 4 * b->hook, offset(b));
	plain(b, -2);
}

/* The policy of the first base chain, and the other two. */
static void policies(struct blob *b)
{
	u32 n;

	for (n = 0; n < 3; n++, b->hook++) {
		if (n)
			put32(b->bytes + 44 + 4 * b->hook, offset(b));
		policy(b);
	}
}

static void header(struct blob *b)
{
	put32(b->bytes + 32, b->s->hooks);
	put32(b->bytes + 36, b->entries);
	put32(b->bytes + 40, offset(b));
	put32(b->bytes + b->s->num_counters, 4);
}

static void whole(struct blob *b)
{
	policies(b);
	head(b, "ERROR");
	header(b);
}

/* --- the answer ------------------------------------------------------------------- */

static struct xt2_legacy in;
static struct xt2_legacy_err err;
static struct xt2_legacy_sink sink;
static u32 rules;

static int carry(void *data, u8 kind, u8 revision, const char *name, const void *payload, u32 size)
{
	return 0;
}

static int cell(void *data, u8 family, const struct xt2_match *m)
{
	return 0;
}

static void read_all(void)
{
	struct xt2_legacy_chain c;
	u32 i;
	int ret;

	sink.instance = carry;
	sink.cell = cell;
	for (rules = i = 0; i < in.chains; i++) {
		xt2_legacy_chain(&in, i, &c);
		while ((ret = xt2_legacy_rule(&in, &c, &sink)) > 0)
			rules++;
		assert_int_equal(ret, 0);
	}
}

static void dump(const struct blob *b, u32 len, int ret)
{
	static u32 number;
	const char *dir = getenv("XT2_CVE_DUMP");
	char path[512];
	FILE *to;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%03u-%s-%d", dir, number++, b->s->name, -ret);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(b->bytes, 1, len, to);
	fclose(to);
}

/* In memory of exactly this size.  => what xt2_legacy_check() says; all rules have been read */
static int answer(const struct blob *b, u32 len)
{
	void *scratch = malloc(xt2_legacy_scratch(b->s->family, b->s->compat, len));
	u8 *exact = malloc(len + 1);
	int ret;

	memcpy(exact, b->bytes, len);
	exact = realloc(exact, len ? len : 1);
	memset(&err, 0, sizeof(err));
	ret = xt2_legacy_check(&in, b->s->family, b->s->compat, exact, len, scratch, &err);
	if (!ret)
		read_all();
	dump(b, len, ret);
	free(exact);
	free(scratch);
	return ret;
}

static int answer_free(struct blob *b)
{
	int ret = answer(b, b->len);

	free(b);
	return ret;
}

static void refused(struct blob *b, int why, const char *field)
{
	const char *format = b->s->name;
	int ret = answer_free(b);

	if (ret != why)
		fail_msg("%s, %s: %d instead of %d: %s", format, field ? field : "-", ret, why,
			 err.what ? err.what : "-");
	assert_non_null(err.what);
	if (field)
		assert_string_equal(err.field, field);
}

static struct blob *matching(const struct shape *s, u32 proto, const char *name, u8 revision,
			     const void *payload, u32 size)
{
	struct blob *b = begin(s);

	rule_begin(b, proto);
	extension(b, name, revision, payload, size);
	verdict(b, -1);
	whole(b);
	return b;
}

static struct blob *targeting(const struct shape *s, const char *name, u8 revision,
			      const void *payload, u32 size)
{
	struct blob *b = begin(s);

	rule_begin(b, 0);
	target(b, name, revision, payload, size);
	whole(b);
	return b;
}

#define for_each_shape(s, families)                    \
	for ((s) = shapes; (s) < shapes + EACH; (s)++) \
		if ((families) & (s)->bit)

/* --- the table ---------------------------------------------------------------------- */

/* A policy with a match was unconditional, and jumps led into rules. */
static void test_cve_2016_3134(void **state)
{
	const struct shape *s;
	struct blob *b;
	u8 mark[12] = { 0 };

	for_each_shape(s, IP | IPV6)
	{
		b = begin(s);
		put32(b->bytes + s->underflow + 4 * b->hook, 0);
		rule_begin(b, 0);
		extension(b, "mark", 1, mark, sizeof(mark));
		verdict(b, -2);
		whole(b);
		put32(b->bytes + s->underflow + 4, 0);
		refused(b, -EINVAL, "underflow");
	}
	for_each_shape(s, IP | IPV6 | ARP)
	{
		b = begin(s);
		plain(b, 16);
		whole(b);
		refused(b, -ELOOP, "verdict");
		b = begin(s);
		plain(b, -1);
		put16(b->bytes + b->rule + s->target + 2, 0xfff8);
		whole(b);
		refused(b, -EINVAL, "next_offset");
	}
}

/* The size of a table with the kernel's header wrapped around. */
static void test_cve_2016_3135(void **state)
{
	static const u32 sizes[] = { 0xffffffff, 0xfffffff8, 0xffffffa0, 0xffffff00, 0x80000000 };
	const struct shape *s;
	struct blob *b;
	size_t i;

	for_each_shape(s, IP | IPV6 | ARP) for (i = 0; i < XT2_ARRAY_SIZE(sizes); i++)
	{
		b = begin(s);
		whole(b);
		put32(b->bytes + 40, sizes[i]);
		refused(b, -EINVAL, "size");
	}
}

/* A target that begins in its entry's header: written to, and freed. */
static void test_cve_2016_4997(void **state)
{
	static const u32 offsets[] = { 0, 32, 74, 0x7ff8, 0xffff };
	const struct shape *s;
	struct blob *b;
	size_t i;

	for_each_shape(s, IP | IPV6 | ARP) for (i = 0; i < XT2_ARRAY_SIZE(offsets); i++)
	{
		b = begin(s);
		plain(b, -1);
		put16(b->bytes + b->rule + s->target, offsets[i]);
		whole(b);
		refused(b, -EINVAL, "target_offset");
	}
}

/* Matches and targets that end behind their entry, and behind the table. */
static void test_cve_2016_4998(void **state)
{
	static const u32 sizes[] = { 0, 31, 0x7ff8, 0xffff };
	const struct shape *s;
	struct blob *b;
	u8 mark[12] = { 0 };
	size_t i;

	for_each_shape(s, IP | IPV6) for (i = 0; i < XT2_ARRAY_SIZE(sizes); i++)
	{
		b = matching(s, 0, "mark", 1, mark, sizeof(mark));
		put16(b->bytes + s->header + s->entry, sizes[i]);
		refused(b, -EINVAL, "match_size");
	}
	for_each_shape(s, IP | IPV6 | ARP) for (i = 0; i < XT2_ARRAY_SIZE(sizes); i++)
	{
		b = begin(s);
		whole(b); /* the last entry's target */
		put16(b->bytes + b->rule + s->entry, sizes[i]);
		refused(b, -EINVAL, "target_size");
	}
}

/* The padding that a compat target gets was cleared behind the converted table. */
static void test_cve_2021_22555(void **state)
{
	const struct shape *s;
	struct blob *b;
	u32 word = 7;

	for_each_shape(s, IP | IPV6 | ARP)
	{
		b = begin(s);
		policies(b);
		head(b, "chain");
		rule_begin(b, 0);
		target(b, s->family == XT2_ARP ? "CLASSIFY" : "NFQUEUE", 0, &word, 4);
		header(b);
		assert_int_equal(answer(b, b->len), 0);
		assert_int_equal(rules, 3 + 3); /* DROP and RETURN follow */
		free(b);
	}
}

/* Jumps in a table without user chains: there was no stack for them. */
static void test_cve_2018_1065(void **state)
{
	const struct shape *s;
	struct blob *b;
	u32 plain_size;

	for_each_shape(s, IP | IPV6 | ARP)
	{
		b = begin(s);
		plain_size = s->entry + (s->compat ? 36 : 40);
		plain(b, (s32)(2 * plain_size)); /* to the second base chain */
		policies(b);
		header(b);
		assert_int_equal(answer(b, b->len), 0);
		assert_int_equal(in.chains, 3);
		assert_int_equal(rules, 4);
		free(b);
	}
}

static void unterminated(u8 family)
{
	const struct shape *s;
	struct blob *b;

	for (s = shapes; s < shapes + EACH; s++) {
		if (s->family != family)
			continue;
		b = begin(s);
		whole(b);
		memset(b->bytes, 'a', 32);
		assert_int_equal(answer(b, b->len), 0);
		assert_int_equal(strlen(in.table), 31);
		assert_int_equal(xt2_legacy_check_table(&in, 0, 4, &err), -ENOENT);
		free(b);
	}
}

/* Names of tables without a NUL went to modprobe with what follows. */
static void test_cve_2011_1170(void **state)
{
	unterminated(XT2_ARP);
}

static void test_cve_2011_1171(void **state)
{
	unterminated(XT2_IPV4);
}

static void test_cve_2011_1172(void **state)
{
	unterminated(XT2_IPV6);
}

/* The same of bridges. */
static void test_cve_2011_1080(void **state)
{
	u8 *blob = calloc(1, 120 + 48), *scratch;
	int ret;

	memset(blob, 'a', 32);
	put32(blob + 32, 2); /* valid_hooks: INPUT */
	put32(blob + 40, 48);
	put32(blob + 56, 0x1000);
	put32(blob + 112, 0x1000);
	put32(blob + 120 + 40, 0xffffffff); /* policy ACCEPT */
	scratch = malloc(xt2_legacy_scratch(XT2_BRIDGE, false, 120 + 48));
	ret = xt2_legacy_check(&in, XT2_BRIDGE, false, blob, 120 + 48, scratch, &err);
	if (!ret)
		assert_int_equal(strlen(in.table), 31);
	else
		fail_msg("%d: %s", ret, err.what);
	free(scratch);
	free(blob);
}

/* The array for the old counters overflowed. */
static void test_cve_2006_0038(void **state)
{
	static const u32 numbers[] = { 0x7fffffff / 16, 0x10000000, 0x7fffffff, 0xffffffff };
	const struct shape *s;
	struct blob *b;
	size_t i;

	for_each_shape(s, IP | IPV6 | ARP) for (i = 0; i < XT2_ARRAY_SIZE(numbers); i++)
	{
		b = begin(s);
		whole(b);
		put32(b->bytes + s->num_counters, numbers[i]);
		refused(b, -ENOMEM, "num_counters");
	}
}

/* setsockopt() copied more than it was given. */
struct memory {
	const u8 *bytes;
	u32 len;
};

static int read_memory(void *data, __u64 from, void *to, size_t size)
{
	const struct memory *m = data;

	if (from + size > m->len)
		fail_msg("%zu bytes at %llu of %u", size, from, m->len);
	memcpy(to, m->bytes + from, size);
	return 0;
}

static int write_memory(void *data, __u64 to, const void *from, size_t size)
{
	return -EFAULT;
}

static void test_cve_2024_35896(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err why = { 0 };
	const struct shape *s;
	struct memory m;
	struct blob *b;

	for_each_shape(s, IP | IPV6 | ARP)
	{
		struct xt2_sockopt_caller who = {
			.compat = s->compat, .read = read_memory, .write = write_memory, .data = &m
		};
		int level = s->family == XT2_IPV6 ? 41 : 0, base = s->family == XT2_ARP ? 96 : 64;

		b = begin(s);
		whole(b);
		m.bytes = b->bytes;
		for (m.len = 0; m.len < b->len; m.len++) {
			assert_int_equal(answer(b, m.len), -EINVAL);
			assert_int_equal(xt2_sockopt_set(rs, &who, level, base, 0, m.len, &why),
					 -EINVAL);
		}
		for (m.len = 0; m.len < (s->compat ? 36u : 40u); m.len++)
			assert_int_equal(xt2_sockopt_set(rs, &who, level, base + 1, 0, m.len, &why),
					 -EINVAL);
		free(b);
	}
	xt2_ruleset_free(rs);
}

/* --- extensions ---------------------------------------------------------------------- */

/* u32: more tests, places and ranges than there is room for. */
static void test_cve_2023_39192(void **state)
{
	const struct shape *s;
	struct xt_u32 u;

	for_each_shape(s, IP | IPV6)
	{
		memset(&u, 0, sizeof(u));
		u.ntests = XT_U32_MAXSIZE + 2;
		refused(matching(s, 0, "u32", 0, &u, sizeof(u)), -EINVAL, "u32");
		u.ntests = 1;
		u.tests[0].nnums = XT_U32_MAXSIZE + 2;
		refused(matching(s, 0, "u32", 0, &u, sizeof(u)), -EINVAL, "u32");
		u.tests[0].nnums = 1;
		u.tests[0].nvalues = XT_U32_MAXSIZE + 2;
		refused(matching(s, 0, "u32", 0, &u, sizeof(u)), -EINVAL, "u32");
		u.tests[0].nvalues = 1;
		assert_int_equal(answer_free(matching(s, 0, "u32", 0, &u, sizeof(u))), 0);
	}
}

/* sctp: more flags of chunks than there is room for. */
static void test_cve_2023_39193(void **state)
{
	struct xt_sctp_info info = { .flags = XT_SCTP_CHUNK_TYPES,
				     .chunk_match_type = SCTP_CHUNK_MATCH_ANY,
				     .flag_count = XT_NUM_SCTP_FLAGS };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		info.flag_count = XT_NUM_SCTP_FLAGS;
		assert_int_equal(answer_free(matching(s, 132, "sctp", 0, &info, sizeof(info))), 0);
		info.flag_count++;
		refused(matching(s, 132, "sctp", 0, &info, sizeof(info)), -EINVAL, "sctp");
		info.flag_count = -1;
		refused(matching(s, 132, "sctp", 0, &info, sizeof(info)), -EINVAL, "sctp");
	}
}

/* multiport: a range without its end, behind the last port. */
static void test_cve_2026_31681(void **state)
{
	struct xt_multiport_v1 m = { .flags = XT_MULTIPORT_DESTINATION };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		memset(m.pflags, 0, sizeof(m.pflags));
		m.count = XT_MULTI_PORTS;
		m.pflags[13] = 1;
		assert_int_equal(answer_free(matching(s, 6, "multiport", 1, &m, sizeof(m))), 0);
		m.pflags[13] = 0;
		m.pflags[14] = 1;
		refused(matching(s, 6, "multiport", 1, &m, sizeof(m)), -EINVAL, "multiport");
		m.count = 1;
		m.pflags[0] = 1;
		refused(matching(s, 6, "multiport", 1, &m, sizeof(m)), -EINVAL, "multiport");
		m.count = 4;
		m.pflags[1] = 1;
		refused(matching(s, 6, "multiport", 1, &m, sizeof(m)), -EINVAL, "multiport");
	}
}

/* hbh, dst, rt: more options or addresses than there is room for. */
static void test_cve_2026_52915(void **state)
{
	struct ip6t_opts opts = { .flags = IP6T_OPTS_OPTS };
	struct ip6t_rt rt = { .flags = IP6T_RT_TYP };
	const struct shape *s;
	u8 n;

	for_each_shape(s, IPV6) for (n = 16; n && n != 1; n = n == 16 ? 17 : n == 17 ? 255 : 0)
	{
		int want = n == 16 ? 0 : -EINVAL;

		opts.optsnr = n;
		rt.addrnr = n;
		assert_int_equal(answer_free(matching(s, 0, "hbh", 0, &opts, sizeof(opts))), want);
		assert_int_equal(answer_free(matching(s, 0, "dst", 0, &opts, sizeof(opts))), want);
		assert_int_equal(answer_free(matching(s, 0, "rt", 0, &rt, sizeof(rt))), want);
	}
}

static void test_rt_without_addresses(void **state)
{
	struct ip6t_rt rt = { .flags = IP6T_RT_TYP | IP6T_RT_FST };
	const struct shape *s;

	for_each_shape(s, IPV6)
	{
		refused(matching(s, 0, "rt", 0, &rt, sizeof(rt)), -EINVAL, "rt");
		assert_true(err.stricter);
	}
}

/* Extensions of all families, used where they look at what is not there. */
static void not_for_arp(const char *name, u8 revision, u32 size)
{
	const struct shape *s;
	u8 payload[64] = { 0 };

	for_each_shape(s, ARP) refused(targeting(s, name, revision, payload, size), -EINVAL, name);
}

static void test_cve_2024_50038(void **state)
{
	not_for_arp("NFQUEUE", 0, 2);
	not_for_arp("NFQUEUE", 3, 6);
	not_for_arp("AUDIT", 0, 1);
}

static void test_cve_2026_31424(void **state)
{
	const struct shape *s;
	u8 payload[64] = { 0 };

	not_for_arp("SNAT", 1, 40);
	for_each_shape(s, ARP) /* not registered for it at all */
		refused(targeting(s, "LOG", 0, payload, 32), -ENOENT, NULL);
}

/* --- hardening without a number --------------------------------------------------------- */

static void test_names_that_do_not_end(void **state)
{
	struct xt_string_info string = { .to_offset = 100, .patlen = 1 };
	struct xt_rateest_match_info rateest = {
		.flags = XT_RATEEST_MATCH_ABS | XT_RATEEST_MATCH_BPS, .mode = XT_RATEEST_MATCH_EQ
	};
	struct xt_rateest_target_info est = { .ewma_log = 1 };
	struct idletimer_tg_info_v1 timer = { .timeout = 1 };
	static struct xt_cgroup_info_v1 group = { .has_path = 1 };
	u8 nflog[76] = { 0 };
	const struct shape *s;
	u8 nfacct[40];

	memset(string.algo, 'a', sizeof(string.algo));
	memset(rateest.name1, 'a', sizeof(rateest.name1));
	memset(est.name, 'a', sizeof(est.name));
	memset(timer.label, 'a', sizeof(timer.label));
	memset(group.path, 'a', sizeof(group.path));
	memset(nflog + 12, 'a', 64);
	memset(nfacct, 'a', sizeof(nfacct));
	for_each_shape(s, IP | IPV6)
	{
		refused(matching(s, 0, "string", 1, &string, sizeof(string)), -EINVAL, "string");
		refused(targeting(s, "NFLOG", 0, nflog, sizeof(nflog)), -EINVAL, "NFLOG");
		refused(targeting(s, "RATEEST", 0, &est, sizeof(est)), -ENAMETOOLONG, "RATEEST");
		refused(matching(s, 0, "rateest", 0, &rateest, sizeof(rateest)), -ENAMETOOLONG,
			"rateest");
		refused(targeting(s, "IDLETIMER", 1, &timer, sizeof(timer)), -EINVAL, "IDLETIMER");
		refused(matching(s, 0, "nfacct", 1, nfacct, sizeof(nfacct)), -ENOENT, "nfacct");
		refused(matching(s, 0, "cgroup", 1, &group, sizeof(group)), -ENAMETOOLONG,
			"cgroup");
	}
}

static void test_idletimer_type(void **state)
{
	struct idletimer_tg_info_v1 timer = { .timeout = 1, .label = "label", .timer_type = 2 };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
		refused(targeting(s, "IDLETIMER", 1, &timer, sizeof(timer)), -EINVAL, "IDLETIMER");
}

static void test_bpf_length(void **state)
{
	struct xt_bpf_info info = { 0 };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		info.bpf_program_num_elem = 0;
		refused(matching(s, 0, "bpf", 0, &info, sizeof(info)), -EINVAL, "bpf");
		info.bpf_program_num_elem = XT_BPF_MAX_NUM_INSTR + 1;
		refused(matching(s, 0, "bpf", 0, &info, sizeof(info)), -EINVAL, "bpf");
		info.bpf_program_num_elem = 0xffff;
		refused(matching(s, 0, "bpf", 0, &info, sizeof(info)), -EINVAL, "bpf");
	}
}

static void test_recent_hitcount(void **state)
{
	struct xt_recent_mtinfo info = { .check_set = XT_RECENT_CHECK, .name = "DEFAULT" };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		info.hit_count = 999;
		assert_int_equal(answer_free(matching(s, 0, "recent", 0, &info, sizeof(info))), 0);
		info.hit_count = 65536;
		refused(matching(s, 0, "recent", 0, &info, sizeof(info)), -EINVAL, "recent");
		info.hit_count = 0xffffffff;
		refused(matching(s, 0, "recent", 0, &info, sizeof(info)), -EINVAL, "recent");
	}
}

static void test_policy_length(void **state)
{
	struct xt_policy_info info = { .flags = XT_POLICY_MATCH_IN };
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		info.len = XT_POLICY_MAX_ELEM;
		assert_int_equal(answer_free(matching(s, 0, "policy", 0, &info, sizeof(info))), 0);
		info.len = XT_POLICY_MAX_ELEM + 1;
		refused(matching(s, 0, "policy", 0, &info, sizeof(info)), -EINVAL, "policy");
	}
}

static void test_hashlimit_zero(void **state)
{
	struct xt_hashlimit_mtinfo3 info = {
		.name = "x", .cfg = { .avg = 1000, .burst = 5, .gc_interval = 1000, .expire = 1000 }
	};
	const struct shape *s;

	for_each_shape(s, IP | IPV6)
	{
		info.cfg.burst = 0;
		refused(matching(s, 0, "hashlimit", 3, &info, sizeof(info)), -ERANGE, "hashlimit");
		info.cfg.burst = 5;
		info.cfg.gc_interval = 0;
		refused(matching(s, 0, "hashlimit", 3, &info, sizeof(info)), -EINVAL, "hashlimit");
		info.cfg.gc_interval = 1000;
		info.cfg.mode = XT_HASHLIMIT_RATE_MATCH; /* an interval of 0 */
		refused(matching(s, 0, "hashlimit", 3, &info, sizeof(info)), -EINVAL, "hashlimit");
		info.cfg.mode = 0;
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cve_2006_0038),	     cmocka_unit_test(test_cve_2011_1080),
	cmocka_unit_test(test_cve_2011_1170),	     cmocka_unit_test(test_cve_2011_1171),
	cmocka_unit_test(test_cve_2011_1172),	     cmocka_unit_test(test_cve_2016_3134),
	cmocka_unit_test(test_cve_2016_3135),	     cmocka_unit_test(test_cve_2016_4997),
	cmocka_unit_test(test_cve_2016_4998),	     cmocka_unit_test(test_cve_2018_1065),
	cmocka_unit_test(test_cve_2021_22555),	     cmocka_unit_test(test_cve_2023_39192),
	cmocka_unit_test(test_cve_2023_39193),	     cmocka_unit_test(test_cve_2024_35896),
	cmocka_unit_test(test_cve_2024_50038),	     cmocka_unit_test(test_cve_2026_31424),
	cmocka_unit_test(test_cve_2026_31681),	     cmocka_unit_test(test_cve_2026_52915),
	cmocka_unit_test(test_rt_without_addresses), cmocka_unit_test(test_names_that_do_not_end),
	cmocka_unit_test(test_idletimer_type),	     cmocka_unit_test(test_bpf_length),
	cmocka_unit_test(test_recent_hitcount),	     cmocka_unit_test(test_policy_length),
	cmocka_unit_test(test_hashlimit_zero),
};

UNITS(tests)
