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

#define INFO_BITS	 7u
#define INFO_ESTABLISHED 0u
#define INFO_REPLY	 3u /* parts from here on are the other side's */
#define INFO_UNTRACKED	 7u

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

/* Is it of a connection that both sides have sent packets of?  Else the answer may be no as well. */
static __always_inline bool is_established(const struct sk_buff *skb)
{
	const struct sk_buff___xt2 *s = (const void *)skb;
	u64 word = bpf_core_field_exists(s->_nfct) ? s->_nfct : 0;
	u32 info = word & INFO_BITS;

	return word > info && info % INFO_REPLY == INFO_ESTABLISHED && info != INFO_UNTRACKED;
}

#define INFO_RELATED 1u
#define INFO_NEW     2u
#define SOURCE_DONE  0x80u /* of the status: NAT has decided about the source */
#define TARGET_DONE  0x100u

#define PRIORITY_TRACKS -200 /* of the hooks of connection tracking: NF_IP_PRI_CONNTRACK */
#define HOOKS_MAX	64u

/*
 * Does the kernel track connections here?  Others can take away what has it do so.
 * Source: nf_hook_entries_get_hook_ops() in include/linux/netfilter.h
 */
static __noinline bool tracks_here(const struct bpf_nf_ctx *nf)
{
	const struct net *net = nf->state->net;
	const bool ip6 = nf->state->pf == XT2_IPV6;
	const struct nf_hook_entries *hooks;
	const struct nf_hook_ops *ops;
	u32 i, n;

	hooks = ip6 ? BPF_CORE_READ(net, nf.hooks_ipv6[XT2_PREROUTING])
		    : BPF_CORE_READ(net, nf.hooks_ipv4[XT2_PREROUTING]);
	if (!hooks)
		return false;
	n = BPF_CORE_READ(hooks, num_hook_entries);
	for (i = 0; i < n && i < HOOKS_MAX; i++) {
		if (bpf_probe_read_kernel(&ops, sizeof(ops),
					  (const void *)(&hooks->hooks[n]) + i * sizeof(ops)))
			return false;
		if (BPF_CORE_READ(ops, priority) == PRIORITY_TRACKS)
			return true;
	}
	return false;
}

/*
 * Does NAT look for a rule for a packet at a hook?  Once for each connection, and for the source and the
 * destination each.  *related: but not for an ICMP message about one.  Where connections are
 * not tracked any more, NAT looks for nothing: what it would do is found all the same, and the gate drops.
 * Source: nf_nat_inet_fn() in net/netfilter/nf_nat_core.c, nf_nat_ipv4_fn() in nf_nat_proto.c
 */
static __always_inline bool nat_looks(const struct bpf_nf_ctx *nf, bool *related)
{
	const struct sk_buff___xt2 *s = (const void *)nf->skb;
	const struct net_device *out = nf->state->out;
	u64 word = bpf_core_field_exists(s->_nfct) ? s->_nfct : 0;
	u32 info = word & INFO_BITS, hook = nf->state->hook;
	const struct nf_conn___xt2 *ct = (const void *)(word - info);
	u32 done = hook == XT2_PREROUTING || hook == XT2_OUTPUT ? TARGET_DONE : SOURCE_DONE;

	*related = false;
	if (!ct)
		return info != INFO_UNTRACKED && !tracks_here(nf);
	if (!connections_known())
		return false;
	*related = info % INFO_REPLY == INFO_RELATED;
	if (!*related && info != INFO_NEW)
		return false;
	if (BPF_CORE_READ(ct, status) & done)
		return false;
	return hook != XT2_POSTROUTING || !out || /* a VRF's packets come again */
	       !(BPF_CORE_READ_BITFIELD_PROBED(out, priv_flags) &
		 bpf_core_enum_value(enum netdev_priv_flags, IFF_L3MDEV_MASTER));
}

#endif
