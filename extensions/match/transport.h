/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transport.h - shared by the transport and IPv6 header matches */
#ifndef XT2_EXTENSIONS_MATCH_TRANSPORT_H
#define XT2_EXTENSIONS_MATCH_TRANSPORT_H

#include "extensions/extensions.h"
#include "engine/match.h"

/* => the transport header of a first fragment; NULL: *answer is the match's */
static inline const u8 *xt2_transport_(struct xt2_pkt *pkt, u32 size, int *answer)
{
	*answer = XT2_MISS;
	if (unlikely(pkt->fragoff))
		return NULL;
	*answer = XT2_HOTDROP;
	return xt2_pkt_at(pkt, pkt->thoff, size);
}

/*
 * => some bytes of an IPv6 extension header that is whole on the wire, its
 *    offset and its size; NULL: *answer is the match's
 */
static __always_inline const u8 *xt2_exthdr_(struct xt2_pkt *pkt, u8 type, u32 bytes, u32 *off,
					     u32 *size, int *answer)
{
	struct xt2_ip6_walk walk;
	int err = xt2_ip6_find(pkt, type, &walk);
	const u8 *h = err ? NULL : xt2_pkt_at(pkt, walk.off, bytes);

	*answer = err == -ENOENT ? XT2_MISS : XT2_HOTDROP;
	if (!h)
		return NULL;
	*off = walk.off;
	*size = xt2_ip6_header_size(type, h);
	return pkt->len - walk.off < *size ? NULL : h;
}

/* => the options of a TCP header, and their length; NULL: there are none, or *broken */
static inline const u8 *xt2_tcp_options_(struct xt2_pkt *pkt, const u8 *th, u32 *len, bool *broken)
{
	const u32 size = (th[12] >> 4) * 4;
	const u8 *op = NULL;

	if (size > XT2_TCP_HEADER_) {
		*len = size - XT2_TCP_HEADER_;
		op = xt2_pkt_at(pkt, pkt->thoff + XT2_TCP_HEADER_, *len);
	}
	*broken = !op && size != XT2_TCP_HEADER_;
	return op;
}

/* Both ranges of ports, each with its inversion. */
static inline bool xt2_ports_hold_(const struct xt2_match __img *m, const struct xt2_pkt *pkt)
{
	const struct xt2_match_ports __img *k = (const void __img *)m;

	return xt2_within_(k->spts[0], k->spts[1], pkt->sport) != !!(m->arg & XT2_PORTS_INV_SRC) &&
	       xt2_within_(k->dpts[0], k->dpts[1], pkt->dport) != !!(m->arg & XT2_PORTS_INV_DST);
}

/* The check of TCP, or of UDP, which has neither flags nor options. */
static inline int xt2_ports_check_(const struct xt2_match __img *m, u8 family, bool tcp)
{
	u32 size = sizeof(*m), unused = 0;
	u8 flags = XT2_PORTS_FORM | XT2_MATCH_INVERT;

	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_NONE:
		flags = XT2_PORTS_FORM;
		unused = ~0u;
		break;
	case XT2_PORTS_SRC:
	case XT2_PORTS_DST: break;
	case XT2_PORTS_FLAGS:
		if (!tcp)
			return -EINVAL;
		unused = 0xffff0000;
		break;
	case XT2_PORTS_ALL:
		flags = XT2_PORTS_FORM;
		unused = tcp ? 0xf0 : ~(u32)(XT2_PORTS_INV_SRC | XT2_PORTS_INV_DST);
		size = sizeof(struct xt2_match_ports);
		break;
	default: return -EINVAL;
	}
	if (!xt2_family_inet(family) || m->arg & unused)
		return -EINVAL;
	return xt2_size_check_(m, size, tcp ? 0 : XT2_VERBATIM_UDP, flags);
}

/* A port of DCCP or SCTP; without ranges both ports are 0 to 0. */
static inline bool xt2_port_holds_(const __u16 __img *range, u16 port)
{
	return range ? xt2_within_(range[0], range[1], port) : !port;
}

/* An inverted test holds even if the packet is to be dropped: the rule counts before that. */
static inline int xt2_answer_late_(int answer, bool inverted)
{
	if (!inverted)
		return answer;
	if (answer == XT2_HOTDROP)
		return XT2_HIT_DROP;
	return answer == XT2_HIT ? XT2_MISS : XT2_HIT;
}

/*
 * Options of TCP and DCCP: 0 and 1 are one byte long, others give their length.
 * size: the option's, header included; 0: any.  => NULL: it is not there
 */
static inline const u8 *xt2_option_find_(const u8 *op, u32 len, u8 option, u32 size)
{
	u32 i = xt2_zero;

	while (i < len && xt2_can_loop) {
		if (op[i] == option && (!size || (len - i >= size && op[i + 1] == size)))
			return op + i;
		if (op[i] < 2 || i == len - 1 || !op[i + 1])
			i++;
		else
			i += op[i + 1];
	}
	return NULL;
}

/* AH, ESP, IPCOMP, FRAG: bytes of the head and the range; 0: not a valid form. */
static inline u32 xt2_range_size_(const struct xt2_match __img *m)
{
	switch (m->flags & XT2_RANGE_FORM) {
	case XT2_RANGE_NONE: return m->arg || xt2_inverted(m) ? 0 : sizeof(*m);
	case XT2_RANGE_ONE: return sizeof(*m);
	case XT2_RANGE_BOTH: return m->arg ? 0 : sizeof(struct xt2_match_range);
	}
	return 0;
}

/* The check of a range, in a match with more bytes and with these flags besides. */
static inline int xt2_range_check_(const struct xt2_match __img *m, bool family, u32 more, u32 copy,
				   u8 flags)
{
	u32 size = xt2_range_size_(m);

	if (!size || !family)
		return -EINVAL;
	return xt2_size_check_(m, size + more, copy, XT2_RANGE_FORM | XT2_MATCH_INVERT | flags);
}

/* The range holds, inversion included. */
static inline bool xt2_range_holds_(const struct xt2_match __img *m, u32 value)
{
	const struct xt2_match_range __img *k = (const void __img *)m;

	switch (m->flags & XT2_RANGE_FORM) {
	case XT2_RANGE_ONE: return (value == m->arg) != xt2_inverted(m);
	case XT2_RANGE_BOTH: return xt2_within_(k->range[0], k->range[1], value) != xt2_inverted(m);
	}
	return true;
}

/* The header test after the range, or NULL. */
static inline const struct xt2_header_test __img *xt2_header_test_(const struct xt2_match __img *m)
{
	const struct xt2_match __img *end = m + 1;

	if (!(m->flags & XT2_HEADER_TEST))
		return NULL;
	if ((m->flags & XT2_RANGE_FORM) == XT2_RANGE_BOTH)
		end++;
	return (const struct xt2_header_test __img *)end;
}

#endif
