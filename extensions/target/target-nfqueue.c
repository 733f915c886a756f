/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-nfqueue.c - NFQUEUE: hand the packet to a queue
 *
 * With several queues, the kernel spreads flows by a hash with a random
 * start; which queue a flow gets is not defined.  Here the hash is fixed: the
 * same flow gets the same queue in every run, both directions the same one.
 * The caller knows whether a program listens, and so whether bypass applies.
 *
 * Source: net/netfilter/xt_NFQUEUE.c, include/net/netfilter/nf_queue.h
 */
#include "target.h"

#define HASH 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio, made odd */

/* Addresses in either order and, for IPv4, the protocol: the input of the kernel's hash. */
static u32 flow_hash(const struct xt2_pkt *pkt)
{
	u64 sum, both;

	if (pkt->family == XT2_IPV4) {
		sum = (u64)pkt->src4 + pkt->dst4 + ((u64)pkt->proto << 33);
		both = (u64)(pkt->src4 ^ pkt->dst4);
	} else {
		sum = (pkt->src[0] + pkt->dst[0]) * HASH + pkt->src[1] + pkt->dst[1];
		both = (pkt->src[0] ^ pkt->dst[0]) * HASH ^ pkt->src[1] ^ pkt->dst[1];
	}
	sum = (sum ^ sum >> 32) * HASH + both;
	return (u32)((sum ^ sum >> 29) * HASH >> 32);
}

int xt2_nfqueue_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 arg = xt2_rule_arg(r), queue = arg & 0xffff;
	struct xt2_nfqueue data;
	u32 queues;

	xt2_target_read(r, &data, sizeof(data));
	queues = data.more + 1u;
	if (queues > 1 && arg & XT2_NFQUEUE_CPU_FANOUT)
		queue += pkt->cpu % queues;
	else if (queues > 1 && xt2_family_inet(pkt->family))
		queue += (u32)((u64)flow_hash(pkt) * queues >> 32);
	ctx->verdict_arg = queue;
	return XT2_QUEUE;
}

/* Options of each revision: 0 one queue, 1 several, 2 bypass, 3 fanout. */
int xt2_nfqueue_target_check(const struct xt2_rule __img *r, u8 family)
{
	static const u8 flags[] = { 0, 0, 1, 3 };
	u32 arg = xt2_rule_arg(r);
	u32 revision = XT2_ARG_REVISION(arg);
	struct xt2_nfqueue data;

	if (arg >> 18 & 0xf || XT2_NFQUEUE_FLAGS(arg) & ~(u32)flags[revision])
		return -EINVAL;
	if (!xt2_target_sized(r, sizeof(data)))
		return -EINVAL;
	xt2_target_read(r, &data, sizeof(data));
	if (data.reserved[0] | data.reserved[1] | data.reserved[2])
		return -EINVAL;
	if ((data.more && !revision) || (arg & 0xffff) + data.more > 0xffff)
		return -EINVAL;
	return 0;
}
