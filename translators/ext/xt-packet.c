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
	u32 raw4[2], i;

	if (family != XT2_IPV6) {
		for (i = 0; i < 2; i++)
			raw4[i] = __builtin_bswap32(narrow[i]);
		memcpy(min, &raw4[0], sizeof(raw4[0]));
		memcpy(max, &raw4[1], sizeof(raw4[1]));
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

	if (info->flags & IPRANGE_SRC)
		at += range_unpack(at, family, &info->src_min, &info->src_max);
	if (info->flags & IPRANGE_DST)
		range_unpack(at, family, &info->dst_min, &info->dst_max);
}

/* --- ttl, hl, dscp, cpu: checks of what the rows pack ------------------- */

/* struct ipt_ttl_info and struct ip6t_hl_info are alike. */
static int ttl_pack(const void *payload, u8 family, struct xt2_match *out)
{
	/* The kernel takes any other mode, and it never matches. */
	return out->flags > IPT_TTL_GT ? -EOPNOTSUPP : 0;
}

static int dscp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return out->arg > XT_DSCP_MAX ? -EINVAL : 0;
}

static int cpu_pack(const void *payload, u8 family, struct xt2_match *out)
{
	return ((const struct xt_cpu_info *)payload)->invert & ~1u ? -EINVAL : 0;
}

/* --- mark, connmark, pkttype ------------------------------------------ */

/* struct xt_mark_mtinfo1 and struct xt_connmark_mtinfo1 are alike. */
static int mark_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_mark *k = (struct xt2_match_mark *)out;
	const struct xt_mark_mtinfo1 *info = payload;

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

	info->mask = m->size == sizeof(*m) ? ~0u : k->mask;
}

static int pkttype_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_pkttype *k = (struct xt2_match_pkttype *)out;
	const struct xt_pkttype_info *info = payload;

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

	info->invert = m->size == sizeof(*k) ? k->invert : !!(m->flags & XT2_MATCH_INVERT);
}

/* --- devgroup, physdev, addrtype --------------------------------------- */

/* A pair of the payload: a group, and its mask. */
#define PAIR(info, n) ((u8 *)(info) + offsetof(struct xt_devgroup_info, src_group) + 8 * (n))

static int devgroup_pack(const void *payload, u8 family, struct xt2_match *out)
{
	u32 i;

	if (out->arg & ~(XT_DEVGROUP_MATCH_SRC | XT_DEVGROUP_INVERT_SRC | XT_DEVGROUP_MATCH_DST |
			 XT_DEVGROUP_INVERT_DST))
		return -EINVAL;
	for (i = 0; i < 2; i++) {
		if (!xt2_raw64(PAIR(payload, i)))
			continue;
		out->flags |= XT2_DEVGROUP_IN_PAIR << i;
		memcpy((u8 *)out + out->size, PAIR(payload, i), 8);
		out->size += 8;
	}
	return 0;
}

static void devgroup_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const u8 *at = (const u8 *)(m + 1);
	u32 i;

	for (i = 0; i < 2; i++) {
		if (!(m->flags & XT2_DEVGROUP_IN_PAIR << i))
			continue;
		memcpy(PAIR(payload, i), at, 8);
		at += 8;
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
	out->arg |= in << 16 | out_form << 24;
	return 0;
}

static void physdev_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_physdev_info *info = payload;
	const u8 *at = (const u8 *)(m + 1);

	at += name_unpack(m->arg >> 16 & 0xff, at, info->physindev, info->in_mask);
	name_unpack(m->arg >> 24, at, info->physoutdev, info->out_mask);
}

static int addrtype0_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_addrtype *k = (struct xt2_match_addrtype *)out;
	const struct xt_addrtype_info *info = payload;

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
#define TTL_FIELDS                                                     \
	.field = { XT2_ROW_FIELD(ipt_ttl_info, mode, 1, XT2_TO_FLAGS), \
		   XT2_ROW_FIELD(ipt_ttl_info, ttl, 1, XT2_TO_ARG) }
#define MARKED	 .bytes = 4, XT2_INVERT(xt_mark_mtinfo1, invert), WITH(mark)
#define WITH(fn) .pack = fn##_pack, .unpack = fn##_unpack

/* The revisions that the kernel registers. */
/* clang-format off */
const struct xt2_row xt2_packet_rows[] = {
	ROWS46("iprange", 1, IPRANGE, xt_iprange_mtinfo, WITH(iprange),
	       .field = { XT2_ROW_FIELD(xt_iprange_mtinfo, flags, 1, XT2_TO_ARG) }),
	ROWS46("length", 0, LENGTH, xt_length_info, .bytes = 4, XT2_INVERT(xt_length_info, invert)),
	ROW("ttl", XT2_IPV4, 0, TTL, ipt_ttl_info, .pack = ttl_pack, TTL_FIELDS),
	ROW("hl", XT2_IPV6, 0, HL, ip6t_hl_info, .pack = ttl_pack, TTL_FIELDS),
	ROWS46("tos", 1, TOS, xt_tos_match_info, XT2_INVERT(xt_tos_match_info, invert),
	       .field = { XT2_ROW_FIELD(xt_tos_match_info, tos_value, 1, XT2_TO_ARG),
			  XT2_ROW_FIELD(xt_tos_match_info, tos_mask, 1, XT2_TO_ARG + 1) }),
	ROWS46("dscp", 0, DSCP, xt_dscp_info, .bytes = 1, .pack = dscp_pack,
	       XT2_INVERT(xt_dscp_info, invert)),
	ROW0("mark", 1, MARK, xt_mark_mtinfo1, MARKED),
	ROW0("connmark", 1, CONNMARK, xt_connmark_mtinfo1, MARKED),
	ROW0("mac", 0, MAC, xt_mac_info, .more = 8,
	     .field = { XT2_ROW_FIELD(xt_mac_info, srcaddr, 6, XT2_TO_BODY),
			XT2_ROW_FIELD(xt_mac_info, invert, 4, XT2_TO_ARG) }),
	ROW0("pkttype", 0, PKTTYPE, xt_pkttype_info, .bytes = 4, WITH(pkttype)),
	ROW0("cpu", 0, CPU, xt_cpu_info, .bytes = 4, .pack = cpu_pack, XT2_INVERT(xt_cpu_info, invert)),
	ROW0("devgroup", 0, DEVGROUP, xt_devgroup_info, .bytes = 4, WITH(devgroup)),
	ROW0("physdev", 0, PHYSDEV, xt_physdev_info, WITH(physdev),
	     .field = { XT2_ROW_FIELD(xt_physdev_info, invert, 2, XT2_TO_ARG) }),
	ROW("addrtype", XT2_IPV4, 0, ADDRTYPE, xt_addrtype_info, .bytes = 4, WITH(addrtype0)),
	ROWS46("addrtype", 1, ADDRTYPE, xt_addrtype_info_v1, .bytes = 4, WITH(addrtype1)),
	ROW0("u32", 0, U32, xt_u32, WITH(xt2_u32)),
	PART("string", 1, STRING, xt_string_info, config, .bytes = 4, WITH(xt2_string)),
	PART("bpf", 0, BPF, xt_bpf_info, filter, WITH(xt2_bpf0)),
	PART("bpf", 1, BPF, xt_bpf_info_v1, filter, WITH(xt2_bpf1),
	     .field = { XT2_ROW_FIELD(xt_bpf_info_v1, fd, 4, XT2_TO_ARG) }),
	{ .name = NULL },
};
/* clang-format on */
