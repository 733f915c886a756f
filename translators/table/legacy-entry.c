/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-entry.c - what extensions check when a rule is loaded
 *
 * The kernel's checkentry functions, as far as xt2's own packing does not ask
 * the same: what looks at the rule around the extension, and the payloads of
 * extensions that are only carried.  What depends on the state of a kernel
 * (ipsets, accounting objects, whether a cgroup exists) is not known here.
 */
#include "legacy-format.h"
#include <linux/in.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/xt_AUDIT.h>
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_HMARK.h>
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_RATEEST.h>
#include <linux/netfilter/xt_TCPMSS.h>
#include <linux/netfilter/xt_TEE.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_cgroup.h>
#include <linux/netfilter/xt_cluster.h>
#include <linux/netfilter/xt_connbytes.h>
#include <linux/netfilter/xt_connlabel.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_ecn.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_l2tp.h>
#include <linux/netfilter/xt_nfacct.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_policy.h>
#include <linux/netfilter/xt_rateest.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_arp/arpt_mangle.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv4/ipt_CLUSTERIP.h>
#include <linux/netfilter_ipv4/ipt_ECN.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_NPT.h>
#include <linux/netfilter_ipv6/ip6t_rt.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_srh.h>

#define TCP_SYN	    0x02
#define RECENT_HITS 65535 /* of Linux 6.18; older ones take fewer */
#define WRITE_TCP   "write -p tcp before it"

static bool is_tcp(const struct legacy_rule *rule)
{
	return rule->proto == IPPROTO_TCP && !rule->inv_proto;
}

static int valid(bool ok)
{
	return ok ? 0 : -EINVAL;
}

int legacy_known_check(const struct legacy_known *k, const struct legacy_rule *rule,
		       const void *payload)
{
	u32 first = 0;

	memcpy(&first, payload, k->first.bytes);
	if (first < k->first.least || first > k->first.most)
		return k->first.err ? -k->first.err : -EINVAL;
	return k->check ? k->check(rule, payload) : 0;
}

static int refuse(const struct legacy_rule *rule, const char *what, const char *hint)
{
	if (rule->why)
		*rule->why = (struct legacy_why){ what, hint };
	return -EINVAL;
}

/* None of these hooks may lead here. */
static int not_from(const struct legacy_rule *rule, u32 hooks)
{
	return valid(!(rule->hooks & hooks));
}

/* A name in a fixed array has to end there. */
static int name_ends(const char *name, u32 size)
{
	return strnlen(name, size) < size ? 0 : -ENAMETOOLONG;
}

/* The name of a file in /proc: xt_check_proc_name(). */
static int name_file(const struct legacy_rule *rule, const char *name, u32 size)
{
	if (strnlen(name, size) == size)
		return -ENAMETOOLONG;
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strchr(name, '/'))
		return refuse(rule, "its name cannot be that of a file", NULL);
	return 0;
}

/* The name of a file of a device in /sys: idletimer_check_sysfs_name(). */
static int name_sysfs(const struct legacy_rule *rule, const char *name, u32 size)
{
	static const char *const taken[] = { "power", "subsystem", "uevent" };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(taken); i++)
		if (!strncmp(name, taken[i], size))
			return refuse(rule, "every device has a file of that name already",
				      "choose another --label");
	return name_file(rule, name, size);
}

/* --- hooks that depend on the options ---------------------------------------- */

#define BEFORE_ROUTE (LEGACY_PRE | LEGACY_IN) /* no device to leave by is known there */
#define AFTER_ROUTE  (LEGACY_OUT | LEGACY_POST) /* none that the packet came by */

static u32 devgroup_hooks(const void *payload)
{
	u32 flags = ((const struct xt_devgroup_info *)payload)->flags;

	return (flags & XT_DEVGROUP_MATCH_SRC ? AFTER_ROUTE : 0u) |
	       (flags & XT_DEVGROUP_MATCH_DST ? BEFORE_ROUTE : 0u);
}

static u32 addrtype_hooks(const void *payload)
{
	u32 flags = ((const struct xt_addrtype_info_v1 *)payload)->flags;

	return (flags & XT_ADDRTYPE_LIMIT_IFACE_OUT ? BEFORE_ROUTE : 0u) |
	       (flags & XT_ADDRTYPE_LIMIT_IFACE_IN ? AFTER_ROUTE : 0u);
}

static u32 policy_hooks(const void *payload)
{
	u32 flags = ((const struct xt_policy_info *)payload)->flags;

	return (flags & XT_POLICY_MATCH_OUT ? BEFORE_ROUTE : 0u) |
	       (flags & XT_POLICY_MATCH_IN ? AFTER_ROUTE : 0u);
}

static u32 physdev_hooks(const void *payload)
{
	const struct xt_physdev_info *info = payload;
	bool bridged = info->bitmask & XT_PHYSDEV_OP_BRIDGED &&
		       !(info->invert & XT_PHYSDEV_OP_BRIDGED);

	return info->bitmask & (XT_PHYSDEV_OP_OUT | XT_PHYSDEV_OP_ISOUT) && !bridged ? LEGACY_OUT
										     : 0;
}

static u32 tcpmss_hooks(const void *payload)
{
	return ((const struct xt_tcpmss_info *)payload)->mss == XT_TCPMSS_CLAMP_PMTU ? BEFORE_ROUTE
										     : 0;
}

u32 legacy_bad_hooks(const char *name, const void *payload)
{
	static const struct {
		const char *name;
		u32 (*hooks)(const void *payload);
	} rows[] = {
		{ "TCPMSS", tcpmss_hooks },	{ "addrtype", addrtype_hooks },
		{ "devgroup", devgroup_hooks }, { "physdev", physdev_hooks },
		{ "policy", policy_hooks },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].hooks(payload);
	return 0;
}

/* --- matches ---------------------------------------------------------------- */

int legacy_ecn_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_ecn_info *info = payload;

	if (info->operation & (XT_ECN_OP_MATCH_ECE | XT_ECN_OP_MATCH_CWR) && !is_tcp(rule))
		return refuse(rule, "the TCP flags need -p tcp, not inverted", WRITE_TCP);
	return 0;
}

int legacy_cgroup0_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(!(((const struct xt_cgroup_info_v0 *)payload)->invert & ~1u));
}

/* Revisions 1 and 2 begin alike. */
int legacy_cgroup_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_cgroup_info_v1 *info = payload;

	if (info->invert_path > 1 || info->invert_classid > 1)
		return -EINVAL;
	if (!info->has_path == !info->has_classid)
		return refuse(rule, "it takes either --path or --cgroup", NULL);
	return info->has_path
		       ? name_ends(info->path, rule->revision == 1 ? PATH_MAX : XT_CGROUP_PATH_MAX)
		       : 0;
}

/* An object that does not exist: no name is as long. */
int legacy_nfacct_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_nfacct_match_info *info = payload;

	return name_ends(info->name, sizeof(info->name)) ? -ENOENT : 0;
}

int legacy_devgroup_check(const struct legacy_rule *rule, const void *payload)
{
	u32 flags = ((const struct xt_devgroup_info *)payload)->flags;

	if (flags & ~(XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_INVERT_SRC | XT_DEVGROUP_MATCH_DST |
		      XT_DEVGROUP_INVERT_DST))
		return -EINVAL;
	return not_from(rule, devgroup_hooks(payload));
}

int legacy_addrtype_check(const struct legacy_rule *rule, const void *payload)
{
	u32 flags = ((const struct xt_addrtype_info_v1 *)payload)->flags;

	if (flags & XT_ADDRTYPE_LIMIT_IFACE_IN && flags & XT_ADDRTYPE_LIMIT_IFACE_OUT)
		return -EINVAL;
	return not_from(rule, addrtype_hooks(payload));
}

/* The protocols that have ports. */
int legacy_multiport_check(const struct legacy_rule *rule, const void *payload)
{
	static const u8 protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_UDPLITE, IPPROTO_SCTP,
				     IPPROTO_DCCP };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(protos); i++)
		if (rule->proto == protos[i])
			return valid(!rule->inv_proto);
	return -EINVAL;
}

/* Users from min to max; ~0 is none. */
static bool range_ok(u32 min, u32 max)
{
	return min <= max && max != ~0u;
}

int legacy_owner_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_owner_match_info *info = payload;

	if (info->match & ~(XT_OWNER_UID | XT_OWNER_GID | XT_OWNER_SOCKET | XT_OWNER_SUPPL_GROUPS))
		return -EINVAL;
	if (info->match & XT_OWNER_UID && !range_ok(info->uid_min, info->uid_max))
		return -EINVAL;
	return valid(!(info->match & XT_OWNER_GID) || range_ok(info->gid_min, info->gid_max));
}

int legacy_policy_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_policy_info *info = payload;

	if (!(info->flags & (XT_POLICY_MATCH_IN | XT_POLICY_MATCH_OUT)) ||
	    info->len > XT_POLICY_MAX_ELEM)
		return -EINVAL;
	return not_from(rule, policy_hooks(payload));
}

int legacy_physdev_check(const struct legacy_rule *rule, const void *payload)
{
	return not_from(rule, physdev_hooks(payload));
}

/* Revision 1 adds a mask after the fields that are checked. */
int legacy_recent_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_recent_mtinfo *info = payload;
	u32 set = info->check_set;

	if (set & ~(u32)XT_RECENT_VALID_FLAGS ||
	    __builtin_popcount(set & (XT_RECENT_SET | XT_RECENT_REMOVE | XT_RECENT_CHECK |
				      XT_RECENT_UPDATE)) != 1)
		return -EINVAL;
	if (set & (XT_RECENT_SET | XT_RECENT_REMOVE) &&
	    (info->seconds || info->hit_count || set & XT_RECENT_MODIFIERS))
		return refuse(rule, "--set and --remove go with none of its other tests",
			      "--seconds, --hitcount, --reap and --rttl need --rcheck or --update");
	if (set & XT_RECENT_REAP && !info->seconds)
		return refuse(rule, "--reap needs --seconds", NULL);
	if (info->hit_count > RECENT_HITS)
		return refuse(rule, "--hitcount is at most 65535", NULL);
	return name_file(rule, info->name, sizeof(info->name));
}

/*
 * The revisions have the same fields in other widths.  Whether a rate is too
 * high to be counted depends on how often a kernel's clock ticks: not asked.
 */
struct hashlimit {
	const char *name;
	u32 name_size;
	u64 avg, burst;
	u32 mode, gc_interval, expire, interval;
	u8 src, dst;
};

static int hashlimit_rate(const struct hashlimit *h, u32 revision)
{
	if (h->mode & XT_HASHLIMIT_RATE_MATCH) {
		if (revision < 3)
			return -EINVAL;
		if (!h->avg || h->avg > 0xffffffff)
			return -ERANGE;
		return valid(h->interval);
	}
	/* Two are a credit with any clock, and one is none: user2credits_byte(). */
	if (h->mode & XT_HASHLIMIT_BYTES)
		return valid((u32)h->avg > 1);
	return h->burst ? 0 : -ERANGE;
}

static int hashlimit(const struct legacy_rule *rule, const struct hashlimit *h)
{
	u32 most = rule->family == XT2_IPV4 ? 32 : 128;
	int err = name_file(rule, h->name, h->name_size);

	if (!err && (!h->gc_interval || !h->expire))
		err = refuse(rule, "--hashlimit-htable-gcinterval and -expire cannot be 0", NULL);
	if (err)
		return err;
	if (h->src > most || h->dst > most || h->mode & ~(XT_HASHLIMIT_RATE_MATCH * 2u - 1))
		return -EINVAL;
	return hashlimit_rate(h, rule->revision);
}

#define HASHLIMIT(info)                                                                  \
	.name = (info)->name, .name_size = sizeof((info)->name), .avg = (info)->cfg.avg, \
	.burst = (info)->cfg.burst, .mode = (info)->cfg.mode,                            \
	.gc_interval = (info)->cfg.gc_interval, .expire = (info)->cfg.expire,            \
	.src = (info)->cfg.srcmask, .dst = (info)->cfg.dstmask

int legacy_hashlimit1_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_hashlimit_mtinfo1 *info = payload;

	return hashlimit(rule, &(struct hashlimit){ HASHLIMIT(info) });
}

int legacy_hashlimit_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_hashlimit_mtinfo2 *two = payload;
	const struct xt_hashlimit_mtinfo3 *three = payload;

	if (rule->revision == 2)
		return hashlimit(rule, &(struct hashlimit){ HASHLIMIT(two) });
	return hashlimit(rule,
			 &(struct hashlimit){ HASHLIMIT(three), .interval = three->cfg.interval });
}

int legacy_rateest_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_rateest_match_info *info = payload;
	u32 way = info->flags & (XT_RATEEST_MATCH_ABS | XT_RATEEST_MATCH_REL);
	int err;

	if (info->mode < XT_RATEEST_MATCH_EQ || info->mode > XT_RATEEST_MATCH_GT)
		return refuse(rule, "it takes one of --rateest-lt, --rateest-gt and --rateest-eq",
			      NULL);
	if (__builtin_popcount(way) != 1 ||
	    !(info->flags & (XT_RATEEST_MATCH_BPS | XT_RATEEST_MATCH_PPS)))
		return refuse(rule, "there is no rate to compare with", NULL);
	err = name_ends(info->name1, sizeof(info->name1));
	return err || way == XT_RATEEST_MATCH_ABS ? err
						  : name_ends(info->name2, sizeof(info->name2));
}

int legacy_cluster_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_cluster_match_info *info = payload;

	if (info->total_nodes > XT_CLUSTER_NODES_MAX)
		return -EINVAL;
	return info->node_mask < 1ull << info->total_nodes ? 0 : -EDOM;
}

int legacy_connbytes_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_connbytes_info *info = payload;

	return valid(info->what <= XT_CONNBYTES_AVGPKT && info->direction <= XT_CONNBYTES_DIR_BOTH);
}

int legacy_connlabel_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_connlabel_mtinfo *info = payload;

	if (info->options & ~(XT_CONNLABEL_OP_INVERT | XT_CONNLABEL_OP_SET))
		return -EINVAL;
	if (info->bit <= XT_CONNLABEL_MAXBIT)
		return 0;
	refuse(rule, "labels are at most 127", NULL);
	return -ERANGE;
}

/* An algorithm that there is not, but all else is right: as textsearch_prepare(). */
int legacy_string_check(const struct legacy_rule *rule, const void *payload)
{
	static const char *const algorithms[] = { "bm", "kmp", "fsm" };
	const struct xt_string_info *info = payload;
	size_t i;

	if (info->from_offset > info->to_offset || info->algo[sizeof(info->algo) - 1] ||
	    !info->patlen || info->patlen > XT_STRING_MAX_PATTERN_SIZE ||
	    info->u.v1.flags & ~(XT_STRING_FLAG_IGNORECASE | XT_STRING_FLAG_INVERT))
		return -EINVAL;
	for (i = 0; i < XT2_ARRAY_SIZE(algorithms); i++)
		if (!strcmp(info->algo, algorithms[i]))
			return 0;
	return -ENOENT;
}

int legacy_l2tp_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_l2tp_info *info = payload;
	bool tunnel = info->flags & XT_L2TP_TID, session = info->flags & XT_L2TP_SID;

	if (info->flags & ~(XT_L2TP_TID | XT_L2TP_SID | XT_L2TP_VERSION | XT_L2TP_TYPE))
		return -EINVAL;
	if (!tunnel && !session &&
	    (!(info->flags & XT_L2TP_TYPE) || info->type != XT_L2TP_TYPE_CONTROL))
		return -EINVAL;
	if (info->flags & XT_L2TP_VERSION) {
		if (info->version < 2 || info->version > 3)
			return -EINVAL;
		if (info->version == 2 &&
		    ((tunnel && info->tid > 0xffff) || (session && info->sid > 0xffff)))
			return -EINVAL;
	}
	return valid(rule->proto == IPPROTO_UDP ||
		     (rule->proto == IPPROTO_L2TP && info->version != 2));
}

int legacy_srh_check(const struct legacy_rule *rule, const void *payload)
{
	const struct ip6t_srh *info = payload;

	return valid(
		!((info->mt_flags & ~IP6T_SRH_MASK) | (info->mt_invflags & ~IP6T_SRH_INV_MASK)));
}

int legacy_srh1_check(const struct legacy_rule *rule, const void *payload)
{
	const struct ip6t_srh1 *info = payload;

	return valid(
		!((info->mt_flags & ~IP6T_SRH_MASK) | (info->mt_invflags & ~IP6T_SRH_INV_MASK)));
}

/* --- targets ---------------------------------------------------------------- */

int legacy_ecn_target_check(const struct legacy_rule *rule, const void *payload)
{
	const struct ipt_ECN_info *info = payload;

	return valid(!(info->operation & (IPT_ECN_OP_SET_ECE | IPT_ECN_OP_SET_CWR)) ||
		     is_tcp(rule));
}

int legacy_reject_check(const struct legacy_rule *rule, const void *payload)
{
	u32 with = ((const struct ipt_reject_info *)payload)->with;
	u32 reset = rule->family == XT2_IPV6 ? (u32)IP6T_TCP_RESET : (u32)IPT_TCP_RESET;

	if (with == reset && !(is_tcp(rule) && rule->flag_proto))
		return refuse(rule, "--reject-with tcp-reset needs -p tcp, not inverted",
			      WRITE_TCP);
	return 0;
}

int legacy_synproxy_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(rule->flag_proto);
}

static int ct_proto(const struct legacy_rule *rule)
{
	if (!rule->inv_proto && (u8)rule->proto)
		return 0;
	return refuse(rule, "--helper and --timeout need -p, not inverted",
		      "write -p and the protocol that they are for before it");
}

/* Whether there is such a helper or timeout policy is not known here. */
int legacy_ct_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_ct_target_info_v1 *info = payload; /* of revision 0 up to the helper */
	int err = 0;

	if (info->flags & ~(rule->revision == 2 ? XT_CT_MASK : XT_CT_NOTRACK))
		return -EINVAL;
	if (info->flags & XT_CT_NOTRACK)
		return 0;
	if (info->helper[0]) {
		err = name_ends(info->helper, sizeof(info->helper));
		if (!err && ct_proto(rule))
			err = -ENOENT;
	}
	if (!err && rule->revision && info->timeout[0]) {
		err = name_ends(info->timeout, sizeof(info->timeout));
		if (!err)
			err = ct_proto(rule);
	}
	return err;
}

/* A rule that only TCP packets with SYN get through. */
static bool syn_only(const struct legacy_rule *rule)
{
	const u8 *m;
	struct xt_tcp tcp;

	for (m = rule->matches; m < rule->matches_end; m += legacy_u16(m)) {
		if (memcmp(m + 2, "tcp", sizeof("tcp")))
			continue;
		memcpy(&tcp, m + LEGACY_TARGET, sizeof(tcp));
		if (tcp.flg_cmp & TCP_SYN && !(tcp.invflags & XT_TCP_INV_FLAGS))
			return true;
	}
	return false;
}

int legacy_tcpmss_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(!(rule->hooks & tcpmss_hooks(payload)) && syn_only(rule));
}

static bool prefix_ends(const union nf_inet_addr *prefix, u32 len)
{
	const u8 *bytes = (const u8 *)prefix;
	u32 i;

	for (i = len; i < 128; i++)
		if (bytes[i / 8] & 0x80 >> i % 8)
			return false;
	return true;
}

int legacy_npt_check(const struct legacy_rule *rule, const void *payload)
{
	const struct ip6t_npt_tginfo *npt = payload;

	if (npt->src_pfx_len > 64 || npt->dst_pfx_len > 64)
		return refuse(rule, "prefixes are at most 64 bits long", NULL);
	if (!prefix_ends(&npt->src_pfx, npt->src_pfx_len) ||
	    !prefix_ends(&npt->dst_pfx, npt->dst_pfx_len))
		return refuse(rule, "a prefix has bits behind its length", NULL);
	return 0;
}

int legacy_rateest_target_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_rateest_target_info *info = payload;

	if (name_ends(info->name, sizeof(info->name)))
		return -ENAMETOOLONG;
	/* What gen_new_estimator() takes. */
	return valid(info->interval >= -2 && info->interval <= 3 && info->ewma_log > 0 &&
		     info->ewma_log < 31);
}

int legacy_idletimer_check(const struct legacy_rule *rule, const void *payload)
{
	const struct idletimer_tg_info *info = payload;

	if (!info->timeout)
		return refuse(rule, "--timeout cannot be 0", NULL);
	if (info->timeout >= 0x7fffffff / 1000)
		return refuse(rule, "--timeout is too long", NULL);
	if (name_ends(info->label, sizeof(info->label)))
		return -EINVAL;
	return name_sysfs(rule, info->label, sizeof(info->label));
}

/* Begins like revision 0; messages are not for everyone's kernel. */
int legacy_idletimer1_check(const struct legacy_rule *rule, const void *payload)
{
	const struct idletimer_tg_info_v1 *info = payload;
	int err;

	if (info->send_nl_msg)
		return -EOPNOTSUPP;
	err = legacy_idletimer_check(rule, payload);
	return err ? err : valid(info->timer_type <= XT_IDLETIMER_ALARM);
}

int legacy_audit_check(const struct legacy_rule *rule, const void *payload)
{
	return ((const struct xt_audit_info *)payload)->type <= XT_AUDIT_TYPE_MAX ? 0 : -ERANGE;
}

/* Bits of what cannot be set together. */
int legacy_hmark_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_hmark_info *info = payload;
	u32 flags = info->flags;

	if (!info->hmodulus || (info->proto_mask && flags & XT_HMARK_FLAG(XT_HMARK_METHOD_L3)))
		return -EINVAL;
	if (flags & XT_HMARK_FLAG(XT_HMARK_SPI_MASK) &&
	    flags & (XT_HMARK_FLAG(XT_HMARK_SPORT_MASK) | XT_HMARK_FLAG(XT_HMARK_DPORT_MASK)))
		return -EINVAL;
	return valid(!(flags & XT_HMARK_FLAG(XT_HMARK_SPI)) ||
		     !(flags & (XT_HMARK_FLAG(XT_HMARK_SPORT) | XT_HMARK_FLAG(XT_HMARK_DPORT))));
}

/* The gateway is an address, and the device's name ends. */
int legacy_tee_check(const struct legacy_rule *rule, const void *payload)
{
	const struct xt_tee_tginfo *info = payload;
	static const union nf_inet_addr none;

	return valid(memcmp(&info->gw, &none, sizeof(none)) &&
		     (!info->oif[0] || !info->oif[sizeof(info->oif) - 1]));
}

static const struct nf_nat_ipv4_multi_range_compat *ranges4(const void *payload)
{
	return payload;
}

int legacy_netmap4_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(ranges4(payload)->range[0].flags & NF_NAT_RANGE_MAP_IPS &&
		     ranges4(payload)->rangesize == 1);
}

int legacy_netmap6_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(((const struct nf_nat_range *)payload)->flags & NF_NAT_RANGE_MAP_IPS);
}

/* MASQUERADE and REDIRECT choose the address themselves. */
int legacy_masquerade4_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(!(ranges4(payload)->range[0].flags & NF_NAT_RANGE_MAP_IPS) &&
		     ranges4(payload)->rangesize == 1);
}

int legacy_masquerade6_check(const struct legacy_rule *rule, const void *payload)
{
	return valid(legacy_netmap6_check(rule, payload) != 0);
}

int legacy_mangle_check(const struct legacy_rule *rule, const void *payload)
{
	const struct arpt_mangle *info = payload;

	if (!(info->flags & ARPT_MANGLE_MASK))
		return refuse(rule, "it changes nothing", "say what: --mangle-ip-s, ...");
	return valid(!(info->flags & ~ARPT_MANGLE_MASK) &&
		     (info->target == 0 || info->target == 1 || info->target == -1));
}

int legacy_clusterip_check(const struct legacy_rule *rule, const void *payload)
{
	const struct ipt_clusterip_tgt_info *info = payload;
	u32 i;

	if (info->hash_mode > CLUSTERIP_HASHMODE_SIP_SPT_DPT ||
	    info->num_local_nodes > CLUSTERIP_MAX_NODES)
		return -EINVAL;
	for (i = 0; i < info->num_local_nodes; i++)
		if (!info->local_nodes[i] || info->local_nodes[i] > 64)
			return refuse(rule, "nodes have the numbers 1 to 64", NULL);
	return valid(legacy_u32(rule->base + offsetof(struct ipt_ip, dmsk)) == ~0u &&
		     legacy_u32(rule->base + offsetof(struct ipt_ip, dst)));
}

/* --- what newer kernels refuse ------------------------------------------------ */

bool legacy_newer(const struct legacy_known *k, const void *payload)
{
	const struct ip6t_rt *rt = payload;

	return !strcmp(k->name, "rt") && rt->flags & IP6T_RT_FST_MASK && !rt->addrnr;
}

int legacy_check_payload(struct xt2_legacy *l, const struct legacy_known *k, bool target, u32 index)
{
	const u8 family = l->family == XT2_BRIDGE ? XT2_IPV4 : l->family;
	const struct xt2_row **row = &l->row[target][index];
	u32 arg = 0, size = 0;
	int err;

	if (!l->seen[target][index]) {
		l->seen[target][index] = 1;
		*row = xt2_row_find(family, target, k->name, k->revision);
	}
	if (!*row)
		return 0;
	memset(l->room, 0, XT2_PACK_ROOM((*row)->size));
	err = target ? xt2_target_row_put(*row, l->payload, &arg, l->room, &size)
		     : xt2_match_row_put(*row, family, l->payload, (struct xt2_match *)l->room);
	return err == -EOPNOTSUPP ? 0 : err;
}
