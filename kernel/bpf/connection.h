/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection.h - what the kernel tracks of a packet's connection
 *
 * The packet's word for it is an address, and in its low bits the part that the
 * packet plays.  Where fields are is found out when the programs are loaded,
 * also if connection tracking is a module, or the kernel has none: hence types
 * of our own.
 *
 * Source: include/linux/skbuff.h, include/net/netfilter/nf_conntrack.h,
 * net/netfilter/xt_conntrack.c
 */
#ifndef XT2_KERNEL_BPF_CONNECTION_H
#define XT2_KERNEL_BPF_CONNECTION_H

#define INFO_BITS      7u
#define INFO_REPLY     3u /* parts from here on are the other side's */
#define INFO_UNTRACKED 7u

struct sk_buff___xt2 {
	unsigned long _nfct;
} __attribute__((preserve_access_index));

struct tuple___xt2 {
	struct {
		union {
			u64 all[2];
		} u3;
		union {
			__be16 all;
		} u;
		u8 protonum; /* of the destination */
	} src, dst;
} __attribute__((preserve_access_index));

struct nf_conn___xt2 {
	u32 timeout;
	struct {
		struct tuple___xt2 tuple;
	} tuplehash[2];
	unsigned long status;
	u32 mark;
} __attribute__((preserve_access_index));

/* Are connections something that the kernel has, and the programs can find? */
static __always_inline bool connections_known(void)
{
	return bpf_core_type_exists(struct nf_conn___xt2) &&
	       bpf_core_field_exists(struct nf_conn___xt2, mark);
}

static __always_inline void read_status(struct xt2_pkt_ct __img *to, const struct nf_conn___xt2 *ct)
{
	u32 hz = ((struct xt2_state __img *)xt2_arena(XT2_ARENA_STATE))->hz;
	s32 left = (s32)(BPF_CORE_READ(ct, timeout) - (u32)bpf_jiffies64());

	to->status = BPF_CORE_READ(ct, status);
	to->mark = BPF_CORE_READ(ct, mark);
	to->expires = left > 0 && hz ? (u32)left / hz : 0;
}

#define read_tuple(to, side, ct, number)                                                 \
	do {                                                                             \
		u64 addr_[2];                                                            \
                                                                                         \
		BPF_CORE_READ_INTO(&addr_, ct, tuplehash[number].tuple.src.u3.all);      \
		(to)->side##_src[0] = addr_[0];                                          \
		(to)->side##_src[1] = addr_[1];                                          \
		BPF_CORE_READ_INTO(&addr_, ct, tuplehash[number].tuple.dst.u3.all);      \
		(to)->side##_dst[0] = addr_[0];                                          \
		(to)->side##_dst[1] = addr_[1];                                          \
		(to)->side##_sport =                                                     \
			bpf_ntohs(BPF_CORE_READ(ct, tuplehash[number].tuple.src.u.all)); \
		(to)->side##_dport =                                                     \
			bpf_ntohs(BPF_CORE_READ(ct, tuplehash[number].tuple.dst.u.all)); \
	} while (0)

static __always_inline void read_tuples(struct xt2_pkt_ct __img *to, const struct nf_conn___xt2 *ct)
{
	read_tuple(to, orig, ct, 0);
	read_tuple(to, repl, ct, 1);
	to->proto = BPF_CORE_READ(ct, tuplehash[0].tuple.dst.protonum);
	to->tuple = 1;
}

static __always_inline void read_connection(struct xt2_pkt_ct __img *to, const struct sk_buff *skb,
					    u32 needs)
{
	const struct sk_buff___xt2 *s = (const void *)skb;
	u64 word = bpf_core_field_exists(s->_nfct) ? s->_nfct : 0;
	u32 info = word & INFO_BITS;
	const struct nf_conn___xt2 *ct = (const void *)(word - info);

	to->tuple = 0;
	to->reply = info >= INFO_REPLY;
	if (!ct) {
		to->state = info == INFO_UNTRACKED ? XT2_CT_UNTRACKED : XT2_CT_INVALID;
		return;
	}
	to->state = 1u << (info % INFO_REPLY + 1);
	if (!connections_known())
		return;
	if (needs & XT2_NEED_CONNECTION)
		read_status(to, ct);
	if (needs & XT2_NEED_TUPLES)
		read_tuples(to, ct);
}

#endif
