/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-tcpmss.c - TCPMSS: lower the segment size that a SYN announces
 *
 * Never raises it.  A SYN without the option gets one if there is nothing
 * after its header: the packet grows by four bytes, into the room that the
 * caller left, and is dropped if there is none, as the kernel does without
 * memory.  Clamping asks for the path MTU, which only the host knows; not
 * knowing it, the packet stays as it is.
 *
 * Source: net/netfilter/xt_TCPMSS.c
 */
#include "rewrite.h"
#include "target.h"

enum {
	TCP_HEADER = 20,
	OPT_NOP = 1, /* this and the end of the list are one byte */
	OPT_MSS = 2,
	MSS_LEN = 4,
	MSS_CLAMP = 0xffff,
	MSS_DEFAULT4 = 536, /* a peer's assumption if the option is missing */
	MSS_DEFAULT6 = 1220,
	TCP_SYN = 0x02,
};

static u32 ip_header(const struct xt2_pkt *pkt)
{
	return pkt->family == XT2_IPV4 ? 20 : 40;
}

/* => the offset of a well-formed size option in the header, or 0 */
static u32 find_option(const u8 *tcp, u32 hlen)
{
	u32 i = TCP_HEADER;

	while (i + MSS_LEN <= hlen && xt2_can_loop) {
		if (tcp[i] == OPT_MSS && tcp[i + 1] == MSS_LEN)
			return i;
		i += tcp[i] <= OPT_NOP || !tcp[i + 1] ? 1 : tcp[i + 1];
	}
	return 0;
}

/* The IP header's length field. */
static void grow_ip(struct xt2_pkt *pkt)
{
	u8 *field = xt2_ptr(pkt->data) + (pkt->family == XT2_IPV4 ? 2 : 4);
	u16 old = xt2_be16(field), new = old + MSS_LEN;

	if (pkt->family == XT2_IPV4)
		xt2_csum_header(xt2_ptr(pkt->data) + 10, old, new);
	xt2_put_be16(field, new);
}

/* Puts the option before the others; len bytes of header and nothing after it. */
static int add_option(struct xt2_pkt *pkt, u8 *tcp, u32 len, u16 mss)
{
	const u16 most = pkt->family == XT2_IPV4 ? MSS_DEFAULT4 : MSS_DEFAULT6;
	u8 *opt = tcp + TCP_HEADER, *sum = tcp + 16;
	u16 old;

	if (pkt->room < MSS_LEN)
		return XT2_DROP;
	pkt->room -= MSS_LEN;
	pkt->caplen += MSS_LEN;
	pkt->len += MSS_LEN;
	if (mss > most)
		mss = most;
	memmove(opt + MSS_LEN, opt, len - TCP_HEADER);
	xt2_csum_proto(sum, len, len + MSS_LEN); /* in the pseudo header */
	opt[0] = OPT_MSS;
	opt[1] = MSS_LEN;
	xt2_put_be16(opt + 2, mss);
	xt2_csum_proto(sum, 0, xt2_be32(opt));
	old = xt2_be16(tcp + 12);
	tcp[12] += MSS_LEN / 4 << 4;
	xt2_csum_proto(sum, old, xt2_be16(tcp + 12));
	grow_ip(pkt);
	return XT2_NEXT;
}

static int set_size(struct xt2_pkt *pkt, u8 *tcp, u32 hlen, u16 mss)
{
	u32 len = pkt->len - pkt->thoff, i = find_option(tcp, hlen);
	u16 old;

	if (i) {
		old = xt2_be16(tcp + i + 2);
		if (old <= mss)
			return XT2_NEXT;
		xt2_put_be16(tcp + i + 2, mss);
		xt2_csum_proto(tcp + 16, old, mss);
		return XT2_NEXT;
	}
	if (len > hlen || hlen >= 60)
		return XT2_NEXT;
	return add_option(pkt, tcp, len, mss);
}

int xt2_tcpmss_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 mss = xt2_rule_arg(r), least = ip_header(pkt) + TCP_HEADER, hlen;
	int verdict;
	u8 *tcp;

	if (pkt->fragoff || pkt->proto != XT2_PROTO_TCP || pkt->l4 != XT2_L4_OK)
		return XT2_NEXT;
	tcp = xt2_pkt_edit(pkt, pkt->thoff, TCP_HEADER, &verdict);
	if (!tcp)
		return verdict;
	hlen = tcp[12] >> 4 << 2;
	if (hlen < TCP_HEADER)
		return XT2_DROP;
	tcp = xt2_pkt_edit(pkt, pkt->thoff, hlen, &verdict);
	if (!tcp)
		return verdict;
	if (mss == MSS_CLAMP) {
		if (!pkt->mtu)
			return XT2_NEXT;
		if (pkt->mtu <= least)
			return XT2_DROP;
		mss = pkt->mtu - least;
	}
	return set_size(pkt, tcp, hlen, (u16)mss);
}

/* The rule must ask for SYN, by a test that is not inverted. */
static bool asks_syn(const struct xt2_match __img *m)
{
	if (m->type != XT2_M_TCP)
		return false;
	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_FLAGS: return !xt2_inverted(m) && XT2_BYTE(m->arg, 1) & TCP_SYN;
	case XT2_PORTS_ALL:
		return !(XT2_BYTE(m->arg, 0) & XT2_PORTS_INV_FLAGS) &&
		       XT2_BYTE(m->arg, 3) & TCP_SYN;
	}
	return false;
}

int xt2_tcpmss_target_check(const struct xt2_rule __img *r, u8 family)
{
	const struct xt2_match __img *m;

	if (!xt2_family_inet(family) || !xt2_target_none(r) || xt2_rule_arg(r) > MSS_CLAMP)
		return -EINVAL;
	if (xt2_rule_proto(r) != XT2_PROTO_TCP)
		return -EINVAL;
	xt2_rule_for_each_match(m, r) {
		if (asks_syn(m))
			return 0;
	}
	return -EINVAL;
}
