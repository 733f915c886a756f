/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-known.c - the extensions of bridges, and what each refuses
 *
 * Rows are the registrations in net/bridge/netfilter/ebt_*.c (Linux 6.1) and
 * xt_AUDIT.c; the checks are those of their checkentry functions, on the
 * native payload.  Rules of bridges find the matches that are registered for
 * all families, too (legacy-known.c).
 */
#include "ebt.h"
#include <linux/in.h>
#include <linux/netfilter/xt_AUDIT.h>
#include <linux/netfilter_bridge/ebt_802_3.h>
#include <linux/netfilter_bridge/ebt_among.h>
#include <linux/netfilter_bridge/ebt_arp.h>
#include <linux/netfilter_bridge/ebt_arpreply.h>
#include <linux/netfilter_bridge/ebt_ip.h>
#include <linux/netfilter_bridge/ebt_ip6.h>
#include <linux/netfilter_bridge/ebt_limit.h>
#include <linux/netfilter_bridge/ebt_log.h>
#include <linux/netfilter_bridge/ebt_mark_m.h>
#include <linux/netfilter_bridge/ebt_mark_t.h>
#include <linux/netfilter_bridge/ebt_nat.h>
#include <linux/netfilter_bridge/ebt_nflog.h>
#include <linux/netfilter_bridge/ebt_pkttype.h>
#include <linux/netfilter_bridge/ebt_redirect.h>
#include <linux/netfilter_bridge/ebt_stp.h>
#include <linux/netfilter_bridge/ebt_vlan.h>

/* A payload as its structure. */
#define INFO(type)        \
	struct type info; \
	memcpy(&info, payload, sizeof(info))

static bool is_type(const struct ebt_rule *rule, u32 type)
{
	return xt2_be16((const u8 *)&rule->e->ethproto) == type;
}

/* The rule tests for this type, as extensions about a protocol want it. */
static bool tests_type(const struct ebt_rule *rule, u32 type)
{
	return is_type(rule, type) && !(rule->e->invflags & EBT_IPROTO);
}

/* --- matches -------------------------------------------------------------------- */

static int check_802_3(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_802_3_info);

	return (info.bitmask | info.invflags) & ~EBT_802_3_MASK ? -EINVAL : 0;
}

/* One of among's two sets. */
struct wormhash {
	s32 at; /* 0: there is none */
	s32 pool; /* its entries */
};

static s32 number_at(const u8 *payload, u32 at)
{
	return (s32)legacy_u32(payload + at);
}

static u32 wormhash_size(const struct wormhash *w)
{
	return w->at ? EBT_WORMHASH + (u32)w->pool * (u32)sizeof(struct ebt_mac_wormhash_tuple) : 0;
}

/* => false: outside of the payload, or too long */
static bool wormhash_read(struct wormhash *w, s32 at, const u8 *payload, u32 size)
{
	w->at = at;
	w->pool = 0;
	if (!at)
		return true;
	if (at < (s32)sizeof(struct ebt_among_info) || at % 4 || size < EBT_WORMHASH ||
	    (u32)at > size - EBT_WORMHASH)
		return false;
	w->pool = number_at(payload, (u32)at + EBT_WORMHASH - 4);
	return w->pool >= 0 &&
	       w->pool < (s32)(0x7fffffff / sizeof(struct ebt_mac_wormhash_tuple)) &&
	       wormhash_size(w) + sizeof(struct ebt_among_info) <= size;
}

static bool wormhash_sound(const struct wormhash *w, const u8 *payload)
{
	s32 from, to = 0;
	u32 i;

	for (i = 0; w->at && i <= 256; i++) {
		from = to;
		to = number_at(payload, (u32)w->at + 4 * i);
		if (to < from || to > w->pool)
			return false;
	}
	return true;
}

/* The set at the lower offset ends where the other begins. */
static bool adjacent(const struct wormhash *low, const struct wormhash *high)
{
	u32 at = low->at ? (u32)low->at : (u32)sizeof(struct ebt_among_info);

	return wormhash_size(low) + at == (u32)high->at;
}

static int check_among(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	u32 len = sizeof(struct ebt_among_info);
	struct wormhash src, dst;

	if (size < len || !wormhash_read(&dst, number_at(payload, 0), payload, size) ||
	    !wormhash_read(&src, number_at(payload, 4), payload, size))
		return -EINVAL;
	if (src.at < dst.at ? !adjacent(&src, &dst) : !adjacent(&dst, &src))
		return -EINVAL;
	len += wormhash_size(&src) + wormhash_size(&dst);
	if (size != legacy_align(len, 8))
		return -EINVAL;
	return wormhash_sound(&dst, payload) && wormhash_sound(&src, payload) ? 0 : -EINVAL;
}

u32 ebt_among_size(const u8 *payload)
{
	u32 len = sizeof(struct ebt_among_info), i;
	s32 at;

	for (i = 0; i < 2; i++) {
		at = number_at(payload, 4 * i);
		if (at)
			len += EBT_WORMHASH + (u32)number_at(payload, (u32)at + EBT_WORMHASH - 4) *
						      (u32)sizeof(struct ebt_mac_wormhash_tuple);
	}
	return len;
}

static int check_arp(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_arp_info);

	if (!tests_type(rule, ETH_P_ARP) && !tests_type(rule, ETH_P_RARP))
		return -EINVAL;
	return (info.bitmask | info.invflags) & ~EBT_ARP_MASK ? -EINVAL : 0;
}

static bool has_ports(u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_UDPLITE ||
	       proto == IPPROTO_SCTP || proto == IPPROTO_DCCP;
}

#define PORTS (EBT_IP_DPORT | EBT_IP_SPORT)

/* Tests of ports need a protocol that has them; a range does not end before it begins. */
static bool ports_sound(u32 tests, u8 proto, const u16 *sport, const u16 *dport)
{
	return (!tests || has_ports(proto)) && (!(tests & EBT_IP_DPORT) || dport[0] <= dport[1]) &&
	       (!(tests & EBT_IP_SPORT) || sport[0] <= sport[1]);
}

_Static_assert(EBT_IP6_DPORT == EBT_IP_DPORT && EBT_IP6_SPORT == EBT_IP_SPORT, "the same bits");

static int check_ip(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_ip_info);
	bool inverted = info.invflags & EBT_IP_PROTO;

	if (!tests_type(rule, ETH_P_IP))
		return -EINVAL; /* every bit of the masks is known */
	if (!ports_sound(info.bitmask & PORTS, inverted ? 0 : info.protocol, info.sport,
			 info.dport))
		return -EINVAL;
	if (info.bitmask & EBT_IP_ICMP &&
	    (inverted || info.protocol != IPPROTO_ICMP || info.icmp_type[0] > info.icmp_type[1] ||
	     info.icmp_code[0] > info.icmp_code[1]))
		return -EINVAL;
	if (info.bitmask & EBT_IP_IGMP &&
	    (inverted || info.protocol != IPPROTO_IGMP || info.igmp_type[0] > info.igmp_type[1]))
		return -EINVAL;
	return 0;
}

static int check_ip6(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_ip6_info);
	bool inverted = info.invflags & EBT_IP6_PROTO;

	if (!tests_type(rule, ETH_P_IPV6) || (info.bitmask | info.invflags) & ~EBT_IP6_MASK)
		return -EINVAL;
	if (!ports_sound(info.bitmask & PORTS, inverted ? 0 : info.protocol, info.sport,
			 info.dport))
		return -EINVAL;
	if (info.bitmask & EBT_IP6_ICMP6 && (inverted || info.protocol != IPPROTO_ICMPV6 ||
					     info.icmpv6_type[0] > info.icmpv6_type[1] ||
					     info.icmpv6_code[0] > info.icmpv6_code[1]))
		return -EINVAL;
	return 0;
}

/* Packets of a rate in jiffies' credits, modulo 2^32: HZ is 250, with 128 credits each. */
static u32 credits(u32 user)
{
	const u32 second = 250 * 128;

	if (user > 0xffffffff / second)
		return user / EBT_LIMIT_SCALE * second;
	return user * second / EBT_LIMIT_SCALE;
}

static int check_limit(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	u32 avg = legacy_u32(payload), burst = legacy_u32(payload + 4);

	return !burst || credits(avg * burst) < credits(avg) ? -EINVAL : 0;
}

static int check_mark_m(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_mark_m_info);

	return info.bitmask == EBT_MARK_AND || info.bitmask == EBT_MARK_OR ? 0 : -EINVAL;
}

static int check_pkttype(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_pkttype_info);

	return info.invert > 1 ? -EINVAL : 0;
}

static int check_stp(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	static const u8 group[] = { 0x01, 0x80, 0xc2, 0, 0, 0 };
	static const u8 all[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	INFO(ebt_stp_info);

	if ((info.bitmask | info.invflags) & ~EBT_STP_MASK || !info.bitmask)
		return -EINVAL;
	if (!(rule->e->bitmask & EBT_DESTMAC) || memcmp(rule->e->destmac, group, sizeof(group)) ||
	    memcmp(rule->e->destmsk, all, sizeof(all)))
		return -EINVAL;
	return 0;
}

/* A frame with a VLAN's number has no priority to test. */
static void fix_vlan(u8 *payload)
{
	INFO(ebt_vlan_info);

	if (info.bitmask & EBT_VLAN_ID && info.id)
		info.bitmask &= (u8)~EBT_VLAN_PRIO;
	memcpy(payload, &info, sizeof(info));
}

static int check_vlan(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	u8 fixed[sizeof(struct ebt_vlan_info)];
	INFO(ebt_vlan_info);

	if (!is_type(rule, ETH_P_8021Q) || (info.bitmask | info.invflags) & ~EBT_VLAN_MASK)
		return -EINVAL;
	if (info.bitmask & EBT_VLAN_ID && info.id > 4096)
		return -EINVAL;
	memcpy(fixed, payload, sizeof(fixed));
	fix_vlan(fixed);
	memcpy(&info, fixed, sizeof(info));
	if (info.bitmask & EBT_VLAN_PRIO && info.prio > 7)
		return -EINVAL;
	if (info.bitmask & EBT_VLAN_ENCAP && xt2_be16((const u8 *)&info.encap) < ETH_ZLEN)
		return -EINVAL;
	return 0;
}

/* --- targets -------------------------------------------------------------------- */

/* A verdict inside a target's payload: no base chain can be returned from. */
static bool verdict_ok(const struct ebt_rule *rule, s32 verdict)
{
	if (rule->hooks & EBT_ON_BASE && verdict == EBT_RETURN)
		return false;
	return verdict >= -NUM_STANDARD_TARGETS && verdict < 0;
}

static bool table_is(const struct ebt_rule *rule, const char *name)
{
	return !strncmp(rule->table, name, XT2_NAME_SIZE);
}

static int check_arpreply(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_arpreply_info);

	return verdict_ok(rule, info.target) && tests_type(rule, ETH_P_ARP) ? 0 : -EINVAL;
}

static bool hooks_within(const struct ebt_rule *rule, u32 hooks)
{
	return !(rule->hooks & ~(hooks | EBT_ON_BASE));
}

/* In nat at these hooks, or in broute. */
static bool translates(const struct ebt_rule *rule, u32 hooks)
{
	return (table_is(rule, "nat") && hooks_within(rule, hooks)) ||
	       (table_is(rule, "broute") && hooks_within(rule, 1 << NF_BR_BROUTING));
}

static int check_dnat(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_nat_info);

	return verdict_ok(rule, info.target) &&
			       translates(rule, 1 << NF_BR_PRE_ROUTING | 1 << NF_BR_LOCAL_OUT)
		       ? 0
		       : -EINVAL;
}

static int check_redirect(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_redirect_info);

	return verdict_ok(rule, info.target) && translates(rule, 1 << NF_BR_PRE_ROUTING) ? 0
											 : -EINVAL;
}

/* The verdict is in the low bits of what may have more in it. */
static s32 low_verdict(s32 target)
{
	return (s32)((u32)target | ~(u32)EBT_VERDICT_BITS);
}

static int check_snat(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_nat_info);
	u32 rest = (u32)info.target | EBT_VERDICT_BITS;

	if (!verdict_ok(rule, low_verdict(info.target)))
		return -EINVAL;
	return (rest | NAT_ARP_BIT) == ~0u ? 0 : -EINVAL;
}

static int check_mark(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_mark_t_info);
	u32 what = (u32)info.target & ~(u32)EBT_VERDICT_BITS;

	if (!verdict_ok(rule, low_verdict(info.target)))
		return -EINVAL;
	return what == MARK_SET_VALUE || what == MARK_OR_VALUE || what == MARK_AND_VALUE ||
			       what == MARK_XOR_VALUE
		       ? 0
		       : -EINVAL;
}

static int check_log(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_log_info);

	return info.bitmask & ~(u32)EBT_LOG_MASK || info.loglevel >= 8 ? -EINVAL : 0;
}

static void fix_log(u8 *payload)
{
	payload[offsetof(struct ebt_log_info, prefix) + EBT_LOG_PREFIX_SIZE - 1] = 0;
}

static int check_nflog(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	INFO(ebt_nflog_info);

	return info.flags & ~EBT_NFLOG_MASK ? -EINVAL : 0;
}

static void fix_nflog(u8 *payload)
{
	payload[offsetof(struct ebt_nflog_info, prefix) + EBT_NFLOG_PREFIX_SIZE - 1] = 0;
}

static int check_audit(const struct ebt_rule *rule, const u8 *payload, u32 size)
{
	return legacy_audit_check(NULL, payload);
}

/* --- rows ----------------------------------------------------------------------- */

#define PRE  (1 << NF_BR_PRE_ROUTING)
#define OUT  (1 << NF_BR_LOCAL_OUT)
#define POST (1 << NF_BR_POST_ROUTING)
#define BRT  (1 << NF_BR_BROUTING)
#define BASE EBT_ON_BASE

/* As in legacy-known.c: a row is a line; what is not 0 follows the structure. */
#define ROW(name, type, ...)                                                       \
	{                                                                          \
		name, LEGACY_BRIDGE, 0, .size = sizeof(struct type), ##__VA_ARGS__ \
	}

/* What follows the first bytes, which userspace gets back. */
#define HIDDEN(type, user) (sizeof(struct type) - (user))

/* clang-format off */
static const struct ebt_known matches[] = {
	{ ROW("802_3", ebt_802_3_info), check_802_3, NULL },
	{ { "among", LEGACY_BRIDGE, 0, .size = EBT_ANY_SIZE }, check_among, NULL },
	{ ROW("arp", ebt_arp_info), check_arp, NULL },
	{ ROW("ip", ebt_ip_info), check_ip, NULL },
	{ ROW("ip6", ebt_ip6_info), check_ip6, NULL },
	{ ROW("limit", ebt_limit_info, .hidden = HIDDEN(ebt_limit_info, 8), .compat = 24), check_limit, NULL },
	{ ROW("mark_m", ebt_mark_m_info, .hidden = HIDDEN(ebt_mark_m_info, 18), .compat = 12), check_mark_m, NULL },
	{ ROW("pkttype", ebt_pkttype_info), check_pkttype, NULL },
	{ ROW("stp", ebt_stp_info), check_stp, NULL },
	{ ROW("vlan", ebt_vlan_info), check_vlan, fix_vlan },
};

static const struct ebt_known targets[] = {
	{ ROW("AUDIT", xt_audit_info), check_audit, NULL },
	{ ROW("arpreply", ebt_arpreply_info, .hidden = HIDDEN(ebt_arpreply_info, 12), .tables = LEGACY_NAT, .hooks = BASE | PRE), check_arpreply, NULL },
	{ ROW("dnat", ebt_nat_info, .hidden = HIDDEN(ebt_nat_info, 12), .hooks = BASE | PRE | OUT | BRT), check_dnat, NULL },
	{ ROW("log", ebt_log_info), check_log, fix_log },
	{ ROW("mark", ebt_mark_t_info, .hidden = HIDDEN(ebt_mark_t_info, 12), .compat = 8), check_mark, NULL },
	{ ROW("nflog", ebt_nflog_info), check_nflog, fix_nflog },
	{ ROW("redirect", ebt_redirect_info, .hooks = BASE | PRE | BRT), check_redirect, NULL },
	{ ROW("snat", ebt_nat_info, .hidden = HIDDEN(ebt_nat_info, 12), .tables = LEGACY_NAT, .hooks = BASE | POST), check_snat, NULL },
	{ { EBT_STANDARD_TARGET, LEGACY_BRIDGE, 0, .size = sizeof(s32) }, NULL, NULL },
};
/* clang-format on */

static const struct ebt_known *own_find(bool target, const char *name)
{
	const struct ebt_known *rows = target ? targets : matches;
	u32 i, n = target ? XT2_ARRAY_SIZE(targets) : XT2_ARRAY_SIZE(matches);

	for (i = 0; i < n; i++)
		if (!strncmp(rows[i].k.name, name, EBT_NAME))
			return &rows[i];
	return NULL;
}

const struct legacy_known *ebt_known_find(struct xt2_legacy_cache *cache, bool target,
					  const char *name, u8 revision,
					  const struct ebt_known **own, u32 *index, int *err)
{
	const struct ebt_known *row = revision ? NULL : own_find(target, name);

	*own = row;
	if (row)
		return &row->k;
	return legacy_known_find(cache, XT2_BRIDGE, target, name, revision, index, err);
}

/* The kernel has no such call for bridges: this answers what it would. */
static int ebt_revision(bool target, const char *name, u8 revision)
{
	bool own = own_find(target, name);
	struct xt2_legacy_cache cache = { { NULL } };
	u32 index;
	int err = 0;

	if (own && !revision)
		return 0;
	if (!target && legacy_known_find(&cache, XT2_BRIDGE, false, name, revision, &index, &err))
		return 0;
	return own || (!target && err == -EPROTOTYPE) ? -EPROTONOSUPPORT : -ENOENT;
}

int xt2_legacy_revision(u8 family, bool target, const char *name, u8 revision)
{
	return family == XT2_BRIDGE ? ebt_revision(target, name, revision)
				    : legacy_known_revision(family, target, name, revision);
}

/* --- payloads ------------------------------------------------------------------- */

u32 ebt_growth(const struct legacy_known *k, u32 size)
{
	if (k->size == EBT_ANY_SIZE)
		return legacy_align(size, 8) - legacy_align(size, 4);
	return legacy_growth(k, true);
}

/* Longs have 4 bytes; the rest of these structures is the same. */
static bool has_longs(const struct ebt_known *own)
{
	return own && own->k.compat && own->check != check_limit;
}

static void longs_in(const struct ebt_known *own, const u8 *from, u8 *native)
{
	u32 longs = own->check == check_mark ? 1 : 2, i;

	for (i = 0; i < longs; i++)
		memcpy(native + 8 * i, from + 4 * i, 4);
	memcpy(native + 8 * longs, from + 4 * longs, legacy_user(&own->k) - 8 * longs);
}

void ebt_payload_in(const struct legacy_known *k, const struct ebt_known *own, bool compat,
		    const u8 *from, void *native)
{
	if (!own) {
		legacy_payload_in(k, compat, from, native);
		return;
	}
	memset(native, 0, legacy_native(k));
	if (compat && has_longs(own))
		longs_in(own, from, native);
	else
		memcpy(native, from, legacy_user(k));
	if (own->fix)
		own->fix(native);
}

static int longs_out(const struct ebt_known *own, const u8 *native, u8 *to)
{
	u32 longs = own->check == check_mark ? 1 : 2, i;

	for (i = 0; i < longs; i++) {
		if (legacy_u32(native + 8 * i + 4))
			return -EOPNOTSUPP;
		memcpy(to + 4 * i, native + 8 * i, 4);
	}
	memcpy(to + 4 * longs, native + 8 * longs, legacy_user(&own->k) - 8 * longs);
	return 0;
}

int ebt_payload_out(const struct legacy_known *k, const struct ebt_known *own, bool compat,
		    const void *native, u8 *to)
{
	if (!own) {
		legacy_payload_out(k, compat, native, to);
		return 0;
	}
	memset(to, 0, legacy_payload(k, compat));
	if (compat && has_longs(own))
		return longs_out(own, native, to);
	memcpy(to, native, legacy_user(k));
	return 0;
}
