/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-state.c - time, statistic, limit, quota, state, conntrack, recent, hashlimit: legacy <-> packed
 *
 * What the kernel keeps for itself past user_size (credits, pointers) is not
 * packed: state starts anew, as it does in the kernel when a table is
 * replaced.
 */
#include "translate.h"
#include "extensions/state/conntrack.h"
#include "extensions/state/hashlimit.h"
#include "extensions/state/limit.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_quota.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_statistic.h>
#include <linux/netfilter/xt_time.h>

_Static_assert(sizeof(struct xt_rateinfo) == 40, "64-bit layout");
_Static_assert(sizeof(struct xt_quota_info) == 24, "64-bit layout");
_Static_assert(sizeof(struct xt_statistic_info) == 24, "64-bit layout");
_Static_assert(sizeof(struct xt_recent_mtinfo) == 212, "no padding at the end");
_Static_assert(sizeof(struct xt_recent_mtinfo_v1) == 228, "no padding at the end");
_Static_assert(sizeof(struct xt_conntrack_mtinfo1) == 152, "64-bit layout");
_Static_assert(sizeof(struct xt_conntrack_mtinfo3) == 164, "64-bit layout");

_Static_assert(XT2_TIME_KERNELTZ == XT_TIME_LOCAL_TZ && XT2_TIME_CONTIGUOUS == XT_TIME_CONTIGUOUS,
	       "the same flags");
_Static_assert(XT_STATISTIC_MODE_NTH == XT2_STATISTIC_NTH && XT_STATISTIC_MODE_MAX == 1 &&
		       XT_STATISTIC_INVERT == 1 && XT_QUOTA_INVERT == 1,
	       "bits that are copied");

_Static_assert(XT_RECENT_CHECK == XT2_RECENT_CHECK && XT_RECENT_SET == XT2_RECENT_SET &&
		       XT_RECENT_UPDATE == XT2_RECENT_UPDATE &&
		       XT_RECENT_REMOVE == XT2_RECENT_REMOVE && XT_RECENT_TTL == XT2_RECENT_TTL &&
		       XT_RECENT_REAP == XT2_RECENT_REAP && XT_RECENT_DEST == XT2_RECENT_DEST,
	       "the same bits");

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

/* --- recent ---------------------------------------------------------------- */

static bool recent_refused(const struct xt_recent_mtinfo_v1 *info)
{
	const u8 action = info->check_set &
			  (XT_RECENT_CHECK | XT_RECENT_SET | XT_RECENT_UPDATE | XT_RECENT_REMOVE);

	if (info->check_set & ~XT_RECENT_VALID_FLAGS || !action || action & (action - 1))
		return true;
	if (action & (XT_RECENT_SET | XT_RECENT_REMOVE))
		return info->check_set != action || info->seconds || info->hit_count;
	return info->check_set & XT_RECENT_REAP && !info->seconds;
}

/*
 * => bytes up to the last one that is not 0; 0: no name.  iptables writes over "DEFAULT" and
 * leaves the end of that after a shorter name.
 */
static u32 recent_name(const char *name)
{
	u32 len = XT_RECENT_NAME_LEN;

	while (len && !name[len - 1])
		len--;
	return *name && len < XT_RECENT_NAME_LEN ? len : 0;
}

/* What iptables does not write, and the body cannot do, is carried. */
static int recent_put(const struct xt_recent_mtinfo_v1 *info, u32 revision, u8 family,
		      struct xt2_match *out)
{
	struct xt2_match_recent *k = (struct xt2_match_recent *)out;
	const u32 len = recent_name(info->name), at = offsetof(struct xt2_match_recent, name);

	if (recent_refused(info))
		return -EINVAL;
	if (!len || info->hit_count > XT2_RECENT_STAMPS || info->invert > 1 || info->side > 1 ||
	    (family != XT2_IPV4 && family != XT2_IPV6))
		return -EOPNOTSUPP;
	out->flags = (u8)(revision << 5 | (info->invert ? XT2_MATCH_INVERT : 0) | info->side);
	k->seconds = info->seconds;
	k->hits = info->hit_count;
	k->checks = info->check_set;
	memcpy(k->mask, &info->mask, sizeof(k->mask));
	memcpy((u8 *)k + at, info->name, len);
	out->size = (u16)((at + len + XT2_ALIGN) & ~(XT2_ALIGN - 1));
	return 0;
}

/* The byte after side that the compiler leaves is 0, or the payload is carried. */
#define RECENT_PAD (offsetof(struct xt_recent_mtinfo, side) + 1)

static int recent0_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt_recent_mtinfo_v1 info;

	memcpy(&info, payload, sizeof(struct xt_recent_mtinfo));
	memset(&info.mask, 0xff, sizeof(info.mask));
	return ((const u8 *)payload)[RECENT_PAD] ? -EOPNOTSUPP : recent_put(&info, 0, family, out);
}

static int recent1_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return ((const u8 *)payload)[RECENT_PAD] ? -EOPNOTSUPP
						 : recent_put(payload, 1, family, out);
}

static void recent0_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_recent *k = (const struct xt2_match_recent *)m;
	const u32 at = offsetof(struct xt2_match_recent, name), room = m->size - at;
	struct xt_recent_mtinfo *info = payload;

	memcpy(info->name, (const u8 *)m + at,
	       room < XT_RECENT_NAME_LEN ? room : XT_RECENT_NAME_LEN);
	info->seconds = k->seconds;
	info->hit_count = k->hits;
	info->check_set = k->checks;
	info->invert = !!(m->flags & XT2_MATCH_INVERT);
	info->side = m->flags & XT2_RECENT_DEST;
}

static void recent1_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_recent_mtinfo_v1 *info = payload;

	recent0_unpack(m, family, payload);
	memcpy(&info->mask, ((const struct xt2_match_recent *)m)->mask, sizeof(info->mask));
}

/* --- hashlimit ------------------------------------------------------------- */

/* Where a revision has what. */
struct hashlimit_form {
	u16 name, avg, mode, interval, masks; /* offsets; interval 0: there is none */
	u8 wide; /* bytes of avg and burst */
};

#define HASHLIMIT_FORM(type, config, ...)                                                     \
	{                                                                                     \
		sizeof(((struct type *)0)->name), offsetof(struct type, cfg.avg),             \
			offsetof(struct type, cfg.mode), __VA_ARGS__,                         \
			offsetof(struct type, cfg.srcmask), sizeof(((struct config *)0)->avg) \
	}

static const struct hashlimit_form hashlimit_forms[] = {
	{ 0 },
	HASHLIMIT_FORM(xt_hashlimit_mtinfo1, hashlimit_cfg1, 0),
	HASHLIMIT_FORM(xt_hashlimit_mtinfo2, hashlimit_cfg2, 0),
	HASHLIMIT_FORM(xt_hashlimit_mtinfo3, hashlimit_cfg3,
		       offsetof(struct xt_hashlimit_mtinfo3, cfg.interval)),
};

/* mode, size, max, gc_interval, expire: 4 bytes each, but revision 1 has avg and burst after mode. */
static u32 hashlimit_sizes(const struct hashlimit_form *f)
{
	return f->wide == 4 ? f->mode + 12u : f->mode + 4u;
}

static void hashlimit_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_hashlimit *k = (const struct xt2_match_hashlimit *)m;
	const struct hashlimit_form *f = &hashlimit_forms[XT2_MATCH_REVISION_OF(m)];
	const u32 name = offsetof(struct xt2_match_hashlimit, name);
	u8 *to = payload;

	memcpy(to, (const u8 *)m + name, m->size - name < f->name ? m->size - name : f->name);
	memcpy(to + f->avg, &k->avg, f->wide);
	memcpy(to + f->avg + f->wide, &k->burst, f->wide);
	memcpy(to + f->mode, &k->mode, sizeof(k->mode));
	to += hashlimit_sizes(f);
	memcpy(to, &k->size, sizeof(k->size));
	memcpy(to + 4, &k->max, sizeof(k->max));
	memcpy(to + 8, &k->gc_interval, sizeof(k->gc_interval));
	memcpy(to + 12, &k->expire, sizeof(k->expire));
	to = payload;
	if (f->interval)
		memcpy(to + f->interval, &k->interval, sizeof(k->interval));
	to[f->masks] = k->src_mask;
	to[f->masks + 1] = k->dst_mask;
}

static int hashlimit_checked(const struct xt2_match_hashlimit *k, u32 revision, u8 family)
{
	const u8 most = family == XT2_IPV4 ? 32 : 128;
	const bool bytes = k->mode & XT_HASHLIMIT_BYTES;

	if (!k->gc_interval || !k->expire || k->src_mask > most || k->dst_mask > most ||
	    k->mode & ~(XT_HASHLIMIT_RATE_MATCH * 2u - 1))
		return -EINVAL;
	if (k->mode & XT_HASHLIMIT_RATE_MATCH)
		return -EOPNOTSUPP;
	if (!xt2_hashlimit_fits(k->avg, k->burst, bytes, revision))
		return bytes ? -EINVAL : -ERANGE;
	return 0;
}

/* Bytes that no iptables writes, and --hashlimit-rate-match, are carried. */
static int hashlimit_put(const u8 *payload, u32 revision, u32 user, u8 family,
			 struct xt2_match *out)
{
	struct xt2_match_hashlimit *k = (struct xt2_match_hashlimit *)out;
	const struct hashlimit_form *f = &hashlimit_forms[revision];
	const u32 at = offsetof(struct xt2_match_hashlimit, name);
	const u8 *sizes = payload + hashlimit_sizes(f);
	u64 again[sizeof(struct xt_hashlimit_mtinfo3) / sizeof(u64)] = { 0 };
	u32 len = f->name;
	int err;

	while (len && !payload[len - 1])
		len--;
	memcpy(&k->avg, payload + f->avg, f->wide);
	memcpy(&k->burst, payload + f->avg + f->wide, f->wide);
	memcpy(&k->mode, payload + f->mode, sizeof(k->mode));
	memcpy(&k->size, sizes, sizeof(k->size));
	memcpy(&k->max, sizes + 4, sizeof(k->max));
	memcpy(&k->gc_interval, sizes + 8, sizeof(k->gc_interval));
	memcpy(&k->expire, sizes + 12, sizeof(k->expire));
	if (f->interval)
		memcpy(&k->interval, payload + f->interval, sizeof(k->interval));
	k->src_mask = payload[f->masks];
	k->dst_mask = payload[f->masks + 1];
	err = hashlimit_checked(k, revision, family);
	if (err)
		return err;
	if (!payload[0] || len == f->name || (family != XT2_IPV4 && family != XT2_IPV6))
		return -EOPNOTSUPP;
	memcpy((u8 *)k + at, payload, len);
	out->flags = (u8)(revision << 5);
	out->size = (u16)((at + len + XT2_ALIGN) & ~(XT2_ALIGN - 1));
	hashlimit_unpack(out, family, again);
	return memcmp(again, payload, user) ? -EOPNOTSUPP : 0;
}

#define HASHLIMIT_USER(rev) offsetof(struct xt_hashlimit_mtinfo##rev, hinfo)

static int hashlimit1_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return hashlimit_put(payload, 1, HASHLIMIT_USER(1), family, out);
}

static int hashlimit2_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return hashlimit_put(payload, 2, HASHLIMIT_USER(2), family, out);
}

static int hashlimit3_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return hashlimit_put(payload, 3, HASHLIMIT_USER(3), family, out);
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
	ROW("recent", 0, RECENT, sizeof(struct xt_recent_mtinfo), sizeof(struct xt_recent_mtinfo),
	    WITH(recent0)),
	ROW("recent", 1, RECENT, sizeof(struct xt_recent_mtinfo_v1),
	    sizeof(struct xt_recent_mtinfo_v1), WITH(recent1)),
	ROW("hashlimit", 1, HASHLIMIT, sizeof(struct xt_hashlimit_mtinfo1), HASHLIMIT_USER(1),
	    .pack = hashlimit1_pack, .unpack = hashlimit_unpack),
	ROW("hashlimit", 2, HASHLIMIT, sizeof(struct xt_hashlimit_mtinfo2), HASHLIMIT_USER(2),
	    .pack = hashlimit2_pack, .unpack = hashlimit_unpack),
	ROW("hashlimit", 3, HASHLIMIT, sizeof(struct xt_hashlimit_mtinfo3), HASHLIMIT_USER(3),
	    .pack = hashlimit3_pack, .unpack = hashlimit_unpack),
	{ 0 },
};
/* clang-format on */
