/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ether.h - the Ethernet header that a packet came with
 *
 * It is there if the device is an Ethernet one, and the header lies before the
 * packet's data: not in packets that this host sends.
 *
 * Source: net/netfilter/xt_mac.c
 */
#ifndef XT2_KERNEL_BPF_ETHER_H
#define XT2_KERNEL_BPF_ETHER_H

#define ETHER_DEVICE 1 /* ARPHRD_ETHER */
#define ETHER_HEADER 14

static __always_inline void read_ether(struct xt2_slot __img *slot, const struct sk_buff *skb)
{
	const u64 at = (u64)skb->head + skb->mac_header;
	const struct net_device *dev = skb->dev;
	u64 header[2] = { 0 };

	slot->pkt.mac_len = 0;
	if (!dev || dev->type != ETHER_DEVICE || at + ETHER_HEADER > (u64)skb->data)
		return;
	if (bpf_probe_read_kernel(header, ETHER_HEADER, (const void *)at))
		return;
	slot->ether[0] = header[0];
	slot->ether[1] = header[1];
	slot->pkt.mac = (const __u8 *)(u64)slot->ether;
	slot->pkt.mac_len = ETHER_HEADER;
}

#endif
