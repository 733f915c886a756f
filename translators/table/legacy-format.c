/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-format.c - six layouts as data
 *
 * ipt, ip6t and arpt, each as 64-bit programs see them and as 32-bit programs
 * on x86 do: there 8-byte integers are aligned to 4, so structures lose
 * padding and payloads are rounded up to 4 instead of 8.  The 64-bit offsets
 * are held against the kernel's headers.
 */
#include "translators/ebt/ebt.h"
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter/xt_SECMARK.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_helper.h>
#include <linux/netfilter/xt_limit.h>

/* The fields that all three have, by their names. */
#define BASE(type, destination, src_mask, dst_mask, prefix, DST)                                 \
	.size = sizeof(struct type), .addr = sizeof(((struct type *)NULL)->src),                 \
	.src = offsetof(struct type, src), .dst = offsetof(struct type, destination),            \
	.smsk = offsetof(struct type, src_mask), .dmsk = offsetof(struct type, dst_mask),        \
	.in = offsetof(struct type, iniface), .out = offsetof(struct type, outiface),            \
	.in_mask = offsetof(struct type, iniface_mask),                                          \
	.out_mask = offsetof(struct type, outiface_mask), .flags = offsetof(struct type, flags), \
	.invflags = offsetof(struct type, invflags),                                             \
	.invflags_size = sizeof(((struct type *)NULL)->invflags), .flags_mask = prefix##_F_MASK, \
	.invflags_mask = prefix##_INV_MASK, .inv_in = prefix##_INV_VIA_IN,                       \
	.inv_out = prefix##_INV_VIA_OUT, .inv_src = prefix##_INV_SRCIP,                          \
	.inv_dst = prefix##_INV_##DST

static const struct legacy_base ip4 = {
	BASE(ipt_ip, dst, smsk, dmsk, IPT, DSTIP),
	.proto = offsetof(struct ipt_ip, proto),
	.f_goto = IPT_F_GOTO,
	.inv_proto = IPT_INV_PROTO,
};

static const struct legacy_base ip6 = {
	BASE(ip6t_ip6, dst, smsk, dmsk, IP6T, DSTIP),
	.proto = offsetof(struct ip6t_ip6, proto),
	.f_goto = IP6T_F_GOTO,
	.inv_proto = IP6T_INV_PROTO,
};

static const struct legacy_base arp = {
	BASE(arpt_arp, tgt, smsk, tmsk, ARPT, TGTIP),
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

/* Offsets that are the same in both widths. */
#define LAYOUT(repl, ent)                                                                        \
	.underflow = offsetof(struct repl, underflow),                                           \
	.num_counters = offsetof(struct repl, num_counters), .native_entry = sizeof(struct ent), \
	.target_offset = offsetof(struct ent, target_offset),                                    \
	.next_offset = offsetof(struct ent, next_offset),                                        \
	.comefrom = offsetof(struct ent, comefrom), .verdicts = verdicts

#define NATIVE(repl, ent)                                                                      \
	LAYOUT(repl, ent),                                                                     \
		.header = sizeof(struct repl), .counters = offsetof(struct repl, counters),    \
		.entry = sizeof(struct ent), .entry_counters = offsetof(struct ent, counters), \
		.align = 8, .standard = 40

/* The same without the padding: by how much header and entry are shorter. */
#define COMPAT(repl, ent, less)                                                                   \
	LAYOUT(repl, ent), .compat = true, .header = sizeof(struct repl) - 4,                     \
			   .counters = offsetof(struct repl, num_counters) + 4,                   \
			   .entry = sizeof(struct ent) - (less),                                  \
			   .entry_counters = offsetof(struct ent, counters) - (less), .align = 4, \
			   .standard = 36

static const signed char verdicts[LEGACY_VERDICTS] = {
	[XT2_T_DROP] = -1,
	[XT2_T_ACCEPT] = -2,
	[XT2_T_QUEUE] = -4,
	[XT2_T_RETURN] = LEGACY_RETURN,
};

static const signed char ebt_verdicts[LEGACY_VERDICTS] = {
	[XT2_T_ACCEPT] = EBT_ACCEPT,
	[XT2_T_DROP] = EBT_DROP,
	[XT2_T_CONTINUE] = EBT_CONTINUE,
	[XT2_T_RETURN] = EBT_RETURN,
};

static const struct xt2_legacy_format_ formats[] = {
	{ &ip4, XT2_IPV4, .hooks = 5, NATIVE(ipt_replace, ipt_entry) },
	{ &ip4, XT2_IPV4, .hooks = 5, COMPAT(ipt_replace, ipt_entry, 0) },
	{ &ip6, XT2_IPV6, .hooks = 5, NATIVE(ip6t_replace, ip6t_entry) },
	{ &ip6, XT2_IPV6, .hooks = 5, COMPAT(ip6t_replace, ip6t_entry, 4) },
	{ &arp, XT2_ARP, .hooks = 3, NATIVE(arpt_replace, arpt_entry) },
	{ &arp, XT2_ARP, .hooks = 3, COMPAT(arpt_replace, arpt_entry, 4) },
	/* More about these in ebt.h. */
	{ NULL, XT2_BRIDGE, .hooks = 6, .header = 120, .num_counters = 96,
	  .verdicts = ebt_verdicts },
	{ NULL, XT2_BRIDGE, .hooks = 6, .compat = true, .header = 80, .num_counters = 68,
	  .verdicts = ebt_verdicts },
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

int legacy_header_fault(struct xt2_legacy *l, int err, u32 offset, const char *field,
			const char *what)
{
	if (l->err)
		*l->err = (struct xt2_legacy_err){
			.what = what,
			.field = field,
			.offset = offset,
		};
	return err;
}

int legacy_wrong(struct xt2_legacy *l, int err, u32 pos, const char *field, const char *what)
{
	u32 at = 0, n;

	for (n = 1; l->err && at < pos; n++)
		at += l->family == XT2_BRIDGE ? ebt_step(l->at + at)
					      : legacy_next(l->f, l->at + at);
	legacy_header_fault(l, err, l->f->header + pos, field, what);
	if (l->err)
		l->err->entry = n;
	return err;
}

int legacy_stricter(struct xt2_legacy *l, u32 pos, const char *field, const char *what)
{
	legacy_wrong(l, -EINVAL, pos, field, what);
	if (l->err)
		l->err->stricter = true;
	return -EINVAL;
}

void legacy_header_read(struct xt2_legacy *l)
{
	const u8 *h = l->blob;

	memcpy(l->table, h, sizeof(l->table));
	l->table[sizeof(l->table) - 1] = '\0';
	l->valid_hooks = legacy_u32(h + 32) & ((1u << l->f->hooks) - 1);
	l->entries = legacy_u32(h + 36);
	l->size = legacy_u32(h + 40);
	l->num_counters = legacy_u32(h + l->f->num_counters);
}
