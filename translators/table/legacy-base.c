/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-base.c - the header of an entry <-> base tests
 *
 * struct ipt_ip and its like hold every test, used or not; a rule of ours
 * carries those that some packet can fail, in the order in which
 * ip_packet_match(), ip6_packet_match() and arp_packet_match() look, and in
 * the tightest form.  It is the same as what text is packed to.
 */
#include "engine/parse.h"
#include "legacy-format.h"
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>

#define IFNAME	  16
#define HWADDR	  6 /* bytes that are compared: xt2's ARP is that of Ethernet */
#define SLOT(typ) (1u << (typ))

struct packer {
	const struct xt2_legacy_format_ *f;
	const u8 *e; /* struct ipt_ip or its like: it comes first */
	u32 inv;
	u8 *at;
};

static bool zero(const u8 *p, u32 n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

/* Addresses of IPv6, and names of interfaces. */
static bool zero16(const u8 *p)
{
	return !(xt2_raw64(p) | xt2_raw64(p + 8));
}

/* An address with bits outside its mask is one that no packet has: it is kept. */
void legacy_addr4_pack(u8 **at, u8 type, u8 type_mask, const u8 *a, const u8 *m, bool invert)
{
	u32 addr = xt2_be32(a), mask = xt2_be32(m), shift;
	struct xt2_match_addr4_mask *k;

	if (!mask && !addr && !invert)
		return;
	shift = mask ? (u32)__builtin_ctz(mask) : 0;
	if (mask && mask == ~0u << shift && !(addr & ~mask)) {
		struct xt2_match *short_form =
			legacy_match_add(at, type, sizeof(*short_form), invert, addr);

		short_form->flags |= (u8)shift;
		return;
	}
	k = legacy_match_add(at, type_mask, sizeof(*k), invert, addr);
	k->mask = mask;
}

void legacy_addr6_pack(u8 **at, u8 type, u8 type_mask, const u8 *a, const u8 *m, bool invert)
{
	struct xt2_match_addr6_mask *k;
	struct xt2_match_addr6 *exact;

	if (!invert && zero16(m) && zero16(a))
		return;
	if ((xt2_raw64(m) & xt2_raw64(m + 8)) == ~0ull) {
		exact = legacy_match_add(at, type, sizeof(*exact), invert, 0);
		memcpy(exact->addr, a, 16);
		return;
	}
	k = legacy_match_add(at, type_mask, sizeof(*k), invert, 0);
	memcpy(k->addr, a, 16);
	memcpy(k->mask, m, 16);
}

static void pack_addrs(struct packer *p)
{
	const struct legacy_base *b = p->f->base;
	const u8 *e = p->e;
	bool not_src = p->inv & b->inv_src, not_dst = p->inv & b->inv_dst;

	if (b->addr == 4) {
		legacy_addr4_pack(&p->at, XT2_M_SRC4, XT2_M_SRC4_MASK, e + b->src, e + b->smsk,
				  not_src);
		legacy_addr4_pack(&p->at, XT2_M_DST4, XT2_M_DST4_MASK, e + b->dst, e + b->dmsk,
				  not_dst);
	} else {
		legacy_addr6_pack(&p->at, XT2_M_SRC6, XT2_M_SRC6_MASK, e + b->src, e + b->smsk,
				  not_src);
		legacy_addr6_pack(&p->at, XT2_M_DST6, XT2_M_DST6_MASK, e + b->dst, e + b->dmsk,
				  not_dst);
	}
}

static void pack_iface(struct packer *p, u8 type, u8 type_mask, const u8 *name, const u8 *mask,
		       bool invert)
{
	struct xt2_match_iface_mask *k;
	struct xt2_match_iface *m;
	u32 n = 0;

	if (!invert && zero16(mask))
		return;
	while (n < IFNAME && mask[n] == 0xff)
		n++;
	if (!zero(mask + n, IFNAME - n)) { /* a mask with holes: as it is */
		k = legacy_match_add(&p->at, type_mask, sizeof(*k), invert, 0);
		memcpy(k->name, name, IFNAME);
		memcpy(k->mask, mask, IFNAME);
	} else if (n) {
		m = legacy_match_add(&p->at, type, sizeof(*m) + (n <= 8 ? 8 : 16), invert, n);
		memcpy(m->name, name, n);
	} else if (invert) { /* any but all: none */
		legacy_match_add(&p->at, type_mask, sizeof(*k), true, 0);
	}
}

static void pack_ifaces(struct packer *p)
{
	const struct legacy_base *b = p->f->base;
	const u8 *e = p->e;

	pack_iface(p, XT2_M_IN, XT2_M_IN_MASK, e + b->in, e + b->in_mask, p->inv & b->inv_in);
	pack_iface(p, XT2_M_OUT, XT2_M_OUT_MASK, e + b->out, e + b->out_mask, p->inv & b->inv_out);
}

bool legacy_base_untested(const struct xt2_legacy_format_ *f, const u8 *e)
{
	return f->family == XT2_IPV6 && legacy_u16(e + f->base->proto) &&
	       !(e[f->base->flags] & IP6T_F_PROTO) &&
	       (legacy_u16(e + f->target_offset) != f->entry ||
		!legacy_is_standard(legacy_target(f, e)));
}

static void pack_ip(struct packer *p)
{
	const struct legacy_base *b = p->f->base;
	u32 proto = legacy_u16(p->e + b->proto), flags = p->e[b->flags];
	bool not_proto = p->inv & b->inv_proto;

	pack_addrs(p);
	pack_ifaces(p);
	if (p->f->family == XT2_IPV6) {
		/* Without a protocol, there has to be an upper-layer header all the same. */
		if (flags & IP6T_F_PROTO || legacy_base_untested(p->f, p->e))
			legacy_match_add(&p->at, XT2_M_PROTO, sizeof(struct xt2_match),
					 not_proto || !proto, proto);
		return;
	}
	if (proto)
		legacy_match_add(&p->at, XT2_M_PROTO, sizeof(struct xt2_match), not_proto, proto);
	if (flags & IPT_F_FRAG)
		legacy_match_add(&p->at, XT2_M_FRAGMENT, sizeof(struct xt2_match),
				 p->inv & IPT_INV_FRAG, 0);
}

/* The fields of an ARP header, in the order in which they are looked at. */
static const struct {
	u8 type, offset, mask, size;
	u16 inv;
} arp_fields[] = {
	{ XT2_M_ARP_OP, offsetof(struct arpt_arp, arpop), offsetof(struct arpt_arp, arpop_mask), 2,
	  ARPT_INV_ARPOP },
	{ XT2_M_ARP_HRD, offsetof(struct arpt_arp, arhrd), offsetof(struct arpt_arp, arhrd_mask), 2,
	  ARPT_INV_ARPHRD },
	{ XT2_M_ARP_PRO, offsetof(struct arpt_arp, arpro), offsetof(struct arpt_arp, arpro_mask), 2,
	  ARPT_INV_ARPPRO },
	{ XT2_M_ARP_HLN, offsetof(struct arpt_arp, arhln), offsetof(struct arpt_arp, arhln_mask), 1,
	  ARPT_INV_ARPHLN },
};

static const struct {
	u8 type, offset;
	u16 inv;
} arp_devs[] = {
	{ XT2_M_ARP_SHA, offsetof(struct arpt_arp, src_devaddr), ARPT_INV_SRCDEVADDR },
	{ XT2_M_ARP_THA, offsetof(struct arpt_arp, tgt_devaddr), ARPT_INV_TGTDEVADDR },
};

static u32 number(const u8 *p, u32 size)
{
	return size == 1 ? *p : xt2_be16(p);
}

static void pack_arp_dev(struct packer *p, u8 type, const struct arpt_devaddr_info *d, bool invert)
{
	struct xt2_match_arp_dev *m;
	u32 i;

	if (zero((const u8 *)d->mask, sizeof(d->mask)) && !invert)
		return;
	m = legacy_match_add(&p->at, type, sizeof(*m), invert, HWADDR);
	memcpy(m->mask, d->mask, sizeof(m->mask));
	for (i = 0; i < sizeof(m->addr); i++) /* what the mask drops is not compared */
		m->addr[i] = (u8)(d->addr[i] & d->mask[i]);
}

static void pack_arp(struct packer *p)
{
	u32 value, mask;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(arp_fields); i++) {
		bool invert = p->inv & arp_fields[i].inv;

		value = number(p->e + arp_fields[i].offset, arp_fields[i].size);
		mask = number(p->e + arp_fields[i].mask, arp_fields[i].size);
		if (value || mask || invert)
			legacy_match_add(&p->at, arp_fields[i].type, sizeof(struct xt2_match),
					 invert, mask << 16 | value);
	}
	for (i = 0; i < XT2_ARRAY_SIZE(arp_devs); i++)
		pack_arp_dev(p, arp_devs[i].type, (const void *)(p->e + arp_devs[i].offset),
			     p->inv & arp_devs[i].inv);
	pack_addrs(p);
	pack_ifaces(p);
}

u32 legacy_base_pack(const struct xt2_legacy_format_ *f, const u8 *e, void *out)
{
	struct packer p = { .f = f, .e = e, .inv = legacy_inverted(f->base, e), .at = out };

	if (f->family == XT2_ARP)
		pack_arp(&p);
	else
		pack_ip(&p);
	return (u32)(p.at - (u8 *)out);
}

const char *legacy_base_strange(const struct xt2_legacy_format_ *f, const u8 *e)
{
	const struct legacy_base *b = f->base;
	u32 inv = legacy_inverted(b, e);

	if (f->family == XT2_ARP && legacy_u16(e + f->target_offset) != f->entry)
		return "an ARP rule has matches, which the kernel ignores";
	if (f->family == XT2_IPV4 && inv & IPT_INV_FRAG && !(e[b->flags] & IPT_F_FRAG))
		return "fragments are inverted but not asked for: the rule never matches";
	return NULL;
}

/* --- back --------------------------------------------------------------------- */

static void set_inv(const struct legacy_base *b, u8 *e, u32 bit)
{
	if (b->invflags_size == 1)
		e[b->invflags] |= (u8)bit;
	else
		legacy_put16(e + b->invflags, legacy_u16(e + b->invflags) | bit);
}

static void put_be32(u8 *p, u32 v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static void unpack_addr(const struct xt2_match *m, u8 *addr, u8 *mask)
{
	const struct xt2_match_addr4_mask *k4 = (const void *)m;
	const struct xt2_match_addr6_mask *k6 = (const void *)m;

	switch (m->type) {
	case XT2_M_SRC4:
	case XT2_M_DST4:
		put_be32(addr, m->arg);
		put_be32(mask, ~0u << (m->flags & XT2_ADDR4_SHIFT));
		return;
	case XT2_M_SRC4_MASK:
	case XT2_M_DST4_MASK:
		put_be32(addr, m->arg);
		put_be32(mask, k4->mask);
		return;
	}
	memcpy(addr, k6->addr, 16);
	if (m->type == XT2_M_SRC6_MASK || m->type == XT2_M_DST6_MASK)
		memcpy(mask, k6->mask, 16);
	else
		memset(mask, 0xff, 16);
}

/* The start of a name is written followed by the "+" that iptables leaves there. */
static void unpack_iface(const struct xt2_match *m, u8 *name, u8 *mask)
{
	const struct xt2_match_iface_mask *masked = (const void *)m;
	u32 n = m->arg;

	if (m->type == XT2_M_IN_MASK || m->type == XT2_M_OUT_MASK) {
		memcpy(name, masked->name, IFNAME);
		memcpy(mask, masked->mask, IFNAME);
		if (zero16(name) && zero16(mask))
			name[0] = '+';
		return;
	}
	memcpy(name, ((const struct xt2_match_iface *)m)->name, n);
	memset(mask, 0xff, n);
	if (n < IFNAME && name[n - 1])
		name[n] = '+';
}

static int unpack_proto(const struct xt2_legacy_format_ *f, const struct xt2_match *m, u8 *e)
{
	const struct legacy_base *b = f->base;
	bool invert = m->flags & XT2_MATCH_INVERT;

	if (!m->arg && (f->family != XT2_IPV6 || !invert))
		return -EOPNOTSUPP; /* 0 is how the legacy format says "any" */
	legacy_put16(e + b->proto, m->arg);
	if (f->family == XT2_IPV6)
		e[b->flags] |= IP6T_F_PROTO;
	if (invert && m->arg)
		set_inv(b, e, b->inv_proto);
	return 0;
}

static int unpack_arp(const struct xt2_match *m, u8 *e, u32 *inv)
{
	const struct xt2_match_arp_dev *k = (const void *)m;
	struct arpt_devaddr_info *d;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(arp_fields); i++) {
		if (arp_fields[i].type != m->type)
			continue;
		*inv = arp_fields[i].inv;
		if (arp_fields[i].size == 1) {
			if (m->arg & 0xff00ff00)
				return -EOPNOTSUPP;
			e[arp_fields[i].offset] = (u8)m->arg;
			e[arp_fields[i].mask] = (u8)(m->arg >> 16);
		} else {
			xt2_put_be16(e + arp_fields[i].offset, (u16)m->arg);
			xt2_put_be16(e + arp_fields[i].mask, (u16)(m->arg >> 16));
		}
		return 0;
	}
	i = m->type == XT2_M_ARP_THA;
	if (m->arg != HWADDR)
		return -EOPNOTSUPP;
	*inv = arp_devs[i].inv;
	d = (struct arpt_devaddr_info *)(e + arp_devs[i].offset);
	memcpy(d->addr, k->addr, sizeof(d->addr));
	memcpy(d->mask, k->mask, sizeof(d->mask));
	return 0;
}

/* Tests that share a place in the header: only one of them can be there. */
static u32 place_of(u8 type)
{
	switch (type) {
	case XT2_M_SRC4_MASK: return SLOT(XT2_M_SRC4);
	case XT2_M_DST4_MASK: return SLOT(XT2_M_DST4);
	case XT2_M_SRC6_MASK: return SLOT(XT2_M_SRC6);
	case XT2_M_DST6_MASK: return SLOT(XT2_M_DST6);
	case XT2_M_IN_MASK: return SLOT(XT2_M_IN);
	case XT2_M_OUT_MASK: return SLOT(XT2_M_OUT);
	}
	return SLOT(type);
}

int legacy_base_unpack(const struct xt2_legacy_format_ *f, const struct xt2_match *m, u8 *e,
		       u32 *seen)
{
	const struct legacy_base *b = f->base;
	u32 inv = 0, place = place_of(m->type);
	int err = 0;

	if (*seen & place)
		return -EOPNOTSUPP;
	*seen |= place;
	if (place & (SLOT(XT2_M_SRC4) | SLOT(XT2_M_SRC6))) {
		unpack_addr(m, e + b->src, e + b->smsk);
		inv = b->inv_src;
	} else if (place & (SLOT(XT2_M_DST4) | SLOT(XT2_M_DST6))) {
		unpack_addr(m, e + b->dst, e + b->dmsk);
		inv = b->inv_dst;
	} else if (place == SLOT(XT2_M_IN)) {
		unpack_iface(m, e + b->in, e + b->in_mask);
		inv = b->inv_in;
	} else if (place == SLOT(XT2_M_OUT)) {
		unpack_iface(m, e + b->out, e + b->out_mask);
		inv = b->inv_out;
	} else if (place == SLOT(XT2_M_PROTO)) {
		return unpack_proto(f, m, e);
	} else if (place == SLOT(XT2_M_FRAGMENT)) {
		e[b->flags] |= IPT_F_FRAG;
		inv = IPT_INV_FRAG;
	} else {
		err = unpack_arp(m, e, &inv);
	}
	if (m->flags & XT2_MATCH_INVERT)
		set_inv(b, e, inv);
	return err;
}
