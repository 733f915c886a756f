/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-legacy-entry-targets.c - translators/table/legacy-entry.c: checks of targets
 *
 * For each condition a row that is just taken, and one that is just refused.
 */
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/xt_AUDIT.h>
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_HMARK.h>
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_RATEEST.h>
#include <linux/netfilter/xt_SYNPROXY.h>
#include <linux/netfilter/xt_TCPMSS.h>
#include <linux/netfilter/xt_TEE.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_arp/arpt_mangle.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv4/ipt_CLUSTERIP.h>
#include <linux/netfilter_ipv4/ipt_ECN.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_NPT.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>
#include "tests/unit/known-case.h"

#define ROWS(rows) known_rows(rows, XT2_ARRAY_SIZE(rows), true)
#define PROTO(n)   .rule = { .proto = (n) }
#define NOT(n)	   .rule = { .proto = (n), .inv_proto = true }
#define SIX	   .rule = { .family = XT2_IPV6 }

/* clang-format off */
#define FILL(n) { [0 ... (n) - 1] = 'a' } /* n bytes that are no end of a name */

static void test_protocol(void **state)
{
#define ECN(err, op) CASE("ECN", 0, err, struct ipt_ECN_info, .operation = (op))
#define REJECT4(err, w) CASE("REJECT", 0, err, struct ipt_reject_info, .with = (w))
#define REJECT6(err, w) CASE("REJECT", 0, err, struct ip6t_reject_info, .with = (w))
#define SYNPROXY(err) CASE("SYNPROXY", 0, err, struct xt_synproxy_info, .mss = 1)
	const struct known_case rows[] = {
		{ ECN(0, IPT_ECN_OP_SET_IP) },
		{ ECN(0, IPT_ECN_OP_SET_ECE | IPT_ECN_OP_SET_CWR), PROTO(IPPROTO_TCP) },
		{ ECN(-EINVAL, IPT_ECN_OP_SET_ECE), PROTO(IPPROTO_UDP) },
		{ ECN(-EINVAL, IPT_ECN_OP_SET_CWR), NOT(IPPROTO_TCP) },
		{ REJECT4(0, IPT_TCP_RESET), PROTO(IPPROTO_TCP) },
		{ REJECT4(-EINVAL, IPT_TCP_RESET) },
		{ REJECT4(-EINVAL, IPT_TCP_RESET), PROTO(IPPROTO_UDP) },
		{ REJECT4(-EINVAL, IPT_TCP_RESET), NOT(IPPROTO_TCP) },
		{ REJECT4(0, IPT_ICMP_ADMIN_PROHIBITED) },
		{ REJECT6(0, IP6T_TCP_RESET), .rule = { .family = XT2_IPV6, .proto = IPPROTO_TCP, .flag_proto = true } },
		{ REJECT6(-EINVAL, IP6T_TCP_RESET), .rule = { .family = XT2_IPV6, .proto = IPPROTO_TCP } },
		{ REJECT6(-EINVAL, IP6T_TCP_RESET), .rule = { .family = XT2_IPV6, .proto = IPPROTO_UDP, .flag_proto = true } },
		{ REJECT6(0, IP6T_ICMP6_ADM_PROHIBITED), SIX },
		{ SYNPROXY(0), PROTO(IPPROTO_TCP) },
		{ SYNPROXY(0), .rule = { .family = XT2_IPV6, .flag_proto = true } },
		{ SYNPROXY(-EINVAL), SIX },
	};

	ROWS(rows);
}

static void test_ct(void **state)
{
#define CT(rev, err, ...) CASE("CT", rev, err, struct xt_ct_target_info_v1, __VA_ARGS__)
#define CT0(err, ...) CASE("CT", 0, err, struct xt_ct_target_info, __VA_ARGS__)
	const struct known_case rows[] = {
		{ CT0(0, .flags = XT_CT_NOTRACK, .helper = FILL(16)) },
		{ CT0(-EINVAL, .flags = XT_CT_NOTRACK_ALIAS) },
		{ CT(1, -EINVAL, .flags = XT_CT_NOTRACK_ALIAS) },
		{ CT(2, 0, .flags = XT_CT_MASK) },
		{ CT(2, -EINVAL, .flags = XT_CT_MASK + 1) },
		{ CT0(0, .helper = FILL(15)), PROTO(IPPROTO_TCP) },
		{ CT0(-ENAMETOOLONG, .helper = FILL(16)), PROTO(IPPROTO_TCP) },
		{ CT0(-ENOENT, .helper = "ftp") },
		{ CT0(-ENOENT, .helper = "ftp"), NOT(IPPROTO_TCP) },
		{ CT(1, 0, .timeout = FILL(31)), PROTO(IPPROTO_TCP) },
		{ CT(1, -ENAMETOOLONG, .timeout = FILL(32)), PROTO(IPPROTO_TCP) },
		{ CT(2, -EINVAL, .timeout = "a") },
		{ CT(2, -EINVAL, .timeout = "a"), NOT(IPPROTO_TCP) },
		{ CT(2, -ENOENT, .helper = "ftp", .timeout = FILL(32)) },
		{ CT(2, 0, .zone = 1) },
	};

	ROWS(rows);
}

static void test_npt(void **state)
{
#define NPT(name, err, ...) CASE(name, 0, err, struct ip6t_npt_tginfo, __VA_ARGS__), SIX
#define WORD(i, w) { .ip6 = { [i] = (w) } }
	const struct known_case rows[] = {
		{ NPT("SNPT", 0, .src_pfx_len = 64, .dst_pfx_len = 64, .src_pfx = WORD(1, ~0u), .dst_pfx = WORD(1, ~0u)) },
		{ NPT("SNPT", -EINVAL, .src_pfx_len = 65) },
		{ NPT("DNPT", -EINVAL, .dst_pfx_len = 65) },
		{ NPT("DNPT", 0, .src_pfx_len = 31, .src_pfx = WORD(0, __constant_htonl(2))) },
		{ NPT("SNPT", -EINVAL, .src_pfx_len = 31, .src_pfx = WORD(0, __constant_htonl(1))) },
		{ NPT("DNPT", -EINVAL, .dst_pfx_len = 64, .dst_pfx = WORD(3, __constant_htonl(1))) },
		{ NPT("DNPT", -EINVAL, .dst_pfx_len = 0, .dst_pfx = WORD(0, __constant_htonl(0x80000000))) },
	};

	ROWS(rows);
}

static void test_timers(void **state)
{
#define RATEEST(err, i, e, ...) \
	CASE("RATEEST", 0, err, struct xt_rateest_target_info, .interval = (i), .ewma_log = (e), .name = __VA_ARGS__)
#define TIMER0(err, t, ...) \
	CASE("IDLETIMER", 0, err, struct idletimer_tg_info, .timeout = (t), .label = __VA_ARGS__)
#define TIMER1(err, ...) \
	CASE("IDLETIMER", 1, err, struct idletimer_tg_info_v1, .label = "a", __VA_ARGS__)
	const struct known_case rows[] = {
		{ RATEEST(0, -2, 1, FILL(15)) },
		{ RATEEST(0, 3, 30, "a") },
		{ RATEEST(-EINVAL, -3, 1, "a") },
		{ RATEEST(-EINVAL, 4, 1, "a") },
		{ RATEEST(-EINVAL, 0, 0, "a") },
		{ RATEEST(-EINVAL, 0, 31, "a") },
		{ RATEEST(-ENAMETOOLONG, 0, 1, FILL(16)) },
		{ TIMER0(0, 1, FILL(27)) },
		{ TIMER0(-EINVAL, 0, "a") },
		{ TIMER0(0, 0x7fffffff / 1000 - 1, "a") },
		{ TIMER0(-EINVAL, 0x7fffffff / 1000, "a") },
		{ TIMER0(-EINVAL, 1, FILL(28)) },
		{ TIMER1(0, .timeout = 1, .timer_type = XT_IDLETIMER_ALARM) },
		{ TIMER1(-EINVAL, .timeout = 1, .timer_type = XT_IDLETIMER_ALARM + 1) },
		{ TIMER1(-EINVAL, .timeout = 0) },
		{ TIMER1(-EOPNOTSUPP, .timeout = 0, .send_nl_msg = 1) },
	};

	ROWS(rows);
}

static void test_marks(void **state)
{
#define AUDIT(err, t) CASE("AUDIT", 0, err, struct xt_audit_info, .type = (t))
#define HMARK(err, f, ...) CASE("HMARK", 0, err, struct xt_hmark_info, .flags = (f), __VA_ARGS__)
#define BIT(name) XT_HMARK_FLAG(XT_HMARK_##name)
	const struct known_case rows[] = {
		{ AUDIT(0, XT_AUDIT_TYPE_REJECT) },
		{ AUDIT(-ERANGE, XT_AUDIT_TYPE_REJECT + 1) },
		{ HMARK(0, 0, .hmodulus = 1, .proto_mask = 1) },
		{ HMARK(-EINVAL, 0, .hmodulus = 0) },
		{ HMARK(0, BIT(METHOD_L3), .hmodulus = 1) },
		{ HMARK(-EINVAL, BIT(METHOD_L3), .hmodulus = 1, .proto_mask = 1) },
		{ HMARK(0, BIT(SPI_MASK), .hmodulus = 1) },
		{ HMARK(0, BIT(SPORT_MASK) | BIT(DPORT_MASK), .hmodulus = 1) },
		{ HMARK(-EINVAL, BIT(SPI_MASK) | BIT(SPORT_MASK), .hmodulus = 1) },
		{ HMARK(-EINVAL, BIT(SPI_MASK) | BIT(DPORT_MASK), .hmodulus = 1) },
		{ HMARK(0, BIT(SPI), .hmodulus = 1) },
		{ HMARK(0, BIT(SPORT) | BIT(DPORT), .hmodulus = 1) },
		{ HMARK(-EINVAL, BIT(SPI) | BIT(SPORT), .hmodulus = 1) },
		{ HMARK(-EINVAL, BIT(SPI) | BIT(DPORT), .hmodulus = 1) },
	};

	ROWS(rows);
}

static void test_addresses(void **state)
{
#define TEE(err, ...) CASE("TEE", 1, err, struct xt_tee_tginfo, __VA_ARGS__)
#define RANGES struct nf_nat_ipv4_multi_range_compat
#define FOUR(name, err, n, f) CASE(name, 0, err, RANGES, .rangesize = (n), .range = { { .flags = (f) } })
#define NAT6(name, err, f) CASE(name, 0, err, struct nf_nat_range, .flags = (f)), SIX
#define MAP NF_NAT_RANGE_MAP_IPS
	const struct known_case rows[] = {
		{ TEE(0, .gw = { .ip = 1 }, .oif = "eth0") },
		{ TEE(0, .gw = { .all = { 0, 0, 0, 1 } }, .oif = FILL(15)) },
		{ TEE(0, .gw = { .ip = 1 }) },
		{ TEE(-EINVAL, .oif = "eth0") },
		{ TEE(-EINVAL, .gw = { .ip = 1 }, .oif = FILL(16)) },
		{ FOUR("NETMAP", 0, 1, MAP) },
		{ FOUR("NETMAP", -EINVAL, 1, 0) },
		{ FOUR("NETMAP", -EINVAL, 2, MAP) },
		{ FOUR("NETMAP", -EINVAL, 0, MAP) },
		{ FOUR("MASQUERADE", 0, 1, NF_NAT_RANGE_PROTO_SPECIFIED) },
		{ FOUR("MASQUERADE", -EINVAL, 1, MAP) },
		{ FOUR("MASQUERADE", -EINVAL, 2, 0) },
		{ FOUR("REDIRECT", 0, 1, 0) },
		{ FOUR("REDIRECT", -EINVAL, 1, MAP) },
		{ FOUR("REDIRECT", -EINVAL, 0, 0) },
		{ NAT6("NETMAP", 0, MAP) },
		{ NAT6("NETMAP", -EINVAL, 0) },
		{ NAT6("MASQUERADE", 0, NF_NAT_RANGE_PROTO_SPECIFIED) },
		{ NAT6("MASQUERADE", -EINVAL, MAP) },
		{ NAT6("REDIRECT", 0, 0) },
		{ NAT6("REDIRECT", -EINVAL, MAP) },
	};

	ROWS(rows);
}

static void test_mangle(void **state)
{
#define MANGLE(err, f, t) \
	CASE("mangle", 0, err, struct arpt_mangle, .flags = (f), .target = (t)), .rule = { .family = XT2_ARP }
	const struct known_case rows[] = {
		{ MANGLE(0, ARPT_MANGLE_MASK, 0) },
		{ MANGLE(0, ARPT_MANGLE_SDEV, 1) },
		{ MANGLE(0, ARPT_MANGLE_TIP, -1) },
		{ MANGLE(-EINVAL, 0, 0) },
		{ MANGLE(-EINVAL, ARPT_MANGLE_SIP | 0x10, 0) },
		{ MANGLE(-EINVAL, ARPT_MANGLE_SIP, 2) },
		{ MANGLE(-EINVAL, ARPT_MANGLE_SIP, -2) },
	};

	ROWS(rows);
}

/* It is for one address, which the rule has to name. */
static void test_clusterip(void **state)
{
#define CLUSTERIP(err, n, ...) \
	CASE("CLUSTERIP", 0, err, struct ipt_clusterip_tgt_info, .num_local_nodes = (n), __VA_ARGS__)
#define ON(ip) .rule = { .base = (const u8 *)&(ip) }
	static const struct ipt_ip one = { .dst = { 1 }, .dmsk = { ~0u } };
	static const struct ipt_ip any = { .dst = { 0 }, .dmsk = { ~0u } };
	static const struct ipt_ip net = { .dst = { 1 }, .dmsk = { ~0u >> 1 } };
	const struct known_case rows[] = {
		{ CLUSTERIP(0, 1, .hash_mode = 2, .local_nodes = { 1 }), ON(one) },
		{ CLUSTERIP(-EINVAL, 1, .hash_mode = 3, .local_nodes = { 1 }), ON(one) },
		{ CLUSTERIP(0, 16, .local_nodes = { [0 ... 15] = 64 }), ON(one) },
		{ CLUSTERIP(-EINVAL, 17, .local_nodes = { [0 ... 15] = 1 }), ON(one) },
		{ CLUSTERIP(-EINVAL, 2, .local_nodes = { 1, 65 }), ON(one) },
		{ CLUSTERIP(-EINVAL, 2, .local_nodes = { 1, 0 }), ON(one) },
		{ CLUSTERIP(0, 1, .local_nodes = { 1, 65 }), ON(one) },
		{ CLUSTERIP(-EINVAL, 1, .local_nodes = { 1 }), ON(any) },
		{ CLUSTERIP(-EINVAL, 1, .local_nodes = { 1 }), ON(net) },
	};

	ROWS(rows);
}
/* clang-format on */

/* => the end of matches: a limit, then a tcp with these flags */
static u8 *tcp_after_limit(u8 *at, u8 cmp, u8 invflags)
{
	struct xt_tcp tcp = { .flg_mask = 0x17, .flg_cmp = cmp, .invflags = invflags };

	legacy_put16(at, 72);
	strcpy((char *)at + 2, "limit");
	at += 72;
	legacy_put16(at, 48);
	strcpy((char *)at + 2, "tcp");
	memcpy(at + 32, &tcp, sizeof(tcp));
	return at + 48;
}

/* Only packets with SYN have the option, and only some hooks know the path. */
static void test_tcpmss(void **state)
{
	static const struct {
		u16 mss;
		u8 hooks, cmp, invflags;
		int err;
	} rows[] = {
		{ 1400, LEGACY_PRE, 0x02, 0, 0 },
		{ 1400, LEGACY_PRE, 0x12, 0, 0 },
		{ 1400, LEGACY_PRE, 0x10, 0, -EINVAL },
		{ 1400, LEGACY_PRE, 0x02, XT_TCP_INV_FLAGS, -EINVAL },
		{ 1400, LEGACY_PRE, 0x02, XT_TCP_INV_SRCPT, 0 },
		{ XT_TCPMSS_CLAMP_PMTU, LEGACY_FWD | LEGACY_OUT | LEGACY_POST, 0x02, 0, 0 },
		{ XT_TCPMSS_CLAMP_PMTU, LEGACY_PRE, 0x02, 0, -EINVAL },
		{ XT_TCPMSS_CLAMP_PMTU, LEGACY_IN | LEGACY_FWD, 0x02, 0, -EINVAL },
	};
	u8 matches[120] = { 0 };
	struct legacy_rule rule = { .family = XT2_IPV4, .proto = IPPROTO_TCP, .matches = matches };
	const struct legacy_known *k = known_of(XT2_IPV4, true, "TCPMSS", 0);
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		const struct xt_tcpmss_info info = { .mss = rows[i].mss };

		rule.hooks = rows[i].hooks;
		rule.matches_end = tcp_after_limit(matches, rows[i].cmp, rows[i].invflags);
		assert_int_equal(legacy_known_check(k, &rule, &info), rows[i].err);
		rule.matches_end = matches + 72; /* without tcp */
		assert_int_equal(legacy_known_check(k, &rule, &info), -EINVAL);
	}
}

/* The number that a payload begins with, at its bounds. */
static void test_first(void **state)
{
	static const struct {
		const char *name;
		bool target;
		u8 revision;
		u32 least, most;
		int err;
	} rows[] = {
		{ "dscp", false, 0, 0, 63, -EDOM },	   { "rpfilter", false, 0, 0, 15, -EINVAL },
		{ "socket", false, 1, 0, 1, -EINVAL },	   { "socket", false, 2, 0, 3, -EINVAL },
		{ "socket", false, 3, 0, 7, -EINVAL },	   { "CHECKSUM", true, 0, 1, 1, -EINVAL },
		{ "CONNSECMARK", true, 0, 1, 2, -EINVAL }, { "DNAT", true, 0, 1, 1, -EINVAL },
		{ "SNAT", true, 0, 1, 1, -EINVAL },	   { "LED", true, 0, 1, 255, -EINVAL },
		{ "SECMARK", true, 0, 1, 1, -EINVAL },	   { "SECMARK", true, 1, 1, 1, -EINVAL },
	};
	struct legacy_rule rule = { .family = XT2_IPV4, .flag_proto = true };
	u8 payload[320] = { 0 };
	size_t i;
	u32 n;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		const struct legacy_known *k =
			known_of(XT2_IPV4, rows[i].target, rows[i].name, rows[i].revision);

		for (n = 0; n < 256; n++) {
			payload[0] = (u8)n;
			assert_int_equal(legacy_known_check(k, &rule, payload),
					 n >= rows[i].least && n <= rows[i].most ? 0 : rows[i].err);
		}
		/* Bytes behind the number are none of it. */
		payload[0] = (u8)rows[i].least;
		payload[k->first.bytes] = 1;
		assert_int_equal(legacy_known_check(k, &rule, payload), 0);
		payload[k->first.bytes] = 0;
		if (k->first.bytes > 1) {
			payload[k->first.bytes - 1] = 1;
			assert_int_equal(legacy_known_check(k, &rule, payload), rows[i].err);
			payload[k->first.bytes - 1] = 0;
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_protocol), cmocka_unit_test(test_ct),
	cmocka_unit_test(test_npt),	 cmocka_unit_test(test_timers),
	cmocka_unit_test(test_marks),	 cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_mangle),	 cmocka_unit_test(test_clusterip),
	cmocka_unit_test(test_tcpmss),	 cmocka_unit_test(test_first),
};

UNITS(tests)
