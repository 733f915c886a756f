/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-target.c - targets: legacy payload <-> argument and data
 *
 * Each pair packs what the kernel's structure says and refuses what the
 * kernel's checkentry function refuses, with its errno; what concerns the rest
 * of the rule (a REJECT with a TCP reset wants -p tcp) is in the extension's
 * own check.  The kernel gives back the structure without the padding behind
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

_Static_assert(sizeof(struct xt_ct_target_info) == 40, "64-bit layout");
_Static_assert(sizeof(struct xt_ct_target_info_v1) == 72, "64-bit layout");
_Static_assert(sizeof(struct ipt_TTL_info) == sizeof(struct ip6t_HL_info), "one body for both");

/* => bytes of data without zero words at the end */
static u32 trimmed(const void *data, u32 size)
{
	const u64 *words = data;
	u32 n = (size + 7) / 8;

	while (n && !words[n - 1])
		n--;
	return n * 8;
}

/* Data from its offset off on; what is not there stays as it was. */
static void read_data(const struct xt2_rule *r, u32 off, void *to, u32 size)
{
	u32 have = xt2_rule_target_size(r);

	if (have <= off)
		return;
	have -= off;
	memcpy(to, (const u8 *)xt2_rule_target_data(r) + off, have < size ? have : size);
}

static u32 arg_of(const struct xt2_rule *r)
{
	return XT2_TARGET_ARG(r->target);
}

static int reject_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct ip6t_reject_info *info = payload;

	if (info->with == (family == XT2_IPV4 ? IPT_ICMP_ECHOREPLY : (u32)IP6T_ICMP6_ECHOREPLY))
		return -EINVAL;
	if (info->with > XT2_ARG_MAX)
		return -EOPNOTSUPP;
	*arg = info->with;
	return 0;
}

static void reject_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	((struct ip6t_reject_info *)payload)->with = arg_of(r);
}

static int log_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_log_info *info = payload;

	if (info->level >= 8 || info->prefix[sizeof(info->prefix) - 1])
		return -EINVAL;
	*arg = info->level | (u32)info->logflags << 8;
	memcpy(out, info->prefix, sizeof(info->prefix));
	*size = trimmed(out, sizeof(info->prefix));
	return 0;
}

static void log_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_log_info *info = payload;

	info->level = XT2_LOG_LEVEL(arg_of(r));
	info->logflags = XT2_LOG_FLAGS(arg_of(r));
	read_data(r, 0, info->prefix, sizeof(info->prefix));
}

static int nflog_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
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
	*size = used + trimmed((u8 *)out + used, sizeof(info->prefix));
	return 0;
}

static void nflog_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_nflog_info *info = payload;
	struct xt2_nflog_sizes sizes = { 0 };
	u32 used = arg_of(r) & XT2_NFLOG_SIZES ? sizeof(sizes) : 0;

	read_data(r, 0, &sizes, used);
	info->len = sizes.len;
	info->group = (u16)arg_of(r);
	info->threshold = sizes.threshold;
	info->flags = arg_of(r) & XT2_NFLOG_COPY_LEN ? XT_NFLOG_F_COPY_LEN : 0;
	info->pad = sizes.pad;
	read_data(r, used, info->prefix, sizeof(info->prefix));
}

/* Revisions only add fields: each is packed as if it were the last. */
static int nfqueue_put(const struct xt_NFQ_info_v3 *info, u32 revision, u32 *arg, void *out,
		       u32 *size)
{
	struct xt2_nfqueue data = { .more = (u16)(info->queues_total - 1) };

	if (!info->queues_total)
		return -EINVAL;
	if (info->queuenum + data.more > 0xffff)
		return -ERANGE;
	if (info->flags & ~(revision == 2 ? NFQ_FLAG_BYPASS : NFQ_FLAG_MASK))
		return -EINVAL;
	*arg = info->queuenum | (u32)info->flags << 16 | XT2_TARGET_REVISION(revision);
	memcpy(out, &data, sizeof(data));
	*size = trimmed(out, sizeof(data));
	return 0;
}

static int nfqueue0_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	*arg = ((const struct xt_NFQ_info *)payload)->queuenum;
	return 0;
}

static int nfqueue1_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_NFQ_info_v1 *v1 = payload;
	struct xt_NFQ_info_v3 info = { v1->queuenum, v1->queues_total, 0 };

	return nfqueue_put(&info, 1, arg, out, size);
}

static int nfqueue2_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	return nfqueue_put(payload, 2, arg, out, size);
}

static int nfqueue3_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	return nfqueue_put(payload, 3, arg, out, size);
}

static void nfqueue_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_NFQ_info_v3 info = { .queuenum = (u16)arg_of(r) };
	struct xt2_nfqueue data = { 0 };
	static const u8 sizes[] = { 2, 4, 6, 6 };

	read_data(r, 0, &data, sizeof(data));
	info.queues_total = data.more + 1;
	info.flags = XT2_NFQUEUE_FLAGS(arg_of(r));
	memcpy(payload, &info, sizes[XT2_ARG_REVISION(arg_of(r))]);
}

/* Setting a small mark fits into the argument. */
static int mark_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_mark_tginfo2 *info = payload;

	if (info->mask == ~0u && info->mark <= XT2_ARG_MAX) {
		*arg = info->mark;
		return 0;
	}
	*(struct xt2_mark *)out = (struct xt2_mark){ info->mark, info->mask };
	*size = sizeof(struct xt2_mark);
	return 0;
}

static void mark_unpack(const struct xt2_rule *r, u8 family, void *payload)
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

static int connmark_put(const struct xt_connmark_tginfo2 *info, u32 revision, u32 *arg, void *out,
			u32 *size)
{
	struct xt2_connmark data = { info->ctmark, info->ctmask, info->nfmask, 0 };

	if (info->shift_dir > D_SHIFT_RIGHT || info->shift_bits >= 32)
		return -EINVAL;
	*arg = info->mode | (u32)info->shift_bits << 8 | XT2_TARGET_REVISION(revision);
	if (info->shift_dir == D_SHIFT_RIGHT)
		*arg |= XT2_CONNMARK_RIGHT;
	memcpy(out, &data, sizeof(data));
	*size = trimmed(out, sizeof(data));
	return 0;
}

static int connmark1_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_connmark_tginfo1 *v1 = payload;
	struct xt_connmark_tginfo2 info = {
		.ctmark = v1->ctmark,
		.ctmask = v1->ctmask,
		.nfmask = v1->nfmask,
		.mode = v1->mode,
	};

	return connmark_put(&info, 1, arg, out, size);
}

static int connmark2_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	return connmark_put(payload, 2, arg, out, size);
}

static void connmark1_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_connmark_tginfo1 *info = payload;
	struct xt2_connmark data = { 0 };

	read_data(r, 0, &data, sizeof(data));
	info->ctmark = data.ctmark;
	info->ctmask = data.ctmask;
	info->nfmask = data.nfmask;
	info->mode = XT2_CONNMARK_MODE(arg_of(r));
}

static void connmark2_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_connmark_tginfo2 *info = payload;
	struct xt2_connmark data = { 0 };

	read_data(r, 0, &data, sizeof(data));
	info->ctmark = data.ctmark;
	info->ctmask = data.ctmask;
	info->nfmask = data.nfmask;
	info->shift_dir = arg_of(r) & XT2_CONNMARK_RIGHT ? D_SHIFT_RIGHT : D_SHIFT_LEFT;
	info->shift_bits = XT2_CONNMARK_SHIFT(arg_of(r));
	info->mode = XT2_CONNMARK_MODE(arg_of(r));
}

static int classify_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	u32 priority = ((const struct xt_classify_target_info *)payload)->priority;

	if (priority <= XT2_ARG_MAX) {
		*arg = priority;
		return 0;
	}
	*(u32 *)out = priority;
	*size = 8;
	return 0;
}

static void classify_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_classify_target_info *info = payload;

	info->priority = arg_of(r);
	read_data(r, 0, &info->priority, sizeof(info->priority));
}

static int empty_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	return 0;
}

static void empty_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
}

/* A name that is not used may be anything. */
static int ct_names_check(u32 flags, const struct xt2_ct *data)
{
	if (flags & XT_CT_NOTRACK)
		return 0;
	if (strnlen(data->helper, sizeof(data->helper)) == sizeof(data->helper) ||
	    strnlen(data->timeout, sizeof(data->timeout)) == sizeof(data->timeout))
		return -ENAMETOOLONG;
	return 0;
}

static int ct_put(const struct xt_ct_target_info_v1 *info, const char *timeout, u32 revision,
		  u32 *arg, void *out, u32 *size)
{
	struct xt2_ct data = {
		.zone = info->zone,
		.ct_events = info->ct_events,
		.exp_events = info->exp_events,
	};
	int err;

	if (info->flags & ~(revision == 2 ? XT_CT_MASK : XT_CT_NOTRACK))
		return -EINVAL;
	memcpy(data.helper, info->helper, sizeof(data.helper));
	if (timeout)
		memcpy(data.timeout, timeout, sizeof(data.timeout));
	err = ct_names_check(info->flags, &data);
	if (err)
		return err;
	*arg = info->flags | XT2_TARGET_REVISION(revision);
	memcpy(out, &data, sizeof(data));
	*size = trimmed(out, sizeof(data));
	return 0;
}

/* Up to the helper's name, both structures are the same. */
static int ct0_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	struct xt_ct_target_info_v1 info = { 0 };

	memcpy(&info, payload, offsetof(struct xt_ct_target_info_v1, timeout));
	return ct_put(&info, NULL, 0, arg, out, size);
}

static int ct1_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_ct_target_info_v1 *info = payload;

	return ct_put(info, info->timeout, 1, arg, out, size);
}

static int ct2_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_ct_target_info_v1 *info = payload;

	return ct_put(info, info->timeout, 2, arg, out, size);
}

static void ct_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_ct_target_info_v1 info = { 0 };
	struct xt2_ct data = { 0 };

	read_data(r, 0, &data, sizeof(data));
	info.flags = XT2_CT_FLAGS(arg_of(r));
	info.zone = data.zone;
	info.ct_events = data.ct_events;
	info.exp_events = data.exp_events;
	memcpy(info.helper, data.helper, sizeof(info.helper));
	memcpy(info.timeout, data.timeout, sizeof(info.timeout));
	memcpy(payload, &info,
	       XT2_ARG_REVISION(arg_of(r)) ? offsetof(struct xt_ct_target_info_v1, ct)
					   : offsetof(struct xt_ct_target_info, ct));
}

/* TTL and HL are the same structure under two names. */
static int ttl_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct ipt_TTL_info *info = payload;

	if (info->mode > IPT_TTL_MAXMODE || (info->mode != IPT_TTL_SET && !info->ttl))
		return -EINVAL;
	*arg = info->mode | (u32)info->ttl << 8;
	return 0;
}

static void ttl_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct ipt_TTL_info *info = payload;

	info->mode = (u8)arg_of(r);
	info->ttl = (u8)(arg_of(r) >> 8);
}

static int tos_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_tos_target_info *info = payload;

	*arg = info->tos_value | (u32)info->tos_mask << 8;
	return 0;
}

static void tos_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	struct xt_tos_target_info *info = payload;

	info->tos_value = (u8)arg_of(r);
	info->tos_mask = (u8)(arg_of(r) >> 8);
}

static int dscp_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct xt_DSCP_info *info = payload;

	if (info->dscp > XT_DSCP_MAX)
		return -EDOM;
	*arg = info->dscp;
	return 0;
}

static void dscp_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	((struct xt_DSCP_info *)payload)->dscp = (u8)arg_of(r);
}

/* The third byte holds two bits of TCP; its others are kept. */
static int ecn_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	const struct ipt_ECN_info *info = payload;

	if (info->operation & IPT_ECN_OP_MASK || info->ip_ect & XT_DSCP_MASK)
		return -EINVAL;
	*arg = info->operation | (u32)info->ip_ect << 8 | (u32)((const u8 *)payload)[2] << 16;
	return 0;
}

static void ecn_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	u8 *info = payload;

	info[0] = (u8)arg_of(r);
	info[1] = (u8)(arg_of(r) >> 8);
	info[2] = (u8)(arg_of(r) >> 16);
}

static int tcpmss_pack(const void *payload, u8 family, u32 *arg, void *out, u32 *size)
{
	*arg = ((const struct xt_tcpmss_info *)payload)->mss;
	return 0;
}

static void tcpmss_unpack(const struct xt2_rule *r, u8 family, void *payload)
{
	((struct xt_tcpmss_info *)payload)->mss = (u16)arg_of(r);
}

#define ALIGNED(size) (((size) + 7) & ~7u)

/* name, family, revision, kind, bytes of the structure, functions */
#define ROW(name, fam, rev, KIND, bytes, fn, un)                                            \
	{                                                                                   \
		name, fam, rev, XT2_T_##KIND, ALIGNED(bytes), bytes, fn##_pack, un##_unpack \
	}
#define ROW_IP(name, rev, KIND, bytes, fn, un) \
	ROW(name, XT2_IPV4, rev, KIND, bytes, fn, un), ROW(name, XT2_IPV6, rev, KIND, bytes, fn, un)

/* clang-format off */
const struct xt2_target_row xt2_target_rows[] = {
	ROW("REJECT", XT2_IPV4, 0, REJECT, sizeof(struct ipt_reject_info), reject, reject),
	ROW("REJECT", XT2_IPV6, 0, REJECT, sizeof(struct ip6t_reject_info), reject, reject),
	ROW_IP("LOG", 0, LOG, sizeof(struct xt_log_info), log, log),
	ROW_IP("NFLOG", 0, NFLOG, sizeof(struct xt_nflog_info), nflog, nflog),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 0, NFQUEUE, sizeof(struct xt_NFQ_info),
	    nfqueue0, nfqueue),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 1, NFQUEUE, sizeof(struct xt_NFQ_info_v1),
	    nfqueue1, nfqueue),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 2, NFQUEUE, sizeof(struct xt_NFQ_info_v2),
	    nfqueue2, nfqueue),
	ROW("NFQUEUE", XT2_ANY_FAMILY, 3, NFQUEUE, sizeof(struct xt_NFQ_info_v3),
	    nfqueue3, nfqueue),
	ROW_IP("MARK", 2, MARK, sizeof(struct xt_mark_tginfo2), mark, mark),
	ROW("MARK", XT2_ARP, 2, MARK, sizeof(struct xt_mark_tginfo2), mark, mark),
	ROW_IP("CONNMARK", 1, CONNMARK, offsetof(struct xt_connmark_tginfo1, mode) + 1,
	       connmark1, connmark1),
	ROW_IP("CONNMARK", 2, CONNMARK, offsetof(struct xt_connmark_tginfo2, mode) + 1,
	       connmark2, connmark2),
	ROW_IP("CLASSIFY", 0, CLASSIFY, sizeof(struct xt_classify_target_info),
	       classify, classify),
	ROW("CLASSIFY", XT2_ARP, 0, CLASSIFY, sizeof(struct xt_classify_target_info),
	    classify, classify),
	ROW_IP("TRACE", 0, TRACE, 0, empty, empty),
	ROW_IP("NOTRACK", 0, NOTRACK, 0, empty, empty),
	{ "CT", XT2_IPV4, 0, XT2_T_CT, 40, 32, ct0_pack, ct_unpack },
	{ "CT", XT2_IPV6, 0, XT2_T_CT, 40, 32, ct0_pack, ct_unpack },
	{ "CT", XT2_IPV4, 1, XT2_T_CT, 72, 64, ct1_pack, ct_unpack },
	{ "CT", XT2_IPV6, 1, XT2_T_CT, 72, 64, ct1_pack, ct_unpack },
	{ "CT", XT2_IPV4, 2, XT2_T_CT, 72, 64, ct2_pack, ct_unpack },
	{ "CT", XT2_IPV6, 2, XT2_T_CT, 72, 64, ct2_pack, ct_unpack },
	ROW("TTL", XT2_IPV4, 0, TTL, sizeof(struct ipt_TTL_info), ttl, ttl),
	ROW("HL", XT2_IPV6, 0, HL, sizeof(struct ip6t_HL_info), ttl, ttl),
	ROW_IP("TOS", 1, TOS, sizeof(struct xt_tos_target_info), tos, tos),
	ROW_IP("DSCP", 0, DSCP, sizeof(struct xt_DSCP_info), dscp, dscp),
	ROW("ECN", XT2_IPV4, 0, ECN, sizeof(struct ipt_ECN_info), ecn, ecn),
	ROW_IP("TCPMSS", 0, TCPMSS, sizeof(struct xt_tcpmss_info), tcpmss, tcpmss),
	{ 0 },
};
/* clang-format on */
