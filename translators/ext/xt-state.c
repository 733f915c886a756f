/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-state.c - time, statistic, limit, quota, state, conntrack: legacy <-> packed
 *
 * What the kernel keeps for itself past user_size (credits, pointers) is not
 * packed: state starts anew, as it does in the kernel when a table is
 * replaced.
 */
#include "translate.h"
#include "extensions/state/conntrack.h"
#include "extensions/state/limit.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_quota.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_statistic.h>
#include <linux/netfilter/xt_time.h>

_Static_assert(sizeof(struct xt_rateinfo) == 40, "64-bit layout");
_Static_assert(sizeof(struct xt_quota_info) == 24, "64-bit layout");
_Static_assert(sizeof(struct xt_statistic_info) == 24, "64-bit layout");
_Static_assert(sizeof(struct xt_conntrack_mtinfo1) == 152, "64-bit layout");
_Static_assert(sizeof(struct xt_conntrack_mtinfo3) == 164, "64-bit layout");

_Static_assert(XT2_TIME_KERNELTZ == XT_TIME_LOCAL_TZ && XT2_TIME_CONTIGUOUS == XT_TIME_CONTIGUOUS,
	       "the same flags");
_Static_assert(XT_STATISTIC_MODE_NTH == XT2_STATISTIC_NTH && XT_STATISTIC_MODE_MAX == 1 &&
		       XT_STATISTIC_INVERT == 1 && XT_QUOTA_INVERT == 1,
	       "bits that are copied");

static int time_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_time_info *info = payload;

	if (info->daytime_start > XT_TIME_MAX_DAYTIME || info->daytime_stop > XT_TIME_MAX_DAYTIME)
		return -EDOM;
	if (info->flags & ~XT_TIME_ALL_FLAGS)
		return -EINVAL;
	return info->flags & XT_TIME_CONTIGUOUS && info->daytime_start < info->daytime_stop
		       ? -EINVAL
		       : 0;
}

/* The kernel reads u.nth.count whatever the mode is, so all of the union is kept. */
static int statistic_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_statistic_info *info = payload;

	if (info->mode > XT_STATISTIC_MODE_MAX || info->flags & ~XT_STATISTIC_MASK)
		return -EINVAL;
	out->flags |= info->mode;
	return 0;
}

static void statistic_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_statistic_info *info = payload;

	info->mode = m->flags & XT2_STATISTIC_NTH;
	info->flags = !!(m->flags & XT2_MATCH_INVERT);
}

/*
 * A cost that the kernel would not compute but take from the payload (old
 * kernels gave it back to userspace): more than the body can do.
 */
static int limit_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_rateinfo *info = payload;

	if (!xt2_limit_fits(info->avg, info->burst))
		return -ERANGE;
	return info->cost ? -EOPNOTSUPP : 0;
}

static int quota_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return ((const struct xt_quota_info *)payload)->flags & ~XT_QUOTA_MASK ? -EINVAL : 0;
}

/* Connection tracking exists for IPv4 and IPv6: nf_ct_netns_get() of the kernel. */
static int tracked_check(u8 family)
{
	return family == XT2_IPV4 || family == XT2_IPV6 ? 0 : -EPROTO;
}

static int state_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return tracked_check(family);
}

/* Append a part unless it is all zero. */
static void part_put(struct xt2_match_conntrack *k, u8 part, const void *bytes)
{
	u8 *at = (u8 *)(k + 1) + xt2_conntrack_offset(part, k->parts);
	u32 size = xt2_conntrack_part_size(part);
	static const u8 zero[sizeof(struct xt2_conntrack_addr)];

	if (!memcmp(bytes, zero, size))
		return;
	memcpy(at, bytes, size);
	k->parts |= part;
	k->head.size += size;
}

/* Where revision 3 has its ports, in the order of ours. */
#define PORTS_LOW  offsetof(struct xt_conntrack_mtinfo3, origsrc_port)
#define PORTS_HIGH offsetof(struct xt_conntrack_mtinfo3, origsrc_port_high)

/*
 * The revisions differ in the width of the masks, and in ports: one in
 * network order, or a range in host order.  Both become revision 3's.
 */
static int conntrack_put(const struct xt_conntrack_mtinfo3 *info, u32 revision, u8 family,
			 struct xt2_match *out)
{
	struct xt2_match_conntrack *k = (struct xt2_match_conntrack *)out;
	const u8 *addrs = (const u8 *)info;
	struct xt2_conntrack_ports ports;
	u32 i;

	memcpy(ports.low, addrs + PORTS_LOW, sizeof(ports.low));
	memcpy(ports.high, addrs + PORTS_HIGH, sizeof(ports.high));
	out->size = sizeof(*k);
	out->flags = (u8)(revision << 5);
	out->arg = info->state_mask | (u32)info->status_mask << 16;
	k->tests = info->match_flags;
	k->inverted = info->invert_flags;
	k->proto = info->l4proto;
	for (i = 0; i < 4; i++)
		part_put(k, (u8)(XT2_CONNTRACK_ORIGSRC << i),
			 addrs + i * sizeof(struct xt2_conntrack_addr));
	part_put(k, XT2_CONNTRACK_EXPIRES, &info->expires_min);
	part_put(k, XT2_CONNTRACK_PORTS, &ports);
	return tracked_check(family);
}

/* One port in network order becomes a range of one. */
static void ports_upgrade(struct xt_conntrack_mtinfo3 *info)
{
	u8 *low = (u8 *)info + PORTS_LOW, *high = (u8 *)info + PORTS_HIGH;
	u32 i;

	for (i = 0; i < 4; i++) {
		u16 port = xt2_be16(low + 2 * i);

		memcpy(low + 2 * i, &port, sizeof(port));
		memcpy(high + 2 * i, &port, sizeof(port));
	}
}

static int conntrack1_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_conntrack_mtinfo1 *v1 = payload;
	struct xt_conntrack_mtinfo3 info = { 0 };

	memcpy(&info, v1, offsetof(struct xt_conntrack_mtinfo1, state_mask));
	info.state_mask = v1->state_mask;
	info.status_mask = v1->status_mask;
	ports_upgrade(&info);
	return conntrack_put(&info, 1, family, out);
}

static int conntrack2_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt_conntrack_mtinfo3 info = { 0 };

	memcpy(&info, payload, offsetof(struct xt_conntrack_mtinfo3, origsrc_port_high));
	ports_upgrade(&info);
	return conntrack_put(&info, 2, family, out);
}

static int conntrack3_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return conntrack_put(payload, 3, family, out);
}

static void part_get(const struct xt2_match_conntrack *k, u8 part, void *bytes)
{
	const void *p = xt2_conntrack_part(k, part);

	if (p)
		memcpy(bytes, p, xt2_conntrack_part_size(part));
}

static void conntrack_get(const struct xt2_match *m, struct xt_conntrack_mtinfo3 *info)
{
	const struct xt2_match_conntrack *k = (const struct xt2_match_conntrack *)m;
	u8 *addrs = (u8 *)info;
	struct xt2_conntrack_ports ports = { { 0 }, { 0 } };
	u32 i;

	memset(info, 0, sizeof(*info));
	for (i = 0; i < 4; i++)
		part_get(k, (u8)(XT2_CONNTRACK_ORIGSRC << i),
			 addrs + i * sizeof(struct xt2_conntrack_addr));
	part_get(k, XT2_CONNTRACK_EXPIRES, &info->expires_min);
	part_get(k, XT2_CONNTRACK_PORTS, &ports);
	info->match_flags = k->tests;
	info->invert_flags = k->inverted;
	info->l4proto = k->proto;
	info->state_mask = (u16)m->arg;
	info->status_mask = (u16)(m->arg >> 16);
	memcpy(addrs + PORTS_LOW, ports.low, sizeof(ports.low));
	memcpy(addrs + PORTS_HIGH, ports.high, sizeof(ports.high));
}

static void conntrack1_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_conntrack_mtinfo1 *v1 = payload;
	struct xt_conntrack_mtinfo3 info;

	conntrack_get(m, &info);
	ports_upgrade(&info);
	memcpy(v1, &info, offsetof(struct xt_conntrack_mtinfo1, state_mask));
	v1->state_mask = (u8)info.state_mask;
	v1->status_mask = (u8)info.status_mask;
}

static void conntrack2_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_conntrack_mtinfo3 info;

	conntrack_get(m, &info);
	ports_upgrade(&info);
	memcpy(payload, &info, offsetof(struct xt_conntrack_mtinfo3, origsrc_port_high));
}

static void conntrack3_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	conntrack_get(m, payload);
}

#define ROW(name, rev, TYPE, bytes, user, ...) \
	XT2_MATCH_ROW_(name, XT2_ANY_FAMILY, rev, TYPE, bytes, user, __VA_ARGS__)
#define WITH(fn) .pack = fn##_pack, .unpack = fn##_unpack

/* clang-format off */
const struct xt2_row xt2_state_rows[] = {
	ROW("time", 0, TIME, sizeof(struct xt_time_info),
	    offsetof(struct xt_time_info, flags) + 1, .pack = time_pack, .more = 16,
	    .field = { XT2_ROW_FIELD(xt_time_info, date_start, 15, XT2_TO_BODY), /* the last byte is 0 */
		       XT2_ROW_FIELD(xt_time_info, weekdays_match, 1, XT2_TO_BODY + 15),
		       XT2_ROW_FIELD(xt_time_info, monthdays_match, 4, XT2_TO_ARG),
		       XT2_ROW_FIELD(xt_time_info, flags, 1, XT2_TO_FLAGS) }),
	ROW("statistic", 0, STATISTIC, sizeof(struct xt_statistic_info),
	    offsetof(struct xt_statistic_info, master), WITH(statistic), .more = 16,
	    XT2_INVERT(xt_statistic_info, flags),
	    .field = { XT2_ROW_FIELD(xt_statistic_info, u, 12, XT2_TO_BODY) }),
	ROW("limit", 0, LIMIT, sizeof(struct xt_rateinfo), offsetof(struct xt_rateinfo, prev),
	    .pack = limit_pack, .more = 8, .field = { XT2_ROW_FIELD(xt_rateinfo, avg, 8, XT2_TO_BODY) }),
	ROW("quota", 0, QUOTA, sizeof(struct xt_quota_info), offsetof(struct xt_quota_info, master),
	    .pack = quota_pack, .more = 8, XT2_INVERT(xt_quota_info, flags),
	    .field = { XT2_ROW_FIELD(xt_quota_info, quota, 8, XT2_TO_BODY) }),
	ROW("state", 0, STATE, sizeof(struct xt_state_info), sizeof(struct xt_state_info),
	    .bytes = 4, .pack = state_pack),
	ROW("conntrack", 1, CONNTRACK, sizeof(struct xt_conntrack_mtinfo1),
	    sizeof(struct xt_conntrack_mtinfo1), WITH(conntrack1)),
	ROW("conntrack", 2, CONNTRACK, sizeof(struct xt_conntrack_mtinfo2),
	    offsetof(struct xt_conntrack_mtinfo3, origsrc_port_high), WITH(conntrack2)),
	ROW("conntrack", 3, CONNTRACK, sizeof(struct xt_conntrack_mtinfo3),
	    offsetof(struct xt_conntrack_mtinfo3, repldst_port_high) + 2, WITH(conntrack3)),
	{ 0 },
};
/* clang-format on */
