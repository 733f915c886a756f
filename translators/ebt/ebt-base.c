/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-base.c - the header of a bridge's rule <-> base tests
 *
 * struct ebt_entry holds every test, used or not, and what is not used may be
 * anything.  A rule of ours carries those that are asked for, in the order in
 * which ebt_basic_match() looks.  The name of a device ends with NUL, or with
 * a byte 1 that stands for any rest.
 */
#include "ebt.h"

#define WILDCARD 1

struct packer {
	const struct ebt_entry *e;
	u8 *at;
};

/* Extensions look at the type even if the rule does not. */
static void pack_type(struct packer *p)
{
	const struct ebt_entry *e = p->e;
	u32 type = xt2_be16((const u8 *)&e->ethproto);
	bool invert = e->invflags & EBT_IPROTO;

	if (e->bitmask & EBT_802_3)
		legacy_match_add(&p->at, XT2_M_ETH_LENGTH, sizeof(struct xt2_match), invert, type);
	else if (!(e->bitmask & EBT_NOPROTO))
		legacy_match_add(&p->at, XT2_M_ETH_TYPE, sizeof(struct xt2_match), invert, type);
	else if (type || invert)
		legacy_match_add(&p->at, XT2_M_ETH_ANY, sizeof(struct xt2_match), invert, type);
}

/* A name that is not there, inverted: a test that no device passes. */
static void pack_never(struct packer *p, u8 type)
{
	switch (type) {
	case XT2_M_IN:
		legacy_match_add(&p->at, XT2_M_IN_MASK, sizeof(struct xt2_match_iface_mask), true,
				 0);
		return;
	case XT2_M_OUT:
		legacy_match_add(&p->at, XT2_M_OUT_MASK, sizeof(struct xt2_match_iface_mask), true,
				 0);
		return;
	}
	legacy_match_add(&p->at, type, sizeof(struct xt2_match), true, 0);
}

static void pack_device(struct packer *p, u8 type, const char *name, bool invert)
{
	struct xt2_match_iface *m;
	u32 len = 0;

	while (len < IFNAMSIZ && name[len] && name[len] != WILDCARD)
		len++;
	if (!len && !name[0]) {
		if (invert)
			pack_never(p, type);
		return;
	}
	if (!len) { /* any name at all: one that is not empty */
		legacy_match_add(&p->at, type, sizeof(*m) + 8, !invert, 1);
		return;
	}
	if (len < IFNAMSIZ && !name[len])
		len++;
	m = legacy_match_add(&p->at, type, sizeof(*m) + (len <= 8 ? 8 : 16), invert, len);
	memcpy(m->name, name, len);
}

static void pack_mac(struct packer *p, u8 type, const u8 *addr, const u8 *mask, bool invert)
{
	struct xt2_match_eth *m = legacy_match_add(&p->at, type, sizeof(*m), invert, 0);

	memcpy(m->addr, addr, sizeof(m->addr));
	memcpy(m->mask, mask, sizeof(m->mask));
}

u32 ebt_base_pack(const struct ebt_entry *e, void *out)
{
	struct packer p = { e, out };

	pack_type(&p);
	pack_device(&p, XT2_M_IN, e->in, e->invflags & EBT_IIN);
	pack_device(&p, XT2_M_OUT, e->out, e->invflags & EBT_IOUT);
	pack_device(&p, XT2_M_LOGICAL_IN, e->logical_in, e->invflags & EBT_ILOGICALIN);
	pack_device(&p, XT2_M_LOGICAL_OUT, e->logical_out, e->invflags & EBT_ILOGICALOUT);
	if (e->bitmask & EBT_SOURCEMAC)
		pack_mac(&p, XT2_M_ETH_SRC, e->sourcemac, e->sourcemsk, e->invflags & EBT_ISOURCE);
	if (e->bitmask & EBT_DESTMAC)
		pack_mac(&p, XT2_M_ETH_DST, e->destmac, e->destmsk, e->invflags & EBT_IDEST);
	return (u32)(p.at - (u8 *)out);
}

/* --- and back --------------------------------------------------------------------- */

static int unpack_type(const struct xt2_match *m, struct ebt_entry *e)
{
	u8 *type = (u8 *)&e->ethproto;

	e->bitmask &= ~(u32)EBT_NOPROTO;
	if (m->type == XT2_M_ETH_LENGTH)
		e->bitmask |= EBT_802_3;
	else if (m->type == XT2_M_ETH_ANY)
		e->bitmask |= EBT_NOPROTO;
	type[0] = (u8)(m->arg >> 8);
	type[1] = (u8)m->arg;
	if (m->flags & XT2_MATCH_INVERT)
		e->invflags |= EBT_IPROTO;
	return 0;
}

/* The kernel would stop at the first of these in the middle of a name. */
static bool cut_short(const u8 *name, u32 len)
{
	u32 i;

	for (i = 0; i + 1 < len; i++)
		if (!name[i] || name[i] == WILDCARD)
			return true;
	return name[len - 1] == WILDCARD;
}

static int unpack_device(const struct xt2_match *m, char *to, u32 flag, struct ebt_entry *e)
{
	const u8 *name = (const u8 *)(m + 1);
	bool invert = m->flags & XT2_MATCH_INVERT;
	u32 len = m->arg;

	if (len == 1 && !name[0]) { /* no name: any at all, the other way round */
		to[0] = WILDCARD;
		invert = !invert;
	} else if (len) {
		if (cut_short(name, len))
			return -EOPNOTSUPP;
		memcpy(to, name, len);
		if (name[len - 1] && len < IFNAMSIZ)
			to[len] = WILDCARD;
	}
	if (invert)
		e->invflags |= flag;
	return 0;
}

/* Only the one that nothing passes, or everything does. */
static int unpack_masked(const struct xt2_match *m, u32 flag, struct ebt_entry *e)
{
	const struct xt2_match_iface_mask *k = (const struct xt2_match_iface_mask *)m;

	if (k->name[0] | k->name[1] | k->mask[0] | k->mask[1])
		return -EOPNOTSUPP;
	if (m->flags & XT2_MATCH_INVERT)
		e->invflags |= flag;
	return 0;
}

static int unpack_mac(const struct xt2_match *m, u8 *addr, u8 *mask, u32 bit, u32 flag,
		      struct ebt_entry *e)
{
	const struct xt2_match_eth *k = (const struct xt2_match_eth *)m;

	memcpy(addr, k->addr, sizeof(k->addr));
	memcpy(mask, k->mask, sizeof(k->mask));
	e->bitmask |= bit;
	if (m->flags & XT2_MATCH_INVERT)
		e->invflags |= flag;
	return 0;
}

/* Tests that are said by the same fields exclude each other. */
static u32 slot(u8 type)
{
	switch (type) {
	case XT2_M_ETH_LENGTH:
	case XT2_M_ETH_ANY: return 1u << XT2_M_ETH_TYPE;
	case XT2_M_IN_MASK: return 1u << XT2_M_IN;
	case XT2_M_OUT_MASK: return 1u << XT2_M_OUT;
	}
	return 1u << type;
}

int ebt_base_unpack(const struct xt2_match *m, struct ebt_entry *e, u32 *seen)
{
	if (*seen & slot(m->type))
		return -EOPNOTSUPP;
	*seen |= slot(m->type);
	switch (m->type) {
	case XT2_M_ETH_TYPE:
	case XT2_M_ETH_LENGTH:
	case XT2_M_ETH_ANY: return unpack_type(m, e);
	case XT2_M_IN: return unpack_device(m, e->in, EBT_IIN, e);
	case XT2_M_OUT: return unpack_device(m, e->out, EBT_IOUT, e);
	case XT2_M_IN_MASK: return unpack_masked(m, EBT_IIN, e);
	case XT2_M_OUT_MASK: return unpack_masked(m, EBT_IOUT, e);
	case XT2_M_LOGICAL_IN: return unpack_device(m, e->logical_in, EBT_ILOGICALIN, e);
	case XT2_M_LOGICAL_OUT: return unpack_device(m, e->logical_out, EBT_ILOGICALOUT, e);
	case XT2_M_ETH_SRC:
		return unpack_mac(m, e->sourcemac, e->sourcemsk, EBT_SOURCEMAC, EBT_ISOURCE, e);
	case XT2_M_ETH_DST: return unpack_mac(m, e->destmac, e->destmsk, EBT_DESTMAC, EBT_IDEST, e);
	}
	return -EOPNOTSUPP;
}
