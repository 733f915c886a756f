/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json-targets.c - fields of the targets that are evaluated: a row for each */
#include "config.h"
#include <linux/netfilter/xt_CLASSIFY.h>
#include <linux/netfilter/xt_DSCP.h>
#include <linux/netfilter/xt_LOG.h>
#include <linux/netfilter/xt_NFLOG.h>
#include <linux/netfilter/xt_NFQUEUE.h>
#include <linux/netfilter/xt_TCPMSS.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter_ipv4/ipt_TTL.h>
#include <string.h>
#include "engine/env.h"
#include "json-members.h"
#include "xt2tables/text/print/reject-names.h"

static bool put_none(FILE *to, const struct xt2_json_ext *e)
{
	return true;
}

static bool put_reject(FILE *to, const struct xt2_json_ext *e)
{
	__u32 with = ((const struct ipt_reject_info *)e->payload)->with; /* ip6t's is alike */
	const char *name = xt2_reject_name(e->family, with);

	if (!name)
		return false;
	xt2_json_word(to, "with", name);
	return true;
}

static bool put_log(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_log_info *info = e->payload;

	xt2_json_member(to, "level", info->level);
	xt2_json_member(to, "flags", info->logflags);
	xt2_json_text(to, "prefix", info->prefix, sizeof(info->prefix));
	return true;
}

static bool put_nflog(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_nflog_info *info = e->payload;

	xt2_json_member(to, "group", info->group);
	xt2_json_text(to, "prefix", info->prefix, sizeof(info->prefix));
	xt2_json_member(to, "size", info->len);
	xt2_json_yes(to, "use_size", info->flags & XT_NFLOG_F_COPY_LEN);
	xt2_json_member(to, "threshold", info->threshold);
	return true;
}

static bool put_nfqueue(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_NFQ_info_v3 *info = e->payload; /* the others are its beginning */
	__u16 flags = e->revision >= 2 ? info->flags : 0;

	xt2_json_member(to, "queue", info->queuenum);
	xt2_json_member(to, "queues", e->revision ? info->queues_total : 1);
	xt2_json_yes(to, "bypass", flags & NFQ_FLAG_BYPASS);
	xt2_json_yes(to, "cpu_fanout", flags & NFQ_FLAG_CPU_FANOUT);
	return true;
}

static bool put_set_mark(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_mark_tginfo2 *info = e->payload;

	xt2_json_member(to, "mark", info->mark);
	xt2_json_member(to, "mask", info->mask);
	return true;
}

static bool put_classify(FILE *to, const struct xt2_json_ext *e)
{
	xt2_json_member(to, "priority",
			((const struct xt_classify_target_info *)e->payload)->priority);
	return true;
}

/* HL's structure and modes are the same. */
static bool put_set_ttl(FILE *to, const struct xt2_json_ext *e)
{
	static const char *const modes[] = {
		[IPT_TTL_SET] = "set",
		[IPT_TTL_INC] = "increase",
		[IPT_TTL_DEC] = "decrease",
	};
	const struct ipt_TTL_info *info = e->payload;

	if (info->mode > IPT_TTL_DEC)
		return false;
	xt2_json_word(to, "mode", modes[info->mode]);
	xt2_json_member(to, "number", info->ttl);
	return true;
}

static bool put_set_dscp(FILE *to, const struct xt2_json_ext *e)
{
	xt2_json_member(to, "dscp", ((const struct xt_DSCP_info *)e->payload)->dscp);
	return true;
}

static bool put_set_tos(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_tos_target_info *info = e->payload;

	xt2_json_member(to, "tos", info->tos_value);
	xt2_json_member(to, "mask", info->tos_mask);
	return true;
}

static bool put_tcpmss(FILE *to, const struct xt2_json_ext *e)
{
	__u16 mss = ((const struct xt_tcpmss_info *)e->payload)->mss;

	if (mss == XT_TCPMSS_CLAMP_PMTU)
		xt2_json_yes(to, "clamp_to_pmtu", true);
	else
		xt2_json_member(to, "mss", mss);
	return true;
}

static xt2_json_put *const targets[XT2_T_COUNT] = {
	[XT2_T_REJECT] = put_reject,   [XT2_T_LOG] = put_log,	    [XT2_T_NFLOG] = put_nflog,
	[XT2_T_NFQUEUE] = put_nfqueue, [XT2_T_MARK] = put_set_mark, [XT2_T_CLASSIFY] = put_classify,
	[XT2_T_TRACE] = put_none,      [XT2_T_NOTRACK] = put_none,  [XT2_T_TTL] = put_set_ttl,
	[XT2_T_HL] = put_set_ttl,      [XT2_T_DSCP] = put_set_dscp, [XT2_T_TOS] = put_set_tos,
	[XT2_T_TCPMSS] = put_tcpmss,
};

xt2_json_put *xt2_json_target_find(__u8 kind)
{
	return kind < XT2_T_COUNT ? targets[kind] : NULL;
}
