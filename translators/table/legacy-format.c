/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-format.c - six layouts as data
 *
 * ipt, ip6t and arpt, each as 64-bit programs see them and as 32-bit programs
 * on x86 do: there 8-byte integers are aligned to 4, so structures lose
 * padding and payloads are rounded up to 4 instead of 8.  The 64-bit offsets
 * are held against the kernel's headers.
 */
#include "legacy-format.h"
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter/xt_SECMARK.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_helper.h>
#include <linux/netfilter/xt_limit.h>

static const struct legacy_base ip4 = {
	.size = sizeof(struct ipt_ip),
	.addr = 4,
	.src = offsetof(struct ipt_ip, src),
	.dst = offsetof(struct ipt_ip, dst),
	.smsk = offsetof(struct ipt_ip, smsk),
	.dmsk = offsetof(struct ipt_ip, dmsk),
	.in = offsetof(struct ipt_ip, iniface),
	.out = offsetof(struct ipt_ip, outiface),
	.in_mask = offsetof(struct ipt_ip, iniface_mask),
	.out_mask = offsetof(struct ipt_ip, outiface_mask),
	.flags = offsetof(struct ipt_ip, flags),
	.invflags = offsetof(struct ipt_ip, invflags),
	.invflags_size = 1,
	.proto = offsetof(struct ipt_ip, proto),
	.flags_mask = IPT_F_MASK,
	.f_goto = IPT_F_GOTO,
	.invflags_mask = IPT_INV_MASK,
	.inv_in = IPT_INV_VIA_IN,
	.inv_out = IPT_INV_VIA_OUT,
	.inv_src = IPT_INV_SRCIP,
	.inv_dst = IPT_INV_DSTIP,
	.inv_proto = IPT_INV_PROTO,
};

static const struct legacy_base ip6 = {
	.size = sizeof(struct ip6t_ip6),
	.addr = 16,
	.src = offsetof(struct ip6t_ip6, src),
	.dst = offsetof(struct ip6t_ip6, dst),
	.smsk = offsetof(struct ip6t_ip6, smsk),
	.dmsk = offsetof(struct ip6t_ip6, dmsk),
	.in = offsetof(struct ip6t_ip6, iniface),
	.out = offsetof(struct ip6t_ip6, outiface),
	.in_mask = offsetof(struct ip6t_ip6, iniface_mask),
	.out_mask = offsetof(struct ip6t_ip6, outiface_mask),
	.flags = offsetof(struct ip6t_ip6, flags),
	.invflags = offsetof(struct ip6t_ip6, invflags),
	.invflags_size = 1,
	.proto = offsetof(struct ip6t_ip6, proto),
	.flags_mask = IP6T_F_MASK,
	.f_goto = IP6T_F_GOTO,
	.invflags_mask = IP6T_INV_MASK,
	.inv_in = IP6T_INV_VIA_IN,
	.inv_out = IP6T_INV_VIA_OUT,
	.inv_src = IP6T_INV_SRCIP,
	.inv_dst = IP6T_INV_DSTIP,
	.inv_proto = IP6T_INV_PROTO,
};

static const struct legacy_base arp = {
	.size = sizeof(struct arpt_arp),
	.addr = 4,
	.src = offsetof(struct arpt_arp, src),
	.dst = offsetof(struct arpt_arp, tgt),
	.smsk = offsetof(struct arpt_arp, smsk),
	.dmsk = offsetof(struct arpt_arp, tmsk),
	.in = offsetof(struct arpt_arp, iniface),
	.out = offsetof(struct arpt_arp, outiface),
	.in_mask = offsetof(struct arpt_arp, iniface_mask),
	.out_mask = offsetof(struct arpt_arp, outiface_mask),
	.flags = offsetof(struct arpt_arp, flags),
	.invflags = offsetof(struct arpt_arp, invflags),
	.invflags_size = 2,
	.flags_mask = ARPT_F_MASK,
	.invflags_mask = ARPT_INV_MASK,
	.inv_in = ARPT_INV_VIA_IN,
	.inv_out = ARPT_INV_VIA_OUT,
	.inv_src = ARPT_INV_SRCIP,
	.inv_dst = ARPT_INV_TGTIP,
};

#define HEADER_SAME(s)                                                                           \
	_Static_assert(offsetof(struct s, name) == 0 && offsetof(struct s, valid_hooks) == 32 && \
			       offsetof(struct s, num_entries) == 36 &&                          \
			       offsetof(struct s, size) == 40 &&                                 \
			       offsetof(struct s, hook_entry) == 44,                             \
		       "header")
HEADER_SAME(ipt_replace);
HEADER_SAME(ip6t_replace);
HEADER_SAME(arpt_replace);
_Static_assert(sizeof(struct ipt_entry) == 112 && sizeof(struct ip6t_entry) == 168 &&
		       sizeof(struct arpt_entry) == 192,
	       "entries");
_Static_assert(sizeof(struct xt_standard_target) == 40 && sizeof(struct xt_error_target) == 64,
	       "targets");
_Static_assert(sizeof(struct ipt_ip) == 84 && sizeof(struct ip6t_ip6) == 136 &&
		       sizeof(struct arpt_arp) == 164,
	       "base tests");

/* What a native format says about its structures. */
#define NATIVE(repl, ent)                                                                         \
	.header = sizeof(struct repl), .underflow = offsetof(struct repl, underflow),             \
	.num_counters = offsetof(struct repl, num_counters),                                      \
	.counters = offsetof(struct repl, counters), .entry = sizeof(struct ent),                 \
	.native_entry = sizeof(struct ent), .target_offset = offsetof(struct ent, target_offset), \
	.next_offset = offsetof(struct ent, next_offset),                                         \
	.comefrom = offsetof(struct ent, comefrom),                                               \
	.entry_counters = offsetof(struct ent, counters), .align = 8, .standard = 40

/* The same without the padding: by how much header and entry are shorter. */
#define COMPAT(repl, ent, less)                                                                    \
	.compat = true, .header = sizeof(struct repl) - 4,                                         \
	.underflow = offsetof(struct repl, underflow),                                             \
	.num_counters = offsetof(struct repl, num_counters),                                       \
	.counters = offsetof(struct repl, num_counters) + 4, .entry = sizeof(struct ent) - (less), \
	.native_entry = sizeof(struct ent), .target_offset = offsetof(struct ent, target_offset),  \
	.next_offset = offsetof(struct ent, next_offset),                                          \
	.comefrom = offsetof(struct ent, comefrom),                                                \
	.entry_counters = offsetof(struct ent, counters) - (less), .align = 4, .standard = 36

static const struct xt2_legacy_format_ formats[] = {
	{ &ip4, XT2_IPV4, .hooks = 5, NATIVE(ipt_replace, ipt_entry) },
	{ &ip4, XT2_IPV4, .hooks = 5, COMPAT(ipt_replace, ipt_entry, 0) },
	{ &ip6, XT2_IPV6, .hooks = 5, NATIVE(ip6t_replace, ip6t_entry) },
	{ &ip6, XT2_IPV6, .hooks = 5, COMPAT(ip6t_replace, ip6t_entry, 4) },
	{ &arp, XT2_ARP, .hooks = 3, NATIVE(arpt_replace, arpt_entry) },
	{ &arp, XT2_ARP, .hooks = 3, COMPAT(arpt_replace, arpt_entry, 4) },
	/* More about these in ebt.h. */
	{ NULL, XT2_BRIDGE, .hooks = 6, .header = 120, .num_counters = 96 },
	{ NULL, XT2_BRIDGE, .hooks = 6, .compat = true, .header = 80, .num_counters = 68 },
};

const struct xt2_legacy_format_ *legacy_format_find(u8 family, bool compat)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(formats); i++)
		if (formats[i].family == family && formats[i].compat == compat)
			return &formats[i];
	return NULL;
}

bool xt2_legacy_family(u8 family)
{
	return legacy_format_find(family, false);
}

#define HASHLIMIT_MOST 1048576 /* entries of a table, as the kernel allows */

/*
 * struct compat_xt_rateinfo: longs have 4 bytes, and prev's upper half is where
 * the kernel's own pointer would be.
 */
static void limit_in(const u8 *from, void *native)
{
	struct xt_rateinfo *to = native;

	memset(to, 0, sizeof(*to));
	to->avg = legacy_u32(from);
	to->burst = legacy_u32(from + 4);
	to->prev = legacy_u32(from + 8) | (u64)legacy_u32(from + 24) << 32;
	to->credit = legacy_u32(from + 12);
	to->credit_cap = legacy_u32(from + 16);
	to->cost = legacy_u32(from + 20);
}

static u32 at_most(u32 v, u32 most)
{
	return v < most ? v : most;
}

/* Where checkentry functions put a NUL or another number. */
void legacy_payload_cut(const struct legacy_known *k, u8 *native)
{
	static const struct {
		const char *name;
		u16 revision, last;
	} names[] = {
		{ "helper", 0, offsetof(struct xt_helper_info, name) + 29 },
		{ "SECMARK", 0, offsetof(struct xt_secmark_target_info, secctx) + 255 },
		{ "SECMARK", 1, offsetof(struct xt_secmark_target_info_v1, secctx) + 255 },
	};
	struct xt_hashlimit_mtinfo3 *hashlimit = (void *)native;
	size_t i;

	if (!strncmp(k->name, "hashlimit", LEGACY_NAME)) {
		hashlimit->cfg.size = at_most(hashlimit->cfg.size, HASHLIMIT_MOST);
		hashlimit->cfg.max = at_most(hashlimit->cfg.max, HASHLIMIT_MOST);
	}
	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (k->revision == names[i].revision &&
		    !strncmp(k->name, names[i].name, LEGACY_NAME))
			native[names[i].last] = '\0';
}

void legacy_payload_in(const struct legacy_known *k, bool compat, const u8 *from, void *native)
{
	u32 size = legacy_payload(k, compat);

	if (compat && k->compat && !strncmp(k->name, "limit", sizeof("limit"))) {
		limit_in(from, native);
		return;
	}
	memcpy(native, from, size);
	memset((u8 *)native + size, 0, legacy_native(k) - size);
	if (k->families & LEGACY_CUTS)
		legacy_payload_cut(k, native);
}

void legacy_payload_out(const struct legacy_known *k, bool compat, const void *native, u8 *to)
{
	u32 size = legacy_payload(k, compat);
	u32 user = legacy_user(k) < size ? legacy_user(k) : size;

	memcpy(to, native, user);
	memset(to + user, 0, size - user);
}
