/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-legacy-entry-matches.c - translators/table/legacy-entry.c: checks of matches
 *
 * For each condition a row that is just taken, and one that is just refused.
 */
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_cgroup.h>
#include <linux/netfilter/xt_cluster.h>
#include <linux/netfilter/xt_connbytes.h>
#include <linux/netfilter/xt_connlabel.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_ecn.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_l2tp.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_nfacct.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_policy.h>
#include <linux/netfilter/xt_rateest.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter_ipv6/ip6t_rt.h>
#include <linux/netfilter_ipv6/ip6t_srh.h>
#include "tests/unit/known-case.h"

#define ROWS(rows) known_rows(rows, XT2_ARRAY_SIZE(rows), false)
#define PROTO(n)   .rule = { .proto = (n) }
#define NOT(n)	   .rule = { .proto = (n), .inv_proto = true }
#define FROM(h)	   .rule = { .hooks = (h) }
#define SIX	   .rule = { .family = XT2_IPV6 }

/* clang-format off */
#define FILL(n) { [0 ... (n) - 1] = 'a' } /* n bytes that are no end of a name */

static void test_protocol(void **state)
{
#define ECN(err, op) CASE("ecn", 0, err, struct xt_ecn_info, .operation = (op))
#define MULTIPORT(err) CASE("multiport", 1, err, struct xt_multiport_v1, .count = 1)
	const struct known_case rows[] = {
		{ ECN(0, XT_ECN_OP_MATCH_IP) },
		{ ECN(0, XT_ECN_OP_MATCH_ECE), PROTO(IPPROTO_TCP) },
		{ ECN(0, XT_ECN_OP_MATCH_CWR), PROTO(IPPROTO_TCP) },
		{ ECN(-EINVAL, XT_ECN_OP_MATCH_ECE) },
		{ ECN(-EINVAL, XT_ECN_OP_MATCH_ECE), PROTO(IPPROTO_UDP) },
		{ ECN(-EINVAL, XT_ECN_OP_MATCH_CWR), NOT(IPPROTO_TCP) },
		{ MULTIPORT(0), PROTO(IPPROTO_TCP) },
		{ MULTIPORT(0), PROTO(IPPROTO_UDP) },
		{ MULTIPORT(0), PROTO(IPPROTO_UDPLITE) },
		{ MULTIPORT(0), PROTO(IPPROTO_SCTP) },
		{ MULTIPORT(0), PROTO(IPPROTO_DCCP) },
		{ MULTIPORT(-EINVAL) },
		{ MULTIPORT(-EINVAL), PROTO(IPPROTO_ICMP) },
		{ MULTIPORT(-EINVAL), NOT(IPPROTO_TCP) },
		{ MULTIPORT(-EINVAL), NOT(IPPROTO_DCCP) },
	};

	ROWS(rows);
}

static void test_cgroup(void **state)
{
#define CGROUP0(err, inv) CASE("cgroup", 0, err, struct xt_cgroup_info_v0, .invert = (inv))
#define CGROUP1(err, ...) CASE("cgroup", 1, err, struct xt_cgroup_info_v1, __VA_ARGS__)
#define CGROUP2(err, ...) CASE("cgroup", 2, err, struct xt_cgroup_info_v2, __VA_ARGS__)
	const struct known_case rows[] = {
		{ CGROUP0(0, 0) },
		{ CGROUP0(0, 1) },
		{ CGROUP0(-EINVAL, 2) },
		{ CGROUP0(-EINVAL, 3) },
		{ CGROUP1(0, .has_path = 1, .path = "a", .invert_path = 1) },
		{ CGROUP1(0, .has_classid = 1, .path = FILL(PATH_MAX), .invert_classid = 1) },
		{ CGROUP1(-EINVAL, .has_path = 1, .has_classid = 1) },
		{ CGROUP1(-EINVAL, .classid = 1) },
		{ CGROUP1(-EINVAL, .has_path = 1, .invert_path = 2) },
		{ CGROUP1(-EINVAL, .has_classid = 1, .invert_classid = 2) },
		{ CGROUP1(0, .has_path = 1, .path = FILL(PATH_MAX - 1)) },
		{ CGROUP1(-ENAMETOOLONG, .has_path = 1, .path = FILL(PATH_MAX)) },
		{ CGROUP2(0, .has_path = 1, .path = FILL(XT_CGROUP_PATH_MAX - 1)) },
		{ CGROUP2(0, .has_classid = 1, .classid = ~0u) },
		{ CGROUP2(-ENAMETOOLONG, .has_path = 1, .path = FILL(XT_CGROUP_PATH_MAX)) },
		{ CGROUP2(-EINVAL, .has_path = 1, .has_classid = 1) },
	};

	ROWS(rows);
}

static void test_places(void **state)
{
#define DEVGROUP(err, f) CASE("devgroup", 0, err, struct xt_devgroup_info, .flags = (f))
#define ADDRTYPE(err, f) CASE("addrtype", 1, err, struct xt_addrtype_info_v1, .flags = (f))
#define POLICY(err, f, n) CASE("policy", 0, err, struct xt_policy_info, .flags = (f), .len = (n))
#define PHYSDEV(err, m, i) CASE("physdev", 0, err, struct xt_physdev_info, .bitmask = (m), .invert = (i))
	const struct known_case rows[] = {
		{ DEVGROUP(0, 15), FROM(LEGACY_FWD) },
		{ DEVGROUP(-EINVAL, 16), FROM(LEGACY_FWD) },
		{ DEVGROUP(0, XT_DEVGROUP_MATCH_SRC), FROM(LEGACY_PRE | LEGACY_IN) },
		{ DEVGROUP(-EINVAL, XT_DEVGROUP_MATCH_SRC), FROM(LEGACY_IN | LEGACY_OUT) },
		{ DEVGROUP(-EINVAL, XT_DEVGROUP_MATCH_SRC), FROM(LEGACY_POST) },
		{ DEVGROUP(0, XT_DEVGROUP_MATCH_DST), FROM(LEGACY_OUT | LEGACY_POST) },
		{ DEVGROUP(-EINVAL, XT_DEVGROUP_MATCH_DST), FROM(LEGACY_PRE) },
		{ DEVGROUP(-EINVAL, XT_DEVGROUP_MATCH_DST), FROM(LEGACY_IN) },
		{ DEVGROUP(-EINVAL, XT_DEVGROUP_MATCH_DST | XT_DEVGROUP_MATCH_SRC), FROM(LEGACY_POST) },
		{ ADDRTYPE(0, XT_ADDRTYPE_LIMIT_IFACE_IN), FROM(LEGACY_PRE | LEGACY_IN | LEGACY_FWD) },
		{ ADDRTYPE(-EINVAL, XT_ADDRTYPE_LIMIT_IFACE_IN), FROM(LEGACY_OUT) },
		{ ADDRTYPE(-EINVAL, XT_ADDRTYPE_LIMIT_IFACE_IN), FROM(LEGACY_POST) },
		{ ADDRTYPE(0, XT_ADDRTYPE_LIMIT_IFACE_OUT), FROM(LEGACY_FWD | LEGACY_OUT | LEGACY_POST) },
		{ ADDRTYPE(-EINVAL, XT_ADDRTYPE_LIMIT_IFACE_OUT), FROM(LEGACY_PRE) },
		{ ADDRTYPE(-EINVAL, XT_ADDRTYPE_LIMIT_IFACE_OUT), FROM(LEGACY_IN) },
		{ ADDRTYPE(-EINVAL, XT_ADDRTYPE_LIMIT_IFACE_IN | XT_ADDRTYPE_LIMIT_IFACE_OUT), FROM(LEGACY_FWD) },
		{ POLICY(0, XT_POLICY_MATCH_IN, 4), FROM(LEGACY_PRE | LEGACY_IN | LEGACY_FWD) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_IN, 5), FROM(LEGACY_FWD) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_STRICT, 1), FROM(LEGACY_FWD) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_IN, 1), FROM(LEGACY_OUT) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_IN, 1), FROM(LEGACY_POST) },
		{ POLICY(0, XT_POLICY_MATCH_OUT, 0), FROM(LEGACY_FWD | LEGACY_OUT | LEGACY_POST) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_OUT, 1), FROM(LEGACY_PRE) },
		{ POLICY(-EINVAL, XT_POLICY_MATCH_OUT, 1), FROM(LEGACY_IN) },
		{ PHYSDEV(0, XT_PHYSDEV_OP_OUT, 0), FROM(LEGACY_FWD | LEGACY_POST) },
		{ PHYSDEV(0, XT_PHYSDEV_OP_IN | XT_PHYSDEV_OP_ISIN, 0), FROM(LEGACY_OUT) },
		{ PHYSDEV(-EINVAL, XT_PHYSDEV_OP_OUT, 0), FROM(LEGACY_OUT) },
		{ PHYSDEV(-EINVAL, XT_PHYSDEV_OP_ISOUT, 0), FROM(LEGACY_OUT) },
		{ PHYSDEV(0, XT_PHYSDEV_OP_OUT | XT_PHYSDEV_OP_BRIDGED, 0), FROM(LEGACY_OUT) },
		{ PHYSDEV(-EINVAL, XT_PHYSDEV_OP_OUT | XT_PHYSDEV_OP_BRIDGED, XT_PHYSDEV_OP_BRIDGED), FROM(LEGACY_OUT) },
	};

	ROWS(rows);
}

static void test_owner(void **state)
{
#define OWNER(err, ...) CASE("owner", 1, err, struct xt_owner_match_info, __VA_ARGS__)
	const struct known_case rows[] = {
		{ OWNER(0, .match = 15) },
		{ OWNER(-EINVAL, .match = 16) },
		{ OWNER(0, .match = XT_OWNER_UID, .uid_min = 5, .uid_max = 5) },
		{ OWNER(-EINVAL, .match = XT_OWNER_UID, .uid_min = 5, .uid_max = 4) },
		{ OWNER(0, .match = XT_OWNER_UID, .uid_max = ~0u - 1) },
		{ OWNER(-EINVAL, .match = XT_OWNER_UID, .uid_max = ~0u) },
		{ OWNER(0, .match = XT_OWNER_GID, .gid_min = 5, .gid_max = 5) },
		{ OWNER(-EINVAL, .match = XT_OWNER_GID, .gid_min = 5, .gid_max = 4) },
		{ OWNER(-EINVAL, .match = XT_OWNER_GID, .gid_max = ~0u) },
		{ OWNER(0, .match = XT_OWNER_SOCKET, .uid_min = 5, .gid_min = 5) },
	};

	ROWS(rows);
}

static void test_recent(void **state)
{
#define RECENT_ROW(err, set, ...) \
	CASE("recent", 0, err, struct xt_recent_mtinfo, .check_set = (set), __VA_ARGS__)
#define NAMED(err, ...) \
	CASE("recent", 1, err, struct xt_recent_mtinfo_v1, .check_set = XT_RECENT_SET, .name = __VA_ARGS__)
	const struct known_case rows[] = {
		{ RECENT_ROW(0, XT_RECENT_SET, .name = "a") },
		{ RECENT_ROW(0, XT_RECENT_REMOVE, .name = "a") },
		{ RECENT_ROW(0, XT_RECENT_CHECK, .name = "a") },
		{ RECENT_ROW(0, XT_RECENT_UPDATE, .name = "a") },
		{ RECENT_ROW(-EINVAL, 0, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_TTL, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_CHECK | XT_RECENT_UPDATE, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_SET | XT_RECENT_REMOVE, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_CHECK | 0x40, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_SET, .name = "a", .seconds = 1) },
		{ RECENT_ROW(-EINVAL, XT_RECENT_REMOVE, .name = "a", .hit_count = 1) },
		{ RECENT_ROW(-EINVAL, XT_RECENT_SET | XT_RECENT_TTL, .name = "a") },
		{ RECENT_ROW(-EINVAL, XT_RECENT_REMOVE | XT_RECENT_REAP, .name = "a") },
		{ RECENT_ROW(0, XT_RECENT_CHECK | XT_RECENT_TTL, .name = "a", .seconds = 1, .hit_count = 65535) },
		{ RECENT_ROW(-EINVAL, XT_RECENT_CHECK, .name = "a", .hit_count = 65536) },
		{ RECENT_ROW(0, XT_RECENT_UPDATE | XT_RECENT_REAP, .name = "a", .seconds = 1) },
		{ RECENT_ROW(-EINVAL, XT_RECENT_UPDATE | XT_RECENT_REAP, .name = "a", .hit_count = 1) },
		{ NAMED(0, "...") },
		{ NAMED(-EINVAL, "") },
		{ NAMED(-EINVAL, ".") },
		{ NAMED(-EINVAL, "..") },
		{ NAMED(-EINVAL, "a/b") },
		{ NAMED(0, FILL(XT_RECENT_NAME_LEN - 1)) },
		{ NAMED(-ENAMETOOLONG, FILL(XT_RECENT_NAME_LEN)) },
	};

	ROWS(rows);
}

/* What all revisions have, then what 2 and 3 read elsewhere. */
static void test_hashlimit(void **state)
{
#define TABLE .gc_interval = 1, .expire = 1
#define HASHLIMIT1(err, n, ...) \
	CASE("hashlimit", 1, err, struct xt_hashlimit_mtinfo1, .name = n, .cfg = { __VA_ARGS__ })
#define HASHLIMIT2(err, ...) \
	CASE("hashlimit", 2, err, struct xt_hashlimit_mtinfo2, .name = "a", .cfg = { TABLE, __VA_ARGS__ })
#define HASHLIMIT3(err, ...) \
	CASE("hashlimit", 3, err, struct xt_hashlimit_mtinfo3, .name = "a", .cfg = { TABLE, __VA_ARGS__ })
#define RATE XT_HASHLIMIT_RATE_MATCH
	const struct known_case rows[] = {
		{ HASHLIMIT1(0, "a", TABLE, .burst = 1) },
		{ HASHLIMIT1(-ERANGE, "a", TABLE) },
		{ HASHLIMIT1(-EINVAL, "", TABLE, .burst = 1) },
		{ HASHLIMIT1(-EINVAL, "a/b", TABLE, .burst = 1) },
		{ HASHLIMIT1(-EINVAL, "a", .gc_interval = 1, .burst = 1) },
		{ HASHLIMIT1(-EINVAL, "a", .expire = 1, .burst = 1) },
		{ HASHLIMIT1(0, "a", TABLE, .burst = 1, .srcmask = 32, .dstmask = 32) },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .srcmask = 33) },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .dstmask = 33) },
		{ HASHLIMIT1(0, "a", TABLE, .burst = 1, .srcmask = 128, .dstmask = 128), SIX },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .srcmask = 129), SIX },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .dstmask = 129), SIX },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .avg = 1, .mode = RATE) },
		{ HASHLIMIT1(0, "a", TABLE, .avg = 2, .mode = XT_HASHLIMIT_BYTES) },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .avg = 1, .mode = XT_HASHLIMIT_BYTES) },
		{ HASHLIMIT1(-EINVAL, "a", TABLE, .burst = 1, .mode = 2 * RATE) },
		{ HASHLIMIT2(0, .burst = 1, .srcmask = 32) },
		{ HASHLIMIT2(-ERANGE, .avg = 1) },
		{ HASHLIMIT2(-EINVAL, .avg = 1, .burst = 1, .mode = RATE) },
		{ HASHLIMIT2(-EINVAL, .burst = 1, .srcmask = 33) },
		{ HASHLIMIT3(0, .burst = 1, .mode = 2 * RATE - 1 - RATE - XT_HASHLIMIT_BYTES) },
		{ HASHLIMIT3(0, .avg = 1, .interval = 1, .mode = RATE) },
		{ HASHLIMIT3(0, .avg = 0xffffffff, .interval = 1, .mode = 2 * RATE - 1) },
		{ HASHLIMIT3(-ERANGE, .avg = 0x100000000, .interval = 1, .mode = RATE) },
		{ HASHLIMIT3(-ERANGE, .burst = 1, .interval = 1, .mode = RATE) },
		{ HASHLIMIT3(-EINVAL, .avg = 1, .burst = 1, .mode = RATE) },
	};

	ROWS(rows);
}

static void test_rateest(void **state)
{
#define RATEEST(err, m, f, ...) \
	CASE("rateest", 0, err, struct xt_rateest_match_info, .mode = (m), .flags = (f), .name1 = __VA_ARGS__)
#define ABS (XT_RATEEST_MATCH_ABS | XT_RATEEST_MATCH_PPS)
#define REL (XT_RATEEST_MATCH_REL | XT_RATEEST_MATCH_BPS)
	const struct known_case rows[] = {
		{ RATEEST(0, XT_RATEEST_MATCH_EQ, ABS, "a", .name2 = FILL(16)) },
		{ RATEEST(0, XT_RATEEST_MATCH_GT, REL, FILL(15), .name2 = FILL(15)) },
		{ RATEEST(-EINVAL, XT_RATEEST_MATCH_NONE, ABS, "a") },
		{ RATEEST(-EINVAL, XT_RATEEST_MATCH_GT + 1, ABS, "a") },
		{ RATEEST(-EINVAL, XT_RATEEST_MATCH_EQ, XT_RATEEST_MATCH_PPS, "a") },
		{ RATEEST(-EINVAL, XT_RATEEST_MATCH_EQ, ABS | REL, "a") },
		{ RATEEST(-EINVAL, XT_RATEEST_MATCH_EQ, XT_RATEEST_MATCH_ABS, "a") },
		{ RATEEST(-ENAMETOOLONG, XT_RATEEST_MATCH_EQ, ABS, FILL(16)) },
		{ RATEEST(-ENAMETOOLONG, XT_RATEEST_MATCH_EQ, REL, FILL(16), .name2 = "a") },
		{ RATEEST(-ENAMETOOLONG, XT_RATEEST_MATCH_EQ, REL, "a", .name2 = FILL(16)) },
	};

	ROWS(rows);
}

static void test_connections(void **state)
{
#define CLUSTER(err, n, m) CASE("cluster", 0, err, struct xt_cluster_match_info, .total_nodes = (n), .node_mask = (m))
#define CONNBYTES(err, w, d) CASE("connbytes", 0, err, struct xt_connbytes_info, .what = (w), .direction = (d))
#define CONNLABEL(err, n, o) CASE("connlabel", 0, err, struct xt_connlabel_mtinfo, .bit = (n), .options = (o))
#define NFACCT(rev, err, ...) CASE("nfacct", rev, err, struct xt_nfacct_match_info, .name = __VA_ARGS__)
	const struct known_case rows[] = {
		{ CLUSTER(0, 32, ~0u) },
		{ CLUSTER(-EINVAL, 33, 1) },
		{ CLUSTER(0, 4, 15) },
		{ CLUSTER(-EDOM, 4, 16) },
		{ CLUSTER(0, 0, 0) },
		{ CLUSTER(-EDOM, 0, 1) },
		{ CONNBYTES(0, XT_CONNBYTES_AVGPKT, XT_CONNBYTES_DIR_BOTH) },
		{ CONNBYTES(-EINVAL, XT_CONNBYTES_AVGPKT + 1, 0) },
		{ CONNBYTES(-EINVAL, 0, XT_CONNBYTES_DIR_BOTH + 1) },
		{ CONNLABEL(0, 127, 3) },
		{ CONNLABEL(-ERANGE, 128, 0) },
		{ CONNLABEL(-EINVAL, 0, 4) },
		{ CONNLABEL(-EINVAL, 128, 4) },
		{ NFACCT(0, 0, FILL(31)) },
		{ NFACCT(0, -ENOENT, FILL(32)) },
		{ NFACCT(1, 0, "a") },
		{ NFACCT(1, -ENOENT, FILL(32)) },
	};

	ROWS(rows);
}

static void test_string(void **state)
{
#define STRING(err, a, n, ...) \
	CASE("string", 1, err, struct xt_string_info, .algo = a, .patlen = (n), __VA_ARGS__)
	const struct known_case rows[] = {
		{ STRING(0, "bm", 1, .from_offset = 5, .to_offset = 5) },
		{ STRING(-EINVAL, "bm", 1, .from_offset = 5, .to_offset = 4) },
		{ STRING(0, "kmp", 128, .u.v1.flags = 3) },
		{ STRING(-EINVAL, "kmp", 129, .u.v1.flags = 0) },
		{ STRING(-EINVAL, "kmp", 0, .u.v1.flags = 0) },
		{ STRING(-EINVAL, "kmp", 1, .u.v1.flags = 4) },
		{ STRING(0, "fsm", 4, .u.v1.flags = 0) },
		{ STRING(-ENOENT, "", 1, .u.v1.flags = 0) },
		{ STRING(-ENOENT, "bmx", 1, .u.v1.flags = 0) },
		{ STRING(-ENOENT, FILL(15), 1, .u.v1.flags = 0) },
		{ STRING(-EINVAL, FILL(16), 1, .u.v1.flags = 0) },
	};

	ROWS(rows);
}

static void test_tunnels(void **state)
{
#define L2TP(err, f, ...) CASE("l2tp", 0, err, struct xt_l2tp_info, .flags = (f), __VA_ARGS__)
#define SRH(err, f, i) CASE("srh", 0, err, struct ip6t_srh, .mt_flags = (f), .mt_invflags = (i)), SIX
#define SRH1(err, f, i) CASE("srh", 1, err, struct ip6t_srh1, .mt_flags = (f), .mt_invflags = (i)), SIX
	const struct known_case rows[] = {
		{ L2TP(0, XT_L2TP_TID, .tid = 0x10000), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_SID, .sid = 0x10000), PROTO(IPPROTO_L2TP) },
		{ L2TP(-EINVAL, XT_L2TP_TID, .tid = 1), PROTO(IPPROTO_TCP) },
		{ L2TP(-EINVAL, XT_L2TP_TID | 16, .tid = 1), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, XT_L2TP_VERSION, .version = 3), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_TYPE, .type = XT_L2TP_TYPE_CONTROL), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, XT_L2TP_TYPE, .type = XT_L2TP_TYPE_DATA), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_TYPE | XT_L2TP_TID, .type = XT_L2TP_TYPE_DATA), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, XT_L2TP_TID | XT_L2TP_VERSION, .version = 1), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, XT_L2TP_TID | XT_L2TP_VERSION, .version = 4), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_TID | XT_L2TP_VERSION, .version = 3, .tid = 0x10000), PROTO(IPPROTO_L2TP) },
		{ L2TP(0, 7, .version = 2, .tid = 0xffff, .sid = 0xffff), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, 7, .version = 2, .tid = 0x10000), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, 7, .version = 2, .sid = 0x10000), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_TID | XT_L2TP_VERSION, .version = 2, .sid = 0x10000), PROTO(IPPROTO_UDP) },
		{ L2TP(0, XT_L2TP_SID | XT_L2TP_VERSION, .version = 2, .tid = 0x10000), PROTO(IPPROTO_UDP) },
		{ L2TP(-EINVAL, 7, .version = 2), PROTO(IPPROTO_L2TP) },
		{ SRH(0, IP6T_SRH_MASK, IP6T_SRH_INV_MASK) },
		{ SRH(-EINVAL, 0x4000, 0) },
		{ SRH(-EINVAL, 0, 0x4000) },
		{ SRH1(0, IP6T_SRH_MASK, IP6T_SRH_INV_MASK) },
		{ SRH1(-EINVAL, 0x8000, 0) },
		{ SRH1(-EINVAL, 0, 0x8000) },
	};

	ROWS(rows);
}
/* clang-format on */

/* The addresses of a routing header have to be some if they are to be looked at. */
static void test_newer(void **state)
{
	const struct legacy_known *k = known_of(XT2_IPV6, false, "rt", 0);
	const struct legacy_known *other = known_of(XT2_IPV6, false, "dst", 0);
	struct ip6t_rt rt = { .flags = IP6T_RT_FST };

	assert_true(legacy_newer(k, &rt));
	assert_false(legacy_newer(other, &rt));
	rt.addrnr = 1;
	assert_false(legacy_newer(k, &rt));
	rt.addrnr = 0;
	rt.flags = IP6T_RT_LEN;
	assert_false(legacy_newer(k, &rt));
}

/* The text programs ask for hooks by the extension's name. */
static void test_bad_hooks(void **state)
{
	const struct xt_devgroup_info group = { .flags = XT_DEVGROUP_MATCH_SRC };
	const struct xt_policy_info policy = { .flags = XT_POLICY_MATCH_OUT };

	assert_int_equal(legacy_bad_hooks("devgroup", &group), LEGACY_OUT | LEGACY_POST);
	assert_int_equal(legacy_bad_hooks("policy", &policy), LEGACY_PRE | LEGACY_IN);
	assert_int_equal(legacy_bad_hooks("nonesuch", &group), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_protocol), cmocka_unit_test(test_cgroup),
	cmocka_unit_test(test_places),	 cmocka_unit_test(test_owner),
	cmocka_unit_test(test_recent),	 cmocka_unit_test(test_hashlimit),
	cmocka_unit_test(test_rateest),	 cmocka_unit_test(test_connections),
	cmocka_unit_test(test_string),	 cmocka_unit_test(test_tunnels),
	cmocka_unit_test(test_newer),	 cmocka_unit_test(test_bad_hooks),
};

UNITS(tests)
