/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addrtype.c - types of the source and destination address
 *
 * As xt_addrtype.  The routing table's answer comes from the host, as the
 * number of an RTN_* type.  If it gave none, an IPv4 address has the type it
 * has on a host without addresses (broadcast, multicast, else unicast), and
 * an IPv6 address is neither local nor anycast nor unreachable.
 */
#include "payload.h"

enum { UNICAST = 1, LOCAL = 2, BROADCAST = 3, ANYCAST = 4, MULTICAST = 5, UNREACHABLE = 7 };

/* inet_dev_addr_type() of an address, without a local table */
static u32 type4(u32 addr, u16 known)
{
	if (known)
		return known;
	if (!addr || addr == 0xffffffff)
		return BROADCAST;
	return addr >> 28 == 0xe ? MULTICAST : UNICAST;
}

/* Every named property must hold; of the last three, one. */
static bool is6(const u64 *addr, u32 types, u16 known)
{
	u64 high = __builtin_bswap64(addr[0]), low = __builtin_bswap64(addr[1]);
	bool multicast = high >> 56 == 0xff, any = !(high | low);
	bool mapped = !high && low >> 32 == 0xffff;
	u32 routed = types & (1u << LOCAL | 1u << ANYCAST | 1u << UNREACHABLE);

	if (types & 1u << MULTICAST && !multicast)
		return false;
	if (types & 1u << UNICAST && (multicast || any || mapped))
		return false;
	if (types & 1u && !any)
		return false;
	return !routed || (known < 16 && routed & 1u << known);
}

static bool is4(u32 addr, u32 types, u16 known)
{
	u32 type = type4(addr, known);

	return type < 16 && types & 1u << type;
}

int xt2_addrtype_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_addrtype __img *k = (const void __img *)m;
	u32 flags = m->flags & XT2_ADDRTYPE_FLAGS, source = m->arg & 0xffff, dest = m->arg >> 16;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u16 src = pkt->src_type, dst = pkt->dst_type;
	bool is;

	if (m->size > sizeof(*m) && m->flags & XT2_ADDRTYPE_REVISION1)
		flags = k->first;
	else if (m->size > sizeof(*m))
		flags = (k->first & 1) | (k->second & 1) << 1;
	if (flags & XT2_ADDRTYPE_IN) {
		src = pkt->src_type_in;
		dst = pkt->dst_type_in;
	} else if (flags & XT2_ADDRTYPE_OUT) {
		src = pkt->src_type_out;
		dst = pkt->dst_type_out;
	}
	if (source) {
		is = pkt->family == XT2_IPV6 ? is6(pkt->src, source, src)
					     : is4(pkt->src4, source, src);
		if (is == !!(flags & XT2_ADDRTYPE_SRC_INV))
			return XT2_MISS;
	}
	if (dest) {
		is = pkt->family == XT2_IPV6 ? is6(pkt->dst, dest, dst) : is4(pkt->dst4, dest, dst);
		if (is == !!(flags & XT2_ADDRTYPE_DST_INV))
			return XT2_MISS;
	}
	return XT2_HIT;
}

/* Types that IPv6 doesn't have: broadcast, blackhole, prohibit and all above. */
static bool types6_bad(u32 arg)
{
	u32 types = (arg | arg >> 16) & 0xffff;

	return types >= 1u << 8 || types & (1u << BROADCAST | 1u << 6);
}

int xt2_addrtype_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_addrtype __img *k = (const void __img *)m;
	bool revision1 = m->flags & XT2_ADDRTYPE_REVISION1;
	u32 flags = m->flags & ~XT2_ADDRTYPE_REVISION1, limits;

	if (!xt2_family_inet(family) || flags & ~XT2_ADDRTYPE_FLAGS)
		return -EINVAL;
	if (family == XT2_IPV6 && (!revision1 || types6_bad(m->arg)))
		return -EINVAL;
	if (m->size != sizeof(*m)) {
		if (m->size != sizeof(*k) || flags || (revision1 && k->second))
			return -EINVAL;
		if (revision1)
			flags = k->first;
	}
	limits = flags & (XT2_ADDRTYPE_IN | XT2_ADDRTYPE_OUT);
	if (limits && !revision1)
		return -EINVAL;
	return limits == (XT2_ADDRTYPE_IN | XT2_ADDRTYPE_OUT) ? -EINVAL : 0;
}
