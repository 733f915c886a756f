/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-packet.c - matches on the packet and its metadata: legacy <-> packed
 *
 * A pack function gives the match no more bytes than its payload uses, and
 * refuses what the kernel's checkentry refuses.  What a payload says about
 * parts that it doesn't use is not kept: xt2_match_pack() notices.  Padding at
 * its end is not looked at, as the kernel clears it.  Hooks are not known
 * here; the caller checks them.
 */
#include "xt-packet.h"
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_cpu.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_dscp.h>
#include <linux/netfilter/xt_iprange.h>
#include <linux/netfilter/xt_length.h>
#include <linux/netfilter/xt_mac.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_pkttype.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>
#include <linux/netfilter_ipv4/ipt_ttl.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>

/* --- iprange ----------------------------------------------------------- */

static void range_pack(const union nf_inet_addr *min, const union nf_inet_addr *max, u8 family,
		       struct xt2_match *out)
{
	u64 *wide = (u64 *)((u8 *)out + out->size);
	u32 *narrow = (u32 *)wide;

	if (family == XT2_IPV6) {
		wide[0] = __builtin_bswap64(xt2_raw64(&min->all[0]));
		wide[1] = __builtin_bswap64(xt2_raw64(&min->all[2]));
		wide[2] = __builtin_bswap64(xt2_raw64(&max->all[0]));
		wide[3] = __builtin_bswap64(xt2_raw64(&max->all[2]));
		out->size += 32;
	} else {
		narrow[0] = xt2_be32(&min->ip);
		narrow[1] = xt2_be32(&max->ip);
		out->size += 8;
	}
}

/* => bytes read */
static u32 range_unpack(const void *packed, u8 family, union nf_inet_addr *min,
			union nf_inet_addr *max)
{
	const u64 *wide = packed;
	const u32 *narrow = packed;
	u64 raw[4];
	u32 i;

	if (family != XT2_IPV6) {
		min->ip = __builtin_bswap32(narrow[0]);
		max->ip = __builtin_bswap32(narrow[1]);
		return 8;
	}
	for (i = 0; i < 4; i++)
		raw[i] = __builtin_bswap64(wide[i]);
	memcpy(min, raw, 16);
	memcpy(max, raw + 2, 16);
	return 32;
}

static int iprange_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_iprange_mtinfo *info = payload;

	out->arg = info->flags;
	if (info->flags & IPRANGE_SRC)
		range_pack(&info->src_min, &info->src_max, family, out);
	if (info->flags & IPRANGE_DST)
		range_pack(&info->dst_min, &info->dst_max, family, out);
	return 0;
}

static void iprange_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_iprange_mtinfo *info = payload;
	const u8 *at = (const u8 *)(m + 1);

	info->flags = (u8)m->arg;
	if (info->flags & IPRANGE_SRC)
		at += range_unpack(at, family, &info->src_min, &info->src_max);
	if (info->flags & IPRANGE_DST)
		range_unpack(at, family, &info->dst_min, &info->dst_max);
}

/* --- length, ttl, hl, tos, dscp, cpu: immediates ------------------------ */

static int length_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_length_info *info = payload;

	out->arg = info->min | (u32)info->max << 16;
	out->flags = xt2_invert_flags(info->invert);
	return 0;
}

static void length_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_length_info *info = payload;

	info->min = m->arg & 0xffff;
	info->max = m->arg >> 16;
	info->invert = xt2_flags_invert(m->flags);
}

/* struct ipt_ttl_info and struct ip6t_hl_info are alike. */
static int ttl_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ipt_ttl_info *info = payload;

	if (info->mode > IPT_TTL_GT) /* the kernel takes it, and it never matches */
		return -EOPNOTSUPP;
	out->flags = info->mode;
	out->arg = info->ttl;
	return 0;
}

static void ttl_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct ipt_ttl_info *info = payload;

	info->mode = m->flags;
	info->ttl = m->arg;
}

static int tos_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_tos_match_info *info = payload;

	out->arg = info->tos_value | (u32)info->tos_mask << 8;
	out->flags = xt2_invert_flags(info->invert);
	return 0;
}

static void tos_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_tos_match_info *info = payload;

	info->tos_value = m->arg & 0xff;
	info->tos_mask = m->arg >> 8;
	info->invert = xt2_flags_invert(m->flags);
}

static int dscp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_dscp_info *info = payload;

	if (info->dscp > XT_DSCP_MAX)
		return -EINVAL;
	out->arg = info->dscp;
	out->flags = xt2_invert_flags(info->invert);
	return 0;
}

static void dscp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_dscp_info *info = payload;

	info->dscp = m->arg;
	info->invert = xt2_flags_invert(m->flags);
}

static int cpu_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_cpu_info *info = payload;

	if (info->invert & ~1u)
		return -EINVAL;
	out->arg = info->cpu;
	out->flags = info->invert ? XT2_MATCH_INVERT : 0;
	return 0;
}

static void cpu_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_cpu_info *info = payload;

	info->cpu = m->arg;
	info->invert = !!(m->flags & XT2_MATCH_INVERT);
}

/* --- mark, connmark, mac, pkttype -------------------------------------- */

/* struct xt_mark_mtinfo1 and struct xt_connmark_mtinfo1 are alike. */
static int mark_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_mark *k = (struct xt2_match_mark *)out;
	const struct xt_mark_mtinfo1 *info = payload;

	out->arg = info->mark;
	out->flags = xt2_invert_flags(info->invert);
	if (info->mask != ~0u) {
		out->size = sizeof(*k);
		k->mask = info->mask;
	}
	return 0;
}

static void mark_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_mark *k = (const struct xt2_match_mark *)m;
	struct xt_mark_mtinfo1 *info = payload;

	info->mark = m->arg;
	info->mask = m->size == sizeof(*m) ? ~0u : k->mask;
	info->invert = xt2_flags_invert(m->flags);
}

static int mac_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_mac *k = (struct xt2_match_mac *)out;
	const struct xt_mac_info *info = payload;

	out->size = sizeof(*k);
	out->arg = (u32)info->invert;
	memcpy(k->addr, info->srcaddr, sizeof(k->addr));
	return 0;
}

static void mac_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_mac *k = (const struct xt2_match_mac *)m;
	struct xt_mac_info *info = payload;

	memcpy(info->srcaddr, k->addr, sizeof(k->addr));
	info->invert = (s32)m->arg;
}

static int pkttype_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_pkttype *k = (struct xt2_match_pkttype *)out;
	const struct xt_pkttype_info *info = payload;

	out->arg = (u32)info->pkttype;
	if (info->invert & ~1) {
		out->size = sizeof(*k);
		k->invert = info->invert;
	} else {
		out->flags = info->invert ? XT2_MATCH_INVERT : 0;
	}
	return 0;
}

static void pkttype_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_pkttype *k = (const struct xt2_match_pkttype *)m;
	struct xt_pkttype_info *info = payload;

	info->pkttype = (s32)m->arg;
	info->invert = m->size == sizeof(*k) ? k->invert : !!(m->flags & XT2_MATCH_INVERT);
}

/* --- devgroup, physdev, addrtype --------------------------------------- */

static int devgroup_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_devgroup *k = (struct xt2_match_devgroup *)out;
	const struct xt_devgroup_info *info = payload;
	u32 n = 0;

	if (info->flags & ~(XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_INVERT_SRC | XT_DEVGROUP_MATCH_DST |
			    XT_DEVGROUP_INVERT_DST))
		return -EINVAL;
	out->arg = info->flags;
	if (info->src_group | info->src_mask) {
		out->flags |= XT2_DEVGROUP_IN_PAIR;
		k->pair[n].group = info->src_group;
		k->pair[n++].mask = info->src_mask;
	}
	if (info->dst_group | info->dst_mask) {
		out->flags |= XT2_DEVGROUP_OUT_PAIR;
		k->pair[n].group = info->dst_group;
		k->pair[n++].mask = info->dst_mask;
	}
	out->size = sizeof(*out) + n * sizeof(k->pair[0]);
	return 0;
}

static void devgroup_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_devgroup *k = (const struct xt2_match_devgroup *)m;
	struct xt_devgroup_info *info = payload;
	u32 n = 0;

	info->flags = m->arg;
	if (m->flags & XT2_DEVGROUP_IN_PAIR) {
		info->src_group = k->pair[n].group;
		info->src_mask = k->pair[n++].mask;
	}
	if (m->flags & XT2_DEVGROUP_OUT_PAIR) {
		info->dst_group = k->pair[n].group;
		info->dst_mask = k->pair[n].mask;
	}
}

/*
 * The native name that form stands for: so many bytes of the mask are set.
 * iptables leaves the '+' of a wildcard in the name, after the mask's end.
 */
static void name_expand(u32 form, const void *bytes, char *name, char *mask)
{
	memcpy(name, bytes, form);
	memset(mask, 0xff, form);
	if (form < IFNAMSIZ && name[form - 1])
		name[form] = '+';
}

/* => the form of a name, as in struct xt2_match_physdev */
static u32 name_form(const char *name, const char *mask)
{
	char again[IFNAMSIZ] = "", again_mask[IFNAMSIZ] = "";
	u32 form = 0;

	while (form < IFNAMSIZ && mask[form])
		form++;
	if (form)
		name_expand(form, name, again, again_mask);
	if (memcmp(again, name, IFNAMSIZ) || memcmp(again_mask, mask, IFNAMSIZ))
		return XT2_PHYSDEV_MASKED;
	return form;
}

static u32 name_pack(const char *name, const char *mask, struct xt2_match *out)
{
	u32 form = name_form(name, mask);
	u8 *to = (u8 *)out + out->size;

	if (form == XT2_PHYSDEV_MASKED) {
		memcpy(to, name, IFNAMSIZ);
		memcpy(to + IFNAMSIZ, mask, IFNAMSIZ);
		out->size += 2 * IFNAMSIZ;
	} else {
		memcpy(to, name, form);
		out->size += (form + 7) / 8 * 8;
	}
	return form;
}

/* => bytes read */
static u32 name_unpack(u32 form, const u8 *bytes, char *name, char *mask)
{
	if (form == XT2_PHYSDEV_MASKED) {
		memcpy(name, bytes, IFNAMSIZ);
		memcpy(mask, bytes + IFNAMSIZ, IFNAMSIZ);
		return 2 * IFNAMSIZ;
	}
	if (form)
		name_expand(form, bytes, name, mask);
	return (form + 7) / 8 * 8;
}

static int physdev_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_physdev_info *info = payload;
	u32 in, out_form;

	if (!info->bitmask || info->bitmask & ~XT_PHYSDEV_OP_MASK)
		return -EINVAL;
	in = name_pack(info->physindev, info->in_mask, out);
	out_form = name_pack(info->physoutdev, info->out_mask, out);
	out->arg = info->invert | (u32)info->bitmask << 8 | in << 16 | out_form << 24;
	return 0;
}

static void physdev_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_physdev_info *info = payload;
	const u8 *at = (const u8 *)(m + 1);

	info->invert = m->arg & 0xff;
	info->bitmask = m->arg >> 8 & 0xff;
	at += name_unpack(m->arg >> 16 & 0xff, at, info->physindev, info->in_mask);
	name_unpack(m->arg >> 24, at, info->physoutdev, info->out_mask);
}

static int addrtype0_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_addrtype *k = (struct xt2_match_addrtype *)out;
	const struct xt_addrtype_info *info = payload;

	out->arg = info->source | (u32)info->dest << 16;
	if ((info->invert_source | info->invert_dest) & ~1u) {
		out->size = sizeof(*k);
		k->first = info->invert_source;
		k->second = info->invert_dest;
	} else {
		out->flags = (u8)(info->invert_source | info->invert_dest << 1);
	}
	return 0;
}

static void addrtype0_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_addrtype *k = (const struct xt2_match_addrtype *)m;
	struct xt_addrtype_info *info = payload;

	info->source = m->arg & 0xffff;
	info->dest = m->arg >> 16;
	info->invert_source = m->size == sizeof(*k) ? k->first : m->flags & 1;
	info->invert_dest = m->size == sizeof(*k) ? k->second : m->flags >> 1 & 1;
}

static int addrtype1_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const u32 limits = XT_ADDRTYPE_LIMIT_IFACE_IN | XT_ADDRTYPE_LIMIT_IFACE_OUT;
	struct xt2_match_addrtype *k = (struct xt2_match_addrtype *)out;
	const struct xt_addrtype_info_v1 *info = payload;
	u32 types = info->source | info->dest;

	if ((info->flags & limits) == limits)
		return -EINVAL;
	if (family == XT2_IPV6 && (types & (XT_ADDRTYPE_BLACKHOLE | XT_ADDRTYPE_BROADCAST) ||
				   types >= XT_ADDRTYPE_PROHIBIT))
		return -EINVAL;
	out->arg = info->source | (u32)info->dest << 16;
	out->flags = XT2_ADDRTYPE_REVISION1;
	if (info->flags & ~XT2_ADDRTYPE_FLAGS) {
		out->size = sizeof(*k);
		k->first = info->flags;
	} else {
		out->flags |= info->flags;
	}
	return 0;
}

static void addrtype1_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_addrtype *k = (const struct xt2_match_addrtype *)m;
	struct xt_addrtype_info_v1 *info = payload;

	info->source = m->arg & 0xffff;
	info->dest = m->arg >> 16;
	info->flags = m->size == sizeof(*k) ? k->first : m->flags & XT2_ADDRTYPE_FLAGS;
}

/* --- rows --------------------------------------------------------------- */

#define HIDDEN(s, f) XT2_ROW_SIZE_(offsetof(s, f)) /* the kernel's own from f on */

#define ROW(n, fam, rev, TYPE, s, ...) \
	XT2_MATCH_ROW_(n, fam, rev, TYPE, sizeof(struct s), sizeof(struct s), __VA_ARGS__)
#define ROW0(n, rev, TYPE, s, ...) ROW(n, XT2_ANY_FAMILY, rev, TYPE, s, __VA_ARGS__)
#define ROWS46(n, rev, TYPE, s, ...) \
	ROW(n, XT2_IPV4, rev, TYPE, s, __VA_ARGS__), ROW(n, XT2_IPV6, rev, TYPE, s, __VA_ARGS__)
#define PART(n, rev, TYPE, s, f, ...)                                                       \
	XT2_MATCH_ROW_(n, XT2_ANY_FAMILY, rev, TYPE, sizeof(struct s), HIDDEN(struct s, f), \
		       __VA_ARGS__)
#define WITH(fn) .pack = fn##_pack, .unpack = fn##_unpack

/* The revisions that the kernel registers. */
const struct xt2_match_row xt2_packet_rows[] = {
	ROWS46("iprange", 1, IPRANGE, xt_iprange_mtinfo, WITH(iprange)),
	ROWS46("length", 0, LENGTH, xt_length_info, WITH(length)),
	ROW("ttl", XT2_IPV4, 0, TTL, ipt_ttl_info, WITH(ttl)),
	ROW("hl", XT2_IPV6, 0, HL, ip6t_hl_info, WITH(ttl)),
	ROWS46("tos", 1, TOS, xt_tos_match_info, WITH(tos)),
	ROWS46("dscp", 0, DSCP, xt_dscp_info, WITH(dscp)),
	ROW0("mark", 1, MARK, xt_mark_mtinfo1, WITH(mark)),
	ROW0("connmark", 1, CONNMARK, xt_connmark_mtinfo1, WITH(mark)),
	ROW0("mac", 0, MAC, xt_mac_info, WITH(mac)),
	ROW0("pkttype", 0, PKTTYPE, xt_pkttype_info, WITH(pkttype)),
	ROW0("cpu", 0, CPU, xt_cpu_info, WITH(cpu)),
	ROW0("devgroup", 0, DEVGROUP, xt_devgroup_info, WITH(devgroup)),
	ROW0("physdev", 0, PHYSDEV, xt_physdev_info, WITH(physdev)),
	ROW("addrtype", XT2_IPV4, 0, ADDRTYPE, xt_addrtype_info, WITH(addrtype0)),
	ROWS46("addrtype", 1, ADDRTYPE, xt_addrtype_info_v1, WITH(addrtype1)),
	ROW0("u32", 0, U32, xt_u32, WITH(xt2_u32)),
	PART("string", 1, STRING, xt_string_info, config, WITH(xt2_string)),
	PART("bpf", 0, BPF, xt_bpf_info, filter, WITH(xt2_bpf0)),
	PART("bpf", 1, BPF, xt_bpf_info_v1, filter, WITH(xt2_bpf1)),
	{ .name = NULL },
};
