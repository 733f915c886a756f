/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.c - check that a rule is well-formed
 *
 * A match without a payload of its own kind of check is a row of a table;
 * extensions check their payloads themselves.  Whatever passes here can be
 * evaluated without looking at a size again.
 */
#include "rule.h"
#include "dispatch.h"

#define F4 0x01
#define F6 0x02
#define FA 0x04
#define FB 0x08

/* Further checks of a match without an extension. */
enum look { LOOK_NO_MORE, LOOK_ADDR4, LOOK_ADDR4_MASK, LOOK_ETH, LOOK_IFACE, LOOK_ANY_IFACE };

/* The form of a match; size 0: its extension checks it. */
struct row {
	u16 size; /* of interfaces the largest */
	u8 families;
	u8 flags; /* those that may be set */
	u32 arg_max;
	u8 look;
};

static const struct row rows[XT2_M_COUNT] = {
	[XT2_M_SRC4] = { 8, F4 | FA, XT2_MATCH_INVERT | XT2_ADDR4_SHIFT, ~0u, LOOK_ADDR4 },
	[XT2_M_DST4] = { 8, F4 | FA, XT2_MATCH_INVERT | XT2_ADDR4_SHIFT, ~0u, LOOK_ADDR4 },
	[XT2_M_SRC4_MASK] = { 16, F4 | FA, XT2_MATCH_INVERT, ~0u, LOOK_ADDR4_MASK },
	[XT2_M_DST4_MASK] = { 16, F4 | FA, XT2_MATCH_INVERT, ~0u, LOOK_ADDR4_MASK },
	[XT2_M_SRC6] = { 24, F6, XT2_MATCH_INVERT, 0 },
	[XT2_M_DST6] = { 24, F6, XT2_MATCH_INVERT, 0 },
	[XT2_M_SRC6_MASK] = { 40, F6, XT2_MATCH_INVERT, 0 },
	[XT2_M_DST6_MASK] = { 40, F6, XT2_MATCH_INVERT, 0 },
	[XT2_M_IN] = { 24, F4 | F6 | FA | FB, XT2_MATCH_INVERT, 16, LOOK_IFACE },
	[XT2_M_OUT] = { 24, F4 | F6 | FA | FB, XT2_MATCH_INVERT, 16, LOOK_IFACE },
	[XT2_M_IN_MASK] = { 40, F4 | F6 | FA | FB, XT2_MATCH_INVERT, 0 },
	[XT2_M_OUT_MASK] = { 40, F4 | F6 | FA | FB, XT2_MATCH_INVERT, 0 },
	[XT2_M_PROTO] = { 8, F4 | F6, XT2_MATCH_INVERT, 0xffff },
	[XT2_M_FRAGMENT] = { 8, F4, XT2_MATCH_INVERT, 0 },
	[XT2_M_ARP_HRD] = { 8, FA, XT2_MATCH_INVERT, ~0u },
	[XT2_M_ARP_PRO] = { 8, FA, XT2_MATCH_INVERT, ~0u },
	[XT2_M_ARP_HLN] = { 8, FA, XT2_MATCH_INVERT, ~0u },
	[XT2_M_ARP_OP] = { 8, FA, XT2_MATCH_INVERT, ~0u },
	[XT2_M_ARP_SHA] = { 40, FA, XT2_MATCH_INVERT, 16 },
	[XT2_M_ARP_THA] = { 40, FA, XT2_MATCH_INVERT, 16 },
	[XT2_M_ETH_TYPE] = { 8, FB, XT2_MATCH_INVERT, 0xffff },
	[XT2_M_ETH_LENGTH] = { 8, FB, XT2_MATCH_INVERT, 0xffff },
	[XT2_M_ETH_ANY] = { 8, FB, XT2_MATCH_INVERT, 0xffff },
	[XT2_M_ETH_SRC] = { 24, FB, XT2_MATCH_INVERT, 0, LOOK_ETH },
	[XT2_M_ETH_DST] = { 24, FB, XT2_MATCH_INVERT, 0, LOOK_ETH },
	[XT2_M_LOGICAL_IN] = { 24, FB, XT2_MATCH_INVERT, 16, LOOK_ANY_IFACE },
	[XT2_M_LOGICAL_OUT] = { 24, FB, XT2_MATCH_INVERT, 16, LOOK_ANY_IFACE },
	[XT2_M_COMMENT] = { 8, F4 | F6 | FA | FB, 0, ~0u },
	[XT2_M_FOREIGN] = { 8, F4 | F6 | FA | FB, 0, ~0u },
};

static u8 bit_of(u8 family)
{
	switch (family) {
	case XT2_IPV4: return F4;
	case XT2_IPV6: return F6;
	case XT2_ARP: return FA;
	}
	return FB;
}

static int bad(const char **what, const char *text)
{
	if (what)
		*what = text;
	return -EINVAL;
}

/* The bits that the shift drops must not be there: they would be ignored. */
static int addr4(const struct xt2_match __img *m, const char **what)
{
	u32 dropped = (1u << (m->flags & XT2_ADDR4_SHIFT)) - 1;

	if (m->arg & dropped)
		return bad(what, "address has bits outside its network");
	return 0;
}

static int addr4_mask(const struct xt2_match __img *m, const char **what)
{
	const struct xt2_match_addr4_mask __img *a = (const void __img *)m;

	return a->reserved ? bad(what, "reserved bytes of a match are set") : 0;
}

static int eth(const struct xt2_match __img *m, const char **what)
{
	const struct xt2_match_eth __img *a = (const void __img *)m;
	u32 i;

	for (i = 0; i < sizeof(a->reserved); i++)
		if (a->reserved[i])
			return bad(what, "reserved bytes of a match are set");
	return 0;
}

/* An interface name takes 8 or 16 bytes, whichever is enough; a bridge's may be any. */
static int iface(const struct xt2_match __img *m, bool any, const char **what)
{
	const u8 __img *name = (const u8 __img *)(m + 1);
	u32 i, room = !m->arg ? 0 : m->arg <= 8 ? 8 : 16;

	if ((!m->arg && !any) || m->size != sizeof(*m) + room)
		return bad(what, "wrong size of an interface name");
	for (i = m->arg; i < room; i++)
		if (name[i])
			return bad(what, "interface name is not padded with NUL");
	return 0;
}

static int base_match(const struct xt2_match __img *m, u8 family_bit, const char **what)
{
	const struct row *row = &rows[m->type];

	if (m->size != row->size && row->look < LOOK_IFACE)
		return bad(what, "wrong size of a match");
	if (!(row->families & family_bit))
		return bad(what, "match of another family");
	if (m->flags & ~row->flags)
		return bad(what, "unknown flags of a match");
	if (m->arg > row->arg_max)
		return bad(what, "argument of a match is out of range");
	switch (row->look) {
	case LOOK_ADDR4: return addr4(m, what);
	case LOOK_ADDR4_MASK: return addr4_mask(m, what);
	case LOOK_ETH: return eth(m, what);
	case LOOK_IFACE: return iface(m, false, what);
	case LOOK_ANY_IFACE: return iface(m, true, what);
	}
	return 0;
}

static bool has_memory(const struct xt2_match __img *m, const struct xt2_rule_bounds *bounds)
{
	return !(m->arg % XT2_MEMORY_CELLS) && m->arg / XT2_MEMORY_CELLS < XT2_MEMORIES_MAX &&
	       bounds->cells - m->arg >= XT2_MEMORY_CELLS;
}

static int check_match(const struct xt2_match __img *m, const struct xt2_rule_bounds *bounds,
		       u8 family_bit, const char **what)
{
	u32 info;

	if (m->type >= XT2_M_COUNT || (m->type < XT2_M_TCP && !rows[m->type].size))
		return bad(what, "unknown match");
	if (m->type < XT2_M_TCP)
		return base_match(m, family_bit, what);
	info = xt2_match_info(m->type);
	if (info & XT2_EXT_CELL && m->arg >= bounds->cells)
		return bad(what, "match names a cell that is not there");
	if (info & XT2_EXT_MEMORY && !has_memory(m, bounds))
		return bad(what, "match names a memory that is not there");
	if (info & XT2_EXT_INSTANCE && m->arg >= bounds->instances)
		return bad(what, "match names an instance that is not there");
	if (rows[m->type].size)
		return base_match(m, family_bit, what);
	if (bounds->family == XT2_BRIDGE)
		return bad(what, "match of another family");
	if (xt2_match_ext_check(m, bounds->family))
		return bad(what, "payload of a match is not valid");
	return 0;
}

static int check_matches(const struct xt2_rule __img *r, const struct xt2_rule_bounds *bounds,
			 const char **what)
{
	const u8 family_bit = bit_of(bounds->family);
	const struct xt2_match __img *m;
	u32 at = sizeof(*r);
	int err;

	for (; at < r->target_offset && xt2_can_loop; at += m->size) {
		m = xt2_at(r, at);
		if (m->size < sizeof(*m) || m->size % XT2_ALIGN || m->size > r->target_offset - at)
			return bad(what, "match does not fit into its rule");
		err = check_match(m, bounds, family_bit, what);
		if (err)
			return err;
	}
	return 0;
}

/* The targets of ebtables. */
static bool bridge_target(u8 kind)
{
	return kind <= XT2_T_JUMP || kind == XT2_T_FOREIGN;
}

static int base_target(const struct xt2_rule __img *r, const struct xt2_rule_bounds *bounds,
		       const char **what)
{
	u32 arg = XT2_TARGET_ARG(r->target);

	if (r->size != r->target_offset)
		return bad(what, "target has data that it cannot have");
	if (bounds->family == XT2_BRIDGE && !bridge_target(XT2_TARGET_KIND(r->target)))
		return bad(what, "target of another family");
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_JUMP:
	case XT2_T_GOTO:
		return arg < bounds->chains ? 0 : bad(what, "rule names a chain that is not there");
	case XT2_T_FOREIGN:
	case XT2_T_NAT:
		return arg < bounds->instances
			       ? 0
			       : bad(what, "target names an instance that is not there");
	}
	return arg ? bad(what, "target has an argument that it cannot have") : 0;
}

int xt2_check_rule(const struct xt2_rule __img *r, u32 size, const struct xt2_rule_bounds *bounds,
		   const char **what)
{
	u8 kind;
	int err;

	if (size < sizeof(*r) || r->size < sizeof(*r) || r->size % XT2_ALIGN || r->size > size)
		return bad(what, "wrong size of a rule");
	if (r->target_offset < sizeof(*r) || r->target_offset % XT2_ALIGN ||
	    r->target_offset > r->size)
		return bad(what, "target is not inside its rule");
	if (!xt2_family_hooks(bounds->family))
		return bad(what, "unknown family");
	err = check_matches(r, bounds, what);
	if (err)
		return err;
	kind = XT2_TARGET_KIND(r->target);
	if (kind >= XT2_T_COUNT || (kind > XT2_T_NAT && kind < XT2_T_REJECT))
		return bad(what, "unknown target");
	if (kind < XT2_T_REJECT)
		return base_target(r, bounds, what);
	if (bounds->family == XT2_BRIDGE)
		return bad(what, "target of another family");
	return xt2_target_ext_check(r, bounds->family) ? bad(what, "data of a target is not valid")
						       : 0;
}

bool xt2_rule_is_tail(const struct xt2_rule __img *r, u8 family, bool base)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	if (r->target_offset != sizeof(*r))
		return false;
	if (kind == XT2_T_ACCEPT || kind == XT2_T_DROP)
		return base || family == XT2_BRIDGE;
	return !base && kind == XT2_T_RETURN;
}
