/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-target.c - targets: legacy payload <-> argument and data
 *
 * Each pair packs what the kernel's structure says and refuses what the
 * kernel's checkentry function refuses, with its errno; what concerns the rest
 * of the rule (a REJECT with a TCP reset wants -p tcp) is in the extension's
 * own check.  The kernel gives back the structure without the padding after
 * it, so user_size is the structure's.
 */
#include "translate.h"
#include <linux/netfilter/xt_CLASSIFY.h>
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_DSCP.h>
#include <linux/netfilter/xt_LOG.h>
#include <linux/netfilter/xt_NFLOG.h>
#include <linux/netfilter/xt_NFQUEUE.h>
#include <linux/netfilter/xt_TCPMSS.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter_ipv4/ipt_ECN.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv4/ipt_TTL.h>
#include <linux/netfilter_ipv6/ip6t_HL.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>

void xt2_target_data_read(const struct xt2_rule *r, u32 off, void *to, u32 size)
{
	u32 have = xt2_rule_target_size(r);

	if (have <= off)
		return;
	have -= off;
	memcpy(to, (const u8 *)xt2_rule_target_data(r) + off, have < size ? have : size);
}

_Static_assert(sizeof(struct xt_ct_target_info) == 40, "64-bit layout");
_Static_assert(sizeof(struct xt_ct_target_info_v1) == 72, "64-bit layout");
_Static_assert(sizeof(struct ipt_TTL_info) == sizeof(struct ip6t_HL_info), "one body for both");

static u32 arg_of(const struct xt2_rule *r)
{
	return XT2_TARGET_ARG(r->target);
}

static int reject_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct ip6t_reject_info *info = payload;

	if (info->with ==
	    (row->family == XT2_IPV4 ? IPT_ICMP_ECHOREPLY : (u32)IP6T_ICMP6_ECHOREPLY))
		return -EINVAL;
	if (info->with > XT2_ARG_MAX)
		return -EOPNOTSUPP;
	return 0;
}

static int log_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt_log_info *info = payload;

	return info->level >= 8 || info->prefix[sizeof(info->prefix) - 1] ? -EINVAL : 0;
}

static int nflog_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt_nflog_info *info = payload;
	struct xt2_nflog_sizes sizes = { info->len, info->threshold, info->pad };
	u32 used = 0;

	if (info->flags & ~XT_NFLOG_MASK || info->prefix[sizeof(info->prefix) - 1])
		return -EINVAL;
	*arg = info->group;
	if (info->flags & XT_NFLOG_F_COPY_LEN)
		*arg |= XT2_NFLOG_COPY_LEN;
	if (sizes.len || sizes.threshold || sizes.pad) {
		*arg |= XT2_NFLOG_SIZES;
		memcpy(out, &sizes, sizeof(sizes));
		used = sizeof(sizes);
	}
	memcpy((u8 *)out + used, info->prefix, sizeof(info->prefix));
	return 0;
}

static void nflog_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	struct xt_nflog_info *info = payload;
	struct xt2_nflog_sizes sizes = { 0 };
	u32 used = arg_of(r) & XT2_NFLOG_SIZES ? sizeof(sizes) : 0;

	xt2_target_data_read(r, 0, &sizes, used);
	info->len = sizes.len;
	info->group = (u16)arg_of(r);
	info->threshold = sizes.threshold;
	info->flags = arg_of(r) & XT2_NFLOG_COPY_LEN ? XT_NFLOG_F_COPY_LEN : 0;
	info->pad = sizes.pad;
	xt2_target_data_read(r, used, info->prefix, sizeof(info->prefix));
}

/* Revisions only add fields: each is packed as if it were the last. */
static int nfqueue_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	struct xt_NFQ_info_v3 info = { .queues_total = 1 };
	struct xt2_nfqueue data;

	memcpy(&info, payload, row->user_size);
	if (!info.queues_total)
		return -EINVAL;
	data = (struct xt2_nfqueue){ .more = (u16)(info.queues_total - 1) };
	if (info.queuenum + data.more > 0xffff)
		return -ERANGE;
	if (info.flags & ~(row->revision == 2 ? NFQ_FLAG_BYPASS : NFQ_FLAG_MASK))
		return -EINVAL;
	*arg = info.queuenum | (u32)info.flags << 16 | XT2_TARGET_REVISION(row->revision);
	memcpy(out, &data, sizeof(data));
	return 0;
}

static void nfqueue_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	struct xt_NFQ_info_v3 info = { .queuenum = (u16)arg_of(r) };
	struct xt2_nfqueue data = { 0 };

	xt2_target_data_read(r, 0, &data, sizeof(data));
	info.queues_total = data.more + 1;
	info.flags = XT2_NFQUEUE_FLAGS(arg_of(r));
	memcpy(payload, &info, row->user_size);
}

/* Setting a small mark fits into the argument. */
static int mark_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt_mark_tginfo2 *info = payload;

	if (info->mask == ~0u && info->mark <= XT2_ARG_MAX) {
		*arg = info->mark;
		return 0;
	}
	*(struct xt2_mark *)out = (struct xt2_mark){ info->mark, info->mask };
	return sizeof(struct xt2_mark);
}

static void mark_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	struct xt_mark_tginfo2 *info = payload;
	const struct xt2_mark *data = xt2_rule_target_data(r);

	if (xt2_rule_target_size(r)) {
		info->mark = data->mark;
		info->mask = data->mask;
	} else {
		info->mark = arg_of(r);
		info->mask = ~0u;
	}
}

/* Revision 1 has no shift. */
static int connmark_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt_connmark_tginfo1 *v1 = payload;
	const struct xt_connmark_tginfo2 *v2 = payload;

	*arg = XT2_TARGET_REVISION(row->revision);
	if (row->revision == 1) {
		*arg |= v1->mode;
		return 0;
	}
	if (v2->shift_dir > D_SHIFT_RIGHT || v2->shift_bits >= 32)
		return -EINVAL;
	*arg |= v2->mode | (u32)v2->shift_bits << 8;
	if (v2->shift_dir == D_SHIFT_RIGHT)
		*arg |= XT2_CONNMARK_RIGHT;
	return 0;
}

static void connmark_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	struct xt_connmark_tginfo1 *v1 = payload;
	struct xt_connmark_tginfo2 *v2 = payload;

	if (row->revision == 1) {
		v1->mode = XT2_CONNMARK_MODE(arg_of(r));
		return;
	}
	v2->shift_dir = arg_of(r) & XT2_CONNMARK_RIGHT ? D_SHIFT_RIGHT : D_SHIFT_LEFT;
	v2->shift_bits = XT2_CONNMARK_SHIFT(arg_of(r));
	v2->mode = XT2_CONNMARK_MODE(arg_of(r));
}

static int classify_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	u32 priority = ((const struct xt_classify_target_info *)payload)->priority;

	*(priority <= XT2_ARG_MAX ? arg : (u32 *)out) = priority;
	return 0;
}

static void classify_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	struct xt_classify_target_info *info = payload;

	info->priority = arg_of(r);
	xt2_target_data_read(r, 0, &info->priority, sizeof(info->priority));
}

/* A name that is not used may be anything. */
static bool name_ends(const void *name, u32 size)
{
	return strnlen(name, size) < size;
}

/* Up to the helper's name, all structures are the same; from revision 1 on, a timeout follows. */
static int ct_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt2_ct *data = out;
	u16 flags = (u16)*arg;

	if (flags & ~(row->revision == 2 ? XT_CT_MASK : XT_CT_NOTRACK))
		return -EINVAL;
	*arg |= XT2_TARGET_REVISION(row->revision);
	if (flags & XT_CT_NOTRACK)
		return 0;
	return name_ends(data->helper, sizeof(data->helper)) &&
			       name_ends(data->timeout, sizeof(data->timeout))
		       ? 0
		       : -ENAMETOOLONG;
}

static void ct_unpack(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	((struct xt_ct_target_info *)payload)->flags = XT2_CT_FLAGS(arg_of(r));
}

/* TTL and HL are the same structure under two names. */
static int ttl_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct ipt_TTL_info *info = payload;

	return info->mode > IPT_TTL_MAXMODE || (info->mode != IPT_TTL_SET && !info->ttl) ? -EINVAL
											 : 0;
}

static int dscp_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct xt_DSCP_info *info = payload;

	return info->dscp > XT_DSCP_MAX ? -EDOM : 0;
}

/* The third byte holds two bits of TCP; its others are kept. */
static int ecn_pack(const struct xt2_row *row, const void *payload, u32 *arg, void *out)
{
	const struct ipt_ECN_info *info = payload;

	return info->operation & IPT_ECN_OP_MASK || info->ip_ect & XT_DSCP_MASK ? -EINVAL : 0;
}

/* Name, family, revision, kind, bytes of the structure and those that userspace sees, the rest. */
#define PART(name, fam, rev, KIND, bytes, user, ...) \
	XT2_ROW_(name, fam, rev, XT2_T_##KIND, bytes, user, __VA_ARGS__)
#define ROW(name, fam, rev, KIND, user, ...) PART(name, fam, rev, KIND, user, user, __VA_ARGS__)
#define ROW_IP(name, rev, KIND, user, ...)                 \
	ROW(name, XT2_IPV4, rev, KIND, user, __VA_ARGS__), \
		ROW(name, XT2_IPV6, rev, KIND, user, __VA_ARGS__)
#define ROW_ARP(name, rev, KIND, user, ...) \
	ROW_IP(name, rev, KIND, user, __VA_ARGS__), ROW(name, XT2_ARP, rev, KIND, user, __VA_ARGS__)
/* Names: bytes of the helper's name, and of the timeout's that follows it. */
#define ROW_CT(fam, rev, type, names)                                                          \
	PART("CT", fam, rev, CT, sizeof(struct type), offsetof(struct type, ct), WITH(ct),     \
	     .bytes = 2, DATA(xt2_ct),                                                         \
	     .field = { XT2_ROW_FIELD(type, zone, 2, offsetof(struct xt2_ct, zone)),           \
			XT2_ROW_FIELD(type, ct_events, 8, offsetof(struct xt2_ct, ct_events)), \
			XT2_ROW_FIELD(type, helper, names, offsetof(struct xt2_ct, helper)) })
#define MARKS		   DATA(xt2_connmark), .field = { XT2_ROW_FIELD(xt_connmark_tginfo1, ctmark, 12, 0) }
#define DATA(type)	   .data = sizeof(struct type)
#define WITH(fn)	   .target_pack = fn##_pack, .target_unpack = fn##_unpack
#define UP_TO(type, field) (offsetof(struct type, field) + 1) /* whose last field has a byte */

/* clang-format off */
const struct xt2_row xt2_target_rows[] = {
	ROW_IP("REJECT", 0, REJECT, sizeof(struct ipt_reject_info), .bytes = 3, .target_pack = reject_pack),
	ROW_IP("LOG", 0, LOG, sizeof(struct xt_log_info), .bytes = 2, .target_pack = log_pack,
	       .data = XT2_LOG_PREFIX, .field = { XT2_ROW_FIELD(xt_log_info, prefix, XT2_LOG_PREFIX, 0) }),
	ROW_IP("NFLOG", 0, NFLOG, sizeof(struct xt_nflog_info), WITH(nflog),
	       .data = sizeof(struct xt2_nflog_sizes) + XT2_NFLOG_PREFIX),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 0, NFQUEUE, sizeof(struct xt_NFQ_info), WITH(nfqueue), DATA(xt2_nfqueue)),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 1, NFQUEUE, sizeof(struct xt_NFQ_info_v1), WITH(nfqueue), DATA(xt2_nfqueue)),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 2, NFQUEUE, sizeof(struct xt_NFQ_info_v2), WITH(nfqueue), DATA(xt2_nfqueue)),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 3, NFQUEUE, sizeof(struct xt_NFQ_info_v3), WITH(nfqueue), DATA(xt2_nfqueue)),
	ROW_ARP("MARK", 2, MARK, sizeof(struct xt_mark_tginfo2), WITH(mark)),
	ROW_IP("CONNMARK", 1, CONNMARK, UP_TO(xt_connmark_tginfo1, mode), WITH(connmark), MARKS),
	ROW_IP("CONNMARK", 2, CONNMARK, UP_TO(xt_connmark_tginfo2, mode), WITH(connmark), MARKS),
	ROW_ARP("CLASSIFY", 0, CLASSIFY, sizeof(struct xt_classify_target_info), WITH(classify), .data = 8),
	ROW_IP("TRACE", 0, TRACE, 0, .bytes = 0),
	ROW_IP("NOTRACK", 0, NOTRACK, 0, .bytes = 0),
	ROW_CT(XT2_IPV4, 0, xt_ct_target_info, 16),
	ROW_CT(XT2_IPV6, 0, xt_ct_target_info, 16),
	ROW_CT(XT2_IPV4, 1, xt_ct_target_info_v1, 16 + 32),
	ROW_CT(XT2_IPV6, 1, xt_ct_target_info_v1, 16 + 32),
	ROW_CT(XT2_IPV4, 2, xt_ct_target_info_v1, 16 + 32),
	ROW_CT(XT2_IPV6, 2, xt_ct_target_info_v1, 16 + 32),
	ROW("TTL", XT2_IPV4, 0, TTL, sizeof(struct ipt_TTL_info), .bytes = 2, .target_pack = ttl_pack),
	ROW("HL", XT2_IPV6, 0, HL, sizeof(struct ip6t_HL_info), .bytes = 2, .target_pack = ttl_pack),
	ROW_IP("TOS", 1, TOS, sizeof(struct xt_tos_target_info), .bytes = 2),
	ROW_IP("DSCP", 0, DSCP, sizeof(struct xt_DSCP_info), .bytes = 1, .target_pack = dscp_pack),
	ROW("ECN", XT2_IPV4, 0, ECN, sizeof(struct ipt_ECN_info), .bytes = 3, .target_pack = ecn_pack),
	ROW_IP("TCPMSS", 0, TCPMSS, sizeof(struct xt_tcpmss_info), .bytes = 2),
	{ 0 },
};
/* clang-format on */
