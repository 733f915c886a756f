/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.h - access to a packet for the engine and the extensions: see <xt2/pkt.h> */
#ifndef XT2_ENGINE_PARSE_H
#define XT2_ENGINE_PARSE_H

#include "env.h"
#include <xt2/pkt.h>

/* The IPv6 extension headers that the kernel walks through, and "nothing follows". */
enum xt2_ip6_next {
	XT2_IP6_HOP = 0,
	XT2_IP6_ROUTING = 43,
	XT2_IP6_FRAGMENT = 44,
	XT2_IP6_AUTH = 51,
	XT2_IP6_NONE = 59,
	XT2_IP6_DEST = 60,
};

/* The length of an extension header; of most, its second byte has it. */
static inline u32 xt2_ip6_header_size(u8 type, const u8 *header)
{
	switch (type) {
	case XT2_IP6_FRAGMENT: return 8;
	case XT2_IP6_AUTH: return (header[1] + 2) * 4;
	default: return (header[1] + 1) * 8;
	}
}

/* IPv6 header walk. */
struct xt2_ip6_walk {
	u32 off; /* of the header that was found */
	u8 next; /* its type */
	u16 fragoff; /* bytes; not 0 only if a later fragment's header was found */
};

/*
 * xt2_ip6_find - find the first header of a type, as ipv6_find_hdr() does
 * @pkt: parsed, IPv6
 * @want: the header's type: one of enum xt2_ip6_next, or any other protocol
 * @walk: out: set if found
 *
 * Two bytes of the header that was found are there, four of a routing or
 * fragment header; the rest of it may be cut off.  A later fragment has no
 * headers after its fragment header.
 * => 0; -ENOENT: not there; -EBADMSG: headers are cut off
 */
int xt2_ip6_find(struct xt2_pkt *pkt, u8 want, struct xt2_ip6_walk *walk);

/* Store a number in network order, at any alignment. */
static inline void xt2_put_be16(void *p, u16 v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

/*
 * xt2_pkt_at - the bytes [off, off + len) of a packet, as skb_header_pointer()
 *
 * Notes in pkt->cut if the packet had them on the wire but not in the capture.
 * => pointer, or NULL; where the bytes are elsewhere, it is good until the fourth one after it
 */
static inline const u8 *xt2_pkt_at(struct xt2_pkt *pkt, u32 off, u32 len)
{
	if (likely(off <= pkt->caplen && len <= pkt->caplen - off))
		return xt2_ptr(pkt->data) + off;
	if (off <= pkt->len && len <= pkt->len - off)
		return xt2_pkt_beyond(pkt, off, len);
	return NULL;
}

#endif
