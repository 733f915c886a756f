/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite.h - changing packet bytes, and the checksums that follow
 *
 * Checksums are updated, not computed anew: a packet that came with a wrong
 * one keeps being wrong by the same amount.  The kernel has two ways to do it
 * which differ only in how they write a sum of zero; each target takes the
 * one that the kernel takes there.
 */
#ifndef XT2_EXTENSIONS_TARGET_REWRITE_H
#define XT2_EXTENSIONS_TARGET_REWRITE_H

#include "extensions/extensions.h"

/*
 * xt2_pkt_edit - bytes of a packet, to be changed
 * @verdict: out, if they are not there: XT2_DROP if the packet is too short,
 *	as the kernel drops what it cannot make writable; XT2_NEXT if only the
 *	capture is, which leaves the packet as it is (pkt->cut is set)
 * => pointer, or NULL
 */
static inline u8 *xt2_pkt_edit(struct xt2_pkt *pkt, u32 off, u32 len, int *verdict)
{
	if (xt2_pkt_at(pkt, off, len))
		return xt2_ptr(pkt->data) + off;
	*verdict = off <= pkt->len && len <= pkt->len - off ? XT2_NEXT : XT2_DROP;
	return NULL;
}

/* Sum of two 16-bit numbers with the carry added back. */
static inline u16 xt2_csum_add(u16 a, u16 b)
{
	u32 sum = (u32)a + b;

	return (u16)(sum + (sum >> 16));
}

/* csum_replace2(): a 16-bit word changed; may leave a sum of 0xffff. */
static inline void xt2_csum_header(u8 *check, u16 old, u16 new)
{
	u16 sum = (u16)~xt2_be16(check);

	sum = xt2_csum_add(xt2_csum_add(sum, (u16)~old), new);
	xt2_put_be16(check, (u16)~sum);
}

/* inet_proto_csum_replace2() and 4() on a plain sum: never leaves 0xffff. */
static inline void xt2_csum_proto(u8 *check, u32 old, u32 new)
{
	u64 sum = (u64)(u16)~xt2_be16(check) + (u32)~old + new;
	int i;

	for (i = 0; i < 4; i++)
		sum = (sum >> 16) + (sum & 0xffff);
	xt2_put_be16(check, (u16)~sum);
}

#endif
