/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-matches.c - fields of the matches that are evaluated
 *
 * A row for each; what a row cannot say is left to the options' text.
 */
#include "config.h"
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_dscp.h>
#include <linux/netfilter/xt_iprange.h>
#include <linux/netfilter/xt_length.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_mac.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_pkttype.h>
#include <linux/netfilter/xt_quota.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_statistic.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>
#include "engine/env.h"
#include "json-members.h"

/* Bits by name.  => false: there are others */
struct bit {
	unsigned int bit;
	const char *name;
};

static bool bits(FILE *to, const char *name, unsigned int v, const struct bit *list)
{
	const struct bit *b;
	unsigned int all = 0;
	const char *comma = "";

	for (b = list; b->name; b++)
		all |= b->bit;
	if (v & ~all)
		return false;
	fprintf(to, ",\"%s\":[", name);
	for (b = list; b->name; b++)
		if (v & b->bit) {
			fprintf(to, "%s\"%s\"", comma, b->name);
			comma = ",";
		}
	fputc(']', to);
	return true;
}

/* A truth value; => false: it is neither 0 nor 1 */
static bool put_not(FILE *to, unsigned int v)
{
	xt2_json_yes(to, "not", v);
	return v <= 1;
}

/* A range that does not take everything; true for what takes less. */
static void ports(FILE *to, const char *name, const char *not_name, const __u16 *p, bool invert)
{
	if (!p[0] && p[1] == 0xffff && !invert)
		return;
	xt2_json_range(to, name, p[0], p[1]);
	xt2_json_yes(to, not_name, invert);
}

static bool put_tcp(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_tcp *info = e->payload;

	ports(to, "source_ports", "not_source_ports", info->spts,
	      info->invflags & XT_TCP_INV_SRCPT);
	ports(to, "destination_ports", "not_destination_ports", info->dpts,
	      info->invflags & XT_TCP_INV_DSTPT);
	if (info->flg_mask | info->flg_cmp || info->invflags & XT_TCP_INV_FLAGS) {
		xt2_json_member(to, "flags_mask", info->flg_mask);
		xt2_json_member(to, "flags", info->flg_cmp);
		xt2_json_yes(to, "not_flags", info->invflags & XT_TCP_INV_FLAGS);
	}
	if (info->option || info->invflags & XT_TCP_INV_OPTION) {
		xt2_json_member(to, "option", info->option);
		xt2_json_yes(to, "not_option", info->invflags & XT_TCP_INV_OPTION);
	}
	return true;
}

static bool put_udp(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_udp *info = e->payload;

	ports(to, "source_ports", "not_source_ports", info->spts,
	      info->invflags & XT_UDP_INV_SRCPT);
	ports(to, "destination_ports", "not_destination_ports", info->dpts,
	      info->invflags & XT_UDP_INV_DSTPT);
	return true;
}

/* IPv6's structure is the same. */
static bool put_icmp(FILE *to, const struct xt2_json_ext *e)
{
	const struct ipt_icmp *info = e->payload;

	xt2_json_yes(to, "not", info->invflags & IPT_ICMP_INV);
	xt2_json_member(to, "type", info->type);
	xt2_json_range(to, "codes", info->code[0], info->code[1]);
	return true;
}

static bool put_multiport(FILE *to, const struct xt2_json_ext *e)
{
	static const char *const names[] = { "source_ports", "destination_ports", "ports" };
	const struct xt_multiport_v1 *info = e->payload;
	unsigned int i;

	if (info->flags > XT_MULTIPORT_EITHER || info->count > XT_MULTI_PORTS)
		return false;
	xt2_json_yes(to, "not", info->invert);
	fprintf(to, ",\"%s\":[", names[info->flags]);
	for (i = 0; i < info->count; i++) {
		unsigned int first = info->ports[i];

		if (info->pflags[i] && i + 1 < info->count)
			fprintf(to, "%s[%u,%u]", i ? "," : "", first, info->ports[i + 1]);
		else
			fprintf(to, "%s%u", i ? "," : "", first);
		i += info->pflags[i] && i + 1 < info->count;
	}
	fputc(']', to);
	return true;
}

/* connmark's structure is the same. */
static bool put_mark(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_mark_mtinfo1 *info = e->payload;

	if (!put_not(to, info->invert))
		return false;
	xt2_json_member(to, "mark", info->mark);
	xt2_json_member(to, "mask", info->mask);
	return true;
}

static const struct bit state_names[] = {
	{ XT_STATE_INVALID, "INVALID" },
	{ XT_STATE_BIT(IP_CT_NEW), "NEW" },
	{ XT_STATE_BIT(IP_CT_RELATED), "RELATED" },
	{ XT_STATE_BIT(IP_CT_ESTABLISHED), "ESTABLISHED" },
	{ XT_STATE_UNTRACKED, "UNTRACKED" },
	{ 0, NULL },
};

static bool put_state(FILE *to, const struct xt2_json_ext *e)
{
	return bits(to, "states", ((const struct xt_state_info *)e->payload)->statemask,
		    state_names);
}

static const struct bit ctstate_names[] = {
	{ XT_CONNTRACK_STATE_INVALID, "INVALID" },
	{ XT_CONNTRACK_STATE_BIT(IP_CT_NEW), "NEW" },
	{ XT_CONNTRACK_STATE_BIT(IP_CT_RELATED), "RELATED" },
	{ XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED), "ESTABLISHED" },
	{ XT_CONNTRACK_STATE_UNTRACKED, "UNTRACKED" },
	{ XT_CONNTRACK_STATE_SNAT, "SNAT" },
	{ XT_CONNTRACK_STATE_DNAT, "DNAT" },
	{ 0, NULL },
};

/* Only the test of the state, which is nearly always the only one. */
static bool put_conntrack(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_conntrack_mtinfo1 *one = e->payload;
	const struct xt_conntrack_mtinfo2 *more = e->payload; /* 3 begins alike */
	__u16 alias = XT_CONNTRACK_STATE_ALIAS;

	if ((one->match_flags & ~alias) != XT_CONNTRACK_STATE ||
	    one->invert_flags & ~XT_CONNTRACK_STATE)
		return false;
	if (!bits(to, "states", e->revision == 1 ? one->state_mask : more->state_mask,
		  ctstate_names))
		return false;
	xt2_json_yes(to, "not", one->invert_flags);
	return true;
}

static bool put_limit(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_rateinfo *info = e->payload;

	xt2_json_member(to, "microseconds_per_packet",
			(__u64)info->avg * (1000000 / XT_LIMIT_SCALE));
	xt2_json_member(to, "burst", info->burst);
	return true;
}

static bool put_length(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_length_info *info = e->payload;

	if (!put_not(to, info->invert))
		return false;
	xt2_json_range(to, "bytes", info->min, info->max);
	return true;
}

/* ttl's structure and modes are the same; its header excludes that of TTL. */
static bool put_ttl(FILE *to, const struct xt2_json_ext *e)
{
	static const char *const modes[] = {
		[IP6T_HL_EQ] = "equal",
		[IP6T_HL_NE] = "unequal",
		[IP6T_HL_LT] = "less",
		[IP6T_HL_GT] = "greater",
	};
	const struct ip6t_hl_info *info = e->payload;

	if (info->mode > IP6T_HL_GT)
		return false;
	xt2_json_word(to, "mode", modes[info->mode]);
	xt2_json_member(to, "number", info->hop_limit);
	return true;
}

static bool put_dscp(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_dscp_info *info = e->payload;

	if (!put_not(to, info->invert))
		return false;
	xt2_json_member(to, "dscp", info->dscp);
	return true;
}

static bool put_tos(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_tos_match_info *info = e->payload;

	if (!put_not(to, info->invert))
		return false;
	xt2_json_member(to, "tos", info->tos_value);
	xt2_json_member(to, "mask", info->tos_mask);
	return true;
}

static bool put_pkttype(FILE *to, const struct xt2_json_ext *e)
{
	static const char *const types[] = { "unicast", "broadcast", "multicast" };
	const struct xt_pkttype_info *info = e->payload;

	if ((unsigned int)info->pkttype >= XT2_ARRAY_SIZE(types) ||
	    !put_not(to, (unsigned int)info->invert))
		return false;
	xt2_json_word(to, "type", types[info->pkttype]);
	return true;
}

static bool put_iprange(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_iprange_mtinfo *info = e->payload;

	if (info->flags & IPRANGE_SRC) {
		xt2_json_address(to, "source_first", e->family, &info->src_min);
		xt2_json_address(to, "source_last", e->family, &info->src_max);
	}
	xt2_json_yes(to, "not_source", info->flags & IPRANGE_SRC_INV);
	if (info->flags & IPRANGE_DST) {
		xt2_json_address(to, "destination_first", e->family, &info->dst_min);
		xt2_json_address(to, "destination_last", e->family, &info->dst_max);
	}
	xt2_json_yes(to, "not_destination", info->flags & IPRANGE_DST_INV);
	return true;
}

static bool put_mac(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_mac_info *info = e->payload;

	if (!put_not(to, (unsigned int)info->invert))
		return false;
	xt2_json_hex(to, "address", info->srcaddr, sizeof(info->srcaddr));
	return true;
}

static bool put_quota(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_quota_info *info = e->payload;

	xt2_json_yes(to, "not", info->flags & XT_QUOTA_INVERT);
	xt2_json_member(to, "bytes", info->quota);
	return true;
}

static bool put_statistic(FILE *to, const struct xt2_json_ext *e)
{
	const struct xt_statistic_info *info = e->payload;

	xt2_json_yes(to, "not", info->flags & XT_STATISTIC_INVERT);
	if (info->mode == XT_STATISTIC_MODE_NTH) {
		xt2_json_member(to, "every", (__u64)info->u.nth.every + 1);
		xt2_json_member(to, "packet", info->u.nth.packet);
	} else {
		xt2_json_member(to, "of_2147483648", info->u.random.probability);
	}
	return true;
}

static xt2_json_put *const matches[XT2_M_COUNT] = {
	[XT2_M_TCP] = put_tcp,
	[XT2_M_UDP] = put_udp,
	[XT2_M_UDPLITE] = put_udp,
	[XT2_M_ICMP] = put_icmp,
	[XT2_M_ICMP6] = put_icmp,
	[XT2_M_MULTIPORT] = put_multiport,
	[XT2_M_IPRANGE] = put_iprange,
	[XT2_M_LENGTH] = put_length,
	[XT2_M_TTL] = put_ttl,
	[XT2_M_HL] = put_ttl,
	[XT2_M_TOS] = put_tos,
	[XT2_M_DSCP] = put_dscp,
	[XT2_M_MARK] = put_mark,
	[XT2_M_CONNMARK] = put_mark,
	[XT2_M_MAC] = put_mac,
	[XT2_M_PKTTYPE] = put_pkttype,
	[XT2_M_STATISTIC] = put_statistic,
	[XT2_M_LIMIT] = put_limit,
	[XT2_M_QUOTA] = put_quota,
	[XT2_M_STATE] = put_state,
	[XT2_M_CONNTRACK] = put_conntrack,
};

xt2_json_put *xt2_json_match_find(__u8 type)
{
	return type < XT2_M_COUNT ? matches[type] : NULL;
}
