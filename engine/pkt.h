/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pkt.h - what the engine and the extensions need of a packet: see <xt2/pkt.h> */
#ifndef XT2_ENGINE_PKT_H
#define XT2_ENGINE_PKT_H

#include "env.h"
#include <xt2/pkt.h>

/* IPv6 header walk; next headers as in <netinet/in.h>. */
struct xt2_ip6_walk {
	u32 off;	/* of the header that was found */
	u8 next;	/* its type */
	u16 fragoff;	/* bytes; of the last fragment header that was passed */
};

/*
 * xt2_ip6_find - ipv6_find_hdr() of the kernel for one header type
 * @want: the extension header's type
 * => 0 and walk filled in; -ENOENT: not there; -EBADMSG: headers are cut off
 */
int xt2_ip6_find(struct xt2_pkt *pkt, u8 want, struct xt2_ip6_walk *walk);

/*
 * xt2_pkt_at - the bytes [off, off + len) of a packet, as skb_header_pointer()
 *
 * Notes in pkt->cut if the packet had them on the wire but not in the capture.
 * => pointer, or NULL
 */
static inline const u8 *xt2_pkt_at(struct xt2_pkt *pkt, u32 off, u32 len)
{
	if (likely(off <= pkt->caplen && len <= pkt->caplen - off))
		return pkt->data + off;
	if (off <= pkt->len && len <= pkt->len - off)
		pkt->cut = 1;
	return NULL;
}

#endif
