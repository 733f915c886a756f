/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box.c - conditions that every packet of a rule meets
 *
 * Matches are read in the order in which they are tested, up to the
 * first that could do more than answer: remember (limit), drop (a test that
 * finds a header cut off or broken), or that is not known.  Packets with
 * headers that are cut off never use an index, so tests of ports are among
 * those that only answer.
 */
#include "box.h"
#include "engine/match.h"

#define PROTO_ICMP    1
#define PROTO_TCP     6
#define PROTO_UDP     17
#define PROTO_DCCP    33
#define PROTO_ICMP6   58
#define PROTO_SCTP    132
#define PROTO_UDPLITE 136

#define CLEAR 32 /* bytes of a box to clear in one step */

#define CONNTRACK_STATE 0x0001
#define STATE_UNTRACKED 0x40 /* of -m state */

static void set_bits(struct xt2_box *box, u32 field, u64 v0, u64 v1, u64 m0, u64 m1)
{
	box->value[field][0] = v0 & m0;
	box->value[field][1] = v1 & m1;
	box->mask[field][0] = m0;
	box->mask[field][1] = m1;
}

static void set_range(struct xt2_box *box, u32 key, u32 least, u32 most)
{
	if (least > most) /* never holds: any box will do */
		return;
	box->least[XT2_RANGE(key)] = (u16)least;
	box->most[XT2_RANGE(key)] = (u16)most;
}

static bool is_proto(const struct xt2_box *box, u32 proto)
{
	return box->least[XT2_RANGE(XT2_KEY_PROTO)] == proto &&
	       box->most[XT2_RANGE(XT2_KEY_PROTO)] == proto;
}

/* The match's own protocol, which iptables demands: another one may have a shorter header. */
static bool is_own(const struct xt2_box *box, u8 type)
{
	switch (type) {
	case XT2_M_TCP: return is_proto(box, PROTO_TCP);
	case XT2_M_UDP: return is_proto(box, PROTO_UDP);
	}
	return is_proto(box, PROTO_UDPLITE);
}

static bool has_ports(const struct xt2_box *box)
{
	return is_proto(box, PROTO_TCP) || is_proto(box, PROTO_UDP) ||
	       is_proto(box, PROTO_UDPLITE) || is_proto(box, PROTO_SCTP) ||
	       is_proto(box, PROTO_DCCP);
}

/*
 * A name up to its NUL is a whole one; without, it is the start of many.  The
 * NUL need not be the last byte that is compared: packets are searched by
 * their names up to the first.
 */
static void iface_bits(struct xt2_box *box, u32 field, const struct xt2_match __img *m)
{
	const struct xt2_match_iface __img *k = (const void __img *)m;
	u64 name[2] = { k->name[0], 0 }, whole[2], mask[2] = { ~0ull, ~0ull };
	u32 n = m->arg;

	if (n > 8)
		name[1] = k->name[1];
	if (!n || n > 16)
		return;
	if (n < 16) { /* a NUL after the n bytes is not part of the name */
		mask[0] = n < 8 ? ~0ull >> (64 - 8 * n) : ~0ull;
		mask[1] = n > 8 ? ~0ull >> (128 - 8 * n) : 0;
	}
	name[0] |= ~mask[0];
	name[1] |= ~mask[1];
	if (xt2_clean_name(whole, name))
		mask[0] = mask[1] = ~0ull;
	set_bits(box, field, whole[0], whole[1], mask[0], mask[1]);
}

/* => may the following matches restrict the box? */
static bool ports_range(struct xt2_box *box, const struct xt2_match __img *m)
{
	const struct xt2_match_ports __img *k = (const void __img *)m;
	const bool inverted = xt2_inverted(m);
	const bool known = is_own(box, m->type);

	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_SRC:
		if (known && !inverted)
			set_range(box, XT2_KEY_SPORT, (u16)m->arg, m->arg >> 16);
		return known;
	case XT2_PORTS_DST:
		if (known && !inverted)
			set_range(box, XT2_KEY_DPORT, (u16)m->arg, m->arg >> 16);
		return known;
	case XT2_PORTS_ALL:
		if (known && !(m->arg & XT2_PORTS_INV_SRC))
			set_range(box, XT2_KEY_SPORT, k->spts[0], k->spts[1]);
		if (known && !(m->arg & XT2_PORTS_INV_DST))
			set_range(box, XT2_KEY_DPORT, k->dpts[0], k->dpts[1]);
		return known && !XT2_BYTE(m->arg, 1); /* options may be broken */
	}
	return known;
}

static bool multiport_range(struct xt2_box *box, const struct xt2_match __img *m)
{
	const struct xt2_match_multiport __img *k = (const void __img *)m;
	const u8 kind = XT2_BYTE(m->arg, 1);
	u32 i, n = XT2_BYTE(m->arg, 0), least = 0xffff, most = 0;

	if (!has_ports(box))
		return false;
	if (m->flags & XT2_MATCH_INVERT || kind == XT2_MULTIPORT_EITHER || n > XT2_MULTIPORT_MAX)
		return true;
	for (i = 0; i < n; i++) {
		least = k->ports[i] < least ? k->ports[i] : least;
		most = k->ports[i] > most ? k->ports[i] : most;
	}
	set_range(box, kind == XT2_MULTIPORT_SRC ? XT2_KEY_SPORT : XT2_KEY_DPORT, least, most);
	return true;
}

static bool icmp_range(struct xt2_box *box, const struct xt2_match __img *m, u32 proto, bool any)
{
	u32 type = XT2_BYTE(m->arg, 0) << 8;

	if (!is_proto(box, proto))
		return false;
	if (!any && !XT2_BYTE(m->arg, 3))
		set_range(box, XT2_KEY_DPORT, type | XT2_BYTE(m->arg, 1),
			  type | XT2_BYTE(m->arg, 2));
	return true;
}

static void state_range(struct xt2_box *box, u32 states, u32 untracked)
{
	u32 set = 0, most = 0;

	if (states & XT2_CT_INVALID)
		set |= 1 << XT2_STATE_INVALID;
	if (states & XT2_CT_NEW)
		set |= 1 << XT2_STATE_NEW;
	if (states & XT2_CT_RELATED)
		set |= 1 << XT2_STATE_RELATED;
	if (states & XT2_CT_ESTABLISHED)
		set |= 1 << XT2_STATE_ESTABLISHED;
	if (states & untracked)
		set |= 1 << XT2_STATE_UNTRACKED;
	if (!set)
		return;
	while (set >> (most + 1))
		most++;
	set_range(box, XT2_KEY_STATE, (u32)__builtin_ctz(set), most);
}

static void conntrack_range(struct xt2_box *box, const struct xt2_match __img *m)
{
	const struct xt2_match_conntrack __img *k = (const void __img *)m;
	const u32 states = m->arg & 0xffff;

	if (k->tests & CONNTRACK_STATE && !(k->inverted & CONNTRACK_STATE) &&
	    !(states & (XT2_CT_SNAT | XT2_CT_DNAT)))
		state_range(box, states, XT2_CT_UNTRACKED);
}

static void mark_bits(struct xt2_box *box, const struct xt2_match __img *m)
{
	u32 mask = ~0u;

	if (m->flags)
		return;
	if (m->size > sizeof(*m))
		mask = ((const struct xt2_match_mark __img *)m)->mask;
	if (!(m->arg & ~mask))
		set_bits(box, XT2_FIELD_MARK, m->arg, 0, mask, 0);
}

static void mac_bits(struct xt2_box *box, const struct xt2_match __img *m)
{
	const struct xt2_match_mac __img *k = (const void __img *)m;
	u64 mac = 0;
	u32 i;

	if (m->arg)
		return;
	for (i = 0; i < sizeof(k->addr); i++)
		mac = mac << 8 | k->addr[i];
	set_bits(box, XT2_FIELD_MAC, mac, 0, ~0ull >> 16, 0);
}

static void addr_bits(struct xt2_box *box, const struct xt2_match __img *m)
{
	const struct xt2_match_addr6_mask __img *six = (const void __img *)m;
	const struct xt2_match_addr4_mask __img *four = (const void __img *)m;
	u32 field = XT2_FIELD_DST;

	switch (m->type) {
	case XT2_M_SRC4: field = XT2_FIELD_SRC; __fallthrough;
	case XT2_M_DST4: set_bits(box, field, m->arg, 0, xt2_addr4_mask(m), 0); break;
	case XT2_M_SRC4_MASK: field = XT2_FIELD_SRC; __fallthrough;
	case XT2_M_DST4_MASK: set_bits(box, field, m->arg, 0, four->mask, 0); break;
	case XT2_M_SRC6: field = XT2_FIELD_SRC; __fallthrough;
	case XT2_M_DST6: set_bits(box, field, six->addr[0], six->addr[1], ~0ull, ~0ull); break;
	case XT2_M_SRC6_MASK: field = XT2_FIELD_SRC; __fallthrough;
	case XT2_M_DST6_MASK:
		set_bits(box, field, six->addr[0], six->addr[1], six->mask[0], six->mask[1]);
		break;
	}
}

/* => the match has no effect, so those after it may restrict the box */
static bool look_at(struct xt2_box *box, const struct xt2_match __img *m)
{
	const bool inverted = xt2_inverted(m);

	switch (m->type) {
	case XT2_M_SRC4:
	case XT2_M_DST4:
	case XT2_M_SRC4_MASK:
	case XT2_M_DST4_MASK:
	case XT2_M_SRC6:
	case XT2_M_DST6:
	case XT2_M_SRC6_MASK:
	case XT2_M_DST6_MASK:
		if (!inverted)
			addr_bits(box, m);
		return true;
	case XT2_M_IN:
	case XT2_M_OUT:
		if (!inverted)
			iface_bits(box, m->type == XT2_M_IN ? XT2_FIELD_IN : XT2_FIELD_OUT, m);
		return true;
	case XT2_M_PROTO:
		if (!inverted)
			set_range(box, XT2_KEY_PROTO, m->arg, m->arg);
		return true;
	case XT2_M_TCP:
	case XT2_M_UDP:
	case XT2_M_UDPLITE: return ports_range(box, m);
	case XT2_M_MULTIPORT: return multiport_range(box, m);
	case XT2_M_ICMP: return icmp_range(box, m, PROTO_ICMP, XT2_BYTE(m->arg, 0) == 0xff);
	case XT2_M_ICMP6: return icmp_range(box, m, PROTO_ICMP6, false);
	case XT2_M_MARK: mark_bits(box, m); return true;
	case XT2_M_MAC: mac_bits(box, m); return true;
	case XT2_M_STATE: state_range(box, m->arg, STATE_UNTRACKED); return true;
	case XT2_M_CONNTRACK: conntrack_range(box, m); return true;
	case XT2_M_IN_MASK:
	case XT2_M_OUT_MASK:
	case XT2_M_FRAGMENT:
	case XT2_M_IPRANGE:
	case XT2_M_LENGTH:
	case XT2_M_TTL:
	case XT2_M_HL:
	case XT2_M_TOS:
	case XT2_M_DSCP:
	case XT2_M_CONNMARK:
	case XT2_M_PKTTYPE:
	case XT2_M_COMMENT:
	case XT2_M_CPU:
	case XT2_M_DEVGROUP: return true;
	}
	return false;
}

/* In steps that compilers write out; for all at once they take the processor's slow instruction. */
static void clear(struct xt2_box *box)
{
	u8 *at = (u8 *)box, *const end = at + sizeof(*box) / CLEAR * CLEAR;

	for (; at < end; at += CLEAR)
		memset(at, 0, CLEAR);
	memset(at, 0, sizeof(*box) % CLEAR);
}

void xt2_box_of(struct xt2_box *box, const struct xt2_rule __img *r)
{
	const struct xt2_match __img *m;

	clear(box);
	memset(box->most, 0xff, sizeof(box->most));
	box->stateless = true;
	xt2_rule_for_each_match(m, r) {
		if (!look_at(box, m)) {
			box->stateless = false;
			break;
		}
	}
}

/*
 * The matches that iptables writes first always say only yes or no.  A match that stands
 * after others, or is none of these, is left to xt2_box_of().
 */
void xt2_box_address(const struct xt2_rule __img *r, u32 field, u32 *value, u32 *mask)
{
	const struct xt2_match __img *m;
	struct xt2_box box;

	*value = *mask = 0;
	xt2_rule_for_each_match(m, r) {
		switch (m->type) {
		case XT2_M_SRC4:
		case XT2_M_DST4:
			if (m->flags & XT2_MATCH_INVERT ||
			    (m->type == XT2_M_SRC4) != (field == XT2_FIELD_SRC))
				continue;
			*mask = xt2_addr4_mask(m);
			*value = m->arg & *mask;
			continue;
		case XT2_M_IN:
		case XT2_M_OUT:
		case XT2_M_PROTO:
		case XT2_M_MAC:
		case XT2_M_COMMENT: continue;
		}
		xt2_box_of(&box, r);
		*value = (u32)box.value[field][0];
		*mask = (u32)box.mask[field][0];
		return;
	}
}

/* Bits of a field that are a key: shift them down, and swap bytes of IPv6. */
static void bits_range(const struct xt2_box *box, u32 field, u32 word, u32 shift, bool swap,
		       u16 *least, u16 *most)
{
	u16 value = (u16)(box->value[field][word] >> shift);
	u16 top = (u16)((box->value[field][word] | ~box->mask[field][word]) >> shift);

	*least = swap ? __builtin_bswap16(value) : value;
	*most = swap ? __builtin_bswap16(top) : top;
}

static void name_range(const struct xt2_box *box, u32 field, u16 *least, u16 *most)
{
	*least = 0;
	*most = 0xffff;
	if (box->mask[field][0] == ~0ull && box->mask[field][1] == ~0ull)
		*least = *most = xt2_fold_name(box->value[field]);
}

bool xt2_box_range(const struct xt2_box *box, u8 family, u32 key, u16 *least, u16 *most)
{
	u32 field = key < XT2_KEY_DST ? XT2_FIELD_SRC : XT2_FIELD_DST;
	u32 part = key & 7;

	if (!xt2_key_of_family(family, key))
		return false;
	if (key < XT2_KEY_SPORT) {
		if (family == XT2_IPV6)
			bits_range(box, field, part / 4, part % 4 * 16, true, least, most);
		else
			bits_range(box, field, 0, 16 - part * 16, false, least, most);
	} else if (key <= XT2_KEY_STATE) {
		*least = box->least[XT2_RANGE(key)];
		*most = box->most[XT2_RANGE(key)];
	} else if (key < XT2_KEY_MAC) {
		bits_range(box, XT2_FIELD_MARK, 0, 16 - (key - XT2_KEY_MARK) * 16, false, least,
			   most);
	} else if (key < XT2_KEY_IN) {
		bits_range(box, XT2_FIELD_MAC, 0, 32 - (key - XT2_KEY_MAC) * 16, false, least,
			   most);
	} else {
		name_range(box, key == XT2_KEY_IN ? XT2_FIELD_IN : XT2_FIELD_OUT, least, most);
	}
	return true;
}

static void port_field(const struct xt2_box *box, u32 key, u64 *value, u64 *mask)
{
	u32 i = XT2_RANGE(key), proto = XT2_RANGE(XT2_KEY_PROTO);
	bool exact = box->least[i] == box->most[i] && box->least[proto] == box->most[proto];

	value[0] = exact ? (u64)box->least[proto] << 16 | box->least[i] : 0;
	mask[0] = exact ? ~0u : 0;
	value[1] = mask[1] = 0;
}

void xt2_box_field(const struct xt2_box *box, u32 field, u64 *value, u64 *mask)
{
	if (field >= XT2_FIELD_DPORT) {
		port_field(box, field == XT2_FIELD_DPORT ? XT2_KEY_DPORT : XT2_KEY_SPORT, value,
			   mask);
		return;
	}
	value[0] = box->value[field][0];
	value[1] = box->value[field][1];
	mask[0] = box->mask[field][0];
	mask[1] = box->mask[field][1];
}

/* --- a box in an index --------------------------------------- */

u8 xt2_asks_key_(u32 key)
{
	if (key < XT2_KEY_SPORT)
		return XT2_ASKS_ADDRS;
	if (key < XT2_KEY_STATE)
		return XT2_ASKS_PORTS;
	if (key == XT2_KEY_STATE)
		return XT2_ASKS_STATE;
	if (key < XT2_KEY_MAC)
		return XT2_ASKS_MARK;
	if (key < XT2_KEY_IN)
		return XT2_ASKS_MAC;
	return key == XT2_KEY_IN ? XT2_ASKS_IN : XT2_ASKS_OUT;
}

u8 xt2_asks_field(u32 field)
{
	switch (field) {
	case XT2_FIELD_MAC: return XT2_ASKS_MAC;
	case XT2_FIELD_IN: return XT2_ASKS_IN;
	case XT2_FIELD_OUT: return XT2_ASKS_OUT;
	case XT2_FIELD_DPORT:
	case XT2_FIELD_SPORT: return XT2_ASKS_PORTS;
	}
	return 0;
}

/* => the class with the most bits that the box has all of */
static u32 box_class(const struct xt2_box *box, const struct xt2_index_dimension *d, u64 *value)
{
	u64 mask[2], m[2] = { 0, 0 };
	u32 i, any = d->classes - 1u;

	value[0] = value[1] = mask[0] = mask[1] = 0;
	if (d->field != XT2_FIELD_NONE)
		xt2_box_field(box, d->field, value, mask);
	i = mask[0] | mask[1] ? 0 : any;
	for (; i < any; i++) {
		m[0] = d->mask[0][i] | (u64)d->mask[1][i] << 32;
		m[1] = d->mask[2][i] | (u64)d->mask[3][i] << 32;
		if ((mask[0] & m[0]) == m[0] && (mask[1] & m[1]) == m[1])
			break;
	}
	value[0] &= i < any ? m[0] : 0;
	value[1] &= i < any ? m[1] : 0;
	return i;
}

u32 xt2_box_hash(const struct xt2_box *box, const struct xt2_index_dimension *d, u32 number,
		 u32 *cls)
{
	u32 word[XT2_FIELD_WORDS];
	u64 value[2];

	*cls = box_class(box, d, value);
	xt2_field_words(word, value);
	return xt2_hash_class(d, *cls, word, number * XT2_CLASSES + *cls);
}

u16 xt2_box_never(const struct xt2_box *box)
{
	const u16 *least = box->least, *most = box->most;
	const u32 proto = XT2_RANGE(XT2_KEY_PROTO), state = XT2_RANGE(XT2_KEY_STATE);
	u16 never = 0;
	u32 i;

	if (least[proto] == most[proto])
		never = 0xf & (u16)~xt2_proto_bit(least[proto]);
	for (i = XT2_STATE_INVALID; i <= XT2_STATE_UNTRACKED; i++)
		if (i < least[state] || i > most[state])
			never |= (u16)(1u << (XT2_BIT_STATE + i));
	return never;
}

u64 xt2_box_ports(const struct xt2_box *box)
{
	const u32 d = XT2_RANGE(XT2_KEY_DPORT), s = XT2_RANGE(XT2_KEY_SPORT);

	return xt2_pack_ports(box->least[d], box->least[s], box->most[d], box->most[s]);
}
