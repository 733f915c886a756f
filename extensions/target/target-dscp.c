/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-dscp.c - TOS, DSCP and ECN: the service bits
 *
 * ECN is for IPv4 only; it also sets two flags of TCP, in whatever is where a
 * TCP header would be: the kernel doesn't ask whether this is a later fragment.
 *
 * Source: net/netfilter/xt_DSCP.c, net/ipv4/netfilter/ipt_ECN.c,
 * include/net/dsfield.h
 */
#include "rewrite.h"
#include "target.h"

enum {
	ECN_BITS = 0x03, /* of the service byte */
	OP_IP = 0x01,
	OP_ECE = 0x10,
	OP_CWR = 0x20,
	OPS = OP_IP | OP_ECE | OP_CWR,
	TCP_ECE = 0x40, /* in byte 13 of a TCP header */
	TCP_CWR = 0x80,
};

/* ipv4_change_dsfield(): sums modulo 0xffff, and a third way to write zero. */
static void set_service4(u8 *ip, u8 new)
{
	u32 sum = (u32)xt2_be16(ip + 10) + ip[1];

	if (sum >= 0xffff)
		sum -= 0xffff;
	if (sum < new)
		sum += 0xffff;
	xt2_put_be16(ip + 10, (u16)(sum - new));
	ip[1] = new;
}

/* The new byte is (old & keep) ^ set. */
static int set_service(struct xt2_pkt *pkt, u8 keep, u8 set)
{
	int verdict;
	u8 *ip = xt2_pkt_edit(pkt, 0, pkt->family == XT2_IPV4 ? 20 : 40, &verdict);
	u8 old, new;

	if (!ip)
		return verdict;
	old = pkt->family == XT2_IPV4 ? ip[1] : (u8)(xt2_be16(ip) >> 4);
	new = (old & keep) ^ set;
	if (new == old)
		return XT2_NEXT;
	if (pkt->family == XT2_IPV4)
		set_service4(ip, new);
	else
		xt2_put_be16(ip, (xt2_be16(ip) & 0xf00f) | (u16)(new << 4));
	return XT2_NEXT;
}

int xt2_tos_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	u32 arg = xt2_rule_arg(r);

	return set_service(xt2_ctx_pkt(ctx), (u8) ~(arg >> 8), (u8)arg);
}

int xt2_tos_target_check(const struct xt2_rule __img *r, u8 family)
{
	return xt2_family_inet(family) && xt2_target_none(r) && !(xt2_rule_arg(r) >> 16) ? 0
											 : -EINVAL;
}

int xt2_dscp_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	return set_service(xt2_ctx_pkt(ctx), ECN_BITS, (u8)(xt2_rule_arg(r) << 2));
}

int xt2_dscp_target_check(const struct xt2_rule __img *r, u8 family)
{
	return xt2_family_inet(family) && xt2_target_none(r) && xt2_rule_arg(r) < 64 ? 0 : -EINVAL;
}

static int set_ecn_ip(struct xt2_pkt *pkt, u8 bits)
{
	int verdict;
	u8 *ip = xt2_pkt_edit(pkt, 0, 20, &verdict);
	u8 new;

	if (!ip)
		return verdict;
	new = (ip[1] & ~ECN_BITS) | (bits & ECN_BITS);
	if (new != ip[1]) {
		xt2_csum_header(ip + 10, ip[1], new);
		ip[1] = new;
	}
	return XT2_NEXT;
}

static int set_ecn_tcp(struct xt2_pkt *pkt, u8 op, u8 bits)
{
	int verdict;
	u8 *tcp = xt2_pkt_edit(pkt, (xt2_ptr(pkt->data)[0] & 0xf) * 4u, 20, &verdict);
	u8 mask = (op & OP_ECE ? TCP_ECE : 0) | (op & OP_CWR ? TCP_CWR : 0);
	u8 flags = (bits & 1 ? TCP_ECE : 0) | (bits & 2 ? TCP_CWR : 0);
	u16 old;

	if (!tcp)
		return verdict;
	if (!((tcp[13] ^ flags) & mask))
		return XT2_NEXT;
	old = xt2_be16(tcp + 12);
	tcp[13] = (tcp[13] & ~mask) | (flags & mask);
	xt2_csum_proto(tcp + 16, old, xt2_be16(tcp + 12));
	return XT2_NEXT;
}

int xt2_ecn_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 arg = xt2_rule_arg(r);
	u8 op = (u8)arg;

	if (op & OP_IP && set_ecn_ip(pkt, (u8)(arg >> 8)) == XT2_DROP)
		return XT2_DROP;
	if (op & (OP_ECE | OP_CWR) && pkt->proto == XT2_PROTO_TCP)
		return set_ecn_tcp(pkt, op, (u8)(arg >> 16));
	return XT2_NEXT;
}

int xt2_ecn_target_check(const struct xt2_rule __img *r, u8 family)
{
	u32 arg = xt2_rule_arg(r);
	u8 op = (u8)arg;

	if (family != XT2_IPV4 || !xt2_target_none(r) || op & ~OPS || arg >> 8 & 0xff & ~ECN_BITS)
		return -EINVAL;
	return op & (OP_ECE | OP_CWR) && xt2_rule_proto(r) != XT2_PROTO_TCP ? -EINVAL : 0;
}
